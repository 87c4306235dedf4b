"""A broken measure is named, through whatever way in, and never gives a value; measures beside it go on."""

import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pytest

import irmx
import irmx_study
from irmx import COMMON_PARAMS, Column, Measure, Param, PluginError, Rankings, TopicScores

QRELS = {"q": {"a": 1}, "r": {"a": 1, "b": 2}, "s": {"a": 1}}
RUN = {"q": {"a": 2.0, "x": 1.0}, "r": {"b": 2.0, "a": 1.0}}


class Broken(Measure):
    """The base of all; without a flaw it is 1/2 for every topic."""

    SHORT_DESC = "One half."
    SUPPORTED_PARAMS: dict[str, Any] = {"rel": COMMON_PARAMS["rel"]}

    def score(self, rankings: Rankings) -> Any:
        return np.full(len(rankings), 0.5)


def made(flaw: str, **members: Any) -> Measure:
    """Return a measure with some members of its own, whose name is made of what its flaw is called."""
    name = "Z" + re.sub(r"\W", "", flaw.title())
    kind: type[Measure] = type(name, (Broken,), {"NAME": name, "__module__": __name__, **members})
    return kind()


def raising(error: BaseException) -> Callable[..., Any]:
    def fails(*_: Any) -> Any:
        raise error

    return fails


class Untellable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text either")


class Mean:
    """The mean of a measure, which is whatever it is told to be."""

    def __init__(self, result: Any) -> None:
        self._result = result

    def add(self, value: float) -> None:
        """Take no notice."""

    def result(self) -> Any:
        return self._result


RETURNED: dict[str, Callable[[int], Any]] = {
    "above its range": lambda n: [7.0] * n,
    "below its range": lambda n: [-7.0] * n,
    "beyond rounding": lambda n: [1 + 1e-8] * n,
    "a later topic": lambda n: np.arange(n) * 3.0,
    "NaN": lambda n: [float("nan")] * n,
    "infinite": lambda n: [float("inf")] * n,
    "complex": lambda n: np.full(n, 1 + 0j),
    "texts": lambda n: ["0.5"] * n,
    "array of texts": lambda n: np.array(["0.5"] * n),
    "dates": lambda n: np.zeros(n, "datetime64[s]"),
    "None for topics": lambda n: [None] * n,
    "None": lambda n: None,
    "a generator": lambda n: (0.5 for _ in range(n)),
    "a dict": lambda n: {str(t): 0.5 for t in range(n)},
    "one number": lambda n: 0.5,
    "a missing topic": lambda n: np.zeros(n - 1),
    "a topic that was not asked": lambda n: np.zeros(n + 1),
    "two dimensions": lambda n: np.zeros((n, 1)),
    "uneven rows": lambda n: [[0.5], [0.5, 0.5]],
    "masked": lambda n: np.ma.masked_all(n),  # type: ignore[no-untyped-call]
    "huge": lambda n: [10**400] * n,
    "short fields": lambda n: TopicScores(np.zeros(n), {"e": np.zeros(1)}),
    "fields of no dict": lambda n: TopicScores(np.zeros(n), [1]),  # type: ignore[arg-type]
    "a small covariance": lambda n: TopicScores(np.zeros(n), covariance=[[1.0]]),  # type: ignore[arg-type]
}
RAISED = {
    "sys exit": SystemExit(0),
    "GeneratorExit": GeneratorExit(),
    "BaseException": BaseException("x"),
    "RecursionError": RecursionError("deep"),
    "an error without text": Untellable(),
    "a warning as an error": UserWarning("w"),
}
SCORES = {flaw: made(flaw, score=lambda self, r, f=f: f(len(r))) for flaw, f in RETURNED.items()}
SCORES |= {flaw: made(flaw, score=raising(error)) for flaw, error in RAISED.items()}
SCORES |= {
    "below an open range": made("below an open range", RANGE=(0, None), score=lambda self, r: [-1.0] * len(r)),
    "a text per topic": made("a text per topic", score=Measure.score, score_topic=lambda self, r: "0.5"),
    "an exit in a topic": made("an exit in a topic", score=Measure.score, score_topic=raising(SystemExit(0))),
    "no score": made("no score", score=Measure.score),
    **{
        flaw: made(flaw, score=Measure.score, contributions=contributions)
        for flaw, contributions in {
            "no contribution": lambda self, rankings: {"weight": [1.0]},
            "too many contributions": lambda self, rankings: {"contribution": [1.0] * 99},
            "contributions that are no columns": lambda self, rankings: rankings.relevant.rank,
            "a column like a rank": lambda self, rankings: {"contribution": rankings.relevant.date},
        }.items()
    },
    "undeclared parameter": made("undeclared parameter", score=lambda self, r: self["rle"]),
}
"""Measures that fail when they score."""

MEANS = {
    "aggregator": made("aggregator", aggregator=raising(ZeroDivisionError())),
    "NaN as a mean": made("NaN as a mean", aggregator=lambda s: Mean(float("nan"))),
    "a complex mean": made("a complex mean", aggregator=lambda s: Mean(1j)),
}
"""Measures that fail when their mean is taken."""


@pytest.mark.parametrize("flaw", [*SCORES, *MEANS])
def test_a_broken_value_is_refused_by_every_way_in_and_measures_beside_it_go_on(flaw: str) -> None:
    measure = SCORES.get(flaw) or MEANS[flaw]
    evaluator = irmx.evaluator([measure, "AP"], QRELS)
    joined, failures = irmx.Join(irmx.read_run(RUN), evaluator.judgments), dict[Any, Any]()
    ways: list[Callable[[], Any]] = [
        lambda: irmx.calc([measure, "AP"], QRELS, RUN),
        lambda: ir_measures.calc_aggregate([measure], QRELS, RUN),
        lambda: irmx.scores([measure], {t: QRELS[t] for t in RUN}, {"one": RUN}).means(),
    ]
    if flaw in SCORES:
        ways += [
            lambda: list(irmx.iter_calc([measure], QRELS, RUN)),
            lambda: list(ir_measures.iter_calc([measure], QRELS, RUN)),
            lambda: irmx.score_joined([joined], [measure]),
        ]
    for call in ways:
        with pytest.raises(PluginError, match=str(measure.NAME)):
            call()
    found = evaluator.of_join(joined, failures)
    assert found[ir_measures.AP].values.tolist() == [1, 1, 0]
    assert (flaw in MEANS) or (measure not in found and isinstance(failures[measure], PluginError))


def test_a_broken_value_is_told_with_the_topic_and_the_range() -> None:
    with pytest.raises(PluginError, match=r"has the value 7.0 for query q, outside its range \[0, 1\]"):
        irmx.calc_aggregate([SCORES["above its range"]], QRELS, RUN)
    with pytest.raises(PluginError, match=r"has the value 3.0 for query r"):
        irmx.calc_aggregate([SCORES["a later topic"]], QRELS, RUN)


def param(**options: Any) -> dict[str, Any]:
    return {"SUPPORTED_PARAMS": {"k": Param(options.pop("dtype", float), "a number", **options)}}


DECLARED: dict[str, dict[str, Any]] = {
    "RANGE of a text": {"RANGE": "ab"},
    "RANGE of one number": {"RANGE": 1},
    "RANGE upside down": {"RANGE": (1, 0)},
    "RANGE with NaN": {"RANGE": (0, float("nan"))},
    "RANGE of complex numbers": {"RANGE": (0, 1j)},
    "DEFAULT of a text": {"DEFAULT": "0"},
    "DEFAULT of nothing": {"DEFAULT": None},
    "DEFAULT of NaN": {"DEFAULT": float("nan")},
    "DEFAULT outside": {"DEFAULT": 2},
    "MONOTONE": {"MONOTONE": "no"},
    "DOCS_MAY_REPEAT": {"DOCS_MAY_REPEAT": 1},
    "LESS_IS_BETTER": {"LESS_IS_BETTER": "yes"},
    "UNJUDGED": {"UNJUDGED": "some"},
    "UNJUDGED of nothing": {"UNJUDGED": None},
    "PRETTY_NAME": {"PRETTY_NAME": None},
    "EXAMPLES of a text": {"EXAMPLES": "ZExamples"},
    "ALIASES of numbers": {"ALIASES": (1,)},
    "FORMULA": {"FORMULA": "x"},
    "RUN_COLUMNS of a text": {"RUN_COLUMNS": "time"},
    "QREL_COLUMNS of a run": {"QREL_COLUMNS": (Column("run", "t", "time"),)},
    "CITATIONS of None": {"CITATIONS": None},
    "CITATIONS that cannot be read": {"CITATIONS": ("@article{",)},
    "a parameter of int": {"SUPPORTED_PARAMS": {"k": 1}},
    "a name with a space": {"SUPPORTED_PARAMS": {"a b": COMMON_PARAMS["rel"]}},
    "a default outside": param(default=2.0, low=0, high=1),
    "a default of a text": param(default="x"),
    "choices of texts": param(dtype=int, choices=("a",)),
    "low above high": param(low=2, high=1),
    "bounds of texts": param(low="a"),
    "an unknown type": param(dtype=set),
    "a text that fails": {"__repr__": raising(ZeroDivisionError("x"))},
    "columns that fail": {"run_columns": raising(ZeroDivisionError("x"))},
    "columns that exit": {"qrel_columns": raising(SystemExit(0))},
}


@pytest.mark.parametrize("flaw", DECLARED)
def test_a_broken_declaration_is_refused_when_it_is_registered_and_when_it_is_used(
    flaw: str, registry_with: Any
) -> None:
    measure = made(flaw, **DECLARED[flaw])
    for use in (
        lambda: irmx.evaluator([measure], QRELS),
        lambda: irmx.explain(measure, QRELS, RUN, "q"),
        lambda: irmx.calc_aggregate([measure], QRELS, RUN),
    ):
        with pytest.raises(PluginError, match=str(measure.NAME)):
            use()
    with pytest.warns(irmx.PluginWarning, match=str(measure.NAME)):
        registry = registry_with("third", measures=[measure])
    assert str(measure.NAME) not in registry.measures()


SOUND: dict[str, tuple[Callable[[int], Any], float]] = {
    "rounding above": (lambda n: [1 + 1e-12] * n, 1 + 1e-12),
    "rounding below": (lambda n: [-1e-12] * n, -1e-12),
    "half precision": (lambda n: np.full(n, 0.5, dtype=np.float16), 0.5),
    "truth values": (lambda n: [True] * n, 1.0),
    "fractions": (lambda n: [Fraction(1, 2)] * n, 0.5),
    "decimals": (lambda n: [Decimal("0.5")] * n, 0.5),
    "a mask without a missing number": (lambda n: np.ma.array(np.zeros(n)), 0.0),
}


@pytest.mark.parametrize("name", SOUND)
def test_what_only_looks_odd_is_sound_and_keeps_its_value(name: str, registry_with: Any) -> None:
    score, value = SOUND[name]
    measure = made(name, score=lambda self, rankings: score(len(rankings)))
    assert irmx.evaluator([measure], QRELS).values(RUN)[measure] == {"q": value, "r": value, "s": 0.0}
    assert registry_with("third", measures=[measure]).measures() == {measure.NAME: measure}


def test_values_of_a_sweep_are_checked_too() -> None:
    def score_prepared(cls: Any, prepared: Any, settings: Any) -> Any:
        return [[TopicScores([7.0] * topics) for _ in settings] for topics in prepared]  # type: ignore[arg-type]

    measure = made(
        "prepares",
        preparation=lambda self: "all",
        prepare=lambda self, rankings: len(rankings),
        score_prepared=classmethod(score_prepared),
    )
    with pytest.raises(PluginError, match=r"has the value 7.0 for query q"):
        irmx_study.sweep(measure, {"rel": [1, 2]}, {t: QRELS[t] for t in RUN}, {"one": RUN}, jobs=1)


@pytest.mark.parametrize(
    "columns",
    [
        None,
        {"contribution": [1.0, 2.0, 3.0]},
        {"contribution": ["x"]},
        {"documents": 1},
        {"doc_id": ["a"], "x": []},
        KeyError("a"),
    ],
)
def test_broken_contributions_name_the_measure(columns: Any) -> None:
    give = raising(columns) if isinstance(columns, Exception) else lambda self, rankings: columns
    with pytest.raises(PluginError, match="ZExplains"):
        irmx.explain(made("explains", contributions=give), QRELS, RUN, "q")


# -- from the shell ----------------------------------------------------------------------------------------


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., None]:
    """A function that offers measures as a plugin does, in a folder with qrels and three runs."""
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("q 0 a 1\nr 0 a 1\nr 0 b 1\n")
    for name, order in {"one": "aa", "two": "xb", "three": "xx"}.items():
        Path(name).write_text("q Q0 {} 1 2 t\nr Q0 {} 1 2 t\n".format(*order))

    def offer(*measures: Measure) -> None:
        for one in measures:
            monkeypatch.setitem(irmx.registry()._owners["measures"], str(one.NAME), (one, "other (irmx-other 1.0)"))

    return offer


@pytest.mark.parametrize(
    "line",
    [
        "compare qrels one two AP ZSeven",
        "compare qrels one two ZSeven(rel=1|2)",
        "correlate qrels one two AP ZSeven",
        "correlate qrels one two three AP --reference ZSeven",
        "eval qrels one ZSeven -q",
        "plot qrels one ZSeven -t q --out x.svg",
        "pool qrels one two three AP ZSeven --jobs 1",
        "report qrels one two AP ZSeven -o r.html",
        "discriminate qrels one two AP ZSeven",
        "power qrels one two ZSeven",
        "sweep qrels one two --measure ZSeven --grid rel=1,2 --out s.parquet --jobs 1",
        "topics qrels one two AP ZSeven",
        "unjudged qrels one two ZSeven",
    ],
)
def test_every_command_names_a_measure_with_a_broken_value(line: str, offered: Any, command: Any) -> None:
    offered(made("seven", score=lambda self, rankings: [7.0] * len(rankings)))
    done = command(*line.split())
    assert done.code == 1
    assert re.search(r"The measure ZSeven(\(rel=\d\))? has the value 7.0 for query q", done.err)
    assert not [path for path in ("x.svg", "r.html", "s.parquet") if Path(path).exists()]


@pytest.mark.parametrize("asked", [("cite",), ("eval", "qrels", "one")])
@pytest.mark.parametrize("method", ["run_columns", "citations", "__repr__"])
def test_a_measure_that_fails_with_one_setting_is_named(method: str, asked: Any, offered: Any, command: Any) -> None:
    def fails(self: Any) -> Any:
        if self["k"] == 2:
            raise ZeroDivisionError("x")
        return "ZOfTwo" if method == "__repr__" else ()

    members = {"SUPPORTED_PARAMS": {"k": Param(int, "a number", default=1)}, method: fails}
    offered(made("of two", **members))
    assert command(*asked, "ZOfTwo").code == 0
    if (asked[0], method) in (("cite", "run_columns"), ("eval", "citations")):
        return  # which it does not ask for
    done = command(*asked, "ZOfTwo(k=2)", "AP")
    done.assert_refused(1)
    assert re.match("irmx: .*ZOfTwo.* failed with ZeroDivisionError: x", done.err)


@pytest.mark.parametrize("runs", [["one"], ["one", "two"]])
def test_the_command_prints_the_sound_measures_and_names_the_broken(runs: Any, offered: Any, command: Any) -> None:
    large = made("too large", score=raising(MemoryError("74 GiB")))
    offered(SCORES["above its range"], SCORES["sys exit"], MEANS["aggregator"], large)
    done = command("eval", "qrels", *runs, "AP", "ZAboveItsRange", "ZSysExit", "ZAggregator", "ZTooLarge")
    assert done.code == 1
    assert "AP" in done.out
    assert not re.search("ZAbove|ZSys|ZAgg|ZToo", done.out)
    place = "one: " if len(runs) > 1 else ""
    assert len([line for line in done.err.splitlines() if line.startswith(f"irmx: {place}The measure Z")]) == 4
    assert "ZTooLarge needs more memory than this process can get" in done.err
