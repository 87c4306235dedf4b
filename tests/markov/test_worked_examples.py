"""Markov Precision by hand: values to 6 decimals, from the paper's definitions."""

import numpy as np
import pytest

import irmx
from irmx_markov import GL_AD_ID, MP, ByRank, MarkovModel, MPcont, stationary, transition_matrix, watched

EXAMPLE = {
    "GL_AD_ID": ([0.274448, 0.362776, 0.362776], 0.788381, 0.473028),
    "GL_AD_LID": ([0.299707, 0.350147, 0.350147], 0.795748, 0.477449),
    "GL_OR_ID": ([7 / 26, 10 / 26, 9 / 26], 0.785256, 0.471154),
    "GL_OR_LID": ([0.297987, 0.362105, 0.339908], 0.794321, 0.476593),
    "LO_AD_ID": ([0.2, 0.4, 0.4], 0.766667, 0.46),
    "LO_AD_LID": ([0.2, 0.4, 0.4], 0.766667, 0.46),
    "LO_OR_ID": ([0.2, 0.5, 0.3], 0.758333, 0.455),
    "LO_OR_LID": ([0.221057, 0.5, 0.278943], 0.763598, 0.458159),
    "constant": ([1 / 3, 1 / 3, 1 / 3], 0.805556, 0.483333),
}


@pytest.mark.parametrize(("name", "pi", "mp", "at_recall"), [(k, *v) for k, v in EXAMPLE.items()])
def test_named_models(name, pi, mp, at_recall, qrels, run):
    explained = irmx.explain(f"MP(model={name})", qrels, run, "q")
    assert explained.columns["rank"] == [1, 3, 4]
    assert explained.columns["weight"] == pytest.approx(pi, abs=5e-7)
    assert explained.value == pytest.approx(mp, abs=5e-7)
    assert sum(explained.columns["contribution"]) == pytest.approx(explained.value, abs=1e-15)
    rescaled = irmx.calc_aggregate(f"MP(model={name},rescale='recall')", qrels, run)
    assert next(iter(rescaled.values())) == pytest.approx(at_recall, abs=5e-7)


def test_full_invariant_distribution_and_watched_chain():
    p = transition_matrix(GL_AD_ID, 6, np.array([1, 3, 4]))
    assert stationary(p) == pytest.approx([0.140777, 0.173139, 0.186084, 0.186084, 0.173139, 0.140777], abs=5e-7)
    expected = [[0.175824, 0.440372, 0.383804], [0.333151, 0.197053, 0.469796], [0.290356, 0.469796, 0.239848]]
    assert watched(p, [0, 2, 3]) == pytest.approx(np.array(expected), abs=5e-7)


def test_continuous_time(qrels, run):
    measure = MPcont(model=GL_AD_ID, times=ByRank(seconds={1: 10.0, 3: 20.0, 4: 30.0}))
    explained = irmx.explain(measure, qrels, run, "q")
    assert explained.columns["weight"] == pytest.approx([0.131420, 0.347432, 0.521148], abs=5e-7)
    assert explained.value == pytest.approx(0.753902, abs=5e-7)


def test_continuous_time_with_calibrated_holding_times(qrels, run):
    """n = 5, 4, 10 observations of mean 10, 20, 30 s: mu = .08, .0375, .03 (M11)."""
    import pandas as pd

    from irmx_markov import holding_times

    rows = [(rank, 10.0 * (place + 1)) for place, (rank, n) in enumerate([(1, 5), (3, 4), (4, 10)]) for _ in range(n)]
    log = pd.DataFrame(rows, columns=["rank", "dwell"]).assign(session=range(19), time=0.0)
    table = holding_times(log)
    assert table["mu"].tolist() == pytest.approx([0.08, 0.0375, 0.03])
    measure = MPcont(model=GL_AD_ID, times=ByRank.from_frame(table))
    assert measure.calc_aggregate(qrels, run) == pytest.approx(0.752043, abs=5e-7)


def test_offset_0(qrels, run):
    """The weight 1/d: d_i = H_(i-1) + H_(T-i), which is 137/60 at rank 1 and 10/3 at ranks 3 and 4; OR by its pairs."""
    values = irmx.calc_aggregate("MP(model=GL_AD_ID(offset=0)) MP(model=GL_OR_ID(offset=0))", qrels, run).values()
    over_all = (137 / 60 + 10 / 3 * 2 / 3 + 10 / 3 * 3 / 4) / (137 / 60 + 20 / 3)
    over_relevant = (5 / 6 + 3 / 2 * 2 / 3 + 4 / 3 * 3 / 4) / (5 / 6 + 3 / 2 + 4 / 3)
    assert list(values) == pytest.approx([over_all, over_relevant], abs=1e-15)
    assert over_all == pytest.approx(0.782744, abs=5e-7)


@pytest.mark.parametrize("name", EXAMPLE)
def test_one_relevant_document(name):
    """T = 5, R = {2}: one state watched, pi = 1, whatever the model; the recall is 1."""
    run = {"q": {d: -float(i) for i, d in enumerate("abcde")}}
    for measure in (MP(model=name), MP(model=name, rescale="recall")):
        assert measure.calc_aggregate({"q": {"b": 1}}, run) == 0.5


@pytest.mark.parametrize("name", EXAMPLE)
def test_one_document(name):
    assert MP(model=name).calc_aggregate({"q": {"a": 1}}, {"q": {"a": 1.0}}) == 1.0


@pytest.mark.parametrize("name", EXAMPLE)
def test_nothing_relevant(name):
    assert MP(model=name).calc_aggregate({"q": {"z": 1}}, {"q": {"a": 1.0}}) == 0.0
    assert MP(model=name).calc_aggregate({"q": {"a": 0}}, {"q": {"a": 1.0}}) == 0.0


@pytest.mark.parametrize(("model", "value"), [("GL_AD_ID", 0.500889), ("GL_AD_LID", 0.559756)])
def test_a_thousand_documents(model, value):
    relevant = (1, 2, 5, 20, 100)
    run = {"q": {f"d{r}": -float(r) for r in range(1, 1001)}}
    assert MP(model=model).calc_aggregate({"q": {f"d{r}": 1 for r in relevant}}, run) == pytest.approx(value, abs=5e-7)


def test_direction_counts_by_hand():
    """T = 3, R = {1, 3}: relevant seen 1, 1, 2 and non-relevant 0, 1, 1 up to each rank.

    FRBN: forward x (2, 2, 3), backward x (1, 2, 2); ID weights 1/2 and 1/3 over one and two ranks. Row 2 alone has both
    directions, with the same factor, so P is [[0, 3/5, 2/5], [1/2, 0, 1/2], [2/5, 3/5, 0]] and pi is 5, 6, 5 sixteenths.
    """
    p = transition_matrix(MarkovModel(direction="FRBN"), 3, np.array([1, 3]))
    assert p == pytest.approx(np.array([[0, 0.6, 0.4], [0.5, 0, 0.5], [0.4, 0.6, 0]]))
    assert stationary(p) == pytest.approx([5 / 16, 6 / 16, 5 / 16])


def test_direction_counts_pull_apart_forward_and_backward():
    """R = {1, 2}, T = 3, at rank 2: relevant seen 2, non-relevant 0, so forward x 3 and backward x 1."""
    for direction, factor in {"FRBN": 3.0, "FNBR": 1 / 3, "FIRBIN": 1 / 3, "FINBIR": 3.0}.items():
        p = transition_matrix(MarkovModel(direction=direction), 3, np.array([1, 2]))
        assert p[1, 2] / p[1, 0] == pytest.approx(factor)


def test_self_loops_by_hand():
    """The diagonal weight is the formula at distance 0: 1 for ID and constant, 1/log10(2) for LID."""
    for name, diagonal in {"GL_AD_ID": 1.0, "GL_AD_LID": 1 / np.log10(2), "constant": 1.0}.items():
        model = irmx.parse_measure(f"MP(model={name}(self_loops=True))")["model"]
        p = transition_matrix(model, 2, np.array([1, 2]))
        off = float(model.weight(1))
        assert p[0, 0] == pytest.approx(diagonal / (diagonal + off))
    both = transition_matrix(MarkovModel(self_loops=True, direction="FRBN"), 2, np.array([1]))
    assert both[0, 0] == pytest.approx((2 + 1) / ((2 + 1) + 2 * 0.5))
