"""Rankings of systems under intent-aware and time-aware measures: how far they agree, and how well they tell systems apart.

Writes a section of the page ``diversity.md`` beside this file. The environment variable IRMX_DATA names the folder with the
data; the page holds scores only, nothing of the data.
"""

from __future__ import annotations

import gzip
import json
import os
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from markdown_pages import beside, markdown, write_section

import irmx
import irmx_study
from irmx_stream import read_tst_runs

PAIRS = {
    "IA_nDCG@{k}": "TIA_nDCG{w}@{k}",
    "IA_ERR@{k}": "TIA_ERR{w}@{k}",
    "IA_P@{k}": "TIA_P{w}@{k}",
    "IA_AP@{k}": "TIA_AP{w}@{k}",
    "I_rec@{k}": "T_StRecall{w}@{k}",
}
"""Every intent-aware measure and its time-aware one."""
ALONE = "TIA_StRecall{w}@{k}"
"""A time-aware measure that has no intent-aware one: subtopics and windows are covered separately, and weighted."""
TEST, LEVEL = "randomised-tukey", 0.05
PAGE = Path(__file__).with_name("diversity.md")

FILES = {
    2015: ("mb2015/qrels.txt.gz", "mb2015/clusters-2015.json.gz", "mb2015/tweet2dayepoch.txt.gz"),
    2016: (
        "rts2016/rts2016-batch-qrels.txt.gz",
        "rts2016/rts2016-batch-clusters.json.gz",
        "rts2016/rts2016-batch-tweets2dayepoch.txt.gz",
    ),
}
SYSTEMS, SEED = 60, 4


def lines_of(path: Path) -> Iterator[list[str]]:
    with gzip.open(path, "rt") as file:
        for line in file:
            yield line.split()


# -- tweets: clusters are subtopics, days are windows -----------------------------------------------------------


def of_clusters(folder: Path, year: int) -> pd.DataFrame:
    """Return the judged tweets of a year as qrels with their dates; those in no cluster have grade 0 and no subtopic."""
    qrels, clusters, days = (folder / name for name in FILES[year])
    grade = {(q.removeprefix("MB"), d): {"2": 2, "4": 2}.get(g, 1) for q, _, d, g in lines_of(qrels)}
    date = {tweet: (day, int(epoch)) for tweet, day, epoch in lines_of(days)}
    with gzip.open(clusters, "rt") as file:
        topics = json.load(file)["topics"]
    rows, clustered = [], set()
    for topic, held in topics.items():
        query = topic.removeprefix("MB")
        groups = held["clusters"]
        for number, tweets in groups.items() if isinstance(groups, dict) else enumerate(groups, 1):
            for tweet in tweets:
                clustered.add((query, tweet))
                rows.append((query, tweet, grade.get((query, tweet), 1), str(number), *date[tweet]))
    of_topics = {query for query, *_ in rows}
    for query, tweet in grade:
        if (query, tweet) not in clustered and query in of_topics and tweet in date:
            rows.append((query, tweet, 0, None, *date[tweet]))
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration", "window", "timestamp"])


def simulated(qrels: pd.DataFrame, systems: int = SYSTEMS, seed: int = SEED) -> dict[str, pd.DataFrame]:
    """Return made-up systems that rank the judged tweets.

    A system scores a tweet by its grade, a liking for new or old tweets, a dislike of clusters it has shown (one number
    per cluster), and noise; systems differ in how much each counts.
    """
    rng = np.random.default_rng(seed)
    tweets = qrels.drop_duplicates(["query_id", "doc_id"])
    age = tweets.groupby("query_id")["timestamp"].rank(pct=True).to_numpy() - 0.5
    cluster = pd.factorize(tweets["query_id"] + " " + tweets["iteration"].fillna(""))[0]
    runs = {}
    for i in range(1, systems + 1):
        quality, recency, evenness = rng.uniform(0.5, 2.5), rng.normal(0, 2), rng.uniform(0, 1.5)
        liking = rng.normal(size=cluster.max() + 1)[cluster]
        noise = rng.normal(size=len(tweets))
        score = quality * tweets["relevance"].to_numpy() + recency * age + evenness * liking + noise
        runs[f"system {i}"] = tweets[["query_id", "doc_id"]].assign(score=score)
    return runs


# -- news: nuggets are subtopics, days are windows --------------------------------------------------------------


def of_nuggets(folder: Path) -> pd.DataFrame:
    """Return the matches of updates and nuggets of 2014 as qrels; the date of an update is that in its id."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", irmx.DataWarning)
        judgments = irmx.read_qrels(f"tst:{folder}")
    rows = [(str(q.query_id), q.doc_id, q.relevance, q.iteration) for q in judgments if q.doc_id and q.relevance > 0]
    qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])
    return qrels.assign(timestamp=qrels["doc_id"].str.partition("-")[0].astype(int))


def by_confidence(path: Path) -> dict[str, pd.DataFrame]:
    """Return the three runs as rankings of updates by confidence; an update that was emitted twice stands where it was surest."""
    runs = {}
    for name, table in read_tst_runs(path).items():
        run = table.to_pandas() if hasattr(table, "to_pandas") else pd.DataFrame(table)
        run = run.sort_values("score", ascending=False, kind="stable").drop_duplicates(["query_id", "doc_id"])
        runs[name] = run[["query_id", "doc_id", "score"]]
    return runs


# -- scores and tables -------------------------------------------------------------------------------------------


def scored(qrels: pd.DataFrame, runs: dict[str, pd.DataFrame], window: str, k: int) -> irmx.Scores:
    """Return the values of all runs by all measures, the intent-aware ones first."""
    texts = [text.format(w=window, k=k) for text in [*PAIRS, *PAIRS.values(), ALONE]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", irmx.DataWarning)  # topics for which a run has nothing count as 0
        return irmx.scores(texts, qrels, runs, progress=False)


def taus(scores: irmx.Scores) -> list[float]:
    """Return tau between every intent-aware measure and its time-aware one."""
    means = irmx_study.comparable_means(scores).T
    return [irmx_study.kendall_tau(a, b) for a, b in zip(means, means[len(PAIRS) :], strict=False)][: len(PAIRS)]


def pairs(title: str, scores: irmx.Scores) -> list[str]:
    """Return the table of tau between every intent-aware measure and its time-aware one."""
    means = irmx_study.comparable_means(scores)
    rows = []
    for place, plain in enumerate(scores.measures[: len(PAIRS)]):
        other = place + len(PAIRS)
        a, b = means[:, place], means[:, other]
        signs = np.sign(np.subtract.outer(a, a) * np.subtract.outer(b, b))
        changed, count = int((signs < 0).sum() // 2), len(a) * (len(a) - 1) // 2
        numbers = [f"{taus(scores)[place]:.3f}", f"{changed:,} of {count:,}"]
        rows.append([f"`{plain}`", f"`{scores.measures[other]}`", *numbers])
    return [markdown([title, "time-aware", "tau", "pairs in another order"], rows, texts=2)]


def agreement(name: str, scores: irmx.Scores) -> str:
    """Write the matrix of tau between all measures; return its means within and between the two kinds, and where it is."""
    means, names = irmx_study.comparable_means(scores), [str(m.NAME) for m in scores.measures]
    taus = np.array([[irmx_study.kendall_tau(a, b) for b in means.T] for a in means.T])
    rows = [[one, *(f"{tau:.3f}" for tau in row)] for one, row in zip(names, taus.tolist(), strict=True)]
    aware = np.arange(len(names)) >= len(PAIRS)
    apart = ~np.eye(len(names), dtype=bool)
    within, among, between = (
        taus[np.logical_and.outer(one, other) & apart].mean()
        for one, other in ((~aware, ~aware), (aware, aware), (~aware, aware))
    )
    return (
        f"The mean tau is {within:.3f} among intent-aware measures, {among:.3f} among time-aware ones, and {between:.3f} between "
        f"one of each kind ([all]({beside(PAGE, f'temporal_rankings_tau_{name}', ['measure', *names], rows)}))."
    )


def discriminated(name: str, scores: irmx.Scores) -> str:
    """Write the table of discriminative power and swap rates, the largest power first; return how the kinds compare, and where it is."""
    result = irmx_study.discriminate(scores, test=TEST, level=LEVEL, progress=False)
    rows, frame = [], result.frame()
    for row in frame.sort_values("power", ascending=False, kind="stable").itertuples():
        needed = "none" if np.isnan(row.difference_needed) else f"{row.difference_needed:.3g}"
        rows.append(
            [
                row.measure,
                row.significant,
                row.pairs,
                f"{row.power:.3f}",
                needed,
                f"{row.swap_rate:.3f}",
            ]
        )
    plain, temporal = frame["power"][: len(PAIRS)], frame["power"][len(PAIRS) : 2 * len(PAIRS)]
    smaller = int((temporal.to_numpy() < plain.to_numpy()).sum())
    best = frame.sort_values("power", ascending=False, kind="stable").iloc[0]
    head = ["measure", "significant", "pairs", "power", "difference_needed", "swap_rate"]
    return (
        f"For {smaller} of the {len(PAIRS)} pairs, the time-aware measure has the smaller discriminative power. `{best['measure']}` has the "
        f"largest, {best['power']:.3f} ([all]({beside(PAGE, f'temporal_rankings_power_{name}', head, rows)}))."
    )


def values(scores: irmx.Scores) -> str:
    """Write the table of the means themselves; return the name of its file."""
    means = scores.means()
    rows = [[str(name), *(f"{v:.4f}" for v in means[name])] for name in means.columns]
    return beside(PAGE, "temporal_rankings_news", ["measure", *scores.systems], rows)


def main() -> None:
    data = Path(os.environ["IRMX_DATA"]).resolve()
    years = []
    for year in FILES:
        qrels = of_clusters(data / "trec_rts", year)
        held = qrels[qrels["relevance"] > 0]
        cells = held[["query_id", "iteration", "window"]].drop_duplicates()
        years += [
            *pairs(str(year), scores := scored(qrels, simulated(qrels), "", 50)),
            "",
            f"{year}: {held['query_id'].nunique()} topics, {len(held[['query_id', 'iteration']].drop_duplicates()):,} clusters, "
            f"{held['window'].nunique()} days, {len(cells):,} occupied pairs of both.",
            agreement(str(year), scores),
            discriminated(str(year), scores),
            "",
        ]
    news = data / "trec_ts" / "2014"
    scores = scored(of_nuggets(news), by_confidence(news / "runs.cunlp.ssv.gz"), "(window='1d')", 100)
    text = _PAGE.format(
        systems=SYSTEMS,
        seed=SEED,
        years="\n".join(years),
        news=values(scores),
        smallest=f"{min(taus(scores)):.3f}",
        level=LEVEL,
    )
    write_section(PAGE, "Systems under intent-aware and time-aware measures", text)


_PAGE = """\
Measures of diversity that look at time rank simulated systems differently from those that do not, and most of them tell fewer systems
apart.

Clusters of tweets are subtopics and days are windows. {systems} simulated systems (seed {seed}) rank the judged tweets of the Microblog track
of 2015 and the Real-Time Summarization track of 2016 by grade, age, cluster and noise, each in its own mixture: this shows how far
the measures differ, not how well real systems do. Tau is Kendall's tau-b between the rankings of two measures. Discriminative power is
the share of pairs that the randomised Tukey test tells apart at level {level:g}.

{years}
For three runs of the Temporal Summarization track of 2014 ([means]({news})), with nuggets as subtopics, the smallest tau of an intent-aware
measure with its time-aware one is {smallest}.

Made by `IRMX_DATA=... python docs/results/temporal_rankings.py` from `trec_rts` and `trec_ts`.
"""


if __name__ == "__main__":
    main()
