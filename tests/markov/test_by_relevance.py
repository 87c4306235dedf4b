"""Chains whose moves depend on relevance: by hand, by linear algebra on random topics, learned from clicks and judgments."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irmx
from irmx_markov import (
    GL_AD_ID,
    GL_AD_LID,
    GL_OR_ID,
    LO_AD_ID,
    MP,
    ByRelevance,
    TransitionMatrix,
    learn_chain,
    transition_matrix,
)

OF_RANKS = [GL_AD_ID, GL_AD_LID, LO_AD_ID, GL_AD_ID(self_loops=True), GL_AD_ID(direction="FRBN")]
QRELS = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"b": 1}}
LOG = pd.DataFrame(
    [
        ("s1", "q1", "a", 1, 0.0), ("s1", "q1", "c", 3, 10.0), ("s1", "q1", "b", 2, 14.0),
        ("s2", "q1", "b", 2, 5.0), ("s2", "q1", "c", 3, 11.0),
        ("s3", "q2", "b", 2, 0.0), ("s3", "q2", "a", 1, 30.0), ("s3", "q2", "b", 2, 31.0),
    ],
    columns=["session", "query_id", "doc_id", "rank", "time"],
)  # fmt: skip


def data(depth, relevant):
    run = {"q": {f"d{rank}": -float(rank) for rank in range(1, depth + 1)}}
    return {"q": {f"d{rank}": 1 for rank in relevant}}, run


@st.composite
def topics(draw, most=12):
    depth = draw(st.integers(2, most))
    return depth, np.array(sorted(draw(st.sets(st.integers(1, depth), min_size=1))))


@st.composite
def matrices(draw, n=8):
    values = np.array(draw(st.lists(st.floats(0.05, 1), min_size=n * n, max_size=n * n))).reshape(n, n)
    return TransitionMatrix(values / values.sum(axis=1, keepdims=True))


def test_by_hand():
    """From 2 to 1 and 3 with 1/2, from 3 to 1 and 2 with .4 and .6, from 1 to 2: two of three visits to {2, 3} are to 2."""
    text = "MP(model=by_relevance(relevant=GL_AD_ID,other=LO_AD_ID))"
    measure = irmx.parse_measure(text)
    assert measure.calc_aggregate(*data(3, [2, 3])) == pytest.approx(2 / 3 * 1 / 2 + 1 / 3 * 2 / 3, abs=1e-15)
    assert str(measure) == text
    assert measure == MP(model=ByRelevance(relevant=GL_AD_ID, other=LO_AD_ID))
    one = irmx.parse_measure("MP(model=by_relevance(relevant=GL_AD_ID,other=LO_AD_ID),steps=1,start='top')")
    assert one.calc_aggregate(*data(3, [2, 3])) == pytest.approx(1 / 2, abs=1e-15)


@given(topics(), st.sampled_from(OF_RANKS) | matrices(), st.sampled_from(OF_RANKS) | matrices(), st.integers(1, 9))
def test_plainly(topic, one, other, steps):
    """The rows of one model at relevant ranks, those of the other elsewhere; the watched chain by a system with subtractions."""
    depth, relevant = topic
    n = min([depth, *(model.values.shape[0] for model in (one, other) if isinstance(model, TransitionMatrix))])
    inside = relevant[relevant <= n]

    def rows(model):
        if not isinstance(model, TransitionMatrix):
            return transition_matrix(model, n, inside)
        block = model.values[:n, :n]
        return block / block.sum(axis=1, keepdims=True)

    chain = rows(other)
    chain[inside - 1] = rows(one)[inside - 1]
    found = [measure.calc_aggregate(*data(depth, relevant)) for measure in (
        MP(model=ByRelevance(relevant=one, other=other)),
        MP(model=ByRelevance(relevant=one, other=other), steps=steps, start="top"),
    )]  # fmt: skip
    if not len(inside):
        assert found == [0, 0]
        return
    pi = np.linalg.solve((np.eye(n) - chain + 1).T, np.ones(n))[inside - 1]
    precision = np.arange(1, len(inside) + 1) / inside
    at, others = inside - 1, np.setdiff1d(np.arange(n), inside - 1)
    way = np.linalg.solve(np.eye(len(others)) - chain[np.ix_(others, others)], chain[np.ix_(others, at)])
    watched = chain[np.ix_(at, at)] + chain[np.ix_(at, others)] @ way
    law = np.eye(1, len(at))[0] if inside[0] == 1 else way[0]
    visits = sum(law @ np.linalg.matrix_power(watched, k) for k in range(steps)) / steps
    assert found == pytest.approx([pi @ precision / pi.sum(), visits @ precision], abs=1e-9)


@pytest.mark.parametrize("model", OF_RANKS, ids=repr)
def test_one_model_for_both_is_that_model(model):
    topic = data(30, [2, 5, 6, 17])
    for options in ({}, {"steps": 4}, {"steps": 4, "start": [1, 2]}):
        both = MP(model=ByRelevance(relevant=model, other=model), **options).calc_aggregate(*topic)
        assert both == pytest.approx(MP(model=model, **options).calc_aggregate(*topic), abs=1e-12)


def test_the_smaller_of_two_matrices_is_where_the_user_ends():
    """With three ranks and with five, the user sees the first three of six: of the relevant 2 and 4 only the former."""
    three, five = (TransitionMatrix(transition_matrix(GL_AD_ID, n, np.array([1]))) for n in (3, 5))
    for model in (ByRelevance(relevant=three, other=five), ByRelevance(relevant=five, other=three)):
        assert MP(model=model).calc_aggregate(*data(6, [2, 4])) == pytest.approx(1 / 2, abs=1e-15)
        assert MP(model=model, rescale="recall").calc_aggregate(*data(6, [2, 4])) == pytest.approx(1 / 4, abs=1e-15)


def test_learned_by_hand():
    """From relevant documents (a and c of q1, b of q2): 1 to 3, 3 to 2, 2 to 1; from others (b of q1, a of q2): 2 to 3, 1 to 2."""
    model = learn_chain(LOG, smoothing=1, qrels=QRELS)
    one, other = model["relevant"].values, model["other"].values
    assert one == pytest.approx(np.array([[0, 1 / 3, 2 / 3], [2 / 3, 0, 1 / 3], [1 / 3, 2 / 3, 0]]))
    assert other == pytest.approx(np.array([[0, 2 / 3, 1 / 3], [1 / 3, 0, 2 / 3], [1 / 2, 1 / 2, 0]]))
    strict = learn_chain(LOG, smoothing=1, qrels=QRELS, rel=2)["relevant"].values
    assert strict == pytest.approx(np.array([[0, 1 / 3, 2 / 3], [1 / 2, 0, 1 / 2], [1 / 2, 1 / 2, 0]]))
    everything = learn_chain(LOG, smoothing=0.5, qrels={"q1": dict.fromkeys("abc", 1), "q2": dict.fromkeys("ab", 1)})
    assert everything["relevant"].values == pytest.approx(learn_chain(LOG, smoothing=0.5).values)


def test_from_the_shell(tmp_path, command):
    LOG.to_csv(tmp_path / "log.csv", index=False)
    (tmp_path / "qrels.txt").write_text("".join(f"{q} 0 {d} {g}\n" for q in QRELS for d, g in QRELS[q].items()))
    done = command(
        "markov", "learn-chain", tmp_path / "log.csv", tmp_path / "chain.csv", "--qrels", tmp_path / "qrels.txt"
    )
    assert done.code == 0, done.err
    files = [tmp_path / f"chain.{name}.csv" for name in ("relevant", "other")]
    assert sorted(tmp_path.glob("chain*")) == sorted(files)
    learned = learn_chain(LOG, qrels=QRELS)
    for file, name in zip(files, ("relevant", "other"), strict=True):
        assert np.loadtxt(file, delimiter=",") == pytest.approx(learned[name].values)
    text = "MP(model=by_relevance(relevant=matrix(file={!r}),other=matrix(file={!r})))".format(*map(str, files))
    topic = data(5, [2, 3])
    assert irmx.parse_measure(text).calc_aggregate(*topic) == pytest.approx(MP(model=learned).calc_aggregate(*topic))


@pytest.mark.parametrize(
    ("log", "qrels", "message"),
    [
        (LOG.drop(columns="doc_id"), QRELS, "lacks the column 'doc_id'"),
        (LOG.drop(columns="query_id"), QRELS, "lacks the column 'query_id'"),
        (LOG, {"q7": {"a": 1}}, "None of the 8 clicked documents is in the qrels"),
    ],
)
def test_a_log_that_does_not_go_with_the_judgments(log, qrels, message):
    with pytest.raises(irmx.DataError, match=message):
        learn_chain(log, qrels=qrels)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ByRelevance(relevant=GL_OR_ID, other=LO_AD_ID), "'relevant' parameter of by_relevance .* GL_OR_ID instead"),
        (lambda: irmx.parse_measure("MP(model=by_relevance(relevant=GL_AD_ID))").calc_aggregate(*data(3, [1])), "needs its two models"),
        (lambda: MP(model=ByRelevance(relevant=GL_AD_ID, other=LO_AD_ID)).calc_aggregate(*data(3001, [1])), "over 3001 states is too long"),
        (lambda: learn_chain(LOG, smoothing=0, qrels=QRELS), "No user moves on from rank 3"),
    ],
)  # fmt: skip
def test_what_is_refused(make, message):
    with pytest.raises(irmx.UsageError, match=message):
        make()


def test_a_chain_that_does_not_come_back_is_refused():
    """From relevant documents only to rank 1, from the others only to rank 2: rank 3 is never reached."""
    one, other = np.array([[0, 0.5, 0.5], [1, 0, 0], [1, 0, 0]]), np.array([[0, 1, 0], [0.5, 0, 0.5], [0, 1, 0]])
    model = ByRelevance(relevant=TransitionMatrix(one), other=TransitionMatrix(other))
    assert MP(model=model).calc_aggregate(*data(3, [1])) == 1
    with pytest.raises(irmx.UsageError, match="with 1 relevant, is not irreducible"):
        MP(model=model).calc_aggregate(*data(3, [2]))


@pytest.mark.real
def test_opened_documents_of_a_user_study():
    """CHIIR 2024: documents opened one after the other, with labels of TREC; the counts by a loop, and a value by linear algebra."""
    folder = Path(os.environ["IRMX_DATA"]) / "serp_user_study_chiir24"
    cards, opened = (pd.read_csv(folder / f"{name}_annotation.csv.gz") for name in ("serp", "document"))
    keys = ["serp_topic_annotation", "qid", "doc_id"]
    log = opened.merge(cards[[*keys, "rank"]], on=keys).sort_values("id")
    log = log.assign(
        session=log["serp_topic_annotation"].astype(str) + "/" + log["qid"].astype(str),
        query_id=log["topic_id"].astype(str), time=log["id"].astype(float),
    )[["session", "query_id", "doc_id", "rank", "time", "actual_qrel_value"]]  # fmt: skip
    qrels = (
        log[["query_id", "doc_id"]].assign(relevance=log["actual_qrel_value"]).drop_duplicates(["query_id", "doc_id"])
    )
    counts, last = np.zeros((2, 10, 10)), {}
    judged = qrels.set_index(["query_id", "doc_id"])["relevance"].to_dict()
    for row in log.itertuples():
        before = last.get(row.session)
        if before is not None and max(before[0], row.rank) <= 10:
            counts[int(before[1] >= 1), before[0] - 1, row.rank - 1] += before[0] != row.rank
        last[row.session] = row.rank, judged[row.query_id, row.doc_id]
    weights = counts + 1 - np.eye(10)
    expected = weights / weights.sum(axis=2, keepdims=True)
    model = learn_chain(log.drop(columns="actual_qrel_value"), size=10, qrels=qrels)
    assert counts.sum() > 1000
    np.testing.assert_allclose([model["other"].values, model["relevant"].values], expected, atol=1e-12)
    relevant = np.array([1, 3, 4, 10])
    chain = expected[0].copy()
    chain[relevant - 1] = expected[1][relevant - 1]
    pi = np.linalg.solve((np.eye(10) - chain + 1).T, np.ones(10))[relevant - 1]
    precision = np.arange(1, 5) / relevant
    found = MP(model=model).calc_aggregate(*data(10, relevant))
    assert found == pytest.approx(pi @ precision / pi.sum(), abs=1e-12)
