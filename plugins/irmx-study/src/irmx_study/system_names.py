"""What systems are called: ``NAME=FILE`` in place of a file, and labels of runs, files and systems."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from irmx import UsageError, parse_measure
from irmx.toolkit import is_file, named_runs, path_of, suggest


def named_path(text: str) -> tuple[str, str]:
    """Return the name, empty for none, and the path of ``PATH`` or ``NAME=PATH``; a file whose name has such a sign is a path.

    >>> named_path("mine=runs/mine.*.run"), named_path("runs/b=0.4.run")
    (('mine', 'runs/mine.*.run'), ('', 'runs/b=0.4.run'))
    """
    name, equals, path = text.partition("=")
    if not equals or is_file(text) or ("/" in name and not is_file(path)):
        return "", text
    if not name or not path:
        raise UsageError(f"A file is written FILE or NAME=FILE. Got {text!r} instead.")
    return name, path


def by_run(labels: Sequence[str] | None) -> dict[str, str]:
    """Return labels by what they name.

    >>> by_run(["bm25.run=BM25", "b=0.4.run=b of 0.4"])
    {'bm25.run': 'BM25', 'b=0.4.run': 'b of 0.4'}
    """
    names: dict[str, str] = {}
    for label in labels or ():
        system, equals, name = label.rpartition("=")
        if not equals or not system or not name:
            raise UsageError(f"A label is written RUN=NAME, such as bm25.run=BM25. Got {label!r} instead.")
        if system in names:
            raise UsageError(f"The run {system} has two labels, {names[system]!r} and {name!r}. Give it one.")
        names[system] = name
    return names


def measures_labelled(labels: Sequence[str] | None) -> tuple[dict[str, str], list[str]]:
    """Return the labels of measures, by their names, and the others.

    >>> measures_labelled(["MP(model=GL_AD_ID)=MP", "bm25.run=BM25"])
    ({'MP(model=GL_AD_ID)': 'MP'}, ['bm25.run=BM25'])
    """
    measures, others = {}, []
    for name, label in by_run(labels).items():
        try:
            measures[str(parse_measure(name))] = label
        except UsageError:
            others.append(f"{name}={label}")
    return measures, others


def of_files(files: Mapping[str, Any], labels: Mapping[str, str]) -> dict[str, str]:
    """Return labels by the names of files, for which they may give the path.

    >>> of_files({"a.run": "runs/a.run"}, {"./runs/a.run": "A", "b": "B"})
    {'a.run': 'A', 'b': 'B'}
    """
    names = {_path(file): name for name, file in files.items() if isinstance(file, str)}
    return {key if key in files else names.get(_path(key), key): label for key, label in labels.items()}


def _path(file: str) -> str:
    return os.path.abspath(path_of(file))


def labelled_names(systems: Iterable[str], labels: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names of systems, or their labels; a label that names no system is refused."""
    known = tuple(systems)
    for system in labels:
        if system not in known:
            raise UsageError(f"No run has the name {system!r}.{suggest(system, known)} The runs: {', '.join(known)}.")
    names = tuple(labels.get(system, system) for system in known)
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"Two runs have the name {twice!r}. Choose another label.")
    return names


def labelled_runs(paths: Sequence[str], labels: Sequence[str] | None) -> dict[str, Any]:
    """Return runs by their names, or their labels."""
    runs = named_runs(paths)
    return dict(zip(labelled_names(runs, of_files(runs, by_run(labels))), runs.values(), strict=True))


def labels_of(runs: Iterable[str] | None, labels: Sequence[str] | None) -> list[str] | None:
    """Return the labels of runs that an option names, which may name a run or its label; None for no runs."""
    by_system = by_run(labels)
    return [by_system.get(run, run) for run in runs or ()] or None
