"""Comprehensiveness with and without latency, expected latency, and verbosity: Comp, LC, TS_Latency, TS_Verbosity."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from irmx import Column, Formula, Rankings
from irmx.ragged import Floats
from irmx_stream.track.accounts import Accounts
from irmx_stream.track.track_measures import (
    DOCUMENTS,
    FOUND,
    GAIN,
    IF_UNIMPORTANT,
    LATENCY_FACTOR,
    LATENCY_GAIN,
    LEFT_OUT,
    UPDATE,
    VERBOSITY,
    WORDS,
    WORTH,
    TrackMeasure,
    ratio,
)
from irmx_stream.updates.stream_columns import IMPORTANCE, LENGTH, NUGGET_TIME, TIMESTAMP


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
