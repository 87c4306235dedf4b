"""Checks of declared columns: they are the ones that are read."""

from __future__ import annotations

from irmx.declare.columns import Column
from irmx.declare.measures import Measure
from irmx.errors import DataError
from irmx.score.evaluator import evaluator
from irmx.testing.sample import Sample
from irmx.testing.strategies import declared_columns
from irmx.testing.trying import Data, failure, for_all, silent, values


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
