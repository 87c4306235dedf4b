"""Which differences an experiment can find, and how many topics it needs."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from numbers import Real
from typing import Any

import numpy as np

from irmx import DataError, Param, Scores, UsageError
from irmx.toolkit import list_some, plural
from irmx_study.inputs.choices import as_scores
from irmx_study.showing.result import Result, topics_lacking
from irmx_study.statistics.paired import PairedValues, residual_variance
from irmx_study.systems.pairs import all_pairs_of, complete_values
from irmx_study.systems.words import FEW

_MOST_TOPICS = 10**9
"""The largest number of topics that is looked for."""
_NONCENTRALITY = 1e9
"""Above it, the series of the noncentral F distribution does not converge; the power is 1 long before."""


def power_of_anova(topics: int, systems: int, difference: float, variance: float, level: float) -> float:
    r"""Return the power of the two-way analysis of variance, topics x systems, for a difference of two systems.

    The difference D is that of the best and the worst system. The means of the others are as hard to tell apart as possible:
    all in the middle, so that the sum of squared effects is D^2/2. Then F has m - 1 and (n - 1)(m - 1) degrees of freedom and
    the noncentrality n D^2 / (2 variance).

    Examples
    --------
    >>> round(power_of_anova(50, 3, 0.1, 0.02, 0.05), 4)
    0.8865
    """
    from scipy.stats import ncf

    between, within = systems - 1, (topics - 1) * (systems - 1)
    noncentrality = min(topics * difference**2 / (2 * variance), _NONCENTRALITY)
    if noncentrality == 0:  # no difference, or the square of it is too small: here scipy's noncentral F is wrong
        return level
    return float(ncf.sf(_critical(level, between, within), between, within, noncentrality))


@cache
def _critical(level: float, between: int, within: int) -> float:
    """Return the value that F exceeds with the probability of the level if all means are equal."""
    from scipy.stats import f

    return float(f.isf(level, between, within))


def power_of_t(topics: int, difference: float, sd: float, level: float) -> float:
    """Return the power of the two-sided paired t test.

    Its square is the F of the analysis of variance of two systems, whose distribution is computed more reliably than the
    noncentral t.

    Examples
    --------
    >>> round(power_of_t(50, 0.1, 0.25, 0.05), 4)
    0.7918
    """
    return power_of_anova(topics, 2, difference, sd**2 / 2, level)


def detectable_difference(topics: int, sd: float, level: float, power: float) -> float:
    """Return the difference that the two-sided paired t test detects with some power.

    Examples
    --------
    >>> round(detectable_difference(50, 0.25, 0.05, 0.8), 4)
    0.101
    """
    return sd * _detectable_effect(topics, level, power)


@cache
def _detectable_effect(topics: int, level: float, power: float) -> float:
    """Return the detectable difference in units of the standard deviation."""
    from scipy.optimize import brentq

    def lacking(effect: float) -> float:
        return power_of_t(topics, effect, 1, level) - power

    high = 1.0
    while lacking(high) < 0:
        if topics * high**2 > _NONCENTRALITY:
            raise UsageError(
                f"With {topics:,} topics, not even a difference of {high:,.0f} standard deviations is found with a probability of "
                f"{power:g} at the level {level:.3g}. Plan more topics, a lower power or a higher level."
            )
        high *= 2
    return float(brentq(lacking, 0, high, xtol=1e-12))


def topics_for_t(difference: float, sd: float, level: float, power: float) -> int:
    """Return the smallest number of topics with which the two-sided paired t test detects a difference with some power.

    Examples
    --------
    >>> topics_for_t(0.1, 0.25, 0.05, 0.8)
    52
    """
    return _smallest(lambda topics: power_of_t(topics, difference, sd, level) >= power)


def topics_for_equality(distances: Sequence[float], sd: float, level: float, power: float) -> int:
    """Return the smallest number of topics with which two one-sided t tests show, with some power, that a difference is between margins.

    ``distances`` are those of the difference from the two margins. Both tests must reject: each fails with at most the sum of both
    probabilities to fail.

    Examples
    --------
    >>> topics_for_equality([0.02, 0.02], 0.1, 0.05, 0.8)
    216
    """

    def is_enough(topics: int) -> bool:
        return sum(1 - power_of_t(topics, distance, sd, 2 * level) for distance in distances) <= 1 - power

    return _smallest(is_enough)


def topics_for_anova(difference: float, variance: float, systems: int, level: float, power: float) -> int:
    """Return the smallest number of topics with which the analysis of variance detects a difference with some power.

    Examples
    --------
    >>> topics_for_anova(0.1, 0.02, 3, 0.05, 0.8)
    41
    """
    return _smallest(lambda topics: power_of_anova(topics, systems, difference, variance, level) >= power)


def expected_width(topics: int, sd: float, level: float) -> float:
    r"""Return the expected width of the t interval of a mean difference, which covers 1 - level.

    It is 2 t sd c / sqrt(n), where c = sqrt(2/(n-1)) Gamma(n/2) / Gamma((n-1)/2) is the expected standard deviation of n
    normal values over the true one.

    Examples
    --------
    >>> round(expected_width(50, 0.25, 0.05), 4)
    0.1414
    """
    from scipy.stats import t

    c = math.sqrt(2 / (topics - 1)) * math.exp(math.lgamma(topics / 2) - math.lgamma((topics - 1) / 2))
    return float(2 * t.isf(level / 2, topics - 1) * sd * c / math.sqrt(topics))


def topics_for_width(width: float, sd: float, level: float) -> int:
    """Return the smallest number of topics with which the expected interval of a mean difference is narrow enough.

    Examples
    --------
    >>> topics_for_width(0.1, 0.25, 0.05)
    98
    """
    return _smallest(lambda topics: expected_width(topics, sd, level) <= width)


def _smallest(enough: Callable[[int], bool]) -> int:
    """Return the smallest number of topics, from 2, that is enough; a larger number is enough, too."""
    high = 2
    while not enough(high):
        high *= 2
        if high > _MOST_TOPICS:
            raise UsageError(f"Not even {_MOST_TOPICS:,} topics are enough. Ask for a larger difference or width.")
    between = range(high // 2 + 1, high)  # half of it is not enough
    return between.start + bisect_left(between, True, key=enough)


@dataclass(frozen=True)
class Deviations:
    """The standard deviation of differences of systems."""

    names: Mapping[str, str | int]
    topics: int | None
    sd: float
    largest: float | None
    residual: float
    constant: int = 0


def deviations_of(scores: Scores, m: int, by_pair: bool) -> Iterator[Deviations]:
    """Yield the standard deviations of differences by a measure: of all pairs together, or of each pair."""
    measure, values = scores.names[m], complete_values(scores, m)
    first, second = all_pairs_of(len(scores.systems))
    paired = PairedValues(values, first, second)
    deviations = np.concatenate([paired.differences(some).std(axis=0, ddof=1) for some in paired.chunks()])
    differ = deviations > 1e-12 * np.abs(values).max()  # less is rounding
    count = int(differ.sum())
    if not count:
        return
    constant = len(differ) - count
    if by_pair or len(differ) == 1:
        for i in np.flatnonzero(differ).tolist():
            names = {"measure": measure, "a": scores.systems[first[i]], "b": scores.systems[second[i]]}
            yield Deviations(names, len(values), float(deviations[i]), None, float(deviations[i] ** 2 / 2), constant)
        return
    of_pairs = deviations[differ]
    median, largest = float(np.median(of_pairs)), float(of_pairs.max())
    yield Deviations(
        {"measure": measure, "pairs": count}, len(values), median, largest, residual_variance(values), constant
    )


_SMALLEST, _LARGEST = 1e-100, 1e100
"""Squares of these, and their products, are neither 0 nor infinite."""

_PARAMS = {
    "sd": Param(float, "standard deviation of the differences", low=_SMALLEST, high=_LARGEST),
    "variance": Param(float, "variance of the differences", low=_SMALLEST, high=_LARGEST),
    "topics": Param(int, "number of topics", low=2),
    "difference": Param(float, "difference of the means of two systems", low=_SMALLEST, high=_LARGEST),
    "width": Param(float, "width of the interval of the difference", low=_SMALLEST, high=_LARGEST),
    "systems": Param(int, "number of systems", low=2),
    "level": Param(float, "level of significance", above=0, below=1),
    "power": Param(float, "probability of finding the difference", above=0, below=1),
    "comparisons": Param(int, "number of comparisons", low=1),
}


@dataclass(frozen=True)
class Question:
    """What is asked; :meth:`of` checks it. See :func:`irmx_study.power`."""

    topics: int | None
    differences: tuple[float, ...]
    width: float | None
    systems: int | None
    level: float
    power: float
    comparisons: int

    @classmethod
    def of(cls, difference: Any, **values: Any) -> Question:
        """Return a question whose values are legal."""
        several = [difference] if isinstance(difference, Real) else list(difference or ())
        checked = {name: cls.checked(name, value) for name, value in values.items()}
        question = cls(differences=tuple(cls.checked("difference", one) for one in several), **checked)
        if question.power <= question.level:
            raise UsageError(f"The power must be above the level, {question.level:g}. Got {question.power:g} instead.")
        if question.systems is not None and not question.differences:
            raise UsageError("An analysis of variance of several systems needs the difference that it is to find.")
        return question

    @staticmethod
    def checked(name: str, value: Any) -> Any:
        """Return the value of a parameter in canonical form, None if it is not given."""
        return None if value is None else _PARAMS[name].check(value, name, "power")

    @property
    def corrected(self) -> float:
        """The level of each of several comparisons, by Bonferroni's correction."""
        return self.level / self.comparisons

    def facts(self) -> dict[str, str]:
        """Return the level, the power and the analysis of variance, for the lines below a table."""
        several = f" / {plural(self.comparisons, 'comparison')} = {self.corrected:.3g}" if self.comparisons > 1 else ""
        facts = {"level": f"{self.level:g}{several}", "power": f"{self.power:g}"}
        if self.systems is not None:
            facts["anova"] = f"two-way, topics x {plural(self.systems, 'system')}, level {self.level:g}"
        return facts

    def rows(self, case: Deviations) -> Iterator[dict[str, Any]]:
        """Yield the answers, one row per difference asked for, or a single row."""
        sds = {"": case.sd} if case.largest is None else {"": case.sd, "largest_": case.largest}

        def of_each(column: str, answer: Callable[..., float], asked: float, *rest: float) -> dict[str, float]:
            return {f"{of}{column}": answer(asked, sd, self.corrected, *rest) for of, sd in sds.items()}

        topics = case.topics if self.topics is None else self.topics
        common: dict[str, Any] = {**case.names, **({} if topics is None else {"topics": topics})}
        common |= {f"{of}sd": sd for of, sd in sds.items()}
        if topics is not None:
            common |= of_each("detectable", detectable_difference, topics, self.power)
        intervals: dict[str, Any] = {}
        if self.width is not None:
            intervals = {"width": self.width, **of_each("needed_for_width", topics_for_width, self.width)}
        if not self.differences:
            yield common | intervals
        for difference in self.differences:
            needed = {"difference": difference, **of_each("needed", topics_for_t, difference, self.power)}
            if self.systems is not None:
                needed["needed_anova"] = topics_for_anova(
                    difference, case.residual, self.systems, self.level, self.power
                )
            yield common | needed | intervals


def power(
    source: Any = None,
    qrels: Any = None,
    runs: Any = None,
    *,
    sd: float | None = None,
    variance: float | None = None,
    topics: int | None = None,
    difference: float | Iterable[float] | None = None,
    width: float | None = None,
    systems: int | None = None,
    level: float = 0.05,
    power: float = 0.8,
    comparisons: int = 1,
    by_pair: bool = False,
) -> Result:
    r"""Plan an experiment: the differences that so many topics can find, and the topics that a difference needs.

    The test is the two-sided t test, paired by topic. The standard deviation of its differences is that of earlier systems,
    of all their pairs, or is given.

    Parameters
    ----------
    source, qrels, runs : optional
        Values of earlier systems, as for :func:`irmx_study.compare`.
    sd, variance : float, optional
        The standard deviation, or the variance, of the differences of two systems on the same topic, instead of scores.
    topics : int, optional
        The number of topics; by default those of the scores.
    difference : float or iterable of float
        The difference, or several, for which to return the number of topics needed.
    width : float, optional
        The width of the interval of a mean difference, covering 1 - level, for which to return the number of topics at which
        it is expected to be so narrow.
    systems : int, optional
        The number of systems of an analysis of variance, topics x systems, that is to find the difference of the best and the
        worst of them; needs a difference.
    level : float
        The level of significance, in (0, 1).
    power : float
        The probability of finding the difference, in (0, 1).
    comparisons : int
        How many comparisons the level is divided by, as by Bonferroni's correction; not for ``systems``.
    by_pair : bool
        Whether to return one row per pair of systems.

    Returns
    -------
    Result
        Its table has one row per view, and per difference if there are several; by pair, one per pair of systems. Of scores:
        ``measure`` and the number of ``pairs`` of systems, or the pair ``a`` and ``b``. Then the number of
        ``topics``; the standard deviation ``sd`` of the differences; the ``detectable`` difference with so many topics; the
        ``difference`` asked for and the number of topics ``needed`` for it; ``needed_anova`` by the analysis of variance
        of several systems; the ``width`` asked for and the topics ``needed_for_width``. Of several pairs, these columns
        are of the median standard deviation, and those that begin with ``largest_`` are of the largest.

    Raises
    ------
    irmx.errors.UsageError
        Unless either scores, or sd, or variance are given; for an illegal value; if nothing is asked.
    irmx.errors.DataError
        If there are fewer than two systems or topics, or no difference varies over topics.

    References
    ----------
    Tetsuya Sakai: Topic set size design. Information Retrieval Journal 19(3), 2016.

    Examples
    --------
    >>> import irmx
    >>> from irmx.demo import SYSTEMS, qrels_path, run_path
    >>> power(sd=0.25, topics=50, difference=[0.1, 0.05]).frame().round(4)
       topics    sd  detectable  difference  needed
    0      50  0.25       0.101        0.10      52
    1      50  0.25       0.101        0.05     199
    >>> scores = irmx.scores("AP RR", qrels_path(), {system: run_path(system) for system in SYSTEMS})
    >>> power(scores).frame().round(4)
      measure  pairs  topics      sd  largest_sd  detectable  largest_detectable
    0      AP      3      30  0.2218      0.2221      0.1174              0.1176
    1      RR      3      30  0.4268      0.4928      0.2259              0.2608
    """
    asked = Question.of(
        difference, topics=topics, width=width, systems=systems, level=level, power=power, comparisons=comparisons
    )
    if sum(given is not None for given in (source, sd, variance)) != 1:
        raise UsageError(
            "Give scores, or the standard deviation of differences, or their variance: exactly one of them."
        )
    if source is None:
        deviation = (
            Question.checked("sd", sd) if variance is None else math.sqrt(Question.checked("variance", variance))
        )
        if by_pair:
            raise UsageError("Rows by pair need the scores of systems.")
        if asked.topics is None and not asked.differences and asked.width is None:
            raise UsageError("Nothing is asked. Give the number of topics, a difference or a width.")
        return _plan([Deviations({}, asked.topics, deviation, None, deviation**2 / 2)], asked, "given", [])
    scores = as_scores("power", source, qrels, runs).with_missing()
    if len(scores.systems) < 2:
        raise UsageError(f"Differences need two systems. There is {', '.join(scores.systems) or 'none'}.")
    by_measure = {name: list(deviations_of(scores, m, by_pair)) for m, name in enumerate(scores.names)}
    constant = [name for name, of_measure in by_measure.items() if not of_measure]
    cases = [case for of_measure in by_measure.values() for case in of_measure]
    if not cases:
        raise DataError(
            f"By {list_some(constant)}, the difference of every two systems is the same on all {len(scores.topics)} topics, so that "
            "its variance is 0. Give results of systems that differ."
        )
    of = f"{plural(len(scores.systems), 'system')} on {plural(len(scores.topics), 'topic')}"
    notes = [f"{name} left out: the difference of every two systems is the same on all topics" for name in constant]
    return _plan(cases, asked, f"of the differences of {of}", [*notes, *_notes(scores, cases)])


def _plan(cases: Sequence[Deviations], asked: Question, variance: str, notes: Sequence[str]) -> Result:
    import pandas as pd

    rows = [row for case in cases for row in asked.rows(case)]
    facts = {"test": "Student's t test, paired by topic (two-sided)", **asked.facts(), "variance": variance}
    if any(case.largest is not None for case in cases):
        facts["sd"] = "that of the median pair of systems; columns of largest_ are those of the pair with the largest"
    planned = asked.topics if asked.topics is not None else FEW
    needed = [row[name] for row in rows for name in row if name.startswith(("needed", "largest_needed"))]
    if min([planned, *needed]) < FEW:
        notes = [*notes, f"fewer than {FEW} topics: the power holds for differences that are normally distributed only"]
    table = pd.DataFrame(rows)
    title = f"Plan of {plural(len(table), 'row')}: {', '.join(table.columns)}"
    return Result(title, {"plan": lambda: table}, make_facts=lambda: facts, make_notes=lambda: notes)


def _notes(scores: Scores, cases: Sequence[Deviations]) -> list[str]:
    """Return notes on few topics, and on pairs that are left out."""
    notes = []
    observed = min(case.topics for case in cases if case.topics is not None)
    if observed < FEW:
        notes.append(f"the variance comes from {observed} topics, too few to know it: expect to need more topics")
    notes += topics_lacking(scores)
    for case in cases:
        if case.constant:
            notes.append(
                f"{case.names['measure']}: {plural(case.constant, 'pair')} of systems left out, whose difference is the same on every topic"
            )
    return list(dict.fromkeys(notes))
