"""Long work that resumes: what is finished outlasts the process in a folder beside the file of results."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ir_measures
import joblib
import numpy as np

from irmx import DataError, DataWarning, Judgments, Measure, Scores, Symbol, UsageError, read_run
from irmx.toolkit import file_digest, list_some, new_file, versions_of

if TYPE_CHECKING:
    import pandas as pd

Identity = dict[str, Any]
"""Strings, lists and dicts, which can be written as JSON."""

Arrays = Mapping[str, Any]

_KEPT = "Make room there; what is finished is kept, and the same command resumes from there."
_SEPARATORS = {".csv": ",", ".tsv": "\t"}


class Work:
    """Work of units, such as the settings of a sweep: the arrays of those that are finished.

    With a file of results, they are also in a :class:`joblib.Memory` in the folder ``OUT.parts``, by the name of the unit and the
    data that it depends on, so that a later call finds them. The process that begins the work writes them, wherever units are
    computed.
    """

    def __init__(self, out: str | os.PathLike[str] | None, units: Sequence[str]) -> None:
        self.units, self.complete, self.identity = list(units), False, Identity()
        self.arrays: list[Arrays | None] = [None] * len(units)
        self.path = None if out is None else Path(out)
        if self.path is None:
            return
        if self.path.suffix not in (".parquet", *_SEPARATORS):
            raise UsageError(f"The results {os.fspath(self.path)!r} must end in .parquet, .csv or .tsv.")
        if not self.path.parent.is_dir():
            raise DataError(
                f"There is no folder {self.path.parent} for the results {str(self.path)!r}. Create it first."
            )

    @property
    def folder(self) -> Path:
        """The folder of finished units."""
        assert self.path is not None
        return self.path.with_name(self.path.name + ".parts")

    @property
    def left(self) -> list[int]:
        """The units that are not finished."""
        return [] if self.complete else [i for i, arrays in enumerate(self.arrays) if arrays is None]

    @property
    def done(self) -> int:
        """The number of finished units."""
        return len(self.units) - len(self.left)

    def open(self, choices: Identity, data: Identity) -> None:
        """Take over what an earlier call finished: the results of the same choices and data, or units of the same data."""
        if self.path is None:
            return
        self.identity = json.loads(json.dumps({**choices, **data}))
        if self.path.exists():
            self._refuse_other(self._of_file())
            self.complete = True
            return
        self._data = str(joblib.hash(data))
        for i, unit in enumerate(self.units if self.folder.exists() else ()):
            if self._in_folder.check_call_in_cache(self._data, unit, None):
                try:
                    self.arrays[i] = _undisturbed(self._found, unit)
                except Exception:
                    text = f"What {self.folder} holds of {unit} is damaged; it was removed, and is computed again"
                    warnings.warn(text, DataWarning, stacklevel=4)

    def _found(self, unit: str) -> Arrays:
        """Return what the folder holds of a unit; remove it, and raise, if it is damaged."""
        found = self._in_folder.call_and_shelve(self._data, unit, None)
        try:
            arrays: Arrays = found.get()
        except Exception:
            found.clear()
            raise
        return arrays

    @cached_property
    def _in_folder(self) -> Any:
        """A function that keeps arrays by data and unit in the folder."""

        def finished(data: str, unit: str, arrays: Arrays) -> Arrays:
            return arrays

        finished.__qualname__ = "finished"  # folders are named after it
        try:
            return joblib.Memory(str(self.folder), verbose=0, compress=1).cache(finished, ignore=["arrays"])
        except OSError as error:
            raise DataError(
                f"The folder {self.folder} cannot be used: {error.strerror}. Choose another --out."
            ) from None

    def _of_file(self) -> Identity:
        """Return the identity of the work that the results are of."""
        assert self.path is not None
        try:
            if self.path.suffix == ".parquet":
                return dict(Scores.read_parquet(self.path).made_by["identity"])
            return dict(json.loads(self._beside.read_text(encoding="utf-8"))["made_by"]["identity"])
        except (DataError, OSError, ValueError, KeyError, TypeError, RecursionError):
            raise DataError(
                f"{self.path} already exists, and its results cannot be told from others. Choose another --out, or remove it."
            ) from None

    @property
    def _beside(self) -> Path:
        """The file that says what a .csv or .tsv file is of, and the rest of its scores."""
        assert self.path is not None
        return self.path.with_name(self.path.name + ".json")

    def _refuse_other(self, existing: Identity) -> None:
        """Raise if the results are of other choices or data; the message says which."""
        differ = []
        for key in dict.fromkeys([*self.identity, *existing]):
            old, new = existing.get(key), self.identity.get(key)
            if isinstance(old, dict) and isinstance(new, dict):
                names = [name for name in dict.fromkeys([*new, *old]) if old.get(name) != new.get(name)]
                differ += [f"{key}: {list_some(names)}"] if names else []
            elif old != new:
                differ.append(f"{key}: existing {_short(old)}, requested {_short(new)}")
        if differ:
            raise DataError(
                f"{self.path} holds other results: they differ in {'; '.join(differ)}. Choose another --out, or remove the file."
            )

    def keep(self, unit: int, arrays: Arrays) -> None:
        """Keep the arrays of a finished unit."""
        self.arrays[unit] = arrays
        if self.path is None:
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", joblib.memory.CacheWarning)  # it says that a file could not be written
            try:
                _undisturbed(self._in_folder.call_and_shelve, self._data, self.units[unit], arrays)
            except joblib.memory.CacheWarning as warning:
                error = warning.__context__
                if isinstance(error, FileNotFoundError):
                    return  # another process has finished the same work, and removed the folder
                why = error.strerror if isinstance(error, OSError) else error
                raise DataError(f"Nothing can be written in {self.folder}: {why}. {_KEPT}") from None

    def finish(self, scores: Scores) -> None:
        """Write the results, whole or not at all, and remove the folder of the units."""
        if self.path is None:
            return
        if self.path.suffix == ".parquet":
            scores.to_parquet(self.path)
        else:
            text = table_of(scores).to_csv(sep=_SEPARATORS[self.path.suffix], index=False, lineterminator="\n")
            axes = {"topics": scores.topics, "systems": scores.systems, "states": scores.states.ravel().tolist()}
            digest = sha256(text.encode()).hexdigest()
            about = {"made_by": scores.made_by, "digest": digest, "fields": list(scores.fields), **axes}
            for path, content in ((self._beside, json.dumps(about, indent=1)), (self.path, text)):
                with new_file(path, _KEPT) as file:
                    file.write(content.encode())
        shutil.rmtree(self.folder / "joblib", ignore_errors=True)
        with contextlib.suppress(OSError):  # as when it holds something else
            (self.folder / ".gitignore").unlink(missing_ok=True)
            self.folder.rmdir()

    def read(self, measures: Sequence[ir_measures.Measure], marks: Mapping[str, Any]) -> Scores:
        """Return the results of work that is complete, with the measures and marks of its views."""
        assert self.path is not None
        if self.path.suffix == ".parquet":
            return replace(Scores.read_parquet(self.path), measures=tuple(measures), marks=marks)
        import pandas as pd

        about = json.loads(self._beside.read_text(encoding="utf-8"))
        if file_digest(self.path) != about["digest"]:
            raise DataError(
                f"{self.path} was changed since it was written. Remove it, and the same command computes it again, or choose another "
                "--out."
            )
        topics, systems, fields = (tuple(about[key]) for key in ("topics", "systems", "fields"))
        columns = ("value", *fields)
        table = pd.read_csv(self.path, sep=_SEPARATORS[self.path.suffix], dtype=str, usecols=list(columns))
        shape = (len(topics), len(systems), len(measures))  # texts are read, since pandas may round floats
        values, *others = (table[name].to_numpy(dtype=float).reshape(shape) for name in columns)
        states = np.array(about["states"], dtype=np.int8).reshape(shape)
        of_fields = dict(zip(fields, others, strict=True))
        return Scores(values, topics, systems, tuple(measures), states, of_fields, about["made_by"], marks)


def _undisturbed(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function in another thread, where no Ctrl-C is raised: joblib drops one that comes while it writes what it notes."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(function, *arguments).result()


def table_of(scores: Scores) -> pd.DataFrame:
    """Return scores as a table for files: with the columns of parameters that vary between measure and value."""
    frame = scores.frame()
    views = scores.views.drop_duplicates("measure").set_index("measure")
    parameters = [name for name in views if "." in str(name)]
    for place, name in enumerate(parameters):
        frame.insert(
            frame.columns.get_loc("measure") + 1 + place, name, frame["measure"].map(views[name].astype(object))
        )
    return frame


def identity_of_data(
    measures: Sequence[ir_measures.Measure], judgments: Judgments, runs: Mapping[str, Any]
) -> Identity:
    """Return what identifies the data that measures read: digests of qrels, runs and files of parameters, and the versions of plugins."""
    own = [m for m in measures if isinstance(m, Measure)]
    of_run = sorted({c.name for m in own for c in m.run_columns()})
    of_qrels = sorted({"iteration", "relevance"} | {c.name for m in own for c in m.qrel_columns()})
    texts = sorted({value for m in own for value in _parameter_values(m) if isinstance(value, str)})
    files = {text: digest for text in texts if (digest := file_digest(text))}
    return ({"files": files} if files else {}) | {
        "qrels": _qrels_digests(judgments, of_qrels),
        "runs": {name: _run_digest(run, of_run) for name, run in runs.items()},
        "versions": versions_of(measures),
    }


def _qrels_digests(judgments: Judgments, names: Sequence[str]) -> dict[str, str]:
    """Return a digest of the topics and documents, and one per column, of judgments in any order."""
    ends, row, doc_of_row = judgments.all_rows
    topics = np.repeat(np.array(list(map(str, judgments.topics)), dtype=object), np.diff(ends))
    docs = np.append(np.array(list(judgments.docs), dtype=object), "")[doc_of_row]
    columns = {"topic": topics, "doc": docs}
    for name in names:
        if (values := judgments.column(name)) is not None:
            columns[name] = np.asarray(values)[row]
    codes = [np.unique(column.astype(str), return_inverse=True)[1] for column in columns.values()]
    order = np.lexsort(codes[::-1])
    digests = {name: _column_digest(column[order]) for name, column in columns.items()}
    return {"": digests.pop("topic") + digests.pop("doc"), **digests}


def _column_digest(column: np.ndarray[Any, Any]) -> str:
    """Return a digest of numbers, or of texts, for which joblib would take seconds."""
    if column.dtype.kind in "biuf":
        return _digest(np.ascontiguousarray(column, dtype=float))
    return sha256("\0".join(column.astype(str).tolist()).encode("utf-8", "surrogatepass")).hexdigest()


def _parameter_values(owner: Measure | Symbol) -> Iterator[Any]:
    """Yield the values of all parameters of a measure, and of the named objects among them."""
    for value in owner.params.values():
        yield value
        if isinstance(value, Symbol):
            yield from _parameter_values(value)


def _run_digest(source: Any, columns: Sequence[str]) -> dict[str, str]:
    """Return a digest of the bytes of a file; of anything else, one of the ids and scores, and one per extra column."""
    if of_file := file_digest(source):
        return {"": of_file}
    run = read_run(source)
    docs = [run.docs(topic) for topic in range(len(run.topics))]
    base = _digest([run.topics, run.offsets, run.score, docs])
    return {"": base} | {name: _digest(run.column(name)) for name in columns}


def _digest(value: Any) -> str:
    return str(joblib.hash(value))


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 160 else f"{text[:157]}..."
