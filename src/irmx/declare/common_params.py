"""The parameters that have the same meaning in every measure, and the mean over topics, which one of them changes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Protocol

from ir_measures.measures import MeanAgg

from irmx.declare.params import LARGEST_GRADE, Param, number


class Parametrised(Protocol):
    """What has parameters with values, such as a measure."""

    @property
    def SUPPORTED_PARAMS(self) -> Mapping[str, Any]:  # noqa: N802
        """The declared parameters."""

    def __getitem__(self, name: str, /) -> Any:
        """Return the value of a parameter, or its default."""


REL = Param(number, "smallest relevance grade that counts as relevant", default=1, high=LARGEST_GRADE)
CUTOFF = Param(int, "number of documents from the top of the ranking that are scored", low=1, unit="ranks")
JUDGED_ONLY = Param(
    bool,
    "drop documents without a judgment, or with a negative grade, from the ranking first (condensed list)",
    default=False,
)
TIES = Param(
    str,
    "order of documents with equal scores: 'trec' compares scores in 32 bits and breaks ties by document id, "
    "descending, as trec_eval does; 'run' compares them in full and keeps the order of the run",
    default="trec",
    choices=("trec", "run"),
)
NO_RELEVANT = Param(
    str,
    "value of a topic without any relevant judged document: the measure's default, or NaN, which leaves it out of the mean",
    default="default",
    choices=("default", "nan"),
)

COMMON_PARAMS: dict[str, Param] = {
    "rel": REL,
    "cutoff": CUTOFF,
    "judged_only": JUDGED_ONLY,
    "ties": TIES,
    "no_relevant": NO_RELEVANT,
}
"""The parameters that have the same meaning in every measure that declares them; the host applies them.

A measure whose ``cutoff`` counts something other than documents declares its own parameter of that name, with its unit.
"""


def is_common(name: str, param: Any) -> bool:
    """Tell whether a declared parameter is a common one, possibly with another default; one with another unit is not.

    >>> is_common("cutoff", COMMON_PARAMS["cutoff"]), is_common("cutoff", Param(int, "how far to look", unit="blocks"))
    (True, False)
    """
    common = COMMON_PARAMS.get(name)
    return common is not None and getattr(param, "unit", "") in ("", common.unit)


def common_parameters(measure: Parametrised) -> dict[str, Any]:
    """Return the common parameters of a measure that the host applies, those that have a value."""
    names = ("rel", "cutoff", "judged_only", "ties")
    declared = measure.SUPPORTED_PARAMS
    values = {k: measure[k] for k in names if k in declared and is_common(k, declared[k])}
    return {k: v for k, v in values.items() if v is not None}


def common_value(measure: Parametrised, name: str) -> Any:
    """Return the value of a common parameter; None if the measure does not declare it."""
    return measure[name] if name in measure.SUPPORTED_PARAMS else None


class Mean(MeanAgg):
    """The mean, rounded once, so that no bit of it depends on the order of the topics."""

    def __init__(self, default: float = math.nan) -> None:
        super().__init__(default)  # type: ignore[no-untyped-call]
        self._values: list[float] = []

    def add(self, value: float) -> None:
        self._values.append(value)

    def result(self) -> float:
        return math.fsum(self._values) / len(self._values) if self._values else float(self.default)


class MeanOfDefined(Mean):
    """The mean over the topics that have a value."""

    def add(self, value: float) -> None:
        if value == value:
            super().add(value)
