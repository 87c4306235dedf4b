"""The conformance kit: a sound measure passes every check, and one with a single flaw fails just the check for it."""

import importlib.util
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import ir_measures
import pytest
from joblib.externals.loky.cloudpickle_wrapper import dumps

import irmx
from irmx import Column, Measure, SampleValues, UsageError
from irmx.testing import CHECKS, OF_SETTINGS, CheckError, Sample, check_measure, instances, parametrize_with_checks
from irmx.testing.generate import Data, for_all
from irmx.testing.strategies import samples


def _flaws() -> ModuleType:
    """Return the module ``flaws.py`` beside this file."""
    name = "irmx_tests_flaws"
    spec = importlib.util.spec_from_file_location(name, Path(__file__).parent / "flaws.py")
    assert spec is not None
    assert spec.loader is not None
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


flaws: Any = _flaws()
FLAWS: dict[str, type[Measure]] = flaws.FLAWS
Flawless, Sound, Uncited = flaws.Flawless, flaws.Sound, flaws.Uncited


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make the measures of this file known by name, and to other processes, which cannot import it."""
    for kind in (Flawless, *FLAWS.values()):
        monkeypatch.setitem(ir_measures.measures.registry, kind.NAME, kind())
    cloudpickle: Any = sys.modules[dumps.__module__]  # joblib's own copy of it, or the distribution
    cloudpickle.register_pickle_by_value(flaws)
    yield
    cloudpickle.unregister_pickle_by_value(flaws)


@pytest.mark.parametrize("check", FLAWS)
def test_a_flaw_fails_its_check(check: str) -> None:
    measure = FLAWS[check](weight=0.25)
    with pytest.raises(CheckError, match=r"\AZ\w+.*must|\AZ\w+.*MONOTONE says") as found:
        CHECKS[check](measure, Data(shrink=False))
    assert str(measure.NAME) in str(found.value)


REFUSED = ("range", "empty_run")
"""A value outside the range, or such a default, is refused wherever it occurs."""


@pytest.mark.slow
@pytest.mark.parametrize("check", [check for check in FLAWS if check not in REFUSED])
def test_a_flaw_fails_no_other_check(check: str) -> None:
    for name in CHECKS:
        if name != check:
            CHECKS[name](FLAWS[check](weight=0.25), Data(examples=1))


def test_every_check_has_a_flaw_that_it_finds() -> None:
    assert list(FLAWS) == list(CHECKS)


def test_a_sound_measure_passes_every_check() -> None:
    results = check_measure(Flawless(weight=0.25))
    assert [(r.check, r.outcome) for r in results] == [(name, "passed") for name in CHECKS]


# -- what is expected to fail --------------------------------------------------------------------------------


def test_a_failure_that_is_expected_is_reported_with_its_reason() -> None:
    results = check_measure(Uncited(weight=0.25), expected_failures={"citation": "not published yet"}, examples=3)
    failed = [(r.check, r.text) for r in results if r.outcome == "expected failure"]
    assert failed == [("citation", "not published yet")]
    assert {r.outcome for r in results} == {"passed", "expected failure"}


def test_a_failure_that_is_expected_and_does_not_come_is_told() -> None:
    with pytest.raises(
        CheckError, match=rf"1 of {len(CHECKS)} checks failed.\n\n\[citation\] .*expected to fail \(not"
    ):
        check_measure(Flawless(weight=0.25), expected_failures=lambda m: {"citation": "not published"}, examples=3)


def test_all_failures_are_told_at_once() -> None:
    class Twice(Uncited):
        """It lacks two things."""

        SHORT_DESC = ""

    found = check_measure(Twice(weight=0.25), on_fail="report", examples=1)
    told = {r.check: r.text for r in found if r.outcome == "failed"}
    assert {"metadata", "citation"} <= set(told)
    with pytest.raises(CheckError, match=r"(?s)\[metadata\].*SHORT_DESC is ''.*\[citation\].*There are none"):
        check_measure(Twice(weight=0.25), examples=1)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"expected_failures": {"tie": "a reason"}}, "There is no check 'tie'. Did you mean ties?"),
        ({"on_fail": "ignore"}, "on_fail must be 'raise' or 'report'. Got 'ignore' instead."),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=re.escape(said)):
        check_measure(Flawless(weight=0.25), **options)


def test_what_is_no_measure_of_irmx_is_refused() -> None:
    with pytest.raises(UsageError, match=r"must be an irmx.Measure or its expression. Got AP instead."):
        check_measure(ir_measures.AP)  # type: ignore[arg-type]


def test_further_measures_of_a_class_get_the_checks_of_what_parameters_change() -> None:
    mark = parametrize_with_checks([Flawless(weight=0.25), Flawless(weight=0.5), Uncited(weight=0.5)]).mark
    checks: dict[str, list[str]] = {}
    for test in mark.args[1]:
        measure, check = test.values
        checks.setdefault(str(measure), []).append(check.func.__name__.removeprefix("check_"))
    of = {"ZFlawless(weight=0.25)": CHECKS, "ZFlawless(weight=0.5)": OF_SETTINGS, "ZUncited(weight=0.5)": CHECKS}
    assert checks == {name: list(known) for name, known in of.items()}


def test_a_setting_whose_place_the_examples_take_is_told() -> None:
    with pytest.warns(irmx.errors.PluginWarning, match=r"^NCP\(rel=2\) is not checked: .* required law\. .*: NCP"):
        found = list(instances(irmx.NCP(rel=2)))
    assert found == list(instances(irmx.NCP))


def test_of_a_measure_that_lacks_a_parameter_the_examples_are_checked() -> None:
    assert list(map(str, instances(Flawless()))) == ["ZFlawless(weight=0.5)"]
    assert list(map(str, instances(Flawless(weight=0.25)))) == ["ZFlawless(weight=0.25)"]


# -- in pytest -----------------------------------------------------------------------------------------------

TESTS = """
from irmx.testing import parametrize_with_checks

@parametrize_with_checks(["NCP(law=uniform)"], expected_failures={"ties": "no reason"}, examples=2)
def test_measures(measure, check):
    check(measure)
"""


@pytest.mark.slow
def test_every_check_is_a_test_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-v", "-rA", "-p", "no:cacheprovider", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert f"1 failed, {len(CHECKS) - 1} passed" in done.stdout
    assert "test_it.py::test_measures[NCP(law=uniform)-row_order] PASSED" in done.stdout
    assert "[XPASS(strict)] no reason" in done.stdout


def test_an_expected_failure_is_an_xfail_for_check_errors_alone() -> None:
    mark = parametrize_with_checks([Uncited(weight=0.25)], expected_failures={"citation": "not published"}).mark
    by_id = {test.id: test for test in mark.args[1]}
    assert list(by_id) == [f"ZUncited(weight=0.25)-{name}" for name in CHECKS]
    [xfail] = by_id["ZUncited(weight=0.25)-citation"].marks
    assert xfail.kwargs == {"reason": "not published", "strict": True, "raises": CheckError}
    assert not by_id["ZUncited(weight=0.25)-metadata"].marks


# -- the data ------------------------------------------------------------------------------------------------


def seen(strategy: Any, count: int = 200) -> list[Sample]:
    found: list[Sample] = []
    for_all(strategy, found.append, Data(examples=count))
    return found


def test_samples_have_what_data_may_have() -> None:
    found = seen(samples(Flawless(weight=0.25)))
    qrels, run = [r for s in found for r in s.qrels], [r for s in found for r in s.run]
    judged = {(id(s), r["query_id"], r["doc_id"]) for s in found for r in s.qrels}
    assert {len(s.topics) for s in found} == {1, 2, 3}
    assert min(r["relevance"] for r in qrels) == -1
    assert any((id(s), r["query_id"], r["doc_id"]) not in judged for s in found for r in s.run)
    assert {"a,b", 'the "A"', "文書", "007", "NaN"} <= {r["doc_id"] for r in run}
    assert {tuple(r) for r in run} == {("query_id", "doc_id", "score", "clicks", "length")}
    for sample in found:
        best = {t: max(r["relevance"] for r in sample.qrels if r["query_id"] == t) for t in sample.topics}
        assert min(best.values()) >= 1
        assert {r["query_id"] for r in sample.run} == set(sample.topics)


def test_samples_of_a_measure_whose_relevant_documents_have_huge_grades() -> None:
    """There is no room for all grades below it."""
    found = seen(samples(irmx.parse_measure("NCP(law=first,rel=1000000000)")))
    grades = [row["relevance"] for one in found for row in one.qrels]
    assert {0, 10**9 - 1, 10**9} <= set(grades)


def test_ties_are_wanted_or_not() -> None:
    def tied(sample: Sample) -> bool:
        return len({(r["query_id"], r["score"]) for r in sample.run}) < len(sample.run)

    assert any(map(tied, seen(samples(), 50)))
    assert not any(map(tied, seen(samples(ties="none"), 50)))
    assert all(len({r["score"] for r in s.run}) == 1 for s in seen(samples(ties="all"), 50))


class OverSubtopics(Sound):
    """It reads subtopics, weights of them, and a column that only it has."""

    RUN_COLUMNS = ()
    QREL_COLUMNS = (
        Column("qrels", "iteration", "subtopic", dtype="str", how="add it"),
        Column("qrels", "share", "P(c|q)", sample=SampleValues(range(1, 5), ("query_id", "iteration"), shares=True)),
        Column("qrels", "price", "what it costs", sample=SampleValues((5, 7), ("query_id", "doc_id"))),
    )


def test_columns_hold_what_is_said_of_them() -> None:
    found = seen(samples(OverSubtopics(weight=0.25)), 50)
    assert any(row["doc_id"] == "" for sample in found for row in sample.qrels)
    for sample in found:
        by_document: dict[Any, set[Any]] = {}
        weights: dict[str, dict[str, float]] = {}
        for row in sample.qrels:
            by_document.setdefault((row["query_id"], row["doc_id"]), set()).add(row["price"])
            weights.setdefault(row["query_id"], {})[row["iteration"]] = row["share"]
        assert set().union(*by_document.values()) <= {5, 7}
        assert {len(prices) for prices in by_document.values()} == {1}
        assert all(abs(sum(of_topic.values()) - 1) < 1e-9 for of_topic in weights.values())


def test_adapt_puts_right_what_relates_columns() -> None:
    def by_document(sample: Sample) -> Sample:
        return sample.with_run({**row, "clicks": len(row["doc_id"])} for row in sample.run)

    found = seen(samples(Flawless(weight=0.25), adapt=by_document), 20)
    assert all(row["clicks"] == len(row["doc_id"]) for sample in found for row in sample.run)


def test_the_same_samples_every_time() -> None:
    strategy = samples(Flawless(weight=0.25))
    assert seen(strategy, 20) == seen(strategy, 20)


# -- without hypothesis --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("import irmx; irmx.calc('NCP(law=uniform)', {'q': {'a': 1}}, {'q': {'a': 1.0}})", ""),
        ("import irmx.testing", "irmx.testing needs hypothesis, which generates the data. To install it: python -m"),
    ],
)
def test_only_the_kit_needs_hypothesis(lines: str, said: str) -> None:
    code = f"import sys; sys.modules['hypothesis'] = None; sys.modules['pytest'] = None; {lines}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode == 0) == (said == "")
    assert said in done.stderr


# -- help ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "said"), [("NCP", "never lowers"), ("MP", "can lower")])
def test_help_tells_whether_a_measure_is_monotone(name: str, said: str, command: Any) -> None:
    sentence = f"Replacing a non-relevant document by a relevant one {said} the value."
    assert sentence in command("measures", name).out
