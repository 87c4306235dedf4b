"""What a measure does wrong, named: whatever its code raises becomes an error with the name of the measure."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from numbers import Real
from typing import Any

import ir_measures
import numpy as np

from irmx.errors import DataError, DataWarning, IrmxError, PluginError, UnknownNameError, failure_of
from irmx.registry import registry
from irmx.text import value_repr


class failures_of:  # noqa: N801  every measure enters several, each a third of the time of one made by contextlib
    """Name the measure in errors about its data, and turn any other exception into an error of its plugin.

    This includes exceptions that would end the program, such as that of ``sys.exit``; only Ctrl-C is raised unchanged.
    """

    __slots__ = ("_measure",)

    def __init__(self, measure: Any) -> None:
        self._measure = measure

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if isinstance(error, DataError):
            raise error.of(f"{measure_text(self._measure)}: {error}") from error
        if error is not None:
            _raise_named(self._measure, error)


def _raise_named(measure: ir_measures.Measure, error: BaseException, where: str = "") -> None:
    """Raise the error of the plugin whose measure raised an exception, unless this one is for users as it is."""
    is_for_users = isinstance(
        error, (IrmxError, DataWarning, KeyboardInterrupt)
    )  # a warning may be turned into an error
    if not is_for_users or isinstance(error, UnknownNameError):  # which is of the code of the measure, not of a user
        raise failure_of(in_full(measure), error, where, type(measure).__module__) from error


def measure_text(measure: Any) -> str:
    """Return the text of a measure; its name if its own code for that fails."""
    try:
        return str(measure)
    except Exception:
        name = getattr(measure, "NAME", None)
        return name if isinstance(name, str) and name else type(measure).__name__


def in_full(measure: Any) -> str:
    """Return the name of a measure for a message, and the plugin that computes it if it is one of ir_measures."""
    plugin = registry().owner("scorers", str(measure.NAME))
    text = f"The measure {measure_text(measure)}"
    return text if plugin is None else f"{text}, which the plugin {plugin} computes,"


def value_of_topic(measure: ir_measures.Measure, query_id: object, score: Callable[[], Any]) -> float:
    """Return the value that the code of a measure gives a topic, as a float."""
    try:
        value = score()
        if is_number(value):
            return float(value)
    except BaseException as error:
        _raise_named(measure, error, f" for query {query_id}")
        raise
    raise PluginError(f"{in_full(measure)} must return a number for query {query_id}. Got {value_repr(value)}.")


def is_number(value: Any) -> bool:
    """Tell whether a value is one real number, of Python, numpy or a library with such scalars; truth values are 0 and 1.

    >>> [is_number(value) for value in (1, 0.5, np.float16(1), np.True_, Decimal("0.5"), 1j, "0.5", None, [1.0])]
    [True, True, True, True, True, False, False, False, False]
    """
    if isinstance(value, (float, Real, Decimal)):
        return True
    return hasattr(value, "__float__") and not np.ndim(value) and np.asarray(value).dtype.kind in "biuf"
