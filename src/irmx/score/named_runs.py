"""Runs by name, read one after the other, with warnings and errors that name the run."""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from irmx.data.files import matching_files
from irmx.data.judgments import Judgments
from irmx.data.reading import read_run
from irmx.data.runs import Run
from irmx.data.tables import is_path
from irmx.errors import DataError, DataWarning, TooLittleMemoryError, UsageError, some, too_little_memory
from irmx.rank.join import refuse_no_common_topic
from irmx.score.once import IssuedWarnings

T = TypeVar("T")


def named_runs(runs: Any) -> dict[str, Any]:
    """Return runs by name.

    Parameters
    ----------
    runs : mapping of str to run, or sequence of paths and globs
        Runs from files have the name of the file, or its path if two files have the same name.

    Returns
    -------
    dict of str to path or Run
        Anything but a path is converted to a :class:`irmx.Run`, so that it can be read more than once.

    Examples
    --------
    >>> named_runs(["runs/a.run", "runs/b.run"])
    {'a.run': 'runs/a.run', 'b.run': 'runs/b.run'}
    """
    if is_path(runs):
        runs = [runs]
    if isinstance(runs, Mapping):
        items = [(_decoded(str(name)), run) for name, run in runs.items()]
    elif isinstance(runs, Iterable) and not hasattr(runs, "columns"):  # not one run as a table
        paths = list(runs)
        other = [p for p in paths if not is_path(p)]
        if other:
            raise UsageError(
                f"Runs are a mapping of names to runs, or paths. Got {type(other[0]).__name__} among them."
            )
        files = [file for path in paths for file in matching_files(os.fspath(path))]
        items = list(zip(run_names(files), files, strict=True))
    else:
        raise UsageError(f"Runs are a mapping of names to runs, or paths. Got {type(runs).__name__} instead.")
    if not items:
        raise UsageError("There is no run to score.")
    names = [name for name, _ in items]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise UsageError(f"Two runs have the name {twice[0]!r}. Give each run its own name, and every file once.")
    return {name: os.fspath(run) if is_path(run) else read_run(run) for name, run in items}


def run_names(paths: Sequence[str]) -> list[str]:
    """Return the names of runs from files: the names of the files, or their paths if two have the same name.

    >>> run_names(["runs/a.run", "runs/folder/"]), run_names(["one/a.run", "two/a.run"])
    (['a.run', 'folder'], ['one/a.run', 'two/a.run'])
    """
    shown = list(map(_decoded, paths))
    names = [os.path.basename(os.path.normpath(path)) for path in shown]
    return names if len(set(names)) == len(set(paths)) else shown


def _decoded(name: str) -> str:
    r"""Return a name that can be written: half a surrogate pair, as which Python reads a byte that is not UTF-8, is escaped.

    >>> print(_decoded("caf\udce9.run"))
    caf\udce9.run
    """
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


@contextlib.contextmanager
def of_run(name: str, source: Any) -> Iterator[None]:
    """Add the name of the run, if it has one, to errors about its data that do not name its file."""
    try:
        yield
    except DataError as error:
        if isinstance(source, str) and source in str(error):
            raise
        raise error.at(f"run {name}" if name else "") from None
    except TooLittleMemoryError:
        raise
    except MemoryError as error:
        raise too_little_memory(f"Scoring the run {name}".rstrip(), error) from error


def of_each_run(runs: Mapping[str, Any], judgments: Judgments, do: Callable[[Run], T]) -> Iterator[tuple[str, T]]:
    """Read runs one after the other, and yield the name of each with the result of a function.

    Warnings name the run, and identical warnings are issued once. A warning counts the topics of the qrels that a run
    lacks.

    Parameters
    ----------
    runs : mapping of str to any
        Anything that :func:`irmx.read_run` accepts, by name.
    judgments : Judgments
        The judgments.
    do : function
        The function to call with each run.

    Raises
    ------
    irmx.errors.DataError
        If a run cannot be read, or has documents, but for no topic of the qrels.

    Examples
    --------
    >>> import irmx
    >>> judgments = irmx.read_qrels({"q": {"a": 1}})
    >>> list(of_each_run({"one": {"q": {"a": 2.0, "x": 1.0}}}, judgments, lambda run: len(run.score)))
    [('one', 2)]
    """
    issued = IssuedWarnings()
    for name, source in runs.items():
        with issued.once(name), of_run(name, source):
            run = read_run(source)
            refuse_no_common_topic(run, judgments)
            lacking = lacking_topics(run.topics, judgments)
            if lacking:
                warnings.warn(lacking, DataWarning, stacklevel=2)
            result = do(run)
        yield name, result


def lacking_topics(retrieved: Iterable[str], judgments: Judgments) -> str:
    """Return the message about a run whose topics lack some of the qrels, empty if it has all of them."""
    topics, in_run = list(judgments.index), set(retrieved)
    missing = [t for t in topics if t not in in_run]
    if not missing:
        return ""
    return f"no results for {len(missing)} of {len(topics)} topics ({some(missing)}); they count with the measures' defaults"
