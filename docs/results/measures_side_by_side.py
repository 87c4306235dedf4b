"""Measures side by side: whom they agree with, how well they tell systems apart, how well they tolerate missing judgments.

Writes a section of the page ``trec8.md`` and three pictures beside it, about the 129 runs of TREC-8 ad hoc, or about other
runs that are given as arguments. The page holds counts, correlations and shares only, nothing of the data.
"""

from __future__ import annotations

import csv
import os
import re
from pathlib import Path
from typing import Any

import pandas as pd
from given_collection import Collection, given_collection
from markdown_pages import beside, markdown

import irmx_study
from irmx.toolkit import write_picture

MEASURES = {
    "AP": "AP",
    "nDCG": "nDCG",
    "nDCG@10": "nDCG@10",
    "P@10": "P@10",
    "Rprec": "Rprec",
    "RR": "RR",
    "Bpref": "Bpref",
    "RBP, p = .8": "RBP(rel=1)",
    "RBP, p = .95": "RBP(rel=1,p=0.95)",
    "MP GL_AD_ID": "MP(model=GL_AD_ID)",
    "MP GL_OR_LID": "MP(model=GL_OR_LID)",
    "MP LO_AD_ID@Rec": "MP(model=LO_AD_ID,rescale='recall')",
    "NCP geometric, p = .1": "NCP(law=geometric(p=0.1))",
    "NCP zipf, s = 1": "NCP(law=zipf)",
}
NAMES = {measure: name for name, measure in MEASURES.items()}
KEEP, SAMPLES, DEPTH = (90, 70, 50, 30, 10), 10, 100


def in_markdown(frame: pd.DataFrame) -> str:
    """Return a table in Markdown, the index as its first column."""
    rows = [
        [name, *(f"{x:.3f}" if isinstance(x, float) else x for x in cells)]
        for name, *cells in frame.itertuples(name=None)
    ]
    return markdown(["", *frame.columns], rows)


def groups_of(collection: Collection) -> dict[str, str] | None:
    """Return the group that submitted each run; None if it is not known, as for runs given as arguments."""
    path = Path(os.environ.get("IRMX_DATA", "")) / "trec8_adhoc" / "runs_table.tsv"
    if collection.name != "TREC-8" or not path.is_file():
        return None
    with path.open(encoding="utf-8") as lines:
        return {
            row["run"]: row["group"] for row in csv.DictReader(lines, delimiter="\t") if row["run"] in collection.runs
        }


def overview(agreement: Any, power: Any, pools: Any, left_out: Any) -> pd.DataFrame:
    """Return one row per measure: the main number of each part of the page."""
    with_ap = agreement.matrix("tau")["AP"]
    of_measure = power.frame().set_index("measure")
    smaller = pools.frame().set_index(["measure", "keep"])["tau"]
    lowest = left_out.frame().groupby("measure")["tau"].min()
    rows = {
        name: {
            "tau with AP": with_ap[measure],
            "discriminative power": of_measure["power"][measure],
            "difference needed": of_measure["difference_needed"][measure],
            "swap rate": of_measure["swap_rate"][measure],
            "tau, half the judgments": smaller[measure, 50],
            "tau, a tenth": smaller[measure, 10],
            "lowest tau without a group": lowest[measure],
        }
        for name, measure in MEASURES.items()
    }
    return pd.DataFrame(rows).T


def finding(rows: pd.DataFrame) -> str:
    """Return the measures that are best at telling runs apart and at tolerating missing judgments, in two sentences."""
    power, half = rows["discriminative power"], rows["tau, half the judgments"]
    return f"""\
{power.idxmax()} tells the largest share of all pairs of runs apart, {power.max():.1%}, and {power.idxmin()} the smallest,
{power.min():.1%}. Missing judgments change the ranking by {half.idxmax()} least: with half of the judgments its tau is {half.max():.3f}. The
ranking by {half.idxmin()} changes most, with a tau of {half.min():.3f}."""


def without_groups(left_out: Any) -> pd.DataFrame:
    """Return one row per measure: what leaving out groups does to rankings, and to the group's own runs."""
    rows, runs = left_out.frame().groupby("measure", sort=False), left_out.frame("runs").groupby("measure", sort=False)
    found = {
        "mean tau": rows["tau"].mean(),
        "lowest tau": rows["tau"].min(),
        "mean change of a run's value": (runs["value_change"].sum() / runs["value"].sum()).map("{:+.1%}".format),
        "runs that fall": runs["rank_change"].agg(lambda change: int((change > 0).sum())),
        "largest fall": runs["rank_change"].max().astype(int),
    }
    return pd.DataFrame(found).rename(index=NAMES)


def table(collection: Collection, name: str, frame: pd.DataFrame) -> str:
    """Write a table as csv beside the page; return the name of its file."""
    cells = frame.map(lambda x: f"{x:.3f}" if isinstance(x, float) else x)
    return beside(
        collection.page,
        f"measures_side_by_side_{name}",
        ["measure", *frame.columns],
        cells.reset_index().to_numpy().tolist(),
    )


def page(collection: Collection) -> str:
    """Return the section in Markdown, and write its pictures and tables."""
    scores = collection.scores(list(MEASURES.values()))
    runs = {system: collection.runs[system] for system in scores.systems}
    agreement = irmx_study.correlate(scores)
    power = irmx_study.discriminate(scores, correction="none")
    tukey = irmx_study.discriminate(scores, test="randomised-tukey", splits=0)
    pools = irmx_study.pool(
        list(MEASURES.values()), collection.qrels, runs, keep=KEEP, samples=SAMPLES, jobs=collection.jobs
    )
    groups = groups_of(collection)
    left_out = irmx_study.leave_out(
        list(MEASURES.values()), collection.qrels, runs, groups, depth=DEPTH, jobs=collection.jobs
    )
    for name, ax in (
        ("agreement", agreement.plot(order="similar")), ("power", power.plot()), ("pool", pools.plot()),
    ):  # fmt: skip
        write_picture(ax.figure, collection.page.with_name(f"measures_side_by_side_{name}.svg"))
    taus = agreement.matrix("tau").rename(index=NAMES)
    taus.columns = taus.index
    curves = pools.frame().pivot_table(index="measure", columns="keep", values="tau", sort=False)
    curves.columns = pd.Index([f"{keep:g}%" for keep in curves.columns])
    tests = power.frame().set_index("measure")[["significant", "power", "difference_needed", "swap_rate"]]
    tests.columns = pd.Index(["significant", "power", "difference needed", "swap rate"])
    tests.insert(2, "power, randomised Tukey", tukey.frame().set_index("measure")["power"])
    stable = agreement.frame("stability").set_index(["a", "b"])
    rows = overview(agreement, power, pools, left_out)
    judged, *_ = re.findall(r"[\d,]+\d|\d", left_out.facts()["judgments"])
    return _PAGE.format(
        command=collection.command,
        runs=len(scores.systems),
        pairs=f"{len(scores.systems) * (len(scores.systems) - 1) // 2:,}",
        topics=len(scores.topics),
        finding=finding(rows),
        overview=in_markdown(rows[["tau with AP", "discriminative power", "swap rate", "tau, half the judgments"]]),
        taus=table(collection, "tau", taus),
        low=f"{stable['low']['AP', 'P@10']:.3f}",
        high=f"{stable['high']['AP', 'P@10']:.3f}",
        tau=f"{agreement.matrix('tau')['AP']['P@10']:.3f}",
        tests=table(collection, "power", tests.rename(index=NAMES)),
        curves=table(collection, "pool", curves.rename(index=NAMES)),
        samples=SAMPLES,
        groups="each run is a group" if groups is None else f"{len(set(groups.values()))} groups submitted them",
        lost_judgments=f"{left_out.frame()['judged'].max():,} of {judged}",
        lost=table(collection, "groups", without_groups(left_out)),
    )


_PAGE = """\
{finding}

{overview}

The {runs} runs are ranked by their means over {topics} topics; tau is Kendall's tau-b between two rankings. "Discriminative power" is the
share of the {pairs} pairs of runs that a paired t test tells apart (p at most .05, not corrected), "swap rate" the share
of pairs in opposite orders in two random halves of the topics. No measure is best in all columns, and none of them
says what a user wants.

- [Agreement](../guide/agreement-of-measures.md): [tau of all pairs]({taus}), as a [picture](measures_side_by_side_agreement.svg). Over
  1,000 resamples of the topics, 95% of the taus of AP and P@10 ({tau} here) lie between {low} and {high}; this is not
  a confidence interval.
- [Discriminative power](../guide/discriminative-power.md): [by the randomised Tukey test too, with the differences needed]({tests}), and
  the [sorted p-values](measures_side_by_side_power.svg).
- Without the judgments that one group of runs contributed alone, at most {lost_judgments} ([measure by measure]({lost})); {groups}.
  All runs are taken to be pooled.
- [Missing judgments](../guide/missing-judgments.md): mean tau with the ranking by all judgments, over {samples} samples
  ([all shares]({curves})):

![Tau by the share of judgments that are kept, one line per measure.](measures_side_by_side_pool.svg)

Made by `{command}`; with `--qrels` and `--runs`, of other runs.
"""


def main() -> None:
    with given_collection(
        __file__, "trec8.md", "Measures side by side: agreement, discriminative power, robustness."
    ) as collection:
        collection.write(f"Measures side by side on {collection.name}", page(collection))


if __name__ == "__main__":
    main()
