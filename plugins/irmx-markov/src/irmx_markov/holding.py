"""Holding times: how long a user stays at a rank on average."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from irmx import (
    Column,
    DataError,
    Param,
    Rankings,
    SampleValues,
    Symbol,
    UsageError,
    read_table,
)
from irmx.ragged import Floats
from irmx.toolkit import value_repr

if TYPE_CHECKING:
    import pandas as pd

TIMES_KIND = "source of holding times"
"""The kind of symbol that the ``times`` parameter of ``MPcont`` takes.

Such a symbol has a method ``mean_times(rankings)``, which returns seconds over ``rankings.relevant``, and declares the run
columns it reads.
"""

DWELL_COLUMN = Column(
    "run",
    "dwell",
    "mean holding time of a user on this result",
    "s",
    how="add it to the run table, or use another source of times: times=by_rank(seconds=[20,15,10]), times=by_length",
    sample=SampleValues(range(1, 61)),
)


_FILE = {
    "rank": Param(int, "a rank", low=1, required=True),
    "holding_time": Param(float, "the mean holding time at the rank", above=0, unit="s", required=True),
}
"""The columns of a file with holding times by rank."""

_LAST = 100_000
"""The largest rank of holding times that are written as a list in the name of a measure."""


class HoldingTimes(Symbol):
    """Base class of holding times; see :data:`TIMES_KIND`."""

    KIND = TIMES_KIND

    def mean_times(self, rankings: Rankings) -> Floats:
        """Return the mean holding time at every relevant document, in seconds."""
        raise NotImplementedError

    def run_columns(self) -> tuple[Column, ...]:
        """Return the run columns read."""
        return ()


def positive(rankings: Rankings, values: Floats, column: Column, zero: bool = False) -> None:
    """Raise :class:`irmx.DataError` if a value of a run column over the relevant documents is not above 0.

    Parameters
    ----------
    rankings : Rankings
        The rankings whose relevant documents have the values.
    values : array of float
        The values.
    column : Column
        The column.
    zero : bool
        Whether 0 is allowed.
    """
    for i in np.flatnonzero(~(values >= 0 if zero else values > 0))[:1].tolist():
        raise DataError(
            f"the {column.name} {values[i]:g} of query {rankings.topics[rankings.relevant.topic[i]]}, document "
            f"{rankings.relevant.doc_ids[i]!r} at rank {rankings.relevant.rank[i]} is {'below' if zero else 'not above'} "
            f"0 {column.unit}."
        )


class DwellColumn(HoldingTimes):
    """The run's ``dwell`` column."""

    NAME = "dwell"
    SHORT_DESC = "from the run's column 'dwell', in seconds"

    def mean_times(self, rankings: Rankings) -> Floats:
        times = rankings.relevant.column(DWELL_COLUMN)
        positive(rankings, times, DWELL_COLUMN)
        return times

    def run_columns(self) -> tuple[Column, ...]:
        return (DWELL_COLUMN,)


class ByRank(HoldingTimes):
    """Holding times by rank, as a list, from a file, or calibrated from a click log.

    Parameters
    ----------
    seconds : list of float, or dict of int to float
        The mean holding times at ranks 1, 2, ..., or a dict by rank.
    file : str
        Alternatively, a table file with the columns ``rank`` and ``holding_time``, as written by ``irmx markov holding-times``.
    missing : {"previous", "error"}
        How to treat a rank without a time: use that of the nearest rank before it (before the first, the first time), or
        raise an error.

    Examples
    --------
    >>> ByRank(seconds={1: 20.0, 3: 10.0})
    by_rank(seconds=[20,20,10])
    """

    NAME = "by_rank"
    EXAMPLES = ("by_rank(seconds=[20,15,10])",)
    SHORT_DESC = "from a table by rank: a list of seconds, or a file with the columns rank and holding_time"
    SUPPORTED_PARAMS = {
        "seconds": Param(list, "mean holding times at ranks 1, 2, ...", default=None, above=0, unit="s"),
        "file": Param(str, "path of a table with the columns rank and holding_time", default=None),
        "missing": Param(
            str,
            "how to treat a rank without a time: use that of the nearest rank before it ('previous'), or raise an error",
            default="previous",
            choices=("previous", "error"),
        ),
    }

    def __init__(self, seconds: Sequence[float] | Mapping[int, float] | None = None, **params: Any) -> None:
        table: dict[int, float] | None = None
        if isinstance(seconds, Mapping):
            if params.get("file") is not None:
                raise UsageError("The holding times 'by_rank' take either 'seconds' or 'file', not both.")
            table = _by_rank(seconds)
        elif seconds is not None:
            params["seconds"] = seconds
        super().__init__(**params)
        if self["seconds"] is not None and self["file"] is not None:
            raise UsageError("The holding times 'by_rank' take either 'seconds' or 'file', not both.")
        if table is None and self["seconds"] is not None:
            table = dict(enumerate(self["seconds"], start=1))
        elif table is None and self["file"] is not None:
            table = _read(self["file"])
        self._known: list[int] = sorted(table or {})
        if table is not None:
            _check(table, self["file"])
            if self["file"] is None:
                places = np.searchsorted(self._known, range(1, self._known[-1] + 1), side="right") - 1
                filled = [table[self._known[place]] for place in np.maximum(places, 0).tolist()]
                self.params["seconds"] = type(self).SUPPORTED_PARAMS["seconds"].check(filled, "seconds", self.NAME)
                self.params = {k: self.params[k] for k in self.SUPPORTED_PARAMS if k in self.params}
            self._times = np.array([table[k] for k in self._known])

    def mean_times(self, rankings: Rankings) -> Floats:
        if not self._known:
            raise UsageError(
                "The holding times 'by_rank' need times: by_rank(seconds=[20,15,10]) or by_rank(file='times.csv')."
            )
        known = np.array(self._known)
        rank = rankings.relevant.rank
        if self["missing"] == "error":
            lacking = np.flatnonzero(~np.isin(rank, known))
            if len(lacking):
                i = int(lacking[0])
                raise DataError(
                    f"there is no holding time for rank {rank[i]}, needed for query {rankings.topics[rankings.relevant.topic[i]]}; "
                    f"{len(known)} ranks up to {known[-1]} have times. Use missing='previous' for the time of the nearest rank before it."
                )
        return np.asarray(self._times[np.maximum(np.searchsorted(known, rank, side="right") - 1, 0)])

    @classmethod
    def from_frame(cls, table: pd.DataFrame, **params: Any) -> ByRank:
        """Return the times of a table with the columns ``rank`` and ``holding_time``."""
        return cls(dict(zip(table["rank"].tolist(), table["holding_time"].tolist(), strict=True)), **params)


def _by_rank(seconds: Mapping[Any, Any]) -> dict[int, float]:
    """Return times by rank, whose ranks are whole numbers."""
    for rank in seconds:
        try:
            is_whole = float(rank).is_integer()
        except (OverflowError, TypeError, ValueError):
            is_whole = False
        if not is_whole:
            raise UsageError(f"A holding time needs a whole number as its rank. Got {value_repr(rank)}.")
    last = max(map(int, seconds), default=0)
    if last > _LAST:
        raise UsageError(
            f"The holding times 'by_rank' are written as a list up to rank {last:,}, which can be at most rank {_LAST:,}. Give the "
            "times of lower ranks; missing='previous' uses the last of them for the ranks beyond."
        )
    try:
        return {int(rank): float(time) for rank, time in seconds.items()}
    except (OverflowError, TypeError, ValueError):
        raise UsageError(f"Holding times are numbers of seconds. Got {value_repr(dict(seconds))} instead.") from None


def _check(table: dict[int, float], file: str | None) -> None:
    where = f" in {file}" if file else ""
    if not table:
        raise UsageError(f"There are no holding times{where}; at least one rank needs one.")
    for rank, seconds in table.items():
        if rank < 1 or not 0 < seconds < float("inf"):
            raise UsageError(
                f"A holding time{where} must be above 0 seconds, at a rank of at least 1. Got {seconds!r} at rank {rank!r}."
            )


def _read(path: str) -> dict[int, float]:
    """Return the holding times in a table by rank."""
    rows = read_table(path, _FILE, "table of holding times")
    table: dict[int, float] = {}
    first: dict[int, int] = {}
    for row, (rank, seconds) in enumerate(zip(rows["rank"].tolist(), rows["holding_time"].tolist(), strict=True)):
        if first.setdefault(rank, row) != row:
            rows.refuse([first[rank], row], f"rank {rank} has two holding times, {table[rank]:g} and {seconds:g}.")
        table[rank] = seconds
    return table


DWELL, BY_RANK = DwellColumn(), ByRank()
