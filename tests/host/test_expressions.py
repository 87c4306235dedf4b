"""Text to measure and back: a superset of what ir_measures reads, nothing evaluated, errors that point; durations."""

import math
import re
import warnings
from typing import Any

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irmx
import irmx_markov
import irmx_ncp
from irmx import Param, UsageError, parse_measure
from irmx.toolkit import duration, duration_text, parse_measures, seconds, split_measures

irmx.registry()
OF_IR_MEASURES = {n: m for n, m in ir_measures.measures.registry.items() if not isinstance(m, irmx.Measure)}
REQUIRED = {"cutoff": 10, "recall": 0.5, "T": 1.0, "max_rel": 3}
QRELS = {"1": {"a": 1, "b": 2, "c": 0, "d": 1}, "2": {"a": 1}}
RUN = {"1": {"c": 4.0, "a": 3.0, "x": 2.0, "b": 1.0}, "2": {"x": 2.0, "a": 1.0}}

# -- as ir_measures reads it -------------------------------------------------------------------------------

irmx.uninstall()
stock = ir_measures.parse_measure
irmx.install()


def found_by(parse: Any, text: str) -> Any:
    with warnings.catch_warnings():  # the parser of ir_measures 0.4.3 uses what Python 3.12 deprecates
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            return parse(text)
        except Exception as error:
            return error


def assert_read_as_before(text: str) -> None:
    before, now = found_by(stock, text), found_by(ir_measures.parse_measure, text)
    if isinstance(before, Exception):
        assert isinstance(now, (ir_measures.Measure, irmx.UsageError))
        return
    assert (type(now), now.params) == (type(before), before.params)
    assert str(found_by(str, now)) == str(found_by(str, before))
    assert not isinstance(found_by(lambda m: m.validate_params(), now), Exception) or isinstance(
        found_by(lambda m: m.validate_params(), before), Exception
    )


VALUES = [0, 1, 2, 10, 0.0, 0.5, 1.0, 2.5, "log2", "exp-log2", "x", True, False, None, {0: 1, 1: 2}, {}]


@pytest.mark.parametrize("name", sorted(OF_IR_MEASURES))
def test_every_measure_of_ir_measures_with_every_parameter(name: str) -> None:
    base = OF_IR_MEASURES[name]
    needed = {k: REQUIRED[k] for k, p in base.SUPPORTED_PARAMS.items() if p.required}
    text = name + ("(" + ",".join(f"{k}={v!r}" for k, v in needed.items()) + ")" if needed else "")
    assert parse_measure(text) == parse_measure(str(parse_measure(text))) == (base(**needed) if needed else base)
    assert_read_as_before(name)
    for value in VALUES:
        assert_read_as_before(f"{name}@{value!r}")
        for parameter in (*base.SUPPORTED_PARAMS, "unheard_of"):
            assert_read_as_before(f"{name}({parameter} = {value!r}, cutoff=20) @ 10")


parameters = sorted({p for m in OF_IR_MEASURES.values() for p in m.SUPPORTED_PARAMS})
numbers = st.one_of(st.integers(-3, 2**70), st.floats(allow_nan=False))
values = st.one_of(numbers, st.sampled_from(VALUES), st.text(max_size=3), st.dictionaries(st.integers(0, 3), numbers))
pairs = st.tuples(st.sampled_from([*parameters, "unheard_of"]), values)
given_values = pairs.map(lambda pair: f"{pair[0]}={pair[1]!r}")


@given(
    st.sampled_from([*OF_IR_MEASURES, "Unheard"]),
    st.one_of(st.just(""), st.lists(given_values, max_size=3).map(lambda found: "(" + ", ".join(found) + ")")),
    st.one_of(st.just(""), values.map(lambda value: f"@{value!r}")),
    st.sampled_from(["", " ", "\n", ";", " # as in the paper", ")", "@5"]),
)
def test_any_expression_of_ir_measures(name: str, inside: str, at: str, after: str) -> None:
    assert_read_as_before(name + inside + at + after)


@pytest.mark.parametrize(
    ("text", "measure"),
    [
        (" AP() ", ir_measures.AP),
        ("MAP", ir_measures.AP),
        ("map", ir_measures.AP),
        ("NDCG_cut.10", ir_measures.nDCG @ 10),
        ("nDCG @ 10", ir_measures.nDCG @ 10),
        ("nDCG(cutoff=20)@10", ir_measures.nDCG @ 10),
        ('nDCG(dcg="exp-log2")@5', ir_measures.nDCG(dcg="exp-log2") @ 5),
        ("IPrec@0.5", ir_measures.IPrec @ 0.5),
        ("RBP(p=0.5, rel=1)@20", ir_measures.RBP(p=0.5, rel=1) @ 20),
        ("AP(judged_only=True)", ir_measures.AP(judged_only=True)),
        ("MP(model=GL_AD_ID)@100", irmx_markov.MP(model=irmx_markov.GL_AD_ID) @ 100),
        ("MP(model='GL_AD_ID')", irmx_markov.MP(model=irmx_markov.GL_AD_ID)),
        ("MP(model=GL_AD_ID(max_hop=3, self_loops=True))", irmx_markov.MP(model=irmx_markov.GL_AD_ID(max_hop=3, self_loops=True))),
        ("MP(model=GL_AD_ID(offset=2))", irmx_markov.MP(model=irmx_markov.GL_AD_ID(offset=2.0))),
        ("MP(model=GL_AD_ID, rescale=None, judged_only=False)", irmx_markov.MP(model=irmx_markov.GL_AD_ID)),
        ("NCP(law=uniform, rel=-1)", irmx_ncp.NCP(law=irmx_ncp.UNIFORM, rel=-1)),
        ("NCP(law=uniform, rel=+0.5)", irmx_ncp.NCP(law=irmx_ncp.UNIFORM, rel=0.5)),
        ("NCP(law=uniform,cutoff=3)@5", irmx_ncp.NCP(law=irmx_ncp.UNIFORM, cutoff=3) @ 5),
        ("NCP(law=geometric(p=1))", irmx_ncp.NCP(law=irmx_ncp.GEOMETRIC(p=1.0))),
        ("NCP(law=table(p=[3, 1.5,\n0]))", irmx_ncp.NCP(law=irmx_ncp.TABLE(p=[3, 1.5, 0]))),
        ("NCP(law=table(p=(3, 1)))", irmx_ncp.NCP(law=irmx_ncp.TABLE(p=[3, 1]))),
    ],
)  # fmt: skip
def test_what_is_read(text: str, measure: ir_measures.Measure) -> None:
    assert parse_measure(text) == measure == ir_measures.parse_measure(text)
    assert parse_measure(measure) is measure


@pytest.mark.parametrize("text", ["IPrec@{}", "SetF(beta={})", "INST(T={},max_rel=2)"])
def test_a_whole_number_for_a_float_gives_the_value_of_the_float_once(text: str) -> None:
    whole, plain = (irmx.calc([text.format(value)], QRELS, RUN).per_query for value in ("1", "1.0"))
    assert [m.value for m in whole] == [m.value for m in plain]
    assert len(irmx.calc_aggregate([text.format("1"), text.format("1.0"), "AP"], QRELS, RUN)) == 2


def test_equal_numbers_make_one_measure() -> None:
    assert len(irmx.toolkit.as_measures("RBP(rel=1) RBP(rel=1.0) NCP(law=uniform,rel=1.0) NCP(law=uniform)")) == 2
    assert parse_measures("MSU(MD=30s|1m,L=.5)") == parse_measures("MSU(MD='30s',L=0.5) MSU(MD=60,L=0.5)")
    assert parse_measure("nDCG(dcg=exp-log2)@10") == ir_measures.nDCG(dcg="exp-log2") @ 10


@pytest.mark.parametrize("recall", [0.104, 0.1 + 0.2])
def test_recall_of_more_than_two_decimals_is_refused(recall: float) -> None:
    """pytrec_eval's provider rounds it: the value would be of another recall, or 0 where that is asked for, too."""
    for measures in ([ir_measures.IPrec @ recall], f"iprec_at_recall_{recall}"):
        with pytest.raises(irmx.UsageError, match="with at most two decimals"):
            irmx.calc_aggregate(measures, QRELS, RUN, provider="pytrec_eval")
    hundredths = [ir_measures.IPrec @ (i / 100) for i in range(101)]
    assert len(irmx.calc_aggregate(hundredths, QRELS, RUN, provider="pytrec_eval")) == 101


@pytest.mark.parametrize("setting", ["nDCG(gains={1:10})@5", "AP(judged_only=True)", "AP(rel=2)"])
@pytest.mark.parametrize("other", ["nDCG@5", "nDCG(gains={1:0,2:7})@5", "NumRet", "NumQ AP(rel=2)", "Bpref SetR"])
def test_the_setting_of_a_measure_changes_no_other_measure(setting: str, other: str) -> None:
    def values(text: str) -> dict[ir_measures.Measure, float]:
        return irmx.calc_aggregate(text, QRELS, RUN, provider="pytrec_eval")

    alone = {**values(setting), **values(other)}
    for asked in (f"{setting} {other}", f"{other} {setting}"):
        assert values(asked) == pytest.approx(alone)


@pytest.mark.parametrize("provider", ["irmx", "pytrec_eval"])
def test_gains_take_the_place_of_grades(provider: str) -> None:
    """By hand, with the gains 10, 2 and 10 of a, b and d; b keeps its grade as its gain."""
    gains = parse_measure("nDCG(gains={1:10})@5")
    ideal = 10 + 10 / np.log2(3) + 2 / np.log2(4)
    by_hand = ((10 / np.log2(3) + 2 / np.log2(5)) / ideal + 1 / np.log2(3)) / 2
    value = irmx.calc_aggregate(gains, QRELS, RUN, provider=provider)[gains]
    assert value == pytest.approx(by_hand, abs=1e-6)


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
        "self_loops": st.booleans(),
        "max_hop": st.one_of(st.none(), st.integers(1, 50)),
        "direction": st.sampled_from([None, "FRBN", "FNBR", "FIRBIN", "FINBIR"]),
    },
).map(lambda p: irmx_markov.MarkovModel(**p))
markov = st.fixed_dictionaries(
    {"model": models}, optional={"rescale": st.sampled_from([None, "recall", "relative_recall"]), **common}
).map(lambda p: irmx_markov.MP(**p))
laws = st.one_of(
    st.sampled_from([irmx_ncp.UNIFORM, irmx_ncp.FIRST, irmx_ncp.GEOMETRIC, irmx_ncp.ZIPF]),
    st.floats(1e-6, 1).map(lambda p: irmx_ncp.GEOMETRIC(p=p)),
    st.lists(st.one_of(st.integers(1, 9), st.floats(1e-9, 9)), min_size=1).map(lambda p: irmx_ncp.TABLE(p=p)),
)
cumulative = st.fixed_dictionaries({"law": laws}, optional=common).map(lambda p: irmx_ncp.NCP(**p))


@given(st.one_of(markov, cumulative), cumulative)
def test_the_text_of_a_measure_parses_back_to_an_equal_measure(measure: irmx.Measure, other: irmx.Measure) -> None:
    again = parse_measure(str(measure))
    assert (again, hash(again), str(again)) == (measure, hash(measure), str(measure))
    assert {k: again[k] for k in again.SUPPORTED_PARAMS} == {k: measure[k] for k in measure.SUPPORTED_PARAMS}
    if isinstance(measure, type(other)):
        assert (measure == other) == all(measure[k] == other[k] for k in other.SUPPORTED_PARAMS)
    both = [measure, ir_measures.nDCG @ 10, other]
    assert parse_measures("  ".join(map(str, both))) == both


# -- nothing is evaluated ------------------------------------------------------------------------------------

EVIL = [
    "__import__('os').system('true')", "AP.__class__.__mro__", "AP(rel=__import__('os'))", "AP(rel=().__class__)",
    "AP(rel=print)", "AP(rel=lambda: 1)", "AP(rel=[x for x in 'ab'])", "AP(rel=1 if 1 else 2)", "AP(rel=1+1)", "AP(rel=2**99)",
    "AP(rel=(x:=1))", "AP(rel=f'{1}')", "AP(rel=b'1')", "AP(rel=1j)", "AP(rel=...)", "AP(rel=not 1)", "AP(rel=--1)",
    "AP(rel='a'[0])", "AP(rel=*[1])", "AP(*[1])", "AP(**{'rel': 1})", "AP(rel=1)(rel=2)", "AP@1@2", "AP[0]", "[AP]",
    "AP if 1 else AP", "nDCG(gains={[1]: 2})@10", "nDCG(gains={**{}})@10", "NCP(law=uniform.probabilities)",
    "NCP(law=geometric.__call__(p=0.5))", "1", "'AP'", "AP;AP", "AP AP", "AP=1", "import os", "await AP", "yield", "AP\0", "AP\ud800",
    "INST(T=1*min_rel)", "IPrec(rel=2*recall)",
]  # fmt: skip
DEEP = {
    "parentheses": "P@" + "(" * 3000 + "1" + ")" * 3000,
    "lists": "NCP(law=table(p=" + "[" * 180 + "1" + "]" * 180 + "))",
    "dicts": "NCP(law=uniform,rel=" + "{1:" * 180 + "1" + "}" * 180 + ")",
    "signs": "P@" + "-" * 9000 + "1",
    "sums": "P@" + "1+" * 4000 + "1",
    "attributes": "AP(rel=a" + ".a" * 4500 + ")",
    "cutoffs": "P" + "@1" * 4000,
    "calls": "NCP(law=" + "geometric(p=" * 150 + "1" + ")" * 150 + ")",
    "long name": "A" * 20_000,
    "long number": "P@" + "9" * 5000,
    "numbers of trec_eval": "P_" + "1.1," * 5000,
    "large number": "NCP(law=uniform)@" + "9" * 400,
    "infinite": "NCP(law=uniform,rel=1e999)",
}


@pytest.mark.parametrize(
    "text", [*EVIL, *DEEP.values(), "", " \n", r"MP(model='C:\data\m')"], ids=lambda t: ascii(t)[:40]
)
def test_what_is_no_measure_is_refused_shortly(text: str) -> None:
    with pytest.raises(irmx.UsageError) as caught:
        parse_measure(text)
    assert max(map(len, str(caught.value).splitlines()[1:]), default=0) <= 310


def test_what_is_neither_text_nor_measure_is_refused() -> None:
    with pytest.raises(irmx.UsageError):
        parse_measure(7)  # type: ignore[arg-type]


@given(st.text(alphabet="AP()[]{}'\"@=,.-+0189 \n\\#:nlaw*ü_", max_size=30))
def test_any_text_is_a_measure_or_a_usage_error_and_is_split_without_loss(text: str) -> None:
    parts = split_measures(text)
    assert re.sub(r"\s", "", "".join(parts)) == re.sub(r"\s", "", text)
    assert all(parts)
    try:
        found = parse_measure(text)
    except irmx.UsageError:
        return
    assert parse_measure(str(found)) == found


@pytest.mark.parametrize(
    ("text", "pointed", "says"),
    [
        ("nDCK@10", "nDCK", ["no measure nDCK", "Did you mean nDCG?"]),
        ("MP(model=GL_AD_IDD)", "GL_AD_IDD", ["Did you mean GL_AD_ID?", "LO_OR_LID", "constant"]),
        ("MP(model=uniform)", "uniform", ["takes a Markov model for 'model'"]),
        ("MP(modl=GL_AD_ID)", "GL_AD_ID", ["no parameter 'modl'", "Did you mean model?", "rescale"]),
        ("MP(model=GL_AD_ID(self_lops=True))", "True", ["Did you mean self_loops?"]),
        ("MP(model=GL_AD_ID(max_hop=0))", "0", ["[1, inf)"]),
        ("MP(model=GL_AD_ID,rescale='recal')", "'recal'", ["Did you mean recall?"]),
        ("MP(model=GL_AD_ID)@2.5", "2.5", ["must be an int", "Got 2.5"]),
        ("NCP(law=uniform,law=first)", "first", ["'law' is given twice"]),
        ("map_cut@10", "map_cut", ["stands for AP"]),
        ("recip_rnk", "recip_rnk", ["Did you mean recip_rank?"]),
        ("NCP(uniform)", "uniform", ["by name: parameter=value"]),
        ("NCP", "NCP", ["needs the parameter 'law'", "NCP(law=uniform)"]),
        ("P@0", "P", ["[1, inf)"]),
        ("nDCG(dcg='log')@10", "nDCG", ["'log2', 'exp-log2'"]),
        ("AP(rel=relevant)", "relevant", ["'rel' parameter of AP must be a number", "Got 'relevant'"]),
        ("AP(", "(", ["never closed"]),
        (r"NCP(law='it\'s),')", r"'it\'s),'", ["must be a stopping law"]),
        ("NCP(law=uniform,\n    rell=1)", "1", ["Did you mean rel?"]),
        ("NCP(\n law='ä',\n rell=1)", "'ä'", ["unknown name 'ä'"]),
        ("AP\n)", ")", ["not a measure"]),
        ("NCP(law=table(p=[" + "1," * 900 + "oops," + "1," * 900 + "]))", "oops", ["unknown name or text 'oops'"]),
    ],
    ids=lambda value: value[:30] if isinstance(value, str) else "",
)
def test_an_error_points_at_its_place_and_says_what_is_allowed(text: str, pointed: str, says: list[str]) -> None:
    with pytest.raises(irmx.UsageError) as caught:
        parse_measure(text)
    message, shown, marks = str(caught.value).rsplit("\n", 2)
    assert shown[marks.index("^") : marks.rindex("^") + 1] == pointed
    assert [part for part in says if part not in message] == []


@pytest.mark.parametrize("text", ["Nope", "MP(model=Nope)", "AP(nope=1)"])
def test_unknown_names_are_name_errors_as_in_ir_measures(text: str) -> None:
    with pytest.raises(NameError):
        parse_measure(text)


@pytest.mark.parametrize(
    "texts",
    [
        ["AP", "nDCG@10", "RR"],
        ["nDCG@ 10", "P @5"],
        ["NCP(law=table(p=[1, 2, 3]), rel=1)@5", "AP"],
        ["Session(measure='P @ 3' )", 'IntentAware(measure="P( rel=2 )@5")', "AP"],
        ["IntentAware(measure='RR') @ 3", "nDCG(gains={1: 0, 2: 1})@ 5"],
    ],
)
def test_several_measures_in_one_text(texts: list[str]) -> None:
    for blank in (" ", "  ", "\t", "\n"):
        assert parse_measures(f" {blank.join(texts)}{blank}") == [parse_measure(text) for text in texts]
    with pytest.raises(UsageError):
        parse_measures(f"{texts[0]}) {texts[1]}")


# -- durations and other types of parameters -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("30s", 30), ("5m", 300), ("1.5h", 5400), ("1d", 86400), ("2w", 1209600), ("90", 90), (".5m", 30), ("1E3 s", 1000), (0.5, 0.5)],
)  # fmt: skip
def test_what_is_read_as_a_duration(text: object, wanted: float) -> None:
    assert seconds(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "3 parsecs", "5M", "1mo", "", "soon", "-1y", ".5y", "9" * 400 + "w", "٣s", "1h30m", True, None, math.inf, math.nan, 10**400,
        "1" * 1_000_000 + "?",
    ],
    ids=lambda text: repr(text)[:20] if isinstance(text, str) else type(text).__name__,
)  # fmt: skip
def test_what_is_no_duration(text: object) -> None:
    with pytest.raises(irmx.UsageError, match=r"duration|unit of time|finite"):
        seconds(text)


NUMBERS = st.from_regex(r"[+-]?[0-9]{0,400}\.?[0-9]{0,4}([eE][+-]?[0-9]{1,4})?", fullmatch=True)
NEAR = st.tuples(st.sampled_from(["", " "]), NUMBERS, st.one_of(st.sampled_from(["", "s", "mo", "y", " w"]), st.text()))


@given(st.one_of(st.text(), NEAR.map("".join), st.floats(-1e9, 1e9), st.integers(-(10**9), 10**9)))
def test_every_text_is_a_duration_with_an_exact_canonical_text_or_refused(text: Any) -> None:
    try:
        value = seconds(text)
    except irmx.UsageError:
        with pytest.raises(irmx.UsageError, match=re.escape(repr(text))):
            duration_text(text)
        return
    assert seconds(duration_text(text)) == value
    assert duration_text(duration_text(text)) == duration_text(value) == duration_text(text)


DURATION = Param(duration, "time away", default="3h", above=0, high=86400)
WORDS = Param(int, "users", default=10, low=1, words=("auto",))
CHOICES = Param(str, "unit", default=None, choices=("second", "update"))
YEARS = Param(str, "track", default="2014", choices=("2013", "2014"))


@pytest.mark.parametrize(
    ("param", "read", "refused", "told"),
    [
        (DURATION, {"90m": "1.5h", 86400: "1d"}, (0, "0s", "-1h", "25h", "3 parsecs"), "must be a duration"),
        (WORDS, {"auto": "auto", 3: 3}, ("Auto", 0, 2.5), r"an int in the range \[1, inf\) or 'auto'"),
        (CHOICES, {None: None, "second": "second"}, ("hour",), "one of 'second', 'update' or None"),
        (YEARS, {2013: "2013"}, (2015, 2013.0, True), "one of '2013', '2014'"),
    ],
)
def test_types_of_parameters(param: Param, read: dict[Any, Any], refused: tuple[Any, ...], told: str) -> None:
    assert {value: param.check(value, "x", "M") for value in read} == read
    for wrong in refused:
        with pytest.raises(irmx.UsageError, match=rf"'x' parameter of M must be .*{told}|{told}"):
            param.check(wrong, "x", "M")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("ndcg_10", "nDCG@10?"), ("nDCG10", "nDCG@10?"), ("P10", "P@10?"), ("precision_5", "P@5?"), ("TIA_Precision", "TIA_P?"),
        ("TIA_AvgPrecision", "TIA_AP?"), ("MP(model=GL_AD_ID)@Rec", "rescale='recall'?"), ("TIA_SBR(alpha=0.5)", "a?"), ("nDGC", "nDCG?"),
        ("NCP(law='geometric(p=0.3)')", "law=geometric(p=0.3)"), ("MP(model=GL_AD_ID,log_base=2)", "model=GL_AD_ID(log_base=...)"),
        ("MSU(unread='between_sessions')", "interface=reverse_chronological(unread=...)"),
        ("MP(model=[GL_AD_ID,LO_OR_ID])", "MP(model=GL_AD_ID|LO_OR_ID)"),
    ],
)  # fmt: skip
def test_what_people_type_is_understood_in_the_message(typed: str, meant: str) -> None:
    with pytest.raises(UsageError) as refused:
        irmx.parse_measure(typed)
    assert f"Did you mean {meant}" in str(refused.value) if meant[-1] == "?" else meant in str(refused.value)


def test_papers_of_a_measure_need_no_parameters(command: Any) -> None:
    assert command("cite", "MP").out == command("cite", "MP(model=GL_AD_ID)").out
    assert command("cite", "MPP").code == 2
