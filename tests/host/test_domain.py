"""What the tools behind measures of ir_measures would abort at, hang on, or answer with a wrong number, is refused."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ir_measures
import pytest

import irmx

QRELS: dict[str, dict[str, float]] = {"1": {"a": 2, "b": 1, "c": 0}, "2": {"a": 1}}
RUN = {"1": {"x": 4.0, "a": 3.0, "b": 2.0, "c": 1.0}, "2": {"b": 1.0}}

PARAMETERS = [
    # pytrec_eval: aborts, answers 0, or reads memory that is not its own
    ("SetP(rel=0)", "pytrec_eval", "The 'rel' parameter of SetP(rel=0), which pytrec_eval computes, must be an int"),
    ("AP(rel=-1)", "pytrec_eval", "must be a number in the range (0, 2147483647]. Got -1"),
    ("Bpref(rel=1000000)", "pytrec_eval", "in the range [1, 10000]. Got 1000000"),
    ("P@0", "pytrec_eval", "The 'cutoff' parameter of P must be an int"),
    ("nDCG@-1", "pytrec_eval", "Got -1"),
    ("AP@3000000000", "pytrec_eval", "Got 3000000000"),
    ("nDCG(gains={1:1000000000})", "pytrec_eval", "a dict from ints to ints in the range [0, 10000]"),
    ("nDCG(gains={1:-1})", "pytrec_eval", "Got {1: -1}"),
    ("nDCG(gains={1:0.5})", "pytrec_eval", "a dict from ints to ints"),
    ("SetF(beta=-1.0)", None, "in the range [0, inf)"),
    ("SetF(beta=0.00001)", None, "written without an exponent. Got 1e-05"),
    ("SetF(beta=1e300)", None, "written without an exponent. Got 1e+300"),
    ("IPrec@1.1", None, "in the range [0, 1], with at most two decimals. Got 1.1"),
    ("IPrec@0.123", None, "with at most two decimals. Got 0.123"),
    # cwl_eval: NaN, 0, values outside of the measure's range, and no more than 1,000 documents
    ("RBP(rel=1,p=2.0)", "cwl_eval", "must be a float in the range (0, 1). Got 2.0"),
    ("RBP(rel=1,p=1)", "cwl_eval", "in the range (0, 1). Got 1 "),
    ("RBP(rel=0)", "cwl_eval", "must be a number in the range (0, 2147483647]. Got 0"),
    ("RBP(rel=0.5)", "cwl_eval", "must be of type int. Got 0.5"),
    ("NERR10(p=0.0,max_rel=2)", None, "in the range (0, 1). Got 0.0"),
    ("INST(T=0.0,max_rel=2)", None, "The 'T' parameter of INST(T=0.0,max_rel=2), which cwl_eval computes"),
    ("INSQ(T=-1.0,max_rel=2)", None, "must be a float in the range (0, inf). Got -1.0"),
    ("BPM(T=0.0,max_rel=2)@5", None, "Got 0.0"),
    ("SDCG(max_rel=2)@1001", None, "must be an int in the range [1, 1000]. Got 1001"),
    ("P@1000000000", "cwl_eval", "in the range [1, 1000]"),
    ("INST(min_rel=-1,max_rel=2)", None, "The 'min_rel' parameter"),
    ("NERR8(max_rel=0)@5", None, "The 'max_rel' parameter"),
    ("NERR9(min_rel=2,max_rel=2)@5", None, "must be larger than 'min_rel'"),
    # the others
    ("Compat(p=1.5)", None, "The 'p' parameter of Compat(p=1.5), which compat computes"),
    ("Judged@0", "judged", "The 'cutoff' parameter of Judged"),
    ("Accuracy(rel=0)", None, "which accuracy computes, must be an int in the range [1, 2147483647]. Got 0"),
    ("alpha_nDCG@21", None, "which pyndeval computes, must be an int in the range [1, 20]. Got 21"),
    ("alpha_nDCG(alpha=1.5)@5", None, "must be a float in the range [0, 1]. Got 1.5"),
    ("ERR_IA(judged_only=True)@5", None, "which pyndeval computes, must be False. Got True"),
    ("NRBP(beta=1.0)", None, "must be a float in the range (0, 1). Got 1.0"),
    ("ERR@0", None, "The 'cutoff' parameter of ERR"),
]


@pytest.mark.parametrize(("text", "provider", "says"), PARAMETERS)
def test_a_parameter_that_no_tool_computes_with(text: str, provider: str | None, says: str) -> None:
    with pytest.raises(irmx.UsageError) as caught:
        irmx.calc_aggregate(f"SetR {text}" if provider is None else text, QRELS, RUN, provider=provider)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    "measure",
    [
        ir_measures.SetP(rel=0),
        ir_measures.SetF(beta=float("nan")),
        ir_measures.IPrec(recall=float("inf")),
        ir_measures.INST(max_rel=2, T=float("inf")),
        ir_measures.INST(max_rel=2, T="much"),
        ir_measures.INST(max_rel=10**400),
        ir_measures.Compat(p=float("nan")),
        ir_measures.BPM(max_rel=2),
        ir_measures.BPM(max_rel=2) @ 5.5,
        ir_measures.SetP(judged_only=1),
        ir_measures.NRBP(alpha=float("-inf")),
    ],
    ids=str,
)
def test_measures_that_were_not_parsed_are_checked_too(measure: Any) -> None:
    with pytest.raises(irmx.UsageError, match="parameter"):
        irmx.calc_aggregate(measure, QRELS, RUN)


@pytest.mark.parametrize("provider", [None, "irmx", "pytrec_eval"])
def test_a_parameter_that_the_measure_does_not_have(provider: str | None) -> None:
    says = re.escape("AP has no parameter 'rell'. Did you mean rel? It has: cutoff, rel, judged_only.")
    with pytest.raises(irmx.UnknownNameError, match=says):
        irmx.calc_aggregate(ir_measures.AP(rell=2), QRELS, RUN, provider=provider)
    with pytest.raises(irmx.UnknownNameError, match=says):
        irmx.explain(ir_measures.AP(rell=2), QRELS, RUN, "1")


def test_how_to_give_a_missing_parameter_is_a_form_that_it_takes() -> None:
    with pytest.raises(irmx.UsageError, match=r"IPrec needs the parameter 'recall' .*: IPrec\(recall=\.\.\.\)"):
        irmx.parse_measure("IPrec")
    with pytest.raises(irmx.UsageError, match=r"BPM needs the parameter 'cutoff' .*: BPM@10"):
        irmx.parse_measure("BPM(max_rel=2)")


GRADES = [
    ("SetP", 10**9, "SetP is computed by pytrec_eval, which reads only grades that are whole numbers up to 10000. "),
    ("infAP SetR", 2**31, "infAP, SetR are computed by pytrec_eval"),
    ("SetP", 0.5, "Found the grade 0.5 of document 'b' for query '1'"),
    (
        "ERR@5",
        5,
        "ERR@5 is computed by gdeval, which reads only grades that are whole numbers up to 4. Found the grade 5",
    ),
    ("INST(max_rel=2) SetP", 1e30, "SetP is computed by pytrec_eval"),
]


@pytest.mark.parametrize(("text", "grade", "says"), GRADES)
def test_a_grade_that_the_tool_cannot_hold(text: str, grade: float, says: str) -> None:
    with pytest.raises(irmx.DataError) as caught:
        irmx.calc_aggregate(text, {"1": {"a": 1, "b": grade}}, RUN)
    assert says in str(caught.value)


@pytest.mark.parametrize("grade", [10**9, 2**40, 1e30, 0.5, -(10**12)])
def test_tools_that_compare_grades_take_all(grade: float) -> None:
    text = "INST(max_rel=2) Compat Judged@5 RR@5 alpha_nDCG@5"
    found = irmx.calc_aggregate(text, {"1": {"a": grade, "b": 1}}, RUN)
    assert all(0 < value <= 1 for value in found.values())


@pytest.mark.parametrize("grade", [-1, -2, -(10**6)])
def test_topics_without_a_grade_of_0_or_more_do_not_crash_pytrec_eval(grade: int) -> None:
    topics = [str(topic) for topic in range(200)]
    qrels: Any = {topic: dict.fromkeys(map(str, range(int(topic) % 20)), grade) for topic in topics}
    measures = irmx.as_measures(
        "AP nDCG nDCG@3 P@5 Bpref infAP R@5 Rprec RR SetF SetAP SetP(relative=True) IPrec@0.5 NumRel"
    )
    run = {topic: {str(doc): float(doc) for doc in range(30)} for topic in topics}
    found = irmx.calc(measures, qrels | {"judged": {"1": 1}}, run | {"judged": {"1": 1.0}}, provider="pytrec_eval")
    assert {m.value for m in found.per_query if m.query_id != "judged"} == {0.0}
    assert all(m.value > 0 for m in found.per_query if m.query_id == "judged")


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["q.qrels", "r.run", "SetP(rel=0)"], 2, "must be an int in the range [1, 10000]. Got 0"),
        (["q.qrels", "r.run", "RBP(rel=1,p=2.0)", "--provider", "cwl_eval"], 2, "must be a float in the range (0, 1)"),
        (["q.qrels", "r.run", "SetP", "INST(T=0.0,max_rel=2)"], 2, "in the range (0, inf)"),
        (
            ["large.qrels", "r.run", "INST(max_rel=2)", "SetP"],
            1,
            "Found the grade 1000000000 of document 'a' for query '1'",
        ),
    ],
)
def test_the_command_says_the_same(
    arguments: list[str], code: int, says: str, tmp_path: Path, command: Callable[..., Any]
) -> None:
    (tmp_path / "q.qrels").write_text("1 0 a 1\n", encoding="utf-8")
    (tmp_path / "large.qrels").write_text("1 0 a 1000000000\n", encoding="utf-8")
    (tmp_path / "r.run").write_text("1 Q0 a 1 1 t\n", encoding="utf-8")
    done = command("eval", *arguments, cwd=tmp_path)
    assert (done.code, done.out) == (code, "")
    assert says in done.err
    assert "Traceback" not in done.err


def test_a_provider_that_fails_is_named_with_its_measures_only(monkeypatch: pytest.MonkeyPatch) -> None:
    compat = ir_measures.providers.registry["compat"]

    def fail(*arguments: Any) -> Any:
        raise OSError("no space left")

    monkeypatch.setattr(compat, "install_instructions", lambda: "pip install compat")
    says = (
        "Compat cannot be computed: the provider compat failed with OSError: no space left. "
        "If it is damaged or outdated: pip install compat. Leave out the measure, or choose another provider."
    )
    with monkeypatch.context() as patch:
        patch.setattr(compat, "_evaluator", fail)
        with pytest.raises(irmx.DataError) as caught:
            irmx.calc_aggregate("SetP Compat", QRELS, RUN)
        assert str(caught.value) == says
    evaluator = irmx.evaluator("SetP Compat", QRELS)
    monkeypatch.setattr("ir_measures.providers.compat_provider.compatibility", fail)
    with pytest.raises(irmx.DataError) as caught:
        evaluator.calc_aggregate(RUN)
    assert str(caught.value) == says


def test_a_mean_over_no_topic_is_told() -> None:
    nothing = {"1": {"c": 1.0}, "2": {"b": 1.0}}
    says = "Accuracy is not defined for any topic of the run, so that there is no mean: it is NaN."
    with pytest.warns(irmx.DataWarning, match=says):
        values = irmx.calc_aggregate("SetP Accuracy", QRELS, nothing)
    assert str(values) == "{SetP: 0.0, Accuracy: nan}"
    assert irmx.calc_aggregate("Accuracy", QRELS, {"1": {"c": 2.0, "b": 1.0}}) == {ir_measures.Accuracy: 0.0}


def test_a_value_that_is_not_finite_is_an_error() -> None:
    with pytest.raises(
        irmx.DataError, match="nNRBP cannot be computed: its provider pyndeval returned nan for query '2'"
    ):
        irmx.calc_aggregate("SetP nNRBP", {"1": {"a": 1}, "2": {"a": 0}}, RUN)
