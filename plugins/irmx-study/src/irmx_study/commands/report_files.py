"""What ``irmx report`` and ``irmx compare -o FILE.html`` share: the file, the command to print, and the writing."""

from __future__ import annotations

import shlex
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, get_args

import click

from irmx import UsageError
from irmx.toolkit import FormatOption, MissingTopicsWarning, Option, named_runs, note, runs_and_measures, visible
from irmx_study.commands.scored import labels_of, names_with_labels, scored

REPORT_ENDINGS = (".html", ".htm")


def report_file(path: Path) -> Path:
    """Return the file for a report, checked before anything is computed.

    Raises
    ------
    irmx.errors.UsageError
        If its name does not end in .html, it is a folder, or its folder does not exist.
    """
    if path.suffix.lower() not in REPORT_ENDINGS:
        raise UsageError(f"A report is written to a file that ends in .html. Got {path} instead.")
    if path.is_dir():
        raise UsageError(f"{path} is a folder. Name a file for the report.")
    if not path.parent.is_dir():
        raise UsageError(f"There is no folder {path.parent} for the report {path.name}.")
    return path


def _format_or_report(text: str) -> str:
    """Return the name of an output format, or of the file of a report, checked."""
    if text.endswith(REPORT_ENDINGS):
        return str(report_file(Path(text)))
    return str(get_args(FormatOption)[1].check(text))


FormatOrReportOption = Annotated[
    str,
    Option(
        "-o",
        "--output-format",
        check=_format_or_report,
        help="Output format: table, tsv, csv, jsonl, markdown, latex, html, spreadsheet, or one of a plugin; or a report: FILE.html.",
    ),
]
"""The option ``-o`` of a command that can also write a report."""


def command_line(leave_out: Sequence[str]) -> str:
    """Return the command as it was typed, quoted for the shell, without some options such as the file that it writes."""
    context = click.get_current_context()
    words = ["irmx", *str(context.info_name).split()]
    for parameter in context.command.params:
        name, value = str(parameter.name), context.params.get(str(parameter.name))
        source = context.get_parameter_source(name)
        if name in leave_out or source is None or source.name != "COMMANDLINE":
            continue
        values = value if isinstance(value, (list, tuple)) else [value]
        for one in values:
            option = [] if parameter.param_type_name == "argument" else [max(parameter.opts, key=len)]
            words += option if one is True else [*option, str(one)]
    return shlex.join(words)


def write_report(
    out: Path,
    arguments: Sequence[str],
    baseline: Sequence[str] | None,
    label: Sequence[str] | None,
    from_files: bool,
    measure: str | None,
    title: str,
    texts: Path | None,
    queries: Path | None,
    how: Mapping[str, Any],
) -> None:
    """Write the report on what the arguments of a command name.

    Raises
    ------
    irmx.errors.UsageError
        For a mistyped option, before anything is scored; or if a library is not installed.
    irmx.errors.DataError
        If the input cannot be read, or the file cannot be written.
    """
    from irmx_study.comparison.choices import Choices
    from irmx_study.html_report.known_texts import read_document_texts, read_query_texts
    from irmx_study.html_report.one_page import check_libraries
    from irmx_study.html_report.report import report

    check_libraries()
    Choices.of(2, **{name: value for name, value in how.items() if name != "all_pairs"})
    if how["all_pairs"] and baseline:
        raise UsageError("A comparison is of all pairs, or with a baseline. Give one of the two.")
    known: dict[str, Any] = {
        "title": title,
        "texts": None if texts is None else read_document_texts(str(texts)),
        "queries": None if queries is None else read_query_texts(str(queries)),
        "command": command_line(("out", "output_format")),
    }
    words, labels = str(click.get_current_context().info_name), label or ()
    with warnings.catch_warnings():
        # the notes of the comparison count the topics that runs lack
        warnings.simplefilter("ignore", MissingTopicsWarning)
        if from_files:
            values = scored(words, arguments, True, measure, labels)
            made = report(values, baseline=labels_of(baseline, labels), **known, **how)
        else:
            if measure is not None:
                raise UsageError("--measure goes with --scores; otherwise the measures follow the runs.")
            usage = f"irmx {words} QRELS RUN... MEASURE..."
            if len(arguments) < 3:
                raise UsageError(f"irmx {words} needs qrels, runs and measures: {usage}")
            paths, measures = runs_and_measures(list(arguments[1:]), usage)
            runs = named_runs(paths)
            by_label = dict(zip(names_with_labels(runs, labels), runs.values(), strict=True))
            baselines = labels_of(baseline, labels)
            if len(by_label) < 2:
                raise UsageError(f"A comparison needs two systems. There is one: {', '.join(by_label)}.")
            made = report(measures, arguments[0], by_label, baselines, **known, **how)
    made.write(out)
    note(f"{visible(str(out))}: {visible(made.heading)}, {out.stat().st_size / 1e6:.1f} MB")
