"""The rankings of a run for all topics at once, as given to measures."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import cached_property
from typing import Any, Literal, TypeVar

import numpy as np

from irmx.data.judgments import Judgments
from irmx.data.runs import Run
from irmx.declare.columns import Column, TableName
from irmx.declare.params import Parametrised, common_parameters
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
    shared,
)
from irmx.rank.join import Join
from irmx.text import plural

# -- what measures that are computed together share ------------------------------------------------------------------


class Shared:
    """Has public attributes that are set once, when it is made, and arrays to which nobody can assign.

    Every access gives a view of its own, so that a new shape of one changes no other.
    """

    _made: dict[str, Array]

    def __init__(self, **attributes: Any) -> None:
        vars(self).update(attributes, _made={})

    def _array(self, name: str, make: Callable[[], Array]) -> Array:
        """Return a view of an array that is made when it is first asked for."""
        if name not in self._made:
            self._made[name] = read_only(make())
        view: Array = self._made[name].view()
        return view

    def __setattr__(self, name: str, value: Any) -> None:
        self._refuse_public(name)
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        self._refuse_public(name)
        super().__delattr__(name)

    def _refuse_public(self, name: str) -> None:
        if not name.startswith("_"):
            raise AttributeError(
                f"{type(self).__name__}.{name} is read-only, since all measures share it. Work on a variable of your own.",
                name=name,
                obj=self,
            )


# -- rows of a run or of qrels as ragged arrays, with their columns, as given to measures ----------------------------


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


# -- the rankings of a run for all topics at once, as given to measures ----------------------------------------------


T = TypeVar("T")

_DEFAULTS: dict[str, Any] = {"rel": 1, "cutoff": None, "judged_only": False, "ties": "trec"}


class Rankings(Shared):
    """The rankings of a run over all topics that are both in the run and in the qrels.

    The common parameters have been applied: ranks are those after ``judged_only`` and ``ties``, documents
    below ``cutoff`` are removed, and ``relevant`` are those of grade ``rel`` or more.

    All arrays, those that ``memo`` and ``qrels_memo`` return among them, are shared by all measures: assigning to them is an error,
    as is setting an attribute.

    Attributes
    ----------
    topics : tuple
        The query ids.
    rel, cutoff, judged_only, ties
        The common parameters.

    Examples
    --------
    >>> import irmx
    >>> qrels = {"q": {"a": 1, "b": 0, "c": 2}}
    >>> run = {"q": {"a": 3.0, "x": 2.0, "b": 1.0, "c": 0.5}}
    >>> rankings = irmx.rankings(qrels, run)
    >>> rankings.relevant.rank, rankings.precision, rankings.recall_base
    (array([1, 4]), array([1. , 0.5]), array([2]))
    """

    topics: tuple[Any, ...]
    rel: float
    cutoff: int | None
    judged_only: bool
    ties: str

    def __init__(
        self, join: Join, rel: float = 1, cutoff: int | None = None, judged_only: bool = False, ties: str = "trec"
    ) -> None:
        super().__init__(topics=join.topics, rel=rel, cutoff=cutoff, judged_only=judged_only, ties=ties)
        self._join = join

    @classmethod
    def of(cls, join: Join, **common: Any) -> Rankings:
        """Return the rankings of a join with some common parameters, which all measures that have them share."""
        key = ("rankings", *sorted((name, value) for name, value in common.items() if value != _DEFAULTS[name]))
        return join.memo(key, lambda: cls(join, **common))

    # -- rows --------------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return f"<Rankings: {plural(len(self.topics), 'topic')}, {plural(int(self.depth.sum()), 'document')}>"

    @cached_property
    def relevant(self) -> Rows:
        """The relevant documents retrieved, by rank."""
        if self.judged_only:
            return self.judged.where(self.judged.grade >= self.rel)
        return self._within_cutoff(self._hits(self.rel))

    @cached_property
    def judged(self) -> Rows:
        """The judged documents retrieved, by rank. A negative grade means unjudged, as in trec_eval."""
        negative = self._join.judgments.has_negative
        return self._within_cutoff(self._hits(min(0, self.rel) if negative else None))

    def _hits(self, rel: float | None) -> Rows:
        """Return the retrieved judged documents of at least the grade ``rel`` (None: all), also some below the cutoff."""
        join = self._join
        hits = join.ranked_hits(rel, self.ties, None if self.judged_only else self.cutoff)
        rank = position_in_segment(hits.offsets) + 1 if self.judged_only else hits.rank
        return Rows(
            join.run, self.topics, hits.offsets, lambda: join.judgments.docs_at(hits.doc),
            row=lambda: hits.row, rank=rank, score=hits.score, doc=hits.doc, grade=lambda: join.judgments.grade[hits.doc],
        )  # fmt: skip

    def _within_cutoff(self, rows: Rows) -> Rows:
        return rows if self.cutoff is None else rows.where(rows.rank <= self.cutoff)

    @cached_property
    def ranked(self) -> Rows:
        """All documents of the ranking, judged or not, by rank.

        The rows of a topic begin at its offset, rank by rank, so that those of other rows are found by their topic and rank.

        Examples
        --------
        The document right above each relevant one, where there is one:

        >>> import irmx
        >>> rankings = irmx.rankings({"q": {"a": 1, "c": 1}}, {"q": {"a": 4.0, "x": 3.0, "y": 2.0, "c": 1.0}})
        >>> ranked, relevant = rankings.ranked, rankings.relevant
        >>> row = ranked.offsets[relevant.topic] + relevant.rank - 1  # of each relevant document among the ranked ones
        >>> [ranked.doc_ids[i] for i in row], [ranked.doc_ids[i - 1] for i in row[relevant.rank > 1]]
        (['a', 'c'], ['y'])
        """
        if self.judged_only:
            return self.judged
        join, offsets = self._join, offsets_of(self._join.depth)
        row = join.ranked_rows(self.ties)
        return self._within_cutoff(self._rows_of_run(offsets, row, rank=position_in_segment(offsets) + 1))

    @cached_property
    def run_rows(self) -> Rows:
        """All rows of the run, in its order, as measures of streams read them.

        Accessing their ranks is an error if a document occurs more than once.
        """
        run, in_run = self._join.run, self._join.in_run
        offsets, row = self._join.rows_in_order()

        def rank() -> Ints:
            out = np.zeros(len(row), dtype=np.int64)
            to_place = offsets[:-1] - run.offsets[in_run]  # from a topic's rows in the run to their positions here
            out[self.ranked.row + to_place[self.ranked.topic]] = self.ranked.rank
            return out

        return self._rows_of_run(offsets, row, rank=rank)

    def _rows_of_run(self, offsets: Ints, row: Ints, rank: Any) -> Rows:
        join = self._join
        rows: Rows = Rows(
            join.run, self.topics, offsets, lambda: join.run.docs_at(row),
            row=row, rank=rank, score=lambda: join.run.score[row], doc=lambda: join.judged_at(offsets, row),
            grade=lambda: np.append(join.judgments.grade, np.nan)[rows.doc],
        )  # fmt: skip
        return rows

    @cached_property
    def qrels_rows(self) -> Rows:
        """All rows of the qrels: retrieved or not, and those that declare a subtopic that no document covers.

        Denominators are computed from them: the subtopics, nuggets or verticals of a topic are the distinct labels of
        a column over its rows.
        """
        judgments = self._join.judgments

        def placed() -> tuple[Ints, Ints, Ints, Floats]:
            offsets, source, doc = judgments.all_rows
            lengths = np.diff(offsets)[self._join.in_judgments]
            ends = offsets_of(lengths)
            row = np.repeat(offsets[self._join.in_judgments], lengths) + position_in_segment(ends)
            return ends, source[row], doc[row], judgments.row_grade[source[row]]

        offsets, row, doc, grade = self.qrels_memo(("irmx", "rows"), placed)

        def of_document(values: Callable[[], tuple[Ints, Array]], nothing: float) -> Callable[[], Array]:
            """Return a function that gives each row its document's value; ``nothing`` if there is no document or no value."""

            def of_row() -> Array:
                documents, of_each = values()
                out = np.full(len(judgments) + 1, nothing, dtype=of_each.dtype)
                out[documents] = of_each
                return out[doc]

            return of_row

        def ranks() -> tuple[Ints, Array]:
            rows = self.judged if self.judged_only else self._within_cutoff(self._hits(None))
            return rows.doc, rows.rank

        def scores() -> tuple[Ints, Array]:
            rows = self._hits(None)
            return rows.doc, rows.score

        return Rows(
            judgments, self.topics, offsets, lambda: ["" if i < 0 else judgments.docs[i] for i in doc.tolist()],
            row=row, doc=doc, grade=grade, rank=of_document(ranks, 0), score=of_document(scores, np.nan),
        )  # fmt: skip

    def matching_rows(self) -> tuple[Ints, Ints]:
        """Return all pairs of a row of ``run_rows`` and a row of ``qrels_rows`` with the same document, by row of the run.

        Examples
        --------
        >>> import irmx, pandas as pd
        >>> nuggets = pd.DataFrame({"query_id": ["q", "q"], "doc_id": ["u", "u"], "iteration": ["n1", "n2"], "relevance": [1, 1]})
        >>> irmx.rankings(nuggets, {"q": {"x": 2.0, "u": 1.0}}).matching_rows()
        (array([1, 1]), array([0, 1]))
        """
        of_run, of_qrels = self.memo(("irmx", "matching rows"), self._matching_rows)
        return of_run.view(), of_qrels.view()

    def _matching_rows(self) -> tuple[Ints, Ints]:
        join, qrels_doc = self._join, self.qrels_rows.doc
        found = join.unranked_hits(None)
        pair = segment_of(found.offsets)
        at = found.row - join.run.offsets[join.in_run[pair]] + self.run_rows.offsets[pair]
        order = np.argsort(at, kind="stable")
        at, doc = at[order], found.doc[order]
        by_doc = np.argsort(qrels_doc, kind="stable")
        first = np.searchsorted(qrels_doc[by_doc], doc, side="left")
        count = np.searchsorted(qrels_doc[by_doc], doc, side="right") - first
        return np.repeat(at, count), by_doc[np.repeat(first, count) + position_in_segment(offsets_of(count))]

    def __len__(self) -> int:
        return len(self.topics)

    def __iter__(self) -> Iterator[Ranking]:
        return (Ranking(self, i) for i in range(len(self)))

    # -- values of the documents and topics --------------------------------------------------------------

    @property
    def depth(self) -> Ints:
        """T, the number of documents in each ranking."""
        return self._array("depth", self._depth)

    def _depth(self) -> Ints:
        depth = self.judged.count if self.judged_only else self._join.depth
        return depth if self.cutoff is None else np.minimum(depth, self.cutoff)

    @property
    def shared_cutoff(self) -> int | None:
        """The cutoff for what measures with several cutoffs share, the deepest of those scored together; None if one has none."""
        deepest = self._join.reads_to
        return None if self.judged_only or self.cutoff is None or deepest is None else max(self.cutoff, deepest)

    @property
    def precision(self) -> Floats:
        """The precision at the rank of each relevant document: Prec(n) for n in R."""
        return self._array("precision", lambda: self.relevant.ordinal / self.relevant.rank)

    @property
    def recall_base(self) -> Ints:
        """RB, the recall base: the number of relevant judged documents of every topic, retrieved or not."""
        return self._array("recall_base", lambda: self._counts[0])

    @property
    def judged_nonrelevant(self) -> Ints:
        """NRB, the number of judged documents of every topic that are not relevant, retrieved or not."""
        return self._array("judged_nonrelevant", lambda: self._counts[1])

    @property
    def _counts(self) -> tuple[Ints, Ints]:
        """The numbers of relevant and of judged non-relevant documents of every topic."""
        judgments, topics = self._join.judgments, self._join.in_judgments

        def count() -> tuple[Ints, Ints]:
            ends, doc = judgments.documents_of(topics)
            relevant = segment_count(judgments.grade[doc] >= self.rel, ends)
            judged = segment_count(judgments.grade[doc] >= min(0, self.rel), ends)
            return relevant, judged - relevant

        return judgments.memo(topics, ("counts", self.rel), count)

    @property
    def judged_grades(self) -> tuple[Ints, Floats]:
        """The grades of all judged documents of the topics, retrieved or not, largest first, with the offsets of the topics.

        >>> import irmx
        >>> irmx.rankings({"q": {"a": 1, "b": 0, "c": 2}}, {"q": {"b": 1.0}}).judged_grades
        (array([0, 3]), array([2., 1., 0.]))
        """
        offsets, grades = self._judged_grades
        return offsets.view(), grades.view()

    @cached_property
    def _judged_grades(self) -> tuple[Ints, Floats]:
        return shared(self._join.judgments.grades_of(self._join.in_judgments, min(0, self.rel)))

    @property
    def largest_grade(self) -> float:
        """The largest grade in the qrels, of any topic; 0 if no grade is positive."""
        return self._join.judgments.largest_grade

    def topic_column(self, column: Column) -> Array:
        """Return a qrels column that has one value per topic, over ``topics``; some rows of a topic may lack the value.

        Raises
        ------
        irmx.errors.DataError
            As for :meth:`irmx.Rows.column`, and if a topic has no value or several.
        """
        rows = self.qrels_rows
        if column.dtype == "float":
            values = rows.column(column, missing_ok=True).tolist()
        else:
            number, names = rows.labels(column, missing_ok=True)
            values = [names[i] if i >= 0 else np.nan for i in number.tolist()]
        out: list[Any] = []
        for query_id, a, b in zip(self.topics, rows.offsets, rows.offsets[1:], strict=False):
            distinct = {value for value in values[a:b] if value == value}
            if len(distinct) != 1:
                raise DataError(
                    f"The qrels column {column.name!r} must have one value for query {query_id}. Found {sorted(distinct)}."
                )
            out += distinct
        return np.array(out)

    # -- values shared by measures -----------------------------------------------------------------------

    def memo(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return ``make()``, computed once for these rankings, so that the measures of a family can share work.

        Assigning to its arrays, also those in tuples, lists, dicts and fields of dataclasses, is an error.
        """
        view = (self.rel, self.cutoff, self.judged_only, self.ties)
        return self._join.memo((view, key), lambda: shared(make()))

    def qrels_memo(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return ``make()``, computed once for the qrels of these topics.

        For values that depend neither on the run nor on parameters other than those in ``key``. Assigning to its arrays is an
        error, as with :meth:`memo`.
        """
        return self._join.judgments.memo(self._join.in_judgments, key, lambda: shared(make()))

    # -- other judgments, same ranks ---------------------------------------------------------------------

    def with_judgments(
        self,
        keep: Judgments | Bools | None = None,
        unjudged: float | Literal["nonrelevant", "relevant", "largest"] = "nonrelevant",
        depth: int | None = None,
    ) -> Rankings:
        """Return the rankings with other judgments, or with grades assumed for unjudged documents.

        Parameters
        ----------
        keep, unjudged, depth
            As for :meth:`irmx.Join.with_judgments`; but ``"relevant"`` is the grade ``rel`` of these rankings, if that is 0 or
            more.

        Examples
        --------
        >>> import irmx
        >>> judgments = irmx.read_qrels({"q": {"a": 2, "b": 2, "c": 0}})
        >>> rankings = irmx.rankings(judgments, {"q": {"x": 4.0, "a": 3.0, "b": 2.0}}, rel=2)
        >>> some = rankings.with_judgments([False, True, True])
        >>> some.relevant.rank, some.recall_base
        (array([3]), array([1]))
        >>> optimistic = rankings.with_judgments(unjudged="relevant")
        >>> optimistic.relevant.rank, optimistic.relevant.grade, optimistic.recall_base
        (array([1, 2, 3]), array([2., 2., 2.]), array([3]))
        """
        grade = max(self.rel, 0) if unjudged == "relevant" else unjudged
        return self._of(self._join.with_judgments(keep, grade, depth))

    def with_parameters(self, **common: Any) -> Rankings:
        """Return the rankings of the same run and judgments with other common parameters, such as ``cutoff=None``.

        For measures whose settings share work, and for those that look at documents of grades below 0.

        >>> import irmx
        >>> rankings = irmx.rankings({"q": {"a": 1, "b": 2, "c": -2}}, {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, cutoff=1)
        >>> rankings.with_parameters(cutoff=None).judged.grade, rankings.with_parameters(cutoff=3, rel=-2).judged.grade
        (array([1., 2.]), array([ 1.,  2., -2.]))
        """
        own = {"rel": self.rel, "cutoff": self.cutoff, "judged_only": self.judged_only, "ties": self.ties}
        return Rankings.of(self._join, **{**own, **common})

    def per_subtopic(self, subtopic: Ints, count: int, measure: Parametrised | None = None) -> Rankings:
        """Return rankings with one topic per subtopic: the same documents and ranks, judged by some rows of the qrels.

        For measures that are computed per subtopic, or per other part of a topic.

        Parameters
        ----------
        subtopic : int array, shape (rows,)
            The number of the subtopic of every row of ``qrels_rows``, -1 for none. The rows of a subtopic are of one topic.
        count : int
            The number of subtopics; each has at least one row.
        measure : Measure, optional
            Whose common parameters are carried out; those of these rankings otherwise.

        Returns
        -------
        Rankings
            Each of its topics has the name of the subtopic's topic.

        Examples
        --------
        >>> import irmx, numpy as np, pandas as pd
        >>> rows = [("q", "a", 1, "s1"), ("q", "b", 1, "s2"), ("q", "b", 1, "s1")]
        >>> qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])
        >>> rankings = irmx.rankings(qrels, {"q": {"x": 3.0, "b": 2.0, "a": 1.0}}).per_subtopic(np.array([0, 1, 0]), 2)
        >>> rankings.relevant.rank, rankings.relevant.offsets, rankings.recall_base
        (array([2, 3, 2]), array([0, 2, 3]), array([2, 1]))
        """
        rows = self.qrels_rows
        judgments = self._join.judgments.of_subtopics(
            self._join.in_judgments[rows.topic], subtopic, count, rows.row, rows.doc, rows.grade
        )
        join = self._join.view(judgments)
        return self._of(join) if measure is None else Rankings(join, **common_parameters(measure))

    def _of(self, join: Join) -> Rankings:
        return Rankings(join, self.rel, self.cutoff, self.judged_only, self.ties)


class Ranking:
    """The ranking of one topic, for measures that score one topic at a time.

    It has the same kinds of rows as :class:`irmx.Rankings`; see :class:`irmx.Rows`.

    Attributes
    ----------
    query_id : str
        The topic.
    depth : int
        T, the number of documents in the ranking.
    recall_base, judged_nonrelevant : int
        RB and NRB, the numbers of relevant and of judged non-relevant documents, retrieved or not.

    Examples
    --------
    >>> import irmx
    >>> [ranking] = irmx.rankings({"q": {"a": 1, "b": 0, "c": 2}}, {"q": {"a": 3.0, "x": 2.0, "c": 1.0}})
    >>> ranking.relevant.rank, ranking.relevant.grade, ranking.precision.round(3), ranking.recall_base
    (array([1, 3]), array([1., 2.]), array([1.   , 0.667]), 2)
    >>> ranking.ranked.doc_ids
    ('a', 'x', 'c')
    """

    def __init__(self, rankings: Rankings, topic: int) -> None:
        self._rankings, self._topic = rankings, topic
        self.query_id = rankings.topics[topic]
        self.depth = int(rankings.depth[topic])
        self.recall_base = int(rankings.recall_base[topic])
        self.judged_nonrelevant = int(rankings.judged_nonrelevant[topic])

    def __repr__(self) -> str:
        return f"<Ranking: topic {self.query_id}, {plural(self.depth, 'document')}>"

    @cached_property
    def relevant(self) -> Rows:
        """The relevant documents retrieved, by rank."""
        return self._rankings.relevant.of_topic(self._topic)

    @cached_property
    def judged(self) -> Rows:
        """The judged documents retrieved, by rank."""
        return self._rankings.judged.of_topic(self._topic)

    @cached_property
    def ranked(self) -> Rows:
        """All documents of the ranking, by rank."""
        return self._rankings.ranked.of_topic(self._topic)

    @cached_property
    def qrels_rows(self) -> Rows:
        """All rows of the qrels, retrieved or not."""
        return self._rankings.qrels_rows.of_topic(self._topic)

    @property
    def precision(self) -> Floats:
        """The precision at the rank of each relevant document."""
        offsets = self._rankings.relevant.offsets
        return self._rankings.precision[offsets[self._topic] : offsets[self._topic + 1]]

    @property
    def judged_grades(self) -> Floats:
        """The grades of all judged documents of the topic, retrieved or not, largest first: those of its ideal ranking."""
        offsets, grades = self._rankings.judged_grades
        return grades[offsets[self._topic] : offsets[self._topic + 1]]

    def topic_column(self, column: Column) -> Any:
        """Return the topic's value of a qrels column that has one value per topic."""
        return self._rankings.topic_column(column)[self._topic]
