"""Finished parts of long work in a folder beside its results, from which a later call resumes."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from irmx import DataError, DataWarning
from irmx_study.resuming.identity import Identity, differences

if TYPE_CHECKING:
    import filelock
    import pyarrow as pa

_PROCESS = "process.txt"
_UNFINISHED = ".unfinished"


@dataclass(frozen=True)
class Kind:
    """A kind of work that can be resumed.

    Attributes
    ----------
    name : str
        What a message calls the work, such as "sweep".
    manifest : str
        The name of the file that says which work the parts are of.
    unit : str
        What the work consists of, in the singular, such as "setting".
    extra : str
        The name of a part without units, if the work may have one; work of which no other part is finished may be replaced.
    """

    name: str
    manifest: str
    unit: str
    extra: str = ""

    @property
    def key(self) -> bytes:
        """The key, in the metadata of a part, of the numbers of its units."""
        return f"{self.unit}s".encode()


class Parts:
    """The finished parts of some work: in the folder ``NAME.parts`` beside a file of results, or in memory without one.

    A part is a parquet file that knows the numbers of its units; it is written under another name and renamed, so that
    it is either there as a whole or not. The manifest says which work the parts are of.

    Parameters
    ----------
    kind : Kind
        The kind of work.
    out : Path or None
        The file of results.
    """

    def __init__(self, kind: Kind, out: Path | None = None) -> None:
        self.kind = kind
        self.folder = None if out is None else out.with_name(out.name + ".parts")
        self._lock: filelock.BaseFileLock | None = None
        self._tables: dict[str, pa.Table | Path] = {}
        self._numbers: dict[str, list[int]] = {}

    # -- one process at a time ---------------------------------------------------------------------------

    def lock(self) -> None:
        """Keep other processes out, until :meth:`close` or the end of this one.

        Raises
        ------
        irmx.errors.DataError
            If another process is at work here; the message names it.
        """
        if self.folder is None:
            return
        import filelock

        self._lock = filelock.FileLock(self.folder.with_suffix(".lock"))
        try:
            self._lock.acquire(blocking=False)
        except filelock.Timeout:
            self._refuse_unless_writable(Path(self._lock.lock_file))
            self._lock = None
            raise DataError(
                f"Another process is at work on {self.folder}{self._other_process()}. Wait until it is done, or choose "
                "another --out."
            ) from None
        except OSError as error:
            self._lock = None
            raise self._cannot_be_made(error) from None

    def _refuse_unless_writable(self, path: Path) -> None:
        """Raise where no lock can be made, which filelock does not tell from one that another process holds."""
        try:
            path.open("a").close()
        except OSError as error:
            raise self._cannot_be_made(error) from None

    def _other_process(self) -> str:
        """Return the process that holds the lock, empty if it has not written its name yet."""
        assert self.folder is not None
        try:
            return ": " + (self.folder / _PROCESS).read_text(encoding="utf-8")
        except OSError:
            return ""

    def close(self) -> None:
        """Release the lock."""
        if self._lock is not None and self.folder is not None:
            for path in (self.folder / _PROCESS, Path(self._lock.lock_file)):
                with contextlib.suppress(OSError):  # it is gone already; or it is open, and stays on Windows
                    path.unlink()
            self._lock.release()
            self._lock = None

    # -- what is there -----------------------------------------------------------------------------------

    def open(self, identity: Identity) -> None:
        """Create the folder, or take over the parts that an earlier call for the same work left in it.

        Raises
        ------
        irmx.errors.DataError
            If the folder holds something else, or cannot be written.
        """
        if self.folder is None:
            return
        try:
            self.folder.mkdir(exist_ok=True)
            paths = sorted(self.folder.iterdir())
        except OSError as error:
            raise self._cannot_be_made(error) from None
        manifest = self.folder / self.kind.manifest
        if manifest in paths:
            self._check(manifest, paths, identity)
        elif [p for p in paths if p.suffix != _UNFINISHED and p.name != _PROCESS]:
            raise DataError(
                f"The folder {self.folder} is not one of a {self.kind.name} ({self.kind.manifest} is missing). Remove it, or choose "
                "another --out."
            )
        process = f"process {os.getpid()} on {socket.gethostname()}"
        write_whole(self.folder / _PROCESS, lambda path: path.write_text(process, encoding="utf-8"))
        for path in paths:
            self._take_over(path)
        write_whole(manifest, lambda path: path.write_text(json.dumps(identity, indent=1), encoding="utf-8"))

    def _cannot_be_made(self, error: OSError) -> DataError:
        return DataError(f"The folder {self.folder} cannot be created: {error.strerror}. Choose another --out.")

    def _check(self, manifest: Path, paths: list[Path], identity: Identity) -> None:
        """Raise for parts of other work, if they contain any unit."""
        try:
            found = json.loads(manifest.read_text(encoding="utf-8"))
        except ValueError as error:
            raise DataError(
                f"{manifest} cannot be read ({error}). Remove the folder {self.folder}, or choose another --out."
            ) from None
        if [p for p in paths if p.suffix == ".parquet" and p.stem != self.kind.extra]:
            refuse_other(self.kind, f"The folder {self.folder} holds parts", found, identity)
        elif found != identity:
            (manifest.parent / f"{self.kind.extra}.parquet").unlink(missing_ok=True)

    def _take_over(self, path: Path) -> None:
        """Register finished parts; remove unfinished files of a call that was stopped, and truncated parts."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        if path.suffix == _UNFINISHED:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        elif path.suffix == ".parquet" and path.exists():
            try:
                self._numbers[path.stem] = json.loads((pq.read_schema(path).metadata or {})[self.kind.key])
                self._tables[path.stem] = path
            except (pa.ArrowInvalid, OSError, KeyError, ValueError):
                path.unlink()
                warnings.warn(
                    f"{path} is damaged; it was removed, and its {self.kind.unit}s are computed again",
                    DataWarning,
                    stacklevel=2,
                )

    @property
    def finished(self) -> set[int]:
        """The numbers of the finished units."""
        return {number for numbers in self._numbers.values() for number in numbers}

    @property
    def has_extra(self) -> bool:
        """Whether the part without units is finished."""
        return self.kind.extra in self._tables

    def tables(self) -> list[pa.Table]:
        """Return all parts."""
        import pyarrow.parquet as pq

        parts = [self._tables[name] for name in sorted(self._tables)]
        return [pq.read_table(p).replace_schema_metadata() if isinstance(p, Path) else p for p in parts]

    # -- writing -----------------------------------------------------------------------------------------

    def write(self, name: str, table: pa.Table, numbers: Sequence[int]) -> None:
        """Write a part with some units."""
        part: pa.Table | Path = table
        if self.folder is not None:
            part = self.folder / f"{name}.parquet"
            write_parquet(part, table.replace_schema_metadata({self.kind.key: json.dumps(list(numbers)).encode()}))
        self._tables[name], self._numbers[name] = part, list(numbers)

    @contextlib.contextmanager
    def workspace(self) -> Iterator[str]:
        """Yield a folder for temporary files of a call; if the call is killed, the next one removes it."""
        with tempfile.TemporaryDirectory(dir=self.folder, suffix=_UNFINISHED) as folder:
            yield folder

    def remove(self) -> None:
        """Remove the folder with all parts."""
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)


def refuse_other(kind: Kind, what: str, existing: Identity, requested: Identity) -> None:
    """Raise if existing results or parts are of other work than the requested."""
    text = differences(existing, requested)
    if text:
        raise DataError(
            f"{what} of another {kind.name}. {text[:1].upper()}{text[1:]}. Repeat that {kind.name} to resume it, "
            "choose another --out for this one, or remove what is there."
        )


def write_parquet(path: Path, table: pa.Table) -> None:
    """Write a table atomically: the file is complete or does not exist."""
    import pyarrow.parquet as pq

    write_whole(path, lambda unfinished: pq.write_table(table, unfinished))


def write_whole(path: Path, write: Callable[[Path], Any]) -> None:
    """Write a file under another name, flush it to disk, and rename it."""
    unfinished = path.with_name(path.name + _UNFINISHED)
    with writing(path):
        write(unfinished)
        with open(unfinished, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(unfinished, path)


@contextlib.contextmanager
def writing(path: str | os.PathLike[str]) -> Iterator[None]:
    """Name the file that cannot be written, for instance because the disk is full."""
    try:
        yield
    except OSError as error:
        raise DataError(
            f"{os.fspath(path)} cannot be written: {error.strerror or error}. Make room there; what is finished is kept, "
            "and the same command resumes from there."
        ) from None
