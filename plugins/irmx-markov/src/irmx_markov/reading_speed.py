"""Holding times from the lengths of documents and a reading speed."""

from __future__ import annotations

import numpy as np

from irmx import Column, Formula, Param, Rankings, SampleValues, UsageError
from irmx.ragged import Floats
from irmx_markov.holding import HoldingTimes, positive

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
