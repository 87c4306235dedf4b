"""The hooks of irmx-stream."""

from irmx import Command, Dataset, Format, Measure, Symbol, hookimpl
from irmx_stream.interfaces import CHRONOLOGICAL, PUSH, RANKED, REVERSE_CHRONOLOGICAL
from irmx_stream.modeled_stream_utility import MSU
from irmx_stream.track_measures import EG, ELG, LC, TS_H, Comp, TS_Latency, TS_Verbosity, nEG, nELG
from irmx_stream.truncated import TruncatedAP, TruncatedNDCG, TruncatedRBP, TruncatedRR
from irmx_stream.tst.tst_datasets import datasets
from irmx_stream.tst.tst_runs import Tst


@hookimpl
def irmx_measures() -> list[Measure]:
    return [
        MSU,
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
    return [Tst()]


@hookimpl
def irmx_commands() -> list[Command]:
    example = "irmx stream score tst:FOLDER run.gz 'MSU(L=0.5)' --users visits.csv"
    about = "Score a stream for recorded users instead of simulated ones."
    return [Command("score", "irmx_stream.commands:score", "stream", about, EXAMPLES=(example,), SECTION="score")]


@hookimpl
def irmx_datasets() -> list[Dataset]:
    return datasets()
