"""The subcommand that irmx-stream adds to ``irmx``."""

from __future__ import annotations

import math
from typing import Annotated, Any, cast

import typer

from irmx import UsageError, matching_file


def score(
    qrels: Annotated[
        str, typer.Argument(metavar="QRELS", help="Qrels: a table file, tst:FOLDER, or an ir_datasets id.")
    ],
    run: Annotated[str, typer.Argument(metavar="RUN", help="A run file, or a quoted glob that one file matches.")],
    users: Annotated[
        str,
        typer.Option(
            "--users",
            metavar="FILE",
            help="A log of visits: a .csv, .tsv or .parquet file with the columns user, start and duration, and speed if known.",
        ),
    ],
    measures: Annotated[
        list[str] | None, typer.Argument(metavar="MEASURE", help="MSU, the default, or such as 'MSU(L=0.9)'.")
    ] = None,
    speed: Annotated[
        float | None, typer.Option("--speed", help="Words per second of all users, in the place of what the log tells.")
    ] = None,
    by_query: Annotated[bool, typer.Option("-q", "--by_query", help="Show every topic, too.")] = False,
    places: Annotated[int, typer.Option("-p", "--places", min=-1, help="Decimal places; -1 for all.")] = 4,
) -> None:
    """Score a stream for recorded users, in the place of simulated ones.

    Prints tab-separated lines under a header: topic (all: the mean over topics), measure, value, and its standard error over
    the users, nan for a single one.
    """
    from irmx_stream.users.recorded_traces import read_traces
    from irmx_stream.utility.recorded_scores import score_recorded

    if speed is not None and not speed > 0:
        raise UsageError(f"--speed is a number of words per second above 0. Got {speed:g}.")
    found = score_recorded(measures or ["MSU"], qrels, matching_file(run), read_traces(users), speed)

    def line(query_id: str, measure: object, value: float, fields: dict[str, float]) -> None:
        numbers = (value, fields.get("standard_error", math.nan))
        print(query_id, measure, *(repr(v) if places == -1 else f"{v:.{places}f}" for v in numbers), sep="\t")

    print("query_id", "measure", "value", "standard_error", sep="\t")
    if by_query:
        for metric in found.per_query:
            line(metric.query_id, metric.measure, metric.value, getattr(metric, "fields", {}))
    for measure, value in cast("dict[Any, float]", found.aggregated).items():
        line("all", measure, value, found.fields.get(measure, {}))
