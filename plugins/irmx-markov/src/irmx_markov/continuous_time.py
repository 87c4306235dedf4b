"""The measure MPcont: Markov Precision in continuous time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from irmx import (
    COMMON_PARAMS,
    Column,
    DataError,
    Formula,
    Param,
    Rankings,
    SampleValues,
    Symbol,
    UsageError,
    read_table,
)
from irmx.ragged import Floats, segment_sum
from irmx.toolkit import duration, value_repr
from irmx.toolkit import seconds as in_seconds
from irmx_markov.finite_chains import chains_and_starts, expected_times, weights_of_steps
from irmx_markov.markov_models import KIND
from irmx_markov.markov_precision import (
    BEST_RETRIEVED,
    PRECISION,
    RESCALE,
    RESCALED,
    START,
    STEPS,
    VISITS,
    MarkovMeasure,
)

if TYPE_CHECKING:
    import pandas as pd


# -- holding times: how long a user stays at a rank on average -------------------------------------------------------


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


# -- holding times from the lengths of documents and a reading speed -------------------------------------------------


LENGTH_COLUMN = Column(
    "run",
    "length",
    "length of the document",
    "words",
    how="use a run table with this column, or holding times by rank: times=by_rank(seconds=[20,15,10])",
    sample=SampleValues(range(8, 61), ("query_id", "doc_id")),
)


class ByLength(HoldingTimes):
    """The time to read the document, ``overhead`` + length / ``speed``, from the run's ``length`` column.

    Only the proportions of holding times matter to MPcont, so without an ``overhead`` the speed changes no value, only the
    seconds that :func:`irmx.explain` shows.

    Parameters
    ----------
    speed : float
        Words per second. 4.25, which is 255 words a minute, is the mean reading speed of the users of Modeled Stream
        Utility (Baruah, Smucker and Clarke, SIGIR 2015).
    overhead : float
        Seconds spent at a document regardless of its length. Smucker and Clarke (SIGIR 2012) fit 0.018 s per word and 7.8 s:
        ``by_length(speed=55.6,overhead=7.8)``.

    Raises
    ------
    irmx.DataError
        If a relevant document retrieved has no length, or one that is negative, infinite or, without ``overhead``, 0.

    Examples
    --------
    >>> import irmx
    >>> import pandas as pd
    >>> qrels = {"q": {"a": 1, "c": 1}}
    >>> run = pd.DataFrame({"query_id": "q", "doc_id": ["a", "b", "c"], "score": [3, 2, 1], "length": [170, 20, 510]})
    >>> found = irmx.explain("MPcont(model=GL_AD_ID,times=by_length)", qrels, run, "q")
    >>> found.columns["holding_time"], found.columns["weight"]
    ([40.0, 120.0], [0.25, 0.75])
    """

    NAME = "by_length"
    SHORT_DESC = "the time to read the document, from the run's column 'length', in words, and a reading speed"
    FORMULA = Formula(
        r"\frac{1}{\mu_n} = o + \frac{l_n}{v}",
        {
            r"\mu_n": r"the rate of leaving rank $n$: $1/\mu_n$ is the mean holding time there, in seconds",
            "o": "the seconds spent at every document",
            "l_n": "the length of the document at rank $n$, in words",
            "n": "a rank",
            "v": "the reading speed, in words per second",
        },
        source="a choice of irmx",
    )
    SUPPORTED_PARAMS = {
        "speed": Param(float, "reading speed", default=4.25, above=0, unit="words per second"),
        "overhead": Param(float, "time spent at a document regardless of its length", default=0.0, low=0, unit="s"),
    }

    def mean_times(self, rankings: Rankings) -> Floats:
        length = rankings.relevant.column(LENGTH_COLUMN)
        positive(rankings, length, LENGTH_COLUMN, zero=self["overhead"] > 0)
        with np.errstate(over="ignore"):
            times = np.asarray(self["overhead"] + length / self["speed"])
        for i in np.flatnonzero(~(np.isfinite(times) & (times > 0)))[:1].tolist():
            raise UsageError(
                f"{self!r} is too {'small' if times[i] > 0 else 'large'} a speed: the time to read {length[i]:g} words is {times[i]:g} "
                "s for a 64-bit float."
            )
        return times

    def run_columns(self) -> tuple[Column, ...]:
        return (LENGTH_COLUMN,)


BY_LENGTH = ByLength()


# -- the measure MPcont: Markov Precision in continuous time ---------------------------------------------------------


class ContinuousMarkovPrecision(MarkovMeasure):
    """Markov Precision in continuous time: ranks where the user stays longer have more weight.

    With equal holding times it is MP. The paper averages precision over a time that grows without limit (section 4). With
    ``steps`` or ``budget`` the average ends when the user does, after a number of visits or a time. Only visits to relevant documents
    count, and each takes a random time from the exponential distribution with the mean of its rank. With more visits or time, the value
    approaches MPcont; with a budget near 0 it is the precision at the first relevant document visited. A start in the invariant
    distribution, which for a budget is that of time, gives MPcont at once.

    With ``steps``, the weight of a rank is the mean time spent there over the mean time spent in all, a ratio of means over users.

    Raises
    ------
    irmx.UsageError
        If both ``steps`` and ``budget`` are given.

    References
    ----------
    Ferrante, Ferro, Maistro: Injecting User Models and Time into Precision via Markov Chains. SIGIR 2014.

    Examples
    --------
    >>> import irmx
    >>> qrels = {"q": {"a": 1, "c": 1, "d": 1}}
    >>> run = {"q": {"a": 6.0, "b": 5.0, "c": 4.0, "d": 3.0, "e": 2.0, "f": 1.0}}
    >>> m = irmx.parse_measure("MPcont(model=GL_AD_ID,times=by_rank(seconds=[10,10,20,30]))")
    >>> round(m.calc_aggregate(qrels, run), 6)
    0.753902
    >>> round(m(steps=1).calc_aggregate(qrels, run), 6)  # (10 * 1 + 20 * 2/3 + 30 * 3/4) / 60
    0.763889
    >>> round(m(budget="1m", start="first").calc_aggregate(qrels, run), 6)
    0.794806
    """

    NAME = "MPcont"
    PRETTY_NAME = "Continuous-time Markov Precision"
    SHORT_DESC = (
        "Markov Precision in continuous time: ranks are weighted by how often and how long the user visits them."
    )
    FORMULA = Formula(
        r"\mathrm{MPcont} = \sum_{n \in R} \tilde{\pi}_n\,\mathrm{Prec}(n), \qquad \tilde{\pi}_n = \frac{\pi_n / "
        r"\mu_n}{\sum_{i \in R} \pi_i / \mu_i}",
        {
            "n": "a rank",
            "R": "the ranks of the relevant documents retrieved",
            r"\tilde{\pi}_n": "the share of the time at $R$ that the user spends at rank $n$; with budget, of that time alone",
            r"\mathrm{Prec}(n)": f"{PRECISION}. {RESCALED}",
            r"\pi_n": f"{VISITS}; with steps, the mean over the first visits instead",
            r"\mu_n": (
                r"the rate of leaving rank $n$: $1/\mu_n$ is the mean holding time there, from the parameter times"
            ),
            "i": "each rank in $R$",
        },
        source="Ferrante, Ferro and Maistro (2014)",
    )
    SUPPORTED_PARAMS = {
        "model": Param(str, "the user's Markov chain", kind=KIND, required=True),
        "times": Param(str, "where the mean holding times come from", kind=TIMES_KIND, default=DWELL),
        "steps": STEPS,
        "budget": Param(
            duration,
            "time at relevant documents after which the user ends; None: no limit",
            default=None,
            above=0,
            unit="s",
        ),
        "start": START,
        "rescale": RESCALE,
        **COMMON_PARAMS,
    }
    RUN_COLUMNS = (DWELL_COLUMN, LENGTH_COLUMN)
    QREL_COLUMNS = (BEST_RETRIEVED,)
    EXAMPLES = ("MPcont(model=GL_AD_ID)",)

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        if self["steps"] is not None and self["budget"] is not None:
            raise UsageError(
                f"A user of MPcont ends after a number of visits or a time. Got steps={self['steps']} and "
                f"budget={self['budget']!r}; leave one out."
            )

    def weights(self, rankings: Rankings) -> Floats:
        times = self["times"].mean_times(rankings)
        if self["budget"] is not None:
            return self._weights_of_budget(rankings, times)
        steps = self["steps"]
        pi = (
            self.invariant(rankings)
            if steps is None
            else weights_of_steps(self["model"], rankings, self["start"], steps)
        )
        topic = rankings.relevant.topic
        longest = np.zeros(len(rankings))
        np.maximum.at(longest, topic, times)
        times = times / longest[topic]
        total = segment_sum(pi * times, topic, len(rankings))[topic]
        return np.asarray(np.divide(pi * times, total, out=np.zeros(len(pi)), where=total > 0))

    def _weights_of_budget(self, rankings: Rankings, times: Floats) -> Floats:
        """Return the mean share of the budget that is spent at every relevant document."""
        out, budget = np.zeros(len(times)), in_seconds(self["budget"])
        for here, chain, law in chains_and_starts(self["model"], rankings, self["start"]):
            if self["start"] == "invariant":
                law = law * times[here] / (law @ times[here])
            out[here] = expected_times(law, chain, times[here], budget) / budget
        return out

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        return {"holding_time": self["times"].mean_times(rankings), **super().contributions(rankings)}

    def run_columns(self) -> tuple[Column, ...]:
        columns: tuple[Column, ...] = self["times"].run_columns()
        return columns


MPcont = ContinuousMarkovPrecision()
