"""The subcommand that irmx-temporal adds to ``irmx``."""

from __future__ import annotations

from typing import Annotated

from irmx import DataError
from irmx.toolkit import Argument, FormatOption, Option, PlacesOption, note, print_rows


def windows(
    qrels: Annotated[str, Argument(help="Qrels: a file with the column timestamp or window, or an ir_datasets id.")],
    window: Annotated[
        str | None,
        Option(
            "-w",
            "--window",
            help="The length of a window: 1d, 1w, 1mo (a month; 1m is a minute), 1y, 6h, seconds, or burst; by default the labels in the column "
            "window.",
        ),
    ] = None,
    tz: Annotated[str, Option("--tz", help="Time zone in which days begin.")] = "UTC",
    topic: Annotated[str | None, Option("-t", "--topic", help="Only this query id.")] = None,
    rel: Annotated[float, Option("--rel", help="Smallest grade that counts as relevant.")] = 1,
    places: PlacesOption = 4,
    output_format: FormatOption = "table",
) -> None:
    """Show the time windows of every topic.

    Prints, for each window, its label or its start, its relevant documents and its weight P(t|q), in a table also as a bar. The
    options correspond to the parameters window and tz of a time-aware measure, such as TIA_nDCG(window='1mo'). Mind the units:
    1m is a minute, 1mo a month.
    """
    from irmx import read_qrels
    from irmx_temporal.window_histogram import print_histograms, rows_of, windows_of
    from irmx_temporal.windows import TIMESTAMP, WINDOW, Windowing, WindowParam, zone

    windowing = Windowing(WindowParam("").check(window, "window", "irmx temporal windows"), zone(tz))
    column = WINDOW if windowing.window is None else TIMESTAMP
    judgments = read_qrels(qrels, [column.name])
    if column.name not in judgments.columns:
        raise DataError(f"{qrels}: {judgments.lacking(column)}")
    try:
        found = windows_of(judgments, windowing, rel)
    except DataError as error:
        raise (error if qrels in str(error) else error.at(qrels)) from None
    if topic is not None:
        found = [one for one in found if one.query_id == topic]
        if not found:
            raise DataError(f"Topic {topic!r} is not in the qrels {qrels}.")
    if windowing.window is not None and windowing.window.endswith("m"):
        note(f"windows of {windowing.window} are minutes long; a month is 1mo.")
    if output_format == "table":
        print_histograms(found, places)
    else:
        print_rows(rows_of(found), output_format, places=places, columns=["query_id", "window", "documents", "weight"])
