"""Mutations of a sound file: of its bytes, its lines, its fields, and the values in its JSON.

Each takes a source of random numbers and the content, and returns the content with one change.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from random import Random
from typing import Any

Mutation = Callable[[Random, bytes], bytes]

LARGEST = 200_000
"""The largest input in bytes: what is wrong with a file of 1 GB is wrong with a small one, or a matter of a benchmark."""

TEXTS = [
    "", " ", "0", "-0", "+1", ".5", "5.", "1e5", "1e", "--1", "1,5", "1 2", "nan", "NaN", "inf", "-Infinity", "1e400", "-1e400",
    "1e-400", "1_000", "0x10", "0b1", "1j", "true", "True", "null", "None", "2014-03-01", "2014-03-01T10:00:00Z", "12:30",
    str(2**31), str(2**53 + 1), str(2**63), str(10**30), "9" * 400, "١٢", "１２", "²", "½", "é", "e\u0301", "\u00a0", "\u2028",
    "\ufeff", "\u202e", "\x1b[31m", "\x07", "\x85", "\x0b", "\x1c", "=cmd", "#", "#310", "# x", '"', "'", '""', "\\", "\\u0000",
    "<b>", "$x$", "a/../b", "%s", "{}", "{", "[", "-", "--", "*", "\U0001f600", "x" * 5000,
]  # fmt: skip
"""Fields that some reader has taken for something else."""

BYTES = [b"\0", b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xc0\x80", b"\x80", b"\r", b"\n", b"\r\n", b"\t", b" ",
         b",", b'"', b"'", b"\x1a", b"\x1f\x8b", b"PAR1", b"BZh", b"\0" * 5000, b"[" * 100_000, b'{"a":' * 20_000, b" " * 50_000]  # fmt: skip
"""Bytes that end, begin or hide something."""

ODD_JSON: list[Any] = [
    None, True, False, 0, -1, 1.5, 10**30, 2**63, -(2**63) - 1, 1e308, float("nan"), float("inf"), "", "1", "nan", "\0", "\ud800",
    [], [1], {}, {"a": 1}, [[[]]], ["1", 2], "2014-03-01", "1_000", "x" * 3000,
]  # fmt: skip
"""Values for a key that has another type."""


def place_in(random: Random, content: bytes) -> int:
    """Return a place in the content, often near one of its ends, where headers and cut lines are."""
    length = len(content)
    return random.choice(
        (random.randrange(length + 1), min(random.randrange(40), length), max(0, length - random.randrange(40)))
    )


def flip(random: Random, content: bytes) -> bytes:
    """Change a bit."""
    at = min(place_in(random, content), len(content) - 1)
    return content[:at] + bytes([content[at] ^ 1 << random.randrange(8)]) + content[at + 1 :]


def insert(random: Random, content: bytes) -> bytes:
    """Insert odd bytes."""
    at = place_in(random, content)
    return content[:at] + random.choice(BYTES) + content[at:]


def delete(random: Random, content: bytes) -> bytes:
    """Delete some bytes."""
    at = place_in(random, content)
    return content[:at] + content[at + random.choice((1, 2, 10, 100)) :]


def duplicate(random: Random, content: bytes) -> bytes:
    """Repeat some bytes."""
    at = place_in(random, content)
    return content[:at] + content[at : at + random.choice((1, 10, 100))] * random.choice((2, 3, 50)) + content[at:]


def truncate(random: Random, content: bytes) -> bytes:
    """Drop the end, as a download that was cut."""
    return content[: place_in(random, content)]


def change_line(random: Random, content: bytes) -> bytes:
    """Repeat, drop, move or empty a line, or change how it ends."""
    lines = content.splitlines(keepends=True)
    at, to = random.randrange(len(lines)), random.randrange(len(lines))
    line = lines[at]
    lines[at : at + 1] = random.choice(([], [line, line], [line, b"\n"], [line.rstrip(b"\r\n")], [line.rstrip() + b"\r\n"], [b"#" + line],
                                        [line.rstrip() + b"\r"], [line.rstrip() + b" \n"], [b" " + line], [b"\t" + line]))  # fmt: skip
    if random.random() < 0.2:
        lines.insert(to, line)
    return b"".join(lines)


def change_field(random: Random, content: bytes) -> bytes:
    """Replace, drop, repeat or swap fields of one line, which white space or commas separate."""
    lines = content.splitlines(keepends=True)
    at = random.choice((0, random.randrange(len(lines)), random.randrange(len(lines)), len(lines) - 1))
    parts = re.split(rb"([ \t,\r\n]+)", lines[at])
    field, other = random.randrange(0, len(parts), 2), random.randrange(0, len(parts), 2)
    way = random.randrange(7)
    if way == 0:
        parts[field], parts[other] = parts[other], parts[field]
    elif way == 1:
        del parts[field : field + 2]
    elif way == 2:
        parts[field:field] = parts[field : field + 2]
    elif way == 3:
        parts[field] = b'"' + parts[field] + b'"'
    elif way == 4:
        parts[field] += random.choice((b" ", b"  ", b"\xc2\xa0", b"\t", b"\x0c"))
    else:
        parts[field] = random.choice(TEXTS).encode()
    lines[at] = b"".join(parts)
    return b"".join(lines)


def change_json(random: Random, content: bytes) -> bytes:
    """Replace, rename, repeat, nest or drop a value in one line of JSON, or in the whole content."""
    lines = content.split(b"\n")
    at = random.choice((0, random.randrange(len(lines)), random.randrange(len(lines))))
    try:
        record = json.loads(lines[at])
    except (ValueError, RecursionError):
        return change_field(random, content)
    if not isinstance(record, dict) or not record or random.random() < 0.1:
        lines[at] = json.dumps(random.choice([*ODD_JSON, [record], {"a": record}])).encode()
        return b"\n".join(lines)
    key = random.choice(list(record))
    text = json.dumps(record)
    way = random.randrange(6)
    if way == 0:
        record[random.choice(TEXTS)] = record.pop(key)
    elif way == 1:
        del record[key]
    elif way == 2:
        text = text[:-1] + f", {json.dumps(key)}: {json.dumps(random.choice(ODD_JSON))}}}"
    else:
        record[key] = random.choice([*ODD_JSON, str(record[key]), [record[key]], random.choice(TEXTS)])
    lines[at] = (text if way == 2 else json.dumps(record, ensure_ascii=random.random() < 0.5)).encode(
        "utf-8", "surrogatepass"
    )
    return b"\n".join(lines)


OF_BYTES: list[Mutation] = [flip, insert, delete, duplicate, truncate]
OF_TEXT: list[Mutation] = [*OF_BYTES, change_line, change_line, change_field, change_field, change_field, change_field]
OF_JSON: list[Mutation] = [*OF_BYTES, change_line, change_json, change_json, change_json, change_json]


def mutated(random: Random, seeds: list[bytes], mutations: list[Mutation]) -> bytes:
    """Return a seed with one to five changes; sometimes two seeds are joined first."""
    content = random.choice(seeds)
    if random.random() < 0.05:
        other = random.choice(seeds)
        content = content[: place_in(random, content)] + other[place_in(random, other) :]
    for _ in range(random.choice((1, 1, 1, 2, 3, 5))):
        if content:
            content = random.choice(mutations)(random, content)
    return content[:LARGEST]
