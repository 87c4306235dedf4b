"""Rows of texts from tables and files, with the place of every row for messages."""

from __future__ import annotations

import csv
import io
import json
import math
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from irmx import DataError
from irmx import content_of as unpacked

_ALIASES = {"qid": "query_id", "topic": "query_id", "docno": "doc_id"}


@dataclass(frozen=True)
class Rows:
    """Columns of texts; a value that is missing is the empty text.

    Attributes
    ----------
    columns : dict of str to list of str
        The values of every column that is there.
    place : callable
        Returns, as a message starts, where a row stands.
    """

    columns: dict[str, list[str]]
    place: Callable[[int], str]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def values(self, name: str) -> list[str]:
        """Return a column, of empty texts where it is not there."""
        return self.columns.get(name) or [""] * len(self)


def read_rows(source: Any, what: str, required: Sequence[str]) -> Rows:
    """Return the rows of a DataFrame or of a .csv, .tsv, .jsonl or .parquet file, packed or not.

    Parameters
    ----------
    source : DataFrame, str or Path
        The table. ``qid`` and ``topic`` are read as ``query_id``, ``docno`` as ``doc_id``.
    what : str
        What it is, for messages, such as ``"pages"``.
    required : sequence of str
        The columns that must be there, with a value in every row.

    Raises
    ------
    irmx.DataError
        Where it cannot be read, or lacks a column or a value; says the line of the file.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = read_rows(pd.DataFrame({"qid": [1], "choice": [None]}), "preferences", ["query_id"])
    >>> rows.columns, rows.place(0)
    ({'query_id': ['1'], 'choice': ['']}, 'The preferences, row 0 (counted from 0)')
    """
    if hasattr(source, "itertuples"):
        names, name = [str(c) for c in source.columns], f"The {what}"
        return _checked(names, source.itertuples(index=False, name=None), name, _row_place(name), what, required)
    if isinstance(source, (str, os.PathLike)):
        return rows_of_content(Path(source), content_of(Path(source), what), what, required)
    raise DataError(f"The {what} must be a DataFrame or the path of a file. Got {type(source).__name__} instead.")


def rows_of_content(path: Path, content: bytes, what: str, required: Sequence[str]) -> Rows:
    """Return the rows of a table file by its unpacked content; otherwise as :func:`read_rows`."""
    names, records, place = _read_content(path, content, what)
    return _checked(names, records, os.fspath(path), place, what, required)


def _checked(
    names: list[str],
    records: Iterable[tuple[Any, ...]],
    name: str,
    place: Callable[[int], str],
    what: str,
    required: Sequence[str],
) -> Rows:
    """Return rows whose columns are there, each once, and whose required values are."""
    names = [_ALIASES[n] if n in _ALIASES and _ALIASES[n] not in names else n for n in names]
    twice = next((n for n in names if names.count(n) > 1), None)
    if twice is not None:
        raise DataError(f"{name} has the column {twice!r} twice.")
    for column in required:
        if column not in names:
            raise DataError(f"{name} lacks the column {column!r}. It has: {', '.join(names) or 'none'}.")
    columns = [[_text(value, row, place) for row, value in enumerate(values)] for values in zip(*records, strict=True)]
    if not columns:
        raise DataError(f"{name} holds no row of {what}.")
    found = Rows(dict(zip(names, columns, strict=True)), place)
    for column in required:
        if "" in found.columns[column]:
            raise DataError(f"{place(found.columns[column].index(''))}: the {column} is missing.")
    return found


def content_of(path: Path, what: str) -> bytes:
    """Return the content of a file, or of standard input, unpacked."""
    if not path.is_file() and os.fspath(path) != "-":
        raise DataError(f"There is no file of {what} {os.fspath(path)!r}.")
    return unpacked(path, what)


def json_lines(path: Path, content: bytes) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the number of every line that is not blank, and its object.

    Raises
    ------
    irmx.DataError
        Where a line is no JSON object.
    """
    for number, raw in enumerate(content.splitlines(), start=1):
        if not raw.strip():
            continue
        try:
            record = json.loads(raw)
        except ValueError as error:  # of bytes that are not UTF-8, too
            raise DataError(f"{path}, line {number}: not JSON: {error}.") from None
        if not isinstance(record, dict):
            raise DataError(f"{path}, line {number}: not a JSON object.")
        yield number, record


def _read_content(
    path: Path, content: bytes, what: str
) -> tuple[list[str], Iterator[tuple[Any, ...]], Callable[[int], str]]:
    """Return the names of the columns, the rows, and what tells where a row stands."""
    suffixes = set(path.suffixes)
    if ".parquet" in suffixes:
        import pandas as pd

        try:
            frame = pd.read_parquet(io.BytesIO(content))
        except (OSError, ValueError) as error:
            raise DataError(f"{path} is not a sound Parquet file: {error}.") from None
        return [str(c) for c in frame.columns], frame.itertuples(index=False, name=None), _row_place(str(path))
    if not content.strip():
        raise DataError(f"{path} is empty: it holds no {what}.")
    if ".jsonl" in suffixes:
        lines, objects = zip(*json_lines(path, content), strict=True)
        names = list(dict.fromkeys(name for record in objects for name in record))
        return names, (tuple(r.get(n) for n in names) for r in objects), _line_place(path, lines)
    if not suffixes & {".csv", ".tsv"}:
        raise DataError(f"{path} must be a .csv, .tsv, .jsonl or .parquet file.")
    return _read_delimited(path, content, "\t" if ".tsv" in suffixes else ",")


def _read_delimited(
    path: Path, content: bytes, delimiter: str
) -> tuple[list[str], Iterator[tuple[Any, ...]], Callable[[int], str]]:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise DataError(f"{path}, line {line}: the byte {content[error.start]:#04x} is not UTF-8.") from None
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    records: list[list[str]] = []
    lines: list[int] = []
    try:
        for record in filter(None, reader):
            records.append(record)
            lines.append(reader.line_num)
    except csv.Error as error:
        raise DataError(f"{path}, line {reader.line_num}: {error}. Is a quote open, or out of place?") from None
    names = [name.strip() for name in records[0]]
    for fields, line in zip(map(len, records), lines, strict=True):
        if fields != len(names):
            raise DataError(f"{path}, line {line}: {fields} fields where the header has {len(names)} columns.")
    return names, map(tuple, records[1:]), _line_place(path, lines[1:])


def _row_place(name: str) -> Callable[[int], str]:
    return lambda row: f"{name}, row {row} (counted from 0)"


def _line_place(path: Path, lines: Sequence[int]) -> Callable[[int], str]:
    return lambda row: f"{path}, line {lines[row]}"


def _text(value: Any, row: int, place: Callable[[int], str]) -> str:
    """Return a value as text: whole numbers without a point, nothing for what is missing."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, (list, tuple, dict)):
        raise DataError(f"{place(row)}: {value!r} is neither a text nor a number.")
    if value is None or value != value:
        return ""
    if isinstance(value, float) and math.isfinite(value) and value.is_integer():
        return str(int(value))
    return str(value)
