"""``irmx settings``: how the settings of a measure rank the runs, and for which of them a conclusion holds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from irmx import UsageError, registry
from irmx.toolkit import FormatOption, Option, counted, picture_option, print_rows, visible, write_picture
from irmx_study.commands.scored import chosen, labelled, names_with_labels, scored
from irmx_study.commands.shared_options import (
    ArgumentsOption,
    BestOption,
    EveryTopicOption,
    LabelOption,
    MeasureOption,
    OnlyOption,
    PlacesByFormatOption,
    ScoresOption,
    decimal_places,
)

if TYPE_CHECKING:
    import pandas as pd

    from irmx_study.settings.agreement_result import SettingsAgreement


_TAUS = {
    "tau": "Kendall's tau-b between the rankings of the runs by their means",
    "tau_ap": "reads the setting's ranking from the top; the other is the reference",
}
_EXTREMES = {"settings": "how many have the value; shown is the first of them"}
_BEST = {
    "rank": "of the run by its mean; equal means share the smaller rank",
    "settings": "how many give it that rank; shown is the one with the largest mean",
}
"""What stands below a table of taus, of their extremes, of the best settings."""


def settings_of_a_measure(
    arguments: ArgumentsOption,
    sweep: Annotated[
        bool, Option("--sweep", help="The argument is a results file of irmx sweep, .parquet, .csv or .tsv.")
    ] = False,
    of: Annotated[
        str | None,
        Option("--of", metavar="NAME", help="The measure, such as MP, if several have several settings."),
    ] = None,
    reference: Annotated[
        str | None,
        Option(
            "-r",
            "--reference",
            metavar="MEASURE",
            help="The measure, or the setting, to whose ranking of the runs others are compared.",
        ),
    ] = None,
    holds: Annotated[
        str | None,
        Option(
            "--holds",
            metavar="STATEMENT",
            help="For how many settings a conclusion holds: 'tau < 0.9' (or tau_ap), 'A > B' for the means of two runs, or 'rank A <= 3'.",
        ),
    ] = None,
    best_settings: Annotated[
        bool, Option("--best-settings", help="Print for every run the setting in which it ranks best.")
    ] = False,
    by_setting: Annotated[bool, Option("--by-setting", help="Print one row per setting.")] = False,
    rounded: Annotated[
        int | None,
        Option("--round", min=0, metavar="PLACES", help="Round the means first, as papers that start from tables do."),
    ] = None,
    plot: Annotated[
        Path | None, picture_option("--plot", help="Also draw tau over the settings: FILE.png, .svg or .pdf.")
    ] = None,
    along: Annotated[
        list[str] | None,
        Option(
            "--along",
            metavar="PARAMETER",
            help="With --plot: the parameter on an axis; by default the two that matter most. May be repeated.",
        ),
    ] = None,
    scatter: Annotated[
        Path | None,
        picture_option(
            "--scatter",
            help="Also draw settings against the reference, one point per run; by default the lowest, median and highest tau.",
        ),
    ] = None,
    setting: Annotated[
        list[str] | None,
        Option("--setting", metavar="MEASURE", help="With --scatter: the setting to draw. May be repeated."),
    ] = None,
    only: OnlyOption = None,
    every_topic: EveryTopicOption = False,
    best: BestOption = None,
    label: LabelOption = None,
    scores: ScoresOption = False,
    measure: MeasureOption = None,
    output_format: FormatOption = "table",
    places: PlacesByFormatOption = None,
) -> None:
    """Tell how the settings of a measure rank the runs, and for which of them a conclusion holds.

    The measure stands for several settings, as 'MP(model=*)' or 'RBP(p=0.5:0.9:9)' do, or --sweep gives them. With a
    reference, prints the lowest, the median and the highest Kendall's tau and tau_AP between the ranking of the runs in a setting and
    that of the reference; without one, the setting in which every run ranks best. With --holds, for how many settings a
    conclusion holds, by the value of each parameter. With -o csv, tsv or jsonl, one row per setting, or with
    --best-settings one per run.
    """
    from irmx_study.comparison.tables_for_reading import write_facts_below
    from irmx_study.correlation.agreement_facts import versions_fact
    from irmx_study.correlation.agreement_tables import Stated
    from irmx_study.settings.best_settings import best_settings as best_setting_of_each_run
    from irmx_study.settings.conclusions import conclusion
    from irmx_study.settings.settings_agreement import settings_agreement

    _refuse(reference, holds, best_settings, by_setting, plot, along, scatter, setting)
    if sweep and every_topic:
        raise UsageError("--every-topic needs runs. The results of a sweep do not tell what a run retrieved.")
    results: Any
    if sweep:
        results = _of_sweep(arguments, scores or measure is not None or of is not None, label or [], only, best)
    else:
        if reference is not None and not scores:
            arguments = _with_reference(arguments, reference)
        results = chosen(
            scored("settings", arguments, scores, measure, label or (), only, best), only, every_topic, best
        )
    for_reading = registry().output_formats()[output_format].WIDE
    agreement = None if reference is None else settings_agreement(results, reference, of, rounded)
    lines: tuple[str, ...] = ()
    facts: dict[str, str] = {}
    if holds is not None:
        found = conclusion(results, holds, reference, measure=of, decimals=rounded)
        lines = found.sentences()
        rows = found.frame() if by_setting or not for_reading else found.by_parameter()
    elif best_settings or agreement is None:
        rows, facts = best_setting_of_each_run(results, of, rounded), _BEST
    else:
        every_setting = by_setting or not for_reading
        rows = agreement.frame() if every_setting else agreement.extremes()
        facts = _TAUS if every_setting else _TAUS | _EXTREMES
        of_settings = f"{counted(len(agreement.settings.columns), 'setting')} of {agreement.settings.name}"
        lines = (f"{counted(len(agreement.values), 'run')}, {of_settings}, against {agreement.reference}",)
    if agreement is not None:
        _draw(agreement, plot, along, scatter, setting)
    _print(rows, lines, output_format, decimal_places(places, output_format))
    if not sweep:
        facts = facts | {"versions": versions_fact(results.measures)}
    write_facts_below(Stated(facts, ()), output_format)


def _refuse(
    reference: str | None,
    holds: str | None,
    best_settings: bool,
    by_setting: bool,
    plot: Path | None,
    along: list[str] | None,
    scatter: Path | None,
    setting: list[str] | None,
) -> None:
    """Refuse options that contradict each other, before anything is scored."""
    if best_settings and (holds is not None or by_setting):
        raise UsageError("--best-settings has one row per run. Give it without --holds and --by-setting.")
    if by_setting and holds is None and reference is None:
        raise UsageError("--by-setting prints what --reference or --holds tell of every setting. Give one of them.")
    for option, file in (("--plot", plot), ("--scatter", scatter)):
        if file is not None and reference is None:
            raise UsageError(f"{option} draws the agreement with a reference. Name it with --reference.")
    if along and plot is None:
        raise UsageError("--along chooses the parameters of --plot. Give it a file to draw.")
    if setting and scatter is None:
        raise UsageError("--setting chooses the settings of --scatter. Give it a file to draw.")


def _with_reference(arguments: list[str], reference: str) -> list[str]:
    """Return the arguments, and the reference if it is a measure of another name than those there, and so no setting."""
    from irmx import parse_measure

    names = [argument.partition("(")[0].partition("@")[0] for argument in arguments]
    is_there = reference in arguments or str(parse_measure(reference).NAME) in names
    return arguments if is_there else [*arguments, reference]


def _of_sweep(arguments: list[str], is_other: bool, labels: list[str], only: str | None, best: float | None) -> Any:
    """Return the results of a sweep, of the runs that are kept, by the names that are to be printed."""
    if is_other or len(arguments) != 1:
        raise UsageError("--sweep takes one results file: irmx settings --sweep results.parquet.")
    if not labels and only is None and best is None:
        return arguments[0]
    from irmx_study.settings.sweep_scores import scores_of_sweep
    from irmx_study.sweeping.results import read_results

    results = read_results(arguments[0])
    scores = scores_of_sweep(results)
    names = dict(zip(scores.systems, names_with_labels(scores.systems, labels), strict=True))
    kept = chosen(labelled(scores, labels), only, best=best).systems
    results = results.assign(run=results["run"].astype(str).map(names))
    return results[results["run"].isin(kept)]


def _draw(
    agreement: SettingsAgreement,
    plot: Path | None,
    along: list[str] | None,
    scatter: Path | None,
    setting: list[str] | None,
) -> None:
    if plot is not None:
        write_picture(agreement.plot(along=along).figure_, plot)
    if scatter is not None:
        write_picture(agreement.plot_scatter(setting).figure_, scatter)


def _print(rows: pd.DataFrame, lines: tuple[str, ...], output_format: str, places: int) -> None:
    text = "".join(f"{visible(line)}\n" for line in lines)
    is_table = output_format == "table"
    click.echo(f"{text}\n" if is_table and text else text, nl=False, err=not is_table)
    print_rows(rows, output_format, places=places)
