"""Battles: preference rates, ratings of Bradley and Terry, their intervals, and measures that agree with people."""

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.stats import binomtest

import irmx
from irmx import DataError, UsageError
from irmx.demo import SYSTEMS, qrels_path, run_path
from irmx_answers import agreement, bradley_terry, rate, read_battles

COLUMNS = ["topic", "system_a", "system_b", "winner"]


def simulated(rng: np.random.Generator, strengths: Any, topics: int, each: int = 1, ties: float = 0.0) -> pd.DataFrame:
    """Battles of all pairs on each topic, between systems whose strengths are natural logarithms."""
    rows = []
    for topic in range(topics):
        for i, j in itertools.combinations(range(len(strengths)), 2):
            for _ in range(each):
                p = 1 / (1 + np.exp(strengths[j] - strengths[i]))
                winner = "tie" if rng.random() < ties else "a" if rng.random() < p else "b"
                rows.append((f"t{topic}", f"s{i}", f"s{j}", winner))
    return pd.DataFrame(rows, columns=COLUMNS)


@pytest.mark.parametrize("seed", range(4))
def test_ratings_are_the_maximum_of_the_likelihood(seed: int) -> None:
    rng = np.random.default_rng(seed)
    battles = read_battles(simulated(rng, rng.normal(0, 1, 5), 20, ties=0.2))
    wins = battles.wins()

    def loss(x: Any) -> float:
        return float((wins * np.log1p(np.exp(x[None, :] - x[:, None]))).sum())

    best = minimize(loss, np.zeros(5), method="BFGS", options={"gtol": 1e-9}).x
    found = rate(battles, draws=100).systems.set_index("system")["rating"]
    expected = 1000 + 400 / np.log(10) * (best - best.mean())
    assert found[list(battles.systems)].tolist() == pytest.approx(expected.tolist(), abs=0.01)


def test_rates_count_ties_half_and_wins_by_name_or_side() -> None:
    rows = [
        ("1", "x", "y", "a"),
        ("1", "y", "x", "x"),
        ("2", "x", "y", "tie"),
        ("2", "x", "z", "model_b"),
        ("2", "z", "y", "B"),
    ]
    table = rate(read_battles(pd.DataFrame(rows, columns=COLUMNS)), draws=100).systems.set_index("system")
    assert table.loc["x", ["battles", "wins", "ties", "losses"]].tolist() == [4, 2, 1, 1]
    assert table["rate"].to_dict() == {"x": 0.625, "y": 0.375, "z": 0.5}


def test_a_system_that_wins_or_loses_all_has_no_finite_rating() -> None:
    rows = [
        ("1", "best", "x", "a"),
        ("2", "best", "y", "a"),
        ("1", "x", "y", "a"),
        ("2", "x", "y", "b"),
        ("1", "y", "worst", "a"),
    ]
    rows.append(("3", "alone", "apart", "a"))
    battles = read_battles(pd.DataFrame(rows, columns=COLUMNS))
    found = rate(battles, draws=100)
    table = found.systems.set_index("system")["rating"]
    assert (table["best"], table["worst"]) == (np.inf, -np.inf)
    assert table[["alone", "apart"]].isna().all()
    assert np.isfinite(table[["x", "y"]]).all()
    assert any("best" in text for text in found.notes)
    assert any("worst" in text for text in found.notes)
    finite = rate(battles, draws=100, prior=0.5).systems.set_index("system")["rating"]
    assert np.isfinite(finite[["best", "x", "y", "worst"]]).all()
    assert finite["best"] > finite["x"] > finite["worst"]


def test_strong_differences_are_found_and_their_ratings_exact() -> None:
    assert bradley_terry(np.array([[[0.0, 1e6], [1.0, 0.0]]]))[0].tolist() == pytest.approx([2200.0, -200.0])
    rng = np.random.default_rng(1)
    found = rate(read_battles(simulated(rng, [2.0, 0.0, 0.0], 40)))
    pairs = found.pairs.set_index(["a", "b"])
    assert pairs.loc[("s0", "s1"), "apart"]
    assert pairs.loc[("s0", "s2"), "apart"]
    assert len(found.pairs) == 3


@pytest.mark.slow
def test_intervals_hold_the_true_difference_as_often_as_they_say() -> None:
    rng = np.random.default_rng(5)
    strengths = [0.8, 0.3, 0.0, -0.4]
    truth = 400 / np.log(10) * (strengths[0] - strengths[2])
    held, draws = 0, 120
    for _ in range(draws):
        row = rate(read_battles(simulated(rng, strengths, 60)), draws=200).pairs
        first = row[(row["a"] == "s0") & (row["b"] == "s2")]
        sign = 1
        if first.empty:
            first, sign = row[(row["a"] == "s2") & (row["b"] == "s0")], -1
        low, high = sorted((sign * first["low"].iloc[0], sign * first["high"].iloc[0]))
        held += low <= truth <= high
    assert 0.91 < held / draws < 0.99


def test_agreement_by_the_size_of_the_majority() -> None:
    scores = irmx.scores("AP P@5", qrels_path(), {system: run_path(system) for system in SYSTEMS})
    rng = np.random.default_rng(2)
    rows = []
    for t, topic in enumerate(scores.topics):
        for i, j in itertools.combinations(range(len(SYSTEMS)), 2):
            better = scores["AP"][t, i] > scores["AP"][t, j]
            rows += [(topic, SYSTEMS[i], SYSTEMS[j], "a" if better ^ (rng.random() < 0.2) else "b") for _ in range(4)]
    battles = read_battles(pd.DataFrame(rows, columns=COLUMNS))
    found = agreement(battles, scores).set_index(["majority", "measure"])
    votes: dict[Any, list[str]] = {}
    for topic, a, b, winner in rows:
        votes.setdefault((topic, a, b), []).append(winner)
    for level, measure in found.index:
        agrees = []
        for (topic, a, b), of in votes.items():
            share = of.count("a") / len(of)
            if share == 0.5 or max(share, 1 - share) < level:
                continue
            t = scores.topics.index(topic)
            x, y = (scores[measure][t, scores.systems.index(system)] for system in (a, b))
            agrees.append(0.5 if x == y else float((x > y) == (share > 0.5)))
        row = found.loc[(level, measure)]
        assert row["pairs"] == len(agrees)
        assert row["ties"] == agrees.count(0.5)
        assert row["agreement"] == pytest.approx(np.mean(agrees))
        assert row["p"] == pytest.approx(binomtest(agrees.count(1.0), agrees.count(1.0) + agrees.count(0.0)).pvalue)
    assert found.loc[(1.0, "AP"), "agreement"] > found.loc[(0.5, "AP"), "agreement"] > 0.8


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("topic,system_a,system_b\n1,x,y\n", "winner"),
        ("topic,system_a,system_b,winner\n1,x,y,z\n", "line 2"),
        ("topic,system_a,system_b,winner\n1,x,x,a\n", "both systems"),
        ("topic,system_a,system_b,winner\n1,b,a,a\n", "line 2"),
        ("topic,system_a,system_b,winner\n1,x,y,a\n1,x,y,\n", "line 3"),
        ("topic,system_a,system_b,winner\n", "no rows"),
    ],
)
def test_wrong_battles_are_refused(rows: str, said: str, tmp_path: Path, command: Callable[..., Any]) -> None:
    (tmp_path / "battles.csv").write_text(rows)
    command("battles", "battles.csv").assert_refused(1, said)
    with pytest.raises(DataError):
        read_battles(tmp_path / "battles.csv")


def test_the_command_rates_compares_and_tells_what_it_cannot(tmp_path: Path, command: Callable[..., Any]) -> None:
    rng = np.random.default_rng(3)
    names = dict(zip(("s0", "s1", "s2"), SYSTEMS, strict=True))
    frame = simulated(rng, [1.0, 0.0, -1.0], 30).replace(names)
    frame["topic"] = [str(int(text[1:]) + 1) for text in frame["topic"]]
    frame.to_json(tmp_path / "battles.jsonl", orient="records", lines=True)
    done = command("battles", "battles.jsonl", "--draws", 100, "-o", "jsonl")
    rows = list(map(json.loads, done.out.splitlines()))
    assert {row["system"] for row in rows} == set(SYSTEMS)
    assert all(row["low"] < row["rating"] < row["high"] for row in rows)
    assert "cannot be told apart" in done.err
    again = command("battles", "battles.jsonl", "--draws", 100, "-o", "jsonl")
    assert again.out == done.out
    runs = [f"--run={system}={run_path(system)}" for system in SYSTEMS]
    with_measures = command(
        "battles", "battles.jsonl", "--qrels", qrels_path(), *runs, "--measure", "AP RR", "-o", "jsonl"
    )
    found = list(map(json.loads, with_measures.out.splitlines()))
    assert [row["measure"] for row in found] == ["AP", "RR"] * 3
    irmx.scores("AP RR", qrels_path(), {system: run_path(system) for system in SYSTEMS}).to_parquet(
        tmp_path / "s.parquet"
    )
    assert command("battles", "battles.jsonl", "--scores", "s.parquet", "-o", "jsonl").out == with_measures.out
    assert len(command("battles", "battles.jsonl", "--table", "pairs", "-o", "jsonl").out.splitlines()) == 3
    for wrong in (
        ("--table", "agreement"),
        ("--table", "none"),
        ("--qrels", qrels_path()),
        ("--draws", "99"),
        ("--prior", "-1"),
        ("--run", "bm25=nowhere"),
        ("--measure", "AP"),
        ("--level", ".9"),
        ("--scores", "s.parquet", "--table", "ratings", "--level", ".9"),
    ):
        command("battles", "battles.jsonl", *wrong).assert_refused(2)
    few = Path(run_path(SYSTEMS[0])).read_text().splitlines(keepends=True)
    (tmp_path / "few.run").write_text("".join(line for line in few if int(line.split()[0]) <= 12))
    with_few = [f"--run={SYSTEMS[0]}=few.run", *runs[1:]]
    command("battles", "battles.jsonl", "--qrels", qrels_path(), *with_few, "--measure", "AP").assert_refused(
        1, "18 of 30"
    )
    strangers = frame.replace({system: f"not {system}" for system in SYSTEMS})
    strangers.to_csv(tmp_path / "others.csv", index=False)
    command("battles", "others.csv", "--scores", "s.parquet").assert_refused(2)


def test_levels_and_numbers_out_of_range_are_refused() -> None:
    battles = read_battles(pd.DataFrame([("1", "x", "y", "a")], columns=COLUMNS))
    scores = irmx.scores("RR", {"1": {"d": 1}}, {"x": {"1": {"d": 1.0}}, "y": {"1": {"d": 1.0}}})
    for level in (0.4, 1.1):
        with pytest.raises(UsageError):
            agreement(battles, scores, [level])
    for wrong in ({"draws": 99}, {"seed": -1}, {"level": 1.0}, {"prior": -0.5}):
        with pytest.raises(UsageError):
            rate(battles, **wrong)


def test_battles_on_one_topic_have_no_interval_and_tell_nobody_apart() -> None:
    found = rate(read_battles(pd.DataFrame([("1", "x", "y", w) for w in "aab"], columns=COLUMNS)), draws=100)
    assert found.systems[["low", "high"]].isna().all(axis=None)
    assert not found.pairs["apart"].any()
    assert "one topic" in found.notes[0]


@pytest.mark.parametrize("prior", [0, 0.5])
@pytest.mark.parametrize("topics", [2, 5, 6])
def test_where_all_topics_agree_a_sign_test_tells_systems_apart(
    prior: float, topics: int, tmp_path: Path, command: Callable[..., Any]
) -> None:
    for votes in (1, 2):  # of the first topic
        rows = [("0", "x", "y", "a")] * votes + [(str(t), "x", "y", "a") for t in range(1, topics)]
        pd.DataFrame(rows, columns=COLUMNS).to_csv(tmp_path / "battles.csv", index=False)
        done = command("battles", "battles.csv", "--table", "pairs", "--prior", prior, "-o", "jsonl")
        row = json.loads(done.out)
        assert row["apart"] == (topics == 6)
        assert (row["low"] is None) == (row["high"] is None) == (votes == 1 or prior == 0)


@pytest.mark.filterwarnings("ignore::irmx.errors.MissingTopicsWarning")
def test_pairs_of_which_a_system_lacks_a_value_are_no_agreement() -> None:
    topics = [str(t) for t in range(8)]
    runs = {"x": {t: {"d": 1.0} for t in topics}, "y": {t: {"d": 1.0} for t in topics[:4]}}
    scores = irmx.scores("RR", {t: {"d": 1} for t in topics}, runs)
    battles = read_battles(pd.DataFrame([(t, "x", "y", "a") for t in topics], columns=COLUMNS))
    assert agreement(battles, scores, [0.5])[["pairs", "missing", "ties", "agreement"]].values.tolist() == [
        [4, 4, 4, 0.5]
    ]


def test_votes_that_no_values_are_for_are_told() -> None:
    scores = irmx.scores("RR", {"1": {"d": 1}}, {"x": {"1": {"d": 1.0}}, "y": {"1": {"e": 1.0}}})
    battles = read_battles(pd.DataFrame([("1", "x", "y", "a"), ("2", "x", "y", "b")], columns=COLUMNS))
    with pytest.warns(irmx.DataWarning, match="1 of 2 battles"):
        assert agreement(battles, scores, [0.5])["pairs"].tolist() == [1]


@pytest.mark.parametrize("prior", [1e-300, 1e300, float("nan")])
def test_priors_that_cannot_be_are_refused(prior: float) -> None:
    battles = read_battles(pd.DataFrame([("1", "x", "y", "a"), ("2", "x", "y", "a")], columns=COLUMNS))
    with pytest.raises(UsageError):
        rate(battles, prior=prior)
