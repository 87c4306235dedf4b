"""The column vocabulary: the name, meaning and unit of every column that a measure may read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np

from irmx.declare.measure_failures import failures_of
from irmx.errors import DataError, UsageError
from irmx.ragged import Array, short_repr
from irmx.registry import registry
from irmx.text import suggest

TableName = Literal["run", "qrels", "scores"]
"""The two tables of an evaluation, and the values by topic that come out of one."""


@dataclass(frozen=True)
class SampleValues:
    """Sample values of a column, for the tables of the conformance kit and for the documentation.

    Attributes
    ----------
    values : sequence
        The values to draw from, such as ``range(8, 61)`` or ``("text", "image")``; empty for any small whole
        numbers, or any labels. They must fit those of the other columns that the same measures read.
    per : tuple of str
        The columns that determine a value: rows that agree in them have the same value. ``("query_id",)`` gives one value
        per topic, ``("query_id", "doc_id")`` one per document, ``("query_id", "iteration")`` one per subtopic or nugget.
        By default every row has its own value.
    orders : bool
        Whether a measure may order rows by it; in tables without ties, the values of a topic are then distinct.
    shares : bool
        Whether the values of a topic are scaled to add up to 1, as probabilities do.
    alone : tuple of str, optional
        For a column of labels by which results are grouped, the labels whose rows may be anywhere; the rows of every
        other label of a topic are adjacent, as one block. None if nothing is grouped.

    Examples
    --------
    >>> SampleValues(range(1, 10), per=("query_id", "doc_id")).shown
    '1 to 9, one per document'
    >>> SampleValues(("web", "news")).shown
    'web, news'
    """

    values: Sequence[Any] = ()
    per: tuple[str, ...] = ()
    orders: bool = False
    shares: bool = False
    alone: tuple[str, ...] | None = None

    __repr__ = short_repr

    @property
    def shown(self) -> str:
        """The values and what each belongs to, in words; empty if any value will do."""
        if not self.values:
            return ""
        if self.shares:
            text = "shares that add up to 1 over the topic"
        elif isinstance(self.values, range):
            text = f"{self.values[0]} to {self.values[-1]}"
            text += f" in steps of {self.values.step}" if self.values.step != 1 else ""
        else:
            text = ", ".join(str(value) for value in dict.fromkeys(self.values))
        owner = {"query_id": "topic", "doc_id": "document", "iteration": "subtopic"}
        return f"{text}, one per {owner.get(self.per[-1], self.per[-1])}" if self.per else text


@dataclass(frozen=True)
class Column:
    """A column of a run or of the qrels.

    Attributes
    ----------
    table : {"run", "qrels"}
        The table it belongs to.
    name : str
        Its name.
    desc : str
        Its meaning.
    unit : str
        Its unit, if it has one.
    dtype : {"float", "str"}
        Whether it holds numbers or labels.
    how : str
        How a user whose data lack the column can get it, as an imperative: ``"add it to the file"``.
    optional : bool
        Whether a measure that declares it also works without it.
    instead : str
        A column that measures read in its place if a parameter says so, as explained in ``how``.
    sample : SampleValues
        Its values in sample tables.
    declares : bool
        For a column of the run: whether a row may have a value here and no document. Such a row says that a part of the topic, such
        as a query of a session, has no documents, and needs no score; :attr:`irmx.Rows.declares` finds it. A measure that does not
        read the column refuses such runs.
    """

    table: TableName
    name: str
    desc: str
    unit: str = ""
    dtype: Literal["float", "str"] = "float"
    how: str = ""
    optional: bool = False
    instead: str = ""
    sample: SampleValues = SampleValues()
    declares: bool = False

    __repr__ = short_repr


RELEVANCE = Column("qrels", "relevance", "grade; floats are allowed")
ITERATION = Column("qrels", "iteration", "subtopic or nugget id", dtype="str")

BASE: tuple[Column, ...] = (
    Column("run", "query_id", "id of the topic", dtype="str"),
    Column("run", "doc_id", "id of the document", dtype="str"),
    Column("run", "score", "what the system ranks by; larger is better"),
    Column("qrels", "query_id", "id of the topic", dtype="str"),
    Column("qrels", "doc_id", "id of the document", dtype="str"),
    RELEVANCE,
    ITERATION,
)
"""The columns that the host itself knows."""


def vocabulary() -> tuple[Column, ...]:
    """Return every column once: those of every run and qrels, and those that the measures of all plugins declare.

    If several plugins declare a column, such as the length of a document, the first declaration is returned.

    Examples
    --------
    >>> import irmx
    >>> [column.name for column in irmx.toolkit.vocabulary() if column.table == "run"][:3]
    ['query_id', 'doc_id', 'score']
    """
    declared = [c for m in registry().measures().values() for c in (*m.RUN_COLUMNS, *m.QREL_COLUMNS)]
    return tuple({(c.table, c.name): c for c in (*BASE, *declared)}.values())


class ReadsColumns(Protocol):
    """What reads columns, such as a measure."""

    def run_columns(self) -> Sequence[Column]:
        """Return the columns of runs that it reads."""

    def qrel_columns(self) -> Sequence[Column]:
        """Return the columns of qrels that it reads."""


def needed(table: TableName, measures: Iterable[ReadsColumns]) -> list[str]:
    """Return the names of the extra columns that measures require."""
    read = (c for m in measures for c in columns_of(m) if c.table == table)
    return list(dict.fromkeys(c.name for c in read if not c.optional))


def columns_of(measure: ReadsColumns) -> tuple[Column, ...]:
    """Return the extra columns of runs and of qrels that a measure reads."""
    with failures_of(measure):
        return (*measure.run_columns(), *measure.qrel_columns())


def at_odds(measures: Iterable[ReadsColumns]) -> str:
    """Return the message about measures that read a column in different units, empty if none do."""
    first: dict[tuple[str, str], tuple[ReadsColumns, str]] = {}
    for measure in measures:
        for column in columns_of(measure):
            other, unit = first.setdefault((column.table, column.name), (measure, column.unit))
            if unit != column.unit:
                return (
                    f"{other} reads the {column.table} column {column.name!r} in {unit or 'no unit'}, {measure} in "
                    f"{column.unit or 'no unit'}: one of them is wrong. Compute them separately, each on its own table."
                )
    return ""


REQUIRED: dict[str, tuple[str, ...]] = {
    "run": ("query_id", "doc_id", "score"),
    "qrels": ("query_id", "doc_id", "relevance"),
    "scores": ("query_id", "measure", "value"),
}
"""The columns that every run, every qrels table and every table of scores has."""

_IDS = {
    "qid": "query_id",
    "q_id": "query_id",
    "topic_id": "query_id",
    "docno": "doc_id",
    "docid": "doc_id",
    "pid": "doc_id",
}

ALIASES: dict[str, dict[str, str]] = {
    "run": _IDS,
    "qrels": {
        **_IDS,
        "label": "relevance",
        "subtopic_id": "iteration",
        "query-id": "query_id",
        "corpus-id": "doc_id",
    },
    "scores": {},
}
"""The names of these columns in tables of PyTerrier, ir_datasets, BEIR, Pyserini, ranx and MS MARCO; of several for one column the first is it."""

_SCORE_IS_GRADE = ({"query-id", "corpus-id", "score"}, {"q_id", "doc_id", "score"})
"""The columns of qrels of BEIR and of ranx, where the score is the grade."""


CALLED_OTHERWISE = "IRMX_COLUMN"
"""The environment variable with the columns that a user names, such as ``grade=gain``, one a line."""

_ASKED = {"id": "doc_id", "topic": "query_id", "grade": "relevance"}


def column_named(text: str) -> tuple[str, str]:
    """Return a column, and what files call it, from ``COLUMN=NAME``.

    >>> column_named("grade=gain")
    ('relevance', 'gain')

    Raises
    ------
    irmx.errors.UsageError
        If it is of another form.
    """
    name, equals, called = text.partition("=")
    known = {*_ASKED, *(column.name for column in vocabulary())}
    if not equals or not called or name not in known:
        which = f"{suggest(name, known)} Known: {', '.join(sorted(known))}"
        raise UsageError(
            f"A column is written COLUMN=NAME, such as grade=gain. Got {text!r} instead.{'' if name in known else which}."
        )
    return _ASKED.get(name, name), called


def _asked_for(table: TableName) -> dict[str, str]:
    """Return the columns by what a user says that files call them; grades are of qrels, scores of runs."""
    asked = os.environ.get(CALLED_OTHERWISE, "")
    columns = [column_named(text) for text in asked.split("\n") if text]
    other = {"run": "relevance", "qrels": "score"}.get(table)
    return {called: name for name, called in columns if name != other}


def canonical_names(table: TableName, names: list[str]) -> list[str]:
    """Return column names with aliases replaced, except where the canonical column is also present.

    >>> canonical_names("qrels", ["qid", "docno", "label"]), canonical_names("qrels", ["query-id", "corpus-id", "score"])
    (['query_id', 'doc_id', 'relevance'], ['query_id', 'doc_id', 'relevance'])
    """
    is_grade = table == "qrels" and any(columns.issubset(names) for columns in _SCORE_IS_GRADE)
    asked = _asked_for(table)
    for called, name in asked.items():
        if called not in names and name == REQUIRED[table][-1]:
            raise DataError(
                f"There is no column {called!r} in the {table}, which has {', '.join(names)}. Change --column."
            )
    asked = {called: name for called, name in asked.items() if called in names}
    taken = [name for name in ALIASES[table] if ALIASES[table][name] not in asked.values()]
    aliases = (
        {name: ALIASES[table][name] for name in taken}
        | ({"score": "relevance"} if is_grade and "relevance" not in asked.values() else {})
        | asked
    )
    used = {
        name: alias
        for alias, name in reversed(aliases.items())
        if alias in names and (name not in names or alias in asked)
    }
    return [aliases[n] if n in aliases and used.get(aliases[n]) == n else n for n in names]


def is_missing(values: Array) -> Array:
    """Tell where a column has no value."""
    return np.asarray(values != values if values.dtype.kind == "f" else values == None)  # noqa: E711


def missing_column(column: Column, present: list[str]) -> str:
    """Return the message about a missing column."""
    unit = f" ({column.unit})" if column.unit else ""
    how = f" To get it, {column.how}." if column.how else ""
    return f"the {column.table} column {column.name!r}, {column.desc}{unit}, is missing; the {column.table} has {', '.join(present)}.{how}"
