"""How far two judges give the same grades to the same documents: kappa, alpha, AC1 and AC2, of counts of pairs of grades."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from irmx.ragged import Bools, Floats, Ints
from irmx_study.statistics.paired import resampled_topics

COEFFICIENTS = {
    "agreement": "equal grades", "kappa": "kappa", "kappa_linear": "kappa, linear", "kappa_quadratic": "kappa, quadratic",
    "kappa_binary": "kappa, relevant", "alpha_nominal": "alpha, nominal", "alpha_ordinal": "alpha, ordinal",
    "alpha_interval": "alpha, interval", "ac1": "AC1", "ac2": "AC2, quadratic",
}  # fmt: skip
"""The columns of coefficients, and what they are called in a text."""

OF_SCALES = ("kappa", "kappa_linear", "kappa_quadratic", "ac1", "ac2")
"""The coefficients that take the grades that were used for a scale, so that fractional grades have none."""

_LARGEST = 2**22
"""How many counts of resamples are held at a time."""


@dataclass(frozen=True, eq=False)
class GradeCounts:
    """How often two judges give which grades to the same documents, by topic.

    Attributes
    ----------
    counts : float array, shape (..., cells)
        How many documents of each topic are in each cell.
    a, b : int array, shape (cells,)
        The places of the two grades of each cell.
    grades : float array, shape (grades,)
        All grades that one of the judges uses anywhere, in ascending order.
    rel : tuple of float
        From which grade on a document is relevant for each of the two.
    """

    counts: Floats
    a: Ints
    b: Ints
    grades: Floats
    rel: tuple[float, float]

    @classmethod
    def of(
        cls, a: Floats, b: Floats, topic: Ints, topics: int, grades: Floats, rel: tuple[float, float]
    ) -> GradeCounts:
        """Count the grades of documents that both judges judged."""
        in_a, in_b = np.searchsorted(grades, a), np.searchsorted(grades, b)
        cells, cell = np.unique(in_a * len(grades) + in_b, return_inverse=True)
        counts = np.bincount(topic * len(cells) + cell, minlength=topics * len(cells)).reshape(topics, len(cells))
        return cls(counts.astype(float), *np.divmod(cells, max(len(grades), 1)), grades, rel)

    @property
    def is_fractional(self) -> bool:
        """Whether some grade is no whole number."""
        return bool((self.grades != np.round(self.grades)).any())

    def pooled(self) -> GradeCounts:
        """Return the counts over all topics."""
        return self._with(self.counts.sum(axis=0))

    def resampled(self, draws: int, seed: int) -> tuple[dict[str, Floats], Floats]:
        """Return the coefficients of resamples of the topics, and how often each topic is in them."""
        drawn = np.concatenate(list(resampled_topics(len(self.counts), draws, seed)))
        at_once = max(1, _LARGEST // (len(self.a) + len(self.grades)))
        parts = [self._with(drawn[at : at + at_once] @ self.counts).coefficients() for at in range(0, draws, at_once)]
        return {name: np.concatenate([part[name] for part in parts]) for name in COEFFICIENTS}, drawn

    def matrix(self) -> Floats:
        """Return the confusion matrix, one row per grade of the first judge."""
        matrix = np.zeros((len(self.grades), len(self.grades)))
        matrix[self.a, self.b] = self.counts.sum(axis=tuple(range(self.counts.ndim - 1)))
        return matrix

    def _with(self, counts: Floats) -> GradeCounts:
        return GradeCounts(counts, self.a, self.b, self.grades, self.rel)

    def coefficients(self) -> dict[str, Floats]:
        """Return all coefficients, of shape (...,); NaN where one is undefined."""
        number = self.counts.sum(axis=-1)
        every, grades = len(self.grades), self.grades
        of_a, of_b = self.counts @ np.eye(every)[self.a], self.counts @ np.eye(every)[self.b]
        found = {"agreement": _ratio(self.counts[..., self.a == self.b].sum(axis=-1), number)}
        if self.is_fractional or every == 0:
            found |= dict.fromkeys(OF_SCALES, np.full(number.shape, np.nan))
        else:
            apart = np.abs(grades[:, None] - grades) / max(np.ptp(grades), 1)
            pi = _ratio(of_a + of_b, 2 * number[..., None])
            for suffix, distance in (("", (apart > 0) * 1.0), ("_linear", apart), ("_quadratic", apart**2)):
                observed = _ratio(self.counts @ distance[self.a, self.b], number)
                chance = _ratio(((of_a @ distance) * of_b).sum(axis=-1), number**2)
                found[f"kappa{suffix}"] = 1 - _ratio(observed, chance)
                if suffix != "_linear":
                    weights = (1 - distance).sum() / max(every * (every - 1), 1)
                    agreed_by_chance = weights * (pi * (1 - pi)).sum(axis=-1) if every > 1 else np.ones(number.shape)
                    found["ac2" if suffix else "ac1"] = 1 - _ratio(observed, 1 - agreed_by_chance)
        found["kappa_binary"] = self._binary(number)
        both = of_a + of_b
        for metric in ("nominal", "ordinal", "interval"):
            if metric == "nominal":
                observed = self.counts @ ((self.a != self.b) * 1.0)
                chance = (2 * number) ** 2 - (both**2).sum(axis=-1)
            else:
                # the ordinal distance of two grades is that of their mean ranks
                places = (
                    np.cumsum(both, axis=-1) - both / 2 if metric == "ordinal" else np.broadcast_to(grades, both.shape)
                )
                observed = (self.counts * (places[..., self.a] - places[..., self.b]) ** 2).sum(axis=-1)
                chance = 2 * (2 * number * (both * places**2).sum(axis=-1) - (both * places).sum(axis=-1) ** 2)
                chance = np.where((both > 0).sum(axis=-1) > 1, chance, 0.0)
            found[f"alpha_{metric}"] = 1 - _ratio(observed * (2 * number) * (2 * number - 1), number * chance)
        return {name: found[name] for name in COEFFICIENTS}

    def _binary(self, number: Floats) -> Floats:
        """Return kappa of relevant or not, by the grade from which each judge's labels are relevant."""
        by_a, by_b = self.grades[self.a] >= self.rel[0], self.grades[self.b] >= self.rel[1]
        in_a, in_b = self.counts @ (by_a * 1.0), self.counts @ (by_b * 1.0)
        chance = _ratio(in_a * (number - in_b) + in_b * (number - in_a), number**2)
        return 1 - _ratio(_ratio(self.counts @ ((by_a != by_b) * 1.0), number), chance)

    def means(self) -> tuple[Floats, Floats]:
        """Return the mean grades of both judges."""
        number = self.counts.sum(axis=-1)
        return _ratio(self.counts @ self.grades[self.a], number), _ratio(self.counts @ self.grades[self.b], number)


def _ratio(part: Any, whole: Any) -> Floats:
    """Return a quotient; NaN where the divisor is 0, or so small by rounding alone."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.abs(whole) > 1e-12, np.divide(part, whole), np.nan)


def alpha(grades: Floats, metric: str) -> float:
    r"""Return Krippendorff's alpha of any number of judges.

    .. math:: \alpha = 1 - D_o / D_e

    Parameters
    ----------
    grades : float array, shape (documents, judges)
        The grades; NaN for a document that a judge did not judge. A document that fewer than two judged does not count.
    metric : {"nominal", "ordinal", "interval"}
        What two grades differ by: 1; the ranks between them; or their difference, the latter two squared.

    Returns
    -------
    float
        At most 1; NaN if all grades are the same.

    References
    ----------
    .. [1] K. Krippendorff. Content Analysis. Sage, 2004, chapter 11.

    Examples
    --------
    >>> import numpy as np
    >>> grades = np.array([[0, 0, 1], [2, 2, np.nan], [1, 2, 2]])
    >>> [round(alpha(grades, metric), 4) for metric in ("nominal", "ordinal", "interval")]
    [0.3, 0.684, 0.6818]
    """
    grades = grades[(~np.isnan(grades)).sum(axis=1) > 1]
    judged: Bools = ~np.isnan(grades)
    values, place = np.unique(grades[judged], return_inverse=True)
    if len(values) < 2:
        return np.nan
    counts = np.zeros((len(grades), len(values)))
    np.add.at(counts, (np.nonzero(judged)[0], place), 1)
    number, total = counts.sum(axis=1), counts.sum(axis=0)
    if metric == "nominal":
        observed, chance = number**2 - (counts**2).sum(axis=1), total.sum() ** 2 - (total**2).sum()
    else:
        at = np.cumsum(total) - total / 2 if metric == "ordinal" else values
        observed = 2 * (number * (counts @ at**2) - (counts @ at) ** 2)
        chance = 2 * (total.sum() * (total @ at**2) - (total @ at) ** 2)
    return float(1 - (observed / (number - 1)).sum() * (total.sum() - 1) / chance)


def percentiles(values: Floats, level: float) -> tuple[float, float]:
    """Return the range of resampled values without a share ``level`` of them; NaN if there are none."""
    known = values[~np.isnan(values)]
    if not len(known):
        return np.nan, np.nan
    low, high = np.quantile(known, (level / 2, 1 - level / 2))
    return float(low), float(high)


def mean_over_topics(values: Floats, drawn: Floats, level: float) -> tuple[float, float, float, int]:
    """Return the mean of the topics that have a value, its range over resamples of the topics, and how many have one."""
    known = ~np.isnan(values)
    if not known.any():
        return np.nan, np.nan, np.nan, 0
    weights = drawn[:, known]
    means = _ratio(weights @ values[known], weights.sum(axis=1))
    return float(values[known].mean()), *percentiles(means, level), int(known.sum())
