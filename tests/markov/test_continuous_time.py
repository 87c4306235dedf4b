"""MPcont: where holding times come from, and what they do."""

import math
import random

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import expm

import irmx
from irmx_markov import GL_AD_ID, GL_AD_LID, LO_AD_ID, LO_OR_ID, MP, ByLength, ByRank, MPcont, transition_matrix
from irmx_markov.markov_models import NAMED


def table(run, dwell):
    rows = [("q", doc, score, seconds) for (doc, score), seconds in zip(run["q"].items(), dwell, strict=True)]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "score", "dwell"])


def test_dwell_column_equals_the_same_times_by_rank(qrels, run):
    dwell = [10.0, 1.0, 20.0, 30.0, 5.0, 5.0]
    by_column = MPcont(model=GL_AD_ID).calc_aggregate(qrels, table(run, dwell))
    assert by_column == pytest.approx(0.753902, abs=5e-7)
    assert by_column == MPcont(model=GL_AD_ID, times=ByRank(dwell)).calc_aggregate(qrels, run)
    shuffled = table(run, dwell).sample(frac=1, random_state=4)
    assert by_column == MPcont(model=GL_AD_ID).calc_aggregate(qrels, shuffled)


@pytest.mark.parametrize("model", NAMED, ids=repr)
@given(seconds=st.floats(1e-3, 1e6))
def test_equal_holding_times_give_mp(model, seconds):
    qrels = {"q": {"a": 1, "c": 1, "d": 1}}
    run = {"q": {d: -float(i) for i, d in enumerate("abcdef")}}
    mp = MP(model=model).calc_aggregate(qrels, run)
    assert MPcont(model=model, times=ByRank([seconds])).calc_aggregate(qrels, run) == pytest.approx(mp, abs=1e-12)


def test_recall_rescales_it_too(qrels, run):
    measure = MPcont(model=GL_AD_ID, times=ByRank([10, 10, 20, 30]))
    assert measure(rescale="recall").calc_aggregate(qrels, run) == pytest.approx(
        0.6 * measure.calc_aggregate(qrels, run)
    )


def test_explained_times_and_weights(qrels, run):
    explained = irmx.explain("MPcont(model=GL_AD_ID,times=by_rank(seconds=[10,10,20,30]))", qrels, run, "q")
    assert explained.columns["holding_time"] == [10, 20, 30]
    assert sum(explained.columns["contribution"]) == pytest.approx(explained.value, abs=1e-15)


def test_text_round_trip():
    for measure in (MPcont(model=GL_AD_ID), MPcont(model=GL_AD_ID, times=ByRank({1: 2.5, 4: 10}))):
        assert irmx.parse_measure(str(measure)) == measure


def test_a_rank_without_a_time(qrels, run, tmp_path):
    path = tmp_path / "times.csv"
    path.write_text("rank,holding_time\n1,10\n3,20\n")
    previous = irmx.parse_measure(f"MPcont(model=GL_AD_ID,times=by_rank(file={str(path)!r}))")
    listed = MPcont(model=GL_AD_ID, times=ByRank([10, 10, 20]))
    assert previous.calc_aggregate(qrels, run) == listed.calc_aggregate(qrels, run)
    strict = irmx.parse_measure(f"MPcont(model=GL_AD_ID,times=by_rank(file={str(path)!r},missing='error'))")
    with pytest.raises(irmx.DataError, match="no holding time for rank 4, needed for query q"):
        strict.calc_aggregate(qrels, run)


def test_a_missing_dwell_column_is_named(qrels, run):
    with pytest.raises(
        irmx.DataError, match=r"MPcont\(model=GL_AD_ID\).*run column 'dwell'.*\(s\).*times=by_rank.*times=by_length"
    ):
        MPcont(model=GL_AD_ID).calc_aggregate(qrels, run)


@pytest.mark.parametrize(
    ("third", "message"),
    [
        (-1.0, "dwell -1 of query q, document 'c' at rank 3"),
        (0.0, "not above 0 s"),
        (float("nan"), "no value for query q, document 'c'"),
    ],
)
def test_bad_dwell_values_are_named(third, message, qrels, run):
    with pytest.raises(irmx.DataError, match=message):
        MPcont(model=GL_AD_ID).calc_aggregate(qrels, table(run, [1.0, 1.0, third, 1.0, 1.0, 1.0]))


def test_a_dwell_of_a_document_that_does_not_count_may_be_missing(qrels, run):
    nan = float("nan")
    with_gaps = table(run, [10.0, nan, 20.0, 30.0, nan, nan])
    assert MPcont(model=GL_AD_ID).calc_aggregate(qrels, with_gaps) == pytest.approx(0.753902, abs=5e-7)


def test_negative_holding_times_are_refused(tmp_path):
    with pytest.raises(irmx.UsageError, match=r"range \(0, inf\)"):
        ByRank([10, -5])
    with pytest.raises(irmx.UsageError, match=r"Got -5.0 at rank 2"):
        ByRank({1: 10, 2: -5})
    path = tmp_path / "times.tsv"
    path.write_text("rank\tholding_time\n1\t-3\n")
    with pytest.raises(
        irmx.DataError, match=r"times.tsv, line 2: the holding_time must be a number in the range \(0, inf\)"
    ):
        irmx.parse_measure(f"MPcont(model=GL_AD_ID,times=by_rank(file={str(path)!r}))")
    with pytest.raises(irmx.UsageError, match="need times"):
        irmx.calc_aggregate("MPcont(model=GL_AD_ID,times=by_rank)", {"q": {"a": 1}}, {"q": {"a": 1.0}})


def test_texts_in_the_dwell_column_are_refused(qrels, run):
    with pytest.raises(irmx.DataError, match=r"'dwell' must hold numbers. Found '10 s'"):
        MPcont(model=GL_AD_ID).calc_aggregate(qrels, table(run, ["10 s"] * 6))


LENGTHS = [42.5, 7.0, 85.0, 127.5, 9.0, 9.0]
"""Of the documents at ranks 1 to 6: at 4.25 words per second, 10, 20 and 30 s at the relevant ranks 1, 3 and 4."""


def with_lengths(run, lengths):
    return table(run, lengths).rename(columns={"dwell": "length"})


def test_time_from_length(qrels, run):
    explained = irmx.explain("MPcont(model=GL_AD_ID,times=by_length)", qrels, with_lengths(run, LENGTHS), "q")
    assert explained.columns["holding_time"] == pytest.approx([10, 20, 30])
    assert explained.value == pytest.approx(0.753902, abs=5e-7)


@given(speed=st.floats(0.01, 1000), overhead=st.floats(0, 1000))
def test_time_from_length_is_that_dwell(speed, overhead):
    run = {"q": {d: -float(i) for i, d in enumerate("abcdef")}}
    seconds = [overhead + words / speed for words in LENGTHS]
    by_length = MPcont(model=GL_AD_ID, times=ByLength(speed=speed, overhead=overhead))
    found = by_length.calc_aggregate({"q": {"a": 1, "c": 1, "d": 1}}, with_lengths(run, LENGTHS))
    dwell = MPcont(model=GL_AD_ID).calc_aggregate({"q": {"a": 1, "c": 1, "d": 1}}, table(run, seconds))
    assert found == pytest.approx(dwell, abs=1e-12)


def test_without_an_overhead_the_speed_changes_no_value(qrels, run):
    texts = [f"MPcont(model=GL_AD_ID,times=by_length({p}))" for p in ("", "speed=2", "speed=2,overhead=5")]
    values = [irmx.parse_measure(t).calc_aggregate(qrels, with_lengths(run, LENGTHS)) for t in texts]
    assert values[0] == pytest.approx(values[1], abs=1e-15)
    assert values[2] != pytest.approx(values[0], abs=1e-3)


@pytest.mark.parametrize(
    ("third", "times", "message"),
    [
        (0.0, "by_length", "the length 0 of query q, document 'c' at rank 3 is not above 0 words"),
        (-1.0, "by_length(overhead=7.8)", "the length -1 of query q, document 'c' at rank 3 is below 0 words"),
        (float("inf"), "by_length", "The run column 'length' must hold finite numbers. Found inf in row 2"),
        (float("nan"), "by_length", "The run column 'length' has no value for query q, document 'c'"),
    ],
)
def test_bad_lengths_are_named(third, times, message, qrels, run):
    measure = irmx.parse_measure(f"MPcont(model=GL_AD_ID,times={times})")
    with pytest.raises(irmx.DataError, match=message):
        measure.calc_aggregate(qrels, with_lengths(run, [1.0, 1.0, third, 1.0, 1.0, 1.0]))


@pytest.mark.parametrize(("speed", "words"), [(1e300, 1e-100), (1e-300, 1e100)])
def test_a_speed_at_which_reading_takes_no_time_or_for_ever_is_refused(speed, words, qrels, run):
    measure = MPcont(model=GL_AD_ID, times=ByLength(speed=speed))
    with pytest.raises(irmx.UsageError, match=r"a speed: the time to read .* words is (0|inf) s"):
        measure.calc_aggregate(qrels, with_lengths(run, [words] * 6))


def test_an_empty_document_takes_the_overhead(qrels, run):
    measure = MPcont(model=GL_AD_ID, times=ByLength(overhead=7.8))
    explained = irmx.explain(measure, qrels, with_lengths(run, [0.0] * 6), "q")
    assert explained.columns["holding_time"] == [7.8] * 3
    assert explained.value == pytest.approx(MP(model=GL_AD_ID).calc_aggregate(qrels, run), abs=1e-15)


def test_the_columns_that_are_read():
    for times, column in (("dwell", ["dwell"]), ("by_length", ["length"]), ("by_rank(seconds=[1])", [])):
        measure = irmx.parse_measure(f"MPcont(model=GL_AD_ID,times={times})")
        assert [c.name for c in measure.run_columns()] == column


# -- users of finite steps or time ---------------------------------------------------------------------------------------


START = st.sampled_from(["uniform", "first", "invariant"]) | st.lists(st.integers(1, 9), min_size=1, max_size=12)
TIMES = st.lists(st.floats(0.5, 90), min_size=10, max_size=10)
TOPIC = st.tuples(st.integers(1, 10), st.sets(st.integers(1, 10), min_size=1)).map(
    lambda drawn: (max(drawn[0], *drawn[1]), np.array(sorted(drawn[1])))
)
MODEL = st.sampled_from([GL_AD_ID, GL_AD_LID, LO_AD_ID, GL_AD_ID(direction="FNBR"), GL_AD_ID(self_loops=True)])


def plain_chain(model, depth, relevant, start):
    """Return P~, the law of the first visit, and the precisions, by linear algebra with subtractions."""
    p = transition_matrix(model, depth, relevant)
    at, others = relevant - 1, np.setdiff1d(np.arange(depth), relevant - 1)
    way = np.linalg.solve(np.eye(len(others)) - p[np.ix_(others, others)], p[np.ix_(others, at)])
    chain, r = p[np.ix_(at, at)] + p[np.ix_(at, others)] @ way, len(at)
    if start == "invariant":
        law = np.linalg.solve((np.eye(r) - chain + 1).T, np.ones(r))
    elif isinstance(start, str):
        law = np.full(r, 1 / r) if start == "uniform" else np.eye(r)[0]
    else:
        on_ranks = np.zeros(depth)
        for rank, weight in enumerate(start):
            on_ranks[min(rank, depth - 1)] += weight / sum(start)
        law = on_ranks[at] + on_ranks[others] @ way
    return chain, law, np.arange(1, r + 1) / relevant


def scored(measure, depth, relevant):
    run = {"q": {f"d{rank}": -float(rank) for rank in range(1, depth + 1)}}
    return measure.calc_aggregate({"q": {f"d{rank}": 1 for rank in relevant}}, run)


@given(TOPIC, MODEL, START, TIMES, st.integers(1, 15))
def test_steps_plainly(topic, model, start, times, steps):
    """The time at every relevant document, visit by visit, over all time."""
    chain, law, precision = plain_chain(model, *topic, start)
    visits = sum(law @ np.linalg.matrix_power(chain, k) for k in range(steps)) * np.array(times)[topic[1] - 1]
    found = scored(MPcont(model=model, times=ByRank(times), steps=steps, start=start), *topic)
    assert found == pytest.approx(visits @ precision / visits.sum(), abs=1e-9)


@given(TOPIC, MODEL, START, TIMES, st.floats(0.1, 2000))
def test_budget_plainly(topic, model, start, times, budget):
    """The integral of lambda exp(Q s) from 0 to the budget, by scipy's exponential of a matrix with one more row."""
    chain, law, precision = plain_chain(model, *topic, start)
    held = np.array(times)[topic[1] - 1]
    if start == "invariant":
        law = law * held / (law @ held)
    q = np.zeros((len(law) + 1, len(law) + 1))
    q[0, 1:], q[1:, 1:] = law, (chain - np.eye(len(law))) / held[:, None]
    budget = irmx.toolkit.seconds(irmx.toolkit.duration_text(budget))
    found = scored(MPcont(model=model, times=ByRank(times), budget=budget, start=start), *topic)
    assert found == pytest.approx(expm(q * budget)[0, 1:] @ precision / budget, abs=1e-9)


def test_budget_by_hand():
    """Two documents, to and fro, 10 s each: with rate 1/5 to the middle, 1/2 + 1/2 (1 - exp(-t/5)) / (t/5) of t is at the first."""
    for budget in (1e-6, 5, 10, 60, 1e5):
        first = 1 / 2 - 1 / 2 * math.expm1(-budget / 5) / (budget / 5)
        found = scored(MPcont(model=LO_OR_ID, times=ByRank([10]), budget=budget, start="first"), 4, [1, 4])
        assert found == pytest.approx(first * 1 + (1 - first) * 2 / 4, abs=1e-9)


def test_a_budget_by_users_who_walk():
    depth, relevant, budget, users = 8, np.array([3, 4, 7]), 40.0, 5_000
    p, rng, means = transition_matrix(GL_AD_ID, depth, relevant), random.Random(3), []
    held, precision = {3: 10.0, 4: 20.0, 7: 5.0}, {3: 1 / 3, 4: 1 / 2, 7: 3 / 7}
    for _ in range(users):
        rank, left, total = 1, budget, 0.0
        while left > 0:
            if rank in held:
                stays = min(left, rng.expovariate(1 / held[rank]))
                total, left = total + stays * precision[rank], left - stays
            rank = rng.choices(range(1, depth + 1), p[rank - 1])[0]
        means.append(total / budget)
    measure = MPcont(model=GL_AD_ID, times=ByRank({3: 10, 4: 20, 7: 5}), budget=budget, start="top")
    assert scored(measure, depth, relevant) == pytest.approx(np.mean(means), abs=4 * np.std(means) / users**0.5)


@pytest.mark.parametrize("start", ["uniform", "first", "top", [1, 2, 3]])
def test_the_limits_of_steps_and_of_time(start):
    """Much is MPcont; hardly any time is the precision at the first visit; the invariant distribution is MPcont at once."""
    topic, measure = (30, np.array([2, 3, 5, 8, 13, 21])), MPcont(model=GL_AD_ID, times=ByRank([9, 3, 30, 5, 10]))
    limit, first = scored(measure, *topic), scored(MP(model=GL_AD_ID, steps=1, start=start), *topic)
    assert scored(measure(budget="2000w", start=start), *topic) == pytest.approx(limit, abs=1e-7)
    assert scored(measure(steps=10**12, start=start), *topic) == pytest.approx(limit, abs=1e-10)
    assert scored(measure(budget=0.001, start=start), *topic) == pytest.approx(first, abs=1e-4)
    for ended in ({"budget": "1m"}, {"steps": 3}):
        assert scored(measure(start="invariant", **ended), *topic) == pytest.approx(limit, abs=1e-10)
    with pytest.raises(irmx.UsageError, match="leave one out"):
        measure(steps=2, budget=5)
    with pytest.raises(irmx.UsageError, match="more than 0s"):
        measure(budget=0)
