"""NCP: by hand, as AP and RR, and its stopping laws."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irmx
from irmx_ncp import BY_DOCUMENT, FIRST, GEOMETRIC, MIXTURE, NCP, SHARE, TABLE, UNIFORM, ZIPF

QRELS = {"q": {"a": 1, "b": 1, "c": 1, "z": 1}}
RUN = {"q": {"a": 5.0, "x": 4.0, "b": 3.0, "y": 2.0, "c": 1.0}}
PRECISION = [1, 2 / 3, 3 / 5, 0]
"""Prec at the relevant ranks 1, 3, 5; the fourth relevant document is not retrieved."""

LAWS = [
    (UNIFORM, [1 / 4] * 4),
    (FIRST, [1, 0, 0, 0]),
    (GEOMETRIC, [8 / 15, 4 / 15, 2 / 15, 1 / 15]),
    (ZIPF, [12 / 25, 6 / 25, 4 / 25, 3 / 25]),
    (ZIPF(s=0), [1 / 4] * 4),
    (GEOMETRIC(p=1), [1, 0, 0, 0]),
    (TABLE(p=[0.5, 0.3, 0.2]), [0.5, 0.3, 0.2, 0]),
    (TABLE(p=[2, 1, 1, 1, 5]), [0.4, 0.2, 0.2, 0.2]),
    (SHARE(p=[1, 3]), [0, 1 / 4, 0, 3 / 4]),
    (SHARE(p=[0.5, 0.3, 0.2]), [0, 0.5, 0.3, 0.2]),
    (SHARE(p=[0.5, 0.3, 0.2], within="even"), [0.375, 0.275, 0.2, 0.15]),
]


@pytest.mark.parametrize(("law", "p"), LAWS, ids=lambda v: repr(v))
def test_by_hand(law, p):
    assert law.probabilities(4) == pytest.approx(p)
    assert NCP(law=law).calc_aggregate(QRELS, RUN) == pytest.approx(float(np.dot(p, PRECISION)), abs=1e-15)


def test_explained():
    explained = irmx.explain("NCP(law=zipf)", QRELS, RUN, "q")
    assert explained.columns["weight"] == pytest.approx([12 / 25, 6 / 25, 4 / 25])
    assert sum(explained.columns["contribution"]) == pytest.approx(explained.value, abs=1e-15)
    assert (explained.depth, explained.retrieved, explained.recall_base) == (5, 3, 4)


@given(st.sampled_from([law for law, _ in LAWS]), st.integers(1, 300))
def test_every_law_is_a_probability_law(law, recall_base):
    p = law.probabilities(recall_base)
    assert p.shape == (recall_base,)
    assert p.min() >= 0
    assert p.sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("law", [law for law, _ in LAWS], ids=repr)
def test_text_round_trip(law):
    measure = NCP(law=law, rel=2) @ 10
    assert irmx.parse_measure(str(measure)) == measure


class _Last(irmx.Symbol):
    NAME, KIND, SHORT_DESC = "last", "stopping law", "the user reads on to the last relevant document"

    def probabilities(self, recall_base):
        return np.eye(recall_base)[-1]


class _Given(_Last):
    NAME = "given"
    SUPPORTED_PARAMS = {"p": irmx.Param(list, "the probabilities")}

    def probabilities(self, recall_base):
        return np.array(self["p"])


def test_a_law_of_another_plugin_needs_only_its_kind_and_method():
    assert NCP(law=_Last()).calc_aggregate(QRELS, RUN) == 0.0
    assert NCP(law=_Last()).calc_aggregate({"q": {"a": 1, "b": 1}}, RUN) == pytest.approx(2 / 3)


@pytest.mark.parametrize("p", [[1, 1, 1, 1], [-0.5, 0.5, 0.5, 0.5], [0.5, 0.3, 0.2], [0.3, 0.3, 0.3, 0.2]])
def test_a_law_that_is_none_is_refused(p):
    with pytest.raises(irmx.PluginError, match=r"given.* must give 4 probabilities that add up to 1.*sum "):
        NCP(law=_Given(p=p)).calc_aggregate(QRELS, RUN)


def test_a_law_may_add_up_to_one_but_for_rounding():
    assert NCP(law=_Given(p=[0.4, 0.3, 0.2, 0.1 + 1e-12])).calc_aggregate(QRELS, RUN) == pytest.approx(0.72, abs=1e-9)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("NCP", "needs the parameter 'law'"),
        ("NCP(law=unifrom)", "Did you mean uniform"),
        ("NCP(law=geometric(p=0))", r"range \(0, 1\]. Got 0 instead"),
        ("NCP(law=zipf(s=-1))", r"range \[0, inf\)"),
        ("NCP(law=table(p=[0,1]))", "must start with a weight above 0"),
        ("NCP(law=table(p=[-1,1]))", r"range \[0, inf\)"),
        ("NCP(law=share(p=[0,0]))", "must have a weight above 0"),
        ("NCP(law=share(p=[1],within='middle'))", "'end', 'even'"),
        ("NCP(law=mixture(laws=['frist']))", "Did you mean first"),
        ("NCP(law=mixture(laws=['geometric(p=2)']))", r"range \(0, 1\]"),
        ("NCP(law=mixture(laws='first'))", "must be a list of stopping laws"),
        ("NCP(law=mixture(laws=[]))", "must be a list of stopping laws"),
        ("NCP(law=mixture(laws=[3]))", "must be a stopping law"),
        ("NCP(law=mixture(laws=['first','zipf'],weights=[1]))", "each of the 2 laws"),
        ("NCP(law=mixture(laws=['first'],weights=[0]))", "one above 0"),
        ("NCP(law=GL_AD_ID)", "NCP takes a stopping law"),
        ("NCP(law=3)", "must be a stopping law"),
    ],
)
def test_what_is_refused(text, message):
    with pytest.raises(irmx.UsageError, match=message):
        irmx.parse_measure(text)


@pytest.mark.parametrize("law", [TABLE, SHARE, MIXTURE], ids=repr)
def test_a_law_without_its_weights_or_laws(law):
    with pytest.raises(irmx.UsageError, match=f"The law '{law.NAME}' needs its"):
        NCP(law=law).calc_aggregate(QRELS, RUN)


# -- populations -------------------------------------------------------------------------------------------------------


WEIGHTS = st.lists(st.floats(0, 9), min_size=1, max_size=12).filter(lambda p: sum(p) > 0.01)


@given(WEIGHTS, st.integers(1, 60))
def test_a_share_is_met_by_the_first_document_that_reaches_it(p, recall_base):
    plain = [0.0] * recall_base
    for k, weight in enumerate(p, start=1):
        met = 1
        while met * len(p) < k * recall_base:
            met += 1
        plain[met - 1] += weight / sum(p)
    assert SHARE(p=p).probabilities(recall_base) == pytest.approx(plain, abs=1e-12)


@given(WEIGHTS, st.integers(1, 60))
def test_shares_that_are_spread_evenly_are_many_that_are_not(p, recall_base):
    """Where each weight is cut into as many parts as there are documents, every part ends at a document."""
    parts = [weight for weight in p for _ in range(recall_base)]
    even = SHARE(p=p, within="even").probabilities(recall_base)
    assert even == pytest.approx(SHARE(p=parts).probabilities(recall_base), abs=1e-12)


def test_shares_have_ap_and_the_precision_at_the_last_document_as_limits():
    judged = {"q": {"a": 1, "b": 1, "c": 1}}
    measures = [
        "NCP(law=share(p=[1],within='even'))",
        "NCP(law=share(p=[2,2,2]))",
        "AP",
        "NCP(law=share(p=[0,0,0,0,1]))",
    ]
    even, by_document, ap, everything = irmx.calc_aggregate(" ".join(measures), judged, RUN).values()
    assert even == pytest.approx(ap, abs=1e-15)
    assert by_document == pytest.approx(ap, abs=1e-15)
    assert everything == pytest.approx(3 / 5, abs=1e-15)


def test_a_mixture_by_hand():
    """Three of four users want one document, RR = 1; for the other, AP is 17/30."""
    expected = (3 * 1 + np.dot([1 / 4] * 4, PRECISION)) / 4
    for law in (
        "mixture(laws=['first','uniform'],weights=[3,1])",
        "mixture(laws=['uniform','first'],weights=[0.25,0.75])",
    ):
        assert irmx.parse_measure(f"NCP(law={law})").calc_aggregate(QRELS, RUN) == pytest.approx(expected, abs=1e-15)
    equal = NCP(law=MIXTURE(laws=[FIRST, "uniform"]))
    assert equal.calc_aggregate(QRELS, RUN) == pytest.approx((1 + 17 / 30) / 2, abs=1e-15)
    assert irmx.parse_measure(str(equal)) == equal
    explained = irmx.explain(equal, QRELS, RUN, "q")
    assert explained.columns["weight"] == pytest.approx([(1 + 1 / 4) / 2, 1 / 8, 1 / 8])


def test_a_mixture_takes_laws_by_document_other_mixtures_and_laws_that_only_python_has():
    judged = pd.DataFrame({"query_id": "q", "doc_id": ["a", "b"], "relevance": 1, "stop_probability": [0.2, 0.8]})
    inner = MIXTURE(laws=[BY_DOCUMENT, _Last()], weights=[1, 3])
    value = NCP(law=MIXTURE(laws=[inner, FIRST], weights=[1, 1])).calc_aggregate(judged, RUN)
    assert value == pytest.approx(0.5 * (0.25 * (0.2 + 0.8 * 2 / 3) + 0.75 * 2 / 3) + 0.5, abs=1e-15)
    assert NCP(law=inner).qrel_columns() == NCP(law=BY_DOCUMENT).qrel_columns()
    assert NCP(law=MIXTURE(laws=["first"])).qrel_columns() == ()
    with pytest.raises(irmx.DataError, match="stop_probability"):
        irmx.calc_aggregate("NCP(law=mixture(laws=['by_document','first']))", QRELS, RUN)


@given(
    st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40),
    st.lists(st.tuples(st.sampled_from([law for law, _ in LAWS]), st.floats(0.1, 5)), min_size=1, max_size=4),
)
def test_a_mixture_plainly(documents, part):
    qrels = {"q": {f"d{i}": int(relevant) for i, (relevant, _) in enumerate(documents)}}
    run = {"q": {f"d{i}": -float(i) for i, (_, retrieved) in enumerate(documents) if retrieved} or {"other": 1.0}}
    laws, weights = [law for law, _ in part], [weight for _, weight in part]
    recall_base, met, rank, plain = sum(relevant for relevant, _ in documents), 0, 0, 0.0
    for relevant, retrieved in documents:
        rank += retrieved
        if relevant and retrieved:
            met += 1
            for law, weight in part:
                plain += weight / sum(weights) * law.probabilities(recall_base)[met - 1] * met / rank
    assert NCP(law=MIXTURE(laws=laws, weights=weights)).calc_aggregate(qrels, run) == pytest.approx(plain, abs=1e-12)
