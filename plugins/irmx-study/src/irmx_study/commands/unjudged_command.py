"""``irmx unjudged``: what documents that nobody judged could change."""

from __future__ import annotations

from typing import Annotated

import typer

from irmx import QRELS_HELP, FormatOption, PlacesOption, print_rows, runs_and_measures

USAGE = "irmx unjudged QRELS RUN... MEASURE..."


def unjudged_documents(
    qrels: Annotated[str, typer.Argument(help=QRELS_HELP)],
    run_and_measures: Annotated[
        list[str],
        typer.Argument(metavar="RUN... MEASURE...", help="One or more run files or quoted globs, then measures."),
    ],
    k: Annotated[int, typer.Option("-k", help="The share of unjudged documents is of the top k.")] = 10,
    grade: Annotated[
        str,
        typer.Option(
            "--grade",
            help="The grade of documents that are assumed to be relevant: relevant (1), largest, or a number.",
        ),
    ] = "relevant",
    depth: Annotated[
        int | None,
        typer.Option("--depth", help="The last rank at which unjudged documents get a grade; by default all do."),
    ] = None,
    baseline: Annotated[
        list[str] | None,
        typer.Option("--baseline", help="The run to compare the others with; by default the first. May be repeated."),
    ] = None,
    pairs: Annotated[
        bool,
        typer.Option("--pairs", help="Print the differences to the baseline, and how small and large they could be."),
    ] = False,
    output_format: FormatOption = "table",
    places: PlacesOption = 4,
) -> None:
    """Show what documents that nobody judged could change.

    Prints one row per measure and run: the share of unjudged documents in the top k, the value as judged, if all unjudged
    documents were non-relevant and if they were relevant, whether these two are bounds, the residual of RBP, and whether the
    order of the run and the baseline could flip.
    """
    from irmx_study.assumptions.unjudged import unjudged

    paths, measures = runs_and_measures(run_and_measures, USAGE)
    result = unjudged(measures, qrels, paths, k, baseline or None, _number(grade), depth)
    print_rows(result.pairs() if pairs else result.frame(), output_format, places=places)
    for note in result.notes:
        typer.echo(f"irmx: {note}", err=True)


def _number(text: str) -> float | str:
    """Return a number as such, and any other text as it is."""
    try:
        return float(text)
    except ValueError:
        return text
