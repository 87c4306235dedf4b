"""The values of one measure for the topics of one run, and metrics with further fields."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import ir_measures
import numpy as np

from irmx.declare.markup_html import html_result
from irmx.errors import counted, some
from irmx.ragged import Floats, short_repr


@dataclass(frozen=True)
class TopicScores:
    """One value per topic, with further fields; ``Measure.score`` may return it instead of an array.

    Attributes
    ----------
    values : float array, shape (topics,)
        The values.
    fields : dict of str to float array, shape (topics,)
        Further values per topic, by name, such as ``standard_error``.
    covariance : float array, shape (topics, topics), optional
        The covariance of the errors of the values, such as those of a simulation with the same users for all topics. It
        gives the mean over topics a standard error.
    """

    values: Floats
    fields: Mapping[str, Floats] = field(default_factory=dict)
    covariance: Floats | None = None

    __repr__ = short_repr

    def of_mean(self) -> dict[str, float]:
        """Return the fields of the mean of the values that are not NaN: its standard error, if there is a covariance.

        The topics are regarded as fixed: it is the error of the values, not that of sampling topics.

        >>> errors = np.array([[0.04, 0.04], [0.04, 0.04]])
        >>> TopicScores(np.array([2.0, 3.0]), covariance=errors).of_mean()
        {'standard_error': 0.2}
        """
        defined = ~np.isnan(self.values)
        if self.covariance is None or not defined.any():
            return {}
        variance = float(self.covariance[np.ix_(defined, defined)].sum()) / defined.sum() ** 2
        return {"standard_error": math.sqrt(max(variance, 0.0))} if math.isfinite(variance) else {}


class DetailedMetric(ir_measures.Metric):
    """An ``ir_measures.Metric`` with further fields, which are also attributes.

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
            value: float = fields[name]
            return value
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


class DetailedResults(ir_measures.CalcResults):
    """An ``ir_measures.CalcResults`` with further fields of the means.

    Attributes
    ----------
    fields : dict of Measure to dict of str to float
        By measure and name, such as the ``standard_error`` of the mean; measures whose mean has no fields are left out.

    Examples
    --------
    >>> results = DetailedResults({"MSU": 2.5}, [], {"MSU": {"standard_error": 0.1}})
    >>> means, per_query = results
    >>> means["MSU"], results.fields["MSU"]["standard_error"]
    (2.5, 0.1)
    """

    fields: dict[Any, dict[str, float]]

    def __new__(
        cls, aggregated: Any, per_query: Any, fields: Mapping[Any, dict[str, float]] | None = None
    ) -> DetailedResults:
        made = super().__new__(cls, aggregated, per_query)
        made.fields = dict(fields or {})
        return made

    @property
    def _means(self) -> dict[Any, float]:
        return dict(cast("Mapping[Any, float]", self.aggregated))

    def __repr__(self) -> str:
        means = some([f"{measure} {value:.4f}" for measure, value in self._means.items()])
        return f"<Results of {counted(len(self._means), 'measure')}: {means}>"

    def _repr_html_(self) -> str:
        rows = [{"measure": str(m), "mean": mean, **self.fields.get(m, {})} for m, mean in self._means.items()]
        return html_result(repr(self).partition(":")[0], {"": rows})


def metric(query_id: str, measure: Any, value: float, fields: Mapping[str, float]) -> ir_measures.Metric:
    """Return a metric, a :class:`DetailedMetric` if there are fields."""
    return DetailedMetric(query_id, measure, value, fields) if fields else ir_measures.Metric(query_id, measure, value)
