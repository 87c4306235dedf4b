"""Percentages of a pool, computed exactly."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from irmx import UsageError

Percentages = Any
"""Percentages as a user gives them: numbers, texts, or one text such as ``"90,70,50"``."""


def exact_percentages(percentages: Percentages) -> tuple[Fraction, ...]:
    """Return percentages as fractions of 100, in the order given.

    A float counts as the decimal number that it is printed as, so that 12.5 and 0.1 are what they look like.

    Parameters
    ----------
    percentages : str, number or iterable of them
        The percentages.

    Raises
    ------
    irmx.errors.UsageError
        If there is none, one is not a number in (0, 100], or two are equal.

    Examples
    --------
    >>> exact_percentages("50, 12.5")
    (Fraction(50, 1), Fraction(25, 2))
    >>> exact_percentages([90, 0.1])
    (Fraction(90, 1), Fraction(1, 10))
    >>> exact_percentages([90, 0])
    Traceback (most recent call last):
    ...
    irmx.errors.UsageError: The share of the judgments to keep is a percentage in the range (0, 100]. Got 0 instead.
    """
    if isinstance(percentages, str):
        percentages = percentages.split(",")
    elif not isinstance(percentages, Iterable):
        percentages = [percentages]
    exact: list[Fraction] = []
    for percentage in percentages:
        level = _exact(percentage)
        if level in exact:
            raise UsageError(f"The percentage {text_of(level)} is to be kept twice. Give each level once.")
        exact.append(level)
    if not exact:
        raise UsageError("There is no percentage of the judgments to keep. Give some, such as 90,70,50,30,10.")
    return tuple(exact)


def _exact(percentage: Any) -> Fraction:
    text = str(percentage).strip()
    try:
        if isinstance(percentage, bool) or not 0 < float(percentage) <= 100:  # before a fraction of 1e9999999 is made
            raise ValueError
        return percentage if isinstance(percentage, Fraction) else Fraction(text)
    except (TypeError, ValueError):
        shown = repr(percentage) if isinstance(percentage, bool) or not text else text
        raise UsageError(
            f"The share of the judgments to keep is a percentage in the range (0, 100]. Got {shown} instead."
        ) from None


def number_of(level: Fraction) -> int | float:
    """Return a percentage as an int if it is a whole number, else as a float."""
    return int(level) if level.denominator == 1 else float(level)


def text_of(level: Fraction) -> str:
    """Return a percentage as a text.

    >>> text_of(Fraction(25, 2)), text_of(Fraction(90))
    ('12.5', '90')
    """
    return str(number_of(level))


def kept_of(size: int, level: Fraction, least: int) -> int:
    """Return how many of some documents to keep: the percentage, rounded half up, but at least so many, and not more than all.

    Parameters
    ----------
    size : int
        The number of documents.
    level : Fraction
        The percentage.
    least : int
        The smallest number to keep.

    Examples
    --------
    >>> [(kept_of(25, Fraction(p), 1), kept_of(300, Fraction(p), 10)) for p in (90, 70, 50, 30, 10)]
    [(23, 270), (18, 210), (13, 150), (8, 90), (3, 30)]
    >>> [(kept_of(3, Fraction(p), 1), kept_of(40, Fraction(p), 10)) for p in (90, 70, 50, 30, 10)]
    [(3, 36), (2, 28), (2, 20), (1, 12), (1, 10)]
    """
    rounded = (2 * level.numerator * size + 100 * level.denominator) // (200 * level.denominator)
    return min(size, max(least, rounded))
