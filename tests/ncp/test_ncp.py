"""NCP: by hand, as AP and RR, and its stopping laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irmx
from irmx_ncp import FIRST, GEOMETRIC, NCP, TABLE, UNIFORM, ZIPF

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
        ("NCP(law=GL_AD_ID)", "NCP takes a stopping law"),
        ("NCP(law=3)", "must be a stopping law"),
    ],
)
def test_what_is_refused(text, message):
    with pytest.raises(irmx.UsageError, match=message):
        irmx.parse_measure(text)


def test_a_table_without_weights():
    with pytest.raises(irmx.UsageError, match="needs its weights"):
        NCP(law=TABLE).calc_aggregate(QRELS, RUN)
