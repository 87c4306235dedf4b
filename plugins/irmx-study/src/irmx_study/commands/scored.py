"""The scores that commands work on: from qrels, runs and measures, or from files of per-topic results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from irmx import Scores, UsageError, scores
from irmx.toolkit import named_runs, runs_and_measures, suggest


def scored(
    command: str,
    arguments: Sequence[str],
    from_files: bool = False,
    measure: str | None = None,
    labels: Sequence[str] = (),
    only: str | None = None,
    best: float | None = None,
) -> Scores:
    """Return the scores that a command works on, of all runs; :func:`chosen` leaves some out.

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
    only, best : optional
        What :func:`chosen` gets, checked here before anything is scored.

    Raises
    ------
    irmx.errors.UsageError
        If there is no run or no measure, a label names no system, or ``only`` or ``best`` cannot be applied.
    """
    from irmx_study.filters.chosen_systems import check_best, listed, listed_names

    check_best(best)
    kept = None if only is None else listed_names(only)
    if from_files:
        from irmx_study.per_topic.per_topic_files import read_per_topic

        return labelled(read_per_topic(list(arguments), measure), labels)
    if measure is not None:
        raise UsageError("--measure goes with --scores; otherwise the measures follow the runs.")
    if len(arguments) < 3:
        raise UsageError(f"irmx {command} needs qrels, runs and measures: irmx {command} QRELS RUN... MEASURE...")
    paths, measures = runs_and_measures(list(arguments[1:]), f"irmx {command} QRELS RUN... MEASURE...")
    runs = named_runs(paths)
    names = names_with_labels(runs, labels)
    if kept is not None:
        listed(names, kept)
    return labelled(scores(measures, arguments[0], runs), labels)


def chosen(scores: Scores, only: str | None = None, every_topic: bool = False, best: float | None = None) -> Scores:
    """Return the scores of the runs that the options ``--only``, ``--every-topic`` and ``--best`` keep."""
    from irmx_study.filters.chosen_systems import choose_systems, listed_names

    return choose_systems(scores, None if only is None else listed_names(only), every_topic, best)


def labelled(unnamed: Scores, labels: Sequence[str]) -> Scores:
    """Return scores with other names of systems; see :func:`names_with_labels`."""
    return replace(unnamed, systems=names_with_labels(unnamed.systems, labels))


def names_with_labels(systems: Iterable[str], labels: Sequence[str]) -> tuple[str, ...]:
    """Return the names of systems, or their labels.

    Raises
    ------
    irmx.errors.UsageError
        If a label is not of the form ``RUN=NAME``, names no system, or gives two systems one name.
    """
    known, by_system = tuple(systems), by_run(labels)
    for system in by_system:
        if system not in known:
            raise UsageError(f"No run has the name {system!r}.{suggest(system, known)} The runs: {', '.join(known)}.")
    names = tuple(by_system.get(system, system) for system in known)
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"Two runs have the name {twice!r}. Choose another label.")
    return names


def labels_of(runs: Iterable[str] | None, labels: Sequence[str] | None) -> list[str] | None:
    """Return the labels of runs that an option names, which may name a run or its label; None for no runs."""
    by_system = by_run(labels or ())
    return [by_system.get(run, run) for run in runs or ()] or None


def label_of(run: str | None, labels: Sequence[str] | None) -> str | None:
    """Return the label of a run that an option names; None for no run."""
    return None if run is None else by_run(labels or ()).get(run, run)


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
