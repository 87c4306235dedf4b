"""Which differences of agreement a sample of preferences can find, and how many topics and pairs a difference needs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from irmx import DataError, Param, UsageError, read_qrels
from irmx.ragged import Floats, Ints
from irmx.toolkit import Evaluator
from irmx_pages.preferences.agreed_pairs import LEVELS, agreed_pairs
from irmx_pages.preferences.agreement_differences import check_two_measures
from irmx_pages.preferences.power_of_paired_t import detectable_effect, topics_for_effect
from irmx_pages.preferences.traps import FAILED_TRAPS

if TYPE_CHECKING:
    import pandas as pd

FEW_TOPICS = 20
"""Fewer topics than this do not tell how much differences vary."""

_PARAMS = {
    "significance": Param(float, "level of significance", above=0, below=1),
    "power": Param(float, "probability of finding the difference", above=0, below=1),
    "comparisons": Param(int, "number of comparisons", low=1),
    "difference": Param(float, "difference of the agreement of two measures", low=1e-6, high=1),
}


def preference_power(
    pages: Any,
    preferences: Any,
    qrels: Any,
    measures: Any,
    difference: float | Iterable[float] = (),
    *,
    levels: Sequence[float] = LEVELS,
    significance: float = 0.05,
    power: float = 0.8,
    comparisons: int = 1,
    failed_traps: int | None = FAILED_TRAPS,
) -> pd.DataFrame:
    """Return which differences of agreement the preferences can find, and how many topics and pairs a difference needs.

    The test is the two-tailed paired t-test between the means of topics, as in :func:`compare_agreement`. How much the
    difference of two measures varies is observed: over topics, and over pairs of pages within topics.

    Parameters
    ----------
    pages, preferences, qrels, levels, failed_traps
        See :func:`agreement`.
    measures : str, Measure or iterable of them
        At least two.
    difference : float or iterable of float
        The differences of agreement to find, such as 0.05, each in (0, 1].
    significance : float
        The level of significance, in (0, 1).
    power : float
        The probability of finding the difference, in (0, 1), above the level.
    comparisons : int
        How many comparisons the level is divided by, as by Bonferroni's correction.

    Returns
    -------
    DataFrame
        One row per level, group of pairs, two measures, and difference:

        * ``level``, ``bin_pair``, the measures ``a`` and ``b``;
        * ``topics`` and ``pairs`` with a majority;
        * ``sd``, the standard deviation over topics of the difference of the topic means of a and b;
        * ``detectable``, the difference of agreement that so many topics find;
        * if a difference is given: ``difference``; ``topics_needed`` for it, with as many pairs per topic; ``pairs_needed``,
          those with a majority on so many topics; ``pairs_per_topic_needed`` for it on the topics of the sample, NaN if no
          number is enough because topics differ too much, or if every topic has one pair;
        * ``note``, on rows that are unreliable or lack values: ``fewer than 20 topics``, which do not tell the variance;
          ``one topic``; ``same difference on every topic``, whose variance is not known; ``no possible difference is detectable``, as
          it would be above 1.

    Raises
    ------
    irmx.UsageError
        If there are fewer than two measures, or a value is out of range.
    irmx.DataError
        As for :func:`agreement`; and if no group has pairs of two topics.

    Notes
    -----
    The variance of a topic's mean difference over n pairs is that between topics plus 1/n of that between pairs of a
    topic; both are estimated by the analysis of variance. More pairs per topic only reduce the second part. It takes pairs of
    a topic for independent samples; they share pages, so that ``pairs_per_topic_needed`` is rather too low.

    References
    ----------
    Tetsuya Sakai: Topic set size design. Information Retrieval Journal 19(3), 2016.

    Examples
    --------
    >>> from irmx_pages import simulate_pages
    >>> from irmx_pages.example import example, example_preferences
    >>> made = example(24)
    >>> pages = simulate_pages(made.qrels, made.items, made.verticals).pages
    >>> found = preference_power(pages, example_preferences(made), made.qrels, "AS_RBP P@10", 0.05, levels=[0.75])
    >>> found.query("bin_pair == 'all'").round(3).to_dict("records")
    [{'level': 0.75, 'bin_pair': 'all', 'a': 'AS_RBP', 'b': 'P@10', 'topics': 24, 'pairs': 1054, 'sd': 0.069,
      'detectable': 0.041, 'difference': 0.05, 'topics_needed': 18, 'pairs_needed': 791, 'pairs_per_topic_needed': 26, 'note': ''}]
    """
    import pandas as pd

    asked = _Question.of(difference, significance, power, comparisons)
    evaluator = Evaluator(measures, read_qrels(qrels))
    check_two_measures(evaluator)
    groups = agreed_pairs(pages, preferences, evaluator, levels, failed_traps)
    if max(group.topics for group in groups) < 2:
        raise DataError(
            "All pairs of pages with a majority are of one topic, so that the variance over topics is not known. Collect preferences "
            "for two topics or more."
        )
    rows = []
    for group in groups:
        for (a, of_a), (b, of_b) in itertools.combinations(zip(group.measures, group.agreed.T, strict=True), 2):
            variation = Variation.of(of_a - of_b, group.topic)
            names = {"level": group.level, "bin_pair": group.bin_pair, "a": a, "b": b}
            rows += [names | answer for answer in asked.answers(variation)]
    table = pd.DataFrame(rows)
    return table.astype({name: "Int64" for name in table if name.endswith("_needed")})


@dataclass(frozen=True)
class Variation:
    """How much the difference of two measures varies over topics, and over pairs of pages within topics.

    Attributes
    ----------
    topics, pairs : int
        Their numbers.
    sd : float
        The standard deviation of the topic means; NaN for one topic.
    between, within : float
        The variance between topics, and that between the pairs of a topic; NaN if all topics have one pair.
    """

    topics: int
    pairs: int
    sd: float
    between: float
    within: float

    @classmethod
    def of(cls, differences: Floats, topic: Ints) -> Variation:
        """Return the variation of a difference for every pair.

        >>> Variation.of(np.array([1.0, 0.0, 1.0, 1.0, -1.0, 1.0]), np.array([0, 0, 1, 1, 2, 2]))
        Variation(topics=3, pairs=6, sd=0.5, between=0.0, within=0.5)
        """
        numbers = np.unique(topic, return_inverse=True)[1]
        size = np.bincount(numbers)
        topics, pairs = len(size), len(numbers)
        if topics < 2:
            return cls(topics, pairs, math.nan, math.nan, math.nan)
        means = np.bincount(numbers, differences) / size
        sd = float(means.std(ddof=1))
        if pairs == topics:
            return cls(topics, pairs, sd, math.nan, math.nan)
        shrinking = float((1 / size).mean())
        within = float(((differences - means[numbers]) ** 2).sum() / (pairs - topics))
        within = min(within, sd**2 / shrinking)  # or the variance between topics would be negative
        return cls(topics, pairs, sd, max(0.0, sd**2 - within * shrinking), within)

    def pairs_per_topic(self, sd: float) -> float:
        """Return how many pairs per topic reduce the standard deviation of the topic means to some value; NaN if none do."""
        spare = sd**2 - self.between
        return max(1.0, float(math.ceil(self.within / spare))) if spare > 0 else math.nan


@dataclass(frozen=True)
class _Question:
    """The differences to find, and how surely."""

    differences: tuple[float, ...]
    significance: float
    power: float

    @classmethod
    def of(cls, difference: Any, significance: float, power: float, comparisons: int) -> _Question:
        """Return a question whose values are legal; the level is divided by the number of comparisons."""

        def checked(name: str, value: Any) -> Any:
            return _PARAMS[name].check(value, name, "preference_power")

        several = [difference] if isinstance(difference, Real) else list(difference)
        if checked("power", power) <= checked("significance", significance):
            raise UsageError(
                f"The power must be above the level of significance, {significance:g}. Got {power:g} instead."
            )
        return cls(
            tuple(checked("difference", one) for one in several),
            float(significance) / checked("comparisons", comparisons),
            float(power),
        )

    def answers(self, variation: Variation) -> list[dict[str, Any]]:
        """Return one row per difference; one row if there are none."""
        topics, pairs, sd = variation.topics, variation.pairs, variation.sd
        known = sd > 1e-12  # less is rounding; NaN is not known either
        effect = detectable_effect(topics, self.significance, self.power) if known else math.nan
        detectable = effect * sd
        row = {"topics": topics, "pairs": pairs, "sd": sd, "detectable": detectable}
        note = {"note": _note(topics, known, detectable)}
        if not self.differences:
            return [row | note]
        rows = []
        for difference in self.differences:
            needed = topics_for_effect(difference / sd, self.significance, self.power) if known else math.nan
            rows.append(
                {
                    **row,
                    "difference": difference,
                    "topics_needed": needed,
                    "pairs_needed": math.ceil(needed * pairs / topics) if known else math.nan,
                    "pairs_per_topic_needed": variation.pairs_per_topic(difference / effect) if known else math.nan,
                    **note,
                }
            )
        return rows


def _note(topics: int, known: bool, detectable: float) -> str:
    """Return what a reader must know about a row."""
    if topics < 2:
        return "one topic"
    if not known:
        return "same difference on every topic"
    notes = [f"fewer than {FEW_TOPICS} topics"] if topics < FEW_TOPICS else []
    if detectable > 1:
        notes.append("no possible difference is detectable")
    return "; ".join(notes)
