"""Modeled Stream Utility, and the measures of the TREC Temporal Summarization track."""

from irmx_stream.interfaces.chronological import CHRONOLOGICAL, Chronological
from irmx_stream.interfaces.newest_first import REVERSE_CHRONOLOGICAL, ReverseChronological
from irmx_stream.interfaces.push import PUSH, Push
from irmx_stream.interfaces.ranked import RANKED, Ranked
from irmx_stream.interfaces.reading_interface import ReadingInterface
from irmx_stream.track.comprehensiveness import LC, Comp, TS_Latency, TS_Verbosity
from irmx_stream.track.expected_gain import EG, ELG, TS_H, nEG, nELG
from irmx_stream.tst.tst_runs import read_tst_runs
from irmx_stream.updates.stream_tables import stream_of
from irmx_stream.updates.streams import Stream
from irmx_stream.users.population import Population, Users
from irmx_stream.users.population_fit import PopulationFit, fit_population
from irmx_stream.users.recorded_traces import Recorded, read_traces, traces_for
from irmx_stream.users.traces import Traces, cut, simulate
from irmx_stream.utility.modeled_stream_utility import MSU, ModeledStreamUtility
from irmx_stream.utility.recorded_scores import TopicStream, score_recorded, topic_streams
from irmx_stream.utility.stream_utility import Reads, Utility, reads_of
from irmx_stream.utility.utility_of_traces import msu

__all__ = [
    "CHRONOLOGICAL",
    "EG",
    "ELG",
    "LC",
    "MSU",
    "PUSH",
    "RANKED",
    "REVERSE_CHRONOLOGICAL",
    "TS_H",
    "Chronological",
    "Comp",
    "ModeledStreamUtility",
    "Population",
    "PopulationFit",
    "Push",
    "Ranked",
    "ReadingInterface",
    "Reads",
    "Recorded",
    "ReverseChronological",
    "Stream",
    "TS_Latency",
    "TS_Verbosity",
    "TopicStream",
    "Traces",
    "Users",
    "Utility",
    "cut",
    "fit_population",
    "msu",
    "nEG",
    "nELG",
    "read_traces",
    "read_tst_runs",
    "reads_of",
    "score_recorded",
    "simulate",
    "stream_of",
    "topic_streams",
    "traces_for",
]
