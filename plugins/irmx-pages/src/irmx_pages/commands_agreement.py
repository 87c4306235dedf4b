"""``irmx pages agreement`` and ``irmx pages power``: measures beside the preferences of assessors."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

from irmx import UsageError, registry
from irmx.toolkit import Argument, FormatOption, Option, PlacesOption, counted, matching_file, print_rows
from irmx_pages.commands import FailedTraps, PagesFile, PreferencesFile, Qrels, Test

if TYPE_CHECKING:
    import pandas as pd

Measures = Annotated[list[str], Argument(metavar="MEASURE...", help="Measures, such as AS_RBP nDCG@10 P@10.")]
Levels = Annotated[
    list[float] | None,
    Option("-l", "--level", help="Share of the assessors that makes a majority; by default 0.75 and 1."),
]
Significance = Annotated[float, Option("--significance", help="Level of significance.")]


def agreement(
    pages: PagesFile,
    preferences: PreferencesFile,
    measures: Measures,
    qrels: Qrels,
    level: Levels = None,
    baseline: Annotated[
        str | None, Option("-b", "--baseline", help="Measure to test the others against; by default the first.")
    ] = None,
    all_pairs: Annotated[
        bool, Option("--all-pairs", help="Test all pairs of measures, instead of each against the baseline.")
    ] = False,
    test: Test = "t",
    correction: Annotated[
        str | None,
        Option(
            "--correction",
            help="Correction for several comparisons with --all-pairs: holm (the default), bonferroni, bh or none.",
        ),
    ] = None,
    significance: Annotated[
        float | None, Option("--significance", help="Level of the letters with --all-pairs; by default 0.05.")
    ] = None,
    failed_traps: FailedTraps = 2,
    seed: Annotated[int, Option("--seed", min=0, help="Seed of the bootstrap.")] = 0,
    places: PlacesOption = 4,
    output_format: FormatOption = "table",
) -> None:
    """Show how often measures agree with the preferences of assessors.

    One row per majority level, pair of bins and measure: the pairs with a majority, those on which the measure has a tie (one
    half), other pairs for which a majority finds both pages bad, the agreement with its 95% interval over topics, the
    two-tailed p-value of a test against the baseline, and Fleiss' kappa of the assessors.

    With --all-pairs, one table per level with a row per measure and a column per pair of bins; the letters after a value name the
    measures whose agreement is significantly lower. With -o csv, tsv or jsonl, one row per level, pair of bins and two measures.
    """
    from irmx_pages.preferences.agreed_pairs import LEVELS
    from irmx_pages.preferences.agreement import agreement as agreeing
    from irmx_pages.preferences.agreement_differences import compare_agreement

    shown = matching_file(pages)
    if not all_pairs:
        if correction is not None or significance is not None:
            raise UsageError(
                "--correction and --significance are for the tests of all pairs of measures. Add --all-pairs."
            )
        found = agreeing(shown, preferences, qrels, measures, level or LEVELS, baseline, seed, test, failed_traps)
        print_rows(found, output_format, places=places)
        return
    if baseline is not None:
        raise UsageError(
            "--baseline names the measure that the others are tested against, and --all-pairs tests all. Give one."
        )
    marked = registry().output_formats()[output_format].WIDE
    if significance is not None and not marked:
        raise UsageError(
            f"--significance is for the letters of a table. With -o {output_format}, the rows have the p-values instead."
        )
    corrected = correction or "holm"
    compared = compare_agreement(
        shown, preferences, qrels, measures, level or LEVELS, test, corrected, seed, failed_traps
    )
    if marked:
        _print_by_bin(
            compared,
            0.05 if significance is None else significance,
            places,
            output_format,
            f"test {test}, correction {corrected}",
        )
    else:
        print_rows(compared, output_format, places=places)


def _print_by_bin(compared: pd.DataFrame, significance: float, places: int, output_format: str, how: str) -> None:
    """Print a table per level, and below them what the letters mean."""
    from irmx_pages.preferences.agreement_table import agreement_by_bin

    for level, rows in agreement_by_bin(compared, significance, places).groupby("level", sort=False):
        title = f"Agreement with a majority of {level:.3g} of the assessors"
        if output_format == "latex":
            print(f"% {title}")
        elif output_format == "markdown":
            print(f"{title}:\n")
        else:
            print(f"{title}:")
        print_rows(rows.drop(columns="level"), output_format, places=places)
        if output_format == "markdown":
            print()
    comparisons = len(compared[["a", "b"]].drop_duplicates())
    print(
        f"Letters: the measures that agree less often ({how} over {counted(comparisons, 'pair')} of measures in each column, level "
        f"{significance:g}).",
        file=sys.stdout if output_format == "table" else sys.stderr,
    )


def power(
    pages: PagesFile,
    preferences: PreferencesFile,
    measures: Measures,
    qrels: Qrels,
    difference: Annotated[
        list[float] | None, Option("--difference", help="Difference of agreement to find. May be repeated.")
    ] = None,
    level: Levels = None,
    significance: Significance = 0.05,
    probability: Annotated[float, Option("--power", help="Probability of finding the difference.")] = 0.8,
    comparisons: Annotated[
        int,
        Option("--comparisons", help="How many comparisons the significance is divided by, as Bonferroni does."),
    ] = 1,
    failed_traps: FailedTraps = 2,
    places: PlacesOption = 4,
    output_format: FormatOption = "table",
) -> None:
    """Show which differences of agreement the preferences can find, and how many a difference needs.

    One row per majority level, pair of bins and two measures: the topics and pairs with a majority, the standard deviation over
    topics of the difference in agreement, and the difference that the paired t-test finds. With --difference, also the
    topics and pairs needed for it, and the pairs per topic needed for it on the same topics.
    """
    from irmx_pages.preferences.agreed_pairs import LEVELS
    from irmx_pages.preferences.preference_sample_power import preference_power

    found = preference_power(
        matching_file(pages),
        preferences,
        qrels,
        measures,
        difference or (),
        levels=level or LEVELS,
        significance=significance,
        power=probability,
        comparisons=comparisons,
        failed_traps=failed_traps,
    )
    print_rows(found, output_format, places=places)
