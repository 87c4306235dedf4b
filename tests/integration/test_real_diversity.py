"""Diversity qrels of the TREC Web track 2009 to 2014 beside ndeval; days, clusters and nuggets of other tracks."""

from __future__ import annotations

import gzip
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_measures import AP_IA, ERR_IA, P_IA, StRecall

import irmx

pytestmark = pytest.mark.real

COUNT = {2009: 1, 2010: 1, 2011: 2, 2012: 9, 2013: 1, 2014: 1}
"""The number of runs of every year."""


def data() -> Path:
    return Path(os.environ["IRMX_DATA"]).resolve()


def rows_of(path: Path, read: Any) -> pd.DataFrame:
    with gzip.open(path, "rt") as file:
        return pd.DataFrame(list(read(file)))


@cache
def qrels_of(year: int) -> pd.DataFrame:
    return rows_of(data() / "web_diversity" / str(year) / "qrels.diversity.txt.gz", ir_measures.read_trec_qrels)


@cache
def runs_of(year: int) -> dict[str, pd.DataFrame]:
    paths = sorted((data() / "web_diversity" / str(year) / "runs").glob("*.run.gz"))
    assert len(paths) == COUNT[year]
    return {path.name: rows_of(path, ir_measures.read_trec_run) for path in paths}


def in_order(run: pd.DataFrame) -> pd.DataFrame:
    """A run with distinct scores that say the order in which pyndeval takes it: equal scores by ascending document id."""
    run = run.sort_values(["query_id", "score", "doc_id"], ascending=[True, False, True])
    return run.assign(score=[-float(i) for i in range(len(run))])


def differences(
    peers: dict[str, Any],
    qrels: pd.DataFrame,
    runs: Iterable[pd.DataFrame],
    factors: Mapping[str, float] | None = None,
) -> Iterator[dict[str, dict[str, float]]]:
    """Yield, per run, the topics in which measures, times their factors, differ by more than 1e-9, and by how much."""
    other, own = ir_measures.evaluator(list(peers.values()), qrels), irmx.evaluator(list(peers), qrels)
    for run in runs:
        theirs = {(m.measure, m.query_id): m.value for m in other.iter_calc(run)}
        values = {(str(m.measure), m.query_id): m.value for m in own.iter_calc(run)}
        ours = {(name, topic): value * (factors or {}).get(name, 1) for (name, topic), value in values.items()}
        assert len(theirs) == len(ours)
        out: dict[str, dict[str, float]] = {}
        for (measure, topic), value in ours.items():
            if (difference := abs(value - theirs[peers[measure], topic])) > 1e-9:
                out.setdefault(measure, {})[topic] = difference
        yield out


@pytest.mark.parametrize("year", COUNT)
def test_equal_to_ndeval_in_one_order(year: int) -> None:
    peers = {"IntentAware(measure='AP')": AP_IA}
    for k in (5, 10, 20):
        peers |= {f"IA_P@{k}": P_IA @ k, f"I_rec@{k}": StRecall @ k}
    assert not any(differences(peers, qrels_of(year), map(in_order, runs_of(year).values())))


def test_equal_scores_are_the_only_difference() -> None:
    """As they are, with equal scores by descending id here and by ascending id there, all but one run are equal at 20."""
    differ = {}
    for year in COUNT:
        peers = {"IA_P@20": P_IA @ 20, "I_rec@20": StRecall @ 20}
        runs = runs_of(year)
        for name, found in zip(runs, differences(peers, qrels_of(year), runs.values()), strict=True):
            assert set(found) <= {"IA_P@20"}
            if found:
                differ[year, name] = found["IA_P@20"]
    [((year, name), topics)] = differ.items()
    assert (year, name) == (2011, "cedr-input-top100.run.gz")
    run = runs_of(year)[name]
    for topic in topics:
        scores = run[run["query_id"] == topic]["score"].sort_values(ascending=False).tolist()
        assert scores[19] == scores[20]


@pytest.mark.parametrize("year", COUNT)
def test_err_ia_is_that_of_ndeval_times_its_ideal(year: int) -> None:
    """Grades as 0 or 1: the stop probability (2^1 - 1)/2^1 is ndeval's 1/2; ndeval divides by sum_{r<=k} 2^-r / r."""
    qrels = qrels_of(year)
    binary = qrels.assign(relevance=(qrels["relevance"] > 0).astype(int))
    peers = {f"IA_ERR(stop='graded')@{k}": ERR_IA @ k for k in (5, 20)}
    factors = {name: 1 / sum(2**-r / r for r in range(1, k + 1)) for name, k in zip(peers, (5, 20), strict=True)}
    assert not any(differences(peers, binary, map(in_order, runs_of(year).values()), factors))


def test_grades_make_err_ia_differ() -> None:
    ideal = sum(2**-r / r for r in range(1, 21))
    run = in_order(runs_of(2012)["indri-ql-catb.run.gz"])
    [name] = peers = {"IA_ERR(stop='graded')@20": ERR_IA @ 20}
    [found] = differences(peers, qrels_of(2012), [run], {name: 1 / ideal})
    assert len(found[name]) > 25


@pytest.mark.parametrize("year", COUNT)
def test_one_window_that_covers_everything(year: int) -> None:
    qrels = qrels_of(year).assign(window="all", timestamp=0.0)
    pairs = {f"TIA_{name}": f"IA_{name}" for name in ("nDCG@20", "ERR@20", "P@20", "AP@20", "nDCG", "AP", "P")}
    pairs["TIA_ERR(stop='graded',err='text')@20"] = "IA_ERR(stop='graded')@20"
    pairs["TIA_StRecall(a=1)@20"] = "I_rec@20"
    pairs["TIA_nDCG(window='1y')@20"] = "IA_nDCG@20"
    for text in ("AP@20", "MP(model=GL_AD_ID)", "NCP(law=uniform,judged_only=True)"):
        pairs[f"TimeAware(measure='{text}')"] = f"IntentAware(measure='{text}')"
    for run in runs_of(year).values():
        found = irmx.calc_aggregate([*pairs, *pairs.values()], qrels, run)
        for temporal, plain in pairs.items():
            assert found[irmx.parse_measure(temporal)] == pytest.approx(found[irmx.parse_measure(plain)], abs=1e-12)


def test_d_ndcg_of_one_subtopic_is_the_ms_ndcg_of_ntcireval() -> None:
    folder = data() / "fixtures" / "pyNTCIREVAL"
    lines = (folder / "res_test_compute.txt").read_text().splitlines()
    [official] = [float(line.split()[1]) for line in lines if "MSnDCG@1000=" in line]
    judged = [line.split() for line in (folder / "sample.rel").read_text().splitlines()]
    qrels = pd.DataFrame(
        [("q", doc, int(level[1:]), "all") for doc, level in judged],
        columns=["query_id", "doc_id", "relevance", "iteration"],
    )
    docs = (folder / "sample.res").read_text().split()
    run = {"q": {doc: -float(i) for i, doc in enumerate(docs)}}
    assert irmx.calc_aggregate("D_nDCG@1000", qrels, run)[irmx.D_nDCG @ 1000] == pytest.approx(official, abs=5.1e-5)


# -- subtopics and windows --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def page(results_program: Callable[[str], ModuleType]) -> ModuleType:
    """The program that makes the page on rankings of systems."""
    return results_program("temporal_rankings")


def test_what_is_read_of_the_real_time_tracks(page: ModuleType) -> None:
    """As many topics and clusters as the tracks have, and of 2016 as many tweets as its qrels have relevant ones."""
    for year, topics, clusters, tweets in ((2015, 47, 3_100, 6_191), (2016, 55, 765, 3_339)):
        qrels = page.of_clusters(data() / "trec_rts", year)
        held = qrels[qrels["relevance"] > 0]
        assert held["query_id"].nunique() == topics
        assert len(held[["query_id", "iteration"]].drop_duplicates()) == clusters
        assert len(held) == tweets


def test_shares_and_sizes_of_days_plainly(page: ModuleType) -> None:
    """2016: P(c|q,t) of clusters in days, and the share of a day as relevance, by loops over every topic."""
    qrels = page.of_clusters(data() / "trec_rts", 2016)
    run = page.simulated(qrels, systems=1, seed=1)["system 1"]
    texts = (
        "TIA_ERR(err='mixed',subtopics_in_window='counted')",
        "TIA_ERR(err='mixed',subtopics_in_window='counted',stop='window')",
    )
    scores = irmx.scores(list(texts), qrels, {"run": run})
    ranked = irmx.read_run(run).as_dict()
    held = qrels[qrels["relevance"] > 0].astype({"query_id": str})
    largest = 0.0
    for number, topic in enumerate(scores.topics):
        rows = held[held["query_id"] == topic]
        tweets = dict(zip(rows["doc_id"], zip(rows["iteration"], rows["window"], strict=True), strict=True))
        days = Counter(day for _, day in tweets.values())
        pairs = Counter(tweets.values())
        order = sorted(ranked.get(topic, {}).items(), key=lambda item: (np.float32(item[1]), item[0]), reverse=True)
        one, by_size, open_, seen = 0.0, 0.0, dict.fromkeys(pairs, 1.0), set[Any]()
        for rank, (tweet, _) in enumerate(order, start=1):
            if (pair := tweets.get(tweet)) is None:
                continue
            weight = days[pair[1]] / len(tweets) * pairs[pair] / days[pair[1]]
            one += 0 if pair in seen else weight / rank
            stop = days[pair[1]] / max(days.values())
            by_size += weight * open_[pair] * stop / rank
            open_[pair] *= 1 - stop
            seen.add(pair)
        largest = max(largest, *np.abs(scores.values[number, 0] - [one, by_size]))
    assert len(scores.topics) == 55
    assert largest <= 1e-12


def test_days_of_tweets_are_windows(page: ModuleType) -> None:
    """The calendar of UTC cuts the same days that the track's files name."""
    for year in (2015, 2016):
        qrels = page.of_clusters(data() / "trec_rts", year)
        run = page.simulated(qrels, systems=1, seed=1)["system 1"]
        for name in ("TIA_nDCG", "TIA_P", "T_StRecall"):
            one, other = irmx.calc_aggregate(f"{name}@50 {name}(window='1d')@50", qrels, run).values()
            assert one == pytest.approx(other, abs=1e-12)
