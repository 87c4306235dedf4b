"""Runs from any source as columns, converted once, in which judged documents are looked up."""

from __future__ import annotations

import warnings
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, pairwise, repeat
from math import nan
from typing import TYPE_CHECKING, Any

import ir_measures
import numpy as np

from irmx.data.sources import JudgedIds, SourceColumns, check_texts, numbers_of_dict, topics_of_dict
from irmx.data.table import (
    NUMBER,
    PROGRAM,
    SCORE,
    Fingerprints,
    Source,
    Table,
    byte_offsets,
    first_of_each,
    from_ints,
    from_texts,
    to_numpy,
)
from irmx.declare.columns import REQUIRED, Column, vocabulary
from irmx.declare.described import html_result
from irmx.errors import DataError, DataWarning
from irmx.ragged import (
    Array,
    Bools,
    Floats,
    Ints,
    offsets_of,
    position_in_segment,
    read_only,
    segment_of,
)

if TYPE_CHECKING:
    import pyarrow as pa


class Run(SourceColumns):
    """The documents that a system retrieved, topic by topic, in the order of the input.

    Created by :func:`irmx.read_run`; iterating over it gives ``ir_measures.ScoredDoc`` rows.

    Attributes
    ----------
    topics : list of str
        The query ids, as strings.
    offsets : int array, shape (topics + 1,)
        Where the rows of each topic start and end.
    score : float array
        The score of every row.
    table : Table or None
        The table that it was made of, None for a dict.
    """

    KIND = "run"

    def __init__(self, topics: list[str], offsets: Ints, score: Floats, source: Source = PROGRAM) -> None:
        super().__init__(topics, source)
        self.offsets, self.score = offsets, read_only(score)
        self._dicts: Sequence[Mapping[str, float]] = ()
        self._ids: pa.Array = None
        self._order: Ints | None = None  # the row of the table of each row here, unless they are the same
        self._checked = False
        self._declaring: Ints = np.empty(0, dtype=np.int64)

    @classmethod
    def from_dict(cls, data: Mapping[Any, Mapping[str, float]]) -> Run:
        """Return the run of ``{query_id: {doc_id: score}}``."""
        data = topics_of_dict("run", data)
        run = cls(
            list(map(str, data)),
            offsets_of([len(docs) for docs in data.values()]),
            numbers_of_dict("run", "score", data, SCORE),
        )
        run._dicts, run._checked = list(data.values()), True
        _warn_of_lost_differences(run)
        return run

    @classmethod
    def from_table(cls, table: Table) -> Run:
        """Return the run of a table whose columns have the vocabulary's names."""
        table.require("run", REQUIRED["run"])
        topic, topics = table.codes("query_id")
        order = np.argsort(topic, kind="stable") if np.any(topic[1:] < topic[:-1]) else None
        ids = table.ids("doc_id", empty=True)
        declares = np.diff(byte_offsets(ids)[0]) == 0
        score = _scores_of_documents(table, declares) if declares.any() else table.numbers("score", SCORE)
        offsets = offsets_of(np.bincount(topic, minlength=len(topics)))
        run = cls([str(t) for t in topics], offsets, score if order is None else score[order], table.source)
        run.table, run._order = table, order
        run._declaring = np.flatnonzero(declares if order is None else declares[order])
        cells = table.cells("score")
        _warn_of_lost_differences(run, lambda: _whole_numbers(cells), order)
        table.release("score")
        run._ids = ids if order is None else ids.take(from_ints(order))
        return run

    # -- documents ---------------------------------------------------------------------------------------

    def docs(self, topic: int) -> list[str]:
        """Return the ids of the documents of a topic in the order of its rows."""
        if self._ids is None:
            return list(self._dicts[topic])
        start, end = self.offsets[topic : topic + 2].tolist()
        return list(self._ids.slice(start, end - start).to_pylist())

    def docs_at(self, rows: Ints) -> list[str]:
        """Return the ids of the documents at some rows; those of a topic stand together."""
        if self._ids is not None:
            return list(self._ids.take(from_ints(rows)).to_pylist())
        out: list[str] = []
        topic = np.searchsorted(self.offsets, rows, side="right") - 1
        first = np.flatnonzero(np.diff(topic, prepend=-1))
        for number, of_topic in zip(topic[first].tolist(), np.split(rows, first)[1:], strict=True):
            ids = np.fromiter(self._dicts[number], object, len(self._dicts[number]))
            out += ids[of_topic - self.offsets[number]].tolist()
        return out

    def find_ids(
        self, judged: JudgedIds, in_run: Ints, in_judgments: Ints
    ) -> tuple[Ints, Ints, Floats, Callable[[], Ints]]:
        """Look up judged documents of topics in a table, given which topics of the run and of the judgments these are.

        Returned are the offsets of the topics, the position of each retrieved document among those given, its score, and a
        function that returns its row; in the order of the run.
        """
        (order, keys), prints = self._by_print, self._prints
        self._forget_prints()
        position, at, of_pair = judged.found_in(keys, in_judgments, in_run)
        rows = order[at]
        by_pair = np.argsort(of_pair * np.int64(len(self) + 1) + rows)
        by_pair = by_pair[judged.are_at(position[by_pair], prints, rows[by_pair], self._ids)]
        position, rows, of_pair = position[by_pair], rows[by_pair], of_pair[by_pair]
        return offsets_of(np.bincount(of_pair, minlength=len(in_run))), position, self.score[rows], lambda: rows

    def with_rows(self, rows: Ints) -> Run:
        """Return the run of some rows, in ascending order, of a table in which no document is repeated."""
        out = Run(self.topics, np.searchsorted(rows, self.offsets), self.score[rows], self.source)
        out.table, out._ids, out._checked = self.table, self._ids.take(from_ints(rows)), True
        out._order = rows if self._order is None else self._order[rows]
        self._forget_prints()
        return out

    def find_repeats(self) -> None:
        """Find rows with the same fingerprint, which looking up documents and refusing repeats take as found."""
        _ = self._by_print

    def _forget_prints(self) -> None:
        """Forget what takes the memory of columns, and is hardly needed again."""
        for kept in ("_by_print", "_prints"):
            self.__dict__.pop(kept, None)

    @cached_property
    def _prints(self) -> Fingerprints:
        """The fingerprints of the ids of all rows."""
        return Fingerprints.of(self._ids)

    @cached_property
    def _by_print(self) -> tuple[Ints, Array]:
        """The rows by topic and fingerprint, and the numbers of both, ascending."""
        return self._prints.by_topic(segment_of(self.offsets))

    @cached_property
    def first_rows(self) -> Ints:
        """The first row with the same document of the same topic as each row; a run of dicts has each once."""
        if self._ids is None:
            return np.arange(len(self))
        return first_of_each(segment_of(self.offsets), self._prints, self._ids)

    def find_names(self, names: list[str], ends: Ints, in_run: Ints) -> tuple[Ints, Ints, Floats, Callable[[], Ints]]:
        """Look up documents of topics in dicts, as :meth:`find_ids` does in tables, in the order given."""
        bounds = ends.tolist()
        scores = (
            map(self._dicts[topic].get, names[a:b], repeat(nan))
            for topic, a, b in zip(in_run.tolist(), bounds, bounds[1:], strict=False)
        )
        score = np.fromiter(chain.from_iterable(scores), np.float64, bounds[-1])  # NaN where the run lacks a document
        retrieved = np.flatnonzero(~np.isnan(score))
        offsets = np.searchsorted(retrieved, ends)

        def rows() -> Ints:
            out: list[int] = []
            for topic, a, b in zip(in_run.tolist(), offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
                row_of = dict(zip(self._dicts[topic], range(self.offsets[topic], self.offsets[topic + 1]), strict=True))
                out += [row_of[names[i]] for i in retrieved[a:b].tolist()]
            return np.array(out, dtype=np.int64)

        return offsets, retrieved, score[retrieved], rows

    # -- documents with the same score -------------------------------------------------------------------

    def descending(self, rows: Ints, group: Ints) -> Ints:
        """Return the order of some rows by group, and within a group by the ids of their documents, largest first.

        Rows of a group are of one topic; the numbers of the groups do not decrease.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        if self._ids is None:
            names = self.docs_at(rows)
            check_texts("run", "doc_id", names)
            ids = from_texts(names)
        else:
            ids = self._ids.take(from_ints(rows))
        both = pa.table({"group": from_ints(group), "id": ids})
        order = pc.sort_indices(both, sort_keys=[("group", "ascending"), ("id", "descending")])
        return np.from_dlpack(order).astype(np.int64)

    def places(
        self, members: Ints, ends: Ints, group: Ints, names: Callable[[], list[str]], rows: Callable[[], Ints]
    ) -> Ints:
        """Return, for documents among groups of rows of one topic each, how many ids in the group are larger than its own.

        ``members`` has the rows of all groups, ``ends`` where those of each start and end, ``group`` the group of each document.
        ``names`` and ``rows`` return its id and its row; whichever this run knows without a search is called.
        """
        if self._ids is not None:
            place = np.empty(len(self), dtype=np.int64)
            place[members[self.descending(members, segment_of(ends))]] = position_in_segment(ends)
            return place[rows()]
        ids, bounds = self.docs_at(members), ends.tolist()
        try:
            ascending = [sorted(ids[a:b]) for a, b in pairwise(bounds)]
        except TypeError:
            check_texts("run", "doc_id", list(chain.from_iterable(self._dicts)))
            raise
        not_larger = np.fromiter(
            map(bisect_right, map(ascending.__getitem__, group.tolist()), names()), np.int64, len(group)
        )
        return np.asarray(np.diff(ends)[group] - not_larger)

    @property
    def retrieved_topics(self) -> list[str]:
        """The topics with documents; a dict may have one without any."""
        return [str(topic) for topic, size in zip(self.topics, np.diff(self.offsets), strict=True) if size]

    @property
    def declares(self) -> Bools:
        """Whether each row has no document, and only declares a part of its topic."""
        out = np.zeros(len(self), dtype=bool)
        out[self._declaring] = True
        return out

    def refuse_declaring(self) -> None:
        """Raise if a row has no document, which only measures that read what it declares can score."""
        for row in self._declaring[:1].tolist():
            topic = self.topics[np.searchsorted(self.offsets, row, side="right") - 1]
            raise DataError(
                f"The run has a row without a document for query {topic!r} ({len(self._declaring)} such rows in all), which only "
                "measures of the parts of a topic, such as the queries of a session, can score.",
                (row,),
                self.place([row]),
            )

    def refuse_repeats(self) -> None:
        """Raise if a document occurs twice in a topic, or a row has none; an update of a stream may, but a ranking cannot have it twice."""
        if self._checked:
            return
        self.refuse_declaring()
        keys = self._by_print[1]
        if np.any(keys[1:] == keys[:-1]):  # a document occurs twice, or two ids have the same fingerprint
            again = np.flatnonzero(self.first_rows != np.arange(len(self)))
            for row in again[:1].tolist():
                rows = int(self.first_rows[row]), row
                raise DataError(
                    f"The run has the document {self._ids[row].as_py()!r} more than once for query "
                    f"{self.topics[np.searchsorted(self.offsets, row, side='right') - 1]!r} ({len(again)} such rows in all). "
                    "A document may occur only once in a ranking.",
                    rows,
                    self.place(rows),
                )
        self._checked = True

    # -- columns -----------------------------------------------------------------------------------------

    def _main_numbers(self) -> Floats:
        return self.score

    def _over_rows(self, values: Array, nothing: float | None) -> Array:
        return values if self._order is None else values[self._order]

    def _rows_of_table(self, rows: Sequence[int]) -> list[int]:
        return list(rows) if self._order is None else self._order[list(rows)].tolist()

    def lacking(self, column: Column) -> str:
        """Return the message about a missing column, and what to do about a run that PyTerrier saved."""
        return super().lacking(column) + (_KEEPS_NO_MORE if set(self.columns) == _READ_BY_PYTERRIER else "")

    def as_dict(self) -> dict[str, dict[str, float]]:
        """Return ``{query_id: {doc_id: score}}``, as ``pytrec_eval`` expects it."""
        self.refuse_repeats()
        scores, ends = self.score.tolist(), self.offsets.tolist()
        by_topic = zip(self.topics, ends, ends[1:], strict=False)
        return {t: dict(zip(self.docs(i), scores[a:b], strict=True)) for i, (t, a, b) in enumerate(by_topic)}

    def _repr_html_(self) -> str:
        first = self.docs(0)[:5] if self.topics else []
        rows = [
            {"query_id": self.topics[0], "doc_id": doc, "score": score}
            for doc, score in zip(first, self.score.tolist(), strict=False)
        ]
        return html_result(f"{self!r}; columns: {', '.join(self.columns)}", {"the first rows": rows})

    def __iter__(self) -> Iterator[ir_measures.ScoredDoc]:
        for query_id, docs in self.as_dict().items():
            for doc_id, score in docs.items():
                yield ir_measures.ScoredDoc(query_id, doc_id, score)


def _scores_of_documents(table: Table, declares: Bools) -> Floats:
    """Return the scores of a run, 0 for a row that has no score and no document, but declares a part of its topic."""
    nothing = declares.copy()
    for column in vocabulary():
        if column.declares and column.name in table:
            nothing &= table.labels(column.name)[0] < 0
    for row in np.flatnonzero(nothing)[:1].tolist():
        table.refuse(row, "the doc_id is missing.")
    score = table.numbers("score", NUMBER)
    for row in np.flatnonzero(np.isnan(score) & ~declares)[:1].tolist():
        table.refuse(row, "the score is missing. It must be a number.")
    return np.nan_to_num(score)


_READ_BY_PYTERRIER = {"query_id", "doc_id", "rank", "score", "name"}
"""The columns of a TREC file read by ``pyterrier.io.read_results``."""

_KEEPS_NO_MORE = (
    " A file in TREC format keeps no more columns than these. If pt.Experiment saved it to save_dir, run it again with "
    "save_mode='overwrite' and save_format=pickle (the module), or (pandas.read_parquet, pandas.DataFrame.to_parquet)."
)


# -- scores that single precision does not tell apart ------------------------------------------------------

_EXACT_IN_SINGLE = 2**24
"""Whole numbers up to this are different in single precision, in which scores are compared as by trec_eval."""


def _whole_numbers(cells: Any) -> Ints | None:
    """Return a column of whole numbers as they are: larger ones than 2^53 are not exact as floats; None for another column."""
    import pyarrow as pa

    if isinstance(cells, list) or pa.types.is_floating(cells.type) or cells.null_count:
        return None
    try:
        return to_numpy(cells.cast(pa.int64()))
    except pa.ArrowException:
        return None


def _warn_of_lost_differences(
    run: Run, whole_numbers: Callable[[], Ints | None] = lambda: None, order: Ints | None = None
) -> None:
    """Warn of different whole-number scores of a topic that single precision does not tell apart, such as times in nanoseconds."""
    if run.score.min(initial=0) >= -_EXACT_IN_SINGLE and run.score.max(initial=0) <= _EXACT_IN_SINGLE:
        return
    if (run.score != np.floor(run.score)).any():
        return
    numbers: Array | None = whole_numbers()
    exact = run.score if numbers is None else numbers if order is None else numbers[order]
    with np.errstate(over="ignore"):
        topic, single = segment_of(run.offsets), run.score.astype(np.float32)
    by_score = np.lexsort((exact, topic))
    a, b = by_score[:-1], by_score[1:]
    lost = np.flatnonzero((topic[a] == topic[b]) & (single[a] == single[b]) & (exact[a] != exact[b]))
    if len(lost):
        pair = (exact[rows[lost[0]]].item() for rows in (a, b))
        one, other = (f"{score:.0f}" if isinstance(score, float) else str(score) for score in pair)
        warnings.warn(
            f"{len(lost)} whole-number scores tie with different ones of their topic, such as {other} with {one} (topic "
            f"{run.topics[topic[a[lost[0]]]]}): scores are compared in single precision, as by trec_eval, which tells whole numbers apart up to "
            f"{_EXACT_IN_SINGLE:,}. Write smaller scores, such as ranks counted from below.",
            DataWarning,
            stacklevel=4,
        )
