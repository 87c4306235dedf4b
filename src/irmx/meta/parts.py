"""Finished parts of a sweep in a folder beside its results: written at once, found again by the next call."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from irmx.errors import DataError, DataWarning
from irmx.meta.identity import Identity, differences

if TYPE_CHECKING:
    import pyarrow as pa

REFERENCES = "references"
"""The name of the part with the reference measures."""

_MANIFEST = "sweep.json"
_LOCK = "lock"
_SETTINGS = b"settings"
_UNFINISHED = ".unfinished"


class Parts:
    """The folder ``NAME.parts`` beside a file of results.

    A part is a parquet file that knows which settings it holds; it is written under another name and renamed, so that
    it is either there as a whole or not. The manifest says which sweep the parts are of.

    Parameters
    ----------
    out : Path
        The file of results.
    identity : dict
        What :func:`irmx.meta.identity.identify` returns.
    """

    def __init__(self, out: Path, identity: Identity) -> None:
        self.out, self.identity = out, identity
        self.folder = out.with_name(out.name + ".parts")
        self._files: dict[Path, list[int]] = {}
        self._locked: int | None = None

    def open(self) -> None:
        """Make the folder, or take over the parts that a sweep like this one left there.

        Raises
        ------
        irmx.errors.DataError
            Where the folder holds something else, or cannot be written.
        """
        try:
            self.folder.mkdir(exist_ok=True)
            there = sorted(self.folder.iterdir())
        except OSError as error:
            raise DataError(
                f"The folder {self.folder} cannot be made: {error.strerror}. Choose another --out."
            ) from None
        manifest = self.folder / _MANIFEST
        if manifest in there:
            self._check(manifest, there)
        elif [p for p in there if p.suffix != _UNFINISHED and p.name != _LOCK]:
            raise DataError(
                f"The folder {self.folder} is not one of a sweep ({_MANIFEST} is missing). Remove it, or choose another --out."
            )
        self._lock()
        try:
            for path in there:
                self._take_over(path)
            write_whole(manifest, lambda path: path.write_text(json.dumps(self.identity, indent=1), encoding="utf-8"))
        except BaseException:
            self.close()
            raise

    def _lock(self) -> None:
        """Keep others out of the folder, where the system can, until :meth:`close` or the end of the process."""
        try:
            import fcntl
        except ImportError:  # not on Windows
            return
        self._locked = os.open(self.folder / _LOCK, os.O_CREAT | os.O_WRONLY)
        try:
            fcntl.flock(self._locked, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.close()
            raise DataError(
                f"Another process is at work on {self.folder}. Wait until it is done, or choose another --out."
            ) from None

    def _check(self, manifest: Path, there: list[Path]) -> None:
        """Refuse parts of another sweep, if they hold any setting."""
        try:
            identity = json.loads(manifest.read_text(encoding="utf-8"))
        except ValueError as error:
            raise DataError(
                f"{manifest} cannot be read ({error}). Remove the folder {self.folder}, or choose another --out."
            ) from None
        if [p for p in there if p.suffix == ".parquet" and p != self._path(REFERENCES)]:
            refuse_other(f"The folder {self.folder} holds parts", identity, self.identity)
        elif identity != self.identity:
            self._path(REFERENCES).unlink(missing_ok=True)

    def _take_over(self, path: Path) -> None:
        """Note a finished part; remove what a stopped sweep left unfinished, and parts that are cut off."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        if path.suffix == _UNFINISHED:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        elif path.suffix == ".parquet" and path.exists():
            try:
                self._files[path] = json.loads((pq.read_schema(path).metadata or {})[_SETTINGS])
            except (pa.ArrowInvalid, OSError, KeyError, ValueError):
                path.unlink()
                warnings.warn(
                    f"{path} is damaged; it was removed, and its settings are computed again", DataWarning, stacklevel=2
                )

    @property
    def settings(self) -> set[int]:
        """The numbers of the settings that are there."""
        return {setting for settings in self._files.values() for setting in settings}

    @property
    def has_references(self) -> bool:
        """Whether the reference measures are there."""
        return self._path(REFERENCES) in self._files

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.parquet"

    def write(self, name: str, table: pa.Table, settings: Sequence[int]) -> None:
        """Write a part with some settings."""
        path = self._path(name)
        write_parquet(path, table.replace_schema_metadata({_SETTINGS: json.dumps(list(settings)).encode()}))
        self._files[path] = list(settings)

    def tables(self) -> list[pa.Table]:
        """Return all parts."""
        import pyarrow.parquet as pq

        return [pq.read_table(path).replace_schema_metadata() for path in sorted(self._files)]

    @contextlib.contextmanager
    def workspace(self) -> Iterator[str]:
        """Give a folder for what a call needs while it runs; if the call is killed, the next one removes it."""
        with tempfile.TemporaryDirectory(dir=self.folder, suffix=_UNFINISHED) as folder:
            yield folder

    def remove(self) -> None:
        """Remove the folder with all parts."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def close(self) -> None:
        """Let others into the folder."""
        if self._locked is not None:
            os.close(self._locked)
            self._locked = None

    def discard(self) -> None:
        """Remove what a call left that was killed when its results were there already."""
        if self.folder.exists():
            with contextlib.suppress(DataError):
                self.open()
                self.remove()
                self.close()


class PartsInMemory:
    """The same for a sweep that writes no file."""

    def __init__(self) -> None:
        self._tables: dict[str, pa.Table] = {}
        self.settings: set[int] = set()

    @property
    def has_references(self) -> bool:
        """Whether the reference measures are there."""
        return REFERENCES in self._tables

    def write(self, name: str, table: pa.Table, settings: Sequence[int]) -> None:
        """Keep a part with some settings."""
        self._tables[name] = table
        self.settings |= set(settings)

    def tables(self) -> list[pa.Table]:
        """Return all parts."""
        return list(self._tables.values())

    def close(self) -> None:
        """Do nothing; there is nobody else."""

    def remove(self) -> None:
        """Do nothing; there is no folder."""

    @contextlib.contextmanager
    def workspace(self) -> Iterator[str]:
        """Give a folder for what a call needs while it runs."""
        with tempfile.TemporaryDirectory() as folder:
            yield folder


def refuse_other(what: str, there: Identity, asked: Identity) -> None:
    """Raise where what is there is of another sweep than the one asked for."""
    found = differences(there, asked)
    if found:
        raise DataError(
            f"{what} of another sweep. {found[:1].upper()}{found[1:]}. Ask for the same sweep again to go on with that one, "
            "choose another --out for this one, or remove what is there."
        )


def write_parquet(path: Path, table: pa.Table) -> None:
    """Write a table; the file is there as a whole or not at all."""
    import pyarrow.parquet as pq

    write_whole(path, lambda unfinished: pq.write_table(table, unfinished))


def write_whole(path: Path, write: Callable[[Path], Any]) -> None:
    """Write a file under another name, see it to the disk, and rename it."""
    unfinished = path.with_name(path.name + _UNFINISHED)
    with writing(path):
        write(unfinished)
        with open(unfinished, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(unfinished, path)


@contextlib.contextmanager
def writing(path: str | os.PathLike[str]) -> Iterator[None]:
    """Say which file cannot be written, as where the disk is full."""
    try:
        yield
    except OSError as error:
        raise DataError(
            f"{os.fspath(path)} cannot be written: {error.strerror or error}. Make room there; what is finished is kept, "
            "and the same command goes on from there."
        ) from None
