"""MP of users who visit finitely many relevant documents: by hand, by matrix powers, by users who walk, and its limit."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

import irmx
from irmx_markov import GL_AD_ID, GL_AD_LID, LO_AD_ID, LO_OR_ID, MP, MarkovModel, TransitionMatrix, transition_matrix
from irmx_markov.markov_models import NAMED

STARTS = ("uniform", "first", "invariant")
"""Laws of the first visit; those on ranks are tested below."""

PRECISION = np.array([1, 2 / 3, 3 / 4])
"""At the relevant ranks 1, 3, 4 of the worked example."""


def data(depth, relevant):
    run = {"q": {f"d{r}": -float(r) for r in range(1, depth + 1)}}
    return {"q": {f"d{r}": 1 for r in relevant}}, run


@st.composite
def topics(draw, most=30):
    depth = draw(st.integers(1, most))
    return depth, np.array(sorted(draw(st.sets(st.integers(1, depth), min_size=1))))


any_model = st.sampled_from(NAMED) | st.builds(
    MarkovModel,
    states=st.sampled_from(["all", "relevant"]),
    distance=st.sampled_from(["inverse", "log_inverse", "constant"]),
    offset=st.none() | st.floats(1.5, 9),
    self_loops=st.booleans(),
    max_hop=st.none() | st.integers(1, 12),
    direction=st.none() | st.sampled_from(["FRBN", "FNBR", "FIRBIN", "FINBIR"]),
)


def plainly(model, depth, relevant, start, steps):
    """Return (1/n) sum_k lambda P~^k Prec by matrix powers, with P~ = P_RR + P_RN (I - P_NN)^-1 P_NR."""
    p = transition_matrix(model, depth, relevant)
    if model["states"] == "all":
        at, others = relevant - 1, np.setdiff1d(np.arange(depth), relevant - 1)
        way = np.linalg.solve(np.eye(len(others)) - p[np.ix_(others, others)], p[np.ix_(others, at)])
        p = p[np.ix_(at, at)] + p[np.ix_(at, others)] @ way
    r = len(p)
    if start == "invariant":
        law = np.linalg.solve((np.eye(r) - p + 1).T, np.ones(r))
    else:
        law = np.full(r, 1 / r) if start == "uniform" else np.eye(r)[0]
    precision = np.arange(1, r + 1) / relevant
    return sum(law @ np.linalg.matrix_power(p, k) @ precision for k in range(steps)) / steps


def test_users_of_several_kinds_at_once_have_the_values_that_they_have_alone(qrels, run):
    """They share what does not depend on the number of steps."""
    starts = (*STARTS, "top", [1, 2])
    measures = [MP(model=m, steps=n, start=s) for m in (GL_AD_ID, LO_AD_ID) for s in starts for n in (2, 5)]
    values = irmx.calc_aggregate(measures, qrels, run)
    assert [values[measure] for measure in measures] == pytest.approx(
        [one.calc_aggregate(qrels, run) for one in measures], abs=1e-15
    )
    assert len({round(value, 9) for value in values.values()}) > 10


@pytest.mark.parametrize(
    ("model", "first_step"),
    [
        ("GL_AD_ID", [0.175824, 0.440372, 0.383804]),
        ("GL_OR_ID", [0, 4 / 7, 3 / 7]),
        ("LO_OR_ID", [0, 1, 0]),
        ("constant", [0, 1 / 2, 1 / 2]),
    ],
)
def test_by_hand(model, first_step, qrels, run):
    """From the first relevant document: its precision alone, then that of where one move leads from it."""
    values = [MP(model=model, steps=n, start="first").calc_aggregate(qrels, run) for n in (1, 2)]
    assert values == pytest.approx([1, (1 + np.dot(first_step, PRECISION)) / 2], abs=1e-6)
    assert MP(model=model, steps=1).calc_aggregate(qrels, run) == pytest.approx(PRECISION.mean(), abs=1e-15)


@given(topics(most=10), any_model, st.sampled_from(STARTS), st.integers(1, 40))
def test_by_matrix_powers(topic, model, start, steps):
    """On short rankings, where the plain way, with its subtractions, is exact enough for users driven away from R, too."""
    found = MP(model=model, start=start, steps=steps).calc_aggregate(*data(*topic))
    assert found == pytest.approx(plainly(model, *topic, start, steps), abs=1e-9)


def test_by_users_who_walk():
    """Users go over all ranks by P, and note the precision of the first 4 relevant documents visited, the first one included."""
    depth, relevant, steps, users = 8, np.array([2, 3, 6]), 4, 20_000
    p = transition_matrix(GL_AD_ID(direction="FRBN"), depth, relevant)
    precision = dict(zip(relevant.tolist(), (np.arange(1, 4) / relevant).tolist(), strict=True))
    rng = random.Random(1)
    means = []
    for _ in range(users):
        rank, seen = 2, [precision[2]]
        while len(seen) < steps:
            rank = rng.choices(range(1, depth + 1), p[rank - 1])[0]
            seen += [precision[rank]] if rank in precision else []
        means.append(sum(seen) / steps)
    found = MP(model=GL_AD_ID(direction="FRBN"), steps=steps, start="first").calc_aggregate(*data(depth, relevant))
    assert found == pytest.approx(np.mean(means), abs=4 * np.std(means) / users**0.5)


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("model", [*NAMED, GL_AD_ID(direction="FNBR")], ids=repr)
def test_the_limit_is_mp_whatever_the_start(model, start):
    """The difference falls as 1/n, for chains of period 2 (LO) too, and rounding does not grow with n."""
    qrels, run = data(40, [2, 3, 5, 8, 13, 21, 34])
    mp = MP(model=model).calc_aggregate(qrels, run)
    far = [MP(model=model, steps=n, start=start).calc_aggregate(qrels, run) - mp for n in (10**3, 10**4)]
    assert far[1] == pytest.approx(far[0] / 10, rel=1e-2, abs=1e-12)
    for n in (10**12, 10**15 + 1):
        assert MP(model=model, steps=n, start=start).calc_aggregate(qrels, run) == pytest.approx(mp, abs=1e-10)


@given(topics(), any_model, st.integers(1, 10**6))
def test_a_start_in_the_invariant_distribution_is_mp_at_once(topic, model, steps):
    found = MP(model=model, start="invariant", steps=steps).calc_aggregate(*data(*topic))
    assert found == pytest.approx(MP(model=model).calc_aggregate(*data(*topic)), abs=1e-10)


@pytest.mark.parametrize("steps", [1, 2, 3, 10, 11, 1001])
def test_period_2(steps):
    """Between two relevant documents the user goes to and fro: the first has (n + 1) // 2 of n visits."""
    qrels, run = data(6, [1, 4])
    first = (steps + 1) // 2
    expected = (first * 1 + (steps - first) * 1 / 2) / steps
    assert MP(model=LO_OR_ID, steps=steps, start="first").calc_aggregate(qrels, run) == pytest.approx(
        expected, abs=1e-12
    )
    assert MP(model=LO_OR_ID, steps=steps).calc_aggregate(qrels, run) == pytest.approx(0.75, abs=1e-12)


def test_the_start_changes_nothing_without_steps(qrels, run):
    values = {MP(model=GL_AD_ID, start=start).calc_aggregate(qrels, run) for start in STARTS}
    assert values == {MP(model=GL_AD_ID).calc_aggregate(qrels, run)}


@pytest.mark.slow
@pytest.mark.parametrize("model", [GL_AD_LID, LO_AD_ID, GL_AD_ID(max_hop=5), GL_AD_ID(self_loops=True)], ids=repr)
@pytest.mark.parametrize("relevant", [[1000], [1, 2, 5, 20, 100], list(range(3, 1001, 9))], ids=len)
def test_a_thousand_documents(model, relevant):
    found = MP(model=model, steps=10).calc_aggregate(*data(1000, relevant))
    assert found == pytest.approx(plainly(model, 1000, np.array(relevant), "uniform", 10), abs=1e-10)


@pytest.mark.parametrize("offset", [1e-6, 1e-12, 1e-300])
def test_weights_of_very_different_sizes(offset):
    """1/log(1 + offset) between neighbours is so much larger than the others that the user goes from neighbour to neighbour."""
    qrels, run = data(60, [4, 5, 17, 50])
    steep, local = (MP(model=m, steps=7, start="first") for m in (GL_AD_LID(offset=offset), LO_AD_ID))
    close = pytest.approx(local.calc_aggregate(qrels, run), abs=1e-3 if offset > 1e-9 else 1e-9)
    assert steep.calc_aggregate(qrels, run) == close


def test_topics_of_different_depths_and_explained():
    qrels, run = {}, {}
    for i, (depth, relevant) in enumerate([(9, [2, 5]), (4, [1]), (7, []), (9, [1, 9, 3])]):
        q, r = data(depth, relevant)
        qrels[f"q{i}"], run[f"q{i}"] = q["q"] or {"none": 1}, r["q"]
    measure = MP(model=GL_AD_ID, steps=3, start="first")
    together = irmx.evaluator([measure], qrels).values(run)[measure]
    for topic in qrels:
        alone = measure.calc_aggregate({topic: qrels[topic]}, {topic: run[topic]})
        assert alone == pytest.approx(together[topic], abs=1e-14)
    assert together["q2"] == 0.0
    explained = irmx.explain(measure, qrels, run, "q3")
    assert sum(explained.columns["weight"]) == pytest.approx(1)
    assert sum(explained.columns["contribution"]) == pytest.approx(explained.value, abs=1e-15)


def test_recall_rescales_it_too(qrels, run):
    measure = MP(model=GL_AD_ID, steps=10)
    assert measure(rescale="recall").calc_aggregate(qrels, run) == pytest.approx(
        0.6 * measure.calc_aggregate(qrels, run)
    )


P = np.array([[0.1, 0.6, 0.3], [0.5, 0.2, 0.3], [0.4, 0.4, 0.2]])


@pytest.mark.parametrize("make", [np.asarray, csr_array, lambda p: lambda n: p])
def test_a_matrix_of_ones_own(make):
    """R = {1, 3}: from 1 back to 1 is .1 + .6 * .5/.8, from 3 to 1 is .4 + .4 * .5/.8."""
    found = MP(model=TransitionMatrix(make(P)), steps=2, start="first").calc_aggregate(*data(3, [1, 3]))
    stay = 0.1 + 0.6 * 0.5 / 0.8
    assert found == pytest.approx((1 + stay + (1 - stay) * 2 / 3) / 2, abs=1e-14)


def test_a_matrix_over_fewer_ranks_than_the_ranking():
    """Relevant documents beyond rank N are never visited."""
    model = TransitionMatrix(P)
    found = MP(model=model, steps=5).calc_aggregate(*data(9, [2, 3, 8]))
    assert found == pytest.approx(MP(model=model, steps=5).calc_aggregate(*data(3, [2, 3])), abs=1e-14)
    assert MP(model=model, steps=5).calc_aggregate(*data(9, [4, 8])) == 0.0


class _Even(irmx.Symbol):
    NAME, KIND, SHORT_DESC = "even", "Markov model", "a model that gives an invariant distribution only"

    def invariant(self, rankings):
        return 1 / rankings.relevant.count[rankings.relevant.topic]


def slow_walk(depth):
    p = np.diag(np.full(depth - 1, 0.1), 1) + np.diag(np.full(depth - 1, 0.9), -1)
    p[0, 0], p[-1, -1] = 0.9, 0.1
    return p


@pytest.mark.parametrize(
    ("model", "depth", "relevant", "message"),
    [
        (_Even(), 3, [1], "model even gives no transition probabilities"),
        (GL_AD_ID, 3001, [1], r"GL_AD_ID over 3001 states is too long.*cutoff of 3000 or less"),
        (TransitionMatrix(slow_walk), 1000, [999, 1000], "watched ones with probabilities too small"),
    ],
    ids=["no chain", "too long", "too improbable"],
)
def test_what_cannot_be_followed(model, depth, relevant, message):
    with pytest.raises(irmx.UsageError, match=message):
        MP(model=model, steps=10).calc_aggregate(*data(depth, relevant))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "MP(model=GL_AD_ID,steps=0)",
            r"'steps' parameter of MP must be an int in the range \[1, inf\) or None. Got 0",
        ),
        (
            "MP(model=GL_AD_ID,steps=2,start='bottom')",
            r"'start' parameter of MP must be a list of numbers .* or 'uniform' or 'first' or 'invariant' or 'top'",
        ),
        ("MP(model=GL_AD_ID,steps=2,start=[-1,2])", r"range \[0, inf\)"),
        ("MP(model=GL_AD_ID,steps=2,start=[0,0])", "must have a weight above 0"),
    ],
)
def test_what_is_refused(text, message):
    with pytest.raises(irmx.UsageError, match=message):
        irmx.parse_measure(text)


def test_text_round_trip():
    measure = MP(model=GL_AD_ID, steps=10, start="first") @ 20
    assert str(measure) == "MP(model=GL_AD_ID,steps=10,start='first')@20"
    assert irmx.parse_measure(str(measure)) == measure


# -- a start on ranks ----------------------------------------------------------------------------------------------------


def plainly_from(model, depth, relevant, weights, steps):
    """Return the mean precision of the first visits by linear algebra with subtractions, from the start on all ranks."""
    p = transition_matrix(model, depth, relevant)
    at, others = relevant - 1, np.setdiff1d(np.arange(depth), relevant - 1)
    way = np.linalg.solve(np.eye(len(others)) - p[np.ix_(others, others)], p[np.ix_(others, at)])
    start = np.zeros(depth)
    for rank, weight in enumerate(weights):
        start[min(rank, depth - 1)] += weight / sum(weights)
    law, chain = start[at] + start[others] @ way, p[np.ix_(at, at)] + p[np.ix_(at, others)] @ way
    precision = np.arange(1, len(at) + 1) / relevant
    return sum(law @ np.linalg.matrix_power(chain, k) @ precision for k in range(steps)) / steps


def test_the_first_move_counts_by_hand():
    """From rank 1 of 10, GL_AD_ID comes to the relevant ranks 3, 4, 10 with .4044, .3646, .2310; from 6, LO_AD_ID walks to 4 or 10."""
    topic = data(10, [3, 4, 10])
    assert MP(model=GL_AD_ID, steps=1, start="top").calc_aggregate(*topic) == pytest.approx(0.3864, abs=5e-5)
    walk = MP(model=LO_AD_ID, steps=1, start=[0, 0, 0, 0, 0, 1])
    assert walk.calc_aggregate(*topic) == pytest.approx(4 / 6 * 2 / 4 + 2 / 6 * 3 / 10, abs=1e-12)
    beyond = MP(model=GL_AD_ID, steps=1, start=[0] * 20 + [1])
    assert beyond.calc_aggregate(*topic) == pytest.approx(3 / 10, abs=1e-12)


@given(
    topics(most=10),
    any_model.filter(lambda model: model["states"] == "all"),
    st.lists(st.floats(0, 9), min_size=1, max_size=14).filter(lambda weights: sum(weights) > 0.1),
    st.integers(1, 20),
)
def test_a_start_on_ranks_plainly(topic, model, weights, steps):
    found = MP(model=model, start=weights, steps=steps).calc_aggregate(*data(*topic))
    assert found == pytest.approx(plainly_from(model, *topic, weights, steps), abs=1e-9)
    top = MP(model=model, start="top", steps=steps).calc_aggregate(*data(*topic))
    assert top == pytest.approx(plainly_from(model, *topic, [1], steps), abs=1e-9)


def test_a_start_on_ranks_by_users_who_walk():
    depth, relevant, users = 8, np.array([3, 4, 7]), 20_000
    model = GL_AD_ID(direction="FRBN")
    p, rng, firsts = transition_matrix(model, depth, relevant), random.Random(2), []
    for _ in range(users):
        rank = rng.choices([1, 5], [1, 3])[0]
        while rank not in (3, 4, 7):
            rank = rng.choices(range(1, depth + 1), p[rank - 1])[0]
        firsts.append({3: 1 / 3, 4: 1 / 2, 7: 3 / 7}[rank])
    found = MP(model=model, steps=1, start=[1, 0, 0, 0, 3]).calc_aggregate(*data(depth, relevant))
    assert found == pytest.approx(np.mean(firsts), abs=4 * np.std(firsts) / users**0.5)


def test_a_matrix_starts_at_its_own_ranks():
    """A user of four ranks starts beyond them at the fourth, and comes from there to the second."""
    local = TransitionMatrix(transition_matrix(LO_AD_ID, 4, np.array([2])))
    for start in ("top", [0, 0, 0, 0, 0, 1]):
        assert MP(model=local, steps=3, start=start).calc_aggregate(*data(9, [2, 9])) == pytest.approx(1 / 2, abs=1e-12)
    at_the_end = MP(model=local, steps=1, start=[0, 0, 0, 0, 0, 1])
    assert at_the_end.calc_aggregate(*data(9, [2, 4, 9])) == pytest.approx(2 / 4, abs=1e-12)
    near_it = MP(model=local, steps=1, start=[0, 0, 1])
    assert near_it.calc_aggregate(*data(9, [1, 4, 9])) == pytest.approx(1 / 3 * 1 + 2 / 3 * 2 / 4, abs=1e-12)


class _NoStart(irmx.Symbol):
    NAME, KIND, SHORT_DESC = "steady", "Markov model", "goes to and fro"

    def invariant(self, rankings):
        return 1 / rankings.relevant.count[rankings.relevant.topic]

    def watched_chain(self, depth, relevant):
        return np.full((len(relevant), len(relevant)), 1 / len(relevant))


@pytest.mark.parametrize(
    ("model", "message"), [(LO_OR_ID, "at relevant documents only"), (_NoStart(), "has no start on ranks")]
)
def test_models_without_a_start_on_ranks(model, message):
    assert MP(model=model, steps=2).calc_aggregate(*data(4, [1, 3])) > 0
    with pytest.raises(irmx.UsageError, match=message):
        MP(model=model, steps=2, start="top").calc_aggregate(*data(4, [1, 3]))
