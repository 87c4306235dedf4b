"""Table files with a header: .csv, .tsv, .jsonl and .parquet, with the vocabulary's columns."""

from __future__ import annotations

import csv
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from irmx.data.arrow import to_numpy
from irmx.data.formats.base import Format
from irmx.data.json_records import check_json_lines, json_lines
from irmx.data.lines import check_text, cut_off, delimited_lines
from irmx.data.parquet_files import is_run_in_parts, parquet_batches, parquet_table
from irmx.declare.columns import ALIASES, REQUIRED, Table, canonical_names, vocabulary
from irmx.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa


class _TableFormat(Format):
    SUFFIX = ""

    def recognises(self, table: Table, path: Path, start: bytes) -> bool:
        """Tell by the name of the file, compressed or not."""
        return self.SUFFIX in path.suffixes[-2:]

    def _checked(self, table: Table, path: Path, content: bytes, rows: pa.Table) -> pa.Table:
        """Return a checked table with canonical column names; every message names the file and the line."""
        from irmx.data.tables import Columns

        rows = rows.rename_columns(canonical_names(table, [name.strip() for name in rows.column_names]))
        try:
            columns: Any = Columns(table, rows)
            columns.texts("query_id")
            columns.texts("doc_id")
            columns.floats(REQUIRED[table][2])
        except DataError as error:
            raise error.at(self.place(table, path, content, error.rows)) from None
        return rows


class _Delimited(_TableFormat):
    DELIMITER = ","
    LINES = "after header"

    def recognises(self, table: Table, path: Path, start: bytes) -> bool:
        """Tell by the first line, which must be a header with columns that every such table has."""
        names = map(str.strip, _fields(start, self.DELIMITER))
        known = {*REQUIRED[table], *ALIASES[table]}
        return len(known & set(names)) >= 2 or (super().recognises(table, path, start) and self.DELIMITER == ",")

    def read(self, table: Table, path: Path, content: bytes) -> pa.Table:
        """Return the content as a table."""
        import pyarrow as pa

        if not content.strip():
            raise DataError(f"{path} is empty: not even a header.")
        check_text(str(path), content)
        if b'"' in content and not _are_quotes_around_fields(content, self.DELIMITER):
            for _ in delimited_lines(str(path), content, self.DELIMITER):  # Arrow takes ""2 for 2
                pass
        try:
            names = _fields(content, self.DELIMITER)
        except DataError as error:
            raise error.at(str(path)) from None
        canonical = canonical_names(table, [name.strip() for name in names])
        labels = {c.name for c in vocabulary() if c.table == table and c.dtype == "str"}
        texts = {n: pa.large_string() for n, c in zip(names, canonical, strict=True) if c in labels}
        number = next((n for n, c in zip(names, canonical, strict=True) if c == REQUIRED[table][2]), None)
        types = texts | ({} if number is None else {number: pa.float64()})
        try:
            rows = _parsed(content, self.DELIMITER, types)
            as_written = _read_otherwise(content, rows, number, types)
        except (pa.ArrowInvalid, pa.ArrowKeyError):
            rows, as_written = None, [] if number is None else [number]
        try:
            if rows is None or as_written:
                rows = _parsed(content, self.DELIMITER, types | dict.fromkeys(as_written, pa.large_string()))
        except (pa.ArrowInvalid, pa.ArrowKeyError) as error:
            text = _one_by_one(content, self.DELIMITER) or str(error)
            raise DataError(f"{path}{_place_of(content, text, len(names))}") from None
        if any(name != name.strip() for name in names):  # the fields below then have spaces around them, too
            rows = _without_spaces(rows)
        return self._checked(table, path, content, rows)


def _parsed(content: bytes, delimiter: str, types: dict[str, pa.DataType]) -> pa.Table:
    """Return the table that Arrow reads, with the types of some columns."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    return arrow_csv.read_csv(
        pa.BufferReader(content),
        parse_options=arrow_csv.ParseOptions(delimiter=delimiter),
        convert_options=arrow_csv.ConvertOptions(column_types=types, null_values=[""], strings_can_be_null=False),
    )


def _read_otherwise(content: bytes, rows: pa.Table, number: str | None, types: dict[str, pa.DataType]) -> list[str]:
    """Return the columns of which Arrow may have read a cell as another number than it is, or that must be quoted as written.

    It takes 0x10 for 16, true for 1, 12:00 for a time, and 1e400 for an infinite number.
    """
    import pyarrow as pa

    integers = []
    out = []
    for name in rows.column_names:
        kind = rows.schema.field(name).type if rows.column_names.count(name) == 1 else pa.null()
        if pa.types.is_floating(kind) and (name == number or name not in types):
            missing = math.nan if name == number else 0
            if not all(np.isfinite(to_numpy(chunk, missing)).all() for chunk in rows[name].chunks):
                out.append(name)
        elif pa.types.is_boolean(kind) or pa.types.is_time(kind):
            out.append(name)
        elif pa.types.is_integer(kind):
            integers.append(name)
    return out + integers if integers and _has_hexadecimal(content) else out


def _has_hexadecimal(content: bytes) -> bool:
    """Tell whether 0x or 0X is in a content; block by block, of which the cache holds all, several times as fast as a search."""
    if b"x" not in content and b"X" not in content:
        return False
    characters = np.frombuffer(content, np.uint8)
    zero, following = characters[:-1], characters[1:]
    blocks = (slice(at, at + _BLOCK) for at in range(0, len(zero), _BLOCK))
    return any(bool(((zero[b] == ord("0")) & (following[b] | 0x20 == ord("x"))).any()) for b in blocks)


_BLOCK = 1 << 16
"""How many characters are compared at once."""


def _fields(start: bytes, delimiter: str) -> list[str]:
    """Return the names in a header, as written."""
    first = re.search(rb"[^\r\n]+", start)  # Arrow skips empty lines, too
    line = first.group().decode("utf-8", errors="replace") if first else ""
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error as error:
        raise DataError(f"The header cannot be read: {error}.") from None


def _are_quotes_around_fields(content: bytes, delimiter: str) -> bool:
    """Tell whether every quote begins or ends a field, or is beside another; then Arrow reads fields as Python does."""
    characters = np.frombuffer(content, np.uint8)
    quotes = np.flatnonzero(characters == ord('"'))
    opening, closing = quotes[::2], quotes[1::2]
    beside = np.concatenate(
        (characters[opening[opening > 0] - 1], characters[closing[closing < len(characters) - 1] + 1])
    )
    return len(quotes) % 2 == 0 and bool(np.isin(beside, list(f'{delimiter}"\r\n'.encode())).all())


def _without_spaces(rows: pa.Table) -> pa.Table:
    """Return a table whose strings have no spaces around them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kinds = (pa.types.is_string, pa.types.is_large_string)
    columns = [pc.utf8_trim_whitespace(c) if any(kind(c.type) for kind in kinds) else c for c in rows.columns]
    return pa.table(columns, names=rows.column_names)


def _one_by_one(content: bytes, delimiter: str) -> str:
    """Return the error message of a single-threaded reader, which counts the rows."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    try:
        arrow_csv.read_csv(
            pa.BufferReader(content),
            read_options=arrow_csv.ReadOptions(use_threads=False),
            parse_options=arrow_csv.ParseOptions(delimiter=delimiter),
        )
    except pa.ArrowException as error:
        return str(error)
    return ""


def _place_of(content: bytes, text: str, width: int) -> str:
    """Return the place of an Arrow error, and its message."""
    row = re.search(r"Row #(\d+): ", text)
    lines = content.splitlines()
    filled = [number for number, line in enumerate(lines, start=1) if line.strip()]
    number = filled[int(row.group(1)) - 1] if row and int(row.group(1)) <= len(filled) else 0
    what = text.removeprefix("CSV parse error: ").replace(row.group(0) if row else "", "")
    cut = cut_off(content) if number == len(lines) else ""
    return f"{f', line {number}' if number else ''}: {what.rstrip('.')}. The header has {width} columns.{cut}"


class Csv(_Delimited):
    """Comma-separated values."""

    NAME, SUFFIX, DELIMITER = "csv", ".csv", ","
    SHORT_DESC = "comma-separated table with a header"
    EXAMPLES = ("judgments.csv", "csv:judgments.txt")


class Tsv(_Delimited):
    """Tab-separated values with a header; a file without one is a TREC file."""

    NAME, SUFFIX, DELIMITER = "tsv", ".tsv", "\t"
    SHORT_DESC = "tab-separated table with a header"
    EXAMPLES = ("tsv:judgments.txt",)


class Jsonl(_TableFormat):
    """One JSON object per line."""

    NAME, SUFFIX, LINES = "jsonl", ".jsonl", "all"
    SHORT_DESC = "one JSON object per line, one key per column"
    EXAMPLES = ("run.jsonl.gz", "jsonl:run.txt")

    def recognises(self, table: Table, path: Path, start: bytes) -> bool:
        """Tell by the name, or by a first character that opens an object."""
        return super().recognises(table, path, start) or start.lstrip()[:1] == b"{"

    def read(self, table: Table, path: Path, content: bytes) -> pa.Table:
        """Return the content as a table."""
        import pyarrow as pa
        from pyarrow import json

        if not content.strip():
            raise DataError(f"{path} is empty: it holds no JSON object.")
        objects = check_json_lines(str(path), content)
        try:
            rows = json.read_json(pa.BufferReader(content))
            texts = _dates_read_from_texts(table, rows)
            if texts:
                schema = pa.schema([(name, pa.large_string()) for name in texts])
                rows = json.read_json(pa.BufferReader(content), parse_options=json.ParseOptions(explicit_schema=schema))
        except pa.ArrowException as error:
            _refuse_mixed(path, content)
            raise DataError(f"{path}: {error}") from None
        if rows.num_rows != objects:
            _refuse_mixed(path, content)
        return self._checked(table, path, content, rows)


def _dates_read_from_texts(table: Table, rows: pa.Table) -> list[str]:
    """Return the columns of ids, labels and scores that Arrow took for dates, such as a query id 2014-03-01."""
    import pyarrow as pa

    labels = {c.name for c in vocabulary() if c.table == table and c.dtype == "str"} | set(REQUIRED[table])
    names = zip(rows.column_names, canonical_names(table, rows.column_names), strict=True)
    return [n for n, canonical in names if canonical in labels and pa.types.is_timestamp(rows.schema.field(n).type)]


def _refuse_mixed(path: Path, content: bytes) -> None:
    """Raise if a key has values of two types, or a number that is too large; Arrow does not say on which line."""
    kinds: dict[str, tuple[type, int]] = {}
    for number, record in json_lines(str(path), content, lambda _: 0.0):  # Arrow takes Infinity
        for key, value in record.items():
            if value in (math.inf, -math.inf):
                raise DataError(f"{path}, line {number}: the {key} is too large for a 64-bit float.")
            kind = float if isinstance(value, (int, float)) and not isinstance(value, bool) else type(value)
            first, line = kinds.setdefault(key, (kind, number))
            if value is not None and first is not type(None) and kind is not first:
                raise DataError(
                    f"{path}, line {number}: {key} {value!r} has another type than in line {line}. Use one type."
                )


class Parquet(_TableFormat):
    """Apache Parquet."""

    NAME, SUFFIX, FOLDERS = "parquet", ".parquet", ("run",)
    SHORT_DESC = "Apache Parquet table; a run may be a folder of them"
    EXAMPLES = ("run.parquet", "parquet:run.pq")

    def recognises(self, table: Table, path: Path, start: bytes) -> bool:
        """Tell by the first four bytes; a folder by the names of the files in it."""
        return is_run_in_parts(path) or start[:4] == b"PAR1" or super().recognises(table, path, start)

    def read(self, table: Table, path: Path, content: bytes) -> pa.Table:
        """Return the content of a file, or the parts in a folder, as a table."""
        import pyarrow as pa

        rows = pa.concat_tables(parquet_batches(path)) if path.is_dir() else parquet_table(str(path), content)
        return self._checked(table, path, content, rows)
