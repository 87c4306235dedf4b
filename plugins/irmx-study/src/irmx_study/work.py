"""Long work that resumes: finished blocks in a folder beside the file of results, and the identity by which a call resumes its own."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ir_measures
import numpy as np

from irmx import DataError, DataWarning, Judgments, Measure, Scores, UsageError, read_run
from irmx.toolkit import file_digest, new_file, some, versions_of

if TYPE_CHECKING:
    import filelock
    import pandas as pd

Identity = dict[str, Any]
"""Strings, lists and dicts, which can be written as JSON."""

Arrays = Mapping[str, Any]

UNFINISHED = ".unfinished"
"""The end of the names of files that are not whole yet, which :func:`irmx.toolkit.new_file` gives them too, and of temporary folders."""

_KEPT = "Make room there; what is finished is kept, and the same command resumes from there."
_SEPARATORS = {".csv": ",", ".tsv": "\t"}


class Work:
    """Work of numbered units, such as the settings of a sweep: which are finished, and their arrays.

    With a file of results, finished units are kept in the folder ``OUT.parts``: ``identity.json`` says of which work they are, every
    file of arrays is there as a whole or not, and a lock keeps other processes out. Without one, they are in memory.
    """

    def __init__(self, kind: str, unit: str, out: str | os.PathLike[str] | None, total: int) -> None:
        self.kind, self.unit, self.total, self.complete = kind, unit, total, False
        self.path = None if out is None else Path(out)
        self._held: dict[tuple[int, ...], Arrays | Path] = {}
        self._lock: filelock.BaseFileLock | None = None
        self._is_own = False  # whether the folder is of this work, so that it may be removed
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
    def done(self) -> int:
        """The number of finished units."""
        return self.total if self.complete else sum(map(len, self._held))

    @property
    def left(self) -> list[int]:
        """The units that are not finished."""
        finished = {number for numbers in self._held for number in numbers}
        return [] if self.complete else [number for number in range(self.total) if number not in finished]

    def open(self, identity: Identity) -> None:
        """Keep other processes out, and take over what an earlier call for the same work finished."""
        self.identity: Identity = json.loads(json.dumps(identity))
        if self.path is None:
            return
        import filelock

        is_new, is_locked_anew = not self.folder.exists(), not (self.folder / "lock").exists()
        try:
            self.folder.mkdir(exist_ok=True)
            self._lock = filelock.FileLock(self.folder / "lock")
            self._lock.acquire(blocking=False)
        except filelock.Timeout:
            raise DataError(
                f"Another process is at work on {self.folder}. Wait until it is done, or choose another --out."
            ) from None
        except OSError as error:
            raise DataError(
                f"The folder {self.folder} cannot be used: {error.strerror}. Choose another --out."
            ) from None
        try:
            if self.path.exists():
                self._refuse_other(self._of_file(), f"{self.path} holds the results")
                self.complete = True
                self.close(remove=True)
            else:
                self._take_over()
        except BaseException:
            if is_locked_anew:
                (self.folder / "lock").unlink(missing_ok=True)
            self.close(remove=is_new)
            raise

    def _of_file(self) -> Identity:
        """Return the identity of the work that the results are of."""
        assert self.path is not None
        try:
            if self.path.suffix == ".parquet":
                return dict(Scores.read_parquet(self.path).made_by["identity"])
            return dict(json.loads(self._beside.read_text(encoding="utf-8"))["made_by"]["identity"])
        except (DataError, OSError, ValueError, KeyError, TypeError, RecursionError):
            raise DataError(
                f"{self.path} already exists and is not a results file of a {self.kind}. Choose another --out, or remove it."
            ) from None

    @property
    def _beside(self) -> Path:
        """The file that says what a .csv or .tsv file is of, and the rest of its scores."""
        assert self.path is not None
        return self.path.with_name(self.path.name + ".json")

    def _refuse_other(self, existing: Identity, what: str) -> None:
        """Raise if there is other work than the requested; the message says in what it differs."""
        differ = []
        for key in dict.fromkeys([*self.identity, *existing]):
            old, new = existing.get(key), self.identity.get(key)
            if old == new:
                continue
            if isinstance(old, dict) and isinstance(new, dict):
                names = [name for name in dict.fromkeys([*new, *old]) if old.get(name) != new.get(name)]
                differ.append(f"{key}: {some(names)}")
            else:
                differ.append(f"{key}: existing {_short(old)}, requested {_short(new)}")
        if differ:
            raise DataError(
                f"{what} of another {self.kind}: it differs in {'; '.join(differ)}. Repeat that {self.kind} to resume it, choose "
                "another --out for this one, or remove what is there."
            )

    def _take_over(self) -> None:
        """Register finished units; remove unfinished files of a call that was stopped, and damaged ones."""
        manifest, paths = self.folder / "identity.json", sorted(self.folder.iterdir())
        parts = [path for path in paths if path.suffix == ".npz"]
        known = {manifest, self.folder / "lock", *parts}
        if parts or manifest.exists():
            try:
                existing = dict(json.loads(manifest.read_text(encoding="utf-8")))
            except (OSError, ValueError, TypeError, RecursionError):
                raise DataError(
                    f"{manifest} cannot be read. Remove the folder {self.folder}, or choose another --out."
                ) from None
            if parts:
                self._refuse_other(existing, f"The folder {self.folder} holds parts")
        if others := [path for path in paths if path not in known and path.suffix != UNFINISHED]:
            raise DataError(
                f"The folder {self.folder} is not one of a {self.kind}: it holds {others[0].name}. Choose another --out."
            )
        for path in paths:
            if path.suffix == UNFINISHED:
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        self._write(manifest, json.dumps(self.identity, indent=1).encode())
        self._is_own = True
        for path in parts:
            try:
                with path.open("rb") as file, np.load(file) as arrays:
                    self._held[tuple(arrays["units"].tolist())] = path
                    arrays["complete"]
            except Exception:
                path.unlink()
                text = f"{path} is damaged; it was removed, and its {self.unit}s are computed again"
                warnings.warn(text, DataWarning, stacklevel=2)

    def _write(self, path: Path, content: bytes) -> None:
        with new_file(path, _KEPT) as file:
            file.write(content)

    def keep(self, units: Sequence[int], arrays: Arrays) -> None:
        """Keep the arrays of finished units."""
        if self.path is None:
            self._held[tuple(units)] = arrays
            return
        path = self.folder / f"{units[0]:07d}.npz"
        with new_file(path, _KEPT) as file:
            np.savez(file, units=np.array(units), **arrays, complete=np.array(1))
        self._held[tuple(units)] = path

    def blocks(self) -> Iterator[tuple[tuple[int, ...], Arrays]]:
        """Yield the finished units and their arrays, in order."""
        for units, held in sorted(self._held.items()):
            if not isinstance(held, Path):
                yield units, held
                continue
            try:
                with held.open("rb") as file, np.load(file) as arrays:
                    loaded = dict(arrays)
            except Exception:
                held.unlink(missing_ok=True)
                raise DataError(
                    f"{held} is damaged; it was removed. The same command computes its {self.unit}s again."
                ) from None
            yield units, loaded

    @contextlib.contextmanager
    def workspace(self) -> Iterator[str]:
        """Yield a folder for temporary files of a call; if the call is killed, the next one removes it."""
        folder = None if self.path is None else self.folder
        with tempfile.TemporaryDirectory(dir=folder, suffix=UNFINISHED) as name:
            yield name

    def finish(self, scores: Scores) -> None:
        """Write the results, whole or not at all, and remove the folder of the units."""
        if self.path is None:
            return
        if self.path.suffix == ".parquet":
            scores.to_parquet(self.path)
        else:
            text = table_of(scores).to_csv(sep=_SEPARATORS[self.path.suffix], index=False, lineterminator="\n")
            axes = {"topics": scores.topics, "systems": scores.systems, "retrieved": scores.retrieved.tolist()}
            digest = sha256(text.encode()).hexdigest()
            about = {"made_by": scores.made_by, "digest": digest, "fields": list(scores.fields), **axes}
            self._write(self._beside, json.dumps(about, indent=1).encode())
            self._write(self.path, text.encode())
        self.close(remove=True)

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
        retrieved = np.array(about["retrieved"], dtype=bool)
        of_fields = dict(zip(fields, others, strict=True))
        return Scores(values, topics, systems, tuple(measures), retrieved, of_fields, about["made_by"], marks)

    def close(self, remove: bool = False) -> None:
        """Let other processes in; remove the folder if the work is complete, or nothing is finished."""
        if self._lock is not None:
            remove = remove or (self._is_own and not self._held)
            if remove:
                shutil.rmtree(self.folder, ignore_errors=True)
            self._lock.release()
            if remove:
                shutil.rmtree(self.folder, ignore_errors=True)
            self._lock = None


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
    """Return what identifies the data that measures read: digests of qrels and runs, and the versions of plugins."""
    own = [m for m in measures if isinstance(m, Measure)]
    of_run = sorted({c.name for m in own for c in m.run_columns()})
    of_qrels = sorted({"iteration", "relevance"} | {c.name for m in own for c in m.qrel_columns()})
    ids = [list(map(str, judgments.topics)), judgments.offsets, list(judgments.docs), judgments.grade]
    return {
        "qrels": {"": _digest(ids)} | {name: _digest(judgments.column(name)) for name in of_qrels},
        "runs": {name: _run_digest(run, of_run) for name, run in runs.items()},
        "versions": versions_of(measures),
    }


def _run_digest(source: Any, columns: Sequence[str]) -> dict[str, str]:
    """Return a digest of the bytes of a file; of anything else, one of the ids and scores, and one per extra column."""
    if of_file := file_digest(source):
        return {"": of_file}
    run = read_run(source)
    docs = [run.docs(topic) for topic in range(len(run.topics))]
    base = _digest([run.topics, run.offsets, run.score, docs])
    return {"": base} | {name: _digest(run.column(name)) for name in columns}


def _digest(value: Any) -> str:
    import joblib

    return str(joblib.hash(value))


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 160 else f"{text[:157]}..."
