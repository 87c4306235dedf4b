"""What a reader of a file format is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

from irmx.data.content import place
from irmx.declare.columns import Table
from irmx.errors import UsageError

if TYPE_CHECKING:
    import pyarrow as pa

    from irmx.data.judgments import Judgments


class Format(ABC):
    """A file format for qrels, runs or both; a plugin registers instances through ``irmx_formats``.

    Attributes
    ----------
    NAME : str
        Its name; ``NAME:path`` reads a path with it whatever the content.
    SHORT_DESC : str
        One sentence.
    TABLES : tuple of {"run", "qrels"}
        What it can hold.
    FOLDERS : tuple of {"run", "qrels"}
        What it reads from a folder, which is asked for by ``NAME:path``.
    IDS : bool
        Whether it reads the dataset that an id names, by :meth:`judgments`, instead of files.
    LINES : str
        Where the rows of a file stand, for messages: ``"all"`` lines, ``"after header"``, or ``""`` where a row
        is not a line.
    """

    NAME: ClassVar[str]
    SHORT_DESC: ClassVar[str] = ""
    TABLES: ClassVar[tuple[Table, ...]] = ("run", "qrels")
    FOLDERS: ClassVar[tuple[Table, ...]] = ()
    IDS: ClassVar[bool] = False
    LINES: ClassVar[Literal["all", "after header", ""]] = ""

    @abstractmethod
    def recognises(self, table: Table, path: Path, start: bytes) -> bool:
        """Tell whether a file is of this format, by its name and the first bytes of its (unpacked) content."""

    def place(self, table: Table, path: Path, content: bytes, rows: tuple[int, ...]) -> str:
        """Return the file, and the lines of some rows of its table, as a message starts."""
        return place(path, content, rows if self.LINES else (), self.LINES == "after header")

    def topic(self, text: str) -> str:
        """Return the query id, in tables of this format, of a topic that the files write in more than one way."""
        return text

    @abstractmethod
    def read(self, table: Table, path: Path, content: bytes) -> pa.Table:
        """Return the (unpacked) content of a file as a table with the vocabulary's columns.

        Raises
        ------
        irmx.errors.DataError
            Says the file, the line, what was found there and what to do.
        """

    def judgments(self, dataset_id: str, columns: Sequence[str]) -> Judgments:
        """Return the qrels of a dataset, with further columns where all of them can be found; only formats with ``IDS`` have it."""
        raise NotImplementedError

    def read_ranking(self, path: Path, content: bytes, name: str) -> pa.Table:
        """Return one ranking of a file that may hold several for a topic, by its name, as a run.

        Only formats with such files have it.

        Raises
        ------
        irmx.errors.UsageError
            For other formats.
        irmx.errors.DataError
            Where there is no such ranking, and as :meth:`read` does.
        """
        raise UsageError(
            f"{path} is read as {self.NAME}, which holds one ranking for each topic; there is no other, {name!r}, to choose. Leave the "
            "name of the ranking out, or name another format: FORMAT:PATH."
        )
