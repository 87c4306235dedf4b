"""``irmx topics``: on which topics two systems differ, and which topics are easy, hard or disputed."""

from __future__ import annotations

from typing import Annotated

from irmx.toolkit import FormatOption, Option, print_rows
from irmx_study.commands.scored import label_of, scored
from irmx_study.commands.shared_options import (
    ArgumentsOption,
    LabelOption,
    MeasureOption,
    PlacesByFormatOption,
    ScoresOption,
    decimal_places,
)


def topics_in_order(
    arguments: ArgumentsOption,
    system: Annotated[
        str | None, Option("--system", help="The run to compare with the baseline; by default the second.")
    ] = None,
    baseline: Annotated[
        str | None,
        Option("--baseline", help="The run to compare it with; by default the first."),
    ] = None,
    by: Annotated[
        str,
        Option(
            "--by",
            help="The order: difference of the two runs; easiest or hardest, by the mean over all runs; disputed, by their standard deviation.",
        ),
    ] = "difference",
    sort: Annotated[
        str | None, Option("--sort", help="The measure that decides the order; by default the first.")
    ] = None,
    top: Annotated[
        int | None,
        Option("--top", min=1, help="How many topics to print; by difference, so many from each end. By default all."),
    ] = None,
    label: LabelOption = None,
    scores: ScoresOption = False,
    measure: MeasureOption = None,
    output_format: FormatOption = "table",
    places: PlacesByFormatOption = None,
) -> None:
    """Show on which topics two systems differ, or which topics are easy, hard or disputed.

    Prints one row per topic, with the values of all measures side by side. Differences are those of the second run to the
    first, from the largest to the smallest.
    """
    from irmx_study.topic_differences.topic_orders import topics

    results = scored("topics", arguments, scores, measure, label or ())
    rows = topics(results, label_of(system, label), label_of(baseline, label), by=by, sort=sort, top=top)
    print_rows(rows, output_format, places=decimal_places(places, output_format))
