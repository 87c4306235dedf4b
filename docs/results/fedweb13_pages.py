"""Aggregated pages made of the rankings of 157 search engines: utility beside flat measures.

Writes a section of the page ``pages.md`` beside this file. The environment variable IRMX_DATA names the folder with the
data; the page holds counts, scores and correlations only, nothing of the data.
"""

from __future__ import annotations

import itertools
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from markdown_pages import beside, markdown, write_section
from scipy.stats import kendalltau

import irmx
from irmx_pages import SimulatedPages, score_pages, simulate_pages

WEIGHTS = {0: 0.0, 1: 0.25, 3: 0.5, 7: 1.0}
"""How precise a result of each grade is, for graded precision: parameters, not known from the track's own pages."""
MEDIA = {"Video": "video", "Photo/Pictures": "image"}
PAGE = Path(__file__).with_name("pages.md")
MODELS = ("AS_DCG", "AS_RBP", "AS_ERR", "AS_ATT")
FLAT = ("nDCG@10", "P@10")
OTHERS = ("AS_RBP(personal=0.23)", "vRecall(recall_of='oriented')", "vPrecision", "AS_D_nDCG", "AS_IA_nDCG")
IDEALS = ("greedy", "exact")
MEASURES = (*MODELS, *(f"{m}(ideal='{i}')" for i in IDEALS for m in MODELS), *OTHERS, *FLAT)
SHOWN = (*MODELS, *OTHERS, *FLAT)
"""The measures of the correlation table."""


@dataclass(frozen=True)
class Track:
    """What is read of the track.

    Attributes
    ----------
    results : DataFrame
        A row a judged result: ``query_id``, ``doc_id``, ``engine``, ``rank`` in the engine's list, ``relevance``,
        ``weight``, and the ``vertical`` and ``media`` of its engine.
    orientation : DataFrame
        A row a topic and vertical: ``query_id``, ``vertical``, ``orientation``.
    qrels : DataFrame
        The results with the orientation of their vertical.
    """

    results: pd.DataFrame
    orientation: pd.DataFrame
    qrels: pd.DataFrame


def vertical_of(official: str) -> str:
    """Return the vertical of an engine's results: of several, that of videos, else of pictures, else the first."""
    names = official.split(",")
    return next((name for name in MEDIA if name in names), "web" if names[0] == "General" else names[0])


def track(folder: Path, weights: dict[int, float] = WEIGHTS) -> Track:
    """Read the judgments; the orientation of a vertical is the best graded precision of its engines."""
    engines = pd.read_csv(folder / "engines_verticals.tsv", sep="\t")
    of_engine = {
        name: vertical_of(official) for name, official in zip(engines["engine"], engines["vertical"], strict=True)
    }
    results = pd.read_csv(
        folder / "FW13-QRELS-RM.txt.gz",
        sep=" ",
        names=["query_id", "iteration", "doc_id", "relevance"],
        dtype={"query_id": str},
    )
    parts = results["doc_id"].str.split("-", expand=True)
    results["engine"], results["rank"] = parts[1], parts[3].astype(int)
    results["vertical"] = results["engine"].map(of_engine)
    results["media"] = results["vertical"].map(MEDIA).fillna("text")
    results["weight"] = results["relevance"].map(weights)
    lists = results.groupby(["query_id", "vertical", "engine"])["weight"].sum() / 10
    orientation = lists.groupby(["query_id", "vertical"]).max().rename("orientation").reset_index()
    orientation.loc[orientation["vertical"] == "web", "orientation"] = 0.5
    columns = ["query_id", "doc_id", "relevance", "vertical", "media", "orientation"]
    return Track(results, orientation, results.merge(orientation, on=["query_id", "vertical"])[columns])


def of_other_topics(values: pd.Series) -> pd.Series:
    """Return, for every row of a series by query_id and name, the mean over the other topics, 0 without any."""
    by_name = values.groupby(level=1)
    others = by_name.transform("size") - 1
    return ((by_name.transform("sum") - values) / others.clip(lower=1)).where(others > 0, 0.0)


def item_rankings(found: Track) -> dict[str, pd.DataFrame]:
    """Return two rankings of the results of every vertical.

    ``best engine`` is the list of the engine that had the best graded precision on the other topics; ``merged`` is all
    lists of the vertical's engines, all first results, then all second ones, engines by their number.
    """
    results = found.results
    precision = (results.groupby(["query_id", "engine"])["weight"].sum() / 10).rename("precision")
    known = of_other_topics(precision).rename("known").reset_index()
    results = results.merge(known, on=["query_id", "engine"])
    merged = results.sort_values(["query_id", "rank", "engine"])
    best = results.sort_values(["known", "engine"], ascending=[False, True]).drop_duplicates(["query_id", "vertical"])
    chosen = results.merge(best[["query_id", "vertical", "engine"]]).sort_values(["query_id", "engine", "rank"])
    return {
        name: rows[["query_id", "doc_id", "vertical", "media"]].assign(score=-np.arange(len(rows), dtype=float))
        for name, rows in (("best engine", chosen), ("merged", merged))
    }


def vertical_rankings(found: Track) -> dict[str, pd.DataFrame]:
    """Return two rankings of verticals: by the orientation for other topics, and by their engines' first results."""
    keys = ["query_id", "vertical"]
    known = of_other_topics(found.orientation.set_index(keys)["orientation"])
    first = found.results[found.results["rank"] == 1].groupby(keys)["weight"].mean()
    first = first.reindex(known.index, fill_value=0.0)
    return {
        name: scores.rename("score").reset_index().query("vertical != 'web'").rename(columns={"vertical": "doc_id"})
        for name, scores in (("other topics", known), ("first results", first))
    }


def simulated(found: Track) -> SimulatedPages:
    """Return 36 pages a topic."""
    return simulate_pages(found.qrels, item_rankings(found), vertical_rankings(found))


def scores(found: Track, pages: SimulatedPages, measures: tuple[str, ...] = MEASURES) -> pd.DataFrame:
    """Return the measures of every page: the index is topic and page, a column a measure."""
    long = score_pages(pages.pages, found.qrels, list(measures))
    table = long.pivot(index=["query_id", "page_id"], columns="measure", values="value")
    return table[[str(irmx.parse_measure(m)) for m in measures]].set_axis(list(measures), axis=1)


def of_systems(table: pd.DataFrame) -> pd.DataFrame:
    """Return the means over topics; a system is a combination of selections and a presentation."""
    return table.groupby("page_id").mean()


def within_topics(table: pd.DataFrame) -> pd.DataFrame:
    """Return the mean over topics of Kendall's tau of a topic's pages, without topics where a measure is constant."""
    taus = [rows.corr(method="kendall") for _, rows in table.groupby("query_id")]
    return pd.concat(taus, keys=range(len(taus))).groupby(level=1).mean().loc[table.columns]


def correlations(name: str, taus: pd.DataFrame, r: pd.DataFrame) -> str:
    """Write Kendall's tau and Pearson's r of each two measures; return the name of the file."""
    rows = [[a, b, f"{taus.loc[a, b]:.3f}", f"{r.loc[a, b]:.3f}"] for a, b in itertools.combinations(taus.columns, 2)]
    return beside(PAGE, f"fedweb13_pages_{name}", ["a", "b", "tau", "r"], rows)


def with_list(taus: pd.DataFrame, r: pd.DataFrame) -> str:
    """Return the correlation of every measure with nDCG@10."""
    names = [name for name in taus.columns if name != "nDCG@10"]
    rows = [[f"`{name}`", f"{taus.loc[name, 'nDCG@10']:.3f}", f"{r.loc[name, 'nDCG@10']:.3f}"] for name in names]
    return markdown(["with `nDCG@10`", "tau", "r"], rows)


def of_ideals(table: pd.DataFrame) -> list[list[str]]:
    """Return what the paper's and the greedy ideal page do beside the exact one."""
    rows = []
    for name, ideal in itertools.product(MODELS, ("paper", "greedy")):
        column = name if ideal == "paper" else f"{name}(ideal='{ideal}')"
        values, exact = table[column], table[f"{name}(ideal='exact')"]
        ratio = (values / exact)[exact > 0]
        tau = kendalltau(of_systems(table)[column], of_systems(table)[f"{name}(ideal='exact')"])[0]
        above = values > 1 + 1e-12
        counts = [f"{above.sum()} of {len(values):,}", f"{above.groupby('query_id').any().sum()}"]
        ratios = [f"{(ratio < 1 - 1e-9).sum()}", f"{ratio.median():.3f}", f"{ratio.max():.3f}"]
        rows.append([f"`{name}`", ideal, *counts, f"{values.max():.3f}", *ratios, f"{tau:.3f}"])
    return rows


def by_part(table: pd.DataFrame, pages: SimulatedPages) -> list[list[str]]:
    """Return the mean of measures by selection of verticals, of items, and by presentation."""
    joined = pages.quality.merge(table.reset_index(), on=["query_id", "page_id"])
    rows = []
    for part in ("selection", "items", "presentation"):
        means = joined.groupby(part, sort=False)[list(SHOWN)].mean()
        rows += [
            [f"{part}: {name}", *(f"{v:.3f}" for v in row)]
            for name, row in zip(means.index, means.to_numpy(), strict=True)
        ]
    return [*rows, ["all", *(f"{v:.3f}" for v in table[list(SHOWN)].mean())]]


def relative(found: Track) -> Track:
    """Return the track with orientations beside the web: p/(p + p of the web), .5 where both are 0."""
    lists = found.results.groupby(["query_id", "vertical", "engine"])["weight"].sum() / 10
    precision = lists.groupby(["query_id", "vertical"]).max()
    table = precision.rename("p").reset_index()
    table["web"] = table["query_id"].map(precision.xs("web", level="vertical"))
    both = table["p"] + table["web"]
    table["orientation"] = np.where(both > 0, table["p"] / both.where(both > 0, 1), 0.5)
    orientation = table[["query_id", "vertical", "orientation"]]
    qrels = found.qrels.drop(columns="orientation").merge(orientation, on=["query_id", "vertical"])
    return Track(found.results, orientation, qrels)


def of_readings(folder: Path, found: Track, pages: SimulatedPages) -> list[list[str]]:
    """Return how far AS_RBP of the same pages depends on what the orientation is made of."""
    name = "AS_RBP(ideal='exact')"
    readings = {
        "0, .25, .5, 1": found,
        "0, 1, 1, 1": track(folder, {0: 0.0, 1: 1.0, 3: 1.0, 7: 1.0}),
        "0, 0, .5, 1": track(folder, {0: 0.0, 1: 0.0, 3: 0.5, 7: 1.0}),
        "0, .25, .5, 1, relative to the web": relative(found),
    }
    default = scores(found, pages, (name,))[name]
    rows = []
    for text, other in readings.items():
        mine = scores(other, pages, (name,))[name]
        verticals = other.orientation[other.orientation["vertical"] != "web"]
        tau = kendalltau(default.groupby("page_id").mean(), mine.groupby("page_id").mean())[0]
        numbers = [f"{number:.3f}" for number in (mine.mean(), tau, default.corr(mine))]
        rows.append([text, f"{(verticals['orientation'] > 0.5).sum()}", *numbers])
    return rows


def main() -> None:
    folder = Path(os.environ["IRMX_DATA"]).resolve() / "fedweb13"
    found = track(folder)
    pages = simulated(found)
    table = scores(found, pages)
    exact = table[[f"{m}(ideal='exact')" for m in MODELS]]
    perfect = table.xs("perfect-perfect-perfect", level="page_id")
    shown, systems = table[list(SHOWN)], of_systems(table)[list(SHOWN)]
    with_ndcg = systems.corr(method="kendall").loc[list(MODELS), "nDCG@10"]
    verticals = found.orientation[found.orientation["vertical"] != "web"]
    above = {t: verticals[verticals["orientation"] > t].groupby("query_id").size() for t in (0.5, 0.75)}
    topics = found.results["query_id"].nunique()
    sizes = [len(p.blocks) for p in pages.pages]
    of_means = correlations("systems", systems.corr(method="kendall"), systems.corr())
    of_pages = correlations("pages", within_topics(shown), shown.corr())
    ideals, readings = of_ideals(table), of_readings(folder, found, pages)
    head = ["", "ideal", "nUtil > 1", "in topics", "largest nUtil", "ratio < 1", "median ratio", "largest ratio", "tau"]
    on_page = (0, 1, 2, 4, 7, 8)
    text = _TEXT.format(
        lowest=f"{with_ndcg.min():.3f}",
        highest=f"{with_ndcg.max():.3f}",
        with_list=with_list(systems.corr(method="kendall"), systems.corr()),
        results=f"{len(found.results):,}",
        engines=found.results["engine"].nunique(),
        topics=topics,
        verticals=len(verticals),
        above=above[0.5].sum(),
        of_topics=len(above[0.5]),
        per_topic=len(pages.pages) // topics,
        pages=f"{len(pages.pages):,}",
        smallest=min(sizes),
        largest=max(sizes),
        systems=of_means,
        over_pages=of_pages,
        parts=beside(PAGE, "fedweb13_pages_parts", ["part", *SHOWN], by_part(table, pages)),
        perfect=(perfect[list(MODELS)] == 1).all(axis=1).sum(),
        exceeding=(exact > 1 + 1e-9).any(axis=1).sum(),
        ideals=markdown([head[i] for i in on_page], [[row[i] for i in on_page] for row in ideals], 2),
        all_ideals=beside(PAGE, "fedweb13_pages_ideals", head, ideals),
        readings=beside(
            PAGE,
            "fedweb13_pages_readings",
            ["weights of the grades 0, 1, 3, 7", "verticals above .5", "mean", "tau over systems", "r over pages"],
            readings,
        ),
        lowest_reading=min(row[3] for row in readings),
    )
    write_section(PAGE, "Aggregated pages of 157 search engines", text)


_TEXT = """\
The measures of aggregated search rank simulated systems of real results in nearly the order of nDCG@10: Kendall's tau is {lowest} to
{highest}. Which ideal page a measure divides by matters: only the exact one keeps values from exceeding 1.

{with_list}

The correlations are of the means of 36 systems ([all pairs of measures]({systems}), [over pages]({over_pages}), [means by part]({parts})).
`simulate_pages` makes {per_topic} pages of {smallest} to {largest} blocks per topic, {pages} in all, from {results} judged results of {engines} engines
for {topics} topics. A system is a selection of verticals, a selection of items and a presentation, each from perfect to bad. General engines are
the web; an engine of several verticals counts as videos, else as pictures, else as the one named first. The
orientation of a vertical is the best mean weight of ten results of its engines, with the weights 0, .25, .5, 1 for the grades 0, 1, 3, 7; the web has 0.5.
It is above 0.5 in {above} of {verticals} pairs of topic and vertical, of {of_topics} topics. With
[other weights]({readings}), a parameter here, the tau of `AS_RBP(ideal='exact')` with these is at least {lowest_reading}.

### Three ideal pages

nUtil divides by the page of perfect selection, items and presentation, `ideal='paper'`, or by `ideal='greedy'`; neither maximises
the utility. `ideal='exact'` does, with as many blocks as the page at hand; {exceeding} pages are above 1 by it. Ratio: nUtil over nUtil with the exact one. Tau: over
systems, to the exact one ([more columns]({all_ideals})). The page that is perfect in all three has nUtil 1 on {perfect} of {topics} topics.

{ideals}

Made by `IRMX_DATA=... python docs/results/fedweb13_pages.py`.
"""


if __name__ == "__main__":
    main()
