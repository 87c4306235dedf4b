"""The scores that commands work on: from qrels, runs and measures, or from files of per-topic results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import typer

from irmx import QRELS_HELP, Scores, UsageError, named_runs, runs_and_measures, scores, suggest

ArgumentsOption = Annotated[
    list[str],
    typer.Argument(
        metavar="QRELS RUN... MEASURE...",
        help=f"{QRELS_HELP} Then run files or quoted globs, then measures. With --scores: files of per-topic results.",
    ),
]
"""The arguments of commands that compare systems."""

ScoresOption = Annotated[
    bool,
    typer.Option(
        "--scores",
        help="The arguments are files of per-topic results: of irmx, trec_eval -q, ir_measures -q, or a table with a column query_id.",
    ),
]
"""The option ``--scores`` of these commands."""

MeasureOption = Annotated[
    str | None,
    typer.Option("--measure", help="With --scores: the measure of a table that has one column per system."),
]
"""The option ``--measure`` of these commands."""

LabelOption = Annotated[
    list[str] | None,
    typer.Option("--label", metavar="RUN=NAME", help="The name to print for a run. May be repeated."),
]
"""The option ``--label`` of these commands."""


def scored(
    command: str,
    arguments: Sequence[str],
    from_files: bool = False,
    measure: str | None = None,
    labels: Sequence[str] = (),
) -> Scores:
    """Return the scores that a command works on.

    Parameters
    ----------
    command : str
        The name of the command, for messages.
    arguments : sequence of str
        Qrels, runs and measures; or files of per-topic results.
    from_files : bool
        Whether they are the latter.
    measure : str, optional
        The measure of files of per-topic results that do not name it.
    labels : sequence of str
        Options such as ``"my.run=BM25"``: the names of systems.

    Raises
    ------
    irmx.errors.UsageError
        If there is no run or no measure, or a label names no system.
    """
    if from_files:
        from irmx_study.per_topic.per_topic_files import read_per_topic

        return labelled(read_per_topic(list(arguments), measure), labels)
    if measure is not None:
        raise UsageError("--measure goes with --scores; otherwise the measures follow the runs.")
    if len(arguments) < 3:
        raise UsageError(f"irmx {command} needs qrels, runs and measures: irmx {command} QRELS RUN... MEASURE...")
    paths, measures = runs_and_measures(list(arguments[1:]), f"irmx {command} QRELS RUN... MEASURE...")
    return labelled(scores(measures, arguments[0], named_runs(paths)), labels)


def labelled(unnamed: Scores, labels: Sequence[str]) -> Scores:
    """Return scores with other names of systems.

    Raises
    ------
    irmx.errors.UsageError
        If a label is not of the form ``RUN=NAME``, names no system, or gives two systems one name.
    """
    by_system = by_run(labels)
    for system in by_system:
        if system not in unnamed.systems:
            raise UsageError(
                f"No run has the name {system!r}.{suggest(system, unnamed.systems)} The runs: {', '.join(unnamed.systems)}."
            )
    names = tuple(by_system.get(system, system) for system in unnamed.systems)
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"Two runs have the name {twice!r}. Choose another label.")
    return replace(unnamed, systems=names)


def by_run(labels: Sequence[str]) -> dict[str, str]:
    """Return labels by the name of the run.

    >>> by_run(["bm25.run=BM25", "b=0.4.run=b of 0.4"])
    {'bm25.run': 'BM25', 'b=0.4.run': 'b of 0.4'}

    Raises
    ------
    irmx.errors.UsageError
        If a label is not of the form ``RUN=NAME``, or a run has two.
    """
    names: dict[str, str] = {}
    for label in labels:
        system, equals, name = label.rpartition("=")
        if not equals or not system or not name:
            raise UsageError(f"A label is written RUN=NAME, such as bm25.run=BM25. Got {label!r} instead.")
        if system in names:
            raise UsageError(f"The run {system} has two labels, {names[system]!r} and {name!r}. Give it one.")
        names[system] = name
    return names
