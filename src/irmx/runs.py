"""Runs of any kind as columns, converted once, and found in the judgments."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import ir_measures
import numpy as np

from irmx import tables
from irmx.errors import DataError
from irmx.judgments import Judgments
from irmx.ragged import Array, Floats, Ints, offsets_of, segment_of

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Found:
    """The judged documents of a run, over the pairs that were asked for.

    Attributes
    ----------
    offsets : int array, shape (pairs + 1,)
        Which of them belong to a pair.
    doc : int array
        The place of each in ``judgments.docs``.
    score : float array
        Its score.
    rows : callable
        Returns the row of each in the run; a function because a dict has to count for it.
    """

    offsets: Ints
    doc: Ints
    score: Floats
    rows: Callable[[], Ints]


class Run(ABC):
    """The documents that a system retrieved, topic by topic, in the order of the input.

    Made by :func:`irmx.read_run`; iterating over it gives ``ir_measures.ScoredDoc`` rows.

    Attributes
    ----------
    topics : list of str
        The query ids, as texts.
    offsets : int array, shape (topics + 1,)
        Which rows belong to a topic.
    score : float array
        The score of every row.
    """

    topics: list[str]
    offsets: Ints
    score: Floats

    @abstractmethod
    def docs(self, topic: int) -> list[str]:
        """Return the documents of a topic in the order of its rows."""

    @abstractmethod
    def find(self, judgments: Judgments, pairs: list[tuple[int, int]]) -> Found:
        """Return the judged documents among the rows.

        Parameters
        ----------
        judgments : Judgments
            The judgments.
        pairs : list of (int, int)
            The topics to look at: the number in the run, the number in the judgments.
        """

    @abstractmethod
    def column(self, name: str) -> Array | None:
        """Return an extra column over all rows, None where the run lacks it."""

    @property
    @abstractmethod
    def columns(self) -> list[str]:
        """The names of all columns."""

    def as_dict(self) -> dict[str, dict[str, float]]:
        """Return ``{query_id: {doc_id: score}}``, the form that ``pytrec_eval`` reads."""
        scores, ends = self.score.tolist(), self.offsets.tolist()
        return {
            t: dict(zip(self.docs(i), scores[ends[i] : ends[i + 1]], strict=True)) for i, t in enumerate(self.topics)
        }

    def __len__(self) -> int:
        return len(self.score)

    def __iter__(self) -> Iterator[ir_measures.ScoredDoc]:
        for query_id, docs in self.as_dict().items():
            for doc_id, score in docs.items():
                yield ir_measures.ScoredDoc(query_id, doc_id, score)


class DictRun(Run):
    """A run given as ``{query_id: {doc_id: score}}``."""

    def __init__(self, data: Mapping[Any, Mapping[str, float]]) -> None:
        self.topics = [str(t) for t in tables.topic_ids("run", data)]
        self._docs = list(data.values())
        self.offsets = offsets_of([len(d) for d in self._docs])
        values = chain.from_iterable(d.values() for d in self._docs)
        try:
            self.score = np.fromiter(values, np.float64, int(self.offsets[-1]))
        except (TypeError, ValueError):
            raise tables.bad_number_in_dict("run", "score", data) from None
        if not np.isfinite(self.score).all():
            raise tables.bad_number_in_dict("run", "score", data)

    def docs(self, topic: int) -> list[str]:
        return list(self._docs[topic])

    def find(self, judgments: Judgments, pairs: list[tuple[int, int]]) -> Found:
        found: list[list[str]] = []
        doc: list[int] = []
        score: list[float] = []
        for mine, theirs in pairs:
            docs, judged = self._docs[mine], judgments.by_topic[theirs]
            common = list(docs.keys() & judged.keys())
            found.append(common)
            doc += [judged[d] for d in common]
            score += [docs[d] for d in common]

        def rows() -> Ints:
            out: list[int] = []
            for (mine, _), common in zip(pairs, found, strict=True):
                place = dict(zip(self._docs[mine], range(self.offsets[mine], self.offsets[mine + 1]), strict=True))
                out += [place[d] for d in common]
            return np.array(out, dtype=np.int64)

        lengths = [len(f) for f in found]
        return Found(offsets_of(lengths), np.array(doc, dtype=np.int64), np.array(score, dtype=np.float64), rows)

    def column(self, name: str) -> Array | None:
        return None

    @property
    def columns(self) -> list[str]:
        return ["query_id", "doc_id", "score"]


class TableRun(Run):
    """A run given as a table: a file, a data frame, namedtuples."""

    def __init__(self, data: pa.Table) -> None:
        columns = tables.Columns("run", data)
        topic, topics = columns.topics()
        self._data = data
        self._order: Ints | None = None
        if np.any(topic[1:] < topic[:-1]):
            self._order = np.argsort(topic, kind="stable")
            topic = topic[self._order]
        self.topics = [str(t) for t in topics]
        self.offsets = offsets_of(np.bincount(topic, minlength=len(topics)))
        self.score = self._grouped(columns.floats("score"))
        encoded = columns.texts("doc_id").dictionary_encode()
        self._doc = self._grouped(np.asarray(encoded.indices, dtype=np.int64))
        self._names: pa.Array = encoded.dictionary
        self._refuse_duplicates(topic)

    def _grouped(self, values: Any) -> Any:
        return values if self._order is None else values[self._order]

    def _refuse_duplicates(self, topic: Ints) -> None:
        size = max(len(self._names), 1)
        if len(self._names) == len(self._doc):
            return
        key = topic * np.int64(size) + self._doc
        key.sort()
        twice = np.flatnonzero(key[1:] == key[:-1])
        if len(twice):
            query, doc = divmod(int(key[twice[0]]), size)
            raise DataError(
                f"The run has the document {self._names[doc].as_py()!r} more than once for query {self.topics[query]!r} "
                f"({len(twice)} such rows in all). A document stands once in a ranking."
            )

    def docs(self, topic: int) -> list[str]:
        part = self._doc[self.offsets[topic] : self.offsets[topic + 1]]
        return list(self._names.take(part).to_pylist())

    def find(self, judgments: Judgments, pairs: list[tuple[int, int]]) -> Found:
        rows, doc = self._matches(judgments)
        theirs_of = np.full(len(self.topics), -1, dtype=np.int64)
        place = np.full(len(self.topics), -1, dtype=np.int64)
        for i, (mine, theirs) in enumerate(pairs):
            theirs_of[mine], place[mine] = theirs, i
        topic = segment_of(self.offsets)[rows]
        vocabulary, keys, meaning = judgments.vocabulary
        wanted = theirs_of[topic] * np.int64(len(vocabulary)) + doc
        at = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
        hit = (theirs_of[topic] >= 0) & (keys[at] == wanted) if len(keys) else np.zeros(len(rows), dtype=bool)
        rows, found, segment = rows[hit], meaning[at[hit]], place[topic[hit]]
        order = np.argsort(segment, kind="stable")
        counts = np.bincount(segment, minlength=len(pairs))
        rows = rows[order]
        return Found(offsets_of(counts), found[order], self.score[rows], lambda: rows)

    def _matches(self, judgments: Judgments) -> tuple[Ints, Ints]:
        """Return the rows whose document is judged for any topic, and its number in the vocabulary."""
        import pyarrow.compute as pc

        known = pc.fill_null(pc.index_in(self._names, value_set=judgments.vocabulary[0]), -1)
        doc = np.asarray(known, dtype=np.int64)[self._doc]
        rows = np.flatnonzero(doc >= 0)
        return rows, doc[rows]

    def column(self, name: str) -> Array | None:
        columns = tables.Columns("run", self._data)
        return self._grouped(columns.values(name)) if name in columns else None

    @property
    def columns(self) -> list[str]:
        return list(self._data.column_names)


def read_run(run: Any) -> Run:
    """Return a run of any kind as :class:`Run`.

    Parameters
    ----------
    run : Run, dict of dict, DataFrame, pyarrow Table, iterable of namedtuples, str or Path
        A text is the path of a file.

    Raises
    ------
    irmx.errors.DataError
        Where it cannot be read; says what was found, where, and what to do.
    """
    if isinstance(run, Run):
        return run
    if isinstance(run, Mapping):
        return DictRun(run)
    table = tables.as_table("run", run)
    if table.num_rows == 0 and tables.is_path(run):
        raise DataError(f"The run {run} is empty.")
    return TableRun(table)
