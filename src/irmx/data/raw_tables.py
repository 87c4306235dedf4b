"""Tables from any source, unconverted, with the place of every row for messages."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from irmx.data.content import content_of, name_of
from irmx.data.json_records import json_lines
from irmx.data.lines import check_text, delimited_lines
from irmx.data.parquet_files import parquet_table
from irmx.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa

KINDS = (
    "the path of a table file, a DataFrame, an Arrow table, a dict of columns, or rows that are dicts or namedtuples"
)


@dataclass(frozen=True)
class RawTable:
    """Columns of strings and numbers, as written in the source.

    Attributes
    ----------
    name : str
        The name of the table in messages: the path of its file, or a phrase such as ``"The click log"``.
    columns : dict of str to sequence
        The values by column name, None if missing; an Arrow array of strings for a plain delimited file.
    lines : sequence of int, or function that returns one
        The line of every row, from 1; empty if rows are not lines.
    """

    name: str
    columns: dict[str, Sequence[Any]]
    lines: Sequence[int] | Callable[[], Sequence[int]] = ()

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def place(self, rows: Sequence[int]) -> str:
        """Return the place of rows, counted from 0, for the start of a message: the table, and the lines or the rows."""
        if not len(rows):
            return self.name
        lines = self.lines() if callable(self.lines) else self.lines
        numbers = " and ".join(str(lines[row] if lines else row) for row in rows)
        many = "s" * (len(rows) > 1)
        return f"{self.name}, line{many} {numbers}" if lines else f"{self.name}, row{many} {numbers} (counted from 0)"


def raw_table(source: Any, what: str, content: bytes | None = None, empty: bool = False) -> RawTable:
    """Return the columns of a table from any source.

    Parameters
    ----------
    source : any
        See :func:`irmx.read_table`.
    what : str
        The name of the table in messages, such as ``"click log"``.
    content : bytes, optional
        The (decompressed) content of the file, if it has already been read.
    empty : bool
        Whether a file may be empty, without even a header.
    """
    name = f"The {what}"
    if isinstance(source, (str, os.PathLike)):
        return _of_content(name_of(source), content_of(source, what) if content is None else content, what, empty)
    if hasattr(source, "itertuples"):
        return _of_frame(name, source)
    if hasattr(source, "to_pydict") or hasattr(source, "__arrow_c_stream__"):
        return _of_arrow(name, source)
    if isinstance(source, Mapping):
        return _of_columns(name, source)
    if isinstance(source, Iterable):
        return _of_rows(name, source)
    raise DataError(f"{name} must be {KINDS}. Got {type(source).__name__} instead.")


def _of_content(name: str, content: bytes, what: str, empty: bool) -> RawTable:
    """Return the table in a file, whose kind is detected by its first bytes and its name."""
    suffixes = Path(name).suffixes[-2:]
    if content[:4] == b"PAR1" or ".parquet" in suffixes:
        return _of_arrow(name, parquet_table(name, content))
    if not content.strip():
        if empty:
            return RawTable(name, {})
        raise DataError(f"{name} is empty: it holds no {what}.")
    check_text(name, content)
    if ".jsonl" in suffixes or content.lstrip()[:1] == b"{":
        lines, records = _filled(name, json_lines(name, content))
        return RawTable(name, _by_column(records), lines)
    first = content.lstrip().split(b"\n", 1)[0]
    tabs = ".tsv" in suffixes or (".csv" not in suffixes and b"\t" in first)
    return _of_plain_lines(name, content, "\t" if tabs else ",") or _of_lines(name, content, "\t" if tabs else ",")


def _of_plain_lines(name: str, content: bytes, delimiter: str) -> RawTable | None:
    """Return the table that Arrow reads, ten times as fast as line by line; None if the lines must be read one by one."""
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import csv

    header, _, rest = content.partition(b"\n")
    names = [field.strip() for field in header.decode("utf-8", "replace").split(delimiter)]
    if b'"' in content or not rest.strip() or len(set(names)) < len(names):
        return None
    try:
        table = csv.read_csv(
            pa.BufferReader(content),
            read_options=csv.ReadOptions(column_names=names, skip_rows=1),
            parse_options=csv.ParseOptions(delimiter=delimiter, quote_char=False),
            convert_options=csv.ConvertOptions(column_types=dict.fromkeys(names, pa.large_string()), null_values=[]),
        )
    except pa.ArrowException:
        return None
    columns = {n: pc.utf8_trim_whitespace(table.column(n).combine_chunks()) for n in names}
    if pc.any(pc.equal(columns[names[0]], "")).as_py():  # the whole row may be empty
        return None
    return RawTable(
        name, columns, lambda: [n for n, line in enumerate(content.splitlines(), start=1) if line.strip()][1:]
    )


def _filled(name: str, numbered: Iterable[tuple[int, Any]]) -> tuple[Sequence[int], Sequence[Any]]:
    """Return the numbers of the lines that are not blank, and what is in them."""
    filled = list(numbered)
    if not filled:  # control characters that Python counts as spaces
        raise DataError(f"{name} is empty: it has only white space.")
    lines, values = zip(*filled, strict=True)
    return lines, values


def _of_lines(name: str, content: bytes, delimiter: str) -> RawTable:
    """Return a table that is read line by line."""
    lines, rows = _filled(name, delimited_lines(name, content, delimiter))
    names = [field.strip() for field in rows[0]]
    _refuse_twice(name, names)
    columns = [[field.strip() for field in column] for column in zip(*rows[1:], strict=True)] or [[]] * len(names)
    return RawTable(name, dict(zip(names, columns, strict=True)), lines[1:])


def _of_frame(name: str, frame: Any) -> RawTable:
    names = [str(column) for column in frame.columns]
    _refuse_twice(name, names)
    columns = [frame.iloc[:, i] for i in range(len(names))]
    columns = [
        c if c.dtype.kind in "bf" and not hasattr(c.dtype, "na_value") else c.astype(object).where(c.notna(), None)
        for c in columns
    ]
    return RawTable(name, {n: c.tolist() for n, c in zip(names, columns, strict=True)})


def _of_arrow(name: str, table: pa.Table) -> RawTable:
    import pyarrow as pa

    table = pa.table(table)
    _refuse_twice(name, table.column_names)
    try:
        return RawTable(name, {n: table.column(n).to_pylist() for n in table.column_names})
    except UnicodeDecodeError as error:
        raise DataError(f"{name} holds a text that is not UTF-8: {error}. Write the table again.") from None


def _of_columns(name: str, columns: Mapping[Any, Any]) -> RawTable:
    lengths = {column: len(values) for column, values in columns.items()}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{column!r} has {length}" for column, length in lengths.items())
        raise DataError(f"The columns of {name[:1].lower()}{name[1:]} must have the same length: {listed}.")
    return RawTable(name, {str(n): _of_array(values) for n, values in columns.items()})


def _of_array(values: Any) -> Any:
    """Return the elements of an array as Python objects; numpy would make whole numbers of dates in nanoseconds."""
    if getattr(getattr(values, "dtype", None), "kind", "") == "M" and hasattr(values, "astype"):
        values = values.astype("datetime64[us]")
    return values.tolist() if hasattr(values, "tolist") else values


def _of_rows(name: str, rows: Iterable[Any]) -> RawTable:
    records = [row._asdict() if hasattr(row, "_asdict") else row for row in rows]
    for record in records:
        if not isinstance(record, Mapping):
            raise DataError(f"{name} must be {KINDS}. Got rows of the type {type(record).__name__} instead.")
    return RawTable(name, _by_column(records))


def _by_column(records: Sequence[Mapping[str, Any]]) -> dict[str, Sequence[Any]]:
    names = dict.fromkeys(name for record in records for name in record)
    return {name: [record.get(name) for record in records] for name in names}


def _refuse_twice(name: str, names: Sequence[str]) -> None:
    if len(set(names)) < len(names):
        twice, _ = Counter(names).most_common(1)[0]
        raise DataError(f"{name} has two columns named {twice!r}. Rename or drop one.")
