"""A real click log: transitions between ranks, holding times and a learned chain, used on real runs."""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import irmx
from irmx_markov import (
    GL_AD_ID,
    MP,
    ByRank,
    MPcont,
    TransitionMatrix,
    backward_share,
    holding_times,
    learn_chain,
    stationary,
    transition_counts,
)
from irmx_markov.finite_chains import check_irreducible, check_stochastic

pytestmark = pytest.mark.real

RANKS = 10


def click_log(name: str) -> pd.DataFrame:
    """Return a file of sessions (one line each, the ten results in columns) as a table with a row a click.

    The times are those of the clicks; ``cursor`` is how long the cursor was over the result, in seconds.
    """
    path = Path(os.environ["IRMX_DATA"]) / "sogou_pscm_clicks" / name
    rows = []
    with gzip.open(path, "rt") as lines:
        next(lines)
        for session, line in enumerate(lines):
            query, _, clicks, times, cursor = (field.split() for field in line.rstrip("\n").split("\t"))
            for rank, (clicked, time, over) in enumerate(zip(clicks, times, cursor, strict=True), start=1):
                if clicked == "1":
                    rows.append((session, query[0], rank, float(time), float(over) / 1000))
    return pd.DataFrame(rows, columns=["session", "query_id", "rank", "time", "cursor"])


@pytest.fixture(scope="module")
def training() -> pd.DataFrame:
    return click_log("train_data.tsv.gz")


@pytest.fixture(scope="module")
def held_out() -> pd.DataFrame:
    return click_log("test_data.tsv.gz")


@pytest.fixture(scope="module")
def chain(training: pd.DataFrame) -> TransitionMatrix:
    return learn_chain(training, size=RANKS)


@pytest.fixture(scope="module")
def matrix(chain: TransitionMatrix, tmp_path_factory: pytest.TempPathFactory) -> np.ndarray:
    path = tmp_path_factory.mktemp("chain") / "chain.npy"
    chain.save(path)
    return np.load(path)


@pytest.mark.parametrize(("part", "moves", "backward"), [("training", 2883, 487), ("held_out", 731, 124)])
def test_moves_between_clicks(request: pytest.FixtureRequest, part: str, moves: int, backward: int) -> None:
    log = request.getfixturevalue(part)
    counts = transition_counts(log)
    assert counts.shape == (RANKS, RANKS)
    assert counts.sum() == moves
    assert np.tril(counts, -1).sum() == backward
    assert np.trace(counts) == 0
    assert backward_share(log) == pytest.approx(backward / moves, abs=1e-15)


def test_the_learned_chain_is_stochastic_and_irreducible(matrix: np.ndarray) -> None:
    check_stochastic(matrix, "the learned chain")
    check_irreducible(matrix, "the learned chain")
    pi = stationary(matrix)
    assert pi @ matrix == pytest.approx(pi, abs=1e-12)
    assert pi.sum() == pytest.approx(1.0, abs=1e-12)
    assert pi.min() > 0


def test_without_smoothing_the_shares_are_those_observed(training: pd.DataFrame, tmp_path: Path) -> None:
    learn_chain(training, smoothing=0).save(tmp_path / "raw.npy")
    raw, counts = np.load(tmp_path / "raw.npy"), transition_counts(training)
    assert raw * counts.sum(axis=1, keepdims=True) == pytest.approx(counts, abs=1e-9)


def test_holding_times_are_those_of_m11(training: pd.DataFrame) -> None:
    """mu = ((n - 1) / n) / mean time; the time at a click lasts until the session's next, so the last has none."""
    table = holding_times(training).set_index("rank")
    by_time = training.sort_values(["session", "time"])
    gaps: dict[int, list[float]] = {}
    for _, session in by_time.groupby("session"):
        ranks, times = session["rank"].tolist(), session["time"].tolist()
        for rank, start, end in zip(ranks, times, times[1:], strict=False):
            gaps.setdefault(rank, []).append(end - start)
    assert table["n"].to_dict() == {rank: len(found) for rank, found in sorted(gaps.items())}
    assert table["n"].sum() == 2883
    for rank, found in gaps.items():
        mean = float(np.mean(found))
        assert table.loc[rank, "mean_time"] == pytest.approx(mean, rel=1e-12)
        assert table.loc[rank, "mu"] == pytest.approx((len(found) - 1) / len(found) / mean, rel=1e-12)
        assert table.loc[rank, "holding_time"] == pytest.approx(1 / table.loc[rank, "mu"], rel=1e-12)


# -- on a real run -----------------------------------------------------------------------------------------


def test_mp_with_the_learned_chain_on_a_real_run(trec8: Any, chain: TransitionMatrix, matrix: np.ndarray) -> None:
    """The user sees ten ranks: MP is the mean of precision at the relevant ones, weighted by the chain's pi."""
    measure = MP(model=chain)
    run = irmx.read_run(trec8.run_paths["READWARE2"])
    values = irmx.evaluator(measure, trec8.qrels_path).values(run)[measure]
    relevant = {
        topic: {doc for doc, grade in docs.items() if grade >= 1}
        for topic, docs in irmx.read_qrels(trec8.qrels_path).as_dict().items()
    }
    scored = 0
    for topic, docs in run.as_dict().items():
        best = sorted(docs, key=lambda d: (np.float32(docs[d]), d), reverse=True)[:RANKS]
        hits = np.array([doc in relevant[topic] for doc in best], dtype=float)
        size = min(RANKS, len(docs))
        block = matrix[:size, :size]
        weights = stationary(block / block.sum(axis=1, keepdims=True)) * hits
        precision = np.cumsum(hits) / np.arange(1, size + 1)
        wanted = float(weights @ precision / weights.sum()) if hits.any() else 0.0
        assert values[topic] == pytest.approx(wanted, rel=0, abs=1e-12), topic
        scored += bool(hits.any())
    assert scored > 40


def test_continuous_time_with_calibrated_times_on_a_real_run(trec8: Any, training: pd.DataFrame) -> None:
    """Longer stays at rank 1 draw the score towards the precision there; equal stays leave MP."""
    run = irmx.read_run(trec8.run_paths["READWARE2"])
    calibrated = MPcont(model=GL_AD_ID, times=ByRank.from_frame(holding_times(training)))
    equal = MPcont(model=GL_AD_ID, times=ByRank([7.0]))
    plain = MP(model=GL_AD_ID)
    values = irmx.evaluator([calibrated, equal, plain], trec8.qrels_path).values(run)
    assert values[equal] == pytest.approx(values[plain], rel=0, abs=1e-12)
    assert values[calibrated] != pytest.approx(values[plain], abs=1e-3)
    assert all(0 <= v <= 1 + 1e-12 for v in values[calibrated].values())
