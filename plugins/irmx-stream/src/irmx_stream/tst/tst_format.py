"""The format ``tst``: runs of the track, recognised by content, and qrels from a folder with the track's files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from irmx import Format
from irmx_stream.tst.tst_files import topic_of
from irmx_stream.tst.tst_runs import is_run_line, run_of

if TYPE_CHECKING:
    import pyarrow as pa

_LINES = 10
"""Number of lines that are read to recognise a run of the track."""


class Tst(Format):
    """The files of the TREC Temporal Summarization track: a run, or ``tst:FOLDER`` for the qrels."""

    NAME, LINES, FOLDERS = "tst", "all", ("qrels",)
    SHORT_DESC = (
        "TREC Temporal Summarization: runs of seven fields (topic team run docid sentid time confidence), "
        "qrels as tst:FOLDER with nuggets, matches, updates and topics"
    )
    EXAMPLES = ("tst:FOLDER", "tst:run.gz")

    def recognises(self, table: str, path: Path, start: bytes) -> bool:
        """Tell whether most of the first lines are lines of a run of the track; folders must be requested as ``tst:FOLDER``.

        A table whose rows have seven words does not qualify: its first line is a header with the column ``score``.
        """
        if table != "run" or b"\0" in start:
            return False
        lines = [line for line in start.decode("utf-8", errors="replace").split("\n")[:_LINES] if line.strip()]
        if lines and "score" in lines[0].split() and not is_run_line(lines[0]):
            return False
        return 2 * sum(map(is_run_line, lines)) > len(lines)

    def topic(self, text: str) -> str:
        """Return the number of a topic: ``11`` in runs and topic files is ``TS14.11`` in the tables."""
        return topic_of(text)

    def read(self, table: str, path: Path, content: bytes) -> pa.Table:
        """Return a run, or the judgments of a folder, as a table."""
        if table == "run":
            return run_of(path, content)
        from irmx_stream.tst.tst_qrels import qrels_of_folder

        return qrels_of_folder(path)
