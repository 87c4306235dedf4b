"""Text files: what is not text in them, their lines by number, and comma- or tab-separated fields."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterator

from irmx.errors import DataError, counted


def lines_until(content: bytes, end: int) -> int:
    r"""Return the number of lines that end before a place, whatever they end with.

    >>> lines_until(b"a\nb\r\nc", 5)
    2
    """
    lines = content.count(b"\n", 0, end)
    return lines + content.count(b"\r", 0, end) - content.count(b"\r\n", 0, end) if b"\r" in content else lines


def check_text(name: str, content: bytes, lines_before: int = 0) -> None:
    r"""Raise if the content of a file is not text: wherever the first byte is that no text has, even in a field that is not read.

    Parameters
    ----------
    name : str
        The name of the file in messages.
    content : bytes
        The content.
    lines_before : int
        The number of lines of the file before the content, if that is only a part of it.

    Raises
    ------
    irmx.DataError
        If there is a zero byte, with which tools written in C end a text, or a byte that is not UTF-8; the message names the line
        and the byte.

    Examples
    --------
    >>> check_text("some.run", "größe".encode())
    >>> check_text("some.run", b"one\ntw\0")
    Traceback (most recent call last):
    ...
    irmx.errors.DataError: some.run, line 2: a zero byte at column 3. The file is damaged, or UTF-16: save it as UTF-8.
    """
    if b"\0" in content:
        place, column = _place(name, content, content.index(b"\0"), lines_before)
        what = "The file is UTF-16" if content.startswith(_UTF_16) else "The file is damaged, or UTF-16"
        raise DataError(f"{place}: a zero byte at column {column}. {what}: save it as UTF-8.")
    if not _is_utf_8(content):
        text_of(name, content, lines_before)


_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
"""The byte order marks of UTF-16, with which most such files begin."""


def _is_utf_8(content: bytes) -> bool:
    """Tell whether bytes are UTF-8, in half of the time that decoding takes, and without its memory."""
    if content.isascii():
        return True
    import pyarrow as pa

    ends = pa.py_buffer(len(content).to_bytes(8, sys.byteorder).rjust(16, b"\0"))
    try:
        pa.LargeStringArray.from_buffers(1, ends, pa.py_buffer(content)).validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _place(name: str, content: bytes, at: int, lines_before: int = 0) -> tuple[str, int]:
    """Return a file and the line of a byte, and the column of the byte."""
    start = max(content.rfind(b"\n", 0, at), content.rfind(b"\r", 0, at))
    return f"{name}, line {lines_until(content, at) + lines_before + 1}", at - start


def text_of(name: str, content: bytes, lines_before: int = 0) -> str:
    """Return the content of a file as text; see :func:`check_text` for the parameters.

    Raises
    ------
    irmx.DataError
        If it is not UTF-8; the message names the line and the byte.
    """
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line, column = _place(name, content, error.start, lines_before)
        raise DataError(
            f"{line}: the byte {content[error.start]:#04x} at column {column} is not UTF-8. Save the file as UTF-8."
        ) from None


def cut_off(content: bytes) -> str:
    """Return a sentence about a last line that cannot be read, if the file ends in the middle of it; else nothing."""
    if content.endswith((b"\n", b"\r")):
        return ""
    return " The file ends in the middle of this line, without an end of line: it is probably truncated. Copy it again."


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
                cut = (
                    cut_off(content)
                    if len(fields) < width and reader.line_num == lines_until(content, len(content)) + 1
                    else ""
                )
                raise DataError(
                    f"{name}, line {reader.line_num}: {counted(len(fields), 'field')} where the header has {width} columns.{cut}"
                )
            yield reader.line_num, fields
    except csv.Error as error:
        raise DataError(f"{name}, line {reader.line_num}: {error}. Is a quote unclosed or misplaced?") from None
