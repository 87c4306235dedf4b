"""Values of measures under assumptions, of which some measures refuse some."""

from __future__ import annotations

from collections.abc import Sequence

import ir_measures
import numpy as np

from irmx import DataError, Join, Scores, score_joined
from irmx.ragged import Floats


class AssumedValues:
    """Scores views of runs with measures; a measure that cannot use an assumed row has no value, and is named.

    Parameters
    ----------
    measures : sequence of Measure
        The measures.

    Attributes
    ----------
    refusals : dict of str to str
        Why a measure has no values, by its name.
    """

    def __init__(self, measures: Sequence[ir_measures.Measure]) -> None:
        self.measures = list(measures)
        self.refusals: dict[str, str] = {}

    def of(self, views: Sequence[Join]) -> Floats:
        """Return the values, of shape (views, topics, measures); NaN for all topics if a measure refuses one of the views."""
        try:
            return np.stack([_by_topic(scores) for scores in score_joined(views, self.measures)])
        except DataError:
            return np.concatenate([self._of_one(views, measure) for measure in self.measures], axis=2)

    def _of_one(self, views: Sequence[Join], measure: ir_measures.Measure) -> Floats:
        try:
            return np.stack([_by_topic(scores) for scores in score_joined(views, [measure])])
        except DataError as error:
            self.refusals.setdefault(str(measure), str(error))
            return np.full((len(views), len(views[0].judgments.topics), 1), np.nan)


def _by_topic(scores: Sequence[object]) -> Floats:
    return np.stack([of_measure.values for of_measure in scores], axis=1)  # type: ignore[attr-defined]


def means_of(measures: Sequence[ir_measures.Measure], values: Floats) -> Floats:
    """Return the means over topics by each measure's own aggregator, of shape (systems, measures); NaN if there is no value.

    Parameters
    ----------
    measures : sequence of Measure
        The measures.
    values : float array, shape (topics, systems, measures)
        Their values.
    """
    topics, systems, _ = values.shape
    has_none = np.isnan(values).all(axis=0)
    scores = Scores(
        np.where(has_none, 0.0, values),
        tuple(map(str, range(topics))),
        tuple(map(str, range(systems))),
        tuple(measures),
        np.ones((topics, systems), dtype=bool),
    )
    return np.where(has_none, np.nan, scores.means().to_numpy())
