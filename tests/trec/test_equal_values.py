"""The values of irmx-trec are those of the tools behind ir_measures, on generated runs."""

import math
from collections.abc import Callable
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

import irmx

pytestmark = pytest.mark.filterwarnings("ignore:No document of the run is judged", "ignore:No document is relevant for")

TOPICS, DOCS = [f"q{i}" for i in range(5)], [f"d{i}" for i in range(25)]


@st.composite
def collections(draw):
    """Return qrels and a run with ties, negative grades, topics that either lacks, and single documents.

    Every topic of the qrels has a document of grade 0, because trec_eval itself reads beyond an array without one.
    """
    grades = st.dictionaries(st.sampled_from(DOCS), st.integers(-2, 3), max_size=20)
    scores = st.one_of(st.integers(0, 2), st.floats(-1e6, 1e6), st.sampled_from([1 / 3, 1 / 3 + 1e-12]))
    documents = st.dictionaries(st.sampled_from(DOCS), scores.map(float), min_size=1, max_size=25)
    qrels = draw(st.dictionaries(st.sampled_from(TOPICS), grades.map(lambda docs: {**docs, "low": 0}), min_size=1))
    run = draw(st.dictionaries(st.sampled_from(TOPICS), documents))
    shared = draw(st.sampled_from(sorted(qrels)))
    return qrels, {**run, shared: draw(documents)}


@pytest.fixture(scope="module")
def tools(beside: Callable[[str, str], ModuleType]) -> ModuleType:
    return beside(__file__, "reference_values")


@given(collections())
def test_bit_for_bit_with_pytrec_eval(tools, collection):
    qrels, run = collection
    found = irmx.evaluator(tools.EXACT, qrels, provider="irmx").values(run)
    assert tools.largest_difference(found, tools.reference("pytrec_eval", tools.EXACT, qrels, run))[0] == 0


@given(collections())
def test_other_providers_on_runs_without_ties(tools, collection):
    qrels, run = collection
    run = tools.without_ties(run)
    for provider, measures, tolerance in tools.WITHOUT_TIES:
        found = irmx.evaluator(measures, qrels, provider="irmx").values(run)
        assert tools.largest_difference(found, tools.reference(provider, measures, qrels, run))[0] <= tolerance


def test_exponential_gain_is_that_of_gdeval_to_its_five_digits(tools):
    qrels = {"1": {f"d{i}": i % 5 - 1 for i in range(30)}, "2": {"d1": 0}, "3": {"d1": 3}}
    run = {"1": {f"d{i}": 100.0 - (i * 7) % 31 for i in range(40)}, "2": {"d1": 1.0}, "4": {"d1": 1.0}}
    found = irmx.evaluator(tools.EXPONENTIAL, qrels, provider="irmx").values(run)
    assert tools.largest_difference(found, tools.reference("gdeval", tools.EXPONENTIAL, qrels, run))[0] <= 5e-6


# -- what the tools cannot do ------------------------------------------------------------------------------

QRELS = {"q": {"a": 2, "b": 1, "c": 0, "d": -1}}
RUN = {"q": {"c": 5.0, "x": 4.0, "b": 3.0, "d": 2.0, "a": 1.0}}


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        ("RR@3", 1 / 3),
        ("RR@2", 0),
        ("NumRel(rel=2)", 1),
        ("Judged", 4 / 5),
        ("RBP(p=0.5)", 0.5 * 2**-3 + 2**-5),
        ("RBP(p=0.5,rel=2)@4", 0),
        ("nDCG(dcg='exp-log2')", (1 / 2 + 3 / math.log2(6)) / (3 + 1 / math.log2(3))),
        ("nDCG(gains={2:0.5})@3", (1 / 2) / (1 + 0.5 / math.log2(3))),
        ("AP(rel=0.5)", (1 / 3 + 2 / 5) / 2),
        ("SetF(rel=0.5,beta=2.0)", 6 / 9),
        ("IPrec(rel=1.5)@1.0", 1 / 5),
        ("Compat(p=0.5)", (1 / 12 + 1 / 32 + 1 / 40) / (1 + 1 / 2 + 1 / 6 + 1 / 16 + 1 / 40)),
    ],
)
def test_by_hand(measure, value):
    (found,) = irmx.calc_aggregate(measure, QRELS, RUN).values()
    assert found == pytest.approx(value, abs=1e-15)


def test_grades_between_whole_numbers():
    assert irmx.calc_aggregate("AP(rel=0.5) nDCG@1", {"q": {"a": 0.5, "b": 0.25}}, {"q": {"b": 2.0, "a": 1.0}}) == {
        irmx.parse_measure("AP(rel=0.5)"): 0.5,
        irmx.parse_measure("nDCG@1"): 0.5,
    }


@pytest.mark.parametrize("above", [9_998, 9_999, 20_000])
def test_a_run_of_more_ranks_than_logarithms_are_kept(above):
    run = {"q": {f"x{i:05}": float(-i) for i in range(above)} | {"a": -1e6}}
    assert irmx.calc_aggregate("nDCG", {"q": {"a": 1}}, run) == irmx.calc_aggregate(
        "nDCG", {"q": {"a": 1}}, run, provider="pytrec_eval"
    )


def test_settings_of_several_grades_give_what_each_gives_alone():
    alone = {m: irmx.calc_aggregate(m, QRELS, RUN) for m in ("AP", "AP(rel=2)", "nDCG", "Bpref", "Judged")}
    together = irmx.calc_aggregate(list(alone), QRELS, RUN)
    assert together == {m: v for of_measure in alone.values() for m, v in of_measure.items()}


# -- domains -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("measure", "allowed"),
    [
        ("AP(rel=0)", "'rel' parameter of AP must be a number in the range (0, 2147483647]. Got 0"),
        ("NumRet(rel=-1)", "'rel' parameter of NumRet must be a number in the range (0, 2147483647]. Got -1"),
        ("P@0", "'cutoff' parameter of P must be an int in the range [1, inf). Got 0"),
        ("RBP(p=1)", "'p' parameter of RBP must be a float in the range (0, 1). Got 1"),
        ("RBP(p=0)", "'p' parameter of RBP must be a float in the range (0, 1). Got 0"),
        ("nDCG(gains={1:'a'})", "'gains' parameter of nDCG must be a dict from ints to numbers"),
        ("nDCG(gains={0.5:1})", "'gains' parameter of nDCG must be a dict from ints to numbers"),
        ("nDCG(dcg='log')", "'dcg' parameter of nDCG must be one of 'log2', 'exp-log2'"),
    ],
)
def test_a_value_outside_the_domain(measure, allowed):
    with pytest.raises(irmx.UsageError) as refused:
        irmx.calc_aggregate(measure, QRELS, RUN)
    assert allowed in str(refused.value)


@pytest.mark.parametrize(
    ("measure", "grades", "largest"),
    [
        ("nDCG(dcg='exp-log2')", [2000], "2000"),
        ("nDCG(dcg='exp-log2')@5", [1023, 1023, 1023], "1023"),
        ("nDCG", [1e308, 1e308, 1e308], "1e\\+308"),
    ],
)
def test_gains_beyond_floats(measure, grades, largest):
    qrels = {"p": {"a": 1}, "q": {f"d{i}": grade for i, grade in enumerate([*grades, 1])}}
    for doc in ("d0", f"d{len(grades)}"):
        with pytest.raises(
            irmx.DataError, match=f"documents of query q add up to .* The largest grade is {largest}[.]"
        ):
            irmx.calc_aggregate(measure, qrels, {"p": {"a": 1.0}, "q": {doc: 1.0}})


def test_the_largest_gain_that_is_a_float():
    largest = {"q": {"a": 1023, "b": 1}}
    assert irmx.calc_aggregate("nDCG(dcg='exp-log2')@1", largest, {"q": {"a": 1.0}}).popitem()[1] == 1
