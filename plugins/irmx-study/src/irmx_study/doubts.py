"""A claim about two systems, the doubts about it, and the rule by which a doubt breaks it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from sys import float_info
from typing import Literal, Protocol

import numpy as np

from irmx import UsageError
from irmx.ragged import Bools, Floats, Ints
from irmx.toolkit import suggest
from irmx_study.corrections import Holm
from irmx_study.draws import resampled_topics
from irmx_study.paired import mean_and_deviation, p_of_equal_signs

How = Literal["same unit", "other unit", "other topics"]
"""How the differences of a view are compared with those of the claim: topic by topic, after division by their standard
deviations, or with those of the other topics."""

_ROUNDING = 1e-12
"""Smaller differences come from the rounding of sums."""

DRAWS = 10_000
"""The number of resamples of topics for a weighted mean; their seed is 0."""

CLAIMS = ("better", "no-worse", "equal")
"""What can be claimed of a run: that it is better than the baseline by more than a margin, not worse by more, or neither."""


@dataclass(frozen=True)
class Claim:
    """A claim about the mean difference of two systems, held against one t test.

    Parameters
    ----------
    kind : {"better", "no-worse", "equal"}
        The difference is larger than the margin; larger than minus the margin; or within both (two one-sided tests).
    margin : float
        The margin, at least 0, in units of the measure.
    level : float
        The level of significance.
    """

    kind: str = "better"
    margin: float = 0.0
    level: float = 0.05

    def __post_init__(self) -> None:
        if self.kind not in CLAIMS:
            raise UsageError(
                f"There is no claim {self.kind!r}.{suggest(self.kind, CLAIMS)} Known: {', '.join(CLAIMS)}."
            )
        if isinstance(self.margin, bool) or not isinstance(self.margin, (int, float)) or not 0 <= self.margin < np.inf:
            raise UsageError(f"The margin must be a number of 0 or more. Got {self.margin!r} instead.")
        if self.kind != "better" and not self.margin:
            raise UsageError(
                f"The claim {self.kind} needs a margin: the largest difference, in units of the measure, that does not matter."
            )
        if isinstance(self.level, bool) or not isinstance(self.level, (int, float)) or not 1e-12 <= self.level < 0.5:
            raise UsageError(f"The level must be at least 1e-12 and below 0.5. Got {self.level!r} instead.")

    @property
    def threshold(self) -> float:
        """What the difference must exceed."""
        return self.margin if self.kind == "better" else -self.margin

    @property
    def outside(self) -> float:
        """The share of intervals that miss the difference: two one-sided tests at a level are an interval of 1 - 2 level."""
        return 2 * self.level if self.kind == "equal" else self.level

    def scaled(self, factor: float) -> Claim:
        """Return the claim in another unit, whose margin is not 0."""
        return Claim(self.kind, max(self.margin * factor, float_info.min), self.level)

    def tested(self, view: View) -> Tested:
        """Return the test of a view: the t test over its topics, of strata that of the mean of their means, of weights the bootstrap."""
        is_known = ~np.isnan(view.differences)
        known = view.differences[is_known]
        n = len(known)
        if n < 2:
            return Tested(
                n, float(known.mean()) if n else np.nan, np.nan, np.nan, np.nan, np.nan, np.nan, np.nan, "undecided"
            )
        if view.weights is not None and (of := view.weights[is_known]).sum() ** 2 < 2 * (of**2).sum():
            return Tested(n, float(of @ known / of.sum()), np.nan, np.nan, np.nan, np.nan, np.nan, np.nan, "undecided")
        if view.weights is not None:
            estimate: _Estimate = _Resampled(known, view.weights[is_known])
        elif view.strata is not None:
            estimate = _OfT(*_of_strata(known, view.strata[is_known]), n)
        else:
            mean, deviation = (float(one[0]) for one in mean_and_deviation(known[:, None], np.abs(known).max()))
            estimate = _OfT(mean, deviation / np.sqrt(n), n - 1, n)
        low, high = estimate.interval(self.outside)
        if self.kind == "equal":
            p = max(estimate.one_sided(self.margin, up=False), estimate.one_sided(-self.margin, up=True))
            against = min(estimate.one_sided(self.margin, up=True), estimate.one_sided(-self.margin, up=False))
            holds = low + self.margin > _ROUNDING and self.margin - high > _ROUNDING
            contradicted = low - self.margin > _ROUNDING or -self.margin - high > _ROUNDING
        else:
            against = min(1.0, 2 * estimate.one_sided(self.threshold, up=False))
            p = min(against, 2 * estimate.one_sided(self.threshold, up=True))
            holds, contradicted = low - self.threshold > _ROUNDING, self.threshold - high > _ROUNDING
        outcome = "holds" if holds else "contradicted" if contradicted else "undecided"
        room = self.room(estimate.mean)
        return Tested(n, estimate.mean, estimate.error * np.sqrt(n), low, high, p, against, room, outcome)

    def room(self, mean: float) -> float:
        """Return by how much a mean difference is what is claimed."""
        return self.margin - abs(mean) if self.kind == "equal" else mean - self.threshold

    def is_against(self, mean: float, other: float) -> bool:
        """Tell whether a mean difference speaks more against the claim than another one does."""
        return abs(mean) > abs(other) if self.kind == "equal" else mean < other


class _Estimate(Protocol):
    """An estimated mean difference: its interval, and the one-sided p-value of a true one above a threshold (``up``), or below."""

    @property
    def mean(self) -> float: ...
    @property
    def error(self) -> float: ...
    def interval(self, outside: float) -> tuple[float, float]: ...
    def one_sided(self, threshold: float, up: bool) -> float: ...


@dataclass(frozen=True)
class _OfT:
    """An estimate whose distribution is t; where all differences are equal, that of random signs."""

    mean: float
    error: float
    freedom: float
    topics: int

    def interval(self, outside: float) -> tuple[float, float]:
        from scipy.special import stdtrit

        if self.error == 0 and p_of_equal_signs(self.topics) > outside:  # so few topics show nothing
            return np.nan, np.nan
        half = float(-stdtrit(self.freedom, outside / 2)) * self.error
        return self.mean - half, self.mean + half

    def one_sided(self, threshold: float, up: bool) -> float:
        from scipy.special import stdtr

        room = self.mean - threshold if up else threshold - self.mean
        if self.error == 0:
            return p_of_equal_signs(self.topics) / 2 if room > _ROUNDING else 1.0
        return float(stdtr(self.freedom, -room / self.error))


class _Resampled:
    """A weighted mean, or by how much it differs from the plain one; its distribution is that of resampled topics."""

    def __init__(self, differences: Floats, weights: Floats, less_plain: bool = False) -> None:
        columns = np.stack([weights * differences, weights, differences], axis=1)
        sums = np.concatenate([counts @ columns for counts in resampled_topics(len(weights), DRAWS, 0)])
        sums = sums[sums[:, 1] > 0]  # a sample of topics without weight has no mean
        self.means = np.sort(sums[:, 0] / sums[:, 1] - less_plain * sums[:, 2] / len(weights))
        self.mean = float(weights @ differences / weights.sum() - less_plain * differences.mean())
        self.error = float(self.means.std())

    def interval(self, outside: float) -> tuple[float, float]:
        place = max(int(outside / 2 * (len(self.means) + 1)), 1) - 1
        return float(self.means[place]), float(self.means[-place - 1])

    def one_sided(self, threshold: float, up: bool) -> float:
        beyond = np.searchsorted(self.means, threshold, side="right" if up else "left")
        return float((1 + (beyond if up else len(self.means) - beyond)) / (len(self.means) + 1))


def _of_strata(differences: Floats, strata: Ints) -> tuple[float, float, float]:
    """Return the mean of the means of strata, its standard error, and its degrees of freedom (Satterthwaite)."""
    parts = [differences[strata == stratum] for stratum in np.unique(strata)]
    squares = np.array([part.var(ddof=1) / len(part) for part in parts]) / len(parts) ** 2
    error = float(np.sqrt(squares.sum()))
    freedom = (
        squares.sum() ** 2 / (squares**2 / [len(part) - 1 for part in parts]).sum() if error else len(differences) - 1
    )
    return float(np.mean([part.mean() for part in parts])), error, float(freedom)


@dataclass(frozen=True)
class Tested:
    """The mean difference of a view: its interval, the p-values of the claim and of its opposite, and whether the claim holds.

    ``room`` is by how much the claim holds; negative if the mean is not what is claimed.
    """

    topics: int
    mean: float
    deviation: float
    low: float
    high: float
    p: float
    against: float
    room: float
    outcome: str

    @property
    def errors(self) -> float:
        """By how many standard errors the claim holds; the smallest is the worst view."""
        if np.isnan(self.deviation):
            return np.inf
        error = self.deviation / np.sqrt(self.topics)
        return self.room / error if error else np.sign(self.room) * np.inf if self.room else 0.0


@dataclass(frozen=True, eq=False)
class View:
    """The values of the baseline and of the run by topic in one view; NaN for a topic that it lacks.

    Measures with a limited range have no unit; others, such as costs, have one of their own.
    """

    name: str
    values: Floats
    less_is_better: bool = False
    strata: Ints | None = None
    weights: Floats | None = None
    unit: str = ""

    def means(self) -> Floats:
        """The means of the baseline and of the run, as the difference is computed."""
        known = ~np.isnan(self.values).any(axis=1)
        values, weights = self.values[known], np.ones(int(known.sum()))
        if self.weights is not None:
            weights = self.weights[known]
        elif self.strata is not None:  # each the same
            of = self.strata[known]
            weights = 1 / np.bincount(of)[of]
        return weights @ values / weights.sum() if weights.sum() else np.full(2, np.nan)

    @property
    def differences(self) -> Floats:
        """The differences, positive where the run is better."""
        difference = self.values[:, 1] - self.values[:, 0]
        return -difference if self.less_is_better else difference


@dataclass(frozen=True, eq=False)
class Doubt:
    """What may differ: its name, what its views are called, and the views."""

    name: str
    noun: str
    how: How
    views: tuple[View, ...]


# -- the rule ----------------------------------------------------------------------------------------------------------------


def claim_in(claim: Claim, main: View, view: View, how: How) -> Claim:
    """Return the claim about a view: in another unit, the margin has the same share of the standard deviation."""
    if how != "other unit" or not claim.margin:
        return claim
    ours, others = (d[~np.isnan(d)] for d in (main.differences, view.differences))
    if min(len(ours), len(others)) < 2 or ours.std() <= _ROUNDING:
        return claim
    return claim.scaled(float(others.std(ddof=1) / ours.std(ddof=1)))


def breaks(claim: Claim, main: View, doubt: Doubt, tested: Sequence[Tested]) -> Bools:
    """Return which views of a doubt, each tested, break a conclusion that holds in the main view.

    In such a view the claim is not supported, and either the opposite is shown, or the view differs significantly from the main
    one, in the direction against the claim; both by Holm's correction over the views of the doubt.
    """
    against = np.array([1.0 if np.isnan(one.against) else one.against for one in tested])
    differs = np.array([difference_from_main(claim, main, view, doubt.how) for view in doubt.views])
    shown = [Holm().adjust(p, []) < claim.level for p in (against, differs)]
    return np.asarray(np.array([one.outcome != "holds" for one in tested]) & (shown[0] | shown[1]))


def difference_from_main(claim: Claim, main: View, view: View, how: How) -> float:
    """Return the two-sided p-value of the difference of a view from the main one; 1 if it is not against the claim."""
    from scipy.special import stdtr
    from scipy.stats import ttest_ind_from_stats

    of_main, of_view = main.differences, view.differences
    both = ~np.isnan(of_main) & ~np.isnan(of_view)
    if how == "other topics":
        further = ~np.isnan(of_view) & ~both  # topics of another collection
        ours, others = of_view[both], of_main[~np.isnan(of_main) & ~both]
        if further.any():
            ours, others = of_view[further], of_main[~np.isnan(of_main)]
        if min(len(ours), len(others)) < 2 or not claim.is_against(ours.mean(), others.mean()):
            return 1.0
        deviations = ours.std(ddof=1), others.std(ddof=1)
        if max(deviations) <= _ROUNDING:
            return 1 / comb(len(ours) + len(others), len(ours))  # that just these topics are the group
        # where all topics of a group are equal by chance, Welch's test takes their mean for known
        groups = ours.mean(), deviations[0], len(ours), others.mean(), deviations[1], len(others)
        return float(ttest_ind_from_stats(*groups, equal_var=min(deviations) <= _ROUNDING).pvalue)
    one, other = of_main[both], of_view[both]
    if view.weights is not None:
        weighted = _Resampled(other, view.weights[both], less_plain=True)
        against = claim.is_against(one.mean() + weighted.mean, one.mean())
        return min(1.0, 2 * min(weighted.one_sided(0.0, up) for up in (False, True))) if against else 1.0
    if len(one) < 2:
        return 1.0
    if how == "other unit":
        deviations = one.std(ddof=1), other.std(ddof=1)
        if min(deviations) <= _ROUNDING:  # no unit to compare in
            return 1.0
        one, other = one / deviations[0], other / deviations[1]
    change = other - one
    if not claim.is_against(other.mean(), one.mean()):
        return 1.0
    if np.ptp(change) <= _ROUNDING:
        return p_of_equal_signs(len(change)) if abs(change.mean()) > _ROUNDING else 1.0
    t = change.mean() / (change.std(ddof=1) / np.sqrt(len(change)))
    return float(2 * stdtr(len(change) - 1, -abs(t)))
