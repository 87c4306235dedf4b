"""The subcommands that irmx-pages adds to ``irmx``, but for ``irmx pages fit``."""

from __future__ import annotations

from typing import Annotated

import typer

from irmx import FormatOption, PlacesOption, UsageError, matching_file, matching_files, print_rows

QRELS_HELP = "Qrels: a table file with the columns vertical and orientation for measures of pages, or any other."
PAGES_HELP = "Pages: JSON Lines, or a table file with one row per item; - for standard input."

Qrels = Annotated[str, typer.Option("--qrels", help=QRELS_HELP)]
PagesFile = Annotated[str, typer.Argument(metavar="PAGES", help=PAGES_HELP)]
PreferencesFile = Annotated[
    str,
    typer.Argument(
        metavar="PREFERENCES",
        help="Preferences: a table file with the columns query_id, page_a, page_b, assessor, choice (a, b, tie, or bad for both) and, "
        "optionally, bin_pair and trap.",
    ),
]
Test = Annotated[
    str,
    typer.Option("--test", help="t: paired t-test between the means of topics; sign: sign test over pairs of pages."),
]
FailedTraps = Annotated[
    int, typer.Option("--failed_traps", min=0, help="Leave out assessors who failed more trap pairs than this.")
]


def score_pages(
    pages: PagesFile,
    measures: Annotated[list[str], typer.Argument(metavar="MEASURE...", help="Measures, such as AS_RBP nDCG@10.")],
    qrels: Qrels,
    places: PlacesOption = 4,
    output_format: FormatOption = "tsv",
) -> None:
    """Score every page of every topic.

    Prints a line for each page and measure; a topic may have several pages.
    """
    from irmx_pages.page.page_runs import score_pages as scored

    print_rows(scored(matching_file(pages), qrels, measures), output_format, places=places)


def agreement(
    pages: PagesFile,
    preferences: PreferencesFile,
    measures: Annotated[list[str], typer.Argument(metavar="MEASURE...", help="Measures, such as AS_RBP nDCG@10 P@10.")],
    qrels: Qrels,
    level: Annotated[
        list[float] | None,
        typer.Option("-l", "--level", help="Share of assessors that is a majority; 0.75 and 1 by default."),
    ] = None,
    baseline: Annotated[
        str | None, typer.Option("-b", "--baseline", help="Test against this measure; the first by default.")
    ] = None,
    test: Test = "t",
    failed_traps: FailedTraps = 2,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of the bootstrap.")] = 0,
    places: PlacesOption = 4,
    output_format: FormatOption = "table",
) -> None:
    """Show how often measures agree with what people prefer.

    A row for each majority, pair of bins and measure: the pairs with a majority, those on which the measure has a tie (one
    half), other pairs of which a majority says that both pages are bad, the agreement with its 95% interval over topics, the
    two-tailed p-value of a test against the baseline, and Fleiss' kappa of the assessors.
    """
    from irmx_pages.preferences.agreement import LEVELS
    from irmx_pages.preferences.agreement import agreement as agreeing

    shown = matching_file(pages)
    found = agreeing(shown, preferences, qrels, measures, level or LEVELS, baseline, seed, test, failed_traps)
    print_rows(found, output_format, places=places)


def simulate_pages(
    qrels: Annotated[str, typer.Argument(help="Qrels: a table file with the columns vertical and orientation.")],
    items: Annotated[
        list[str],
        typer.Option(
            "-i",
            "--items",
            metavar="RUN",
            help="A ranking of items with the column vertical, or a quoted glob of some; once for each.",
        ),
    ],
    verticals: Annotated[
        list[str],
        typer.Option(
            "-v",
            "--verticals",
            metavar="RUN",
            help="A run whose documents are verticals, or a quoted glob of some; once for each.",
        ),
    ],
    out: Annotated[str, typer.Option("--out", help="The file of pages to write, as JSON Lines.")],
    pairs: Annotated[
        str | None, typer.Option("--pairs", help="The .csv file of pairs of pages to write, for assessors to fill in.")
    ] = None,
    quality: Annotated[
        str | None, typer.Option("--quality", help="The .csv file of component scores and bins to write.")
    ] = None,
    per_bin_pair: Annotated[
        int, typer.Option("--per_bin_pair", min=1, help="Pairs of pages for each topic and pair of bins.")
    ] = 8,
    threshold: Annotated[
        float, typer.Option("--threshold", min=0, max=1, help="Orientation above which a vertical is wanted.")
    ] = 0.75,
    most_verticals: Annotated[int, typer.Option("--most_verticals", min=1, help="Vertical blocks on a page.")] = 3,
    block_items: Annotated[int, typer.Option("--block_items", min=1, help="Items of a vertical block.")] = 3,
    web_items: Annotated[int, typer.Option("--web_items", min=1, help="Web results on a page.")] = 10,
    rel: Annotated[float, typer.Option("--rel", help="Smallest grade that counts as relevant.")] = 1,
    seed: Annotated[
        int, typer.Option("--seed", min=0, help="Of the bad selections, the random presentations and the pairs.")
    ] = 0,
) -> None:
    """Make pages of graded quality for every topic, to be compared by people.

    From judgments, rankings of items and rankings of verticals: every selection of verticals with every selection of items and
    every presentation, 36 pages a topic for two rankings of each kind. A ranking is called by the name of its file.
    """
    from irmx_pages.page.page_lines import write_pages
    from irmx_pages.simulate.page_pairs import page_pairs
    from irmx_pages.simulate.simulated_pages import simulate_pages as simulated

    _refuse_one_file(out, pairs, quality)
    made = simulated(
        qrels,
        _named(items),
        _named(verticals),
        threshold=threshold,
        verticals=most_verticals,
        block_items=block_items,
        web_items=web_items,
        rel=rel,
        seed=seed,
    )
    found = page_pairs(made, per_bin_pair, seed) if pairs is not None else None
    write_pages(out, made.pages)
    topics = made.quality["query_id"].nunique()
    print(f"{out}: {len(made.pages)} pages of {topics} topics")
    if quality is not None:
        made.quality.to_csv(quality, index=False, lineterminator="\n")
        print(f"{quality}: component scores and bins")
    if found is not None:
        found.assign(assessor="", choice="").to_csv(pairs, index=False, lineterminator="\n")
        print(f"{pairs}: {len(found)} pairs; fill in assessor and choice, a row for each assessor")


def _refuse_one_file(*paths: str | None) -> None:
    """Raise where two files to be written are one."""
    given = [path for path in paths if path is not None]
    for path in given:
        if given.count(path) > 1:
            raise UsageError(
                f"{path!r} is to be written twice. Give each of --out, --pairs and --quality a file of its own."
            )


def _named(arguments: list[str]) -> dict[str, str]:
    """Return files, given as paths and globs, by their names without endings."""
    from pathlib import Path

    paths = [path for argument in arguments for path in matching_files(argument)]
    names = [Path(path).name.split(".")[0] for path in paths]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"Two rankings have the name {name!r}. Give each file a name of its own.")
    return dict(zip(names, paths, strict=True))
