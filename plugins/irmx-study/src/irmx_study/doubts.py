"""A claim about two systems, the doubts about it, and the rule by which a doubt breaks it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from irmx import UsageError
from irmx.ragged import Bools, Floats, Ints
from irmx.toolkit import suggest
from irmx_study.corrections import Holm
from irmx_study.paired import mean_and_deviation

How = Literal["same unit", "other unit", "other topics"]
"""How the differences of a view are compared with those of the claim: topic by topic, after division by their standard
deviations, or with those of the other topics."""

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
        if isinstance(self.level, bool) or not isinstance(self.level, (int, float)) or not 0 < self.level < 0.5:
            raise UsageError(f"The level must be above 0 and below 0.5. Got {self.level!r} instead.")

    @property
    def threshold(self) -> float:
        """What the difference must exceed."""
        return self.margin if self.kind == "better" else -self.margin

    @property
    def outside(self) -> float:
        """The share of intervals that miss the difference: two one-sided tests at a level are an interval of 1 - 2 level."""
        return 2 * self.level if self.kind == "equal" else self.level

    def scaled(self, factor: float) -> Claim:
        """Return the claim in another unit."""
        return Claim(self.kind, self.margin * factor, self.level)

    def tested(self, differences: Floats, strata: Ints | None = None) -> Tested:
        """Return the test of the differences of some topics, NaN for the others; with strata, of the mean of their means."""
        from scipy.special import stdtr, stdtrit

        is_known = ~np.isnan(differences)
        known = differences[is_known]
        n, df = len(known), len(known) - 1.0
        if n < 2:
            return Tested(n, float(known.mean()) if n else np.nan, np.nan, np.nan, np.nan, np.nan, "undecided")
        mean, deviation = (float(one[0]) for one in mean_and_deviation(known[:, None], np.abs(known).max()))
        error = deviation / np.sqrt(n)
        if strata is not None:
            mean, error, df = _of_strata(known, strata[is_known])
        half = float(-stdtrit(df, self.outside / 2)) * error
        low, high = mean - half, mean + half

        def below(threshold: float) -> float:
            """The probability of a mean at most this large where the true difference is the threshold."""
            if error == 0:
                return float(0.5 * (1 + np.sign(np.round(mean - threshold, 15))))
            return float(stdtr(df, (mean - threshold) / error))

        if self.kind == "equal":
            p = max(below(self.margin), 1 - below(-self.margin))
            holds, contradicted = -self.margin < low and high < self.margin, low > self.margin or high < -self.margin
        else:
            p = 2 * min(below(self.threshold), 1 - below(self.threshold))
            holds, contradicted = low > self.threshold, high < self.threshold
        return Tested(
            n,
            mean,
            error * np.sqrt(n),
            low,
            high,
            p,
            "holds" if holds else "contradicted" if contradicted else "undecided",
        )

    def is_against(self, mean: float, other: float) -> bool:
        """Tell whether a mean difference speaks more against the claim than another one does."""
        return abs(mean) > abs(other) if self.kind == "equal" else mean < other


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
    """The mean difference of a view: its interval, the p-value of the claim, and whether the claim holds."""

    topics: int
    mean: float
    deviation: float
    low: float
    high: float
    p: float
    outcome: str

    def towards(self, claim: Claim) -> float:
        """Return by how many standard errors the claim holds; the smallest is the worst view."""
        room = claim.margin - abs(self.mean) if claim.kind == "equal" else self.mean - claim.threshold
        if np.isnan(self.deviation):
            return np.inf
        return (
            room / (self.deviation / np.sqrt(self.topics))
            if self.deviation
            else np.inf * np.sign(room)
            if room
            else 0.0
        )


@dataclass(frozen=True, eq=False)
class View:
    """The values of the baseline and of the run by topic in one view; NaN for a topic that it lacks."""

    name: str
    values: Floats
    less_is_better: bool = False
    strata: Ints | None = None

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
    ours, others = (np.nanstd(one.differences, ddof=1) for one in (main, view))
    return claim.scaled(float(others / ours)) if ours > 0 and others > 0 else claim


def breaks(claim: Claim, main: View, doubt: Doubt) -> Bools:
    """Return which views of a doubt break a conclusion that holds in the main view.

    In such a view the claim is contradicted; or it is not supported, and the view differs significantly from the main one, in
    the direction against the claim, by Holm's correction over the views of the doubt.
    """
    outcomes = np.array(
        [claim_in(claim, main, v, doubt.how).tested(v.differences, v.strata).outcome for v in doubt.views]
    )
    p = np.array([difference_from_main(claim, main, view, doubt.how) for view in doubt.views])
    differs = Holm().adjust(p, []) < claim.level
    return np.asarray((outcomes == "contradicted") | ((outcomes == "undecided") & differs))


def difference_from_main(claim: Claim, main: View, view: View, how: How) -> float:
    """Return the two-sided p-value of the difference of a view from the main one; 1 if it is not against the claim."""
    from scipy.stats import ttest_1samp, ttest_ind

    of_main, of_view = main.differences, view.differences
    both = ~np.isnan(of_main) & ~np.isnan(of_view)
    if how == "other topics":
        further = ~np.isnan(of_view) & ~both  # topics of another collection
        ours, others = of_view[both], of_main[~np.isnan(of_main) & ~both]
        if further.any():
            ours, others = of_view[further], of_main[~np.isnan(of_main)]
        if min(len(ours), len(others)) < 2 or not claim.is_against(ours.mean(), others.mean()):
            return 1.0
        if not (ours.std() or others.std()):
            return 0.0 if ours.mean() != others.mean() else 1.0
        return float(ttest_ind(ours, others, equal_var=False).pvalue)
    one, other = of_main[both], of_view[both]
    if how == "other unit":
        one, other = (d / s if (s := d.std(ddof=1)) > 0 else d for d in (one, other))
    change = other - one
    if len(change) < 2 or not claim.is_against(other.mean(), one.mean()):
        return 1.0
    if np.ptp(change) <= 1e-12 * np.abs(change).max():
        return 0.0 if abs(change.mean()) > 1e-12 else 1.0
    return float(ttest_1samp(change, 0).pvalue)
