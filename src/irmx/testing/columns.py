"""What made-up columns hold: values by column, of a row, a document, a subtopic or a topic."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from irmx.declare.columns import Column


@dataclass(frozen=True)
class ColumnValues:
    """Where the values of a column come from in made-up tables.

    Attributes
    ----------
    strategy : hypothesis.strategies.SearchStrategy
        Gives one value.
    per : tuple of str
        The columns that a value belongs to: rows that agree in them have the same value. ``("query_id",)`` is a value
        per topic, ``("query_id", "doc_id")`` per document, ``("query_id", "iteration")`` per subtopic or nugget. Without
        it every row has a value of its own.
    orders : bool
        Whether a measure may order rows by it; the values of a topic then differ wherever no ties are wanted.
    shares : bool
        Whether the values of a topic are scaled to add up to 1, as probabilities do.

    Examples
    --------
    >>> from hypothesis import strategies as st
    >>> ColumnValues(st.integers(1, 9), per=("query_id", "doc_id")).per
    ('query_id', 'doc_id')
    """

    strategy: st.SearchStrategy[Any]
    per: tuple[str, ...] = ()
    orders: bool = False
    shares: bool = False


TOPIC, DOCUMENT, SUBTOPIC = ("query_id",), ("query_id", "doc_id"), ("query_id", "iteration")
_DAYS = 86400

VOCABULARY: dict[tuple[str, str], ColumnValues] = {
    ("run", "timestamp"): ColumnValues(st.integers(0, 8).map(lambda days: days * _DAYS), orders=True),
    ("run", "length"): ColumnValues(st.integers(8, 60), DOCUMENT),
    ("run", "vertical"): ColumnValues(st.sampled_from(("web", "news", "images"))),
    ("run", "media"): ColumnValues(st.sampled_from(("text", "image", "video"))),
    ("run", "dwell"): ColumnValues(st.integers(1, 60)),
    ("qrels", "window"): ColumnValues(st.sampled_from(("w1", "w2")), DOCUMENT),
    ("qrels", "subtopic_weight"): ColumnValues(st.integers(1, 4), SUBTOPIC, shares=True),
    ("qrels", "window_weight"): ColumnValues(st.integers(1, 4), ("query_id", "window"), shares=True),
    ("qrels", "importance"): ColumnValues(st.integers(0, 3), SUBTOPIC),
    ("qrels", "nugget_length"): ColumnValues(st.integers(1, 9), SUBTOPIC),
    ("qrels", "match_start"): ColumnValues(st.integers(0, 3)),
    ("qrels", "match_end"): ColumnValues(st.integers(4, 8)),
    ("qrels", "length"): ColumnValues(st.integers(8, 60), DOCUMENT),
    ("qrels", "original_length"): ColumnValues(st.integers(8, 60), DOCUMENT),
    ("qrels", "replaced"): ColumnValues(st.sampled_from((0, 0, 0, 1))),
    ("qrels", "pooled"): ColumnValues(st.sampled_from((1, 1, 1, 0)), DOCUMENT),
    ("qrels", "query_start"): ColumnValues(st.integers(0, _DAYS), TOPIC),
    ("qrels", "query_end"): ColumnValues(st.integers(5 * _DAYS, 9 * _DAYS), TOPIC),
    ("qrels", "orientation"): ColumnValues(st.sampled_from((0.0, 0.25, 0.5, 1.0)), ("query_id", "vertical")),
    ("qrels", "vertical"): ColumnValues(st.sampled_from(("web", "news", "images")), DOCUMENT),
    ("qrels", "stop_probability"): ColumnValues(st.integers(1, 4), DOCUMENT, shares=True),
    ("qrels", "best_retrieved"): ColumnValues(st.integers(40, 50), TOPIC),
}
"""The values of the columns of the vocabulary, by table and name; small, and such that they go together."""

_DATES = ColumnValues(st.integers(0, 70).map(lambda days: days * _DAYS), DOCUMENT)
_NUGGET_TIMES = ColumnValues(st.integers(0, 8 * _DAYS), SUBTOPIC)


def values_of(columns: Iterable[Column], given: Mapping[tuple[str, str], ColumnValues]) -> dict[Column, ColumnValues]:
    """Return where the values of declared columns come from: as given, else as in the vocabulary, else any numbers or labels.

    ``timestamp`` in the qrels is the time of a nugget where the run has times too, else the date of a document.

    Parameters
    ----------
    columns : iterable of Column
        The columns that a measure declares.
    given : mapping of (table, name) to ColumnValues
        Goes before the vocabulary.

    Examples
    --------
    >>> from irmx import Column
    >>> clicks = Column("run", "clicks", "clicks on the result")
    >>> values_of([clicks], {})[clicks].strategy
    integers(min_value=0, max_value=9)
    """
    declared = list(columns)
    streams = any(c.table == "run" and c.name == "timestamp" for c in declared)
    known = {**VOCABULARY, ("qrels", "timestamp"): _NUGGET_TIMES if streams else _DATES, **given}
    return {c: known.get((c.table, c.name), _NUMBERS if c.dtype == "float" else _LABELS) for c in declared}


_NUMBERS = ColumnValues(st.integers(0, 9))
_LABELS = ColumnValues(st.sampled_from(("one", "two", "three")))
