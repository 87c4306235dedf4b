"""The base class of readers of file formats."""

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
        The name; ``NAME:path`` reads a path in this format, whatever its content.
    SHORT_DESC : str
        A description in one sentence.
    EXAMPLES : tuple of str
        How files of it are given, such as ``("run.csv", "csv:run.txt")``.
    TABLES : tuple of {"run", "qrels"}
        The tables that it can hold.
    FOLDERS : tuple of {"run", "qrels"}
        The tables that it can read from a folder, given as ``NAME:path``.
    IDS : bool
        Whether it reads datasets by their ids, by :meth:`judgments`, instead of files.
    LINES : str
        Which lines are rows, for messages: ``"all"``, ``"after header"``, or ``""`` if rows are not lines.
    """

    NAME: ClassVar[str]
    SHORT_DESC: ClassVar[str] = ""
    EXAMPLES: ClassVar[tuple[str, ...]] = ()
    TABLES: ClassVar[tuple[Table, ...]] = ("run", "qrels")
    FOLDERS: ClassVar[tuple[Table, ...]] = ()
    IDS: ClassVar[bool] = False
    LINES: ClassVar[Literal["all", "after header", ""]] = ""

    def __repr__(self) -> str:
        return f"<Format {self.NAME}>"

    @abstractmethod
    def recognises(self, table: Table, path: Path, start: bytes) -> bool:
        """Tell whether a file is of this format, by its name and the first bytes of its (decompressed) content."""

    def place(self, table: Table, path: Path, content: bytes, rows: tuple[int, ...]) -> str:
        """Return the file, and the lines of some rows of its table, for the start of a message."""
        return place(path, content, rows if self.LINES else (), self.LINES == "after header")

    def topic(self, text: str) -> str:
        """Return the query id that tables of this format use for a topic, which files may write in several ways."""
        return text

    @abstractmethod
    def read(self, table: Table, path: Path, content: bytes) -> pa.Table:
        """Return the (decompressed) content of a file as a table with the vocabulary's columns.

        Raises
        ------
        irmx.errors.DataError
            If the content is malformed; the message names the file and the line, and says what was found and what to do.
        """

    def judgments(self, dataset_id: str, columns: Sequence[str]) -> Judgments:
        """Return the qrels of a dataset, with extra columns if all of them can be found; only for formats with ``IDS``."""
        raise NotImplementedError

    def read_ranking(self, path: Path, content: bytes, name: str) -> pa.Table:
        """Return the ranking of a name from a file that may hold several per topic, as a run.

        Only formats with such files define it.

        Raises
        ------
        irmx.errors.UsageError
            For other formats.
        irmx.errors.DataError
            If there is no such ranking, and as :meth:`read` does.
        """
        raise UsageError(
            f"{path} is read as {self.NAME}, which holds one ranking per topic; there is no ranking {name!r} to choose. Omit the "
            "name of the ranking, or name another format: FORMAT:PATH."
        )
