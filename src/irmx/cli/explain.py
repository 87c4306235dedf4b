"""``irmx explain``: one topic's score, broken down by document."""

from __future__ import annotations

import math
from typing import Annotated, Any

from irmx.cli.click_command import Argument, Option
from irmx.cli.printing import FormatOption, PlacesOption, print_rows
from irmx.data.formats import read_file
from irmx.data.reading import matching_file
from irmx.declare.columns import QRELS_HELP
from irmx.declare.described import cell_text
from irmx.score.explain import explain as explanation
from irmx.text import plural, visible


def explain(
    qrels: Annotated[str, Argument(help=QRELS_HELP)],
    run: Annotated[str, Argument(help="A run file, a quoted glob of one, or - for standard input.")],
    measure: Annotated[
        str, Argument(help="A measure that a plugin computes, such as 'MP(model=GL_AD_ID)' or nDCG@10.")
    ],
    topic: Annotated[str, Option("-t", "--topic", help="The query id of the topic.")],
    ranking: Annotated[
        str | None,
        Option("--ranking", metavar="ID", help="Which ranking, if the run file has several per topic."),
    ] = None,
    places: PlacesOption = 6,
    all_documents: Annotated[
        bool, Option("-a", "--all", help="Also show the documents that contribute nothing.")
    ] = False,
    output_format: FormatOption = "table",
) -> None:
    """Break a topic's score down by document.

    Prints one row per part of the score, such as a relevant document with its rank, precision and weight; the contributions add up to the score.
    """
    path = matching_file(run)
    parts = explanation(
        measure, qrels, path if ranking is None else read_file("run", path, ranking), topic, all_documents
    )
    if output_format == "table":
        print(f"{parts.measure}  topic {visible(parts.query_id)}  value {cell_text(parts.value, places)}")
        for name, value in parts.fields.items():
            print(f"{name} {cell_text(_whole(value), places)}")
        documents = plural(parts.depth, "document")
        print(f"{documents}, among them {parts.retrieved} of {parts.recall_base} relevant ones")
    columns = [
        [_whole(v) if name == "grade" else _defined(v) for v in values] for name, values in parts.columns.items()
    ]
    rows = [dict(zip(parts.columns, cells, strict=True)) for cells in zip(*columns, strict=True)]
    footer = {name: float(sum(values)) for name, values in parts.columns.items() if name == "contribution"}
    print_rows(rows, output_format, places=places, columns=list(parts.columns), footer=footer)


def _whole(value: Any) -> Any:
    """Return a whole number, such as most grades, as an int, and anything else unchanged."""
    return int(value) if isinstance(value, float) and value.is_integer() else _defined(value)


def _defined(value: Any) -> Any:
    """Return a value, with None in place of NaN."""
    return None if isinstance(value, float) and math.isnan(value) else value
