"""The column vocabulary: one name, meaning and unit for every column a measure may read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from irmx.ragged import Array
from irmx.registry import registry

if TYPE_CHECKING:
    from irmx.declare.measures import Measure

Table = Literal["run", "qrels"]


@dataclass(frozen=True)
class Column:
    """A column of a run or of the qrels.

    Attributes
    ----------
    table : {"run", "qrels"}
        Where it stands.
    name : str
        Its name.
    desc : str
        Its meaning.
    unit : str
        Its unit, if it has one.
    dtype : {"float", "str"}
        Numbers, or labels.
    how : str
        What a user can do who does not have it.
    optional : bool
        Whether a measure that declares it can do without.
    instead : str
        A column that measures take in its place when a parameter says so, as ``how`` tells.
    """

    table: Table
    name: str
    desc: str
    unit: str = ""
    dtype: Literal["float", "str"] = "float"
    how: str = ""
    optional: bool = False
    instead: str = ""


ITERATION = Column("qrels", "iteration", "subtopic or nugget id", dtype="str")

BASE: tuple[Column, ...] = (
    Column("run", "query_id", "id of the topic", dtype="str"),
    Column("run", "doc_id", "id of the document", dtype="str"),
    Column("run", "score", "what the system ranks by; larger is better"),
    Column("qrels", "query_id", "id of the topic", dtype="str"),
    Column("qrels", "doc_id", "id of the document", dtype="str"),
    Column("qrels", "relevance", "grade; floats are allowed"),
    ITERATION,
)
"""The columns that the host itself knows."""


def vocabulary() -> tuple[Column, ...]:
    """Return every column: the host's and those that the measures of all plugins declare, each once."""
    declared = [c for m in registry().measures().values() for c in (*m.RUN_COLUMNS, *m.QREL_COLUMNS)]
    return tuple({(c.table, c.name): c for c in (*BASE, *declared)}.values())


def needed(table: Table, measures: Iterable[Measure]) -> list[str]:
    """Return the names of the extra columns that measures cannot do without."""
    read = (m.run_columns() if table == "run" else m.qrel_columns() for m in measures)
    return list(dict.fromkeys(c.name for columns in read for c in columns if not c.optional))


def at_odds(measures: Iterable[Measure]) -> str:
    """Return what to say of measures that read one column in different units, and nothing where none do."""
    first: dict[tuple[str, str], tuple[Measure, str]] = {}
    for measure in measures:
        for column in (*measure.run_columns(), *measure.qrel_columns()):
            other, unit = first.setdefault((column.table, column.name), (measure, column.unit))
            if unit != column.unit:
                return (
                    f"{other} reads the {column.table} column {column.name!r} in {unit or 'no unit'}, {measure} in "
                    f"{column.unit or 'no unit'}: one of them is wrong. Compute them apart, each on a table of its own."
                )
    return ""


REQUIRED: dict[str, tuple[str, ...]] = {
    "run": ("query_id", "doc_id", "score"),
    "qrels": ("query_id", "doc_id", "relevance"),
}
"""The columns that every run and every qrels table has."""

ALIASES: dict[str, dict[str, str]] = {
    "run": {"qid": "query_id", "docno": "doc_id"},
    "qrels": {
        "qid": "query_id",
        "docno": "doc_id",
        "label": "relevance",
        "subtopic_id": "iteration",
        "query-id": "query_id",
        "corpus-id": "doc_id",
    },
}
"""Other names under which tables of PyTerrier, ir_datasets and BEIR carry the same columns."""

_BEIR = {"query-id", "corpus-id", "score"}
"""The columns of BEIR's qrels, where the score is the grade."""


def canonical_names(table: Table, names: list[str]) -> list[str]:
    """Return column names with the aliases replaced, unless the canonical column is there already.

    >>> canonical_names("qrels", ["qid", "docno", "label"]), canonical_names("qrels", ["query-id", "corpus-id", "score"])
    (['query_id', 'doc_id', 'relevance'], ['query_id', 'doc_id', 'relevance'])
    """
    aliases = ALIASES[table] | ({"score": "relevance"} if table == "qrels" and _BEIR.issubset(names) else {})
    return [aliases[n] if n in aliases and aliases[n] not in names else n for n in names]


def is_missing(values: Array) -> Array:
    """Tell where a column has no value."""
    return np.asarray(values != values if values.dtype.kind == "f" else values == None)  # noqa: E711


def missing_column(column: Column, there: list[str]) -> str:
    """Return what to say of a column that is not there."""
    unit = f" ({column.unit})" if column.unit else ""
    how = f" To have it, {column.how}." if column.how else ""
    return f"the {column.table} column {column.name!r}, {column.desc}{unit}, is missing; the {column.table} has {', '.join(there)}.{how}"
