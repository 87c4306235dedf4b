"""The subcommands that irmx-cwl adds to ``irmx``."""

from __future__ import annotations

from typing import Annotated

from irmx.toolkit import QRELS_HELP, Argument, FormatOption, Option, PlacesOption, matching_file, print_rows


def clicks(
    log: Annotated[
        str,
        Argument(
            help="Click log: a table file with session, rank and time, or a log in the format of Yandex's Relevance Prediction Challenge."
        ),
    ],
    output_format: FormatOption = "tsv",
) -> None:
    """Show how likely users are to go on from each rank.

    Users are taken to look at all documents down to the deepest one that they click. Use it as CWL(user=by_rank(file='FILE')).
    """
    from irmx_cwl.ratings import continuation_of_clicks

    print_rows(continuation_of_clicks(log), output_format, places=-1)


def fit(
    qrels: Annotated[str, Argument(help=QRELS_HELP)],
    run: Annotated[str, Argument(help="Run: a file, - for standard input, or FORMAT:PATH.")],
    measures: Annotated[
        list[str],
        Argument(
            metavar="MEASURE...",
            help="Measures; of one with several values, such as 'sRBP(p=0.1:0.9:9)', the best is chosen.",
        ),
    ],
    ratings: Annotated[
        str, Option("-r", "--ratings", metavar="FILE", help="Table file with query_id (a session or topic) and rating.")
    ],
    rating: Annotated[str, Option("--rating", metavar="COLUMN", help="The column of ratings.")] = "rating",
    less_is_better: Annotated[
        bool, Option("--less-is-better", help="A low rating is a good one, such as one of difficulty.")
    ] = False,
    correlation: Annotated[
        str, Option("--correlation", metavar="NAME", help="The correlation: kendall, spearman or pearson.")
    ] = "kendall",
    folds: Annotated[int, Option("-k", "--folds", min=2, help="Number of folds of the cross-validation.")] = 5,
    resamples: Annotated[int, Option("--resamples", min=100, help="Number of bootstrap samples of sessions.")] = 1000,
    seed: Annotated[int, Option("--seed", min=0, help="Seed of folds and samples.")] = 0,
    places: PlacesOption = 4,
    output_format: FormatOption = "table",
) -> None:
    """Correlate measures with ratings, and choose parameters.

    Prints a table of the measures: the correlation with its 95% interval, and that on sessions from which the parameters were not chosen.
    A second table has the parameters with several values. With -o jsonl every line names its table.
    """
    from irmx_cwl.ratings import fit_to_ratings

    found = fit_to_ratings(
        measures,
        qrels,
        matching_file(run),
        ratings,
        rating,
        less_is_better=less_is_better,
        correlation=correlation,
        folds=folds,
        resamples=resamples,
        seed=seed,
    )
    for name, table in (("measures", found.measures), ("parameters", found.parameters)):
        if not len(table):
            continue
        if output_format == "jsonl":
            table.insert(0, "table", name)
        elif name == "parameters":
            print()
        print_rows(table, output_format, places=places)
