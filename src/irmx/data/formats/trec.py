"""TREC files: qrels of four columns, runs of six, separated by white space, without a header.

White space means the six characters of ASCII, as in C and trec_eval; a no-break space is part of its field.
"""

from __future__ import annotations

import math
import re
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from irmx.data.arrow import byte_lengths, to_numpy
from irmx.data.content import place
from irmx.data.formats.base import Format
from irmx.data.lines import check_text, cut_off
from irmx.data.numerals import as_number
from irmx.declare.columns import Table
from irmx.errors import DataError, not_finite

if TYPE_CHECKING:
    import pyarrow as pa

_FIELDS: dict[Table, list[str]] = {
    "run": ["query_id", "iteration", "doc_id", "rank", "score", "tag"],
    "qrels": ["query_id", "iteration", "doc_id", "relevance"],
}
_KEPT: dict[Table, list[str]] = {
    "run": ["query_id", "doc_id", "score"],
    "qrels": ["query_id", "iteration", "doc_id", "relevance"],
}
_NUMBER: dict[Table, str] = {"run": "score", "qrels": "relevance"}

_BLOCK = 1 << 22
"""The number of bytes that Arrow parses at once; a smaller file is one piece, which need not be joined afterwards, and is parsed by
one thread, since several take 15% more CPU time together."""
_IN_CACHE = 1 << 17
"""The number of bytes that are compared at once, so that what comes out fits into the cache of a processor."""

_FLOAT = rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_LONGER_TAG = re.compile(
    rb"(?m)^((?:[^\t\n]+\t){3}[0-9]+\t"
    + _FLOAT
    + rb"\t(?!(?:"
    + _FLOAT
    + rb"|[+-]?(?i:nan|inf|infinity))\t)[^\t\n]+)\t.*$"
)
"""A tab-separated line of a run whose tag has several words, as in :func:`_fields`; its group ends with the first word."""


class Trec(Format):
    """TREC files; recognises any text, and is tried last."""

    NAME, LINES = "trec", "all"
    SHORT_DESC = "TREC qrels (query iteration document grade) and runs (query Q0 document rank score tag)"
    EXAMPLES = ("qrels.txt", "input.bm25.gz", "trec:run.csv")

    def recognises(self, table: Table, path: Path, start: bytes) -> bool:
        """Tell whether the content is text."""
        return b"\0" not in start

    def place(self, table: Table, path: Path, content: bytes, rows: tuple[int, ...], lines_before: int = 0) -> str:
        """Return the file, and the lines of some rows; see :meth:`read` for ``lines_before``."""
        return place(path, _uncommented(table, content, lines_before), rows, 0, lines_before)

    def read(self, table: Table, path: Path, content: bytes, lines_before: int = 0) -> pa.Table:
        """Return the content as a table; if the fast reader fails, a slow one finds the line of the error.

        If it is not the start of its file, ``lines_before`` is the number of lines of the file before it, some of them rows.
        """
        check_text(str(path), content, lines_before)
        uncommented = lines = _uncommented(table, content, lines_before)
        if not lines or lines.isspace():
            raise DataError(f"{path} is empty: it holds no line of a {table} file.")
        rows = _parse(table, lines)
        if rows is None:
            lines = _tabbed(lines)
            rows = _parse(table, lines)
        if rows is None and table == "run":
            rows = _parse(table, _LONGER_TAG.sub(rb"\1", lines))
        return _read_by_line(table, path, uncommented, lines_before) if rows is None else rows


def _uncommented(table: Table, content: bytes, lines_before: int) -> bytes:
    """Return the content with every comment replaced by an empty line, so that lines keep their numbers.

    The id of a topic may begin with #, as in trec_eval 9, pytrec_eval and ir_measures, so only a line that cannot be a row is
    a comment: before the first row any line that begins with #; after it a line with white space after the #, as in the files
    of trec_eval 10. If the topic of the first row begins with #, the second rule holds everywhere, so that a damaged row of
    topic #310 is not taken for a comment.
    """
    if b"#" not in content:
        return content

    def unless_row(line: re.Match[bytes]) -> bytes:
        return line.group() if _is_row(table, line.group()) else b""

    lines = content.splitlines(keepends=True)
    before = list(takewhile(lambda line: line.lstrip()[:1] in (b"", b"#") and not _is_row(table, line), lines))
    rest = content[sum(map(len, before)) :]
    if lines_before or rest.lstrip().startswith(b"#"):
        before, rest = [], content
    return b"\n" * len(before) + re.sub(rb"(?m)^[ \t]*#(?:[ \t\r].*)?$", unless_row, rest)


def _is_row(table: Table, line: bytes) -> bool:
    """Tell whether a line can be a row: it has the right number of fields, and a number where one is expected."""
    fields = _fields(table, line.decode("utf-8", errors="replace"))
    return len(fields) == len(_FIELDS[table]) and as_number(fields[_FIELDS[table].index(_NUMBER[table])]) is not None


def _fields(table: Table, line: str) -> list[str]:
    """Return the fields of a line; the tag of a run may have several words, all but the first of which are dropped.

    Extra words belong to the tag if the rank and the score are in their places and the tag does not begin with a number.
    Otherwise an id may contain a space, which would shift all later fields by one.
    """
    fields: list[str] = re.findall(r"\S+", line, re.ASCII)
    if table == "run" and len(fields) > 6:
        rank, score, tag = fields[3:6]
        if rank.isdigit() and as_number(score) is not None and as_number(tag) is None:
            return fields[:6]
    return fields


def _tabbed(content: bytes) -> bytes:
    """Return lines with one tab between fields."""
    return re.sub(rb"[ \t\f\v]*(\r?\n|\r)[ \t\f\v]*", b"\n", re.sub(rb"[ \t\f\v]+", b"\t", content)).strip()


def _parse(table: Table, content: bytes) -> pa.Table | None:
    """Return the table that Arrow reads, None if it encounters anything unusual."""
    import pyarrow as pa
    from pyarrow import csv

    first = content[: content.find(b"\n") + 1] or content
    delimiter = "\t" if b"\t" in first else " "
    others = {b" ", b"\t", b"\v", b"\f"} - {delimiter.encode()}
    if any(other in content for other in others) or _doubled(content, delimiter):
        return None
    number = _NUMBER[table]
    types = {name: pa.large_string() for name in _KEPT[table]} | {
        number: pa.float64(),
        "query_id": pa.dictionary(pa.int32(), pa.string()),
    }
    try:
        rows = csv.read_csv(
            pa.BufferReader(content),
            read_options=csv.ReadOptions(
                column_names=_FIELDS[table], block_size=_BLOCK, use_threads=len(content) > _BLOCK
            ),
            parse_options=csv.ParseOptions(delimiter=delimiter, quote_char=False),
            convert_options=csv.ConvertOptions(include_columns=_KEPT[table], column_types=types, null_values=[]),
        )
    except (pa.ArrowInvalid, pa.ArrowKeyError):
        return None
    return rows if _sound(rows, number) else None


def _doubled(content: bytes, delimiter: str) -> bool:
    """Tell whether two delimiters are adjacent, or one ends a line; TREC tools see no empty field there, as Arrow does."""
    characters = np.frombuffer(content, np.uint8)
    for start in range(0, len(characters), _IN_CACHE):
        block = characters[start : start + _IN_CACHE + 1]
        if np.any((block[1:] <= ord(" ")) & (block[:-1] == ord(delimiter))):
            return True
    return content.endswith(delimiter.encode())


def _sound(rows: pa.Table, number: str) -> bool:
    """Tell whether no query id is empty and every number is finite; fast, because almost every file is sound.

    A document id would be empty only between adjacent delimiters, with which nothing is parsed.
    """
    if not all(np.isfinite(to_numpy(chunk, missing=math.nan)).all() for chunk in rows[number].chunks):
        return False
    return all(byte_lengths(chunk.dictionary).all() for chunk in rows["query_id"].chunks)


def _read_by_line(table: Table, path: Path, lines: bytes, lines_before: int) -> pa.Table:
    """Return the table of lines read one by one; an error names its line."""
    import pyarrow as pa

    names = _FIELDS[table]
    rows: list[list[Any]] = []
    all_lines = lines.splitlines()
    for line_number, raw in enumerate(all_lines, start=1 + lines_before):
        line = raw.decode("utf-8")
        fields = _fields(table, line)
        if not fields:
            continue
        if len(fields) != len(names):
            is_last = bool(rows or lines_before) and line_number == lines_before + len(
                all_lines
            )  # what has one line was not cut
            what = "too few" if len(fields) < len(names) else "too many"
            raise _wrong(
                path,
                line_number,
                f"{what} fields: {len(fields)} where a {table} line has {len(names)} ({' '.join(names)}): {line.strip()[:100]!r}",
                _advice(table, line, len(fields), cut_off(lines) if is_last else ""),
            )
        row: dict[str, Any] = dict(zip(names, fields, strict=True))
        row[_NUMBER[table]] = _number(table, path, line_number, row)
        rows.append([row[k] for k in _KEPT[table]])
    return pa.table([pa.array(c) for c in zip(*rows, strict=True)], names=_KEPT[table])


def _advice(table: Table, line: str, count: int, cut: str) -> str:
    """Return what to do with a line of the wrong number of fields; ``cut`` says whether the file ends in the middle of it."""
    if line.lstrip().startswith("#"):
        return "After the first row, a comment needs a space after its #; other lines that begin with # are rows of a topic."
    if "\N{NO-BREAK SPACE}" in line and count < len(_FIELDS[table]):
        return "It contains no-break spaces (U+00A0), which do not separate fields: replace them by spaces."
    if cut and count < len(_FIELDS[table]):
        return cut.strip()
    other: Table = "qrels" if table == "run" else "run"
    if count == len(_FIELDS[other]):
        return (
            f"Fields are separated by white space; this looks like a {other} file: the qrels come first, then the run."
        )
    if table == "run" and count > len(_FIELDS[table]):
        return (
            "Fields are separated by white space, so that ids cannot contain any; a tag may have several words if the first is "
            "not a number. A table with a header (.csv, .tsv, .jsonl, .parquet) may hold such ids and tags, and other columns."
        )
    return (
        "Fields are separated by white space, so that ids cannot contain any; a table with a header (.csv, .tsv, .jsonl, "
        ".parquet) may hold such ids, and other columns."
    )


def _number(table: Table, path: Path, line_number: int, row: dict[str, Any]) -> float:
    name, text = _NUMBER[table], row[_NUMBER[table]]
    value = as_number(text)
    if value is None:
        why, advice = "is not a number", "Correct the line."
    elif math.isfinite(value):
        return value
    elif math.isnan(value):
        why, advice = not_finite(text), f"A document without one cannot be {'ranked' if table == 'run' else 'judged'}."
    else:
        why, advice = not_finite(text), f"Give a finite {name}, or remove the line."
    raise _wrong(path, line_number, f"the {name} {text!r} of document {row['doc_id']} {why}", advice)


def _wrong(path: Path, line_number: int, problem: str, advice: str) -> DataError:
    return DataError(f"{path}, line {line_number}: {problem}. {advice}")
