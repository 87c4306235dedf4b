"""Text to measure and back: a superset of what ir_measures reads, nothing evaluated, errors that point."""

import re

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irmx
import irmx_markov
import irmx_ncp
from irmx import parse_measure
from irmx.declare.expressions import split_measures
from irmx.toolkit import parse_measures

# -- a superset of the parser of ir_measures -----------------------------------------------------------------

REQUIRED = {"cutoff": 10, "recall": 0.5, "T": 1.0, "max_rel": 3}


def upstream_names() -> list[str]:
    irmx.registry()
    return sorted(n for n, m in ir_measures.measures.registry.items() if not isinstance(m, irmx.Measure))


@pytest.mark.parametrize("name", upstream_names())
def test_every_measure_of_ir_measures_parses_with_its_required_parameters(name: str) -> None:
    base = ir_measures.measures.registry[name]
    needed = {k: REQUIRED[k] for k, p in base.SUPPORTED_PARAMS.items() if p.required}
    text = name + ("(" + ",".join(f"{k}={v!r}" for k, v in needed.items()) + ")" if needed else "")
    assert parse_measure(text) == (base(**needed) if needed else base)
    assert parse_measure(str(parse_measure(text))) == parse_measure(text)


@pytest.mark.parametrize(
    ("text", "measure"),
    [
        ("AP", ir_measures.AP),
        (" AP() ", ir_measures.AP),
        ("MAP", ir_measures.AP),
        ("nDCG@10", ir_measures.nDCG @ 10),
        ("nDCG @ 10", ir_measures.nDCG @ 10),
        ("nDCG(cutoff=10)", ir_measures.nDCG @ 10),
        ("nDCG(gains={0: 1})@10", ir_measures.nDCG(gains={0: 1}) @ 10),
        ("nDCG(dcg='exp-log2')@5", ir_measures.nDCG(dcg="exp-log2") @ 5),
        ('nDCG(dcg="exp-log2")@5', ir_measures.nDCG(dcg="exp-log2") @ 5),
        ("IPrec@0.5", ir_measures.IPrec @ 0.5),
        ("IPrec@1", ir_measures.IPrec @ 1),
        ("nDCG(cutoff=20)@10", ir_measures.nDCG @ 10),
        ("map", ir_measures.AP),
        ("NDCG_cut.10", ir_measures.nDCG @ 10),
        ("P(rel=2)@5", ir_measures.P(rel=2) @ 5),
        ("RBP(p=0.8,rel=1)", ir_measures.RBP(p=0.8, rel=1)),
        ("RBP(p=0.5, rel=1)@20", ir_measures.RBP(p=0.5, rel=1) @ 20),
        ("ERR@20", ir_measures.ERR @ 20),
        ("AP(judged_only=True)", ir_measures.AP(judged_only=True)),
    ],
)
def test_what_ir_measures_reads(text: str, measure: ir_measures.Measure) -> None:
    assert parse_measure(text) == measure


@pytest.mark.parametrize(
    ("text", "measure"),
    [
        ("MP(model=GL_AD_ID)@100", irmx_markov.MP(model=irmx_markov.GL_AD_ID) @ 100),
        ("MP(model='GL_AD_ID')", irmx_markov.MP(model=irmx_markov.GL_AD_ID)),
        ("MP(model=GL_AD_ID(max_hop=3, self_loops=True))", irmx_markov.MP(model=irmx_markov.GL_AD_ID(max_hop=3, self_loops=True))),
        ("MP(model=GL_AD_ID(offset=2))", irmx_markov.MP(model=irmx_markov.GL_AD_ID(offset=2.0))),
        ("MP(model=GL_AD_ID, rescale=None, judged_only=False)", irmx_markov.MP(model=irmx_markov.GL_AD_ID)),
        ("NCP(law=uniform, rel=-1)", irmx_ncp.NCP(law=irmx_ncp.UNIFORM, rel=-1)),
        ("NCP(law=uniform, rel=+0.5)", irmx_ncp.NCP(law=irmx_ncp.UNIFORM, rel=0.5)),
        ("NCP(law=uniform,cutoff=3)@5", irmx_ncp.NCP(law=irmx_ncp.UNIFORM, cutoff=3) @ 5),
        ("NCP(law=uniform, rel=2.0)", irmx_ncp.NCP(law=irmx_ncp.UNIFORM, rel=2)),
        ("NCP(law=geometric(p=1))", irmx_ncp.NCP(law=irmx_ncp.GEOMETRIC(p=1.0))),
        ("NCP(law=table(p=[3, 1.5,\n0]))", irmx_ncp.NCP(law=irmx_ncp.TABLE(p=[3, 1.5, 0]))),
        ("NCP(law=table(p=(3, 1)))", irmx_ncp.NCP(law=irmx_ncp.TABLE(p=[3, 1]))),
    ],
)  # fmt: skip
def test_what_ir_measures_does_not_read(text: str, measure: irmx.Measure) -> None:
    assert parse_measure(text) == measure
    assert ir_measures.parse_measure(text) == measure


def test_a_measure_is_returned_as_it_is() -> None:
    measure = irmx_ncp.NCP(law=irmx_ncp.UNIFORM)
    assert parse_measure(measure) is measure
    assert parse_measure(ir_measures.AP) is ir_measures.AP


# -- str parses back -----------------------------------------------------------------------------------------

common = {
    "rel": st.one_of(st.integers(-5, 5), st.floats(-5, 5)),
    "cutoff": st.integers(1, 10**6),
    "judged_only": st.booleans(),
    "ties": st.sampled_from(["trec", "run"]),
    "no_relevant": st.sampled_from(["default", "nan"]),
}
models = st.fixed_dictionaries(
    {},
    optional={
        "states": st.sampled_from(["all", "relevant"]),
        "distance": st.sampled_from(["inverse", "log_inverse", "constant"]),
        "offset": st.one_of(st.none(), st.floats(1.001, 50), st.integers(2, 9)),
        "log_base": st.floats(1.5, 20),
        "self_loops": st.booleans(),
        "max_hop": st.one_of(st.none(), st.integers(1, 50)),
        "direction": st.sampled_from([None, "FRBN", "FNBR", "FIRBIN", "FINBIR"]),
    },
).map(lambda p: irmx_markov.MarkovModel(**p))
named = st.sampled_from(list(irmx.registry().symbols("Markov model").values())).filter(lambda s: s.NAME != "matrix")
markov = st.fixed_dictionaries(
    {"model": st.one_of(models, named)},
    optional={"rescale": st.sampled_from([None, "recall", "relative_recall"]), **common},
).map(lambda p: irmx_markov.MP(**p))
laws = st.one_of(
    st.sampled_from([irmx_ncp.UNIFORM, irmx_ncp.FIRST, irmx_ncp.GEOMETRIC, irmx_ncp.ZIPF]),
    st.floats(1e-6, 1).map(lambda p: irmx_ncp.GEOMETRIC(p=p)),
    st.floats(0, 9).map(lambda s: irmx_ncp.ZIPF(s=s)),
    st.lists(st.one_of(st.integers(1, 9), st.floats(1e-9, 9)), min_size=1).map(lambda p: irmx_ncp.TABLE(p=p)),
)
cumulative = st.fixed_dictionaries({"law": laws}, optional=common).map(lambda p: irmx_ncp.NCP(**p))


@given(st.one_of(markov, cumulative))
def test_the_text_of_a_measure_parses_back_to_an_equal_measure(measure: irmx.Measure) -> None:
    again = parse_measure(str(measure))
    assert again == measure
    assert hash(again) == hash(measure)
    assert str(again) == str(measure)
    assert {k: again[k] for k in again.SUPPORTED_PARAMS} == {k: measure[k] for k in measure.SUPPORTED_PARAMS}


@given(cumulative, cumulative)
def test_measures_are_equal_when_all_parameters_are(one: irmx.Measure, other: irmx.Measure) -> None:
    same = all(one[k] == other[k] for k in one.SUPPORTED_PARAMS)
    assert (one == other) == same


@given(st.lists(st.one_of(markov, cumulative, st.just(ir_measures.AP), st.just(ir_measures.nDCG @ 10)), max_size=5))
def test_texts_joined_by_white_space_split_again(measures: list[ir_measures.Measure]) -> None:
    assert parse_measures("  ".join(map(str, measures))) == measures


# -- nothing is evaluated ------------------------------------------------------------------------------------

EVIL = [
    "__import__('os').system('true')",
    "__import__('os')",
    "AP.__class__",
    "AP.__class__.__mro__",
    "AP(rel=__import__('os'))",
    "AP(rel=().__class__)",
    "AP(rel=print)",
    "AP(rel=lambda: 1)",
    "AP(rel=[x for x in 'ab'])",
    "AP(rel={x: 1 for x in 'ab'})",
    "AP(rel=1 if 1 else 2)",
    "AP(rel=1+1)",
    "AP(rel=2**99)",
    "AP(rel=(x:=1))",
    "AP(rel=f'{1}')",
    "AP(rel=b'1')",
    "AP(rel=1j)",
    "AP(rel=...)",
    "AP(rel=not 1)",
    "AP(rel=--1)",
    "AP(rel='a'[0])",
    "AP(rel=*[1])",
    "AP(*[1])",
    "AP(**{'rel': 1})",
    "AP(rel=1)(rel=2)",
    "AP@1@2",
    "AP[0]",
    "[AP]",
    "lambda: AP",
    "AP if 1 else AP",
    "nDCG(gains={[1]: 2})@10",
    "nDCG(gains={**{}})@10",
    "NCP(law=uniform.probabilities)",
    "NCP(law=uniform().__class__)",
    "NCP(law=geometric.__call__(p=0.5))",
    "exec('1')",
    "1",
    "'AP'",
    "AP;AP",
    "AP AP",
    "AP=1",
    "import os",
    "await AP",
    "yield",
    "AP\0",
    "AP\ud800",
]


@pytest.mark.parametrize("text", EVIL, ids=ascii)
def test_what_is_no_measure_is_refused(text: str) -> None:
    with pytest.raises(irmx.UsageError):
        parse_measure(text)


DEEP = {
    "parentheses": "P@" + "(" * 3000 + "1" + ")" * 3000,
    "few parentheses": "P@" + "(" * 150 + "1" + ")" * 150 + "x",
    "lists": "NCP(law=table(p=" + "[" * 180 + "1" + "]" * 180 + "))",
    "dicts": "NCP(law=uniform,rel=" + "{1:" * 180 + "1" + "}" * 180 + ")",
    "some signs": "P@" + "-" * 900 + "1",
    "signs": "P@" + "-" * 9000 + "1",
    "sums": "P@" + "1+" * 4000 + "1",
    "attributes": "AP(rel=a" + ".a" * 4500 + ")",
    "cutoffs": "P" + "@1" * 4000,
    "calls": "NCP(law=" + "geometric(p=" * 150 + "1" + ")" * 150 + ")",
    "subscripts": "P@a" + "[0]" * 3000,
    "lambdas": "P@(" + "lambda:" * 1200 + "1)",
    "conditionals": "P@(" + "1 if 1 else " * 800 + "1)",
    "long name": "A" * 20_000,
    "long number": "P@" + "9" * 5000,
    "numbers of trec_eval": "P_" + "1.1," * 5000,
    "large number": "NCP(law=uniform)@" + "9" * 400,
    "large threshold": "NCP(law=uniform,rel=" + "9" * 400 + ")",
    "infinite": "NCP(law=uniform,rel=1e999)",
}


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
def test_deep_or_long_texts_are_refused_shortly(text: str) -> None:
    with pytest.raises(irmx.UsageError) as caught:
        parse_measure(text)
    assert max(map(len, str(caught.value).splitlines()[1:]), default=0) <= 310


@given(st.text(alphabet="AP()[]{}'\"@=,.-+0189 \n\\#:nlaw*ü_", max_size=30))
def test_any_text_is_a_measure_or_a_usage_error(text: str) -> None:
    try:
        found = parse_measure(text)
    except irmx.UsageError:
        return
    assert parse_measure(str(found)) == found


@given(st.text(alphabet="AP ()'\"@01,=", max_size=30))
def test_splitting_any_text_loses_nothing_but_white_space(text: str) -> None:
    parts = split_measures(text)
    assert re.sub(r"\s", "", "".join(parts)) == re.sub(r"\s", "", text)
    assert all(parts)


def test_an_escape_in_a_quoted_path_does_not_warn() -> None:
    with pytest.raises(irmx.UsageError, match="must be a Markov model"):
        parse_measure(r"MP(model='C:\data\m')")


# -- errors --------------------------------------------------------------------------------------------------


def error_of(text: str) -> tuple[str, str]:
    """Return the message of the error, and the part of the text that it points at."""
    with pytest.raises(irmx.UsageError) as caught:
        parse_measure(text)
    message, shown, marks = str(caught.value).rsplit("\n", 2)
    start, end = marks.index("^"), marks.rindex("^") + 1
    return message, shown[start:end]


@pytest.mark.parametrize(
    ("text", "pointed", "says"),
    [
        ("nDCK@10", "nDCK", ["no measure nDCK", "Did you mean nDCG?"]),
        ("MP(model=GL_AD_IDD)", "GL_AD_IDD", ["Did you mean GL_AD_ID?", "LO_OR_LID", "constant"]),
        ("MP(model='GL_AD_IDD')", "'GL_AD_IDD'", ["Did you mean GL_AD_ID?", "LO_OR_LID"]),
        ("MP(model=gl_ad_id)", "gl_ad_id", ["Did you mean GL_AD_ID?"]),
        ("MP(model=uniform)", "uniform", ["takes a Markov model for 'model'", "GL_AD_ID"]),
        ("MP(modl=GL_AD_ID)", "GL_AD_ID", ["no parameter 'modl'", "Did you mean model?", "rescale", "judged_only"]),
        ("MP(model=GL_AD_ID(self_lops=True))", "True", ["Did you mean self_loops?", "max_hop"]),
        ("MP(model=GL_AD_ID(max_hop=0))", "0", ["must be an int in the range [1, inf) or None. Got 0"]),
        ("MP(model=GL_AD_ID,rescale='recal')", "'recal'", ["'recall', 'relative_recall'", "Did you mean recall?"]),
        ("MP(model=GL_AD_ID)@0", "0", ["'cutoff'", "in the range [1, inf). Got 0"]),
        ("MP(model=GL_AD_ID)@2.5", "2.5", ["must be an int", "Got 2.5"]),
        ("NCP(law=uniform,judged_only=1)", "1", ["must be True or False. Got 1"]),
        ("NCP(law=uniform,rel='a')", "'a'", ["must be a number", "Got 'a'"]),
        ("NCP(law=geometric(p=1.5))", "1.5", ["in the range (0, 1]. Got 1.5"]),
        ("NCP(law=table(p=[1,-1]))", "[1,-1]", ["a list of numbers in the range [0, inf)"]),
        ("NCP(law=None)", "None", ["uniform, first, geometric, zipf, table"]),
        ("NCP(law=uniform,law=first)", "first", ["'law' is given twice"]),
        ("map@10", "map", ["takes no parameters and no @", "stands for AP"]),
        ("recip_rnk", "recip_rnk", ["no measure recip_rnk", "Did you mean recip_rank?"]),
        ("NCP(uniform)", "uniform", ["by name: parameter=value"]),
        ("NCP", "NCP", ["needs the parameter 'law'", "NCP(law=uniform)"]),
        ("P", "P", ["needs the parameter 'cutoff'", "P@10"]),
        ("P@0", "P", ["in the range [1, inf). Got 0"]),
        ("P@True", "P", ["an int in the range [1, inf). Got True"]),
        ("nDCG(dcg='log')@10", "nDCG", ["'log2', 'exp-log2'. Got 'log'"]),
        ("AP(rel=relevant)", "relevant", ["Unknown name relevant", "quotes"]),
        ("AP(", "(", ["never closed"]),
        ("NCP(law=uniform,\n    rell=1)", "1", ["Did you mean rel?"]),
        ("NCP(\n law='ä',\n rell=1)", "'ä'", ["unknown name 'ä'"]),
        ("NCP(ü='ä', rell=1)", "'ä'", ["no parameter 'ü'"]),
        ("AP\n)", ")", ["not a measure"]),
    ],
)
def test_an_error_points_at_its_place_and_says_what_is_allowed(text: str, pointed: str, says: list[str]) -> None:
    message, found = error_of(text)
    assert found == pointed
    for part in says:
        assert part in message


def test_an_error_in_a_long_text_shows_the_part_around_it() -> None:
    text = "NCP(law=table(p=[" + "1," * 900 + "oops," + "1," * 900 + "]))"
    message, pointed = error_of(text)
    assert pointed == "oops"
    assert "Unknown name oops" in message


def test_unknown_names_are_name_errors_as_in_ir_measures() -> None:
    for text in ("Nope", "MP(model=Nope)", "AP(nope=1)"):
        with pytest.raises(NameError):
            parse_measure(text)


@pytest.mark.parametrize("text", ["", "   ", "\n"])
def test_an_empty_text_is_said_to_be_empty(text: str) -> None:
    with pytest.raises(irmx.UsageError, match="empty"):
        parse_measure(text)


def test_what_is_neither_text_nor_measure_is_refused() -> None:
    with pytest.raises(irmx.UsageError, match="Got 7"):
        parse_measure(7)  # type: ignore[arg-type]


# -- several in one text -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", []),
        (" \t\n ", []),
        ("AP", ["AP"]),
        ("AP  nDCG@10\tRR", ["AP", "nDCG@10", "RR"]),
        ("nDCG @ 10 AP", ["nDCG@10", "AP"]),
        ("nDCG@ 10 AP @5", ["nDCG@10", "AP@5"]),
        ("RBP(p=0.8, rel=1) AP", ["RBP(p=0.8, rel=1)", "AP"]),
        ("NCP(law=table(p=[1, 2, 3]), rel=1)@5 AP", ["NCP(law=table(p=[1, 2, 3]), rel=1)@5", "AP"]),
        ("A(x='a b') B(x=\"( ' \")", ["A(x='a b')", 'B(x="( \' ")']),
        ("A(x='a @ b')@ 3", ["A(x='a @ b')@3"]),
        ("A(x={'a': 1})", ["A(x={'a': 1})"]),
        ("A) B", ["A)", "B"]),
    ],
)
def test_split_measures(text: str, parts: list[str]) -> None:
    assert split_measures(text) == parts
