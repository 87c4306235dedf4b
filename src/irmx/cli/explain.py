"""``irmx explain``: what one topic's score is made of."""

from __future__ import annotations

import math
from typing import Annotated

import typer

from irmx.cli.files import matching_file
from irmx.cli.output.table import UNLIMITED
from irmx.data.formats.detect import read
from irmx.declare.command import QRELS_HELP
from irmx.errors import UsageError
from irmx.score.explain import Explanation
from irmx.score.explain import explain as explanation


def explain(
    qrels: Annotated[str, typer.Argument(help=QRELS_HELP)],
    run: Annotated[str, typer.Argument(help="A run file, a quoted glob of one, or - for standard input.")],
    measure: Annotated[str, typer.Argument(help="A measure of an irmx plugin, such as 'MP(model=GL_AD_ID)'.")],
    topic: Annotated[str, typer.Option("-t", "--topic", help="The query id.")],
    page: Annotated[
        str | None,
        typer.Option("--page", metavar="ID", help="The page, where the run is a file with several for a topic."),
    ] = None,
    places: Annotated[int, typer.Option("-p", "--places", min=-1, help="Decimal places; -1 for all.")] = 6,
    all_documents: Annotated[
        bool, typer.Option("-a", "--all", help="Also the documents that contribute nothing.")
    ] = False,
    output_format: Annotated[str, typer.Option("-o", "--output_format", help="table or tsv.")] = "table",
) -> None:
    """Show what a topic's score is made of.

    A row per part of the score, such as a relevant document with its rank, precision and weight, or a nugget of a
    stream; the contributions add up to the score.
    """
    if output_format not in ("table", "tsv"):
        raise UsageError(f"There is no output format {output_format!r} here. Known: table, tsv.")
    path = matching_file(run)
    found = explanation(measure, qrels, path if page is None else read("run", path, page), topic, all_documents)
    columns = [[_cell(v, places, name == "grade") for v in values] for name, values in found.columns.items()]
    rows = [list(row) for row in zip(*columns, strict=True)]
    if output_format == "tsv":
        print(*found.columns, sep="\t")
        for row in rows:
            print(*row, sep="\t")
        return
    print(f"{found.measure}  topic {found.query_id}  value {_cell(found.value, places)}")
    for name, value in found.fields.items():
        print(f"{name} {_cell(value, places, whole=True)}")
    print(f"{found.depth} documents, {found.retrieved} of {found.recall_base} relevant ones among them")
    _table(found, rows, places)


def _table(found: Explanation, rows: list[list[str]], places: int) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, show_footer=True)
    for name in found.columns:
        total = _cell(float(sum(found.columns[name])), places) if name == "contribution" else ""
        table.add_column(name, footer=total, justify="left" if name == "doc_id" else "right", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    Console(width=UNLIMITED, markup=False, highlight=False, emoji=False).print(table)


def _cell(value: object, places: int, whole: bool = False) -> str:
    """Return a value as text; where numbers are usually whole, such as grades, a whole one is shown as such."""
    if not isinstance(value, float):
        return str(value)
    if math.isnan(value):
        return "-"
    if whole and value.is_integer():
        return str(int(value))
    return repr(value) if places == -1 else f"{value:.{places}f}"
