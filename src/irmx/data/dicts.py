"""Ids and numbers of dicts of dicts, checked."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from irmx.data.numerals import as_number
from irmx.data.tables import ZERO, no_utf8, why_no_number
from irmx.declare.columns import Table
from irmx.errors import DataError
from irmx.ragged import Floats


def topic_ids(table: Table, data: Mapping[Any, Any]) -> list[Any]:
    """Return the query ids of a dict of dicts; raise for an invalid id, and for a query id without a dict of documents."""
    for query_id, docs in data.items():
        if isinstance(query_id, (float, tuple)) or query_id is None:
            raise DataError(f"A query id of the {table} is {query_id!r}; ids are texts.")
        if not isinstance(docs, Mapping):
            raise DataError(
                f"The {table} must map every query id to a dict of documents. Query {query_id!r} holds {type(docs).__name__}."
            )
        first = next(iter(docs), "")
        if not isinstance(first, str):
            raise DataError(f"A document id of the {table} is {first!r} (query {query_id}); ids are texts.")
    if len(set(map(str, data))) < len(data):
        twice = next(q for q in data if isinstance(q, str) and sum(str(other) == q for other in data) > 1)
        raise DataError(f"The {table} has the query id {twice} twice, as a number and as a string.")
    return list(data)


def numbers_of_dict(table: Table, column: str, data: Mapping[Any, Mapping[str, Any]]) -> Floats:
    """Return the values of a dict of dicts; raise for the first that is not a finite number."""
    numbers = np.empty(sum(map(len, data.values())))
    at = 0
    try:
        for docs in data.values():  # numpy would also take b"1", "1_000" and dates for numbers, and is no faster
            struct.pack_into(f"{len(docs)}d", numbers.data, at, *docs.values())
            at += numbers.itemsize * len(docs)
    except struct.error:
        values = chain.from_iterable(docs.values() for docs in data.values())
        numbers = np.array([_number_in_dict(value) for value in values], dtype=np.float64)
    if not np.isfinite(numbers).all():
        number = iter(np.isfinite(numbers).tolist())
        query_id, doc_id, value = next(
            (query_id, doc_id, value)
            for query_id, docs in data.items()
            for doc_id, value in docs.items()
            if not next(number)
        )
        why = why_no_number(value)
        raise DataError(f"The {column} {value!r} of the {table} {why}: query {query_id}, document {doc_id}.")
    return numbers


def _number_in_dict(value: Any) -> float:
    """Return a value as a number, NaN if it is none."""
    if isinstance(value, str):
        number = as_number(value)
        return math.nan if number is None else number
    try:
        return float(struct.unpack("d", struct.pack("d", value))[0])
    except struct.error:
        return math.nan


def check_ids(table: Table, column: str, ids: Sequence[Any]) -> None:
    """Raise if an id is not a string, or one that tools written in C cannot take: it ends the process of some."""
    try:
        joined = "".join(ids)
        sound = "\0" not in joined and (joined.isascii() or bool(joined.encode()))
    except (TypeError, UnicodeEncodeError):
        sound = False
    if not sound:
        refuse_odd_ids(table, ids, column)


def refuse_odd_ids(table: Table, ids: Iterable[Any], column: str = "doc_id") -> None:
    """Raise if an id is not a string, has a zero byte, or cannot be encoded in UTF-8; slow, used to name it after a failure."""
    for text in ids:
        if not isinstance(text, str):
            raise DataError(f"A {_IDS[column]} of the {table} is {text!r}; ids are texts.")
        if "\0" in text:
            raise DataError(f"The column {column!r} of the {table} holds {text[:100]!r}, {ZERO}.")
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise no_utf8(table, column, error) from None


_IDS = {"doc_id": "document id", "query_id": "query id"}
