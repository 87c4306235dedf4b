"""Runs from any source as arrays, converted once, in which judged documents are looked up."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import ir_measures
import numpy as np

from irmx.data import dicts, tables
from irmx.data.arrow import encoded, taken
from irmx.data.cells import numbers
from irmx.data.id_words import IdWords, Words, keys_of
from irmx.data.origin import NO_ORIGIN, Origin
from irmx.data.sought import Sought
from irmx.declare.columns import missing_column
from irmx.declare.markup_html import html_result
from irmx.errors import DataError, counted, visible
from irmx.ragged import Array, Floats, Ints, offsets_of, position_in_segment, read_only, segment_of

if TYPE_CHECKING:
    import pyarrow as pa

    from irmx.declare.columns import Column


@dataclass(frozen=True)
class Found:
    """The judged documents that a run retrieved, over pairs of topics of the run and the judgments.

    Attributes
    ----------
    offsets : int array, shape (pairs + 1,)
        Where the documents of each pair start and end.
    doc : int array
        The position of each document in ``Judgments.docs``.
    score : float array
        Its score.
    rows : callable
        Returns the row of each document in the run; computed on demand, because a run given as a dict must count for it.
    """

    offsets: Ints
    doc: Ints
    score: Floats
    rows: Callable[[], Ints]


class Run(ABC):
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
    """

    topics: list[str]
    offsets: Ints
    score: Floats
    origin: Origin = NO_ORIGIN

    @abstractmethod
    def docs(self, topic: int) -> list[str]:
        """Return the ids of the documents of a topic in the order of its rows."""

    def docs_at(self, topic: int, rows: Ints) -> list[str]:
        """Return the ids of the documents at some rows of a topic, counted from its first row."""
        docs = self.docs(topic)
        return [docs[row] for row in rows.tolist()]

    @abstractmethod
    def find(self, sought: Sought, pairs: list[tuple[int, int]]) -> Found:
        """Look up judged documents in the rows of the run.

        Parameters
        ----------
        sought : Sought
            The judged documents to look up.
        pairs : list of (int, int)
            The topics to search: the number in the run, the number in the judgments.
        """

    @abstractmethod
    def descending(self, rows: Ints, group: Ints) -> Ints:
        """Return the order of some rows by group, and within a group by the ids of their documents, largest first.

        Rows of a group are of one topic; the numbers of the groups do not decrease.
        """

    def places(
        self, members: Ints, ends: Ints, group: Ints, names: Callable[[], list[str]], rows: Callable[[], Ints]
    ) -> Ints:
        """Return, for documents among groups of rows, how many ids in the group of each are larger than its own.

        Parameters
        ----------
        members : int array
            The rows of all groups. Those of a group are of one topic.
        ends : int array, shape (groups + 1,)
            Where the rows of each group start and end.
        group : int array
            The group of each document.
        names, rows : callable
            Return the id, or the row, of each document; whichever this run knows without a search is called.
        """
        place = np.empty(len(self), dtype=np.int64)
        place[members[self.descending(members, segment_of(ends))]] = position_in_segment(ends)
        return place[rows()]

    @abstractmethod
    def column(self, name: str) -> Array | None:
        """Return an extra column over all rows, None if the run lacks it."""

    def labels(self, name: str) -> tuple[Ints, tuple[Any, ...]] | None:
        """Return the number of each row's label, -1 if missing, and the labels of an extra column; None without the column."""
        return None

    def numbers(self, column: Column) -> Floats | None:
        """Return an extra column of finite numbers over all rows, NaN if a cell is empty; None if the run lacks it."""
        return None

    @property
    @abstractmethod
    def columns(self) -> list[str]:
        """The names of all columns."""

    def place(self, rows: Sequence[int]) -> str:
        """Return the file, and the lines of some rows, for the start of a message; empty if there is no file."""
        return ""

    def lacking(self, column: Column) -> str:
        """Return the message about a missing column: what it is, which columns there are, and how to get it."""
        return missing_column(column, self.columns) + (
            _KEEPS_NO_MORE if set(self.columns) == _READ_BY_PYTERRIER else ""
        )

    def refuse_repeats(self) -> None:  # noqa: B027  a mapping cannot hold a document twice
        """Raise if a document occurs twice in a topic; an update of a stream may, but a ranking cannot have it twice."""

    def as_dict(self) -> dict[str, dict[str, float]]:
        """Return ``{query_id: {doc_id: score}}``, as ``pytrec_eval`` expects it."""
        self.refuse_repeats()
        scores, ends = self.score.tolist(), self.offsets.tolist()
        return {
            t: dict(zip(self.docs(i), scores[ends[i] : ends[i + 1]], strict=True)) for i, t in enumerate(self.topics)
        }

    def __len__(self) -> int:
        return len(self.score)

    def __repr__(self) -> str:
        source = os.path.basename(self.origin.source)
        size = f"{counted(len(self.topics), 'topic')}, {counted(len(self), 'document')}"
        return f"<Run: {size}{source and ', '}{visible(source)}>"

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


_READ_BY_PYTERRIER = {"query_id", "doc_id", "rank", "score", "name"}
"""The columns of a TREC file read by ``pyterrier.io.read_results``."""

_KEEPS_NO_MORE = (
    " A file in TREC format keeps no more columns than these. If pt.Experiment saved it to save_dir, run it again with "
    "save_mode='overwrite' and save_format=pickle (the module), or (pandas.read_parquet, pandas.DataFrame.to_parquet)."
)


class DictRun(Run):
    """A run given as ``{query_id: {doc_id: score}}``."""

    def __init__(self, data: Mapping[Any, Mapping[str, float]]) -> None:
        self.topics = [str(t) for t in dicts.topic_ids("run", data)]
        self._docs = list(data.values())
        self.offsets = offsets_of([len(d) for d in self._docs])
        self.score = read_only(dicts.numbers_of_dict("run", "score", data))

    def docs(self, topic: int) -> list[str]:
        return list(self._docs[topic])

    def find(self, sought: Sought, pairs: list[tuple[int, int]]) -> Found:
        ends, names = sought.offsets.tolist(), sought.names
        qrels_topics = np.array([qrels_topic for _, qrels_topic in pairs], dtype=np.int64)
        starts = offsets_of(np.diff(sought.offsets)[qrels_topics])
        scores: list[float | None] = []
        for run_topic, qrels_topic in pairs:
            scores += map(self._docs[run_topic].get, names[ends[qrels_topic] : ends[qrels_topic + 1]])
        score = np.array(scores, dtype=np.float64)  # NaN for a document that the run lacks; no score of a run is NaN
        retrieved = np.flatnonzero(score == score)
        place = position_in_segment(starts) + np.repeat(sought.offsets[qrels_topics], np.diff(starts))
        place = place[retrieved]
        offsets = np.searchsorted(retrieved, starts)

        def rows() -> Ints:
            out: list[int] = []
            for (topic, _), a, b in zip(pairs, offsets[:-1], offsets[1:], strict=True):
                row_of = dict(zip(self._docs[topic], range(self.offsets[topic], self.offsets[topic + 1]), strict=True))
                out += [row_of[names[i]] for i in place[a:b].tolist()]
            return np.array(out, dtype=np.int64)

        return Found(offsets, sought.doc[place], score[retrieved], rows)

    def descending(self, rows: Ints, group: Ints) -> Ints:
        ends = np.append(np.flatnonzero(np.append(True, group[1:] != group[:-1])), len(rows))
        order: list[int] = []
        for start, ids in zip(ends.tolist(), self._ids_of_groups(rows, ends), strict=False):
            with self._odd_ids_named():
                order += [start + i for i in sorted(range(len(ids)), key=ids.__getitem__, reverse=True)]
        return np.array(order, dtype=np.int64)

    def places(
        self, members: Ints, ends: Ints, group: Ints, names: Callable[[], list[str]], rows: Callable[[], Ints]
    ) -> Ints:
        with self._odd_ids_named():
            ascending = [sorted(ids) for ids in self._ids_of_groups(members, ends)]
        of_document = map(ascending.__getitem__, group.tolist())
        not_larger = np.fromiter(map(bisect_right, of_document, names()), np.int64, len(group))
        return np.asarray(np.diff(ends)[group] - not_larger)

    @contextmanager
    def _odd_ids_named(self) -> Iterator[None]:
        """Name an id that is not a string in the error that comparing it with others raises."""
        try:
            yield
        except TypeError:
            dicts.refuse_odd_ids("run", chain.from_iterable(self._docs))
            raise

    def _ids_of_groups(self, rows: Ints, ends: Ints) -> Iterator[list[str]]:
        """Yield the ids of each group of rows; those of a group are of one topic."""
        topics = np.searchsorted(self.offsets, rows[ends[:-1]], side="right") - 1
        in_topic = rows - np.repeat(self.offsets[topics], np.diff(ends))
        ids, of_ids = np.empty(0, dtype=object), -1
        for topic, start, end in zip(topics.tolist(), ends[:-1].tolist(), ends[1:].tolist(), strict=True):
            if (
                topic != of_ids
            ):  # an array of the ids of a topic gives those at many rows several times faster than a list
                ids, of_ids = np.fromiter(self._docs[topic], object, len(self._docs[topic])), topic
            yield ids[in_topic[start:end]].tolist()

    def column(self, name: str) -> Array | None:
        return None

    @property
    def columns(self) -> list[str]:
        return ["query_id", "doc_id", "score"]


class TableRun(Run):
    """A run given as a table: a file, a data frame or namedtuples."""

    def __init__(self, data: pa.Table, origin: Origin = NO_ORIGIN) -> None:
        self.origin = origin
        columns = tables.Columns("run", data)
        topic, topics = columns.topics()
        self._data = data
        self._order: Ints | None = None
        if np.any(topic[1:] < topic[:-1]):
            self._order = np.argsort(topic, kind="stable")
            topic = topic[self._order]
        self.topics = [str(t) for t in topics]
        self.offsets = offsets_of(np.bincount(topic, minlength=len(topics)))
        self.score = read_only(self._grouped(columns.floats("score")))
        ids = columns.texts("doc_id")
        columns.refuse_empty("doc_id", ids)
        self._ids = ids if self._order is None else taken(ids, self._order)
        self._words = IdWords(self._ids)
        self._hashes: dict[int, Words] = {}
        self._checked = False
        self._labels: dict[str, tuple[Ints, tuple[Any, ...]]] = {}

    def _grouped(self, values: Any) -> Any:
        return values if self._order is None or values is None else values[self._order]

    def refuse_repeats(self) -> None:
        if self._checked:
            return
        topic = segment_of(self.offsets)
        keys = keys_of(self._hashes_of(0), topic)
        keys.sort()
        if np.any(keys[1:] == keys[:-1]):  # most likely a document occurs twice; otherwise two ids have the same hash
            self._refuse_repeats(topic)
        self._checked = True

    def _refuse_repeats(self, topic: Ints) -> None:
        doc, distinct = encoded(self._ids)
        size = len(distinct)
        key = topic * np.int64(size) + doc
        key.sort()
        twice = np.flatnonzero(key[1:] == key[:-1])
        if len(twice):
            of_topic, repeated = divmod(int(key[twice[0]]), size)
            both = np.flatnonzero((topic == of_topic) & (doc == repeated))[:2]
            both = both if self._order is None else self._order[both]
            raise self.origin.located(
                DataError(
                    f"The run has the document {distinct[repeated].as_py()!r} more than once for query {self.topics[of_topic]!r} "
                    f"({len(twice)} such rows in all). A document may occur only once in a ranking.",
                    tuple(int(row) for row in np.sort(both)),
                )
            )

    def _hashes_of(self, seed: int) -> Words:
        if seed not in self._hashes:
            self._hashes[seed] = self._words.hashes(seed)
        return self._hashes[seed]

    def docs(self, topic: int) -> list[str]:
        start, end = self.offsets[topic : topic + 2].tolist()
        return list(self._ids.slice(start, end - start).to_pylist())

    def find(self, sought: Sought, pairs: list[tuple[int, int]]) -> Found:
        qrels_topic = np.full(len(self.topics), -1, dtype=np.int64)
        pair = np.full(len(self.topics), -1, dtype=np.int64)
        for i, (in_run, in_qrels) in enumerate(pairs):
            qrels_topic[in_run], pair[in_run] = in_qrels, i
        lengths = np.diff(self.offsets)
        index = sought.index
        rows, place = index.find(self._words, self._hashes_of(index.seed), np.repeat(qrels_topic, lengths))
        segment = pair[np.searchsorted(self.offsets, rows, side="right") - 1]
        order = np.argsort(segment, kind="stable")
        rows = rows[order]
        counts = np.bincount(segment, minlength=len(pairs))
        return Found(offsets_of(counts), sought.doc[place[order]], self.score[rows], lambda: rows)

    def descending(self, rows: Ints, group: Ints) -> Ints:
        return self._words.descending(rows, group)

    def column(self, name: str) -> Array | None:
        columns = tables.Columns("run", self._data)
        return read_only(self._grouped(columns.values(name))) if name in columns else None

    def labels(self, name: str) -> tuple[Ints, tuple[Any, ...]] | None:
        columns = tables.Columns("run", self._data)
        if name not in columns:
            return None
        if name not in self._labels:
            row_labels, values = columns.labels(name)
            self._labels[name] = read_only(self._grouped(row_labels)), values
        return self._labels[name]

    def numbers(self, column: Column) -> Floats | None:
        values: Floats | None = self._grouped(numbers(self._data, column, self.origin))
        return values

    def place(self, rows: Sequence[int]) -> str:
        return self.origin.place(list(rows) if self._order is None else self._order[list(rows)].tolist())

    @property
    def columns(self) -> list[str]:
        return list(self._data.column_names)
