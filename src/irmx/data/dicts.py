"""Ids and numbers of dicts of dicts, checked."""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from irmx.data.cells import as_number
from irmx.declare.columns import TableName
from irmx.declare.params import Param
from irmx.errors import DataError
from irmx.ragged import Floats
from irmx.text import value_repr

_IDS = {"doc_id": "document id", "query_id": "query id"}


def topics_of_dict(table: TableName, data: Mapping[Any, Any]) -> list[Any]:
    """Return the query ids of a dict of dicts; raise for an invalid id, and for a query id without a dict of documents."""
    for query_id, docs in data.items():
        if isinstance(query_id, (float, tuple)) or query_id is None or query_id == "":
            raise DataError(f"A query id of the {table} is {query_id!r}; ids are texts.")
        if not isinstance(docs, Mapping):
            raise DataError(
                f"The {table} must map every query id to a dict of documents. Query {query_id!r} holds {type(docs).__name__}."
            )
        first = "" if "" in docs else next(iter(docs), "-")
        if not isinstance(first, str) or not first:
            raise DataError(f"A document id of the {table} is {first!r} (query {query_id}); ids are texts, not empty.")
    topics = list(map(str, data))
    check_texts(table, "query_id", topics)
    if len(set(topics)) < len(topics):
        twice = next(topic for topic in topics if topics.count(topic) > 1)
        raise DataError(f"The {table} has the query id {twice} twice, as a number and as a string.")
    return list(data)


def numbers_of_dict(table: TableName, column: str, data: Mapping[Any, Mapping[str, Any]], declared: Param) -> Floats:
    """Return the values of a dict of dicts; raise for the first that is not a number as declared."""
    numbers, at = np.empty(sum(map(len, data.values()))), 0
    try:
        for docs in data.values():  # numpy would also take b"1", "1_000" and dates for numbers, and is no faster
            struct.pack_into(f"{len(docs)}d", numbers.data, at, *docs.values())
            at += numbers.itemsize * len(docs)
    except struct.error:
        values = chain.from_iterable(docs.values() for docs in data.values())
        numbers = np.array([_number_in_dict(value) for value in values], dtype=np.float64)
    sound = np.isfinite(numbers) if declared.low is None else numbers < math.inf
    if not sound.all():
        ids = ((query_id, doc_id, value) for query_id, docs in data.items() for doc_id, value in docs.items())
        query_id, doc_id, value = next(row for row, fine in zip(ids, sound.tolist(), strict=True) if not fine)
        raise DataError(
            f"The {column} of the {table} must be a finite number. Got {value_repr(value)} instead: query {query_id}, document {doc_id}."
        )
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


def check_texts(table: TableName, column: str, ids: Sequence[Any]) -> None:
    """Raise if an id is not a string, or one that tools written in C cannot take: it ends the process of some."""
    try:
        joined = "".join(ids)
        if "\0" not in joined and (joined.isascii() or joined.encode()):
            return
    except (TypeError, UnicodeEncodeError):
        pass
    for text in ids:
        what = f"A {_IDS[column]} of the {table} is"
        if not isinstance(text, str):
            raise DataError(f"{what} {text!r}; ids are texts.")
        if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
            raise DataError(f"{what} {text[:100]!r}: a zero byte, or half a character that UTF-8 cannot encode.")
