"""The subcommand that irmx-stream adds to ``irmx``."""

from __future__ import annotations

import math
from typing import Annotated, Any, cast

from irmx import UsageError
from irmx.toolkit import Argument, FormatOption, Option, PlacesOption, matching_file, print_rows


def score(
    qrels: Annotated[str, Argument(metavar="QRELS", help="Qrels: a table file, tst:FOLDER, or an ir_datasets id.")],
    run: Annotated[str, Argument(metavar="RUN", help="A run file, or a quoted glob that one file matches.")],
    users: Annotated[
        str,
        Option(
            "--users",
            metavar="FILE",
            help="A log of visits: a table file with the columns user, start and duration, and, if known, speed.",
        ),
    ],
    measures: Annotated[
        list[str] | None, Argument(metavar="MEASURE", help="MSU, by default, or a variant such as 'MSU(L=0.9)'.")
    ] = None,
    speed: Annotated[
        float | None,
        Option("--speed", help="Reading speed of all users in words per second, instead of the speeds in the log."),
    ] = None,
    by_query: Annotated[bool, Option("-q", "--by-query", help="Show the values of every topic, too.")] = False,
    places: PlacesOption = 4,
    output_format: FormatOption = "tsv",
) -> None:
    """Score a stream for recorded users instead of simulated ones.

    Prints tab-separated lines under a header: topic (all: the mean over topics), measure, value, and its standard error over
    the users, nan for a single one.
    """
    from irmx_stream.recorded_scores import score_recorded
    from irmx_stream.traces import read_traces

    if speed is not None and not speed > 0:
        raise UsageError(f"--speed must be a number of words per second above 0. Got {speed:g}.")
    found = score_recorded(measures or ["MSU"], qrels, matching_file(run), read_traces(users), speed)

    topics = [(m.query_id, m.measure, m.value, getattr(m, "fields", {})) for m in found.per_query if by_query]
    means = [
        ("all", m, value, found.fields.get(m, {})) for m, value in cast("dict[Any, float]", found.aggregated).items()
    ]
    rows = [
        {
            "query_id": query_id,
            "measure": str(measure),
            "value": value,
            "standard_error": fields.get("standard_error", math.nan),
        }
        for query_id, measure, value, fields in (*topics, *means)
    ]
    print_rows(rows, output_format, places=places)
