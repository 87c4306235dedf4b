"""Shared parts of the measures of the TREC Temporal Summarization track: parameters, and ratios of sums over nuggets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from irmx import COMMON_PARAMS, Citation, Column, Measure, Param, Rankings
from irmx.ragged import Floats, position_in_run
from irmx_stream.track.accounts import Accounts
from irmx_stream.updates.checked_values import SAME_TIME
from irmx_stream.updates.stream_columns import (
    IMPORTANCE,
    JUDGED_LENGTH,
    MATCH_END,
    MATCH_START,
    NUGGET,
    NUGGET_LENGTH,
    NUGGET_TIME,
    ORIGINAL_LENGTH,
    POOLED,
    REPLACED,
    TIMESTAMP,
    TRACK_COLUMNS,
)

Terms = Callable[[Accounts, str], Floats]

DOCUMENTS = "the track's documents on its metrics"
UPDATE = {"u": "an update of the run"}
LEFT_OUT = "nuggets of importance 0 are left out, unless unimportant='keep'"
WORTH = (
    r"the worth of the nugget $n$: $e^{\mathrm{importance}}/e^{3}$, or with gain='binary' 1 if the importance is above 0, else 0; "
    f"{LEFT_OUT}"
)
GAIN = f"the gain of $u$: the sum of $R(n)$ over the nuggets $n$ that no earlier update holds, with $R(n)$ {WORTH}"
LATENCY_FACTOR = (
    r"$L(n) = 1 - \frac{2}{\pi}\arctan\frac{t_u - t_n}{6\,\mathrm{h}}$, where $t_u$ is the time of the update and $t_n$ that at "
    "which the nugget was first known"
)
LATENCY_GAIN = (
    "the gain of $u$: the sum of $R(n)\\,L(n)$ over the nuggets $n$ that no earlier update holds, with "
    f"$R(n)$ {WORTH}, and the discount {LATENCY_FACTOR}"
)
VERBOSITY = (
    r"the amount of reading: $1 + \max(0, l_u - m_u)/\bar{l}$, where $l_u$ is the number of words of the update, for a "
    r"near-duplicate of its original, and 1 for an update that was never pooled; $m_u$ of those that match the nuggets that no "
    r"earlier update holds, and $\bar{l}$ the mean number of words of the topic's nuggets; "
    f"{LEFT_OUT}; updates that were never pooled too, with track='2013'"
)


ASLAM = Citation(
    "Aslam2014",
    "inproceedings",
    {
        "author": "Javed Aslam and Matthew Ekstrand-Abueg and Virgil Pavlu and Fernando Diaz and Richard McCreadie "
        "and Tetsuya Sakai",
        "title": "{TREC} 2014 Temporal Summarization Track Overview",
        "booktitle": "Proceedings of the 23rd Text REtrieval Conference (TREC 2014)",
        "year": "2014",
    },
)

TRACK_PARAMS = {
    "gain": Param(
        str,
        "worth R of a nugget: graded by its importance, or 1 for every nugget of importance above 0",
        default="graded",
        choices=("graded", "binary"),
    ),
    "track": Param(
        str,
        "year of the rules for updates that were never pooled: '2014' counts each as one word without a nugget, "
        "'2013' drops them",
        default="2014",
        choices=("2014", "2013"),
    ),
    "unimportant": Param(
        str,
        "nuggets of importance 0: 'drop' leaves them out, as the track's 2014 script does; 'keep' counts them",
        default="drop",
        choices=("drop", "keep"),
    ),
    "duplicates": Param(
        str,
        "near-duplicates that count: those recorded in the pool, or also those found later",
        default="pool",
        choices=("pool", "all"),
    ),
    "same_time": Param(
        str,
        "order of updates with the same time, of which the first that holds a nugget earns it: by update id, descending, or as "
        "in the run",
        default="id",
        choices=SAME_TIME,
    ),
    "default_length": Param(
        float,
        "number of words of a pooled update whose length neither the run nor the qrels have",
        default=30.0,
        low=0,
        unit="words",
    ),
    "words": Param(
        str,
        "how words are counted: separated by white space, or by blanks, as in the track's script (exact where the files have "
        "texts)",
        default="white_space",
        choices=("white_space", "track"),
    ),
    "rel": COMMON_PARAMS["rel"],
    "no_relevant": COMMON_PARAMS["no_relevant"],
}
"""The parameters of all measures of the track, so that one setting applies to all, even where it has no effect."""

FOUND = (NUGGET, POOLED, REPLACED)
"""The columns with the nuggets that each update holds."""
WORDS = (NUGGET_LENGTH, MATCH_START, MATCH_END, JUDGED_LENGTH, ORIGINAL_LENGTH)
"""The columns of lengths that V needs."""
IF_UNIMPORTANT = replace(IMPORTANCE, optional=True)
"""Importance, for a measure that uses it only to leave out nuggets."""


def ratio(numerator: Floats, denominator: Floats) -> Floats:
    """Return numerator / denominator, or 0 where both are 0."""
    return np.asarray(np.divide(numerator, denominator, out=np.zeros(len(numerator)), where=denominator > 0))


class TrackMeasure(Measure):
    """Base class of the track's measures: the ratio of a sum over the nuggets found to a quantity of the topic."""

    SUPPORTED_PARAMS = TRACK_PARAMS
    DOCS_MAY_REPEAT = True
    RUN_COLUMNS: ClassVar[tuple[Column, ...]] = (TIMESTAMP,)
    CITATIONS = (ASLAM,)

    def qrel_columns(self) -> tuple[Column, ...]:
        if self["words"] != "track":
            return self.QREL_COLUMNS
        return tuple(TRACK_COLUMNS.get(c, c) for c in self.QREL_COLUMNS if c != ORIGINAL_LENGTH)

    def accounts(self, rankings: Rankings) -> Accounts:
        """Return the nuggets found and the words read, computed once for all measures with the same setting."""
        names = ("duplicates", "track", "default_length", "same_time", "words", "unimportant")
        setting = tuple(self[name] for name in names)
        return rankings.memo(("track accounts", setting), lambda: Accounts(rankings, *setting))

    def terms(self, a: Accounts) -> tuple[Floats, Floats]:
        """Return the contribution of every nugget found to the numerator, and the denominator of every topic."""
        numerator, denominator = TERMS[str(self.NAME)]
        return numerator(a, self["gain"]), denominator(a, self["gain"])

    def score(self, rankings: Rankings) -> Floats:
        a = self.accounts(rankings)
        numerator, denominator = self.terms(a)
        return ratio(a.per_found(numerator), denominator)

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        a = self.accounts(rankings)
        numerator, denominator = self.terms(a)
        return {**_found(a), **self.details(a), "contribution": ratio(numerator, denominator[a.nugget_topic[a.nugget]])}

    def details(self, a: Accounts) -> dict[str, Floats]:
        """Return further columns of an explanation, over the nuggets found."""
        columns: dict[str, Floats] = {}
        if IMPORTANCE in self.QREL_COLUMNS:
            columns["R"] = a.worth(self["gain"])[a.nugget]
        if NUGGET_TIME in self.QREL_COLUMNS:
            columns["L"] = a.latency
        if NUGGET_LENGTH in self.QREL_COLUMNS:
            columns["V"] = a.verbosity[a.update]
        return columns


def _found(a: Accounts) -> dict[str, Any]:
    return {
        "doc_id": a.doc_ids(a.update),
        "timestamp": a.time[a.update],
        "nugget": [a.names[i] for i in a.nugget.tolist()],
    }


# -- what is summed over the nuggets found, and what the sum is divided by --------------------------------


def gain(a: Accounts, gain: str) -> Floats:
    """Return R(n) of every nugget found."""
    return a.worth(gain)[a.nugget]


def latency_gain(a: Accounts, gain: str) -> Floats:
    """Return R(n) L(n) of every nugget found."""
    return a.worth(gain)[a.nugget] * a.latency


def reading(a: Accounts, gain: str) -> Floats:
    """Return the sum of V(u) over the updates of every topic."""
    return a.per_update(a.verbosity)


def reading_for_the_best(a: Accounts, gain: str) -> Floats:
    """Return the sum of V(u) over the updates, times the mean R(n) of the most important nuggets."""
    return a.per_update(a.verbosity) * best_gain(a, gain)


def worth_of_all(a: Accounts, gain: str) -> Floats:
    """Return the sum of R(n) over all nuggets of every topic."""
    return a.per_nugget(a.worth(gain))


TERMS: dict[str, tuple[Terms, Terms]] = {
    "EG": (gain, reading),  # sum of R(n) / sum of V(u)
    "ELG": (latency_gain, reading),  # sum of R(n) L(n) / sum of V(u)
    "nEG": (gain, reading_for_the_best),  # EG / mean R of the best nuggets
    "nELG": (latency_gain, reading_for_the_best),  # ELG / mean R of the best nuggets
    "Comp": (gain, worth_of_all),  # sum of R(n) over nuggets found / over all
    "LC": (latency_gain, worth_of_all),  # sum of R(n) L(n) over nuggets found / of R(n) over all
}
"""The measures of gain of the track's documents: what is summed over the nuggets found, and what the sum is divided by."""


def value_of(name: str, a: Accounts, gain: str) -> Floats:
    """Return the value of a measure of :data:`TERMS` for every topic."""
    numerator, denominator = TERMS[name]
    return ratio(a.per_found(numerator(a, gain)), denominator(a, gain))


def best_gain(a: Accounts, gain: str) -> Floats:
    """Return the mean R(n) of the min(|S|, |N|) nuggets of largest importance of every topic."""
    worth = a.worth(gain)
    order = np.lexsort((-worth, a.nugget_topic))
    rank = position_in_run(a.nugget_topic[order])
    top = rank < np.minimum(a.updates, a.nuggets)[a.nugget_topic[order]]
    return ratio(a.per_nugget(np.where(top, worth[order], 0.0)), a.per_nugget(top.astype(np.float64)))
