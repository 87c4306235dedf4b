"""TREC files: qrels of four columns, runs of six, parted by white space, without a header; # begins a comment line."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from irmx.columns import Table
from irmx.errors import DataError
from irmx.formats.base import Format

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


class Trec(Format):
    """Recognises any text; the last format to be asked."""

    NAME, LINES = "trec", "all"
    DESCRIPTION = "TREC qrels (query iteration document grade) and runs (query Q0 document rank score tag)"

    def recognises(self, table: Table, path: Path, start: bytes) -> bool:
        """Tell whether it is text."""
        return b"\0" not in start

    def read(self, table: Table, path: Path, content: bytes) -> pa.Table:
        """Return the content as a table; a slow second reading finds the line of an error."""
        lines = _uncommented(content)
        if not lines or lines.isspace():
            raise DataError(f"{path} is empty: it holds no line of a {table} file.")
        found = _parse(table, lines)
        if found is None:
            found = _parse(table, _tabbed(lines))
        return _read_by_line(table, path, content) if found is None else found


def _uncommented(content: bytes) -> bytes:
    """Return content without the lines that begin with #, which trec_eval 10 takes for comments."""
    if b"#" in content and (content.startswith(b"#") or b"\n#" in content):
        return re.sub(rb"(?m)^#.*\n?", b"", content)
    return content


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
    import pyarrow.compute as pc

    if not pc.all(pc.is_finite(found[number])).as_py():
        return False
    if pc.min(pc.binary_length(found["doc_id"])).as_py() == 0:
        return False
    return all(len(t.as_py()) for chunk in found["query_id"].chunks for t in chunk.dictionary)


def _read_by_line(table: Table, path: Path, content: bytes) -> pa.Table:
    """Return the content read line by line, which finds the place of an error, or that there is none."""
    import pyarrow as pa

    fields, rows = _FIELDS[table], []
    for line_number, raw in enumerate(content.splitlines(), start=1):
        try:
            line = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            _refuse(
                path,
                line_number,
                f"the byte {raw[error.start]:#04x} at column {error.start + 1} is not UTF-8",
                "Save the file as UTF-8.",
            )
        values = line.split()
        if not values or line.startswith("#"):
            continue
        if len(values) != len(fields):
            what = "too few" if len(values) < len(fields) else "too many"
            _refuse(
                path,
                line_number,
                f"{what} fields: {len(values)} where a {table} line has {len(fields)} ({' '.join(fields)}): {line.strip()[:100]!r}",
                f"Parts of a line are set apart by white space; {_advice(table, len(values))}",
            )
        row = dict(zip(fields, values, strict=True))
        row[_NUMBER[table]] = _number(table, path, line_number, row)
        rows.append([row[k] for k in _KEPT[table]])
    return pa.table([pa.array(c) for c in zip(*rows, strict=True)], names=_KEPT[table])


def _advice(table: Table, count: int) -> str:
    if table == "run" and count == 4:
        return "this looks like a qrels file: the qrels come first, then the run."
    if table == "qrels" and count == 6:
        return "this looks like a run file: the qrels come first, then the run."
    return "a table with a header (.csv, .tsv, .jsonl, .parquet) may hold other columns."


def _number(table: Table, path: Path, line_number: int, row: dict[str, Any]) -> Any:
    name, text = _NUMBER[table], row[_NUMBER[table]]
    try:
        value = float(text.replace("_", "?"))
    except ValueError:
        _refuse(
            path, line_number, f"the {name} {text!r} of document {row['doc_id']} is not a number", "Correct the line."
        )
    if not math.isfinite(value):
        _refuse(
            path,
            line_number,
            f"the {name} {text!r} of document {row['doc_id']} is not finite",
            f"A document without a {name} cannot be {'ranked' if table == 'run' else 'judged'}.",
        )
    return value


def _refuse(path: Path, line_number: int, found: str, advice: str) -> NoReturn:
    raise DataError(f"{path}, line {line_number}: {found}. {advice}")
