"""Modeled Stream Utility, and the measures of the TREC Temporal Summarization track."""

from .interfaces.chronological import CHRONOLOGICAL, Chronological
from .interfaces.newest_first import REVERSE_CHRONOLOGICAL, ReverseChronological
from .interfaces.push import PUSH, Push
from .interfaces.ranked import RANKED, Ranked
from .interfaces.reading_interface import ReadingInterface
from .track.comprehensiveness import LC, Comp, TS_Latency, TS_Verbosity
from .track.expected_gain import EG, ELG, TS_H, nEG, nELG
from .tst.tst_runs import read_tst_runs
from .updates.stream_tables import stream_of
from .updates.streams import Stream
from .users.population import Population, Users
from .users.population_fit import PopulationFit, fit_population
from .users.recorded_traces import Recorded, read_traces, traces_for
from .users.traces import Traces, cut, simulate
from .utility.modeled_stream_utility import MSU, ModeledStreamUtility
from .utility.recorded_scores import TopicStream, score_recorded, topic_streams
from .utility.stream_utility import Reads, Utility, reads_of
from .utility.utility_of_traces import msu

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
