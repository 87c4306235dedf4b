"""The documents of sessions: by session, query and rank within the query."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from irmx import Column, DataError, Format, Rankings, SampleValues
from irmx.ragged import Array, Bools, Floats, Ints, position_in_run, segment_sum, short_repr

if TYPE_CHECKING:
    import pyarrow as pa


# -- the documents of sessions: by session, query and rank within the query ------------------------------------------


QUERY_NUMBER = Column(
    "run",
    "query_number",
    "the number of the query in its session, 1, 2, ...; a row without a document declares a query that returned nothing",
    how="give a run as a table with this column, whose query_id is the session, or a TREC run whose topics are SESSION.QUERY as "
    "sessions:FILE",
    sample=SampleValues((1,)),
    declares=True,
)


@dataclass(frozen=True)
class Sessions:
    """The documents of all sessions, by session, query and rank, as arrays with one value per document.

    Attributes
    ----------
    queries : int array, shape (sessions,)
        M, the number of queries of each session.
    session, query, rank : int array
        The number of the session, from 0, of the query in it and the rank in the query, from 1.
    doc : int array
        A number for each distinct document id.
    grade : float array
        The grade; NaN if it is not judged.
    row : int array
        The row of ``rankings.run_rows``.
    """

    queries: Ints
    session: Ints
    query: Ints
    rank: Ints
    doc: Ints
    grade: Floats
    row: Ints

    __repr__ = short_repr

    @classmethod
    def of(cls, rankings: Rankings) -> Sessions:
        """Return the documents of a run whose topics are sessions, once for all measures.

        Raises
        ------
        irmx.errors.DataError
            If a row has no query number or one that is no whole number from 1, if a number of a session is left out, or if a
            query has a document twice.
        """
        return rankings.memo("sessions", lambda: cls._of(rankings))

    @classmethod
    def _of(cls, rankings: Rankings) -> Sessions:
        rows = rankings.run_rows
        query = _query_numbers(rankings)
        queries = np.zeros(len(rankings), dtype=np.int64)
        np.maximum.at(queries, rows.topic, query)
        doc = np.unique(np.array(rows.doc_ids, dtype=object), return_inverse=True)[1]
        # as trec_eval orders: scores in 32 bits, those that are equal by id, descending
        score, tied = (rows.score, rows.row) if rankings.ties == "run" else (_in_32_bits(rows.score), -doc)
        order = np.lexsort((tied, -score, query, rows.topic))
        order = order[~rows.declares[order]]
        session, query, doc = rows.topic[order], query[order], doc[order]
        _refuse_repeats(rankings, order, session, query, doc)
        rank = position_in_run(session * (queries.max(initial=0) + 1) + query) + 1
        return cls(queries, session, query, rank, doc, rows.grade[order], order)

    def where(self, keep: Bools) -> Sessions:
        """Return some of the documents."""
        session, query, rank, doc, row = (of[keep] for of in (self.session, self.query, self.rank, self.doc, self.row))
        return Sessions(self.queries, session, query, rank, doc, self.grade[keep], row)

    def up_to(self, cutoff: int | None) -> Sessions:
        """Return the documents that are not below a cutoff of each query."""
        return self if cutoff is None else self.where(self.rank <= cutoff)

    @property
    def first_time(self) -> Bools:
        """Whether each document comes for the first time in its session."""
        out = np.zeros(len(self.doc), dtype=bool)
        out[np.unique(self.session * (self.doc.max(initial=0) + 1) + self.doc, return_index=True)[1]] = True
        return out

    def sum(self, values: Floats) -> Floats:
        """Return the sum of values, one per document, over every session."""
        return segment_sum(values, self.session, len(self.queries))


def _query_numbers(rankings: Rankings) -> Ints:
    """Return the query number of every row of the run, after checking that every session has 1, 2, ..., M."""
    rows = rankings.run_rows
    number = rows.column(QUERY_NUMBER, missing_ok=True)
    for i in np.flatnonzero(~((number >= 1) & (number == np.floor(number))))[:1].tolist():
        shown = "no value" if np.isnan(number[i]) else f"{number[i]:g}"
        raise DataError(
            f"The run column 'query_number' has {shown} for query {rankings.topics[rows.topic[i]]}, document "
            f"{rows.doc_ids[i]!r}. The queries of a session are numbered 1, 2, ... in every row."
        ).at(rows.place([i]))
    order = np.lexsort((number, rows.topic))
    start = np.diff(rows.topic[order], prepend=-1) > 0
    before = np.where(start, 0, np.append(0, number[order][:-1]))
    for i in np.flatnonzero(number[order] > before + 1)[:1].tolist():
        raise DataError(
            f"The run column 'query_number' has {number[order[i]]:g} for query {rankings.topics[rows.topic[order[i]]]}, but no row "
            f"has {before[i] + 1:g}. Give a query that returned nothing a row with its number and an empty doc_id."
        ).at(rows.place([int(order[i])]))
    return number.astype(np.int64)


def _refuse_repeats(rankings: Rankings, order: Ints, session: Ints, query: Ints, doc: Ints) -> None:
    """Raise if a query has a document twice; a later query may have it again."""
    rows = rankings.run_rows
    by_doc = np.lexsort((doc, query, session))
    pairs = np.stack([session, query, doc])[:, by_doc]
    for i in np.flatnonzero((pairs[:, 1:] == pairs[:, :-1]).all(axis=0))[:1].tolist():
        twice = order[by_doc[i : i + 2]]
        raise DataError(
            f"The run has the document {rows.doc_ids[twice[0]]!r} twice in query {query[by_doc[i]]} of session "
            f"{rankings.topics[session[by_doc[i]]]}. A document may be repeated in a later query, but not in the same one."
        ).at(rows.place(sorted(twice.tolist())))


def _in_32_bits(score: Floats) -> Array:
    with np.errstate(over="ignore"):
        return score.astype(np.float32)


# -- runs of sessions as TREC files ----------------------------------------------------------------------------------


class SessionRuns(Format):
    """TREC runs whose topics are the queries of sessions: ``s7.2`` is query 2 of session ``s7``.

    A query that returned nothing has no line, so that the queries after it are refused; give such a run as a table.
    """

    NAME, LINES, TABLES = "sessions", "all", ("run",)
    SHORT_DESC = "TREC runs whose topics are SESSION.QUERY, such as s7.2; must be named"
    EXAMPLES = ("sessions:run.txt",)

    def read(self, table: str, path: Path, content: bytes) -> pa.Table:
        """Return the run as a table with a column ``query_number``."""
        import pyarrow as pa

        names = ("query_id", "query_number", "doc_id", "score")
        columns: dict[str, list[str]] = {name: [] for name in names}
        try:
            lines = content.decode().split("\n")
        except UnicodeDecodeError:
            raise DataError(f"{path} is not UTF-8.") from None
        for number, line in enumerate(lines, start=1):
            fields = line.split()
            if not fields:
                continue
            session, _, query = fields[0].rpartition(".")
            if len(fields) != 6 or not session or not (query.isascii() and query.isdigit()):
                raise DataError(
                    f"A line of a run of sessions has six fields, SESSION.QUERY Q0 document rank score tag. Got {line.strip()!r}.",
                    place=f"{path}, line {number}",
                )
            for name, cell in zip(names, (session, query, fields[2], fields[4]), strict=True):
                columns[name].append(cell)
        return pa.table(columns)


SESSION_RUNS = SessionRuns()
