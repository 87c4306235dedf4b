"""The subcommands that irmx-pages adds to ``irmx``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from irmx import UsageError
from irmx.toolkit import (
    Argument,
    FormatOption,
    Option,
    PlacesOption,
    matching_file,
    matching_files,
    new_file,
    note,
    parse_value,
    print_rows,
)

QRELS_HELP = "Qrels: a table file with the columns vertical and orientation for measures of pages, or any other."
PAGES_HELP = "Pages: JSON Lines, or a table file with one row per item; - for standard input."

Qrels = Annotated[str, Option("--qrels", help=QRELS_HELP)]
PagesFile = Annotated[str, Argument(metavar="PAGES", help=PAGES_HELP)]
PreferencesFile = Annotated[
    str,
    Argument(
        metavar="PREFERENCES",
        help="Preferences: a table file with the columns query_id, page_a, page_b, assessor, choice (a, b, tie, or bad for both) and, "
        "optionally, bin_pair and trap.",
    ),
]
FailedTraps = Annotated[
    int, Option("--failed-traps", min=0, help="Drop assessors who failed more trap pairs than this.")
]

Only = Annotated[
    str | None,
    Option(
        "--only",
        metavar="visual",
        complete=lambda: ["visual"],
        help="Only pairs in which a page has images or videos: visual.",
    ),
]


def _ends_in(suffix: str) -> Callable[[str], str]:
    """Return a check of the name of a file to write, whose format it says."""

    def check(path: str) -> str:
        if not path.endswith(suffix):
            raise UsageError(f"The file {path!r} must end in {suffix}, the format that is written.")
        return path

    return check


OutScores = Annotated[
    str | None,
    Option(
        "--out",
        check=_ends_in(".parquet"),
        help="File (.parquet) to write the agreement on each topic to, for irmx compare --scores.",
    ),
]


def score(
    pages: PagesFile,
    measures: Annotated[list[str], Argument(metavar="MEASURE...", help="Measures, such as AS_RBP nDCG@10.")],
    qrels: Qrels,
    places: PlacesOption = 4,
    output_format: FormatOption = "tsv",
) -> None:
    """Score every page of every topic.

    Prints one line per page and measure; a topic may have several pages.
    """
    from irmx_pages.pages_as_runs import score_pages

    print_rows(score_pages(matching_file(pages), qrels, measures), output_format, places=places)


def simulate(
    qrels: Annotated[str, Argument(help="Qrels: a table file with the columns vertical and orientation.")],
    items: Annotated[
        list[str],
        Option(
            "-i",
            "--items",
            metavar="RUN",
            help="A ranking of items with the column vertical, or a quoted glob; may be repeated.",
        ),
    ],
    verticals: Annotated[
        list[str],
        Option(
            "-v",
            "--verticals",
            metavar="RUN",
            help="A run whose documents are verticals, or a quoted glob; may be repeated.",
        ),
    ],
    out: Annotated[
        str, Option("--out", check=_ends_in(".jsonl"), help="File (.jsonl) to write the pages to, as JSON Lines.")
    ],
    pairs: Annotated[
        str | None,
        Option(
            "--pairs",
            check=_ends_in(".csv"),
            help="File (.csv) to write the pairs of pages to, for assessors to fill in.",
        ),
    ] = None,
    quality: Annotated[
        str | None,
        Option("--quality", check=_ends_in(".csv"), help="File (.csv) to write component scores and bins to."),
    ] = None,
    per_bin_pair: Annotated[
        int, Option("--per-bin-pair", min=1, help="Number of page pairs for each topic and pair of bins.")
    ] = 8,
    traps: Annotated[
        int, Option("--traps", min=0, help="Number of trap pairs for each topic, with a page of another topic.")
    ] = 0,
    threshold: Annotated[
        float, Option("--threshold", min=0, max=1, help="Orientation above which a vertical is wanted.")
    ] = 0.75,
    most_verticals: Annotated[
        int, Option("--most-verticals", min=1, help="Maximum number of vertical blocks on a page.")
    ] = 3,
    block_items: Annotated[int, Option("--block-items", min=1, help="Number of items in a vertical block.")] = 3,
    web_items: Annotated[int, Option("--web-items", min=1, help="Number of web results on a page.")] = 10,
    rel: Annotated[float, Option("--rel", help="Smallest grade that counts as relevant.")] = 1,
    seed: Annotated[
        int, Option("--seed", min=0, help="Seed of the bad selections, the random presentations and the pairs.")
    ] = 0,
) -> None:
    """Make pages of graded quality for every topic, for assessors to compare.

    The pages combine every selection of verticals, every selection of items and every presentation, made from judgments,
    rankings of items and rankings of verticals: 36 pages per topic for two rankings of each kind. A ranking is named after its
    file.
    """
    from irmx_pages.page_files import write_pages
    from irmx_pages.simulation import page_pairs, simulate_pages

    _refuse_one_file(out, pairs, quality)
    if traps and pairs is None:
        raise UsageError("--traps adds trap pairs to those that --pairs writes. Give --pairs a file.")
    made = simulate_pages(
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
    found = page_pairs(made, per_bin_pair, seed, traps) if pairs is not None else None
    write_pages(out, made.pages)
    topics = made.quality["query_id"].nunique()
    print(f"{out}: {len(made.pages)} pages of {topics} topics")
    if quality is not None:
        with new_file(quality) as file:
            made.quality.to_csv(file, index=False, lineterminator="\n")
        print(f"{quality}: component scores and bins")
    if pairs is not None and found is not None:
        with new_file(pairs) as file:
            found.assign(assessor="", choice="").to_csv(file, index=False, lineterminator="\n")
        print(f"{pairs}: {len(found)} pairs; fill in assessor and choice, one row per assessor")


def _refuse_one_file(*paths: str | None) -> None:
    """Raise if two of the files to write are the same."""
    given = [path for path in paths if path is not None]
    for path in given:
        if given.count(path) > 1:
            raise UsageError(f"{path!r} would be written twice. Give --out, --pairs and --quality different files.")


def _named(arguments: list[str]) -> dict[str, str]:
    """Return files, given as paths and globs, by their names without suffixes."""
    from pathlib import Path

    paths = [path for argument in arguments for path in matching_files(argument)]
    names = [Path(path).name.split(".")[0] for path in paths]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"Two rankings have the name {name!r}. Rename one of the files.")
    return dict(zip(names, paths, strict=True))


def agreement(
    pages: PagesFile,
    preferences: PreferencesFile,
    measures: Annotated[list[str], Argument(metavar="MEASURE...", help="Measures, such as AS_RBP nDCG@10 P@10.")],
    qrels: Qrels,
    level: Annotated[
        list[float] | None,
        Option("-l", "--level", help="Share of the assessors that makes a majority; by default 0.75 and 1."),
    ] = None,
    baseline: Annotated[
        str | None, Option("-b", "--baseline", help="Measure to test the others against; by default chance.")
    ] = None,
    failed_traps: FailedTraps = 2,
    only: Only = None,
    out: OutScores = None,
    places: PlacesOption = 4,
    output_format: FormatOption = "table",
) -> None:
    """Show how often measures agree with the preferences of assessors.

    One row per majority level, pair of bins and measure: the pairs with a majority, those on which the measure has a tie (one
    half), the pairs for which a majority finds both pages bad and those without a majority, the agreement, the p-value of the sign
    test over pairs of pages, against chance or the baseline, and Fleiss' kappa of the assessors.

    With --out, also the agreement on each topic: 'irmx compare --scores FILE --all-pairs' tests measures against each other over
    topics, and 'irmx power --scores FILE --difference 0.05' shows how many topics a difference needs.
    """
    from irmx import read_qrels
    from irmx.toolkit import Evaluator
    from irmx_pages.preference_votes import LEVELS, agreed_pairs, agreement_table, baseline_of, shares_of_topics

    evaluator = Evaluator(measures, read_qrels(qrels))
    against = baseline_of(evaluator, baseline)
    groups = agreed_pairs(matching_file(pages), preferences, evaluator, level or LEVELS, failed_traps, only)
    if out is not None:
        shares_of_topics(groups).to_parquet(out)
    print_rows(agreement_table(groups, against), output_format, places=places)


_TITLES = {
    "parameters": "Parameters",
    "held_out": "Agreement with the majority on held-out topics",
    "assessors": "l of every assessor, by maximum likelihood",
    "active": "l of the most active assessors, by maximum agreement",
}
"""The headings of the tables that a fit prints, in this order."""


def fit(
    pages: PagesFile,
    preferences: PreferencesFile,
    measure: Annotated[
        str, Argument(help="A page utility measure, such as AS_RBP, with the parameters that are not fitted.")
    ],
    qrels: Qrels,
    grid: Annotated[
        list[str],
        Option(
            "-g",
            "--grid",
            help="PARAMETER=LOW:HIGH (51 values), PARAMETER=LOW:HIGH:NUMBER or PARAMETER=VALUE,VALUE,...; one --grid per parameter.",
        ),
    ],
    folds: Annotated[int, Option("-k", "--folds", min=2, help="Number of topic folds for cross-validation.")] = 5,
    level: Annotated[float, Option("-l", "--level", help="Share of the assessors that makes a majority.")] = 0.75,
    personal: Annotated[
        bool,
        Option("--personal/--no-personal", help="Whether to fit l, the weight of vertical recall, for every assessor."),
    ] = True,
    active: Annotated[
        int,
        Option(
            "--active", min=0, help="Number of assessors, those with the most votes, for whom l is chosen by agreement."
        ),
    ] = 20,
    personal_grid: Annotated[
        str, Option("--personal-grid", help="Values of l for --active, written as in a grid.")
    ] = "0:1",
    failed_traps: FailedTraps = 2,
    only: Only = None,
    seed: Annotated[int, Option("--seed", min=0, help="Seed of the folds.")] = 0,
    out: OutScores = None,
    places: PlacesOption = 4,
    output_format: FormatOption = "table",
) -> None:
    """Learn the parameters of a page measure from preferences.

    Prints four tables: the parameters, by agreement on the grid with the range over folds, and by likelihood with 95% intervals;
    how often the measure then agrees with the majority on held-out topics; the l of every assessor,
    by likelihood, with the agreement on held-out topics; and the l of the most active assessors, by agreement on a grid. With -o
    jsonl every line names its table. 'irmx compare --scores FILE' tests the held-out agreement that --out writes.
    """
    from irmx_pages.preference_fit import fit_preferences

    found = fit_preferences(
        matching_file(pages),
        preferences,
        qrels,
        measure,
        grid,
        folds=folds,
        level=level,
        personal=personal,
        active=active,
        personal_grid=personal_grid,
        failed_traps=failed_traps,
        only=only,
        seed=seed,
    )
    if out is not None:
        found.scores.to_parquet(out)
    for name, title in _TITLES.items():
        table = getattr(found, name)
        if not len(table):
            continue
        if output_format == "jsonl":
            table.insert(0, "table", name)
        elif output_format == "table":
            print(f"{title}:")
        elif name != "parameters":
            print()
        print_rows(table, output_format, places=places)


Resamples = Annotated[int, Option("--resamples", min=2, help="Number of bootstrap samples for the intervals.")]
SampleSeed = Annotated[int, Option("--seed", min=0, help="Seed of the samples.")]


def clicks(
    log: Annotated[
        str,
        Argument(
            help="Click log: a table file with session, rank and time, or a log in the format of Yandex's Relevance Prediction Challenge."
        ),
    ],
    output_format: FormatOption = "tsv",
) -> None:
    """Show how likely users are to examine each position of a page.

    Users are taken to examine all blocks down to the lowest one that they click. Use it as AS(examination=by_position(file='FILE')).
    """
    from irmx_pages.examination_fit import examination_of_clicks

    print_rows(examination_of_clicks(log), output_format, places=-1)


def fit_effort(
    times: Annotated[
        str, Argument(help="Times: a table file with the columns media, time in seconds and, optionally, user.")
    ],
    reference: Annotated[str, Argument(help="The media type of effort 1, such as image.")],
    statistic: Annotated[
        str, Option("--statistic", metavar="NAME", help="What is compared: mean, median or within_users.")
    ] = "mean",
    shortest: Annotated[float, Option("--shortest", help="Only times above it are used, in seconds.")] = 0,
    longest: Annotated[float | None, Option("--longest", help="Longer times are left out, in seconds.")] = None,
    resamples: Resamples = 1000,
    seed: SampleSeed = 0,
    places: PlacesOption = 4,
    output_format: FormatOption = "table",
) -> None:
    """Estimate the effort of each media type from the times that users spent on items.

    Prints the efforts with their 95% intervals; then, on standard error, the parameter with them.
    """
    from irmx_pages.effort_fit import fit_effort
    from irmx_pages.page import EffortTable

    found = fit_effort(
        times, reference, statistic=statistic, shortest=shortest, longest=longest, resamples=resamples, seed=seed
    )
    print_rows(found.rows, output_format, places=places)
    note(f"{found.title}. effort={EffortTable({media: float(f'{e:.4g}') for media, e in found.effort.items()})}")


def _bounds(text: str) -> tuple[float, float]:
    """Return the two numbers of LOW:HIGH."""
    try:
        low, high = map(float, text.split(":"))
    except ValueError:
        raise UsageError(f"{text!r} is not a range. Write --bounds LOW:HIGH, such as 0:1.") from None
    return low, high


def fit_examination(
    log: Annotated[
        str,
        Argument(
            help="Examinations: a table file with session, position, examined and, optionally, visual, gain and user."
        ),
    ],
    model: Annotated[str, Argument(help="The examination model, such as rbp or 'att(phi=0.2)'.")],
    parameter: Annotated[
        str | None, Argument(metavar="PARAMETER", help="Its parameter to fit, such as beta; by default none.")
    ] = None,
    bounds: Annotated[str, Option("--bounds", metavar="LOW:HIGH", help="Range of the parameter.")] = "0:1",
    detection: Annotated[
        float | None,
        Option("--detection", help="Share of examinations that is observed, in (0, 1]; by default it is fitted."),
    ] = None,
    resamples: Resamples = 1000,
    seed: SampleSeed = 0,
    places: PlacesOption = 4,
    output_format: FormatOption = "table",
) -> None:
    """Fit an examination model to a log of the blocks that users examined.

    Prints two tables: the parameter and the detection with their 95% intervals, and the shares of sessions in which each position
    was observed to be examined, and should be according to the model; then, on standard error, the model. With -o jsonl every line
    names its table.
    """
    from irmx_pages.aggregated_search import AS
    from irmx_pages.examination_fit import fit_examination

    found = fit_examination(
        log,
        parse_value(model, AS, "examination"),
        parameter,
        bounds=_bounds(bounds),
        detection=detection,
        resamples=resamples,
        seed=seed,
    )
    titles = ("Estimates", "Share of sessions that examine a position")
    for title, (name, rows) in zip(titles, found.tables.items(), strict=True):
        if output_format == "jsonl":
            rows = [{"table": name, **row} for row in rows]
        elif output_format == "table":
            print(f"{title}:")
        elif name == "positions":
            print()
        print_rows(rows, output_format, places=places)
    note(f"{found.title}, log-likelihood {found.log_likelihood:.1f}")
