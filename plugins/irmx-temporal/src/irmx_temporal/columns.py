"""The columns that diversity measures read, the labels in them, and the dates of documents in collections."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from irmx import Column, Field, Rows, SampleValues
from irmx.ragged import Ints

_DAY = 86400
_DOCUMENT = ("query_id", "doc_id")

SUBTOPIC = Column(
    "qrels",
    "iteration",
    "subtopic or nugget id",
    dtype="str",
    how="use qrels with one row per document and subtopic, such as those of a diversity track",
)
TIMESTAMP = Column(
    "qrels",
    "timestamp",
    "time at which the nugget was first known; for documents: their date",
    unit="s since 1970; dates are accepted",
    how="add the dates of the documents, or, for a dataset whose documents have dates, load the qrels with "
    "irmx.collections.judgments(id, columns=['timestamp'])",
    sample=SampleValues(range(0, 71 * _DAY, _DAY), _DOCUMENT),
)
WINDOW = Column(
    "qrels",
    "window",
    "label of the document's time window",
    dtype="str",
    how="add it, or cut windows from the dates in 'timestamp' with the parameter window, such as window='1mo'",
    instead="timestamp",
    sample=SampleValues(("w1", "w2"), _DOCUMENT),
)
SUBTOPIC_WEIGHT = Column(
    "qrels",
    "subtopic_weight",
    "P(c|q), the weight of the subtopic",
    optional=True,
    sample=SampleValues(range(1, 5), ("query_id", "iteration"), shares=True),
)
WINDOW_WEIGHT = Column(
    "qrels",
    "window_weight",
    "P(t|q), the weight of the document's time window",
    optional=True,
    sample=SampleValues(range(1, 5), ("query_id", "window"), shares=True),
)


def labels(rows: Rows, column: Column) -> tuple[Ints, list[Any]]:
    """Return the number of the label of every row, -1 for none, and the labels in their natural order, 2 before 10."""
    number, names = rows.labels(column, missing_ok=True)
    order = sorted(range(len(names)), key=lambda i: natural(names[i]))
    place = np.empty(len(names) + 1, dtype=np.int64)
    place[order] = np.arange(len(names))
    place[-1] = -1
    return place[number], [names[i] for i in order]


def natural(name: Any) -> tuple[Any, ...]:
    """Return a sort key for labels that orders the numbers in them by value.

    >>> sorted(["c10", "c2", "b"], key=natural)
    ['b', 'c2', 'c10']
    """
    if not isinstance(name, str):
        return (name,)
    return tuple(_piece(piece) for piece in re.split(r"([0-9]+)", name) if piece)


def _piece(piece: str) -> tuple[int, int, str]:
    digits = piece.lstrip("0")  # of two numbers, the one with more digits is larger; int() takes only some thousands
    return (0, len(digits), digits) if piece.isascii() and piece.isdecimal() else (1, 0, piece)


_DATES = {
    "tweets2013-ia": ("created_at", "twitter"),
    "wapo": ("published_date", "milliseconds"),
    "cord19": ("date", "iso"),
    "hc4": ("time", "iso"),
    "neuclir": ("time", "iso"),
    "c4": ("timestamp", "iso"),
    "clueweb09": ("date", "warc"),
    "clueweb12": ("date", "warc"),
    "longeval-web": ("last_updated_at", "seconds"),
    "longeval-sci": ("publishedDate", "iso"),
    "longeval-sci-2026": ("publishedDate", "iso"),
}
"""Date fields and their formats by dataset, with the field names of ir_datasets 0.6.3 and ir-datasets-longeval 0.0.15."""

FIELDS = [Field(dataset, TIMESTAMP.name, field, form) for dataset, (field, form) in _DATES.items()]
