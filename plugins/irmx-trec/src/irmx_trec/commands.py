"""The command that irmx-trec adds to ``irmx``."""

from __future__ import annotations

from typing import Annotated

from irmx import UsageError
from irmx.toolkit import Argument, FormatOption, Option, PlacesOption, matching_file, note, print_rows


def reconcile_numbers(
    qrels: Annotated[str, Argument(metavar="QRELS", help="Qrels, as for irmx eval.")],
    run: Annotated[str, Argument(metavar="RUN", help="The run that was scored.")],
    measures: Annotated[
        list[str],
        Argument(
            metavar="MEASURE[=VALUE]...",
            help="A measure: nDCG@10, AP, P@10, R@100 or RR; or several, each with its value: nDCG@10=.7012 AP=.2311.",
        ),
    ],
    value: Annotated[
        str | None,
        Option("--value", metavar="NUMBER", help="The mean that another tool prints, with all decimals that it gives."),
    ] = None,
    scores: Annotated[
        str | None,
        Option(
            "--scores",
            metavar="FILE",
            help="In place of a mean: its values by topic, a table with query_id and value, or the output of trec_eval -q.",
        ),
    ] = None,
    output_format: FormatOption = "table",
    places: PlacesOption = 4,
) -> None:
    """Find out why another tool's number differs on the same files.

    Searches the conventions under which the number comes out (gains, ideals, ties, topics, and so on), and prints what differs
    from irmx, nearest first, what each difference changes, and which tools do so. At most two changes explain a mean, three the
    values of topics; more would explain nearly any number.
    """
    from irmx_trec.reconciling import reconcile

    stated = [text for text in measures if _value_in(text)]
    path = matching_file(run)
    if stated and len(stated) < len(measures):
        raise UsageError(
            f"Of several measures, each has its value: MEASURE=VALUE. {next(m for m in measures if m not in stated)} has none."
        )
    if stated and (value is not None or scores is not None):
        raise UsageError("--value and --scores go with one measure without a value of its own.")
    if not stated and len(measures) > 1:
        raise UsageError(f"Of several measures, each has its value: {measures[0]}=.7012 {measures[1]}=.2311.")
    if stated:
        values = {text.rpartition("=")[0]: text.rpartition("=")[2] for text in stated}
        if len(values) < len(stated):
            raise UsageError(f"A measure has two values among {' '.join(stated)}. Give each once.")
        found = reconcile(qrels, path, values)
    else:
        found = reconcile(qrels, path, measures[0], value, scores=scores)
    if output_format == "table":
        print(found.summary())
    else:
        for sentence in getattr(found, "of_topics", list)():
            note(sentence)
        rows = list(found.rows())
        if not rows:
            note("no explanation; without -o, the nearest is shown")
        print_rows(rows, output_format, places=places)


def _value_in(text: str) -> bool:
    """Tell whether an argument is a measure with its value, rather than one with parameters only."""
    measure, equals, value = text.rpartition("=")
    return bool(equals and measure and ")" not in value)
