"""Statements about the runs in a setting that are true or false, such as ``tau < 0.9``, ``A > B`` and ``rank A <= 3``."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from irmx import UsageError
from irmx.ragged import Array
from irmx.toolkit import counted, suggest
from irmx_study.settings.rankings_against import CORRELATIONS

_OPERATORS: dict[str, Callable[[Any, Any], Array]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
_OPERATOR = re.compile("<=|>=|<|>")
FORMS = "'tau < 0.9' (or tau_ap, tau_ap_a, tau_ap_b), 'A > B' for two runs, or 'rank A <= 3'"


@dataclass(frozen=True)
class Statement:
    """A statement about a setting.

    Attributes
    ----------
    kind : {"correlation", "difference", "rank"}
        What it is about: a correlation with the reference, the difference of the means of two runs, or the rank of a run.
    left : str
        The correlation, or the run.
    operator : str
        One of <, <=, >, >=.
    right : str or float
        The other run, or the number.
    """

    kind: str
    left: str
    operator: str
    right: str | float

    def __str__(self) -> str:
        right = self.right if isinstance(self.right, str) else f"{self.right:g}"
        return f"{'rank ' * (self.kind == 'rank')}{self.left} {self.operator} {right}"

    def holds(self, values: Array) -> Array:
        """Return where it holds, for the value in every setting: the correlation, the difference or the rank."""
        holds: Array = _OPERATORS[self.operator](values, 0 if isinstance(self.right, str) else self.right)
        return holds


def parse_statement(text: str, systems: Sequence[str]) -> Statement:
    """Return the statement that a text stands for.

    Parameters
    ----------
    text : str
        ``tau < 0.9``, with any of the correlations; ``A > B`` for two runs; or ``rank A <= 3``. The operator is one of
        <, <=, >, >=.
    systems : sequence of str
        The names of the runs.

    Raises
    ------
    irmx.errors.UsageError
        If it has none of these forms, or names no run.

    Examples
    --------
    >>> parse_statement("rank bm25<=1", ["bm25", "recent"])
    Statement(kind='rank', left='bm25', operator='<=', right=1.0)
    """
    left, sign, right = _parts(text)
    if left in systems and right in systems:
        if left == right:
            raise UsageError(f"{text!r} compares a run with itself. Name two runs.")
        return Statement("difference", left, sign, right)
    number = _number(right)
    if left in CORRELATIONS and number is not None:
        if not -1 <= number <= 1:
            raise UsageError(f"{text!r}: a correlation is a number in the range [-1, 1].")
        return Statement("correlation", left, sign, number)
    word, _, run = left.partition(" ")
    if word == "rank" and number is not None:
        _refuse_unknown(run.strip(), systems)
        if number != int(number) or not 1 <= number <= len(systems):
            raise UsageError(f"{text!r}: a rank of {counted(len(systems), 'run')} is 1 to {len(systems)}.")
        return Statement("rank", run.strip(), sign, number)
    if number is None:
        for run in (left, right):
            _refuse_unknown(run, systems)
    raise UsageError(f"{text!r} is not a statement. It is written {FORMS}.")


def _parts(text: str) -> tuple[str, str, str]:
    """Return the texts before and after the operator, and the operator."""
    text = text.strip()
    found = _OPERATOR.search(text, 1)  # a run comes first, whatever its name begins with
    left, right = (text[: found.start()].strip(), text[found.end() :].strip()) if found else ("", "")
    if found is None or not left or not right:
        raise UsageError(f"{text!r} is not a statement. It is written {FORMS}.")
    return left, found[0], right


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if number == number and abs(number) != float("inf") else None


def _refuse_unknown(run: str, systems: Sequence[str]) -> None:
    if run not in systems:
        raise UsageError(
            f"There is no run {run!r}.{suggest(run, systems)} A statement about a setting is written {FORMS}."
        )
