"""Hypothesis strategies for qrels and runs: ties, unjudged documents, negative grades, subtopics, odd ids."""

from __future__ import annotations

import math
import random
from collections import namedtuple
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from hypothesis import strategies as st

from irmx.declare.columns import REQUIRED, Column
from irmx.declare.measures import Measure
from irmx.declare.params import common_value

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


# -- A small made-up collection: the rows of qrels and of a run, in every form that irmx reads -----------------------


Row = Mapping[str, Any]
T = TypeVar("T")


@dataclass(frozen=True)
class Sample:
    """Qrels and a run, row by row.

    Attributes
    ----------
    qrels, run : tuple of mappings
        A mapping of column names to values per row; all rows of a table have the same columns.

    Examples
    --------
    >>> sample = Sample(({"query_id": "q", "doc_id": "a", "relevance": 1},), ({"query_id": "q", "doc_id": "a", "score": 2.0},))
    >>> sample.topics, sample.run_dict()
    (['q'], {'q': {'a': 2.0}})
    >>> print(sample.code("NCP(law=uniform)"))
    import irmx, pandas as pd
    qrels = pd.DataFrame([{'query_id': 'q', 'doc_id': 'a', 'relevance': 1}])
    run = pd.DataFrame([{'query_id': 'q', 'doc_id': 'a', 'score': 2.0}])
    irmx.evaluator('NCP(law=uniform)', qrels).values(run)
    """

    qrels: tuple[Row, ...]
    run: tuple[Row, ...]
    _made: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)

    # -- the forms of a table ----------------------------------------------------------------------------

    @property
    def qrels_table(self) -> pa.Table:
        """The qrels as an Arrow table."""
        return self.once("qrels", lambda: arrow("qrels", self.qrels))

    @property
    def run_table(self) -> pa.Table:
        """The run as an Arrow table."""
        return self.once("run", lambda: arrow("run", self.run))

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return what is made of the sample, which is kept under a key: many checks and measures look at the same sample."""
        if key not in self._made:
            self._made[key] = make()
        made: T = self._made[key]
        return made

    def qrels_frame(self) -> pd.DataFrame:
        """Return the qrels as a DataFrame."""
        return frame("qrels", self.qrels)

    def run_frame(self) -> pd.DataFrame:
        """Return the run as a DataFrame."""
        return frame("run", self.run)

    def qrels_dict(self) -> dict[str, dict[str, float]]:
        """Return the qrels as a dict of dicts; of several rows of a document the last stays."""
        return _nested(self.qrels, "relevance")

    def run_dict(self) -> dict[str, dict[str, float]]:
        """Return the run as a dict of dicts."""
        return _nested(self.run, "score")

    # -- other samples made of it ------------------------------------------------------------------------

    @property
    def topics(self) -> list[str]:
        """The query ids of the qrels, in order of first appearance."""
        return list(dict.fromkeys(row["query_id"] for row in self.qrels))

    def where(self, keep_qrels: Callable[[Row], bool], keep_run: Callable[[Row], bool]) -> Sample:
        """Return the sample with some of its rows."""
        return Sample(tuple(filter(keep_qrels, self.qrels)), tuple(filter(keep_run, self.run)))

    def only(self, topics: Iterable[str]) -> Sample:
        """Return the sample of some topics."""
        kept = set(topics)
        return self.where(lambda row: row["query_id"] in kept, lambda row: row["query_id"] in kept)

    def with_run(self, rows: Iterable[Row]) -> Sample:
        """Return the sample with another run."""
        return Sample(self.qrels, tuple(rows))

    def with_qrels(self, rows: Iterable[Row]) -> Sample:
        """Return the sample with other qrels."""
        return Sample(tuple(rows), self.run)

    def without(self, table: str, columns: Iterable[str]) -> Sample:
        """Return the sample without some columns of a table."""
        gone = set(columns)
        rows = [{k: v for k, v in row.items() if k not in gone} for row in getattr(self, table)]
        return self.with_run(rows) if table == "run" else self.with_qrels(rows)

    # -- showing it --------------------------------------------------------------------------------------

    def code(self, measure: Any) -> str:
        """Return the Python lines that compute a measure on it."""
        return "\n".join(
            (
                "import irmx, pandas as pd",
                f"qrels = {_frame_code('qrels', self.qrels)}",
                f"run = {_frame_code('run', self.run)}",
                f"irmx.evaluator({str(measure)!r}, qrels).values(run)",
            )
        )


def arrow(table: str, rows: Iterable[Row]) -> pa.Table:
    """Return rows as an Arrow table, without rows one with the columns that every such table has."""
    import pyarrow as pa

    given = list(rows)
    names = list(given[0]) if given else list(REQUIRED[table])
    return pa.table({name: [row[name] for row in given] for name in names})


def frame(table: str, rows: Iterable[Row]) -> pd.DataFrame:
    """Return rows as a DataFrame, without rows one with the columns that every such table has."""
    import pandas as pd

    given = [dict(row) for row in rows]
    return pd.DataFrame(given, columns=None if given else list(REQUIRED[table]))


def namedtuples(rows: Iterable[Row]) -> Iterator[Any]:
    """Yield rows as namedtuples whose fields are the columns."""
    given = list(rows)
    if given:
        kind = namedtuple("Row", list(given[0]))  # type: ignore[misc]
        yield from (kind(**row) for row in given)


def _nested(rows: Iterable[Row], value: str) -> dict[str, dict[str, float]]:
    out: dict[str, dict[str, float]] = {}
    for row in rows:
        out.setdefault(row["query_id"], {})[row["doc_id"]] = row[value]
    return out


def _frame_code(table: str, rows: tuple[Row, ...]) -> str:
    return f"pd.DataFrame({[dict(r) for r in rows]!r})" if rows else f"pd.DataFrame(columns={list(REQUIRED[table])!r})"


# -- hypothesis strategies for qrels and runs ------------------------------------------------------------------------


__all__ = ["deep", "qrels", "runs", "samples", "shuffled"]

Ties = Literal["some", "none", "all"]

PLAIN = ("d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7", "d8")
ODD = ("007", "a,b", 'the "A"', "NaN", "clueweb:1/2", "Ümläut", "-1", "文書", "it's;#")
TOPICS = (("q1", "q2", "q3"), ("10", "9", "008"), ("t-b", "ä", "null"))
SUBTOPICS = ("s1", "s2", "s3")
_MANY = 4
"""Large samples have 4 times the documents and twice the topics."""

_grade_lists: dict[tuple[int, int, int, bool], st.SearchStrategy[list[int]]] = {}


def declared_columns(measure: Measure | None) -> tuple[Column, ...]:
    """Return the columns that a measure, as its parameters are, reads beyond those of every table."""
    return () if measure is None else (*measure.run_columns(), *measure.qrel_columns())


def samples(
    measure: Measure | None = None,
    *,
    adapt: Callable[[Sample], Sample] | None = None,
    max_topics: int = 3,
    ties: Ties = "some",
    negative: bool = True,
    large: bool = False,
) -> st.SearchStrategy[Sample]:
    """Return qrels and a run of a few topics that both have.

    Every topic has a relevant judged document, which the run need not have; otherwise documents are judged or not,
    retrieved or not.

    Parameters
    ----------
    measure : Measure, optional
        Whose columns the tables have, with the :attr:`irmx.Column.sample` values of each; its ``rel`` is the grade that relevant documents have at least. Where it reads
        ``iteration``, documents have a row per subtopic, and a row without a document may declare another subtopic.
    adapt : callable
        Takes a sample and returns it with what relates its columns put right.
    max_topics : int
        The largest number of topics, up to 3.
    ties : {"some", "none", "all"}
        Whether scores, and other values by which a measure may order documents, may be equal within a topic; with
        ``"all"`` all are, and every topic has three documents or more.
    negative : bool
        Whether grades may be negative.
    large : bool
        Whether there are six topics with some thirty documents each, instead of few with few.

    Examples
    --------
    >>> from hypothesis import find
    >>> sample = find(samples(max_topics=1), lambda s: len(s.run) > 1)
    >>> sorted(sample.run[0]), sorted(sample.qrels[0])
    (['doc_id', 'query_id', 'score'], ['doc_id', 'query_id', 'relevance'])
    """
    return _samples(declared_columns(measure), _least_relevant(measure), adapt, max_topics, ties, negative, large)


@lru_cache(maxsize=64)
def _samples(*arguments: Any) -> st.SearchStrategy[Sample]:
    """Return one strategy for all measures that read the same columns, so that what is drawn from it serves them all."""
    return _drawn_samples(*arguments)


@st.composite
def _drawn_samples(
    draw: st.DrawFn,
    declared: tuple[Column, ...],
    rel: int,
    adapt: Callable[[Sample], Sample] | None,
    max_topics: int,
    ties: Ties,
    negative: bool,
    large: bool,
) -> Sample:
    subtopics = any(c.table == "qrels" and c.name == "iteration" for c in declared)
    names: tuple[str, ...] = draw(st.sampled_from((PLAIN, ODD)))
    topics: tuple[str, ...] = draw(st.sampled_from(TOPICS))
    if large:
        names = tuple(f"{name}{i}" for name in names for i in range(_MANY))
        topics, max_topics = (*topics, *(f"{topic}+" for topic in topics)), 6
    qrels: list[dict[str, Any]] = []
    run: list[dict[str, Any]] = []
    for query_id in topics[: max_topics if large else draw(st.integers(1, max_topics))]:
        judged = draw(_grades(-1 if negative else 0, rel, 3 if ties == "all" else 1, large))
        judged[0] = max(judged[0], rel)
        for doc_id, grade in zip(names, judged, strict=False):
            row = {"query_id": query_id, "doc_id": doc_id, "relevance": grade}
            held = draw(_HELD) if subtopics else (None,)
            qrels += [row if s is None else {**row, "iteration": s} for s in held]
        if subtopics and draw(st.booleans()):
            qrels.append({"query_id": query_id, "doc_id": "", "relevance": rel, "iteration": "s4"})
        docs = draw(st.permutations(names[: len(judged) + draw(st.integers(0, 3))]))
        retrieved = docs if ties == "all" or large else docs[draw(st.integers(0, len(docs) // 2)) :]
        scores = draw(_scores(len(retrieved), ties))
        run += [{"query_id": query_id, "doc_id": d, "score": float(s)} for d, s in zip(retrieved, scores, strict=True)]

    def pick(values: Sequence[Any]) -> Any:
        return draw(st.sampled_from(values))

    _fill(pick, qrels, [c for c in declared if c.table == "qrels"], ties)
    _fill(pick, run, [c for c in declared if c.table == "run"], ties)
    sample = Sample(tuple(qrels), tuple(run))
    return sample if adapt is None else adapt(sample)


@lru_cache(maxsize=64)
def _deep(declared: tuple[Column, ...], rel: int, adapt: Callable[[Sample], Sample] | None, large: int) -> Sample:
    subtopics = any(c.table == "qrels" and c.name == "iteration" for c in declared)
    names, chance = [f"doc{i:03}" for i in range(560)], random.Random(1)
    qrels: list[dict[str, Any]] = []
    run: list[dict[str, Any]] = []
    for query_id in ("deep", "other"):
        grades = [rel, large, *(chance.choice([0, 0, 0, 0, rel, rel + 1, large]) for _ in names[2:520])]
        for doc_id, grade in zip(names, grades, strict=False):
            row = {"query_id": query_id, "doc_id": doc_id, "relevance": grade}
            qrels += [{**row, "iteration": s} for s in chance.choice(_HELD_BY)] if subtopics else [row]
        docs = chance.sample(names, 75)
        run += [{"query_id": query_id, "doc_id": d, "score": 100.0 - i} for i, d in enumerate(docs)]
    for table, rows in (("qrels", qrels), ("run", run)):
        _fill(chance.choice, rows, [c for c in declared if c.table == table], "none")
    sample = Sample(tuple(qrels), tuple(run))
    return sample if adapt is None else adapt(sample)


def deep(measure: Measure, adapt: Callable[[Sample], Sample] | None = None, large_grades: bool = True) -> Sample:
    """Return two topics with 75 documents retrieved and 520 judged, some with a grade of 60, without ties; always the same.

    Parameters
    ----------
    measure, adapt
        As in :func:`samples`.
    large_grades : bool
        Whether there are grades of 60; otherwise the largest is five above the smallest relevant one.

    Examples
    --------
    >>> import irmx
    >>> sample = deep(irmx.NCP)
    >>> len(sample.run), len(sample.qrels), max(row["relevance"] for row in sample.qrels)
    (150, 1040, 60)
    """
    rel = _least_relevant(measure)
    return _deep(declared_columns(measure), rel, adapt, LARGE_GRADE if large_grades else rel + 5)


def _least_relevant(measure: Measure | None) -> int:
    rel = None if measure is None else common_value(measure, "rel")
    return 1 if rel is None else max(1, math.ceil(rel))


_ANY: dict[str, Sequence[Any]] = {"float": range(10), "str": ("one", "two", "three")}
"""What columns hold that declare no sample values."""

_HELD_BY = (("s1",), ("s2",), ("s3",), ("s1", "s2"), ("s2", "s3"))
_HELD = st.sampled_from(_HELD_BY)
LARGE_GRADE = 60
"""A grade beyond what small scales have, such as a percentage."""


def _scores(count: int, ties: Ties) -> st.SearchStrategy[list[int]]:
    if ties == "some":
        return st.lists(st.integers(0, 3), min_size=count, max_size=count)
    return st.permutations(range(count)) if ties == "none" else st.just([0] * count)


def _grades(lowest: int, rel: int, count: int, large: bool) -> st.SearchStrategy[list[int]]:
    key = (lowest, rel, count, large)
    if key not in _grade_lists:
        below = range(lowest, rel) if rel <= 10 else (*range(lowest, 4), rel - 1)
        grades = st.sampled_from(sorted({*below, *range(rel, rel + 3), rel + 5}, key=abs))
        sizes = (5 * _MANY, 8 * _MANY) if large else (count, 5)
        _grade_lists[key] = st.lists(grades, min_size=sizes[0], max_size=sizes[1])
    return _grade_lists[key]


def _fill(
    pick: Callable[[Sequence[Any]], Any], rows: list[dict[str, Any]], columns: Iterable[Column], ties: Ties
) -> None:
    """Give rows the values of columns; those that belong to other columns come after them."""
    columns = [c for c in columns if not rows or c.name not in rows[0]]
    names = {c.name for c in columns}
    for column in sorted(columns, key=lambda c: len(names.intersection(c.sample.per))):
        of = column.sample
        values = of.values or _ANY[column.dtype]
        keys: list[tuple[Any, ...]] = [
            tuple(row.get(name) for name in ("query_id", *of.per)) if of.per else (row["query_id"], i)
            for i, row in enumerate(rows)
        ]
        found: dict[tuple[Any, ...], Any] = {}
        taken: set[tuple[str, Any]] = set()
        for key in dict.fromkeys(keys):
            value = pick(values)
            while of.orders and ties == "none" and (key[0], value) in taken:
                value += 1
            if of.orders and ties == "all":
                value = next((v for topic, v in taken if topic == key[0]), value)
            taken.add((key[0], value))
            found[key] = value
        if of.shares:
            totals = {topic: sum(v for k, v in found.items() if k[0] == topic) for topic, *_ in found}
            found = {key: value / totals[key[0]] for key, value in found.items()}
        for key, row in zip(keys, rows, strict=True):
            row[column.name] = found[key]


def qrels(measure: Measure | None = None, **options: Any) -> st.SearchStrategy[Any]:
    """Return qrels as DataFrames; the parameters are those of :func:`samples`.

    Examples
    --------
    >>> from hypothesis import given
    >>> @given(qrels())
    ... def every_topic_has_a_relevant_document(frame):
    ...     assert (frame.groupby("query_id").relevance.max() >= 1).all()
    >>> every_topic_has_a_relevant_document()
    """
    return samples(measure, **options).map(Sample.qrels_frame)


def runs(measure: Measure | None = None, **options: Any) -> st.SearchStrategy[Any]:
    """Return runs as DataFrames; the parameters are those of :func:`samples`.

    Examples
    --------
    >>> from hypothesis import given
    >>> @given(runs(ties="none"))
    ... def no_two_scores_are_equal(frame):
    ...     assert not frame.duplicated(["query_id", "score"]).any()
    >>> no_two_scores_are_equal()
    """
    return samples(measure, **options).map(Sample.run_frame)


def shuffled(rows: Iterable[Any]) -> st.SearchStrategy[list[Any]]:
    """Return the rows of a table in any order, often backwards.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(shuffled("abc"), lambda rows: rows != ["a", "b", "c"]) != ["a", "b", "c"]
    True
    """
    given = list(rows)
    return st.one_of(st.just(given[::-1]), st.permutations(given))
