"""What tests and corrections return, checked: they may come from any plugin."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from irmx import IrmxError, PluginError
from irmx.ragged import Floats
from irmx_study.significance.paired_values import PairedValues


def tested(test: Any, paired: PairedValues) -> tuple[Floats, Floats]:
    """Return the statistics and the p-values of a test.

    Raises
    ------
    irmx.errors.PluginError
        If the test fails, or does not return two arrays of one number per pair, of which the second are probabilities.
    """
    name = f"The significance test {test}"
    result = _called(name, lambda: test.test(paired))
    if not isinstance(result, tuple) or len(result) != 2:
        raise PluginError(f"{name} must return its statistics and p-values. It returned {_short(result)}.")
    statistic, p = (
        _numbers(f"{name} must return {what}", values, len(paired))
        for what, values in zip(_RETURNED, result, strict=True)
    )
    return statistic, _probabilities(name, p)


_RETURNED = ("one statistic per pair of systems", "one p-value per pair of systems")


def corrected(correction: Any, p: Floats, family: Sequence[PairedValues]) -> Floats:
    """Return the p-values of a family after a correction.

    Raises
    ------
    irmx.errors.PluginError
        If the correction fails, or does not return one probability per p-value.
    """
    name = f"The correction {correction}"
    result = _called(name, lambda: correction.adjust(p, family))
    return _probabilities(name, _numbers(f"{name} must return one p-value per comparison", result, len(p)))


def _called(name: str, function: Callable[[], Any]) -> Any:
    try:
        return function()
    except IrmxError:
        raise
    except Exception as error:
        raise PluginError(f"{name} failed with {type(error).__name__}: {error}") from error


def _numbers(expected: str, values: Any, count: int) -> Floats:
    """Return values as an array of a length, without NaN."""
    try:
        numbers = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise PluginError(f"{expected}. It returned {_short(values)}.") from None
    if numbers.shape != (count,):
        raise PluginError(
            f"{expected}, an array of the shape ({count},). It returned one of the shape {numbers.shape}."
        )
    if np.isnan(numbers).any():
        raise PluginError(f"{expected}. It returned NaN for pair {int(np.isnan(numbers).argmax())}, counted from 0.")
    return numbers


def _probabilities(name: str, p: Floats) -> Floats:
    """Return p-values in [0, 1]; a rounding error above 1 is none."""
    wrong = np.flatnonzero((p < 0) | (p > 1 + 1e-12))
    if len(wrong):
        raise PluginError(
            f"{name} returned the p-value {p[wrong[0]]:g} for pair {wrong[0]}, counted from 0: it must be in [0, 1]."
        )
    return np.minimum(p, 1)


def _short(value: Any) -> str:
    text = f"{type(value).__name__} {value!r}"
    return text if len(text) <= 80 else text[:77] + "..."
