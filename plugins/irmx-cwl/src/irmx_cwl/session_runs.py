"""Runs of sessions as TREC files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from irmx import DataError, Format

if TYPE_CHECKING:
    import pyarrow as pa


class SessionRuns(Format):
    """TREC runs whose topics are the queries of sessions: ``s7.2`` is query 2 of session ``s7``.

    A query that returned nothing has no line, so that the queries after it are refused; give such a run as a table.
    """

    NAME, LINES, TABLES = "sessions", "all", ("run",)
    SHORT_DESC = "TREC runs whose topics are SESSION.QUERY, such as s7.2; must be named"
    EXAMPLES = ("sessions:run.txt",)

    def recognises(self, table: str, path: Path, start: bytes) -> bool:
        """Recognise nothing: topics of other runs have points, too."""
        return False

    def read(self, table: str, path: Path, content: bytes) -> pa.Table:
        """Return the run as a table with a column ``query_number``."""
        import pyarrow as pa

        names = ("query_id", "query_number", "doc_id", "score")
        columns: dict[str, list[str]] = {name: [] for name in names}
        try:
            lines = content.decode().split("\n")
        except UnicodeDecodeError:
            raise DataError(f"{path} is not UTF-8.") from None
        for number, line in enumerate(lines, start=1):
            fields = line.split()
            if not fields:
                continue
            session, _, query = fields[0].rpartition(".")
            if len(fields) != 6 or not session or not (query.isascii() and query.isdigit()):
                raise DataError(
                    f"A line of a run of sessions has six fields, SESSION.QUERY Q0 document rank score tag. Got {line.strip()!r}.",
                    place=f"{path}, line {number}",
                )
            for name, cell in zip(names, (session, query, fields[2], fields[4]), strict=True):
                columns[name].append(cell)
        return pa.table(columns)


SESSION_RUNS = SessionRuns()
