"""The values of one measure for the topics of one run, and the error of their mean."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from irmx.ragged import Floats, Ints, short_repr


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

    def by_topic(self) -> list[dict[str, float]]:
        """Return the fields of every topic, without those that are NaN."""
        columns = {name: array.tolist() for name, array in self.fields.items()}
        return [
            {name: column[i] for name, column in columns.items() if not math.isnan(column[i])}
            for i in range(len(self.values))
        ]

    def over_topics(self, places: Ints, topics: int, default: float | Floats) -> TopicScores:
        """Return the scores extended from some topics, by their numbers, to all; the others have a default, or one each."""
        values = np.full(topics, default)
        values[places] = self.values
        fields = {name: np.full(topics, np.nan) for name in self.fields}
        for name, array in self.fields.items():
            fields[name][places] = array
        covariance = None
        if self.covariance is not None:
            covariance = np.zeros((topics, topics))
            covariance[np.ix_(places, places)] = self.covariance
        return TopicScores(values, fields, covariance)

    def updated(self, more: TopicScores, places: list[int]) -> TopicScores:
        """Return the scores with those of some topics, by their numbers, from other ones; a field that either lacks is NaN."""
        values = self.values.copy()
        values[places] = more.values[places]
        fields = {name: array.copy() for name, array in self.fields.items()}
        for name in {**fields, **more.fields}:
            array = fields.setdefault(name, np.full(len(values), np.nan))
            array[places] = more.fields[name][places] if name in more.fields else np.nan
        return TopicScores(values, fields)
