"""Rows as a measure sees them: of every topic all rows of the qrels, all rows of the run, and which belong together."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from irmx.data.judgments import Judgments
from irmx.errors import QrelsWarning
from irmx.ragged import Array, Floats, Ints, offsets_of, position_in_segment, segment_of
from irmx.rank.join import Join


@dataclass(frozen=True)
class QrelsRows:
    """All qrels rows of the topics of rankings, as ragged arrays; within a topic in the order of the qrels.

    This is where denominators come from: the subtopics, nuggets or verticals of a topic are the different values of
    a column over its rows. A row with an empty ``doc_id`` declares one that no judged document holds.

    Attributes
    ----------
    offsets : int array, shape (topics + 1,)
        Which rows belong to a topic.
    doc : int array, shape (rows,)
        The place of the row's document in the documents of the judgments; -1 where ``doc_id`` is empty.
    grade : float array, shape (rows,)
        The grade of the row.
    column : callable
        Gives a qrels column by name over the rows, None where the qrels lack it.
    labels : callable
        Gives a qrels column by name as the number of the value of every row, -1 where it is missing or empty, and the
        list of the values; None where the qrels lack it.
    ranks : callable
        Gives ``rank``.
    place : callable
        Says of some rows where they stand, as a message starts, such as ``qrels.csv, lines 3 and 7``; empty where the qrels
        were not read from a file.
    """

    offsets: Ints
    doc: Ints
    grade: Floats
    column: Callable[[str], Array | None]
    labels: Callable[[str], tuple[Ints, list[Any]] | None]
    ranks: Callable[[], Ints]
    place: Callable[[Sequence[int]], str]

    @cached_property
    def topic(self) -> Ints:
        """The number of each row's topic."""
        return segment_of(self.offsets)

    def warn(self, text: str, rows: Sequence[int] = ()) -> None:
        """Warn of the qrels themselves, with their file and the lines of some rows, or "The qrels", before the text.

        Where several runs are scored the text is given once, without the name of a run.
        """
        warnings.warn(f"{self.place(rows) or 'The qrels'}: {text}", QrelsWarning, stacklevel=2)

    @property
    def declares(self) -> Array:
        """Whether each row has an empty ``doc_id``."""
        return self.doc < 0

    @cached_property
    def rank(self) -> Ints:
        """The rank of each row's document, from 1; 0 where it is not in the ranking."""
        of_document, out = self.ranks(), np.zeros(len(self.doc), dtype=np.int64)
        out[~self.declares] = of_document[self.doc[~self.declares]]
        return out


def qrels_rows(judgments: Judgments, topics: Ints, ranks: Callable[[], Ints]) -> QrelsRows:
    """Return the rows of some topics.

    Parameters
    ----------
    judgments : Judgments
        The judgments.
    topics : int array
        The numbers of the topics in the judgments.
    ranks : callable
        Gives the rank of every judged document, 0 where it has none.
    """

    def placed() -> tuple[Ints, Ints, Ints, Floats]:
        offsets, source, doc = judgments.all_rows
        lengths = np.diff(offsets)[topics]
        ends = offsets_of(lengths)
        row = np.repeat(offsets[topics], lengths) + position_in_segment(ends)
        relevance = judgments.given_column("relevance")
        grade = judgments.grade[doc[row]] if relevance is None else relevance[source[row]]
        return ends, source[row], doc[row], grade

    ends, given, doc, grade = judgments.memo(topics, "rows", placed)

    def column(name: str) -> Array | None:
        values = judgments.given_column(name)
        return None if values is None else values[given]

    def labels(name: str) -> tuple[Ints, list[Any]] | None:
        found = judgments.given_labels(name)
        return None if found is None else (found[0][given], found[1])

    def place(rows: Sequence[int]) -> str:
        return judgments.place([int(given[row]) for row in rows])

    return QrelsRows(ends, doc, grade, column, labels, ranks, place)


@dataclass(frozen=True)
class RunRows:
    """All rows of the run of the topics of rankings, as ragged arrays; within a topic in the order of the run.

    For measures of streams: nothing is ranked, and a document may stand there more than once.

    Attributes
    ----------
    offsets : int array, shape (topics + 1,)
        Which rows belong to a topic.
    score : float array, shape (rows,)
        Their scores.
    column : callable
        Gives a run column by name over the rows, None where the run lacks it.
    docs : callable
        Gives the documents of a topic by its number.
    """

    offsets: Ints
    score: Floats
    column: Callable[[str], Array | None]
    docs: Callable[[int], list[str]]

    @cached_property
    def topic(self) -> Ints:
        """The number of each row's topic."""
        return segment_of(self.offsets)


def run_rows(join: Join) -> RunRows:
    """Return the rows of the topics of a join."""
    mine = np.array([m for m, _ in join.pairs], dtype=np.int64)
    ends = offsets_of(np.diff(join.run.offsets)[mine])
    row = np.repeat(join.run.offsets[mine], np.diff(ends)) + position_in_segment(ends)

    def column(name: str) -> Array | None:
        values = join.run.column(name)
        return None if values is None else values[row]

    return RunRows(ends, join.run.score[row], column, lambda topic: join.run.docs(int(mine[topic])))


def matching_rows(join: Join, run: RunRows, qrels: QrelsRows) -> tuple[Ints, Ints]:
    """Return every pair of a run row and a qrels row with the same document, by topic and run row."""
    found = join.found(None)
    pair = segment_of(found.offsets)
    mine = np.array([m for m, _ in join.pairs], dtype=np.int64)
    at = found.rows() - join.run.offsets[mine[pair]] + run.offsets[pair]
    order = np.argsort(at, kind="stable")
    at, doc = at[order], found.doc[order]
    by_doc = np.argsort(qrels.doc, kind="stable")
    sorted_doc = qrels.doc[by_doc]
    first = np.searchsorted(sorted_doc, doc, side="left")
    count = np.searchsorted(sorted_doc, doc, side="right") - first
    return np.repeat(at, count), by_doc[np.repeat(first, count) + position_in_segment(offsets_of(count))]
