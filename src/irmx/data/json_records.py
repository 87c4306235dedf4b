"""JSON Lines: one object per line, read by Python, or found fit for a reader that would crash on anything else."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from irmx.data.lines import check_text, cut_off
from irmx.errors import DataError

DEPTH = 100
"""How deep lists and objects may be nested in each other. Arrow follows them on the stack of its thread, without a limit."""
_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"?')


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
    check_text(name, content)
    decoder = json.JSONDecoder(parse_constant=constant, object_pairs_hook=_without_repeats)
    lines = content.splitlines()
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        _check_depth(name, number, line)
        try:
            record = decoder.decode(line.decode())
            if rb"\ud" in line.lower():
                json.dumps(record, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            what = r"half of a character, such as \ud800 without the other half. Write both halves, or the character in UTF-8"
            raise DataError(f"{name}, line {number}: a text holds {what}.") from None
        except (ValueError, RecursionError) as error:
            cut = cut_off(content) if number == len(lines) else ""
            raise DataError(f"{name}, line {number}: not JSON: {_why(error)}.{cut or _EACH_LINE}") from None
        if not isinstance(record, dict):
            raise DataError(f"{name}, line {number}: not a JSON object.{_EACH_LINE}")
        yield number, record


_EACH_LINE = " Each line must be one JSON object."


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object, unless it has two values for a key."""
    record = dict(pairs)
    if len(record) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key {next(key for key in keys if keys.count(key) > 1)!r} occurs twice in an object")
    return record


def _why(error: Exception) -> str:
    """Return why something is not JSON; what Python says about its own limits is no advice for a user."""
    if isinstance(error, RecursionError):
        return "lists and objects are nested too deeply"
    return str(error) if not str(error).startswith("Exceeds the limit") else "a number has thousands of digits"


def check_json_lines(name: str, content: bytes) -> int:
    r"""Raise unless every line is blank, or begins and ends as an object whose nesting is bounded; return the number of objects.

    Arrow's reader crashes on a file whose first value is null, and on values that are nested deeply. It also accepts what
    has other line numbers than the messages of irmx: several objects in a line, and one object in several lines.

    Raises
    ------
    irmx.DataError
        If a line is not an object; the message names it.

    Examples
    --------
    >>> check_json_lines("some.jsonl", b'{"a": 1}\n\n{"a": null}')
    2
    >>> check_json_lines("some.jsonl", b'null\n{"a": 1}')
    Traceback (most recent call last):
    ...
    irmx.errors.DataError: some.jsonl, line 1: not a JSON object. Each line must be one JSON object.
    """
    check_text(name, content)
    characters = np.frombuffer(content, np.uint8)
    ends = characters == ord("\n")
    if b"\r" in content:
        ends |= characters == ord("\r")
    end = np.append(np.flatnonzero(ends), len(characters))
    start = np.append(0, end[:-1] + 1)
    filled = end > start
    first, last = characters[start[filled]], characters[end[filled] - 1]
    # An object that goes on in the next line ends this one with something else: after a }, it could only go on with , } or ].
    if ((first != ord("{")) | (last != ord("}"))).any():
        lines = [line.strip(b" \t") for line in content.splitlines()]
        if not all(not line or (line.startswith(b"{") and line.endswith(b"}")) for line in lines):
            _refuse(name, content)
        objects = sum(map(bool, lines))
    else:
        objects = int(np.count_nonzero(filled))
    braces = int(np.count_nonzero(np.equal(characters, ord("{"), out=ends)))
    brackets = content.count(b"[") if b"[" in content else 0
    if braces + brackets - objects < DEPTH:  # every object has one, and no line so many more
        return objects
    opening = np.flatnonzero(characters | 0x20 == ord("{"))  # also [, which differs from { in this bit
    many = np.diff(np.searchsorted(opening, np.append(start, len(characters)))) > DEPTH
    for number in np.flatnonzero(many).tolist():
        _check_depth(name, 1 + len(content[: start[number]].splitlines()), content[start[number] : end[number]])
    return objects


def _refuse(name: str, content: bytes) -> None:
    for number, line in json_lines(name, content, lambda _: 0.0):
        del number, line
    raise DataError(f"{name} is not JSON Lines.{_EACH_LINE}")


def _check_depth(name: str, number: int, line: bytes) -> None:
    """Raise if lists and objects are nested too deeply in a line."""
    if line.count(b"{") + line.count(b"[") <= DEPTH:
        return
    outside = np.frombuffer(_STRING.sub(b"", line), np.uint8) | 0x20
    depth = np.cumsum((outside == ord("{")).astype(np.int64) - (outside == ord("}")))
    if depth.max(initial=0) > DEPTH:
        raise DataError(
            f"{name}, line {number}: lists and objects are nested {depth.max()} deep. At most {DEPTH} levels are read."
        )
