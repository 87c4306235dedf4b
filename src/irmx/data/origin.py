"""The origin of a table, for messages."""

from __future__ import annotations

from collections.abc import Sequence

from irmx.errors import DataError


class Origin:
    """The origin of qrels or a run; this base class stands for data from a program, which have no lines.

    Attributes
    ----------
    source : str
        The file; empty if the data are not from a file.
    dataset_id : str
        The dataset; empty if the data are not from a dataset.
    """

    source = ""
    dataset_id = ""

    def place(self, rows: Sequence[int]) -> str:
        """Return the file and the lines of some rows, for the start of a message; empty if there is no file."""
        return ""

    def located(self, error: DataError) -> DataError:
        """Return an error about the table with the file and the lines before its text."""
        return error.at(self.place(error.rows))

    def how_to_get(self, column: str) -> str:
        """Return a sentence on how to get a missing column; empty if there is nothing to say."""
        return ""


NO_ORIGIN = Origin()
