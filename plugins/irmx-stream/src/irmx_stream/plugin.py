"""What irmx-stream registers."""

from irmx import Command, Dataset, Format, Measure, Symbol, hookimpl
from irmx_stream.chronological import CHRONOLOGICAL
from irmx_stream.comprehensiveness import LC, Comp, TS_Latency, TS_Verbosity
from irmx_stream.expected_gain import EG, ELG, TS_H, nEG, nELG
from irmx_stream.measure import MSU
from irmx_stream.newest_first import REVERSE_CHRONOLOGICAL
from irmx_stream.push import PUSH
from irmx_stream.ranked import RANKED
from irmx_stream.tst.datasets import datasets
from irmx_stream.tst.format import Tst


@hookimpl
def irmx_measures() -> list[Measure]:
    return [MSU, ELG, LC, nELG, TS_H, EG, nEG, Comp, TS_Verbosity, TS_Latency]


@hookimpl
def irmx_symbols() -> list[Symbol]:
    return [REVERSE_CHRONOLOGICAL, CHRONOLOGICAL, RANKED, PUSH]


@hookimpl
def irmx_formats() -> list[Format]:
    return [Tst()]


@hookimpl
def irmx_commands() -> list[Command]:
    return [Command("stream", "irmx_stream.commands:stream")]


@hookimpl
def irmx_datasets() -> list[Dataset]:
    return datasets()
