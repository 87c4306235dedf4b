"""Readers of runs and qrels to compare irmx with: strict, slow, plain Python, each written from the guide alone.

Each takes the content of a file, and returns its rows as ``(query_id, doc_id, number)``, or raises :class:`NotARowError`.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from typing import Any

Row = tuple[str, str, float]

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_NAMES = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}


class NotARowError(Exception):
    """What a strict reader refuses; the text says why."""


def number(text: str) -> float:
    """Return a finite decimal number in ASCII."""
    if not NUMBER.fullmatch(text) or not math.isfinite(float(text)):
        raise NotARowError("not a finite number")
    return float(text)


def text_of(content: bytes) -> str:
    """Return the text of a file in UTF-8 without zero bytes."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise NotARowError("not UTF-8") from None
    if "\0" in text:
        raise NotARowError("a zero byte")
    return text


def trec_rows(table: str, content: bytes) -> list[Row]:
    """Read a TREC file: fields between white space of ASCII, lines that begin with # are comments if they cannot be rows."""
    width, at = (6, 4) if table == "run" else (4, 3)
    rows: list[Row] = []
    for line in re.split(r"\r\n|\n|\r", text_of(content)):
        fields = re.findall(r"[^ \t\v\f]+", line)
        if table == "run" and len(fields) > 6 and _has_longer_tag(fields):
            fields = fields[:6]
        is_row = len(fields) == width and _is_number(fields[at])
        if not fields or (not is_row and fields[0].startswith("#") and (not rows or fields[0] == "#")):
            continue
        if len(fields) != width:
            raise NotARowError("too many or too few fields")
        rows.append((fields[0], fields[2], number(fields[at])))
    return rows


def _has_longer_tag(fields: list[str]) -> bool:
    """Tell whether what follows the sixth field of a run belongs to its tag."""
    return bool(re.fullmatch("[0-9]+", fields[3]) and NUMBER.fullmatch(fields[4]) and not _is_number(fields[5]))


def _is_number(text: str) -> bool:
    return bool(NUMBER.fullmatch(text) or re.fullmatch(r"[+-]?(nan|inf|infinity)", text, re.IGNORECASE))


def delimited_rows(table: str, content: bytes, delimiter: str) -> list[Row]:
    """Read a table with a header."""
    try:
        lines = [
            f for f in csv.reader(io.StringIO(text_of(content), newline=""), delimiter=delimiter, strict=True) if f
        ]
    except csv.Error as error:
        raise NotARowError(str(error)) from None
    if not lines:
        raise NotARowError("empty")
    names = [_NAMES.get(name.strip(), name.strip()) for name in lines[0]]
    if len(set(names)) < len(names):
        raise NotARowError("a column twice")
    rows = []
    for fields in lines[1:]:
        if len(fields) != len(names):
            raise NotARowError("too many or too few fields")
        if any(name != name.strip() for name in lines[0]):
            fields = [field.strip() for field in fields]
        rows.append(_row(table, dict(zip(names, fields, strict=True)), lambda text: number(text.strip(" \t\v\f"))))
    return rows


def json_rows(table: str, content: bytes) -> list[Row]:
    """Read one JSON object per line."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        record = dict(pairs)
        if len(record) < len(pairs):
            raise NotARowError("a key twice")
        return record

    def json_number(value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise NotARowError("not a number")
        try:
            value = float(value)
        except OverflowError:
            value = math.inf
        if not math.isfinite(value):
            raise NotARowError("not a finite number")
        return value

    rows = []
    kinds: dict[str, type] = {}
    for line in re.split(r"\r\n|\n|\r", text_of(content)):
        if not line.strip(" \t"):
            continue
        try:
            record = json.loads(line, object_pairs_hook=once)
            json.dumps(record, ensure_ascii=False).encode()
        except (ValueError, RecursionError):  # an unpaired surrogate is one, too
            raise NotARowError("not JSON") from None
        if not isinstance(record, dict):
            raise NotARowError("not an object")
        for name, value in record.items():
            kind = float if type(value) is int else type(value)
            if value is not None and kinds.setdefault(name, kind) is not kind:
                raise NotARowError("values of two types for a key")
        rows.append(_row(table, {_NAMES.get(name.strip(), name.strip()): v for name, v in record.items()}, json_number))
    if len({_NAMES.get(name.strip(), name.strip()) for name in kinds}) < len(kinds):
        raise NotARowError("a column twice")
    return rows


def _row(table: str, record: dict[str, Any], as_number: Any) -> Row:
    """Return the three cells of a record."""
    value = "score" if table == "run" else "relevance"
    missing = [name for name in ("query_id", "doc_id", value) if name not in record]
    if missing:
        raise NotARowError(f"no {missing[0]}")
    ids = [record["query_id"], record["doc_id"]]
    if any(isinstance(text, bool) or not isinstance(text, (str, int)) for text in ids):
        raise NotARowError("an id that is neither a text nor a whole number")
    if any("\0" in str(text) for text in ids):
        raise NotARowError("a zero byte")
    if not str(ids[0]) or (not str(ids[1]) and table == "run"):
        raise NotARowError("an empty id")
    return str(ids[0]), str(ids[1]), as_number(record[value])


def as_dict(table: str, rows: list[Row]) -> dict[str, dict[str, float]]:
    """Return rows by topic and document: in qrels the largest grade counts, in a run no document may be twice."""
    if not rows:
        raise NotARowError("empty")
    out: dict[str, dict[str, float]] = {}
    for query_id, doc_id, value in rows:
        docs = out.setdefault(query_id, {})
        if doc_id in docs and table == "run":
            raise NotARowError("a document twice")
        if doc_id:
            docs[doc_id] = max(value, docs.get(doc_id, -math.inf))
    return out
