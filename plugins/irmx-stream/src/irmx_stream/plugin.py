"""The hooks of irmx-stream."""

from irmx import Command, Dataset, Format, Measure, Symbol, hookimpl
from irmx_stream.inbox.inbox_format import InboxFiles
from irmx_stream.interfaces import CHRONOLOGICAL, PUSH, RANKED, REVERSE_CHRONOLOGICAL
from irmx_stream.modeled_stream_utility import MSU, MSU_Pain
from irmx_stream.track_measures import EG, ELG, LC, TS_H, Comp, TS_Latency, TS_Verbosity, nEG, nELG
from irmx_stream.truncated import TruncatedAP, TruncatedNDCG, TruncatedRBP, TruncatedRR
from irmx_stream.tst.tst_datasets import datasets
from irmx_stream.tst.tst_runs import Tst


@hookimpl
def irmx_measures() -> list[Measure]:
    return [
        MSU,
        MSU_Pain,
        ELG,
        LC,
        nELG,
        TS_H,
        EG,
        nEG,
        Comp,
        TS_Verbosity,
        TS_Latency,
        TruncatedRR,
        TruncatedRBP,
        TruncatedNDCG,
        TruncatedAP,
    ]


@hookimpl
def irmx_symbols() -> list[Symbol]:
    return [REVERSE_CHRONOLOGICAL, CHRONOLOGICAL, RANKED, PUSH]


@hookimpl
def irmx_formats() -> list[Format]:
    return [Tst(), InboxFiles()]


@hookimpl
def irmx_commands() -> list[Command]:
    return [
        Command(
            "score",
            "irmx_stream.commands:score",
            "stream",
            "Score a stream for recorded users instead of simulated ones.",
            ("irmx stream score tst:FOLDER run.gz 'MSU(L=0.5)' --users visits.csv",),
            "score",
        ),
        Command(
            "reading",
            "irmx_stream.commands:reading",
            "stream",
            "Show what a recorded user first reads of a topic, and what it gives.",
            ("irmx stream reading tst:FOLDER run.gz --users visits.csv --user ann -t 11",),
            "score",
        ),
        Command(
            "fit",
            "irmx_stream.commands:fit",
            "stream",
            "Fit the simulated users of MSU to a log of visits.",
            ("irmx stream fit visits.csv --end 864000",),
            "study",
        ),
        Command(
            "eval",
            "irmx_stream.commands:evaluate_inbox",
            "inbox",
            "Score inboxes: which questions have news on a day, and which documents hold it.",
            ("irmx inbox eval judgments.tsv run.jsonl --universe universe.tsv",),
            "score",
        ),
        Command(
            "news",
            "irmx_stream.commands:news_of_inbox",
            "inbox",
            "Show how many days pass until the first news of a question is shown.",
            ("irmx inbox news judgments.tsv 'runs/*.jsonl'",),
            "score",
        ),
        Command(
            "check",
            "irmx_stream.commands:check_inbox",
            "inbox",
            "Check a run of an inbox before it is submitted.",
            ("irmx inbox check run.jsonl --topics topics.jsonl",),
            "score",
        ),
        Command(
            "demo",
            "irmx_stream.commands:demo_inbox",
            "inbox",
            "Write a small made-up inbox to a new folder.",
            ("irmx inbox demo inbox",),
            "score",
        ),
    ]


@hookimpl
def irmx_datasets() -> list[Dataset]:
    return datasets()
