"""Modeled Stream Utility, and the measures of the TREC Temporal Summarization track."""

from irmx_stream.chronological import CHRONOLOGICAL, Chronological
from irmx_stream.comprehensiveness import LC, Comp, TS_Latency, TS_Verbosity
from irmx_stream.expected_gain import EG, ELG, TS_H, nEG, nELG
from irmx_stream.fitting import PopulationFit, fit_population
from irmx_stream.measure import MSU, ModeledStreamUtility
from irmx_stream.msu import msu
from irmx_stream.newest_first import REVERSE_CHRONOLOGICAL, ReverseChronological
from irmx_stream.population import Population, Users
from irmx_stream.push import PUSH, Push
from irmx_stream.ranked import RANKED, Ranked
from irmx_stream.reading import ReadingInterface
from irmx_stream.recorded import Recorded, read_traces, traces_for
from irmx_stream.recorded_scores import TopicStream, score_recorded, topic_streams
from irmx_stream.streams import Stream
from irmx_stream.tables import stream_of
from irmx_stream.traces import Traces, cut, simulate
from irmx_stream.tst.runs import read_tst_runs
from irmx_stream.utility import Reads, Utility, reads_of

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
