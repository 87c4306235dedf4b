"""Modeled Stream Utility, and the measures of the TREC Temporal Summarization track."""

from .gains import Reads, Utility, msu, reads_of
from .inbox.inbox_demo import write_inbox
from .inbox.inbox_runs import InboxRun, read_inbox_run
from .inbox.inbox_scores import InboxScores, first_news, score_inbox
from .inbox.inbox_tables import Inbox, read_inbox
from .interfaces import (
    CHRONOLOGICAL,
    PUSH,
    RANKED,
    REVERSE_CHRONOLOGICAL,
    Chronological,
    Push,
    Ranked,
    ReadingInterface,
    ReverseChronological,
)
from .modeled_stream_utility import MSU, ModeledStreamPain, ModeledStreamUtility, MSU_Pain
from .population import Population, Users
from .population_fit import PopulationFit, fit_population
from .recorded_scores import TopicStream, reading_of, score_recorded, topic_streams
from .streams import Stream, stream_of
from .traces import Recorded, Traces, cut, read_traces, simulate, traces_for
from .track_measures import EG, ELG, LC, TS_H, Comp, TS_Latency, TS_Verbosity, nEG, nELG
from .truncated import TruncatedAP, TruncatedNDCG, TruncatedRBP, TruncatedRR
from .tst.tst_runs import read_tst_runs

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
    "Inbox",
    "InboxRun",
    "InboxScores",
    "MSU_Pain",
    "ModeledStreamPain",
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
    "TruncatedAP",
    "TruncatedNDCG",
    "TruncatedRBP",
    "TruncatedRR",
    "Users",
    "Utility",
    "cut",
    "first_news",
    "fit_population",
    "msu",
    "nEG",
    "nELG",
    "read_inbox",
    "read_inbox_run",
    "read_traces",
    "read_tst_runs",
    "reading_of",
    "reads_of",
    "score_inbox",
    "score_recorded",
    "simulate",
    "stream_of",
    "topic_streams",
    "traces_for",
    "write_inbox",
]
