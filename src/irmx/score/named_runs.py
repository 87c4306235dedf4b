"""Runs by name, and what is to be said of them."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from irmx.data.judgments import Judgments
from irmx.data.reading import read_run
from irmx.data.runs import Run
from irmx.data.tables import is_path
from irmx.errors import DataError, UsageError, some
from irmx.rank.join import refuse_no_common_topic


def named_runs(runs: Any) -> dict[str, Any]:
    """Return runs by name.

    Parameters
    ----------
    runs : mapping of str to run, or sequence of paths
        Files are called by their names, or by their paths where two of them have one name.

    Returns
    -------
    dict of str to path or Run
        What is no path is converted, so that it can be looked at more than once.

    Examples
    --------
    >>> named_runs(["runs/a.run", "runs/b.run"])
    {'a.run': 'runs/a.run', 'b.run': 'runs/b.run'}
    """
    if is_path(runs):
        runs = [runs]
    if isinstance(runs, Mapping):
        given = [(str(name), run) for name, run in runs.items()]
    elif isinstance(runs, Iterable) and not hasattr(runs, "columns"):  # not one run as a table
        paths = list(runs)
        other = [p for p in paths if not is_path(p)]
        if other:
            raise UsageError(
                f"Runs are a mapping of names to runs, or paths. Got {type(other[0]).__name__} among them."
            )
        given = list(zip(run_names([os.fspath(p) for p in paths]), map(os.fspath, paths), strict=True))
    else:
        raise UsageError(f"Runs are a mapping of names to runs, or paths. Got {type(runs).__name__} instead.")
    if not given:
        raise UsageError("There is no run to score.")
    names = [name for name, _ in given]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise UsageError(f"Two runs have the name {twice[0]!r}. Give each a name of its own, and every file once.")
    return {name: os.fspath(run) if is_path(run) else read_run(run) for name, run in given}


def run_names(paths: Sequence[str]) -> list[str]:
    """Return what files are called: their names, or their paths where two files have one name.

    >>> run_names(["runs/a.run", "runs/b.run"]), run_names(["one/a.run", "two/a.run"])
    (['a.run', 'b.run'], ['one/a.run', 'two/a.run'])
    """
    names = [os.path.basename(path) for path in paths]
    return names if len(set(names)) == len(set(paths)) else list(paths)


@contextlib.contextmanager
def of_run(name: str, source: Any) -> Iterator[None]:
    """Name the run in errors of its data that do not name its file."""
    try:
        yield
    except DataError as error:
        if isinstance(source, str) and source in str(error):
            raise
        raise error.at(f"run {name}") from None


def lacking_topics(run: Run, judgments: Judgments) -> str:
    """Return what to say of a run that lacks topics of the qrels, nothing where it has all.

    Raises
    ------
    irmx.errors.DataError
        Where it has documents, but for none of them.
    """
    refuse_no_common_topic(run, judgments)
    known, there = list(judgments.index), set(run.topics)
    missing = [t for t in known if t not in there]
    if not missing:
        return ""
    return f"no results for {len(missing)} of {len(known)} topics ({some(missing)}); they count with the measures' defaults"
