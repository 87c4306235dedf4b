"""Gain per unit of reading: EG, ELG, their normalised variants, and the harmonic mean of nELG and LC."""

from __future__ import annotations

import math
from typing import ClassVar

from irmx import Column, Formula, Rankings
from irmx.ragged import Floats
from irmx_stream.track.accounts import Accounts
from irmx_stream.track.track_measures import (
    DOCUMENTS,
    FOUND,
    GAIN,
    LATENCY_GAIN,
    UPDATE,
    VERBOSITY,
    WORDS,
    WORTH,
    TrackMeasure,
    latency_gain,
    ratio,
    value_of,
)
from irmx_stream.updates.stream_columns import IMPORTANCE, LENGTH, NUGGET_TIME, TIMESTAMP

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
