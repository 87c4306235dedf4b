"""Numbering the labels of subtopics and windows."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from irmx import Column, Rows
from irmx.ragged import Ints


def labels(rows: Rows, column: Column) -> tuple[Ints, list[Any]]:
    """Return the number of the label of every row, -1 for none, and the labels in their natural order, 2 before 10."""
    number, names = rows.labels(column, missing_ok=True)
    order = sorted(range(len(names)), key=lambda i: natural(names[i]))
    place = np.empty(len(names) + 1, dtype=np.int64)
    place[order] = np.arange(len(names))
    place[-1] = -1
    return place[number], [names[i] for i in order]


def natural(name: Any) -> tuple[Any, ...]:
    """Return a sort key for labels that orders the numbers in them by value.

    >>> sorted(["c10", "c2", "b"], key=natural)
    ['b', 'c2', 'c10']
    """
    if not isinstance(name, str):
        return (name,)
    return tuple(_piece(piece) for piece in re.split(r"([0-9]+)", name) if piece)


def _piece(piece: str) -> tuple[int, int, str]:
    digits = piece.lstrip("0")  # of two numbers, the one with more digits is larger; int() takes only some thousands
    return (0, len(digits), digits) if piece.isascii() and piece.isdecimal() else (1, 0, piece)
