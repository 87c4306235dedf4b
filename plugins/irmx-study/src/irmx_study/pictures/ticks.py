"""The labels of values on the axes of pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from irmx.toolkit import picture_text

_TICKS = 12
"""More values than these on an axis are labelled in part."""


def label_ticks(axis: Any, labels: Sequence[Any]) -> None:
    """Label the places 0, 1, 2, ... of an axis, or every second, third, ... of many."""
    step = -(-len(labels) // _TICKS)
    places = list(range(0, len(labels), step))
    axis.set_ticks(places, [number_text(labels[place]) for place in places])


def number_text(value: Any) -> str:
    """Return a value as a label, numbers without useless digits.

    >>> number_text(0.30000000000000004), number_text("30s")
    ('0.3', '30s')
    """
    return f"{value:g}" if isinstance(value, (int, float)) and not isinstance(value, bool) else picture_text(value)
