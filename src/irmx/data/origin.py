"""Where a table came from, for messages."""

from __future__ import annotations

from collections.abc import Sequence

from irmx.errors import DataError


class Origin:
    """Where qrels or a run came from: here, from a program, which has no lines to name.

    Attributes
    ----------
    source : str
        The file; empty where it is none.
    dataset_id : str
        The dataset; empty where it is none.
    """

    source = ""
    dataset_id = ""

    def place(self, rows: Sequence[int]) -> str:
        """Return the file, and the lines of some rows as they were given, as a message starts; empty where there is no file."""
        return ""

    def located(self, error: DataError) -> DataError:
        """Return an error met in the table, with the file and the lines before its text."""
        return error.at(self.place(error.rows))

    def how_to_get(self, column: str) -> str:
        """Return a sentence on how to get a column that is not there; empty where there is nothing to say."""
        return ""


NO_ORIGIN = Origin()
