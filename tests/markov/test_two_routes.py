"""The closed form and the linear system agree, on thousands of random rankings."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

import irmx
from irmx_markov import MarkovModel, stationary, transition_matrix, watched
from irmx_markov.finite_chains import log_stationary, normalised_exp
from irmx_markov.markov_models import NAMED, log_invariant


def rankings_of(depth, relevant):
    """Return the rankings of one topic with relevant documents at some ranks."""
    run = {"q": {f"d{r}": -float(r) for r in range(1, depth + 1)}}
    return irmx.rankings({"q": {f"d{r}": 1 for r in relevant}}, run)


@st.composite
def topics(draw, most=40):
    depth = draw(st.integers(1, most))
    relevant = draw(st.sets(st.integers(1, depth), min_size=1))
    return depth, np.array(sorted(relevant))


models = st.builds(
    MarkovModel,
    reach=st.just("global"),
    states=st.sampled_from(["all", "relevant"]),
    distance=st.sampled_from(["inverse", "log_inverse", "constant"]),
    offset=st.none() | st.floats(1.5, 9),
    self_loops=st.booleans(),
    max_hop=st.none() | st.integers(1, 12),
) | st.builds(
    MarkovModel,
    reach=st.sampled_from(["global", "local"]),
    states=st.sampled_from(["all", "relevant"]),
    offset=st.just(0.0),
)
directions = st.sampled_from(["FRBN", "FNBR", "FIRBIN", "FINBIR"])


@given(topics(), models | st.sampled_from(NAMED))
def test_closed_form_is_the_watched_chain(topic, model):
    """pi from sums of weights = invariant distribution of P~ = P_RR + P_RN (I - P_NN)^-1 P_NR (M4)."""
    depth, relevant = topic
    p = transition_matrix(model, depth, relevant)
    p = watched(p, relevant - 1) if model["states"] == "all" else p
    assert p.sum(axis=1) == pytest.approx(1, abs=1e-12)
    found = model.invariant(rankings_of(depth, relevant))
    assert found @ p == pytest.approx(found, abs=1e-12)
    assert found == pytest.approx(stationary(p), abs=1e-11)


@given(topics(), models, directions, st.booleans())
def test_direction_counts_are_the_watched_chain(topic, model, direction, local):
    depth, relevant = topic
    model = model(direction=direction, max_hop=1 if local else model["max_hop"])
    p = transition_matrix(model, depth, relevant)
    p = watched(p, relevant - 1) if model["states"] == "all" else p
    found = model.invariant(rankings_of(depth, relevant))
    assert found == pytest.approx(stationary(p), abs=1e-10)


@given(topics(), models)
def test_swapped_inverse_factors_are_the_same_chain(topic, model):
    """Only the ratio of forward to backward counts: FRBN = FINBIR and FNBR = FIRBIN."""
    depth, relevant = topic
    for one, other in (("FRBN", "FINBIR"), ("FNBR", "FIRBIN")):
        first, second = (transition_matrix(model(direction=d), depth, relevant) for d in (one, other))
        assert first == pytest.approx(second, abs=1e-13)


@given(topics(), st.sampled_from(["FRBN", "FNBR"]))
def test_two_states_or_a_line_are_reversible(topic, direction):
    """The chain between neighbours by detailed balance equals the one by the linear system."""
    depth, relevant = topic
    for states in ("all", "relevant"):
        model = MarkovModel(reach="local", states=states, direction=direction, self_loops=True)
        expected = stationary(transition_matrix(model, depth, relevant))
        assert normalised_exp(log_invariant(model, depth, relevant)) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("direction", ["FRBN", "FNBR"])
@pytest.mark.parametrize("distance", ["inverse", "log_inverse", "constant"])
@pytest.mark.parametrize("extra", [{}, {"self_loops": True}, {"max_hop": 300}, {"max_hop": 5}, {"states": "relevant"}])
def test_long_chains(direction, distance, extra):
    """Chains too long for a dense system: Fourier transforms and banded elimination equal the dense elimination."""
    depth = 900
    rng = np.random.default_rng(7)
    relevant = np.sort(rng.choice(np.arange(1, depth + 1), 750, replace=False))
    model = MarkovModel(direction=direction, distance=distance, **extra)
    expected = normalised_exp(log_stationary(transition_matrix(model, depth, relevant)))
    assert normalised_exp(log_invariant(model, depth, relevant)) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("make", [np.asarray, csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("model", [MarkovModel(direction="FNBR"), MarkovModel(max_hop=4), MarkovModel()], ids=repr)
def test_long_chains_watched(model, make):
    """P~ by blocks of eliminated states, by the definition (M4), and, without direction counts, by the shared inverse."""
    depth = 300
    relevant = np.sort(np.random.default_rng(5).choice(np.arange(1, depth + 1), 23, replace=False))
    p, at = transition_matrix(model, depth, relevant), relevant - 1
    others = np.setdiff1d(np.arange(depth), at)
    way = np.linalg.solve(np.eye(len(others)) - p[np.ix_(others, others)], p[np.ix_(others, at)])
    expected = p[np.ix_(at, at)] + p[np.ix_(at, others)] @ way
    assert watched(make(p), at) == pytest.approx(expected, abs=1e-11)
    assert model.watched_chain(depth, relevant) == pytest.approx(expected, abs=1e-11)


def test_many_relevant_documents():
    """Sums over very many pairs go by a Fourier transform; they equal the pairs."""
    depth, rng = 9000, np.random.default_rng(3)
    relevant = np.sort(rng.choice(np.arange(1, depth + 1), 4000, replace=False))
    for name in ("GL_OR_ID", "GL_OR_LID"):
        model = irmx.parse_measure(f"MP(model={name})")["model"]
        sums = [float(model.weight(np.abs(relevant[relevant != r] - r)).sum()) for r in relevant[:50]]
        found = model.invariant(rankings_of(depth, relevant))
        assert found[:50] / found[0] == pytest.approx(np.array(sums) / sums[0], rel=1e-10)


@pytest.mark.slow
def test_a_hundred_thousand_ranks():
    """The general route takes a chain over 100,000 ranks; what it gives is invariant."""
    from irmx_markov.markov_models import factors

    depth = 100_000
    relevant = np.arange(1, depth + 1, 997)
    model = MarkovModel(direction="FNBR")
    pi = normalised_exp(log_invariant(model, depth, relevant))
    assert pi.sum() == pytest.approx(1)
    assert pi.min() >= 0
    states = np.arange(1, depth + 1)
    forward, backward = factors("FNBR", states, relevant)
    weights = np.abs(states - np.arange(1, depth + 1, 20_011)[:, None]).astype(float)
    w = 1 / (weights + 1)
    w[weights == 0] = 0
    harmonic = np.concatenate([[0.0], np.cumsum(1 / (np.arange(1, depth) + 1))])
    total = forward * harmonic[depth - states] + backward * harmonic[states - 1]
    for row, j in zip(w, np.arange(1, depth + 1, 20_011), strict=True):
        flow = pi / total * np.where(states < j, forward, backward) * row
        assert flow.sum() == pytest.approx(pi[j - 1], rel=1e-6)
