"""Finished parts of long work in a folder beside its results, from which a later call resumes."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from irmx import DataError, DataWarning
from irmx.toolkit import new_file
from irmx_study.resuming.folder_lock import PROCESS, FolderLock, cannot_be_made, this_process
from irmx_study.resuming.identity import Identity, differences

if TYPE_CHECKING:
    import pyarrow as pa

UNFINISHED = ".unfinished"
"""The end of the names of files that are not whole yet, which :func:`irmx.toolkit.new_file` gives them too, and of temporary folders."""

KEPT = "Make room there; what is finished is kept, and the same command resumes from there."
"""What to do when a file cannot be written."""


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

    A part is a parquet file that knows the numbers of its units; it is there as a whole or not. The manifest says which work
    the parts are of.

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
        self._lock = None if self.folder is None else FolderLock(self.folder)
        self._tables: dict[str, pa.Table | Path] = {}
        self._numbers: dict[str, list[int]] = {}

    def lock(self) -> None:
        """Keep other processes out, until :meth:`close` or the end of this one.

        Raises
        ------
        irmx.errors.DataError
            If another process is at work here; the message names it.
        """
        if self._lock is not None:
            self._lock.acquire()

    def close(self) -> None:
        """Let other processes in."""
        if self._lock is not None:
            self._lock.release()

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
            raise cannot_be_made(self.folder, error) from None
        manifest = self.folder / self.kind.manifest
        if manifest in paths:
            self._check(manifest, paths, identity)
        elif [p for p in paths if p.suffix != UNFINISHED and p.name != PROCESS]:
            raise DataError(
                f"The folder {self.folder} is not one of a {self.kind.name} ({self.kind.manifest} is missing). Remove it, or choose "
                "another --out."
            )
        _write_text(self.folder / PROCESS, this_process())
        for path in paths:
            self._take_over(path)
        _write_text(manifest, json.dumps(identity, indent=1))

    def _check(self, manifest: Path, paths: list[Path], identity: Identity) -> None:
        """Raise for parts of other work, if they contain any unit."""
        try:
            found = json.loads(manifest.read_text(encoding="utf-8"))
            refused = "" if isinstance(found, dict) else "it does not describe any work"
        except (OSError, ValueError, RecursionError) as error:
            refused = str(error)
        if refused:
            raise DataError(
                f"{manifest} cannot be read ({refused}). Remove the folder {self.folder}, or choose another --out."
            )
        if [p for p in paths if p.suffix == ".parquet" and p.stem != self.kind.extra]:
            refuse_other(self.kind, f"The folder {self.folder} holds parts", found, identity)
        elif found != identity:
            (manifest.parent / f"{self.kind.extra}.parquet").unlink(missing_ok=True)

    def _take_over(self, path: Path) -> None:
        """Register finished parts; remove unfinished files of a call that was stopped, and truncated parts."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        if path.suffix == UNFINISHED:
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
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
        """Return all parts.

        Raises
        ------
        irmx.errors.DataError
            If one is damaged; it is removed, so that the same command computes its units again.
        """
        return [part if not isinstance(part, Path) else self._read(part) for _, part in sorted(self._tables.items())]

    def _read(self, path: Path) -> pa.Table:
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            return pq.read_table(path).replace_schema_metadata()
        except (pa.ArrowException, OSError) as error:
            path.unlink(missing_ok=True)
            raise DataError(
                f"{path} is damaged ({str(error).partition(chr(10))[0]}); it was removed. The same command computes its "
                f"{self.kind.unit}s again."
            ) from None

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
        with tempfile.TemporaryDirectory(dir=self.folder, suffix=UNFINISHED) as folder:
            yield folder

    def remove(self) -> None:
        """Remove the folder with all parts, which are not to be found in part if this process is killed meanwhile."""
        if self.folder is not None:
            removed = self.folder.with_name(self.folder.name + UNFINISHED)
            shutil.rmtree(removed, ignore_errors=True)  # left by a process that was
            with contextlib.suppress(OSError):
                self.folder.rename(removed)
            for folder in (removed, self.folder):
                shutil.rmtree(folder, ignore_errors=True)


def refuse_other(kind: Kind, what: str, existing: Identity, requested: Identity) -> None:
    """Raise if existing results or parts are of other work than the requested."""
    text = differences(existing, requested)
    if text:
        raise DataError(
            f"{what} of another {kind.name}. {text[:1].upper()}{text[1:]}. Repeat that {kind.name} to resume it, "
            "choose another --out for this one, or remove what is there."
        )


def write_parquet(path: Path, table: pa.Table) -> None:
    """Write a table: the file is complete or does not exist."""
    import pyarrow.parquet as pq

    with new_file(path, KEPT) as file:
        pq.write_table(table, file)


def _write_text(path: Path, text: str) -> None:
    with new_file(path, KEPT) as file:
        file.write(text.encode())


@contextlib.contextmanager
def writing(path: str | os.PathLike[str]) -> Iterator[None]:
    """Name the temporary file that cannot be written, for instance because the disk is full."""
    try:
        yield
    except OSError as error:
        raise DataError(f"{os.fspath(path)} cannot be written: {error.strerror or error}. {KEPT}") from None
