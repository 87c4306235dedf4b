"""``irmx unjudged``: what documents that nobody judged could change."""

from __future__ import annotations

from typing import Annotated

from irmx.toolkit import QRELS_HELP, Argument, FormatOption, Option, named_runs, note, print_rows, runs_and_measures
from irmx_study.commands.scored import labels_of, names_with_labels
from irmx_study.commands.shared_options import BaselinesOption, LabelOption, PlacesByFormatOption, decimal_places

USAGE = "irmx unjudged QRELS RUN... MEASURE..."


def unjudged_documents(
    qrels: Annotated[str, Argument(help=QRELS_HELP)],
    run_and_measures: Annotated[
        list[str],
        Argument(metavar="RUN... MEASURE...", help="One or more run files or quoted globs, then measures."),
    ],
    k: Annotated[int, Option("-k", help="The share of unjudged documents is of the top k.")] = 10,
    grade: Annotated[
        str,
        Option(
            "--grade",
            help="The grade of documents that are assumed to be relevant: relevant (1), largest, or a number.",
        ),
    ] = "relevant",
    depth: Annotated[
        int | None,
        Option("--depth", help="The last rank at which unjudged documents get a grade; by default all do."),
    ] = None,
    baseline: BaselinesOption = None,
    pairs: Annotated[
        bool,
        Option("--pairs", help="Print the differences to the baseline, and how small and large they could be."),
    ] = False,
    label: LabelOption = None,
    output_format: FormatOption = "table",
    places: PlacesByFormatOption = None,
) -> None:
    """Show what documents that nobody judged could change.

    Prints one row per measure and run: the share of unjudged documents in the top k, the value as judged, if all unjudged
    documents were non-relevant and if they were relevant, whether these two are bounds, the residual of RBP, and whether the
    order of the run and the baseline could flip.
    """
    from irmx_study.assumptions.unjudged import unjudged

    paths, measures = runs_and_measures(run_and_measures, USAGE)
    runs, labels = named_runs(paths), label or ()
    by_label = dict(zip(names_with_labels(runs, labels), runs.values(), strict=True))
    result = unjudged(measures, qrels, by_label, k, labels_of(baseline, labels), _number(grade), depth)
    rows = result.pairs() if pairs else result.frame()
    print_rows(rows, output_format, places=decimal_places(places, output_format))
    for text in result.notes:
        note(text)


def _number(text: str) -> float | str:
    """Return a number as such, and any other text as it is."""
    try:
        return float(text)
    except ValueError:
        return text
