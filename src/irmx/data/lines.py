"""The numbered lines of text files: JSON objects, and comma- or tab-separated fields."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from typing import Any

from irmx.errors import DataError


def text_of(name: str, content: bytes) -> str:
    """Return the content of a file as text.

    Raises
    ------
    irmx.DataError
        If it is not UTF-8; the message names the line and the byte.
    """
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        number = content.count(b"\n", 0, error.start) + 1
        column = error.start - content.rfind(b"\n", 0, error.start)
        raise DataError(
            f"{name}, line {number}: the byte {content[error.start]:#04x} at column {column} is not UTF-8. "
            "Save the file as UTF-8."
        ) from None


def json_lines(
    name: str, content: bytes, constant: Callable[[str], float] = float
) -> Iterator[tuple[int, dict[str, Any]]]:
    r"""Yield the number of every line that is not blank, and the JSON object in it; ``constant`` reads NaN and Infinity.

    Raises
    ------
    irmx.DataError
        If a line is not a JSON object, or not UTF-8; the message names the line.

    Examples
    --------
    >>> list(json_lines("some.jsonl", b'{"a": 1}\n\n{"a": null}'))
    [(1, {'a': 1}), (3, {'a': None})]
    """
    for number, line in enumerate(text_of(name, content).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line, parse_constant=constant)
        except ValueError as error:
            raise DataError(f"{name}, line {number}: not JSON: {error}.") from None
        if not isinstance(record, dict):
            raise DataError(f"{name}, line {number}: not a JSON object.")
        yield number, record


def delimited_lines(name: str, content: bytes, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    r"""Yield the number and the fields of every line that is not empty; a quoted field may contain line breaks.

    The number is that of the last line of the fields.

    Raises
    ------
    irmx.DataError
        If the number of fields differs from the first line, a quote is unclosed or misplaced, or a line is not UTF-8;
        the message names the line.

    Examples
    --------
    >>> list(delimited_lines("some.csv", b'a, b\n1,"2,3"\n', ","))
    [(1, ['a', ' b']), (2, ['1', '2,3'])]
    """
    reader = csv.reader(io.StringIO(text_of(name, content), newline=""), delimiter=delimiter, strict=True)
    width = None
    try:
        for fields in reader:
            if not any(map(str.strip, fields)):
                continue
            width = width or len(fields)
            if len(fields) != width:
                raise DataError(
                    f"{name}, line {reader.line_num}: {len(fields)} fields where the header has {width} columns."
                )
            yield reader.line_num, fields
    except csv.Error as error:
        raise DataError(f"{name}, line {reader.line_num}: {error}. Is a quote unclosed or misplaced?") from None
