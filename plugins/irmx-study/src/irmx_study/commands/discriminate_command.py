"""``irmx discriminate``: how well measures tell systems apart."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

from irmx import UsageError, registry
from irmx.toolkit import FormatOption, MissingTopicsWarning, Option, note, picture_option, print_rows, write_picture
from irmx_study.commands.scored import chosen, scored
from irmx_study.commands.shared_options import (
    ArgumentsOption,
    BestOption,
    DrawsOption,
    EveryTopicOption,
    LabelOption,
    LevelOption,
    MeasureOption,
    OnlyOption,
    PlacesByFormatOption,
    ScoresOption,
    SeedOption,
    TestOption,
    TieThresholdOption,
    decimal_places,
)

_SHORT = {"difference_needed": "needed", "reliable_from": "reliable"}
"""Names of columns in the table for reading, so that it fits a terminal; the lines below it explain them."""


def discriminate_measures(
    arguments: ArgumentsOption,
    test: TestOption = "t",
    correction: Annotated[
        str,
        Option(
            "--correction",
            help="The correction: none, holm, bonferroni, hommel, bh, maxt, or one of a plugin, for all pairs.",
        ),
    ] = "none",
    level: LevelOption = 0.05,
    draws: DrawsOption = 10_000,
    seed: SeedOption = 0,
    tie_threshold: TieThresholdOption = 0.0,
    splits: Annotated[
        int, Option("--splits", help="How often to split the topics into halves; 0 for no swap rates.")
    ] = 1000,
    bin_width: Annotated[
        float, Option("--bin-width", help="The width of the bins of differences for swap rates.")
    ] = 0.01,
    asl: Annotated[
        bool, Option("--asl", help="Print the achieved significance levels of all pairs of runs, sorted.")
    ] = False,
    swaps: Annotated[bool, Option("--swaps", help="Print the swap rates by the difference of means.")] = False,
    only: OnlyOption = None,
    every_topic: EveryTopicOption = False,
    best: BestOption = None,
    label: LabelOption = None,
    scores: ScoresOption = False,
    measure: MeasureOption = None,
    plot: Annotated[
        Path | None, picture_option("--plot", help="Also draw the sorted significance levels: FILE.png, .svg or .pdf.")
    ] = None,
    log: Annotated[bool, Option("--log", help="With --plot: all levels, on a logarithmic axis.")] = False,
    plot_swaps: Annotated[
        Path | None, picture_option("--plot-swaps", help="Also draw the swap rates by the difference.")
    ] = None,
    output_format: FormatOption = "table",
    places: PlacesByFormatOption = None,
) -> None:
    """Tell how well measures tell systems apart: discriminative power and swap rates.

    All pairs of runs are tested by each measure. Prints for how many the difference is significant, their share (the
    discriminative power), the difference of means from which on all pairs are significant, and how often random halves of the topics
    put two runs into opposite orders (the swap rate); the measure with the largest power first. With -o csv, tsv or jsonl, the
    measures are in the given order. How the runs were tested is printed below a table, and otherwise on standard error.
    """
    from irmx_study.comparison.choices import Choices
    from irmx_study.comparison.tables_for_reading import write_facts_below
    from irmx_study.discrimination.discriminate import discriminate

    if asl and swaps:
        raise UsageError("--asl and --swaps print different tables. Give one of the two.")
    if not splits and (swaps or plot_swaps is not None):
        raise UsageError(f"--{'swaps' if swaps else 'plot-swaps'} shows swap rates. They need --splits of at least 1.")
    if log and plot is None:
        raise UsageError("--log is about the picture of --plot FILE. Give it, or leave --log out.")
    how: dict[str, Any] = {
        "test": test,
        "correction": correction,
        "level": level,
        "draws": draws,
        "seed": seed,
        "tie_threshold": tie_threshold,
    }
    Choices.of(2, **how, family="measure", interval="t")  # refuses a mistyped option before the runs are scored
    with warnings.catch_warnings():
        # the notes below the table count the topics that runs lack
        warnings.simplefilter("ignore", MissingTopicsWarning)
        values = scored("discriminate", arguments, scores, measure, label or (), only, best)
    result = discriminate(chosen(values, only, every_topic, best), **how, splits=splits, bin_width=bin_width)
    if plot is not None:
        write_picture(result.plot(log=log).figure_, plot)
    if plot_swaps is not None:
        write_picture(result.plot_swaps().figure_, plot_swaps)
    for_reading = registry().output_formats()[output_format].WIDE
    if asl:
        rows = result.asl()
        if for_reading:
            rows = rows.drop(columns="share")
            if result.choices.correction.NAME == "none":  # a test of all pairs together has no other p-value
                rows = rows.drop(columns="p").rename(columns={"p_corrected": "p"})
    elif swaps:
        rows = result.swaps()
    else:
        rows = result.summary().rename(columns=_SHORT) if for_reading else result.frame()
    print_rows(rows, output_format, places=decimal_places(places, output_format))
    write_facts_below(result, output_format)
    for sentence in _without_effect(draws, seed, bin_width, splits, result.choices.resampled):
        note(sentence)


def _without_effect(draws: int, seed: int, bin_width: float, splits: int, resampled: list[str]) -> Iterator[str]:
    """Yield which of the given options change nothing, and why."""
    if draws != 10_000 and not resampled:
        yield "--draws changes nothing, because the test makes no random draws"
    if seed != 0 and not resampled and not splits:
        yield "--seed changes nothing, because nothing is drawn at random"
    if bin_width != 0.01 and not splits:
        yield "--bin-width changes nothing, because there are no swap rates"
