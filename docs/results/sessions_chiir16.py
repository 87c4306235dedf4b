"""Measures of sessions and what people said of them: 80 rated sessions of the study of Jiang and Allan.

Writes a section of the page ``clicks_and_sessions.md`` beside this file. The environment variable IRMX_DATA names the folder with the data; the page holds
counts and correlations only, nothing of the data.
"""

from __future__ import annotations

import gzip
import os
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from markdown_pages import beside, markdown, write_section

from irmx_cwl import fit_to_ratings

PAGE = Path(__file__).with_name("clicks_and_sessions.md")
HEAD = ["measure", "r, software", "r", "rho", "tau", "tau, difficulty"]
SHOWN = 6
"""How many measures the page shows."""
EFFORTS = {"static": "[1,1,1]", "param": "[.25,1,1]", "time": "[9.8,23.0,37.6]"}
NDCG = "nDCG(dcg='exp-log2')@9"


def of_queries(measure: str, over: str = "mean") -> str:
    """Return a measure of each query, put together."""
    return f'Session(measure="{measure}",over={over})'


def effort(name: str, efforts: str, more: str = "") -> str:
    return of_queries(f"Effort(measure='{name}',max_grade=2{more},effort={EFFORTS[efforts]})@9")


TBG = "TBG(times=[9.8,23.0,37.6],p_click=[.26,.5,.55],p_save=[0,.2,.8],half_life=31)@9"
U = "UMeasure(L=99,max_grade=2,times=[9.8,23.0,37.6])@9"
OF_SESSIONS = {
    "number of queries": ("SessionCost(of=queries)", "#queries"),
    "sDCG": ("sDCG(b=2,bq=4)@9", "sDCG"),
    "nsDCG": ("nsDCG(b=2,bq=4)@9", "nsDCG"),
    "sDCG per query": ("sDCG_q(b=2,bq=4)@9", "sDCG/q"),
    "esNDCG": ("esNDCG(pref=.9,pdown=.7)@9", "esNDCG(0.9,0.7) exact"),
    "esNCG": ("esNCG(pref=.8,pdown=.7)@9", "esNCG(0.8,0.7) exact"),
    "sRBP": ("sRBP@9", None),
    "mean nDCG": (of_queries(NDCG), "mean nDCG"),
    "sum of nDCG": (of_queries(NDCG, "sum"), "sum nDCG"),
    "largest nDCG": (of_queries(NDCG, "max"), "max nDCG"),
    "smallest nDCG": (of_queries(NDCG, "min"), "min nDCG"),
    "nDCG of the first query": (of_queries(NDCG, "first"), "first nDCG"),
    "nDCG of the last query": (of_queries(NDCG, "last"), "last nDCG"),
}
OF_EFFORT = {
    "mean TBG": (of_queries(TBG), "mean TBG"),
    "mean UMeasure": (of_queries(U), "mean Umeasure"),
    **{
        f"mean {name}, effort {efforts}": (effort(name, efforts), f"mean {name}/{efforts}")
        for name in ("P", "AP", "RR", "ERR", "DCG")
        for efforts in EFFORTS
    },
    **{
        f"mean RBP(p=.6), effort {efforts}": (effort("RBP", efforts, ",p=.6"), f"mean RBP0.6/{efforts}")
        for efforts in EFFORTS
    },
}


def family(text: str, values: Any) -> str:
    """Return settings of a measure of each query, as one expression."""
    return " ".join(of_queries(text.format(f"{value:g}")) for value in values)


FITTED = {
    "sRBP": "sRBP(p=0.1:0.9:9|0.95|0.99,b=0:1:6)@9",
    "sDCG per query": "sDCG_q(b=2|3|5|10,bq=2|4|10)@9",
    "nsDCG": "nsDCG(b=2|3|5|10,bq=2|4|10)@9",
    "esNDCG": "esNDCG(pref=0.1:0.9:9,pdown=0.1:0.9:9)@9",
    "mean TBG": family(TBG.replace("=31", "={}"), range(5, 125, 5)),
    "mean UMeasure": family(U.replace("L=99", "L={}"), range(20, 300, 10)),
    "mean RBP": family("RBP(p={},rel=1)@9", [*np.linspace(0.1, 0.9, 9), 0.95, 0.99]),
}


def read(folder: Path) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Return the qrels, the run and the ratings of the sessions."""
    with gzip.open(folder / "results.gz", "rt", encoding="utf-8") as file:
        next(file)
        cells = [line.rstrip("\n").split("\t") for line in file]
    rows = [(c[0], int(c[1]), *((c[3], -float(c[2])) if len(c) > 3 else ("", None))) for c in cells]
    run = pd.DataFrame(rows, columns=["query_id", "query_number", "doc_id", "score"])
    qrels = pd.read_csv(folder / "qrels.gz", sep="\t", dtype={"SessionID": str})
    ratings = pd.read_csv(folder / "session.gz", sep="\t", dtype={"SessionID": str})
    return (
        qrels.set_axis(["query_id", "doc_id", "relevance"], axis=1),
        run,
        ratings.rename(columns={"SessionID": "query_id", "Performance": "performance", "Difficulty": "difficulty"}),
    )


def with_interval(row: Any) -> str:
    return f"{row.correlation:.3f} [{row.low:.3f}, {row.high:.3f}]"


def main() -> None:
    folder = Path(os.environ["IRMX_DATA"]).resolve() / "sessions_chiir16"
    qrels, run, ratings = read(folder)
    published = pd.read_csv(folder / "correlations.tsv", sep="\t").set_index(["metric", "user_metric"])["pearson"]

    def fit(measures: list[str], rating: str = "performance", correlation: str = "kendall") -> pd.DataFrame:
        less = rating == "difficulty"
        found = fit_to_ratings(measures, qrels, run, ratings, rating, less_is_better=less, correlation=correlation)
        return found.measures

    def table(of: dict[str, tuple[str, str | None]]) -> tuple[list[list[str]], pd.DataFrame]:
        texts = [measure for measure, _ in of.values()]
        pearson, spearman, kendall = (fit(texts, correlation=name) for name in ("pearson", "spearman", "kendall"))
        hard = fit(texts, "difficulty")
        theirs = [published.get((metric, "performance")) for _, metric in of.values()]
        rows = [
            [
                name,
                "" if said is None else f"{said:.3f}",
                f"{r:.3f}",
                with_interval(rho),
                with_interval(tau),
                with_interval(d),
            ]
            for name, said, r, rho, tau, d in zip(
                of,
                theirs,
                pearson["correlation"],
                spearman.itertuples(),
                kendall.itertuples(),
                hard.itertuples(),
                strict=True,
            )
        ]
        return rows, kendall.assign(name=list(of))

    of_sessions, first = table(OF_SESSIONS)
    of_effort, second = table(OF_EFFORT)
    fits = fit(list(FITTED.values()))
    best = pd.concat([first, second]).sort_values("correlation", ascending=False).iloc[:3]
    fitted = [
        [name, f"`{row.measure}`", row.settings, with_interval(row), f"{row.cross_validated:.3f}"]
        for name, row in zip(FITTED, fits.itertuples(), strict=True)
    ]
    worst = first.loc[first["name"] == "sDCG", "correlation"].iloc[0]
    found = (
        f"Of {len(first) + len(second)} measures, {', '.join(best['name'].iloc[:2])} and {best['name'].iloc[2]} agree best with how well people thought that "
        f"they did in {first['sessions'].iloc[0]} search sessions: Kendall's tau-b is {', '.join(f'{x:.2f}' for x in best['correlation'])}. sDCG, which adds up the gains of the "
        f"whole session, does not agree with it ({worst:.2f})."
    )
    ranked = sorted((*of_sessions, *of_effort), key=lambda row: float(row[4].split()[0]), reverse=True)
    on_page = [*ranked[:SHOWN], *(row for row in ranked[SHOWN:] if row[0] in ("number of queries", "sDCG"))]
    of_fits = ["measure", "best setting", "settings", "tau", "held out"]
    text = _TEXT.format(
        found="\n".join(textwrap.wrap(found, 140)),
        table=markdown([*HEAD[:2], HEAD[4]], [[*row[:2], row[4]] for row in on_page]),
        all=beside(PAGE, "sessions_chiir16", HEAD, [*of_sessions, *of_effort]),
        fits=beside(PAGE, "sessions_chiir16_fits", of_fits, fitted),
    )
    write_section(PAGE, "Measures of sessions and what people said", text)


_TEXT = """\
{found}

{table}

Correlations with how users rated their performance from 1 to 5: *r* is Pearson's, of values of the programs of Jiang and Allan (CHIIR 2016);
tau is Kendall's tau-b, with 95% intervals over samples of sessions. Means are over the queries of a session; *param* efforts of grades are
0.25, 1, 1. In the table of [all measures]({all}), with rho and the difficulty of sessions, r of irmx differs from the software's only for
nDCG of queries that returned fewer than nine results.

[Parameters fitted to the ratings]({fits}) by `irmx cwl fit`, with the tau on sessions that did not choose them.

Made by `IRMX_DATA=... python docs/results/sessions_chiir16.py` from `sessions_chiir16`.
"""


if __name__ == "__main__":
    main()
