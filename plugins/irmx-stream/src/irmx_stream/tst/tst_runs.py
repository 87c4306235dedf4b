"""Runs of the track, seven fields per line, and the format ``tst`` of runs and of folders with qrels."""

from __future__ import annotations

import math
import os
import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from irmx import DataError, Format, Param
from irmx.toolkit import content_of, list_some, plural
from irmx_stream.times import LATEST, too_late
from irmx_stream.tst.tst_tables import place, topic_of

if TYPE_CHECKING:
    import pyarrow as pa


FIELDS = ("topic", "team", "run", "docid", "sentid", "time", "confidence")
"""The fields of a line."""


def is_run_line(line: str) -> bool:
    """Tell whether a line belongs to a run of the track: seven fields with a time or a confidence at the end.

    A line of a TREC run whose tag has two words, or whose id contains a blank, also has seven fields. It has Q0 in place of
    the team and, usually, the rank in place of the document id.

    >>> is_run_line("11 team run1 1326-ab 4 1326510000 2.5"), is_run_line("11 Q0 d1 1 2.5 run1")
    (True, False)
    >>> is_run_line("11 Q0 d 1 1 2.5 run"), is_run_line("11 0 d1 1 2.5 run 2")
    (False, False)
    """
    fields = _fields(line)
    if len(fields) != len(FIELDS) or line.startswith(("{", "#")) or fields[1] in ("Q0", "q0"):
        return False
    numbers = list(map(_is_number, fields[5:]))
    return all(numbers) if fields[3].isdigit() else any(numbers)


def _fields(line: str) -> list[str]:
    """Return the fields of a line; a no-break space does not separate them."""
    found: list[str] = re.findall(r"\S+", line, re.ASCII)
    return found


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def read_tst_runs(path: str | os.PathLike[str]) -> dict[str, pa.Table]:
    r"""Return the runs in a file of the track, by name.

    Parameters
    ----------
    path : str or Path
        Lines of seven fields, separated by blanks or tabs, plain or compressed: topic, team, run, document id, sentence id,
        time (seconds) and confidence.

    Returns
    -------
    dict of str to pyarrow Table
        By the name of the run, or ``team.run`` if two teams use the same name; with the columns ``query_id``,
        ``doc_id`` (document and sentence joined by a hyphen), ``score`` (the confidence) and ``timestamp``, which
        :func:`irmx.read_run` takes.

    Raises
    ------
    irmx.DataError
        For a line with too few or too many fields, a time or confidence that is not a number, or a time that is not in
        seconds; names the line.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = folder.name + "/runs.txt"
    >>> with open(path, "w") as file:
    ...     _ = file.write("1 team a 100-ab 4 160 0.5\n1 team b 100-ab 4 190 0.9\n")
    >>> {name: run.to_pylist() for name, run in read_tst_runs(path).items()}
    {'a': [{'query_id': '1', 'doc_id': '100-ab-4', 'score': 0.5, 'timestamp': 160.0}],
     'b': [{'query_id': '1', 'doc_id': '100-ab-4', 'score': 0.9, 'timestamp': 190.0}]}
    >>> folder.cleanup()
    """
    path = Path(path)
    return dict(runs_of(path, content_of(path)))


@lru_cache(maxsize=1)  # of runs that are read one after the other
def runs_of(path: Path, content: bytes) -> dict[str, pa.Table]:
    """Return the runs in the content of a file, by name."""
    import pyarrow.compute as pc

    lines = _parse(path, content)
    pairs = lines.group_by(["team", "run"], use_threads=False).aggregate([]).to_pylist()
    teams = {pair["run"]: {p["team"] for p in pairs if p["run"] == pair["run"]} for pair in pairs}
    found: dict[str, pa.Table] = {}
    for pair in pairs:
        team, run = pair["team"], pair["run"]
        one = lines if len(pairs) == 1 else lines.filter(pc.and_(pc.equal(lines["team"], team), pc.equal(lines["run"], run)))  # fmt: skip
        found[run if len(teams[run]) == 1 else f"{team}.{run}"] = _as_run(one)
    return found


def run_of(path: Path, content: bytes, name: str = "") -> pa.Table:
    """Return the run of a name in the content of a file, or the only one."""
    found = runs_of(path, content)
    if not name and len(found) == 1:
        return next(iter(found.values()))
    if name not in found:
        raise DataError(
            f"{path} holds {plural(len(found), 'run')}: {list_some(list(found), 10)}. Name one: 'tst(run=NAME):FILE'."
        )
    return found[name]


def _parse(path: Path, content: bytes) -> pa.Table:
    """Return the lines as a table of the fields; a slower second pass handles unusual spaces and finds errors."""
    import pyarrow as pa
    from pyarrow import csv

    if not content or content.isspace():
        raise DataError(f"{path} is empty: it has no lines of a run.")
    types = {name: pa.large_string() for name in FIELDS[3:5]} | dict.fromkeys(FIELDS[5:], pa.float64())
    types |= {name: pa.dictionary(pa.int32(), pa.string()) for name in FIELDS[:3]}
    try:
        found = csv.read_csv(
            pa.BufferReader(content),
            read_options=csv.ReadOptions(column_names=list(FIELDS)),
            parse_options=csv.ParseOptions(delimiter="\t" if b"\t" in content[:4096] else " ", quote_char=False),
            convert_options=csv.ConvertOptions(column_types=types, null_values=[]),
        )
    except (pa.ArrowInvalid, pa.ArrowKeyError):
        return _parse_by_line(path, content)
    return found.unify_dictionaries() if _sound(found) else _parse_by_line(path, content)


def _sound(found: pa.Table) -> bool:
    """Tell whether every field is non-empty and free of white space, every number finite, and every time plausible."""
    import pyarrow.compute as pc

    for name in FIELDS[:5]:
        for texts in (chunk.dictionary if name in FIELDS[:3] else chunk for chunk in found[name].chunks):
            if pc.any(pc.match_substring_regex(texts, r"^$|[ \t]")).as_py():
                return False
    finite = all(pc.all(pc.is_finite(found[name])).as_py() for name in FIELDS[5:])
    return finite and pc.all(pc.less_equal(found["time"], LATEST)).as_py()


def _parse_by_line(path: Path, content: bytes) -> pa.Table:
    """Return the lines as a table of the fields.

    Raises
    ------
    irmx.DataError
        Names the first invalid line.
    """
    import pyarrow as pa

    rows = []
    for number, raw in enumerate(content.splitlines(), start=1):
        where = place(path, number)
        try:
            fields = _fields(raw.decode("utf-8"))
        except UnicodeDecodeError as error:
            raise DataError(
                f"{where}: the byte {raw[error.start]:#04x} is not UTF-8. Save the file as UTF-8."
            ) from None
        if not fields:
            continue
        if len(fields) != len(FIELDS):
            what = "too few" if len(fields) < len(FIELDS) else "too many"
            raise DataError(
                f"{where}: {what} fields: {len(fields)} where a line of a run of the track has {len(FIELDS)} "
                f"({' '.join(FIELDS)}): {' '.join(fields)[:100]!r}."
            )
        for name, text in zip(FIELDS[5:], fields[5:], strict=True):
            if not _is_number(text):
                raise DataError(
                    f"{where}: the {name} {text!r} of update {fields[3]}-{fields[4]} is not a finite number. "
                    "Correct the line."
                )
        if float(fields[5]) > LATEST:
            raise DataError(f"{where}: {too_late('time', fields[5])}")
        rows.append((*fields[:5], *map(float, fields[5:])))
    types = [*[pa.large_string()] * 5, *[pa.float64()] * 2]
    columns = [pa.array(column, kind) for column, kind in zip(zip(*rows, strict=True), types, strict=True)]
    return pa.table(columns, names=list(FIELDS))


def _as_run(lines: pa.Table) -> pa.Table:
    """Return the lines of one run with the columns of a run table."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pa.table(
        {
            "query_id": pc.replace_substring_regex(lines["topic"].cast(pa.large_string()), r"^TS\d\d\.", ""),
            "doc_id": pc.binary_join_element_wise(lines["docid"], lines["sentid"], pa.scalar("-", pa.large_string())),
            "score": lines["confidence"],
            "timestamp": lines["time"],
        }
    )


_LINES = 10
"""Number of lines that are read to recognise a run of the track."""


class Tst(Format):
    """The files of the TREC Temporal Summarization track: a run, or ``tst:FOLDER`` for the qrels."""

    NAME, LINES, FOLDERS = "tst", "all", ("qrels",)
    SHORT_DESC = (
        "TREC Temporal Summarization: runs of seven fields (topic team run docid sentid time confidence), "
        "qrels as tst:FOLDER with nuggets, matches, updates and topics"
    )
    EXAMPLES = ("tst:FOLDER", "tst:run.gz", "tst(run=a):runs.txt")
    SUPPORTED_PARAMS = {"run": Param(str, "the run that is read, where there are several", default="")}

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

    def runs(self, path: Path, content: bytes) -> list[str]:
        """Return the names of the runs in a file."""
        return list(runs_of(path, content))

    def topic(self, text: str) -> str:
        """Return the number of a topic: ``11`` in runs and topic files is ``TS14.11`` in the tables."""
        return topic_of(text)

    def read(self, table: str, path: Path, content: bytes) -> pa.Table:
        """Return a run, or the judgments of a folder, as a table."""
        if table == "run":
            return run_of(path, content, self["run"])
        from irmx_stream.tst.tst_qrels import qrels_of_folder

        return qrels_of_folder(path)
