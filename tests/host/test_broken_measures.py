"""A broken measure is named, through whatever way in, and never gives a value; measures beside it go on."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import ir_measures
import pytest

import irmx
from irmx import Measure, PluginError, UsageError
from irmx.declare.declared import problems
from irmx.plugin.checks import keys
from irmx.registry import registry
from irmx.score.prepared import prepare_run, score_prepared


def _broken() -> ModuleType:
    """Return the module ``broken_measures.py`` beside this file."""
    name = "irmx_tests_broken_measures"
    spec = importlib.util.spec_from_file_location(name, Path(__file__).parent / "broken_measures.py")
    assert spec is not None
    assert spec.loader is not None
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


broken: Any = _broken()
QRELS = {"q": {"a": 1}, "r": {"a": 1, "b": 2}, "s": {"a": 1}}
RUN = {"q": {"a": 2.0, "x": 1.0}, "r": {"b": 2.0, "a": 1.0}}


def _refused(measure: Measure, error: PluginError, said: str) -> None:
    assert str(measure.NAME) in str(error)
    assert re.search(said, str(error)), error


@pytest.mark.parametrize("flaw", broken.VALUES)
def test_a_broken_value_is_refused_by_every_way_in(flaw: str) -> None:
    measure, said = broken.VALUES[flaw]
    ways = {
        "an evaluator": lambda: irmx.calc_aggregate([measure, "AP"], QRELS, RUN),
        "calc": lambda: irmx.calc([measure], QRELS, RUN),
        "ir_measures": lambda: ir_measures.calc_aggregate([measure], QRELS, RUN),
        "scores": lambda: irmx.scores([measure], {t: QRELS[t] for t in RUN}, {"one": RUN}).means(),
    }
    if "aggregator" not in flaw and "mean" not in flaw:
        join = irmx.Join(irmx.read_run(RUN), irmx.read_qrels(QRELS))
        ways |= {
            "topics": lambda: list(irmx.iter_calc([measure], QRELS, RUN)),
            "ir_measures' topics": lambda: list(ir_measures.iter_calc([measure], QRELS, RUN)),
            "joined": lambda: irmx.score_joined([join], [measure]),
        }
    for call in ways.values():
        with pytest.raises(PluginError) as found:
            call()
        _refused(measure, found.value, said)


@pytest.mark.parametrize("flaw", broken.VALUES)
def test_measures_beside_a_broken_one_go_on(flaw: str) -> None:
    measure, said = broken.VALUES[flaw]
    evaluator = irmx.evaluator([measure, "AP", "nDCG@10"], QRELS)
    failures: dict[Any, Any] = {}
    scores = evaluator.of_join(irmx.Join(irmx.read_run(RUN), evaluator.judgments), failures)
    alone = irmx.evaluator("AP nDCG@10", QRELS).scores(RUN)
    assert [scores[m].values.tolist() for m in alone] == [alone[m].values.tolist() for m in alone]
    if "aggregator" not in flaw and "mean" not in flaw:
        assert measure not in scores
        _refused(measure, failures[measure], said)


def _refused_when_registered_and_when_used(measure: Measure, said: str, *other_ways: Callable[[], Any]) -> None:
    for call in (
        lambda: keys("irmx_measures", measure),
        lambda: irmx.evaluator([measure], QRELS),
        lambda: irmx.explain(measure, QRELS, RUN, "q"),
        *other_ways,
    ):
        with pytest.raises(PluginError) as found:
            call()
        _refused(measure, found.value, said)


@pytest.mark.parametrize("flaw", broken.DECLARATIONS)
def test_a_broken_declaration_is_refused_by_every_way_in(flaw: str) -> None:
    measure, said = broken.DECLARATIONS[flaw]
    _refused_when_registered_and_when_used(measure, said, lambda: irmx.parse_measure(measure))


@pytest.mark.parametrize("method", broken.METHODS)
def test_a_method_that_fails_is_refused_when_registered_and_when_used(method: str) -> None:
    measure, said = broken.METHODS[method]
    _refused_when_registered_and_when_used(measure, said, lambda: ir_measures.calc_aggregate([measure], QRELS, RUN))


@pytest.mark.parametrize("name", broken.SOUND)
def test_what_only_looks_odd_is_sound_and_keeps_its_value(name: str) -> None:
    measure = broken.SOUND[name]
    assert not list(problems(measure))
    [expected] = {float(value) for value in measure.score([None])}
    values = irmx.evaluator([measure], QRELS).values(RUN)[measure]
    assert values == {"q": expected, "r": expected, "s": 0.0}


def test_no_measure_of_a_plugin_declares_anything_wrongly() -> None:
    for measure in [*registry().measures().values(), *registry().scorers().values()]:
        assert not list(problems(measure))


def test_prepared_values_are_checked_too() -> None:
    class Prepares(broken.Broken):  # type: ignore[misc,name-defined]
        NAME = "ZPrepares"

        def preparation(self) -> str:
            return "all"

        def prepare(self, rankings: Any) -> int:
            return len(rankings)

        @classmethod
        def score_prepared(cls, prepared: Any, settings: Any) -> Any:
            return [[irmx.TopicScores([7.0] * topics) for _ in settings] for topics in prepared]

    [run] = prepare_run([Prepares()], irmx.read_run(RUN), irmx.read_qrels(QRELS)).values()
    with pytest.raises(PluginError, match=r"ZPrepares has the value 7.0 for query q"):
        score_prepared([run], [Prepares()])


def test_explanations_of_broken_contributions_name_the_measure() -> None:
    class Explains(broken.Broken):  # type: ignore[misc,name-defined]
        NAME = "ZExplains"
        columns: Any = None

        def contributions(self, rankings: Any) -> Any:
            return self.columns

    for columns in (
        None,
        {"contribution": [1.0, 2.0, 3.0]},
        {"contribution": ["x"]},
        {"documents": 1},
        {"doc_id": ["a"], "x": []},
    ):
        Explains.columns = columns
        with pytest.raises(PluginError, match="ZExplains"):
            irmx.explain(Explains(), QRELS, RUN, "q")


def test_a_broken_declaration_of_a_function_is_refused_when_it_is_decorated() -> None:
    with pytest.raises(UsageError, match=r"The measure ZFunction declares DEFAULT = 2, .* outside its RANGE \[0, 1\]"):

        @irmx.measure(default=2)
        def ZFunction(ranking: irmx.Ranking) -> float:
            return 0.0


def test_a_parameter_that_is_not_declared_has_no_value() -> None:
    assert irmx.NCP["rel"] == 1
    with pytest.raises(UsageError, match=r"NCP has no parameter 'lwa'. Did you mean law"):
        irmx.NCP["lwa"]
    with pytest.raises(UsageError, match="NCP has no parameter '0'"):
        list(irmx.NCP)


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[Measure], None]:
    """A function that offers a measure as a plugin does, in a folder with qrels and three runs."""
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("q 0 a 1\nr 0 a 1\nr 0 b 1\n")
    for name, order in (
        ("one", "a 1 2 t\nr Q0 a 1 2"),
        ("two", "x 1 2 t\nr Q0 b 1 2"),
        ("three", "x 1 2 t\nr Q0 x 1 2"),
    ):
        Path(name).write_text(f"q Q0 {order} t\n")

    def offer(measure: Measure) -> None:
        monkeypatch.setitem(registry()._owners, ("measures", str(measure.NAME)), (measure, "other (irmx-other 1.0)"))

    return offer


COMMANDS = {
    "compare": "compare qrels one two AP ZSeven",
    "correlate": "correlate qrels one two AP ZSeven",
    "eval": "eval qrels one ZSeven -q",
    "plot": "plot qrels one ZSeven -t q --out x.svg",
    "pool": "pool qrels one two three AP ZSeven --jobs 1",
    "report": "report qrels one two AP ZSeven -o r.html",
    "sensitivity": "sensitivity qrels one two ZSeven",
    "settings": "settings qrels one two ZSeven AP",
    "sweep": "sweep qrels one two --measure ZSeven --grid rel=1,2 --out s.parquet --jobs 1",
    "topics": "topics qrels one two AP ZSeven",
}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_names_a_measure_with_a_broken_value(
    name: str, offered: Callable[[Measure], None], command: Callable[..., Any]
) -> None:
    offered(broken.VALUES["above its range"][0])
    done = command(*COMMANDS[name].split())
    assert done.code == 1
    assert re.search(r"The measure ZSeven(\(rel=\d\))? has the value 7.0 for query q, outside its range", done.err)
    assert not [path for path in ("x.svg", "r.html", "s.parquet") if Path(path).exists()]


@pytest.mark.parametrize(
    ("method", "asked"), [("repr", "cite"), ("repr", "eval"), ("citations", "cite"), ("run_columns", "eval")]
)
def test_a_measure_that_fails_with_one_setting_is_named(
    method: str, asked: str, offered: Callable[[Measure], None], command: Callable[..., Any]
) -> None:
    measure, said = broken.SETTINGS[method]
    offered(measure)
    files = ("qrels", "one") if asked == "eval" else ()
    assert command(asked, *files, str(measure.NAME)).code == 0
    done = command(asked, *files, f"{measure.NAME}(k=2)", "AP")
    assert (done.code, done.out) == (1, "")
    assert re.match(f"irmx: .*{said}", done.err)


def test_measures_beside_one_that_needs_too_much_memory_go_on(
    offered: Callable[[Measure], None], command: Callable[..., Any]
) -> None:
    offered(broken.TOO_LARGE)
    for runs in (["one"], ["one", "two"]):
        done = command("eval", "qrels", *runs, "ZTooLarge", "AP")
        assert done.code == 1
        assert "AP" in done.out
        assert "ZTooLarge" not in done.out
        assert re.match("irmx: (one: )?The measure ZTooLarge needs more memory than this process can get", done.err)


def test_the_command_prints_the_sound_measures_and_names_the_broken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from irmx.cli.app import run

    for flaw in ("above its range", "sys.exit", "aggregator"):
        measure, _ = broken.VALUES[flaw]
        monkeypatch.setitem(registry()._owners, ("measures", str(measure.NAME)), (measure, "other (irmx-other 1.0)"))
    (tmp_path / "qrels").write_text("q 0 a 1\nr 0 a 1\n")
    for name in ("one", "two"):
        (tmp_path / name).write_text("q Q0 a 1 2 t\nr Q0 a 1 2 t\n")
    qrels, one, two = (str(tmp_path / name) for name in ("qrels", "one", "two"))
    for runs, place in (([one], ""), ([one, two], "one: ")):
        with pytest.raises(SystemExit) as stop:
            run(["eval", qrels, *runs, "AP", "ZSeven", "ZExit", "ZAggregator"])
        printed = capsys.readouterr()
        assert stop.value.code == 1
        assert ("AP\t1.0000" in printed.out) == (len(runs) == 1)
        assert not re.search("ZSeven|ZExit|ZAggregator", printed.out)
        told = [line for line in printed.err.splitlines() if line.startswith(f"irmx: {place}The measure Z")]
        assert len(told) == 3
