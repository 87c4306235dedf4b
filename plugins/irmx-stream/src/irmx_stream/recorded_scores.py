"""MSU of runs for recorded users, over all topics; and the streams of topics, for any traces."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

import irmx
from irmx import DataError, DataWarning, Judgments, Rankings, Run, TopicScores, UsageError
from irmx.ragged import short_repr
from irmx.toolkit import DetailedResults, of_each_run, plural, suggest
from irmx_stream.columns import QUERY_START
from irmx_stream.gains import amounts_of, gains_of, mean_gain, reads_of, scores_of
from irmx_stream.modeled_stream_utility import ModeledStreamUtility
from irmx_stream.simulated_users import names_in, session_starts
from irmx_stream.streams import Stream, windows_of
from irmx_stream.traces import Recorded, Traces, speeds_of, traces_for

if TYPE_CHECKING:
    import pandas as pd

_OF_SIMULATED = ("MA", "SA", "MD", "SD", "speed_mu", "speed_sigma", "users", "precision", "sampling")
"""The parameters of MSU that describe the users."""


@dataclass(frozen=True)
class TopicStream:
    """The updates that a run emitted for one topic.

    Attributes
    ----------
    query_id : str
        The topic.
    start, end : float
        Its time window, in the seconds of the qrels.
    stream : Stream
        The updates and their nuggets; seconds from the start of the window, as those of :func:`traces_for` and
        :func:`simulate`.
    """

    query_id: str
    start: float
    end: float
    stream: Stream

    __repr__ = short_repr


def topic_streams(qrels: Any, run: Any, measure: str | ModeledStreamUtility = "MSU") -> dict[str, TopicStream]:
    """Return the streams of a run by query id, for example from the track's files.

    Parameters
    ----------
    qrels, run : any
        Whatever :func:`irmx.read_qrels` and :func:`irmx.read_run` take, such as ``"tst:FOLDER"`` and a run of the track.
    measure : str or Measure
        An ``MSU``, whose ``default_length``, ``duplicates``, ``same_time`` and ``rel`` say how the tables are read.

    Raises
    ------
    irmx.UsageError
        For any other measure.
    irmx.DataError
        For tables from which MSU cannot be computed.

    Examples
    --------
    >>> import pandas as pd
    >>> nuggets = pd.DataFrame({"query_id": "q", "doc_id": ["u1"], "iteration": ["n1"], "relevance": 1,
    ...                         "timestamp": [1060], "query_start": 1000, "query_end": 9000})
    >>> updates = pd.DataFrame({"query_id": "q", "doc_id": ["u1"], "score": 1.0, "timestamp": [1120], "length": [20]})
    >>> topic = topic_streams(nuggets, updates)["q"]
    >>> topic.start, topic.end, topic.stream.time, topic.stream.nugget_time
    (1000.0, 9000.0, array([120.]), array([60.]))
    """
    asked = _msu(measure)
    rankings = irmx.rankings(qrels, run, rel=asked["rel"])
    return {topic.query_id: topic for topic in _topics(asked, rankings)}


def score_recorded(
    measures: str | ModeledStreamUtility | Sequence[str | ModeledStreamUtility],
    qrels: Any,
    run: Any,
    recorded: Recorded,
    speed: float | None = None,
) -> DetailedResults:
    """Return the Modeled Stream Utility of a run for recorded users.

    A topic's value is the mean over the users of the log of their gains in the sessions within the topic's window; a user
    without such a session gains nothing. Topics of the qrels that the run lacks score 0, and a warning counts them.

    Parameters
    ----------
    measures : str, Measure or sequence of them
        One or several ``MSU``, without the parameters that describe simulated users.
    qrels, run : any
        Whatever :func:`irmx.read_qrels` and :func:`irmx.read_run` take.
    recorded : Recorded
        The result of :func:`read_traces`; its starts and the times of the qrels must have the same origin.
    speed : float, optional
        Reading speed of all users in words per second, instead of the speeds in the log; required if the log has none.

    Returns
    -------
    irmx.toolkit.DetailedResults
        The mean over topics, the value of every topic, and their standard errors over users.

    Raises
    ------
    irmx.UsageError
        For any other measure, or without any speed.
    irmx.DataError
        If no session lies within the window of any topic, or the log lacks some speeds and ``speed`` is not given.

    Examples
    --------
    >>> import pandas as pd
    >>> from irmx_stream import read_traces
    >>> nuggets = pd.DataFrame({"query_id": "q", "doc_id": ["u1"], "iteration": ["n1"], "relevance": 1,
    ...                         "timestamp": [1060], "query_start": 1000, "query_end": 9000})
    >>> updates = pd.DataFrame({"query_id": "q", "doc_id": ["u1"], "score": 1.0, "timestamp": [1120], "length": [20]})
    >>> log = pd.DataFrame({"user": ["ann", "ben"], "start": [2000, 8000], "duration": [30, 2]})
    >>> score_recorded("MSU", nuggets, updates, read_traces(log), speed=4.25).aggregated
    {MSU: 0.5}
    """
    asked = [measures] if isinstance(measures, (str, ModeledStreamUtility)) else list(measures)
    made = [_ForRecorded.of(_msu(m), recorded, speed) for m in asked]
    judgments, the_run = irmx.read_qrels(qrels), irmx.read_run(run)
    name = os.path.basename(the_run.source.path)
    [(_, found)] = of_each_run({name: the_run}, judgments, lambda one: _calc(made, judgments, one, recorded))
    return found


def _calc(measures: Sequence[_ForRecorded], judgments: Judgments, run: Run, recorded: Recorded) -> DetailedResults:
    """Warn of windows without sessions, also of topics that the run lacks, and return the values."""
    of_all = irmx.rankings(judgments, {str(topic): {"any": 0.0} for topic in judgments.topics})
    start, length = windows_of(of_all)
    _tell_of_unvisited(list(zip(map(str, of_all.topics), start, start + length, strict=True)), recorded)
    return irmx.calc(measures, judgments, run)


def reading_of(
    user: str,
    topic: str,
    qrels: Any,
    run: Any,
    recorded: Recorded,
    measure: str | ModeledStreamUtility = "MSU",
    speed: float | None = None,
) -> pd.DataFrame:
    """Return what a recorded user first reads of one topic, and what it gives.

    Parameters
    ----------
    user, topic : str
        The user of the log, and the query id.
    qrels, run, recorded, speed
        As of :func:`score_recorded`.
    measure : str or Measure
        An ``MSU`` without the parameters that describe simulated users.

    Returns
    -------
    DataFrame
        One row per nugget that the user reads: the number of the ``session`` in the window of the topic, from 1, its start, ``start_h``, in
        hours from that of the window; the nugget, when it was known, ``known_h``, the update, when it was emitted, ``emitted_h``, its
        words, by how many sessions it is late, and the gain, whose sum is the utility of the user.

    Raises
    ------
    irmx.UsageError
        For a user who is not in the log, or a topic that is not in the qrels; and as :func:`score_recorded` does.
    irmx.DataError
        If no session of the log lies within the topic's time window.

    Examples
    --------
    >>> import pandas as pd
    >>> from irmx_stream import read_traces
    >>> nuggets = pd.DataFrame({"query_id": "q", "doc_id": ["u1", "u2"], "iteration": ["n1", "n2"], "relevance": 1,
    ...                         "timestamp": [1060, 1300], "query_start": 1000, "query_end": 9000})
    >>> updates = pd.DataFrame({"query_id": "q", "doc_id": ["u1", "u2"], "score": 1.0, "timestamp": [1120, 4000], "length": [20, 9]})
    >>> log = pd.DataFrame({"user": "ann", "start": [2000, 5000], "duration": [30, 20]})
    >>> found = reading_of("ann", "q", nuggets, updates, read_traces(log), speed=4.25)
    >>> found[["session", "nugget", "doc_id", "sessions_late", "gain"]].values.tolist()
    [[1, 'n1', 'u1', 0, 1.0], [2, 'n2', 'u2', 1, 0.5]]
    """
    import pandas as pd

    asked = _ForRecorded.of(_msu(measure), recorded, speed)
    rankings = irmx.rankings(qrels, run, rel=asked["rel"])
    topics = {one.query_id: (number, one) for number, one in enumerate(_topics(asked, rankings))}
    if user not in recorded.users:
        raise UsageError(f"The log has no user {user!r}.{suggest(user, recorded.users)}")
    if topic not in topics:
        raise UsageError(f"The qrels have no topic {topic!r}.{suggest(topic, topics)}")
    (number, of), who = topics[topic], recorded.users.index(user)
    traces = traces_for(recorded, of.start, of.end)
    _tell_of_unvisited([(of.query_id, of.start, of.end)], recorded)
    reads = reads_of(
        of.stream, traces.of_users(who, who + 1), asked.speed[who : who + 1], asked["interface"], asked["late"]
    )
    docs, names = names_in(rankings, number, of.start, of.end - of.start, asked["same_time"])
    starts = session_starts(
        reads, of.stream, traces.of_users(who, who + 1), asked.speed[who : who + 1], asked["interface"]
    )
    session = np.searchsorted(traces.of_users(who, who + 1).start, starts, side="right")
    order = np.lexsort((reads.update, session))
    columns = {
        "session": session,
        "start_h": starts / 3600,
        "nugget": np.array(names, dtype=object)[reads.nugget],
        "known_h": of.stream.nugget_time[reads.nugget] / 3600,
        "doc_id": np.array(docs, dtype=object)[reads.update],
        "emitted_h": of.stream.time[reads.update] / 3600,
        "words": of.stream.length[reads.update],
        "sessions_late": reads.alpha,
        "gain": reads.gain_of_each(asked["L"]),
    }
    return pd.DataFrame({name: values[order] for name, values in columns.items()})


class _ForRecorded(ModeledStreamUtility):
    """MSU for the users of a log."""

    _recorded: Recorded
    speed: Any

    @classmethod
    def of(cls, measure: ModeledStreamUtility, recorded: Recorded, speed: float | None) -> _ForRecorded:
        simulated = [name for name in _OF_SIMULATED if name in measure.params]
        if simulated:
            raise UsageError(
                f"The parameter {simulated[0]!r} of {measure} describes simulated users; these are recorded."
            )
        if speed is None and recorded.gap:
            raise DataError(recorded.gap)
        given = recorded.speeds if speed is None else speed
        if given is None:
            raise UsageError(
                "The log of visits does not have the reading speeds of its users. Add a column 'speed', or set one speed for all, in "
                "words per second; the mean of the paper's users is 4.25."
            )
        made = cls(**measure.params)
        made._recorded, made.speed = recorded, speeds_of(given, len(recorded.traces))
        return made

    def score(self, rankings: Rankings) -> TopicScores:
        topics = _topics(self, rankings)
        traces = [replace(traces_for(self._recorded, t.start, t.end), seed=self["seed"]) for t in topics]
        return scores_of([self._utility(t.stream, of_topic) for t, of_topic in zip(topics, traces, strict=True)])

    def _utility(self, stream: Stream, traces: Traces) -> Any:
        [gains] = gains_of(stream, traces, self.speed, self["interface"], [self["L"]], self["late"])
        amounts = amounts_of(self["per"], stream, traces, self.speed, self["interface"])
        return mean_gain(gains, amounts, self["ratio"])


def _tell_of_unvisited(windows: Sequence[tuple[str, float, float]], recorded: Recorded) -> None:
    """Warn of topics in whose time windows, from one time to another, no session lies; raise if this is so of all."""
    unvisited = [one for one in windows if not len(traces_for(recorded, *one[1:]).start)]
    if not unvisited:
        return
    (topic, start, end), log = unvisited[0], recorded.traces
    where = f"from {start:.15g} to {end:.15g}, of topic {topic}"
    sessions = f"the {plural(len(log.start), 'session')} of the log start from {log.start.min():.15g} to {log.start.max():.15g}"
    if len(log.start) == 1:
        sessions = f"the one session of the log starts at {log.start[0]:.15g}"
    if len(unvisited) == len(windows):
        raise DataError(
            f"No recorded session lies within the time window of any topic. The first window is {where}; {sessions}: are "
            "both in seconds, with the same origin?"
        )
    warnings.warn(
        f"{len(unvisited):,} of {plural(len(windows), 'topic')} {'has' if len(unvisited) == 1 else 'have'} no recorded session "
        f"within the topic's time window, so the value is 0. The first window is {where}; {sessions}.",
        DataWarning,
        stacklevel=2,
    )


def _topics(measure: ModeledStreamUtility, rankings: Rankings) -> list[TopicStream]:
    streams = measure.prepare(rankings)
    starts, windows = rankings.topic_column(QUERY_START).tolist(), streams.window.tolist()
    return [
        TopicStream(str(query_id), float(start), float(start + window), stream)
        for query_id, start, window, stream in zip(streams.topics, starts, windows, streams.each, strict=True)
    ]


def _msu(measure: str | Any) -> ModeledStreamUtility:
    found = irmx.parse_measure(measure)
    if not isinstance(found, ModeledStreamUtility) or found.NAME != ModeledStreamUtility.NAME:
        raise UsageError(f"Recorded users and streams can be scored with MSU only. Got {found}.")
    return found
