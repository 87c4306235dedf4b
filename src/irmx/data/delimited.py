"""Table files with a header: .csv and .tsv; JSON, one object per line or one dict of dicts."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from irmx.data.cells import BLANKS
from irmx.data.files import check_text, cut_off, filled_lines
from irmx.data.formats import Format
from irmx.data.table import Source, Table, refuse_twice
from irmx.declare.columns import ALIASES, REQUIRED, TableName
from irmx.errors import DataError
from irmx.text import list_some, plural

_DEPTH = 100
"""How deep lists and objects of JSON may be nested in each other."""
_BLANK_LINE = re.compile(rb"(?:^|\n|\r(?!\n))(?:[ \t\v\f]*[\r\n]|[ \t\v\f]+$)")
_LONGEST_START = 1 << 16
"""The bytes in which the first key of an object of objects has to end: a regular expression over a longer one takes gigabytes."""
_OBJECT_OF_OBJECTS = re.compile(rb'\{\s*(?:"(?:[^"\\]|\\.)*"\s*:\s*\{|\})')
_EACH_LINE = " Each line must be one JSON object."


class _Delimited(Format):
    DELIMITER, LINES = ",", "after header"

    def recognises(self, table: TableName, path: Path, start: bytes) -> bool:
        """Tell by the first line, which must be a header with columns that every such table has."""
        known = {*REQUIRED[table], *ALIASES[table]}
        names = [name.strip(BLANKS) for name in _header(start, self.DELIMITER)]
        return len(known & set(names)) >= 2 or (f".{self.NAME}" in path.suffixes[-2:] and self.DELIMITER == ",")

    def read(self, table: TableName, path: Path, content: bytes) -> Table:
        """Return the content as a table."""
        return read_delimited(table, str(path), content, self.DELIMITER)


class Csv(_Delimited):
    """Comma-separated values."""

    NAME, DELIMITER = "csv", ","
    SHORT_DESC = "comma-separated table with a header"
    EXAMPLES = ("judgments.csv", "csv:judgments.txt")


class Tsv(_Delimited):
    """Tab-separated values with a header; a file without one is a TREC file."""

    NAME, DELIMITER = "tsv", "\t"
    SHORT_DESC = "tab-separated table with a header"
    EXAMPLES = ("tsv:judgments.txt",)


class Jsonl(Format):
    """One JSON object per line, or one object of objects."""

    NAME, LINES = "jsonl", "all"
    SHORT_DESC = 'one JSON object per line, one key per column; or one object, {"query": {"document": number}}'
    EXAMPLES = ("run.jsonl.gz", "run.json", "jsonl:run.txt")

    def recognises(self, table: TableName, path: Path, start: bytes) -> bool:
        """Tell by the name, or by a first character that opens an object."""
        return not {".json", ".jsonl"}.isdisjoint(path.suffixes[-2:]) or start.lstrip()[:1] == b"{"

    def read(self, table: TableName, path: Path, content: bytes) -> Table:
        """Return the content as a table."""
        check_text(str(path), content)
        by_topic = _dict_of_dicts(content)
        return read_json_lines(table, str(path), content) if by_topic is None else _rows_of(table, str(path), by_topic)


# -- fields between delimiters ---------------------------------------------------------------------------------------


def _header(start: bytes, delimiter: str) -> list[str]:
    """Return the names in a header, as written."""
    first = re.search(rb"[^\r\n]+", start)
    try:
        return next(csv.reader([first.group().decode("utf-8", "replace") if first else ""], delimiter=delimiter), [])
    except csv.Error:
        return []


def read_delimited(what: str, name: str, content: bytes, delimiter: str) -> Table:
    """Return columns of text; whatever Arrow does not read in one go is read line by line."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    check_text(name, content)
    names = [field.strip(BLANKS) for field in _header(content, delimiter)]
    if not any(names):
        is_long = len(content) > csv.field_size_limit()
        raise DataError(
            f"{name} holds no {what}: its header cannot be read."
            if is_long
            else f"{name} is empty: it holds no {what}, not even a header."
        )
    if len(names) == 1 and names[0].count(";") > 1:
        raise DataError(
            f"{name} is separated by semicolons, as spreadsheets write csv in some countries. Write it with commas or tabs."
        )
    if b'"' not in content and len(set(names)) == len(names):
        lines = filled_lines(content) if _BLANK_LINE.search(content) else [1]
        try:
            rows = arrow_csv.read_csv(
                pa.BufferReader(content),
                read_options=arrow_csv.ReadOptions(
                    column_names=names, skip_rows=lines[0], block_size=max(1 << 20, min(len(content), 1 << 24)),
                    use_threads=len(content) > 1 << 24,
                ),
                parse_options=arrow_csv.ParseOptions(delimiter=delimiter, quote_char=False),
                convert_options=arrow_csv.ConvertOptions(
                    column_types=dict.fromkeys(names, pa.large_string()), null_values=[]
                ),
            )  # fmt: skip
        except pa.ArrowException:
            pass  # the lines are read one by one, which finds the one that is wrong
        else:
            cells = {n: partial(_trimmed, column) for n, column in zip(names, rows.columns, strict=True)}
            return Table(what, cells, rows.num_rows, Source(name, lines[1:] or 2), is_text=True)
    numbered = list(_delimited_lines(name, content, delimiter))
    names = [field.strip(BLANKS) for field in numbered[0][1]] if numbered else names
    refuse_twice(names, name)
    columns = dict(zip(names, zip(*(fields for _, fields in numbered[1:]), strict=True), strict=False))
    texts = {n: pa.array([field.strip(BLANKS) for field in columns.get(n, ())], pa.large_string()) for n in names}
    return Table(what, texts, len(numbered) - 1, Source(name, [line for line, _ in numbered[1:]]), is_text=True)


def _trimmed(column: Any) -> Any:
    import pyarrow.compute as pc

    return pc.ascii_trim_whitespace(column.combine_chunks())


def _delimited_lines(name: str, content: bytes, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the fields of every line that is not empty, and the number of their last line; a quoted field may have several."""
    reader = csv.reader(io.StringIO(content.decode(), newline=""), delimiter=delimiter, strict=True)
    width, last = None, len(content.splitlines())
    limit = csv.field_size_limit(max(len(content), csv.field_size_limit()))  # of all readers of the process
    try:
        for fields in reader:
            if not any(field.strip(BLANKS) for field in fields):
                continue
            width = width or len(fields)
            if len(fields) != width:
                cut = cut_off(content) if len(fields) < width and reader.line_num == last else ""
                found = f"{plural(len(fields), 'field')} where the header has {width} columns.{cut}"
                raise DataError(found, place=f"{name}, line {reader.line_num}")
            yield reader.line_num, fields
    except csv.Error as error:
        problem = f"{error}. Is a quote unclosed or misplaced?"
        raise DataError(problem, place=f"{name}, line {reader.line_num}") from None
    finally:
        csv.field_size_limit(limit)


# -- JSON ------------------------------------------------------------------------------------------------------------


def read_json_lines(what: str, name: str, content: bytes) -> Table:
    """Return the objects of lines as a table; a key that an object lacks is a missing cell."""
    numbered = list(_objects(name, content))
    if not numbered:
        raise DataError(f"{name} is empty: it holds no {what}.")
    names = dict.fromkeys(key for _, record in numbered for key in record)
    cells = {key: [_stripped(record.get(key)) for _, record in numbered] for key in names}
    return Table(what, cells, len(numbered), Source(name, [line for line, _ in numbered]))


def _stripped(cell: Any) -> Any:
    return cell.strip(BLANKS) if isinstance(cell, str) else cell


def _objects(name: str, content: bytes) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the number of every line that is not blank, and the JSON object in it."""
    check_text(name, content)
    lines = content.splitlines()
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            if max(line.count(b"{"), line.count(b"[")) > _DEPTH:
                raise RecursionError
            record = parse_json(line.decode())
            if rb"\ud" in line.lower():
                json.dumps(record, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            problem = r"a text holds half of a character, such as \ud800 alone."
        except RecursionError:
            problem = f"more than {_DEPTH} lists or objects in one."
        except ValueError as error:
            why = "a number has thousands of digits" if str(error).startswith("Exceeds the limit") else str(error)
            cut = cut_off(content) if number == len(lines) and isinstance(error, json.JSONDecodeError) else ""
            problem = f"not JSON: {why}.{cut or _EACH_LINE}"
            if number == 1 and isinstance(error, json.JSONDecodeError) and (keys := _keys_of_document(content)):
                problem = f"the file is one JSON document, with the keys {list_some(keys)}, of no form that is known here.{_EACH_LINE}"
        else:
            if isinstance(record, dict):
                yield number, record
                continue
            problem = f"not a JSON object.{_EACH_LINE}"
        raise DataError(problem, place=f"{name}, line {number}")


def _keys_of_document(content: bytes) -> list[str]:
    """Return the keys of a file that is one JSON object, or a list that begins with one; none for another file."""
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        return []
    first = document[0] if isinstance(document, list) and document else document
    return list(first) if isinstance(first, dict) else []


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object, its keys without blanks around them, unless it has two values for a key."""
    keys = [key.strip(BLANKS) for key, _ in pairs]
    record = dict(zip(keys, (value for _, value in pairs), strict=True))
    if len(record) < len(pairs):
        raise ValueError(f"the key {next(key for key in keys if keys.count(key) > 1)!r} occurs twice in an object")
    return record


_DECODER = json.JSONDecoder(object_pairs_hook=_without_repeats)


def parse_json(text: str) -> Any:
    """Return the JSON of a text, as all readers take it: a key that occurs twice in an object is refused.

    Raises
    ------
    ValueError
        If the text is not JSON, or an object has a key twice.
    RecursionError
        If it is too deeply nested.

    Examples
    --------
    >>> parse_json('{"q": {"a": 1, "a": 2}}')
    Traceback (most recent call last):
    ...
    ValueError: the key 'a' occurs twice in an object
    """
    return _DECODER.decode(text)


def _dict_of_dicts(content: bytes) -> dict[str, Mapping[str, Any]] | None:
    """Return the one object of a file, ``{"query": {"document": number}}``; None if it holds anything else."""
    if _OBJECT_OF_OBJECTS.match(content.lstrip()[:_LONGEST_START]) is None:
        return None
    try:
        by_topic = parse_json(content.decode())
    except (ValueError, RecursionError):
        return None
    return by_topic if all(isinstance(docs, dict) for docs in by_topic.values()) else None


def _rows_of(table: TableName, name: str, by_topic: Mapping[str, Mapping[str, Any]]) -> Table:
    """Return a dict of dicts as a table, whose places are those of its keys."""
    rows = [(topic, doc, value) for topic, docs in by_topic.items() for doc, value in docs.items()]
    cells = {column: [row[i] for row in rows] for i, column in enumerate(REQUIRED[table])}
    topics = () if all(by_topic.values()) else tuple(by_topic)
    return Table(table, cells, len(rows), Source(name), topics=topics)
