"""What runs and judgments share: dicts of dicts, and the columns of a table over rows in another order."""

from __future__ import annotations

import math
import os
import struct
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from irmx.data.table import NUMBER, TRUTH, Fingerprints, Source, Table, number_of
from irmx.declare.columns import REQUIRED, Column, TableName, missing_column
from irmx.declare.params import Param
from irmx.errors import DataError
from irmx.ragged import Array, Bools, Floats, Ints, offsets_of, position_in_segment, read_only, segment_of, shared
from irmx.text import plural, value_repr, visible

if TYPE_CHECKING:
    import pyarrow as pa

# -- ids and numbers of dicts of dicts, checked ----------------------------------------------------------------------


_IDS = {"doc_id": "document id", "query_id": "query id"}


def topics_of_dict(table: TableName, data: Mapping[Any, Any]) -> dict[Any, Mapping[str, Any]]:
    """Return a dict of dicts, in which ids of documents that are whole numbers are their digits; raise for an invalid id.

    Of a query, the first and the last document tell whether there are such; whoever reads the ids checks them by :func:`check_texts`.
    """
    data = dict(data)
    for query_id, docs in data.items():
        if isinstance(query_id, (float, tuple)) or query_id is None or query_id == "":
            raise DataError(f"A query id of the {table} is {query_id!r}; ids are texts.")
        if not isinstance(docs, Mapping):
            raise DataError(
                f"The {table} must map every query id to a dict of documents. Query {query_id!r} holds {type(docs).__name__}."
            )
        for doc in ("",) if "" in docs else (next(iter(docs)), next(reversed(docs))) if docs else ():
            if not isinstance(doc, str) or not doc:
                data[query_id] = _with_digits(table, query_id, docs)
                break
    topics = list(map(str, data))
    check_texts(table, "query_id", topics)
    if len(set(topics)) < len(topics):
        twice = next(topic for topic in topics if topics.count(topic) > 1)
        raise DataError(f"The {table} has the query id {twice} twice, as a number and as a string.")
    return data


def _with_digits(table: TableName, query_id: Any, docs: Mapping[Any, Any]) -> dict[str, Any]:
    """Return the documents of a query by their ids as texts."""
    out = {}
    for doc, value in docs.items():
        if isinstance(doc, bool) or not isinstance(doc, (str, int, np.integer)) or doc == "":
            raise DataError(
                f"A document id of the {table} is {doc!r} (query {query_id}); ids are texts or whole numbers, not empty."
            )
        out[str(doc)] = value
    if len(out) < len(docs):
        raise DataError(f"The {table} has a document of query {query_id} twice, as a number and as a text.")
    return out


def numbers_of_dict(table: TableName, column: str, data: Mapping[Any, Mapping[str, Any]], declared: Param) -> Floats:
    """Return the values of a dict of dicts; raise for the first that is not a number as declared."""
    numbers, at = np.empty(sum(map(len, data.values()))), 0
    try:
        for docs in data.values():  # numpy would also take b"1", "1_000" and dates for numbers, and is no faster
            struct.pack_into(f"{len(docs)}d", numbers.data, at, *docs.values())
            at += numbers.itemsize * len(docs)
    except struct.error:
        values = chain.from_iterable(docs.values() for docs in data.values())
        words = TRUTH if table == "qrels" else {}
        numbers = np.array(
            [float(value) if isinstance(value, (bool, np.bool_)) else number_of(value, words) for value in values],
            dtype=np.float64,
        )
    sound = np.isfinite(numbers) if declared.low is None else numbers < math.inf
    if not sound.all():
        ids = ((query_id, doc_id, value) for query_id, docs in data.items() for doc_id, value in docs.items())
        query_id, doc_id, value = next(row for row, fine in zip(ids, sound.tolist(), strict=True) if not fine)
        raise DataError(
            f"The {column} of the {table} must be a finite number. Got {value_repr(value)} instead: query {query_id}, document {doc_id}."
        )
    return numbers


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


# -- judged documents, by fingerprints of their ids ------------------------------------------------------------------


class JudgedIds:
    """Judged documents of topics, to be found by the fingerprints of their ids; a match is one of the ids themselves.

    Attributes
    ----------
    keys : array of 64-bit numbers
        The fingerprints of the documents in their topics, ascending.
    """

    def __init__(self, ids: pa.Array, prints: Fingerprints, row: Ints, topic: Ints) -> None:
        self._order, self.keys = prints.by_topic(topic, row)
        self._ids, self._prints, self._row = ids, prints, row

    def found_in(self, keys: Array, topics: Ints, others: Ints) -> tuple[Ints, Ints, Ints]:
        """Find documents of topics among ascending numbers of topic and fingerprint, whose topics have other numbers.

        Returned are all pairs of equal fingerprints: the position of the document here, the place among the numbers, and which of the
        topics given it is.
        """
        shift = np.uint64(40)
        ends = np.searchsorted(self.keys, np.stack([topics, topics + 1]).astype(np.uint64) << shift)
        offsets = offsets_of(ends[1] - ends[0])
        of, place = segment_of(offsets), np.repeat(ends[0], np.diff(offsets)) + position_in_segment(offsets)
        wanted = (self.keys[place] & ((np.uint64(1) << shift) - np.uint64(1))) | (others.astype(np.uint64)[of] << shift)
        first = np.searchsorted(keys, wanted)
        number = (np.append(keys, np.uint64(0))[first] == wanted).astype(np.int64)
        if np.any(keys[1:] == keys[:-1]):
            number = np.searchsorted(keys, wanted, side="right") - first
        at = np.repeat(first, number) + position_in_segment(offsets_of(number))
        return self._order[np.repeat(place, number)], at, np.repeat(of, number)

    def are_at(self, position: Ints, prints: Fingerprints, rows: Ints, ids: pa.Array) -> Bools:
        """Tell which documents are those in some rows of a run, of pairs with the same fingerprint."""
        return prints.are_same(rows, ids, self._prints, self._row[position], self._ids)


# -- what runs and judgments share -----------------------------------------------------------------------------------


Labels = tuple[Ints, tuple[Any, ...]]
"""The number of each row's label, -1 if it is missing, and the labels by number."""


class SourceColumns:
    """The columns of a run or of judgments, over rows that are in another order than in the table, or more."""

    KIND: ClassVar[TableName]

    def __init__(self, topics: list[Any], source: Source) -> None:
        self.topics, self.source = topics, source
        self.table: Table | None = None
        self._labels: dict[str, Labels] = {}
        self._numbers: dict[Column, Floats] = {}

    @abstractmethod
    def _main_numbers(self) -> Floats:
        """Return the scores or the grades of all rows."""

    @abstractmethod
    def _over_rows(self, values: Array, nothing: float | None) -> Array:
        """Return values of the rows of the table as those of all rows here; ``nothing`` for a row that has none."""

    @abstractmethod
    def _rows_of_table(self, rows: Sequence[int]) -> list[int]:
        """Return the rows of the table of some rows."""

    @property
    def columns(self) -> list[str]:
        """The names of all columns."""
        return list(REQUIRED[self.KIND]) if self.table is None else self.table.names

    def column(self, name: str) -> Array | None:
        """Return a column over the rows as given, as floats or as objects; None if there is none."""
        if name == REQUIRED[self.KIND][-1]:
            return self._main_numbers()
        if self.table is None or name not in self.table:
            return None
        values = self.table.values(name)
        return read_only(self._over_rows(values, np.nan if values.dtype.kind == "f" else None))

    def labels(self, column: Column | str) -> Labels | None:
        """Return, over the rows as given, the number of each label, -1 if missing, and the labels; None without the column."""
        name = column if isinstance(column, str) else column.name
        if self.table is None or name not in self.table:
            return None
        if name not in self._labels:
            self._labels[name] = shared(self.table.labels(column))
        number, names = self._labels[name]
        return self._over_rows(number, -1), names

    def numbers(self, column: Column) -> Floats | None:
        """Return a column of finite numbers over the rows as given, NaN if a cell is empty; None if there is none."""
        if column.name == REQUIRED[self.KIND][-1]:
            return self._main_numbers()
        if self.table is None or column.name not in self.table:
            return None
        if column not in self._numbers:
            self._numbers[column] = read_only(self.table.numbers(column.name, NUMBER, dates=True))
        return self._over_rows(self._numbers[column], np.nan)

    def place(self, rows: Sequence[int]) -> str:
        """Return the file, and the lines of some rows, for the start of a message; empty if there is no file."""
        of_table = self._rows_of_table(rows)
        return self.source.place(of_table) if of_table or not len(rows) else ""

    def lacking(self, column: Column) -> str:
        """Return the message about a missing column: what it is, which columns there are, and how to get it."""
        return missing_column(column, self.columns) + self.source.how_to_get(column.name)

    def __len__(self) -> int:
        return len(self._main_numbers())

    def __repr__(self) -> str:
        source = os.path.basename(self.source.path) or self.source.dataset_id
        size = f"{plural(len(self.topics), 'topic')}, {plural(len(self), 'document')}"
        return f"<{type(self).__name__}: {size}{', ' if source else ''}{visible(source)}>"
