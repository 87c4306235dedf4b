"""Modeled Stream Utility, and the measures of the TREC Temporal Summarization track."""

from .chronological import CHRONOLOGICAL, Chronological
from .comprehensiveness import LC, Comp, TS_Latency, TS_Verbosity
from .expected_gain import EG, ELG, TS_H, nEG, nELG
from .fitting import PopulationFit, fit_population
from .measure import MSU, ModeledStreamUtility
from .msu import msu
from .newest_first import REVERSE_CHRONOLOGICAL, ReverseChronological
from .population import Population, Users
from .push import PUSH, Push
from .ranked import RANKED, Ranked
from .reading import ReadingInterface
from .recorded import Recorded, read_traces, traces_for
from .recorded_scores import TopicStream, score_recorded, topic_streams
from .streams import Stream
from .tables import stream_of
from .traces import Traces, cut, simulate
from .tst.runs import read_tst_runs
from .utility import Reads, Utility, reads_of

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
