"""Rows of a run or of qrels as ragged arrays, with their columns, as given to measures."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from irmx.data.judgments import Judgments
from irmx.data.runs import Run
from irmx.declare.columns import Column, TableName
from irmx.errors import DataError, DataWarning, QrelsWarning
from irmx.ragged import (
    Array,
    Bools,
    Floats,
    Ints,
    offsets_of,
    position_in_segment,
    read_only,
    segment_count,
    segment_of,
    segment_sum,
)
from irmx.rank.shared import Shared
from irmx.text import plural

Lazy = Array | Callable[[], Any]
"""An array, or a function that computes it at first use."""


class Rows(Shared):
    """Rows of the run or of the qrels, topic by topic, as ragged arrays with which measures compute.

    The rows of topic ``t`` are those from ``offsets[t]`` to ``offsets[t + 1]``; see :mod:`irmx.ragged`. Every array has one value
    per row, is computed at first use, and is shared by all measures: assigning to it is an error, so work on a copy. Only
    ``numpy.add.at`` and similar functions write nevertheless; the check ``inputs_unchanged`` of :mod:`irmx.testing` finds that.

    :class:`irmx.Rankings` has five kinds of rows:

    ============== ======== ======================================================= ============================
    rows           table    which                                                   in the order of
    ============== ======== ======================================================= ============================
    ``relevant``   run      the relevant documents retrieved                        rank
    ``judged``     run      the judged documents retrieved                          rank
    ``ranked``     run      all documents of the ranking                            rank
    ``run_rows``   run      all rows, as for a stream; a document may repeat        the run
    ``qrels_rows`` qrels    all rows, retrieved or not; a document may have several the qrels
    ============== ======== ======================================================= ============================

    A column is read by its declaration: :meth:`column` returns numbers, :meth:`labels` returns labels. The same rules for
    missing values hold for both:

    * A row without a value is an error that names the row. A measure that can use such rows passes ``missing_ok=True``; they
      then have the value NaN, or the label -1.
    * A table without the column is an error, unless the column is declared ``optional``; then all rows lack a value.
      :meth:`has` tells whether the table has the column.

    Attributes
    ----------
    table : {"run", "qrels"}
        The table to which the rows and their columns belong.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> run = pd.DataFrame({"query_id": "q", "doc_id": ["a", "b", "c"], "score": [3, 2, 1], "length": [90, 50, 70]})
    >>> length = irmx.Column("run", "length", "words of the document", unit="words")
    >>> rankings = irmx.rankings({"q": {"a": 1, "b": 0, "c": 2}}, run)
    >>> rankings.relevant
    <irmx.Rows: 2 rows of the run, 1 topic>
    >>> rankings.relevant.rank, rankings.relevant.grade, rankings.relevant.column(length)
    (array([1, 3]), array([1., 2.]), array([90., 70.]))
    >>> rankings.ranked.column(length), rankings.ranked.doc_ids
    (array([90., 50., 70.]), ('a', 'b', 'c'))
    """

    table: TableName
    _offsets: Ints
    _data: Run | Judgments
    _topics: Sequence[Any]
    _doc_ids: Callable[[], Sequence[str]]
    _arrays: dict[str, Lazy]
    _numbers: dict[Column, Floats]
    _labels: dict[Column, tuple[Ints, tuple[Any, ...]]]
    _whole: tuple[Rows, Any] | None

    def __init__(
        self,
        data: Run | Judgments,
        topics: Sequence[Any],
        offsets: Ints,
        doc_ids: Callable[[], Sequence[str]],
        *,
        row: Lazy,
        doc: Lazy,
        grade: Lazy,
        rank: Lazy,
        score: Lazy,
    ) -> None:
        super().__init__(  # all at once, since there are rows for every topic
            table="qrels" if isinstance(data, Judgments) else "run",
            _offsets=offsets, _data=data, _topics=topics, _doc_ids=doc_ids,
            _arrays={"row": row, "doc": doc, "grade": grade, "rank": rank, "score": score},
            _numbers={}, _labels={}, _whole=None,
        )  # fmt: skip

    def _lazy(self, name: str) -> Array:
        values = self._arrays[name]
        return self._array(name, values if callable(values) else lambda: values)

    @property
    def offsets(self) -> Ints:
        """Which rows belong to a topic, shape (topics + 1,)."""
        return self._array("offsets", lambda: self._offsets)

    # -- one value per row -------------------------------------------------------------------------------

    @property
    def topic(self) -> Ints:
        """The number of each row's topic."""
        return self._array("topic", lambda: segment_of(self._offsets))

    @property
    def ordinal(self) -> Ints:
        """The position of each row among those of its topic, from 1."""
        return self._array("ordinal", lambda: position_in_segment(self._offsets) + 1)

    @property
    def row(self) -> Ints:
        """The position of each row in its table."""
        return self._lazy("row")

    @property
    def rank(self) -> Ints:
        """The rank of each row's document, from 1; 0 if it is not in the ranking."""
        return self._lazy("rank")

    @property
    def grade(self) -> Floats:
        """The grade of each row's document, NaN if it is not judged; in ``qrels_rows`` the grade of the row."""
        return self._lazy("grade")

    @property
    def score(self) -> Floats:
        """The score of each row's document in the run; NaN if it is not retrieved."""
        return self._lazy("score")

    @property
    def doc(self) -> Ints:
        """The number of each row's document among the judged ones of all topics; -1 if it is unjudged, or the row has none."""
        return self._lazy("doc")

    @cached_property
    def doc_ids(self) -> tuple[str, ...]:
        """The id of each row's document; empty for a row of the qrels without a document."""
        return tuple(self._doc_ids())

    @property
    def declares(self) -> Bools:
        """Whether each row has an empty ``doc_id``, and so declares a subtopic, or another label, that no document has."""
        return read_only(self._data.declares[self.row] if isinstance(self._data, Run) else self.doc < 0)

    # -- one value per topic -----------------------------------------------------------------------------

    @property
    def count(self) -> Ints:
        """The number of rows of every topic."""
        return self._array("count", lambda: np.diff(self._offsets))

    def sum(self, values: Any) -> Floats:
        """Return the sum of values, one per row, over the rows of every topic; another number of values is a ValueError.

        >>> import irmx
        >>> relevant = irmx.rankings({"p": {"a": 1, "b": 1}, "q": {"a": 1}}, {"p": {"a": 2.0, "b": 1.0}, "q": {"x": 1.0}}).relevant
        >>> relevant.sum(1 / relevant.rank)
        array([1.5, 0. ])
        """
        values = np.asarray(values)
        self._refuse_other_length("sum", "number", values)
        return segment_sum(values, self.topic, len(self.offsets) - 1)

    # -- columns -----------------------------------------------------------------------------------------

    def has(self, column: Column) -> bool:
        """Tell whether the table has a column."""
        self._refuse_other_table(column)
        return column.name in self._data.columns

    def column(self, column: Column, missing_ok: bool = False) -> Floats:
        """Return a column of numbers, one per row; dates are seconds since 1970.

        Parameters
        ----------
        column : Column
            The column, of the table of these rows.
        missing_ok : bool
            Whether rows may lack a value; theirs is then NaN.

        Raises
        ------
        irmx.errors.DataError
            If the table lacks the column and it is not optional, if a cell is text or an infinite number, or if a row lacks
            a value and ``missing_ok`` is false.
        """
        if column.dtype != "float":
            raise TypeError(
                f"The {column.table} column {column.name!r} is declared to hold labels; read it with labels()."
            )
        values: Floats = self._numbers_of(column).view()
        if not missing_ok:
            self._refuse_missing(column, np.isnan(values))
        return values

    def labels(self, column: Column, missing_ok: bool = False) -> tuple[Ints, tuple[Any, ...]]:
        """Return a column of labels: the number of the label of every row, and the labels by number.

        Labels are strings, or numbers if the column holds numbers. Their order is unspecified, and some may occur in no row.

        Parameters
        ----------
        column : Column
            The column, of the table of these rows.
        missing_ok : bool
            Whether rows may lack a label, or have an empty one; their number is then -1.

        Raises
        ------
        irmx.errors.DataError
            If the table lacks the column and it is not optional, if a cell is neither a string nor a number, or if a row
            lacks a label and ``missing_ok`` is false.

        Examples
        --------
        >>> import irmx, pandas as pd
        >>> run = pd.DataFrame({"query_id": "q", "doc_id": ["a", "b"], "score": [1.0, 2.0], "genre": ["report", "essay"]})
        >>> genre = irmx.Column("run", "genre", "what it is", dtype="str")
        >>> irmx.rankings({"q": {"a": 1}}, run).ranked.labels(genre)
        (array([1, 0]), ('report', 'essay'))
        """
        number, names = self._labels_of(column)
        if not missing_ok:
            self._refuse_missing(column, number < 0)
        return number.view(), names

    def _numbers_of(self, column: Column) -> Floats:
        if column not in self._numbers:
            if self._whole:
                values = self._whole[0]._numbers_of(column)[self._whole[1]]
            else:
                cells = self._data.numbers(column) if self._is_present(column) else None
                values = np.full(len(self), np.nan) if cells is None else cells[self.row]
            self._numbers[column] = read_only(values)
        return self._numbers[column]

    def _labels_of(self, column: Column) -> tuple[Ints, tuple[Any, ...]]:
        if column not in self._labels:
            if self._whole:
                number, names = self._whole[0]._labels_of(column)
                number = number[self._whole[1]]
            else:
                cells = self._data.labels(column) if self._is_present(column) else None
                number, names = (np.full(len(self), -1), ()) if cells is None else (cells[0][self.row], cells[1])
            self._labels[column] = read_only(number), names
        return self._labels[column]

    def _is_present(self, column: Column) -> bool:
        """Tell whether the table has a column; raise if it lacks one that is not optional."""
        if not self.has(column) and not column.optional:
            raise DataError(self._data.lacking(column))
        return self.has(column)

    def _refuse_other_table(self, column: Column) -> None:
        if column.table != self.table:
            rows = "qrels_rows" if column.table == "qrels" else "relevant, judged, ranked and run_rows"
            raise TypeError(
                f"The {column.table} column {column.name!r} is read over rows of the {column.table}, which are {rows}; "
                f"these are of the {self.table}."
            )

    def _refuse_missing(self, column: Column, missing: Bools) -> None:
        for i in np.flatnonzero(missing)[:1].tolist():
            rank = int(self.rank[i]) if self.table == "run" else 0
            raise DataError(
                f"The {self.table} column {column.name!r} has no value for query {self._topics[self.topic[i]]}, "
                f"document {self.doc_ids[i]!r}{f' at rank {rank}' if rank else ''}."
            ).at(self.place([i]) if self.table == "qrels" else "")

    # -- messages ----------------------------------------------------------------------------------------

    def place(self, rows: Sequence[int]) -> str:
        """Return the file and the lines of some rows, such as ``qrels.csv, lines 3 and 7``; empty if there is no file."""
        return self._data.place(self.row[list(rows)].tolist())

    def warn(self, text: str, rows: Sequence[int] = ()) -> None:
        """Warn about the table; the text is preceded by the file and the lines of some rows, or by "The qrels".

        If several runs are scored, a warning about the qrels is issued once, without the name of a run.
        """
        category = QrelsWarning if self.table == "qrels" else DataWarning
        warnings.warn(f"{self.place(rows) or f'The {self.table}'}: {text}", category, stacklevel=2)

    # -- some of the rows --------------------------------------------------------------------------------

    def where(self, keep: Bools) -> Rows:
        """Return the rows for which ``keep``, one truth value per row, is true; another number of values is a ValueError.

        >>> import irmx
        >>> rankings = irmx.rankings({"q": {"a": 1, "b": 0, "c": 2}}, {"q": {"a": 3.0, "b": 2.0, "c": 1.0}})
        >>> rankings.judged.where(rankings.judged.grade >= 1).rank
        array([1, 3])
        """
        keep = np.asarray(keep, dtype=bool)
        self._refuse_other_length("where", "truth value", keep)
        return self._some(np.flatnonzero(keep), offsets_of(segment_count(keep, self.offsets)), self._topics)

    def of_topic(self, topic: int) -> Rows:
        """Return the rows of one topic, by its number from 0; a number that no topic has is an IndexError."""
        if not 0 <= topic < len(self._offsets) - 1:
            raise IndexError(
                f"No topic has the number {topic}. There are {plural(len(self._offsets) - 1, 'topic')}, from 0."
            )
        chosen = slice(int(self.offsets[topic]), int(self.offsets[topic + 1]))
        return self._some(chosen, np.array([0, chosen.stop - chosen.start]), self._topics[topic : topic + 1])

    def _refuse_other_length(self, method: str, value: str, values: Array) -> None:
        if values.shape != (len(self),):
            raise ValueError(
                f"Rows.{method} takes one {value} per row, the shape ({len(self)},). Got the shape {values.shape}."
            )

    def _some(self, chosen: Any, offsets: Ints, topics: Sequence[Any]) -> Rows:
        def of(name: str) -> Callable[[], Array]:
            return lambda: self._lazy(name)[chosen]

        def doc_ids() -> Sequence[str]:
            return self.doc_ids[chosen] if isinstance(chosen, slice) else [self.doc_ids[i] for i in chosen.tolist()]

        some = Rows(
            self._data, topics, offsets, doc_ids,
            row=of("row"), doc=of("doc"), grade=of("grade"), rank=of("rank"), score=of("score"),
        )  # fmt: skip
        some._whole = self, chosen
        return some

    def __len__(self) -> int:
        return int(self.offsets[-1])

    def __repr__(self) -> str:
        return f"<irmx.Rows: {plural(len(self), 'row')} of the {self.table}, {plural(len(self.offsets) - 1, 'topic')}>"
