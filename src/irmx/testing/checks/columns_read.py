"""Checks of declared columns: they are the ones that are read."""

from __future__ import annotations

from typing import Any

from irmx.declare.columns import REQUIRED, Column, vocabulary
from irmx.declare.measures import Measure
from irmx.errors import DataError
from irmx.score.evaluator import evaluator
from irmx.testing.failures import failure
from irmx.testing.sample import Sample
from irmx.testing.strategies import declared_columns
from irmx.testing.trying import Data, for_all, require_same, silent, values


def check_undeclared_columns(measure: Measure, data: Data) -> None:
    """Undeclared columns change nothing: neither texts nor numbers in them, nor a row per subtopic where ``iteration`` is one."""
    declared = {(c.table, c.name) for c in declared_columns(measure)}
    known = {(c.table, c.name) for c in vocabulary()} | {
        *(("run", name) for name in ("no_such_column", "rank", "docid", "query", "title")),
        ("qrels", "no_such_column"),
    }
    others = {(t, n) for t, n in known - declared if n not in REQUIRED[t]}
    asked = "Columns that it does not declare must change nothing."

    def littered(sample: Sample, litter: Any) -> Sample:
        extra = {table: {name: litter for t, name in others if t == table} for table in ("run", "qrels")}
        rows = [{**row, **extra["qrels"]} for row in sample.qrels]
        if ("qrels", "iteration") in others:
            rows = [{**row, "iteration": subtopic} for row in rows for subtopic in ("s1", "s2")]
        return Sample(tuple(rows), tuple({**row, **extra["run"]} for row in sample.run))

    def holds(sample: Sample) -> None:
        expected = values(measure, sample)
        for litter in ("garbage", 3):
            more = littered(sample, litter)
            what = f"with {litter!r} in " + ", ".join(sorted(f"{t}.{n}" for t, n in others))
            require_same(measure, asked, expected, values(measure, more), what, sample, more)

    for_all(data.samples(measure), holds, data, share=0.2)


def check_missing_columns(measure: Measure, data: Data) -> None:
    """Without a declared column the error names the measure, the table and the column; without an optional one there is none."""
    sample = data.some(measure)
    for column in declared_columns(measure):
        if not column.optional:
            less = sample.without(column.table, [column.name])
            # a row without a document, whose only label this was, would be refused first
            _require_refusal(measure, column, less.with_qrels(row for row in less.qrels if row["doc_id"]))


def _require_refusal(measure: Measure, column: Column, sample: Sample) -> None:
    asked = f"Without the column {column.name!r} of the {column.table} it must raise DataError with its name, the table and the column."
    try:
        with silent():
            found = evaluator([measure], sample.qrels_table).values(sample.run_table)[measure]
    except DataError as error:
        said = str(error)
        if not all(name in said for name in (str(measure), column.table, repr(column.name))):
            raise failure(measure, asked, f"The text is: {said}", sample) from None
    except Exception as error:
        raise failure(measure, asked, f"It raised {type(error).__name__}: {error}", sample) from error
    else:
        raise failure(measure, asked, f"It gave {found}; declare the column optional, if that is right.", sample)


def check_optional_columns(measure: Measure, data: Data) -> None:
    """Every optional column may be absent, and all of them together."""
    optional = [c for c in declared_columns(measure) if c.optional]
    if not optional:
        return

    def holds(sample: Sample) -> None:
        for columns in [*([c] for c in optional), optional]:
            less = sample
            for column in columns:
                less = less.without(column.table, [column.name])
            values(measure, less)

    for_all(data.samples(measure), holds, data, share=0.3)
