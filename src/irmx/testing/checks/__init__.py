"""The checks, one function each: ``check_NAME(measure, data)`` raises if a measure lacks the property."""

from __future__ import annotations

from typing import Any, Protocol

from irmx.declare.measures import Measure
from irmx.testing.checks import inputs
from irmx.testing.checks import values as of_values
from irmx.testing.generate import Data


class Check(Protocol):
    """A check: a function of a measure and the data that it is checked on."""

    __name__: str

    def __call__(self, measure: Measure, data: Data) -> None:
        """Raise :class:`irmx.testing.CheckError` if the measure lacks the property."""


_ALL: tuple[Any, ...] = (
    inputs.check_metadata,
    inputs.check_citation,
    inputs.check_examples,
    inputs.check_parameters,
    inputs.check_unknown_parameter,
    inputs.check_required_parameters,
    inputs.check_default_parameters,
    inputs.check_expression,
    inputs.check_equality,
    inputs.check_copies,
    inputs.check_joblib,
    inputs.check_input_kinds,
    inputs.check_inputs_unchanged,
    of_values.RELATIONS["undeclared_columns"],
    inputs.check_missing_columns,
    inputs.check_optional_columns,
    of_values.RELATIONS["row_order"],
    of_values.RELATIONS["ties"],
    of_values.RELATIONS["topics"],
    of_values.check_ids,
    of_values.check_repeat,
    inputs.check_empty_run,
    inputs.check_empty_qrels,
    inputs.check_unknown_topics,
    inputs.check_no_relevant,
    inputs.check_nothing_found,
    inputs.check_repeated_documents,
    of_values.check_range,
    of_values.check_monotone,
    of_values.check_floats,
    of_values.check_warnings,
    of_values.check_explanation,
    of_values.check_preparation,
    of_values.RELATIONS["rel"],
    of_values.check_cutoff,
    of_values.RELATIONS["judged_only"],
    of_values.RELATIONS["run_order"],
    of_values.check_no_relevant_nan,
    inputs.check_ir_measures,
)

CHECKS: dict[str, Check] = {check.__name__.removeprefix("check_"): check for check in _ALL}
"""All checks by name, in the order in which they run."""

OF_SETTINGS: tuple[str, ...] = (
    "missing_columns",
    "optional_columns",
    "ties",
    "topics",
    "no_relevant",
    "nothing_found",
    "range",
    "monotone",
    "warnings",
    "explanation",
    "preparation",
)
"""The checks of what parameters affect: columns read, and values. The others hold for all measures of a class alike."""
