"""Running of all checks on measures, in one call or as pytest tests."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from irmx.declare.expressions import parse_measure
from irmx.declare.measures import Measure
from irmx.errors import PluginWarning, UsageError
from irmx.testing.checks import CHECKS, OF_SETTINGS
from irmx.testing.generate import EXAMPLES, CheckError, Data
from irmx.testing.strategies import Sample
from irmx.text import list_some, suggest

if TYPE_CHECKING:
    import pytest

Expected = Mapping[str, str] | Callable[[Measure], Mapping[str, str]]
"""The checks that a measure is expected to fail, with the reasons; or a function that gives them."""


@dataclass(frozen=True)
class CheckResult:
    """How a check went.

    Attributes
    ----------
    measure : Measure
        What was checked.
    check : str
        The name of the check.
    outcome : {"passed", "failed", "expected failure", "unexpected pass"}
        An unexpected pass is a failure that was expected and did not come.
    text : str
        Why it failed, or was expected to.
    """

    measure: Measure
    check: str
    outcome: str
    text: str = ""


def check_measure(
    measure: Measure | str,
    *,
    expected_failures: Expected | None = None,
    adapt: Callable[[Sample], Sample] | None = None,
    examples: int = EXAMPLES,
    on_fail: str = "raise",
) -> list[CheckResult]:
    """Run all checks on a measure.

    Parameters
    ----------
    measure : Measure or str
        A measure with its parameters, or its expression; of one that lacks a required parameter its ``EXAMPLES`` are checked.
    expected_failures : mapping or callable, optional
        The checks that it is expected to fail, ``{name: reason}``, or a function of the measure that gives them. A check
        that passes against expectation counts as failed.
    adapt : callable, optional
        Takes a :class:`Sample` and returns it with what relates its columns put right.
    examples : int
        How many samples a check looks at.
    on_fail : {"raise", "report"}
        Whether failures are raised, all in one error, or only in what is returned.

    Returns
    -------
    list of CheckResult
        One per check.

    Raises
    ------
    CheckError
        If a check fails.

    Examples
    --------
    >>> import irmx
    >>> results = check_measure(irmx.NCP(law=irmx.uniform), examples=5)
    >>> {result.outcome for result in results}
    {'passed'}
    """
    if on_fail not in ("raise", "report"):
        raise UsageError(f"on_fail must be 'raise' or 'report'. Got {on_fail!r} instead.")
    data = Data(adapt, examples)
    results = [
        _result(one, name, data, expected)
        for one, names in _checks_of([measure])
        for expected in [_expected(expected_failures, one)]
        for name in names
    ]
    bad = [r for r in results if r.outcome in ("failed", "unexpected pass")]
    if bad and on_fail == "raise":
        raise CheckError(
            f"{len(bad)} of {len(results)} checks failed.\n\n" + "\n\n".join(f"[{r.check}] {r.text}" for r in bad)
        )
    return results


def _result(measure: Measure, name: str, data: Data, expected: Mapping[str, str]) -> CheckResult:
    reason = expected.get(name)
    try:
        CHECKS[name](measure, replace(data, shrink=reason is None))
    except CheckError as failure:
        return CheckResult(
            measure, name, *(("failed", str(failure)) if reason is None else ("expected failure", reason))
        )
    if reason is None:
        return CheckResult(measure, name, "passed")
    text = f"{measure} was expected to fail ({reason}), but passes. Take it out of expected_failures."
    return CheckResult(measure, name, "unexpected pass", text)


def parametrize_with_checks(
    measures: Iterable[Measure | str],
    *,
    expected_failures: Expected | None = None,
    adapt: Callable[[Sample], Sample] | None = None,
    examples: int = EXAMPLES,
) -> pytest.MarkDecorator:
    """Return a pytest decorator that turns every check of every class of measures into a test.

    The first measure of a class gets all checks. Further ones, with other parameters, get the checks of what parameters
    affect, :data:`irmx.testing.OF_SETTINGS`: the values, and the columns that are read.

    The test takes the arguments ``measure`` and ``check``; its id is both. A failure that is expected is an xfail with
    its reason, strict: if the check passes, the test fails.

    Parameters
    ----------
    measures : iterable of Measure or str
        As :func:`check_measure` takes them.
    expected_failures, adapt, examples
        As in :func:`check_measure`.

    Examples
    --------
    >>> import irmx
    >>> @parametrize_with_checks([irmx.NCP(law=irmx.uniform)])
    ... def test_measures(measure, check):
    ...     check(measure)
    """
    import pytest

    data = Data(adapt, examples)
    tests = [
        pytest.param(
            one,
            partial(CHECKS[name], data=replace(data, shrink=name not in expected)),
            id=f"{one}-{name}",
            marks=_marks(expected.get(name)),
        )
        for one, names in _checks_of(measures)
        for expected in [_expected(expected_failures, one)]
        for name in names
    ]
    return pytest.mark.parametrize(("measure", "check"), tests)


def _checks_of(measures: Iterable[Measure | str]) -> Iterator[tuple[Measure, Iterable[str]]]:
    """Yield the measures to check, each with the names of its checks: all of them for the first measure of a class."""
    classes = set()
    for measure in measures:
        for one in instances(measure):
            yield one, OF_SETTINGS if type(one) in classes else CHECKS
            classes.add(type(one))


def _marks(reason: str | None) -> tuple[Any, ...]:
    import pytest

    return () if reason is None else (pytest.mark.xfail(reason=reason, strict=True, raises=CheckError),)


def _expected(given: Expected | None, measure: Measure) -> Mapping[str, str]:
    """Return the failures expected of a measure, having checked that there are such checks."""
    found = given(measure) if callable(given) else given or {}
    for name in found:
        if name not in CHECKS:
            raise UsageError(f"There is no check {name!r}.{suggest(name, CHECKS)} There are: {', '.join(CHECKS)}.")
    return found


def instances(measure: Measure | str) -> Iterator[Measure]:
    """Yield the measures to check: the measure itself, or its ``EXAMPLES`` if it lacks a required parameter.

    Raises
    ------
    irmx.errors.UsageError
        If it is not a measure of an irmx plugin, or lacks a parameter and has no examples.

    Warns
    -----
    irmx.errors.PluginWarning
        If the examples of its class take the place of a measure whose parameters were set.

    Examples
    --------
    >>> import irmx
    >>> list(instances(irmx.NCP)), list(instances("NCP(law=zipf)@10"))
    ([NCP(law=uniform), NCP(law=first)], [NCP(law=zipf)@10])
    """
    found = measure if not isinstance(measure, str) else parse_measure(measure)
    if not isinstance(found, Measure):
        raise UsageError(f"A measure to check must be an irmx.Measure or its expression. Got {measure!r} instead.")
    if not found.missing_params():
        yield found
        return
    if not found.EXAMPLES:
        found.validate_params()
    if found.params:
        warnings.warn(
            f"{found} is not checked: it lacks the required {list_some(found.missing_params())}. What is checked instead are the "
            f"EXAMPLES of its class: {', '.join(map(str, found.EXAMPLES))}.",
            PluginWarning,
            stacklevel=2,
        )
    for text in found.EXAMPLES:
        example = parse_measure(text)
        assert isinstance(example, Measure)
        yield example
