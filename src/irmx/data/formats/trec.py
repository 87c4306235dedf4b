"""TREC files: qrels of four columns, runs of six, separated by white space, without a header.

White space is that of C and of trec_eval, the six characters of ASCII: a no-break space is a part of its field.
"""

from __future__ import annotations

import contextlib
import math
import re
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from irmx.data.arrow import byte_lengths, to_numpy
from irmx.data.content import place
from irmx.data.formats.base import Format
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

_FLOAT = rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_LONGER_TAG = re.compile(
    rb"(?m)^((?:[^\t\n]+\t){3}[0-9]+\t"
    + _FLOAT
    + rb"\t(?!(?:"
    + _FLOAT
    + rb"|[+-]?(?i:nan|inf|infinity))\t)[^\t\n]+)\t.*$"
)
"""A line of a run, with tabs, whose tag has several words, as :func:`_fields` knows it; its group ends with the first."""


class Trec(Format):
    """Recognises any text; the last format to be asked."""

    NAME, LINES = "trec", "all"
    SHORT_DESC = "TREC qrels (query iteration document grade) and runs (query Q0 document rank score tag)"

    def recognises(self, table: Table, path: Path, start: bytes) -> bool:
        """Tell whether it is text."""
        return b"\0" not in start

    def place(self, table: Table, path: Path, content: bytes, rows: tuple[int, ...]) -> str:
        """Return the file, and the lines of some rows."""
        return place(path, _uncommented(table, content), rows, 0)

    def read(self, table: Table, path: Path, content: bytes) -> pa.Table:
        """Return the content as a table; a slow second reading finds the line of an error."""
        uncommented = lines = _uncommented(table, content)
        if not lines or lines.isspace():
            raise DataError(f"{path} is empty: it holds no line of a {table} file.")
        found = _parse(table, lines)
        if found is None:
            lines = _tabbed(lines)
            found = _parse(table, lines)
        if found is None and table == "run":
            found = _parse(table, _LONGER_TAG.sub(rb"\1", lines))
        return _read_by_line(table, path, uncommented) if found is None else found


def _uncommented(table: Table, content: bytes) -> bytes:
    """Return content with an empty line in the place of every comment, so that lines keep their numbers.

    # begins the id of a topic, as it does for trec_eval 9, pytrec_eval and ir_measures. Only what cannot be a row is a comment:
    before the first row any line that begins with #, further down one with white space behind the #, as in the files of
    trec_eval 10, and so everywhere where the first row's topic begins with #: a damaged row of topic #310 is no comment.
    """
    if b"#" not in content:
        return content

    def unless_row(line: re.Match[bytes]) -> bytes:
        return line.group() if _is_row(table, line.group()) else b""

    lines = content.splitlines(keepends=True)
    before = list(takewhile(lambda line: line.lstrip()[:1] in (b"", b"#") and not _is_row(table, line), lines))
    rest = content[sum(map(len, before)) :]
    if rest.lstrip().startswith(b"#"):
        before, rest = [], content
    return b"\n" * len(before) + re.sub(rb"(?m)^[ \t]*#(?:[ \t\r].*)?$", unless_row, rest)


def _is_row(table: Table, line: bytes) -> bool:
    """Tell whether a line can be a row: as many fields as it must have, and a number where there must be one."""
    fields = _fields(table, line.decode("utf-8", errors="replace"))
    return len(fields) == len(_FIELDS[table]) and _as_number(fields[_FIELDS[table].index(_NUMBER[table])]) is not None


def _fields(table: Table, line: str) -> list[str]:
    """Return the fields of a line; the tag of a run may have several words, of which all but the first are dropped.

    They are words of the tag where the rank and the score stand in their places and no further number follows; otherwise an
    id may hold a space, and every later field would be taken for its neighbour.
    """
    fields: list[str] = re.findall(r"\S+", line, re.ASCII)
    if table == "run" and len(fields) > 6:
        rank, score, tag = fields[3:6]
        if rank.isdigit() and _as_number(score) is not None and _as_number(tag) is None:
            return fields[:6]
    return fields


def _as_number(text: str) -> float | None:
    """Return the number that a text is to C and to Arrow; Python takes 1_000 and digits of other scripts, too."""
    with contextlib.suppress(ValueError):
        return float(text) if text.isascii() and "_" not in text else None
    return None


def _tabbed(content: bytes) -> bytes:
    """Return lines with one tab between fields."""
    return re.sub(rb"[ \t\f\v]*(\r?\n|\r)[ \t\f\v]*", b"\n", re.sub(rb"[ \t\f\v]+", b"\t", content)).strip()


def _parse(table: Table, content: bytes) -> pa.Table | None:
    """Return what Arrow reads, None where it meets anything unusual."""
    import pyarrow as pa
    from pyarrow import csv

    first = content[: content.find(b"\n") + 1] or content
    delimiter = "\t" if b"\t" in first else " "
    if (b" " if delimiter == "\t" else b"\t") in content or _doubled(content, delimiter):
        return None
    number = _NUMBER[table]
    types = {name: pa.large_string() for name in _KEPT[table]} | {
        number: pa.float64(),
        "query_id": pa.dictionary(pa.int32(), pa.string()),
    }
    try:
        found = csv.read_csv(
            pa.BufferReader(content),
            read_options=csv.ReadOptions(column_names=_FIELDS[table]),
            parse_options=csv.ParseOptions(delimiter=delimiter, quote_char=False),
            convert_options=csv.ConvertOptions(include_columns=_KEPT[table], column_types=types, null_values=[]),
        )
    except (pa.ArrowInvalid, pa.ArrowKeyError):
        return None
    return found if _sound(found, number) else None


def _doubled(content: bytes, delimiter: str) -> bool:
    """Tell whether two delimiters stand side by side, which is one for TREC tools and an empty field for Arrow."""
    there = np.frombuffer(content, np.uint8) == ord(delimiter)
    return bool(np.any(there[1:] & there[:-1]))


def _sound(found: pa.Table, number: str) -> bool:
    """Tell whether every id has characters and every number is finite; quick, as almost every file is."""
    if not all(np.isfinite(to_numpy(chunk, missing=math.nan)).all() for chunk in found[number].chunks):
        return False
    if not all(byte_lengths(chunk).all() for chunk in found["doc_id"].chunks):
        return False
    return all(byte_lengths(chunk.dictionary).all() for chunk in found["query_id"].chunks)


def _read_by_line(table: Table, path: Path, lines: bytes) -> pa.Table:
    """Return lines read one by one: it finds the place of an error, or that there is none."""
    import pyarrow as pa

    names, rows = _FIELDS[table], []
    for line_number, raw in enumerate(lines.splitlines(), start=1):
        try:
            line = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            found = f"the byte {raw[error.start]:#04x} at column {error.start + 1} is not UTF-8"
            raise _wrong(path, line_number, found, "Save the file as UTF-8.") from None
        fields = _fields(table, line)
        if not fields:
            continue
        if len(fields) != len(names):
            what = "too few" if len(fields) < len(names) else "too many"
            raise _wrong(
                path,
                line_number,
                f"{what} fields: {len(fields)} where a {table} line has {len(names)} ({' '.join(names)}): {line.strip()[:100]!r}",
                _advice(table, line, len(fields)),
            )
        row: dict[str, Any] = dict(zip(names, fields, strict=True))
        row[_NUMBER[table]] = _number(table, path, line_number, row)
        rows.append([row[k] for k in _KEPT[table]])
    return pa.table([pa.array(c) for c in zip(*rows, strict=True)], names=_KEPT[table])


def _advice(table: Table, line: str, count: int) -> str:
    """Return what to do with a line of the wrong number of fields."""
    if line.lstrip().startswith("#"):
        return "Below the first row, a comment has a blank behind its #; other lines that begin with # are of a topic."
    other: Table = "qrels" if table == "run" else "run"
    if count == len(_FIELDS[other]):
        return (
            f"Fields are separated by white space; this looks like a {other} file: the qrels come first, then the run."
        )
    if table == "run" and count > len(_FIELDS[table]):
        return (
            "Fields are separated by white space, so that no id can hold any; a tag may have several words where the first is no "
            "number. A table with a header (.csv, .tsv, .jsonl, .parquet) may hold such ids and tags, and other columns."
        )
    if "\N{NO-BREAK SPACE}" in line and count < len(_FIELDS[table]):
        return "It holds no-break spaces (U+00A0), which do not separate fields: replace them by blanks."
    return (
        "Fields are separated by white space, so that no id can hold any; a table with a header (.csv, .tsv, .jsonl, "
        ".parquet) may hold such ids, and other columns."
    )


def _number(table: Table, path: Path, line_number: int, row: dict[str, Any]) -> float:
    name, text = _NUMBER[table], row[_NUMBER[table]]
    value = _as_number(text)
    if value is None:
        why, advice = "is not a number", "Correct the line."
    elif math.isfinite(value):
        return value
    elif math.isnan(value):
        why, advice = not_finite(text), f"A document without one cannot be {'ranked' if table == 'run' else 'judged'}."
    else:
        why, advice = not_finite(text), f"Give a finite {name}, or leave the line out."
    raise _wrong(path, line_number, f"the {name} {text!r} of document {row['doc_id']} {why}", advice)


def _wrong(path: Path, line_number: int, found: str, advice: str) -> DataError:
    return DataError(f"{path}, line {line_number}: {found}. {advice}")
