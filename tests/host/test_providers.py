"""Providers of ir_measures: one order of documents for all, plain floats, and what they would crash at or misread is refused."""

import itertools
import json
import math
import random
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_measures import Metric, nDCG
from ir_measures.providers.base import NOT_PROVIDED, Choices

import irmx
from irmx import DataError, UsageError

PROVIDERS = ir_measures.providers.registry
AP, EXP = irmx.parse_measure("AP"), "nDCG(dcg='exp-log2')@5"


def values(measure: Any, qrels: Any, run: Any, provider: str | None = None) -> dict[str, float]:
    [of_measure] = irmx.toolkit.Evaluator(measure, qrels, provider).values(run).values()
    return of_measure


# -- one order -------------------------------------------------------------------------------------------------------

SETTINGS: dict[str, Any] = {"cutoff": 5, "rel": 1, "max_rel": 3, "recall": 0.5}
TIED = [2.0, 1.0, 0.0, -0.0, -1.5, 1e-46, 100000.1546100, 100000.1546101, 1.0 + 1e-9, 1e300, 2e300]
"""Scores of which many are equal in 32 bits; some only there."""


def measures_of(name: str) -> Iterator[ir_measures.Measure]:
    """Yield every measure that a provider supports, with parameters that it takes."""
    for pattern in PROVIDERS[name].SUPPORTED_MEASURES:
        params = {}
        for param, spec in pattern.params.items():
            if not isinstance(spec, Choices):
                params |= {param: SETTINGS[param]} if param in SETTINGS else {}
            elif spec.choices[0] is not NOT_PROVIDED:
                params[param] = spec.choices[0]
        if name == "trectools" and pattern.NAME == "RBP":
            del params["rel"]
        yield type(pattern)(**params)


def tied(seed: int) -> tuple[list[Any], pd.DataFrame, dict[str, dict[str, float]]]:
    """Return the rows of a run with ties, qrels, and the run with the scores 100, 99, ... in the order of trec_eval."""
    generator, topics = random.Random(seed), ("1", "2")
    docs = [f"d{i:02d}" for i in range(14)] + ["D1", "é", "漢"]
    rows = [(topic, doc, generator.choice(TIED)) for topic in topics for doc in generator.sample(docs, 15)]
    judged = [(t, d, generator.randrange(4), generator.choice("ab")) for t, d, _ in rows if generator.random() < 0.6]
    judged += [(topic, "unretrieved", 2, "a") for topic in topics]
    with np.errstate(over="ignore"):
        order = sorted(rows, key=lambda r: (np.float32(r[2]), r[1]), reverse=True)
    ranked = {t: {d: 100.0 - rank for rank, d in enumerate(d for of, d, _ in order if of == t)} for t in topics}
    return rows, pd.DataFrame(judged, columns=["query_id", "doc_id", "relevance", "iteration"]), ranked


def frame(rows: list[Any]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])


# a provider that is new in ir_measures must be looked at: does it use scores for more than ranks?
RANKERS = ["pytrec_eval", "cwl_eval", "compat", "judged", "gdeval", "pyndeval", "msmarco", "accuracy"]
RANKERS += ["trectools", "ranx"]


@pytest.mark.filterwarnings("ignore:(?s).*unsafe cast from uint64 to int64")  # numba's, of ranx
@pytest.mark.parametrize("name", [*RANKERS[:-1], pytest.param("ranx", marks=pytest.mark.slow)])  # which compiles
def test_every_measure_of_a_provider_ranks_as_trec_eval_does(name: str) -> None:
    assert set(PROVIDERS) - {"irmx"} == {*RANKERS, "runtime"}
    if not PROVIDERS[name].is_available():
        pytest.skip(f"{name} is not installed")
    for seed, measure in itertools.product(range(2), measures_of(name)):
        rows, qrels, ranked = tied(seed)
        try:
            direct = PROVIDERS[name].evaluator([measure], list(irmx.read_qrels(qrels)))
            expected = {m.query_id: m.value for m in direct.iter_calc(ranked)}
        except (AssertionError, TypeError, ValueError) as error:
            if name != "ranx":
                raise
            pytest.skip(f"ranx does not work with this version of pandas or numba: {error}")
        for order in (rows[::-1], sorted(rows, key=lambda r: r[1])):
            assert values(measure, qrels, frame(order), name) == expected, measure
        if name == "pytrec_eval":  # which breaks ties in this way itself
            of_dict = {t: {doc: score for of, doc, score in rows if of == t} for t in ("1", "2")}
            own = direct.iter_calc(of_dict)
            assert values(measure, qrels, of_dict, name) == {m.query_id: m.value for m in own} == expected, measure


def test_a_measure_that_is_defined_at_runtime_sees_the_scores_and_the_order_of_trec_eval() -> None:
    seen: dict[str, pd.DataFrame] = {}

    def look(qrels: pd.DataFrame, run: pd.DataFrame) -> float:
        seen[run["query_id"].iloc[0]] = run
        return float(run["score"].max())

    measure = ir_measures.define_byquery(look, name="Look", support_cutoff=False)
    rows, qrels, ranked = tied(3)
    values(measure, qrels, frame(rows[::-1]))
    for topic, docs in ranked.items():
        score_of = {doc: score for t, doc, score in rows if t == topic}
        assert seen[topic]["doc_id"].tolist() == list(docs)
        assert (np.diff(seen[topic]["score"]) < 0).all()
        with np.errstate(over="ignore"):
            own = np.array([score_of[doc] for doc in docs], dtype=np.float32)
            assert seen[topic]["score"].to_numpy().astype(np.float32).tolist() == own.tolist()
    values(measure, {"1": {"a": 1}}, frame([("1", "a", 0.1), ("1", "b", -7.25), ("1", "c", 1e-300)]))
    assert seen["1"]["score"].tolist() == [0.1, 1e-300, -7.25]


def test_compat_does_not_depend_on_the_sign_of_scores() -> None:
    """It takes 0 for the score of an ideal document that was not retrieved: log probabilities would be below it."""
    found = [values("Compat", {"q": {"a": 1, "b": 1}}, {"q": {"x": 4.0 - low, "b": 3.0 - low}}) for low in (0, 9)]
    assert found[0] == found[1]


def test_settings_together_have_the_values_that_each_has_alone() -> None:
    together = ["alpha_nDCG(alpha=0.1)@5", "alpha_nDCG(alpha=0.9)@5", "nDCG", "nDCG(gains={1:5})", "NumRet"]
    together.append("AP(judged_only=True)")
    rows, qrels, _ = tied(1)
    found = irmx.calc_aggregate(together, qrels, frame(rows))
    assert list(found.values()) == [next(iter(irmx.calc_aggregate(m, qrels, frame(rows)).values())) for m in together]


# -- plain floats ----------------------------------------------------------------------------------------------------

OF_EACH_PROVIDER = {
    "pytrec_eval": "AP nDCG@10 NumRet NumQ", "cwl_eval": "RBP(rel=1) BPM(T=1.0,max_rel=2)@5 NERR8(max_rel=2)@5 P@2",
    "compat": "Compat(p=0.9)", "pyndeval": "alpha_nDCG@10 ERR_IA@10 StRecall@5", "judged": "Judged@2", "msmarco": "RR@2",
    "gdeval": "ERR@20 nDCG(dcg='exp-log2')@20", "accuracy": "Accuracy", "irmx": "NCP(law=uniform) MP(model=GL_AD_ID)",
}  # fmt: skip


@pytest.mark.parametrize("name", OF_EACH_PROVIDER)
def test_every_provider_gives_plain_floats(name: str) -> None:
    """Those of numpy print as np.float64(0.2)."""
    rows = [("1", "1", "a", 1), ("1", "2", "b", 2), ("1", "2", "a", 1), ("2", "1", "a", 1), ("3", "1", "c", 0)]
    qrels = pd.DataFrame(rows, columns=["query_id", "iteration", "doc_id", "relevance"])
    run = {"1": {"x": 3.0, "a": 2.0, "b": 1.0}, "2": {"y": 1.0}, "3": {"c": 1.0}}
    evaluator = irmx.toolkit.Evaluator(OF_EACH_PROVIDER[name], qrels, name)
    found = evaluator.calc(run)
    every = [*(m.value for m in found.per_query), *found.aggregated.values(), *evaluator.calc_aggregate(run).values()]
    assert {type(value) for value in every} == {float}


# -- what a tool does not compute with -------------------------------------------------------------------------------

QRELS: dict[str, dict[str, float]] = {"1": {"a": 2, "b": 1, "c": 0}, "2": {"a": 1}}
RUN = {"1": {"x": 4.0, "a": 3.0, "b": 2.0, "c": 1.0}, "2": {"b": 1.0}}

PARAMETERS = [
    # pytrec_eval: aborts, answers 0, or reads memory that is not its own
    *(("rel", "pytrec_eval", m) for m in ("SetP(rel=0)", "AP(rel=-1)", "Bpref(rel=1000000)", ir_measures.SetP(rel=0))),
    *(("cutoff", "pytrec_eval", measure) for measure in ("P@0", "nDCG@-1", "AP@3000000000")),
    *(("gains", "pytrec_eval", f"nDCG(gains={{1:{gain}}})") for gain in ("1000000000", "-1", "0.5")),
    *(("beta", "pytrec_eval", f"SetF(beta={beta})") for beta in ("-1.0", "0.00001", "1e300")),
    *(("recall", "pytrec_eval", f"IPrec@{recall}") for recall in ("1.1", "0.123")),
    ("judged_only", None, ir_measures.SetP(judged_only=1)),
    # cwl_eval: NaN, 0, values outside of the measure's range, and no more than 1,000 documents
    *(("p", "cwl_eval", measure) for measure in ("RBP(rel=1,p=2.0)", "RBP(rel=1,p=1)", "NERR10(p=0.0,max_rel=2)")),
    *(("rel", "cwl_eval", measure) for measure in ("RBP(rel=0)", "RBP(rel=0.5)")),
    *(("T", None, measure) for measure in ("INST(T=0.0,max_rel=2)", "INSQ(T=-1.0,max_rel=2)", "BPM(T=0.0,max_rel=2)@5")),
    *(("T", None, ir_measures.INST(max_rel=2, T=T)) for T in (math.inf, "much")),
    *(("cutoff", None, m) for m in ("SDCG(max_rel=2)@1001", ir_measures.BPM(max_rel=2), ir_measures.BPM(max_rel=2) @ 5.5)),
    ("cutoff", "cwl_eval", "P@1000000000"),
    ("min_rel", None, "INST(min_rel=-1,max_rel=2)"),
    *(("max_rel", None, m) for m in ("NERR8(max_rel=0)@5", "NERR9(min_rel=2,max_rel=2)@5", ir_measures.INST(max_rel=10**400))),
    # the others
    *(("p", None, measure) for measure in ("Compat(p=1.5)", ir_measures.Compat(p=math.nan))),
    *(("cutoff", None, measure) for measure in ("Judged@0", "alpha_nDCG@0", "ERR@0")),
    ("cutoff", "pyndeval", "alpha_nDCG@21"),
    ("rel", None, "Accuracy(rel=0)"),
    *(("alpha", None, measure) for measure in ("alpha_nDCG(alpha=1.5)@5", ir_measures.NRBP(alpha=-math.inf))),
    ("judged_only", "pyndeval", "ERR_IA(judged_only=True)@5"),
    ("beta", None, "NRBP(beta=1.0)"),
]  # fmt: skip


@pytest.mark.parametrize(("parameter", "provider", "measure"), PARAMETERS, ids=str)
def test_a_parameter_with_which_no_tool_computes(parameter: str, provider: str | None, measure: Any) -> None:
    with pytest.raises(UsageError, match=rf"\b{parameter}\b"):
        irmx.calc_aggregate([measure] if provider else ["SetR", measure], QRELS, RUN, provider=provider)


@pytest.mark.parametrize("provider", [None, "irmx", "pytrec_eval"])
def test_a_parameter_that_the_measure_does_not_have(provider: str | None) -> None:
    for score in (irmx.calc_aggregate, lambda *arguments, provider: irmx.explain(*arguments, "1")):
        with pytest.raises(irmx.toolkit.UnknownNameError, match=r"no parameter 'rell'\. Did you mean rel\?"):
            score(ir_measures.AP(rell=2), QRELS, RUN, provider=provider)


ONE: Any = {"a": 1.0}
DATA: list[tuple[str, Any, Any, str]] = [
    *(("SetR SetP", {"1": {"a": 1, "b": grade}}, {"1": ONE}, "document 'b'") for grade in (10**9, 2**31, 0.5, 1e30)),
    ("infAP", {"1": {"a": 1, "b": 10**9}}, {"1": ONE}, "^infAP is .*document 'b'"),
    ("ERR@5", {"1": {"a": 1, "b": 5}}, {"1": ONE}, "document 'b'"),
    ("nNRBP", {"1": {"a": 1}, "2": {"a": 0}}, RUN, "^nNRBP cannot .*nan for query '2'"),
    ("nDCG RR", {"1": {"a": 1}}, frame([("1", "a", 2.0), ("1", "a", 1.0)]), "'a' more than once"),
    # gdeval, the script behind ERR, reads numbers and words
    *((f"ERR@5 {EXP}", {t: ONE}, {t: ONE}, "topic") for t in ("q1", "301a", "1.5", "#301", "web-301", "-1", "٣", "1" * 20)),
    ("ERR@5", {"7": ONE, "07": {"b": 1}}, {"7": ONE}, "'7' and '07'"),
    ("ERR@5", {"7": {}, "8": {"b": 0.5}}, {"7": ONE}, "document 'b'"),
    ("ERR@5", {"7": {"a b": 1}}, {"7": ONE}, "'a b' in the qrels"),
    ("ERR@5", {"7": ONE}, {"7": {"a\tb": 1.0}}, r"'a\\tb' in the run"),
]  # fmt: skip


@pytest.mark.parametrize(("measures", "qrels", "run", "found"), DATA, ids=str)
def test_data_that_a_tool_misreads(measures: str, qrels: Any, run: Any, found: str) -> None:
    provider = {"ERR@": "gdeval", "nNRB": "pyndeval", "SetR": "pytrec_eval", "infA": "pytrec_eval"}.get(measures[:4])
    with pytest.raises(DataError, match=found):
        irmx.calc_aggregate(measures, qrels, run, provider=provider)


@pytest.mark.parametrize("grade", [10**9, 1e30, 0.5, -(10**12)])
def test_tools_that_compare_grades_take_all(grade: float) -> None:
    measures = "INST(max_rel=2) Compat Judged@5 RR@5 ERR@5"
    assert all(0 < value <= 1 for value in irmx.calc_aggregate(measures, {"1": {"a": grade, "b": 1}}, RUN).values())


@pytest.mark.parametrize("grade", [-1, -2, -(10**6)])
def test_topics_without_a_grade_of_0_or_more_do_not_crash_pytrec_eval(grade: int) -> None:
    qrels: Any = {str(topic): dict.fromkeys(map(str, range(topic % 20)), grade) for topic in range(200)}
    text = "AP nDCG nDCG@3 P@5 Bpref infAP R@5 Rprec RR SetF SetAP SetP(relative=True) IPrec@0.5 NumRel"
    measures = irmx.toolkit.as_measures(text)
    run = {topic: {str(doc): float(doc) for doc in range(30)} for topic in qrels}
    found = irmx.calc(measures, qrels | {"judged": {"1": 1}}, run | {"judged": {"1": 1.0}}, provider="pytrec_eval")
    assert all((m.value > 0) == (m.query_id == "judged") for m in found.per_query)


def test_what_gdeval_reads() -> None:
    """Leading zeros, numbers that floats cannot tell apart, negative grades, and other topics of a run, whatever their ids."""
    large = [str(2**53), str(2**53 + 1)]
    qrels: Any = {"007": {"a": 4}, large[0]: {"a": 4}, large[1]: {"a": 4, "b": -1}}
    run = {"007": {"a": 1.0}, "q1": {"a": 1.0}, large[0]: {"x": 2.0, "a": 1.0}, large[1]: {"b": 1.0}}
    assert values("ERR@5", qrels, run) == pytest.approx({"007": 15 / 16, large[0]: 15 / 32, large[1]: 0.0}, abs=1e-5)
    others = irmx.calc_aggregate(f"infAP SetR nDCG@5 {EXP}", {"q1": {"a b": 5}}, {"q1": {"a b": 1.0}})
    assert set(others.values()) == {1.0}  # the plugin trec computes nDCG, whatever the ids


def test_a_mean_over_no_topic_is_told() -> None:
    with pytest.warns(irmx.DataWarning, match="Accuracy is not defined for any topic"):
        found = irmx.calc_aggregate("SetP Accuracy", QRELS, {"1": {"c": 1.0}, "2": {"b": 1.0}})
    assert str(found) == "{SetP: 0.0, Accuracy: nan}"
    assert irmx.calc_aggregate("Accuracy", QRELS, {"1": {"c": 2.0, "b": 1.0}}) == {ir_measures.Accuracy: 0.0}


def test_all_places_are_printed_as_numbers(tmp_path: Path, command: Any) -> None:
    (tmp_path / "q").write_text("1 0 a 1\n1 0 b 1\n2 0 a 1\n")
    (tmp_path / "r").write_text("1 Q0 x 1 3 t\n1 Q0 a 1 2 t\n1 Q0 b 1 1 t\n2 Q0 y 1 1 t\n")
    words = ("eval", "q", "r", "RBP(rel=1)", "nDCG@10", "-p", -1, "-q", "-o")
    shown = [float(line.split("\t")[-1]) for line in command(*words, "tsv").out.splitlines()]
    assert shown == [json.loads(line)["value"] for line in command(*words, "jsonl").out.splitlines()]
    expected = irmx.calc("RBP(rel=1) nDCG@10", tmp_path / "q", tmp_path / "r")
    assert sorted(shown) == sorted([*(m.value for m in expected.per_query), *expected.aggregated.values()])


# -- what a tool returns or raises -----------------------------------------------------------------------------------


class Mute(RuntimeError):
    def __str__(self) -> str:
        raise ZeroDivisionError


def raising(error: BaseException) -> Callable[[], Any]:
    def call() -> None:
        raise error

    return call


class Odd:
    """A provider that returns what it is told to; this may be a function that raises."""

    NAME = "odd"
    answer: Any = None

    def is_available(self) -> bool:
        return True

    def supports(self, measure: Any) -> bool:
        return True

    def evaluator(self, measures: Any, qrels: Any) -> Any:
        return self

    def iter_calc(self, run: Any) -> Any:
        return self.answer() if callable(self.answer) else self.answer

    def install_instructions(self) -> str:
        return ""


@pytest.fixture
def odd(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], list[float]]:
    provider = Odd()
    monkeypatch.setitem(PROVIDERS, "odd", provider)

    def answer(with_what: Any) -> list[float]:
        provider.answer = with_what
        qrels, run = {"q": {"a": 1}, "r": {"a": 1}}, {"q": {"a": 1.0}, "r": {"a": 1.0}}
        return irmx.toolkit.Evaluator([AP], qrels, "odd").scores(run)[AP].values.tolist()

    return answer


@pytest.mark.parametrize(
    "answer",
    [
        *([Metric("q", AP, value)] for value in (1j, "0.5", None, math.nan)),
        [Metric("q", AP, 0.5), Metric("r", AP, 0.5), Metric("q", AP, 0.7)],
        [Metric("q", nDCG, 0.5)],
        [("q", 0.5)],
        None,
        lambda: sys.exit(0),
        *map(raising, (GeneratorExit(), Mute(), OSError("no space left"))),
    ],
)
def test_what_is_no_value_is_refused_with_the_provider(answer: Any, odd: Callable[[Any], list[float]]) -> None:
    with pytest.raises(DataError, match=r"^AP cannot be computed: .*provider odd"):
        odd(answer)


def test_other_answers_of_a_provider(odd: Callable[[Any], list[float]]) -> None:
    metrics = [Metric("r", AP, 1), Metric("q", AP, 0.5), Metric("other", AP, 0.25), Metric("q", AP, 0.5)]
    assert odd(metrics) == [0.5, 1.0]
    with pytest.raises(KeyboardInterrupt):
        odd(raising(KeyboardInterrupt()))


def test_the_evaluator_for_ir_measures_takes_measures_from_any_iterable_under_their_own_names() -> None:
    measures = [irmx.parse_measure(text) for text in ("RBP(rel=1)", "MP(model=GL_AD_ID)")] + [ir_measures.RBP(rel=1.0)]
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.0}}
    made = PROVIDERS["irmx"].evaluator((m for m in measures), qrels)
    assert [str(m) for m in made.calc_aggregate(run)] == [str(m) for m in dict.fromkeys(measures)]


def test_grades_that_rel_does_not_reach_are_noted_by_irmx_but_not_in_batches_of_ir_measures() -> None:
    """PyTerrier evaluates batches of topics, each with its own qrels."""
    measure = irmx.parse_measure("MP(model=GL_AD_ID,rel=2)")
    with pytest.warns(irmx.errors.QrelsWarning, match="the largest grade in the qrels is 1"):
        assert irmx.calc_aggregate(measure, {"q": {"a": 1}}, {"q": {"a": 1.0}}) == {measure: 0}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ir_measures.calc_aggregate([measure], {"q": {"a": 1}}, {"q": {"a": 1.0}}) == {measure: 0}
