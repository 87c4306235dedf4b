"""The inputs of a sweep: runs by name, what measures read of them, and digests of their content."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import ir_measures
import numpy as np

from irmx.errors import UsageError
from irmx.judgments import Judgments
from irmx.measures import Measure
from irmx.ragged import Array
from irmx.runs import Run, read_run
from irmx.tables import is_path


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


def columns_read(measures: Iterable[ir_measures.Measure]) -> tuple[list[str], list[str]]:
    """Return the names of the extra run columns and of the extra qrels columns that measures read."""
    own = [m for m in measures if isinstance(m, Measure)]
    of_run = {c.name for m in own for c in m.run_columns()}
    of_qrels = {c.name for m in own for c in m.qrel_columns()}
    return sorted(of_run), sorted({"iteration", "relevance"} | of_qrels)


def run_digest(source: Any, columns: Sequence[str]) -> str:
    """Return a digest of a run: of the bytes of a file, or of the ids, scores and extra columns of anything else."""
    if is_path(source) and os.path.isfile(source):
        made = hashlib.sha256()
        with open(source, "rb") as file:
            while block := file.read(1 << 20):
                made.update(block)
        return made.hexdigest()
    run: Run = read_run(source)
    docs = [np.array(run.docs(topic), dtype=object) for topic in range(len(run.topics))]
    return _digest([run.topics, run.offsets, run.score, *docs], {name: run.column(name) for name in columns})


def qrels_digest(judgments: Judgments, columns: Sequence[str]) -> str:
    """Return a digest of the topics, documents, grades and extra columns of judgments."""
    arrays = [list(map(str, judgments.topics)), judgments.offsets, list(judgments.docs), judgments.grade]
    return _digest(arrays, {name: judgments.given_column(name) for name in columns})


def _digest(arrays: Sequence[Any], columns: Mapping[str, Array | None]) -> str:
    made = hashlib.sha256()
    for name, values in [*(("", a) for a in arrays), *columns.items()]:
        made.update(f"{name}:{'none' if values is None else len(values)};".encode())
        if values is not None:
            made.update(_hashes(np.asarray(values)).tobytes())
    return made.hexdigest()


def _hashes(values: Array) -> Array:
    """Return a number per value that depends on nothing but the value."""
    import pandas as pd

    if values.dtype.kind in "OU":
        return np.asarray(pd.util.hash_array(values.astype(object)))
    return np.asarray(values, dtype=np.float64)
