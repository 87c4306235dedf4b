"""Values of a measure that come with more than themselves, such as a standard error."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import ir_measures

from irmx.ragged import Floats


@dataclass(frozen=True)
class Scores:
    """One value per topic, and further fields per topic; what ``Measure.score`` may return instead of an array.

    Attributes
    ----------
    values : float array, shape (topics,)
        The values.
    fields : dict of str to float array, shape (topics,)
        What goes with them, by name, such as ``standard_error``.
    """

    values: Floats
    fields: Mapping[str, Floats] = field(default_factory=dict)


class DetailedMetric(ir_measures.Metric):
    """An ``ir_measures.Metric`` with further fields, which are attributes too.

    Attributes
    ----------
    fields : dict of str to float
        The fields by name.

    Examples
    --------
    >>> m = DetailedMetric("q", "MSU", 2.5, {"standard_error": 0.1})
    >>> query_id, measure, value = m
    >>> value, m.standard_error
    (2.5, 0.1)
    """

    fields: dict[str, float]

    def __new__(
        cls, query_id: str, measure: Any, value: float, fields: Mapping[str, float] | None = None
    ) -> DetailedMetric:
        made = super().__new__(cls, query_id, measure, value)
        made.fields = dict(fields or {})
        return made

    def _replace(self, /, **changes: Any) -> DetailedMetric:
        made = super()._replace(**changes)
        made.fields = dict(self.fields)
        return made

    def __getattr__(self, name: str) -> float:
        fields = self.__dict__.get("fields", {})
        if name in fields:
            found: float = fields[name]
            return found
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


def metric(query_id: str, measure: Any, value: float, fields: Mapping[str, float]) -> ir_measures.Metric:
    """Return a metric, a detailed one where there are fields."""
    return DetailedMetric(query_id, measure, value, fields) if fields else ir_measures.Metric(query_id, measure, value)
