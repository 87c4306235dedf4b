"""The measures of the TREC Temporal Summarization track: ratios of sums over nuggets to a quantity of the topic."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from irmx import COMMON_PARAMS, Citation, Column, Formula, Measure, Param, Rankings
from irmx.ragged import Floats, position_in_run
from irmx_stream.columns import (
    IMPORTANCE,
    JUDGED_LENGTH,
    LENGTH,
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
from irmx_stream.streams import SAME_TIME
from irmx_stream.track_accounts import Accounts

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


_BEST = (
    "the mean of $R(n)$ over the most important nuggets, as many as the run has updates for the topic, or all if there are "
    "fewer; "
    f"$R(n)$ is {WORTH}"
)


class ExpectedGain(TrackMeasure):
    """Expected gain: the worth of the nuggets found, per unit of reading.

    A topic without updates or nuggets scores 0.

    References
    ----------
    Aslam, J., Ekstrand-Abueg, M., Pavlu, V., Diaz, F., McCreadie, R., Sakai, T.: TREC 2014 Temporal Summarization
    Track Overview. TREC 2014.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> qrels = pd.DataFrame({"query_id": "q", "doc_id": ["u1", "u2", "u3"], "iteration": ["n1", "n2", ""],
    ...     "relevance": [1, 1, 0], "importance": [3, 1, None], "timestamp": [0, 3600, None],
    ...     "nugget_length": [4, 6, None], "match_start": [0, 0, None], "match_end": [4, 6, None], "length": [10, 6, 15]})
    >>> run = pd.DataFrame({"query_id": "q", "doc_id": ["u1", "u2", "u3"], "score": 1.0, "timestamp": [0, 25200, 30000]})
    >>> found = irmx.calc_aggregate("EG nEG ELG nELG Comp LC TS_H TS_Verbosity TS_Latency", qrels, run)
    >>> for measure, value in found.items():
    ...     print(f"{measure} {value:.6f}")
    EG 0.157685
    nEG 0.277778
    ELG 0.148287
    nELG 0.261222
    Comp 1.000000
    LC 0.940399
    TS_H 0.408869
    TS_Verbosity 2.400000
    TS_Latency 0.500000
    """

    NAME = "EG"
    PRETTY_NAME = "Expected Gain"
    SHORT_DESC = "The worth of the nuggets found, per unit of reading."
    FORMULA = Formula(
        r"\mathrm{EG} = \frac{\sum_{u} G(u)}{\sum_{u} V(u)}",
        {**UPDATE, "G(u)": GAIN, "V(u)": VERBOSITY},
        source=DOCUMENTS,
    )
    RUN_COLUMNS = (TIMESTAMP, LENGTH)
    QREL_COLUMNS: ClassVar[tuple[Column, ...]] = (*FOUND, IMPORTANCE, *WORDS)
    RANGE = (0.0, math.inf)
    MONOTONE = False  # a judged update counts with its words, any other as one word
    EXAMPLES: ClassVar[tuple[str, ...]] = ("EG", "EG(gain='binary')")


class ExpectedLatencyGain(ExpectedGain):
    """Expected latency gain: expected gain, discounted by the time between a nugget's first being known and its emission.

    The discount is 1 for an update at the time of the nugget, 1/2 six hours later, and between 1 and 2 before it.

    References
    ----------
    Aslam, J., Ekstrand-Abueg, M., Pavlu, V., Diaz, F., McCreadie, R., Sakai, T.: TREC 2014 Temporal Summarization
    Track Overview. TREC 2014.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> qrels = pd.DataFrame({"query_id": ["q"], "doc_id": ["u"], "iteration": ["n"], "relevance": [1], "importance": [2],
    ...                       "timestamp": [0], "nugget_length": [4], "match_start": [0], "match_end": [4], "length": [8]})
    >>> run = pd.DataFrame({"query_id": ["q"], "doc_id": ["u"], "score": [1.0], "timestamp": [21600]})
    >>> irmx.calc_aggregate("ELG(gain='binary')", qrels, run)
    {ELG(gain='binary'): 0.25}
    """

    NAME = "ELG"
    PRETTY_NAME = "Expected Latency Gain"
    SHORT_DESC = "The worth of the nuggets found, discounted by latency, per unit of reading."
    FORMULA = Formula(
        r"\mathrm{ELG} = \frac{\sum_{u} G(u)}{\sum_{u} V(u)}",
        {**UPDATE, "G(u)": LATENCY_GAIN, "V(u)": VERBOSITY},
        source=DOCUMENTS,
    )
    QREL_COLUMNS = (*FOUND, IMPORTANCE, NUGGET_TIME, *WORDS)
    EXAMPLES = ("ELG", "ELG(gain='binary')", "ELG(track='2013')")


class NormalisedExpectedGain(ExpectedGain):
    """Normalised expected gain: EG divided by the mean worth of the most important nuggets, as many as updates.

    With fewer nuggets than updates the mean is over all nuggets. nEG can exceed 1, because an update may hold several nuggets.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> qrels = pd.DataFrame({"query_id": ["q"], "doc_id": ["u"], "iteration": ["n"], "relevance": [1], "importance": [2],
    ...                       "timestamp": [0], "nugget_length": [4], "match_start": [0], "match_end": [4], "length": [8]})
    >>> run = pd.DataFrame({"query_id": ["q"], "doc_id": ["u"], "score": [1.0], "timestamp": [21600]})
    >>> irmx.calc_aggregate("nEG", qrels, run)
    {nEG: 0.5}
    """

    NAME = "nEG"
    PRETTY_NAME = "Normalised Expected Gain"
    SHORT_DESC = "Expected gain, divided by the mean worth of the most important nuggets."
    FORMULA = Formula(
        r"\mathrm{nEG} = \frac{\mathrm{EG}}{\bar{R}}",
        {r"\mathrm{EG}": "the expected gain, which is the measure EG", r"\bar{R}": _BEST},
        source=DOCUMENTS,
    )
    EXAMPLES = ("nEG", "nEG(gain='binary')")


class NormalisedExpectedLatencyGain(NormalisedExpectedGain):
    """Normalised expected latency gain: ELG divided by the mean worth of the most important nuggets.

    The mean is over as many nuggets as the run has updates for the topic, or over all if there are fewer. nELG can exceed 1.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> qrels = pd.DataFrame({"query_id": ["q"], "doc_id": ["u"], "iteration": ["n"], "relevance": [1], "importance": [2],
    ...                       "timestamp": [0], "nugget_length": [4], "match_start": [0], "match_end": [4], "length": [8]})
    >>> run = pd.DataFrame({"query_id": ["q"], "doc_id": ["u"], "score": [1.0], "timestamp": [21600]})
    >>> irmx.calc_aggregate("nELG", qrels, run)
    {nELG: 0.25}
    """

    NAME = "nELG"
    PRETTY_NAME = "Normalised Expected Latency Gain"
    SHORT_DESC = "Expected latency gain, divided by the mean worth of the most important nuggets."
    FORMULA = Formula(
        r"\mathrm{nELG} = \frac{\mathrm{ELG}}{\bar{R}}",
        {r"\mathrm{ELG}": "the expected latency gain, which is the measure ELG", r"\bar{R}": _BEST},
        source=DOCUMENTS,
    )
    QREL_COLUMNS = ExpectedLatencyGain.QREL_COLUMNS
    EXAMPLES = ("nELG", "nELG(gain='binary')")


class HarmonicMean(TrackMeasure):
    """The track's harmonic mean of nELG and LC.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> qrels = pd.DataFrame({"query_id": ["q"], "doc_id": ["u"], "iteration": ["n"], "relevance": [1], "importance": [2],
    ...                       "timestamp": [0], "nugget_length": [4], "match_start": [0], "match_end": [4], "length": [8]})
    >>> run = pd.DataFrame({"query_id": ["q"], "doc_id": ["u"], "score": [1.0], "timestamp": [21600]})
    >>> irmx.calc_aggregate("nELG LC TS_H", qrels, run)
    {nELG: 0.25, LC: 0.5, TS_H: 0.333...}
    """

    NAME = "TS_H"
    PRETTY_NAME = "Harmonic Mean of nELG and LC"
    SHORT_DESC = "The harmonic mean of normalised expected latency gain and latency comprehensiveness."
    FORMULA = Formula(
        r"\mathrm{H} = \frac{2\,\mathrm{nELG} \cdot \mathrm{LC}}{\mathrm{nELG} + \mathrm{LC}}",
        {
            r"\mathrm{nELG}": "the normalised expected latency gain, which is the measure nELG",
            r"\mathrm{LC}": "the latency comprehensiveness, which is the measure LC; if both are 0, so is the value",
        },
        source=DOCUMENTS,
    )
    RUN_COLUMNS = ExpectedLatencyGain.RUN_COLUMNS
    QREL_COLUMNS = ExpectedLatencyGain.QREL_COLUMNS
    RANGE = (0.0, 4.0)
    MONOTONE = False  # as nELG
    EXAMPLES = ("TS_H", "TS_H(gain='binary')")

    def score(self, rankings: Rankings) -> Floats:
        return self._mean(self.accounts(rankings))

    def terms(self, a: Accounts) -> tuple[Floats, Floats]:
        gains = latency_gain(a, self["gain"])
        return gains, ratio(a.per_found(gains), self._mean(a))

    def _mean(self, a: Accounts) -> Floats:
        nelg, lc = (value_of(name, a, self["gain"]) for name in ("nELG", "LC"))
        return ratio(2 * nelg * lc, nelg + lc)


EG, ELG, TS_H = ExpectedGain(), ExpectedLatencyGain(), HarmonicMean()
nEG = NormalisedExpectedGain()  # noqa: N816  the names of the measures
nELG = NormalisedExpectedLatencyGain()  # noqa: N816


class Comprehensiveness(TrackMeasure):
    """Comprehensiveness: the share of the nuggets found, weighted by worth.

    It is the recall of nuggets. Updates that were never pooled hold none, so ``track`` makes no difference.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> qrels = pd.DataFrame({"query_id": ["q"], "doc_id": ["u"], "iteration": ["n"], "relevance": [1], "importance": [2],
    ...                       "timestamp": [0], "nugget_length": [4], "match_start": [0], "match_end": [4], "length": [8]})
    >>> run = pd.DataFrame({"query_id": ["q"], "doc_id": ["u"], "score": [1.0], "timestamp": [21600]})
    >>> irmx.calc_aggregate("Comp", qrels, run)
    {Comp: 1.0}
    """

    NAME = "Comp"
    PRETTY_NAME = "Comprehensiveness"
    SHORT_DESC = "The share of the nuggets found, weighted by worth."
    FORMULA = Formula(
        r"\mathrm{Comp} = \frac{\sum_{u} G(u)}{\sum_{n} R(n)}",
        {**UPDATE, "G(u)": GAIN, "n": "a nugget of the topic", "R(n)": WORTH},
        source=DOCUMENTS,
    )
    QREL_COLUMNS: ClassVar[tuple[Column, ...]] = (*FOUND, IMPORTANCE)
    EXAMPLES = ("Comp", "Comp(gain='binary')")


class LatencyComprehensiveness(Comprehensiveness):
    """Latency comprehensiveness: the share of the nuggets found, weighted by worth and discounted by latency.

    It can exceed 1, but is below 2: a nugget found before it was known counts up to twice.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> qrels = pd.DataFrame({"query_id": "q", "doc_id": ["u1", ""], "iteration": ["n1", "n2"], "relevance": 1,
    ...                       "importance": [3, 3], "timestamp": [0, 0]})
    >>> run = pd.DataFrame({"query_id": ["q"], "doc_id": ["u1"], "score": [1.0], "timestamp": [21600]})
    >>> irmx.calc_aggregate("Comp LC", qrels, run)
    {Comp: 0.5, LC: 0.25}
    """

    NAME = "LC"
    PRETTY_NAME = "Latency Comprehensiveness"
    SHORT_DESC = "The share of the nuggets found, weighted by worth and discounted by latency."
    FORMULA = Formula(
        r"\mathrm{LC} = \frac{\sum_{u} G(u)}{\sum_{n} R(n)}",
        {**UPDATE, "G(u)": LATENCY_GAIN, "n": "a nugget of the topic", "R(n)": WORTH},
        source=DOCUMENTS,
    )
    QREL_COLUMNS = (*FOUND, IMPORTANCE, NUGGET_TIME)
    RANGE = (0.0, 2.0)
    EXAMPLES = ("LC", "LC(gain='binary')")


class Verbosity(TrackMeasure):
    """Expected verbosity: the mean amount of reading over the updates of the topic.

    An update of 60 words that match nothing has V = 5 if a nugget has 15 words on average. Less is better. Neither the worth of nuggets nor
    their latency matters, so ``gain`` makes no difference. A topic without nuggets, or with only nuggets of importance 0
    that ``unimportant='drop'`` leaves out, has no such unit and scores 0.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> qrels = pd.DataFrame({"query_id": ["q"], "doc_id": ["u"], "iteration": ["n"], "relevance": [1], "importance": [2],
    ...                       "timestamp": [0], "nugget_length": [4], "match_start": [0], "match_end": [4], "length": [8]})
    >>> run = pd.DataFrame({"query_id": ["q"], "doc_id": ["u"], "score": [1.0], "timestamp": [21600]})
    >>> irmx.calc_aggregate("TS_Verbosity", qrels, run)
    {TS_Verbosity: 2.0}
    """

    NAME = "TS_Verbosity"
    PRETTY_NAME = "Expected Verbosity"
    SHORT_DESC = "The mean amount of reading per update, in units of nuggets; less is better."
    FORMULA = Formula(
        r"\mathrm{Verbosity} = \frac{1}{\lvert S \rvert} \sum_{u \in S} V(u)",
        {"S": "the updates of the run for the topic", **UPDATE, "V(u)": VERBOSITY},
        source=DOCUMENTS,
    )
    RUN_COLUMNS = (TIMESTAMP, LENGTH)
    QREL_COLUMNS = (*FOUND, *WORDS, IF_UNIMPORTANT)
    RANGE = (0.0, math.inf)
    MONOTONE = False
    LESS_IS_BETTER = True
    EXAMPLES = ("TS_Verbosity", "TS_Verbosity(track='2013')")

    def score(self, rankings: Rankings) -> Floats:
        a = self.accounts(rankings)
        return ratio(a.per_update(a.verbosity), a.updates)

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        a = self.accounts(rankings)
        every = np.arange(len(a.rows))
        return {
            "doc_id": a.doc_ids(every),
            "timestamp": a.time,
            "pooled": a.pooled,
            "V": a.verbosity,
            "contribution": a.verbosity / a.updates[a.topic],
        }


class Latency(TrackMeasure):
    """Expected latency: how early the nuggets found were, per update; with ``track='2013'``, per nugget found.

    Larger values mean earlier updates: L is 1 for a nugget found when it was first known, and falls to 0. The worth of
    nuggets does not matter, so ``gain`` makes no difference.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> qrels = pd.DataFrame({"query_id": ["q"], "doc_id": ["u"], "iteration": ["n"], "relevance": [1], "importance": [2],
    ...                       "timestamp": [0], "nugget_length": [4], "match_start": [0], "match_end": [4], "length": [8]})
    >>> run = pd.DataFrame({"query_id": ["q"], "doc_id": ["u"], "score": [1.0], "timestamp": [21600]})
    >>> irmx.calc_aggregate("TS_Latency", qrels, run)
    {TS_Latency: 0.5}
    """

    NAME = "TS_Latency"
    PRETTY_NAME = "Expected Latency"
    SHORT_DESC = "The mean over updates of how early they bring nuggets; more is better."
    FORMULA = Formula(
        r"\mathrm{Latency} = \frac{1}{\lvert S \rvert} \sum_{n \in F} L(n)",
        {
            "S": "the updates of the run for the topic; with track='2013', the nuggets found, $F$",
            "n": "a nugget",
            "F": f"the nuggets found, each in the earliest update that holds it; {LEFT_OUT}",
            "L(n)": f"its discount: {LATENCY_FACTOR}",
        },
        source="the track's documents of each year",
    )
    QREL_COLUMNS = (*FOUND, NUGGET_TIME, IF_UNIMPORTANT)
    RANGE = (0.0, math.inf)
    MONOTONE = False  # with track='2013' a nugget found late lowers the mean
    EXAMPLES = ("TS_Latency", "TS_Latency(track='2013')")

    def terms(self, a: Accounts) -> tuple[Floats, Floats]:
        return a.latency, a.updates if self["track"] == "2014" else a.per_found(np.ones(len(a.nugget)))


Comp, LC = Comprehensiveness(), LatencyComprehensiveness()
TS_Verbosity, TS_Latency = Verbosity(), Latency()
