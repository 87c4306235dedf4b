"""Ragged arrays: the values of all topics in one array, with offsets that say where each topic starts and ends.

The values of topic ``t`` are ``values[offsets[t]:offsets[t + 1]]``; ``offsets`` has one element more than there are topics,
and starts with 0. Measures get their data in this form, see :class:`irmx.Rows`, and a plugin may use it for
any other segments, such as the sessions of users or the blocks of pages.

``Floats``, ``Ints`` and ``Bools`` are arrays of 64-bit floats, of 64-bit integers and of truth values; ``Array`` is any of them.

Examples
--------
>>> import numpy as np
>>> offsets = offsets_of([2, 0, 3])
>>> offsets, segment_of(offsets), position_in_segment(offsets)
(array([0, 2, 2, 5]), array([0, 0, 2, 2, 2]), array([0, 1, 0, 1, 2]))
"""

from __future__ import annotations

import reprlib
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from itertools import pairwise
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

A = TypeVar("A", bound=Array)
T = TypeVar("T")


def offsets_of(lengths: Any) -> Ints:
    """Return the offsets of segments with the given lengths.

    >>> offsets_of([2, 0, 3])
    array([0, 2, 2, 5])
    """
    lengths = np.asarray(lengths, dtype=np.int64)
    out = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=out[1:])
    return out


def segment_of(offsets: Ints) -> Ints:
    """Return, for every value, the number of its segment.

    >>> segment_of(np.array([0, 2, 2, 5]))
    array([0, 0, 2, 2, 2])
    """
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))


def position_in_segment(offsets: Ints) -> Ints:
    """Return, for every value, its position in its segment, from 0.

    >>> position_in_segment(np.array([0, 2, 2, 5]))
    array([0, 1, 0, 1, 2])
    """
    return np.asarray(np.arange(offsets[-1]) - np.repeat(offsets[:-1], np.diff(offsets)))


def sorted_in_segments(values: A, offsets: Ints) -> A:
    """Sort the values of every segment, in place, and return them.

    >>> sorted_in_segments(np.array([5, 3, 4, 1]), np.array([0, 2, 2, 4]))
    array([3, 5, 1, 4])
    """
    for start, end in pairwise(offsets.tolist()):
        values[start:end].sort()
    return values


def position_in_run(values: Array) -> Ints:
    """Return, for every value, its position in its run of equal neighbours, from 0.

    >>> position_in_run(np.array([0, 0, 3, 3, 3, 0]))
    array([0, 1, 0, 1, 2, 0])
    """
    starts = np.flatnonzero(values[1:] != values[:-1]) + 1
    return position_in_segment(np.concatenate([[0], starts, [len(values)]]))


def position_among(known: Ints, wanted: Ints) -> Ints:
    """Return, for every wanted value, its position among known values in ascending order; -1 for one that is not known.

    >>> position_among(np.array([3, 5, 8]), np.array([8, 4, 3]))
    array([ 2, -1,  0])
    """
    if not len(known):
        return np.full(len(wanted), -1, dtype=np.int64)
    place = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    return np.where(known[place] == wanted, place, -1)


def segment_count(mask: Array, offsets: Ints) -> Ints:
    """Return how many values of every segment are true.

    >>> segment_count(np.array([True, False, True]), np.array([0, 2, 2, 3]))
    array([1, 0, 1])
    """
    running = np.zeros(len(mask) + 1, dtype=np.int64)
    np.cumsum(mask, out=running[1:])
    counts: Ints = np.diff(running[offsets])
    return counts


def segment_sum(values: Any, segment: Ints, count: int) -> Floats:
    """Return the sum of the values of every segment, added one after the other; 0 for a segment without values.

    Parameters
    ----------
    values : array, shape (values,)
        The values to add.
    segment : int array, shape (values,)
        The number of the segment of every value, in any order.
    count : int
        The number of segments.

    Examples
    --------
    >>> segment_sum(np.array([0.5, 1.0, 2.0]), np.array([0, 2, 2]), 3)
    array([0.5, 0. , 3. ])
    """
    sums: Any = np.bincount(segment, values, minlength=count)  # the stubs of numpy promise integers
    return np.asarray(sums, dtype=np.float64)


def segment_cumsum(values: Floats, offsets: Ints) -> Floats:
    """Return the sum of the values of a segment down to each of them, to the bit the same whatever other segments hold.

    >>> segment_cumsum(np.array([0.5, 1.0, 2.0, 3.0]), np.array([0, 2, 2, 4]))
    array([0.5, 1.5, 2. , 5. ])
    """
    if np.array_equal(values, np.floor(values)) and np.abs(values).sum() < 2**53:  # no sum is rounded
        running = np.append(0.0, np.cumsum(values))
        return np.asarray(running[1:] - np.repeat(running[offsets[:-1]], np.diff(offsets)))
    return np.concatenate([np.cumsum(of_segment) for of_segment in np.split(values, offsets[1:-1])])


def read_only(values: A) -> A:
    """Return a read-only view of an array; the array itself, which may be a user's, is left unchanged.

    Neither the view nor its base can be made writable again. ``numpy.add.at`` and its like heed no flag: they write nevertheless.

    >>> gains = np.array([1.0, 0.5])
    >>> read_only(gains).flags.writeable, gains.flags.writeable
    (False, True)
    """
    if type(values) is np.ndarray and values.dtype.kind in "biufOSU":  # such arrays are buffers; those of dates are not
        return cast(A, np.asarray(memoryview(cast(Any, values)).toreadonly()))
    view = values.view()
    view.flags.writeable = False
    return cast(A, view)


def shared(value: T) -> T:
    """Return a value with its arrays made read-only: itself, or those in tuples, lists, dicts and fields of dataclasses.

    Lists, dicts and dataclasses stay what they are, and hold read-only arrays then; they can themselves be changed. Arrays in
    other objects, in sets, and in cached properties stay writable.

    >>> offsets, gains = shared((np.array([0, 2]), np.array([1.0, 0.5])))
    >>> gains[0] = 2.0
    Traceback (most recent call last):
    ...
    ValueError: assignment destination is read-only
    """
    return cast(T, _shared(value, set()))


def _shared(value: Any, seen: set[int]) -> Any:
    """Return what :func:`shared` does; ``seen`` has the ids of the containers begun, since one may hold itself."""
    if isinstance(value, np.ndarray):
        return read_only(value)
    if isinstance(value, tuple):
        items = _shared_items(value, seen)
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if id(value) in seen:
        return value
    seen.add(id(value))
    if isinstance(value, list):
        value[:] = _shared_items(value, seen)
    elif isinstance(value, dict):
        value.update({key: _shared(item, seen) for key, item in value.items()})
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            if hasattr(value, field.name):  # a field with init=False may not be set yet
                object.__setattr__(value, field.name, _shared(getattr(value, field.name), seen))
    return value


def _shared_items(values: Iterable[Any], seen: set[int]) -> list[Any]:
    """Return what :func:`shared` does for each value; a call for each of many labels would take longer than their measures."""
    return [value if type(value) in _WITHOUT_ARRAYS else _shared(value, seen) for value in values]


_WITHOUT_ARRAYS = {str, int, float, bool, type(None)}


class _Short(reprlib.Repr):
    """The standard library's short reprs, with the shapes of arrays and tables instead of their values."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlist = self.maxtuple = self.maxdict = self.maxset = self.maxfrozenset = 2
        self.maxother = self.maxstring = 40

    def repr_ndarray(self, array: Array, level: int) -> str:
        return f"<{' x '.join(map(str, array.shape))} {array.dtype}>"

    def repr_DataFrame(self, frame: Any, level: int) -> str:  # noqa: N802
        return f"<{' x '.join(map(str, frame.shape))} DataFrame>"

    def repr_float(self, value: float, level: int) -> str:
        return f"{value:.4g}"

    repr_float64 = repr_float

    def repr_instance(self, instance: Any, level: int) -> str:
        if callable(instance) and hasattr(instance, "__qualname__"):
            return str(instance.__qualname__)  # a repr of a function has an address
        return super().repr_instance(instance, level)


_LONGEST = 200


def short_repr(record: Any) -> str:
    """Return the repr of a dataclass on one line, with the shapes of arrays; for ``__repr__ = short_repr`` in its body.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Sessions:
    ...     start: Floats
    ...     users: list[str]
    ...     __repr__ = short_repr
    >>> Sessions(np.zeros(1000), ["ann", "bob", "eve"])
    Sessions(start=<1000 float64>, users=['ann', 'bob', ...])
    """
    shown = _Short()
    parts = (f"{field.name}={shown.repr(getattr(record, field.name))}" for field in fields(record) if field.repr)
    text = f"{type(record).__name__}({', '.join(parts)})"
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 4]}...)"
