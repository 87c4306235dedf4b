"""Chains and parameters at the edge: improbable ends, slow chains, long hops, tiny offsets."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import irmx
from irmx_markov import (
    GL_AD_ID,
    GL_AD_LID,
    GL_OR_ID,
    MP,
    ByRank,
    MarkovModel,
    MPcont,
    TransitionMatrix,
    closed_form,
    transition_counts,
    transition_matrix,
)
from irmx_markov.finite_chains import log_stationary, normalised_exp
from irmx_markov.markov_models import log_invariant


def value(model, depth, relevant):
    run = {"q": {f"d{r}": -float(r) for r in range(1, depth + 1)}}
    return MP(model=model).calc_aggregate({"q": {f"d{r}": 1 for r in relevant}}, run)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("depth", [150, 1000])
def test_a_matrix_watched_at_its_improbable_end(kind, depth):
    """A walk with 0.1 forward and 0.9 backward: pi falls by 9 a rank, far below any floating-point number."""
    p = np.diag(np.full(depth - 1, 0.1), 1) + np.diag(np.full(depth - 1, 0.9), -1)
    p[0, 0], p[-1, -1] = 0.9, 0.1
    expected = (0.9 * 1 / (depth - 1) + 0.1 * 2 / depth) / 1.0
    assert value(TransitionMatrix(kind(p)), depth, [depth - 1, depth]) == pytest.approx(expected, rel=1e-12)


def test_a_user_who_starts_again_at_the_top():
    """On with 0.3, else back to rank 1, over many ranks: no band, and pi falls by 0.3 a rank."""
    depth = 1000
    p = np.zeros((depth, depth))
    p[:, 0], p[np.arange(depth - 1), np.arange(1, depth)] = 0.7, 0.3
    p[-1, 0] = 1.0
    expected = (1 / (depth - 5) + 0.3 * 2 / (depth - 4)) / 1.3
    assert value(TransitionMatrix(p), depth, [depth - 5, depth - 4]) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("extra", [{"offset": 1e-6}, {"max_hop": 60}, {"offset": 1e-6, "max_hop": 700}])
def test_slow_chains_with_direction_counts(extra):
    depth, relevant = 1000, np.array([3, 400, 999])
    model = GL_AD_LID(direction="FNBR", **extra)
    expected = log_stationary(transition_matrix(model, depth, relevant))
    found = log_invariant(model, depth, relevant)
    watched = relevant - 1
    assert normalised_exp(found[watched]) == pytest.approx(normalised_exp(expected[watched]), rel=1e-9)


@pytest.mark.parametrize("max_hop", [150, 500, 10_000])
def test_hops_are_places_of_the_list_of_states_in_long_lists_too(max_hop):
    relevant = np.arange(1, 3 * 900, 3)
    model = GL_OR_ID(direction="FNBR", max_hop=max_hop)
    expected = log_stationary(transition_matrix(model, 2800, relevant))
    assert normalised_exp(log_invariant(model, 2800, relevant)) == pytest.approx(normalised_exp(expected), rel=1e-9)


def test_a_chain_that_cannot_be_solved_is_refused():
    with pytest.raises(irmx.UsageError, match=r"does not converge\. Use a cutoff of 3000 or less"):
        log_invariant(GL_AD_LID(direction="FNBR", offset=1e-6), 4000, np.array([3, 400]))


@pytest.mark.parametrize("hop", [None, 3, 1000])
def test_topics_that_do_not_fit_into_memory_together(hop, monkeypatch):
    rng = np.random.default_rng(2)
    qrels, run = {}, {}
    for t, (depth, r) in enumerate([(50, 20), (4, 0), (60, 60), (9, 1), (30, 2), (40, 39)]):
        run[f"t{t}"] = {f"d{i}": -float(i) for i in range(depth)}
        qrels[f"t{t}"] = {f"d{i}": 1 for i in rng.choice(depth, r, replace=False)} or {"none": 1}
    model = GL_OR_ID(max_hop=hop)
    expected = model.invariant(irmx.rankings(qrels, run))
    for pairs, many in ((1, 1), (20, 5), (500, 30)):
        monkeypatch.setattr(closed_form, "_PAIRS_AT_ONCE", pairs)
        monkeypatch.setattr(closed_form, "_MANY", many)
        assert model.invariant(irmx.rankings(qrels, run)) == pytest.approx(expected, abs=1e-14)


def test_the_default_offset_is_no_change():
    assert GL_AD_ID(offset=1) == GL_AD_ID
    assert GL_AD_ID(offset=1)(distance="log_inverse") == GL_AD_LID
    assert float(GL_AD_LID(offset=1e-6).weight(1)) == pytest.approx(np.log(10) / (1e-6 - 0.5e-12), rel=1e-12)


OFFSETS = [
    ("inverse", False, 0.0, True),
    ("inverse", True, 0.0, False),
    ("inverse", True, 1e-320, False),
    ("inverse", True, 1e-6, True),
    ("log_inverse", False, 0.0, False),
    ("log_inverse", False, 1e-6, True),
    ("log_inverse", False, 1.0, True),
    ("log_inverse", True, 1.0, False),
    ("log_inverse", True, 1.001, True),
]


@pytest.mark.parametrize(("distance", "self_loops", "offset", "allowed"), OFFSETS)
def test_offsets_with_which_every_weight_is_a_positive_number(distance, self_loops, offset, allowed):
    """ID: from 0, with self loops above 0. LID: above 0, as log(1) is 0, with self loops above 1."""
    params = {"distance": distance, "self_loops": self_loops, "offset": offset}
    if allowed:
        model = MarkovModel(**params)
        assert 0 < model.weight(0 if self_loops else 1) < np.inf
        assert irmx.parse_measure(str(MP(model=model))) == MP(model=model)
        return
    smallest = 1 if distance == "log_inverse" and self_loops else 0
    why = f"'offset' parameter of GL_AD_L?ID must be above {smallest}{', because a user who may stay' if self_loops else ': the'}"
    with pytest.raises(irmx.UsageError, match=why):
        MarkovModel(**params)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: TransitionMatrix("chain.npy"), "square array of numbers"),
        (lambda: TransitionMatrix(np.array([[0, 1j], [1, 0]])), "complex numbers"),
        (lambda: TransitionMatrix([[0.0, 1.0], [1.0, 0.0]], file="chain.npy"), "takes only one of"),
        (lambda: value(TransitionMatrix(lambda depth: np.eye(2)[::-1]), 5, [1]), "must have 5 rows"),
        (lambda: ByRank([1.0], file="times.csv"), "not both"),
        (lambda: ByRank({1.5: 2.0}), "whole number"),
        (lambda: ByRank({0: 2.0}), "rank of at least 1. Got 2.0 at rank 0"),
    ],
)
def test_what_is_refused(make, message):
    with pytest.raises(irmx.UsageError, match=message):
        make()


def test_zeros_among_the_entries_of_a_sparse_matrix_are_no_transitions():
    with_zeros = sparse.csr_array((np.array([1.0, 0, 0, 1]), ([0, 0, 1, 1], [0, 1, 0, 1])), shape=(2, 2))
    with_zeros.data[[1, 2]] = 0
    with pytest.raises(irmx.UsageError, match="not irreducible"):
        TransitionMatrix(with_zeros)


def test_a_matrix_changed_later_does_not_change_the_model():
    p = np.array([[0.0, 1.0], [1.0, 0.0]])
    model = TransitionMatrix(p)
    p[:] = 0.5
    assert model.values.tolist() == [[0.0, 1.0], [1.0, 0.0]]


def test_dwell_times_of_any_size():
    run = pd.DataFrame({"query_id": "q", "doc_id": list("abc"), "score": [3.0, 2.0, 1.0]})
    qrels = {"q": {"a": 1, "c": 1}}
    for seconds in (5e-324, 1.0, 1e308):
        assert MPcont(model=GL_AD_ID).calc_aggregate(qrels, run.assign(dwell=seconds)) == pytest.approx(5 / 6)
    with pytest.raises(irmx.DataError, match="The run column 'dwell' must hold finite numbers"):
        MPcont(model=GL_AD_ID).calc_aggregate(qrels, run.assign(dwell=np.inf))


def test_click_logs_that_cannot_be_counted():
    log = pd.DataFrame({"session": ["a", "a"], "rank": [1, 10**9], "time": [0.0, 1.0]})
    with pytest.raises(irmx.UsageError, match="smaller 'size'"):
        transition_counts(log)
    with pytest.raises(irmx.DataError, match=r"row 1 .counted from 0.: the session is missing"):
        transition_counts(log.assign(session=["a", None]))
