"""A claim about two systems, the doubts about it, and the rule by which a doubt breaks it."""

from __future__ import annotations

import os
import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb
from sys import float_info
from typing import Any, Literal

import ir_measures
import numpy as np

import irmx
from irmx import (
    DataError,
    DataWarning,
    IrmxError,
    Join,
    Judgments,
    Param,
    Run,
    Scores,
    UsageError,
    read_qrels,
    read_run,
    read_table,
    score_joined,
)
from irmx.ragged import Bools, Floats, Ints
from irmx.toolkit import as_measures, list_some, matching_files, named_runs, plural, suggest
from irmx_study.inputs.choices import is_number, is_stream, read_collections, refuse_unknown, runs_of_gate
from irmx_study.inputs.judge_labels import Judge, read_judges, refuse_unnamed
from irmx_study.inputs.per_topic import range_of
from irmx_study.judging.systems import with_rel
from irmx_study.measures.sweep import identity_of_data
from irmx_study.statistics.paired import (
    freedom_of,
    mean_and_deviation,
    p_of_equal_signs,
    resampled_topics,
    two_sided_t,
    without_rounding,
)
from irmx_study.statistics.tests import Holm
from irmx_study.systems.pairs import refuse_same
from irmx_study.systems.unjudged import refuse_added

# -- A claim about two systems, the doubts about it, and the rule by which a doubt breaks it -------------------------


ComparisonBasis = Literal["same unit", "other unit", "other topics"]
"""How the differences of a view are compared with those of the claim: topic by topic, after division by their standard
deviations, or with those of the other topics, unless it has other values on the same topics."""

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
        refuse_unknown("claim", self.kind, CLAIMS)
        if not is_number(self.margin) or not 0 <= self.margin < np.inf:
            raise UsageError(f"The margin must be a number of 0 or more. Got {self.margin!r} instead.")
        if self.kind != "better" and not self.margin:
            raise UsageError(
                f"The claim {self.kind} needs a margin: the largest difference, in units of the measure, that does not matter."
            )
        if not is_number(self.level) or not 1e-12 <= self.level < 0.5:
            raise UsageError(f"The level must be at least 1e-12 and below 0.5. Got {self.level!r} instead.")

    @property
    def threshold(self) -> float:
        """What the difference must exceed."""
        return self.margin if self.kind == "better" else -self.margin

    @property
    def alpha(self) -> float:
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
        if not view.is_testable:
            baseline, run = view.means().tolist()
            return Tested(n, baseline - run if view.less_is_better else run - baseline)
        if view.weights is not None:
            estimate: _OfT | _Resampled = _Resampled(known, view.weights[is_known])
        elif view.strata is not None:
            estimate = _OfT(*_of_strata(known, view.strata[is_known]), n)
        else:
            mean, deviation = (float(one[0]) for one in mean_and_deviation(known[:, None], np.abs(known).max()))
            estimate = _OfT(mean, deviation / np.sqrt(n), n - 1, n)
        low, high = estimate.interval(self.alpha)
        if self.kind == "equal":
            p = max(estimate.one_sided(self.margin, up=False), estimate.one_sided(-self.margin, up=True))
            p_opposite = min(estimate.one_sided(self.margin, up=True), estimate.one_sided(-self.margin, up=False))
            holds = low + self.margin > _ROUNDING and self.margin - high > _ROUNDING
            contradicted = low - self.margin > _ROUNDING or -self.margin - high > _ROUNDING
        else:
            p_opposite = min(1.0, 2 * estimate.one_sided(self.threshold, up=False))
            p = min(p_opposite, 2 * estimate.one_sided(self.threshold, up=True))
            holds, contradicted = low - self.threshold > _ROUNDING, self.threshold - high > _ROUNDING
        outcome = "holds" if holds else "contradicted" if contradicted else "undecided"
        slack = self.slack(estimate.mean)
        return Tested(n, estimate.mean, estimate.error * np.sqrt(n), low, high, p, p_opposite, slack, outcome)

    def slack(self, mean: float) -> float:
        """Return by how much a mean difference is what is claimed."""
        return self.margin - abs(mean) if self.kind == "equal" else mean - self.threshold

    def is_against(self, mean: float, other: float) -> bool:
        """Tell whether a mean difference speaks more against the claim than another one does."""
        return abs(mean) > abs(other) if self.kind == "equal" else mean < other


@dataclass(frozen=True)
class _OfT:
    """An estimated mean difference whose distribution is t; where all differences are equal, that of random signs.

    It has an interval, and the one-sided p-value of a true difference above a threshold (``up``), or below.
    """

    mean: float
    error: float
    freedom: float
    topics: int

    def interval(self, alpha: float) -> tuple[float, float]:
        if self.error == 0 and p_of_equal_signs(self.topics) > alpha:  # so few topics show nothing
            return np.nan, np.nan
        half = two_sided_t(self.freedom, alpha) * self.error
        return self.mean - half, self.mean + half

    def one_sided(self, threshold: float, up: bool) -> float:
        from scipy.special import stdtr

        slack = self.mean - threshold if up else threshold - self.mean
        if self.error == 0:
            return p_of_equal_signs(self.topics) / 2 if slack > _ROUNDING else 1.0
        return float(stdtr(self.freedom, -slack / self.error))


class _Resampled:
    """A weighted mean, or by how much it differs from the plain one; its distribution is that of resampled topics."""

    def __init__(self, differences: Floats, weights: Floats, less_plain: bool = False) -> None:
        columns = np.stack([weights * differences, weights, differences], axis=1)
        sums = np.concatenate([counts @ columns for counts in resampled_topics(len(weights), DRAWS, 0)])
        sums = sums[sums[:, 1] > 0]  # a sample of topics without weight has no mean
        self.means = np.sort(sums[:, 0] / sums[:, 1] - less_plain * sums[:, 2] / len(weights))
        self.mean = float(weights @ differences / weights.sum() - less_plain * differences.mean())
        self.error = float(self.means.std())

    def interval(self, alpha: float) -> tuple[float, float]:
        place = max(int(alpha / 2 * (len(self.means) + 1)), 1) - 1
        return float(self.means[place]), float(self.means[-place - 1])

    def one_sided(self, threshold: float, up: bool) -> float:
        beyond = np.searchsorted(self.means, threshold, side="right" if up else "left")
        return float((1 + (beyond if up else len(self.means) - beyond)) / (len(self.means) + 1))


def _of_strata(differences: Floats, strata: Ints) -> tuple[float, float, float]:
    """Return the mean of the means of strata, its standard error, and its degrees of freedom (Satterthwaite)."""
    parts = [differences[strata == stratum] for stratum in np.unique(strata)]
    squares = np.array([part.var(ddof=1) / len(part) for part in parts]) / len(parts) ** 2
    freedom = freedom_of(*zip(squares.tolist(), map(len, parts), strict=True))
    return float(np.mean([part.mean() for part in parts])), float(np.sqrt(squares.sum())), freedom


@dataclass(frozen=True)
class Tested:
    """The mean difference of a view: its interval, the p-values of the claim and of its opposite, and whether the claim holds.

    ``slack`` is by how much the claim holds; negative if the mean is not what is claimed. Too few topics have a mean alone.
    """

    topics: int
    mean: float
    deviation: float = np.nan
    low: float = np.nan
    high: float = np.nan
    p: float = np.nan
    p_opposite: float = np.nan
    slack: float = np.nan
    outcome: str = "undecided"

    @property
    def slack_in_standard_errors(self) -> float:
        """By how many standard errors the claim holds; the smallest is the worst view."""
        if np.isnan(self.deviation):
            return np.inf
        error = self.deviation / np.sqrt(self.topics)
        return self.slack / error if error else np.sign(self.slack) * np.inf if self.slack else 0.0


@dataclass(frozen=True, eq=False)
class View:
    """The values of the baseline and of the run by topic in one view; NaN for a topic that it lacks.

    Measures with a limited range have no unit; others, such as costs, have one of their own. ``of_both`` says that it repeats another
    view without the topics that a system lacks.
    """

    name: str
    values: Floats
    less_is_better: bool = False
    strata: Ints | None = None
    weights: Floats | None = None
    unit: str = ""
    of_both: bool = False

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
    def is_testable(self) -> bool:
        """Whether there are two topics, of every stratum, or weights that are no less than those of two."""
        known = ~np.isnan(self.differences)
        if self.strata is not None:
            return bool(known.any() and np.unique(self.strata[known], return_counts=True)[1].min() > 1)
        weights = known.astype(float) if self.weights is None else self.weights[known]
        return bool(known.sum() > 1 and weights.sum() ** 2 >= 2 * (weights**2).sum())

    @property
    def differences(self) -> Floats:
        """The differences, positive where the run is better."""
        difference = np.diff(without_rounding(self.values), axis=1)[:, 0]
        return -difference if self.less_is_better else difference


@dataclass(frozen=True, eq=False)
class Doubt:
    """What may differ: its name, what its views are called, and the views."""

    name: str
    noun: str
    how: ComparisonBasis
    views: tuple[View, ...]


# -- the rule ----------------------------------------------------------------------------------------------------------------


def claim_in(claim: Claim, main: View, view: View, how: ComparisonBasis) -> Claim:
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
    one, in the direction against the claim; both by Holm's correction over the views of the doubt, and apart over those that repeat
    some without the topics that a system lacks: what is missing makes nothing harder to show.
    """
    p_opposite = np.array([1.0 if np.isnan(one.p_opposite) else one.p_opposite for one in tested])
    differs = np.array([difference_from_main(claim, main, view, doubt.how) for view in doubt.views])
    of_both, shown = np.array([view.of_both for view in doubt.views]), np.zeros(len(tested), dtype=bool)
    for family in (np.flatnonzero(of_both), np.flatnonzero(~of_both)):
        for p in (p_opposite, differs) if len(family) else ():
            shown[family] |= Holm().adjust(p[family], []) < claim.level
    return np.asarray(np.array([one.outcome != "holds" for one in tested]) & shown)


def difference_from_main(claim: Claim, main: View, view: View, how: ComparisonBasis) -> float:
    """Return the two-sided p-value of the difference of a view from the main one; 1 if it is not against the claim."""
    from scipy.stats import ttest_ind, ttest_rel

    of_main, of_view = main.differences, view.differences
    both = ~np.isnan(of_main) & ~np.isnan(of_view)
    further = ~np.isnan(of_view) & ~both  # topics of another collection
    # a part of each topic, such as some of its questions, has other values on the same topics, which are paired
    is_part_of_each = not further.any() and bool((np.abs(of_view - of_main)[both] > _ROUNDING).any())
    if how == "other topics" and not is_part_of_each:
        ours, others = of_view[both], of_main[~np.isnan(of_main) & ~both]
        if further.any():
            ours, others = of_view[further], of_main[~np.isnan(of_main)]
        if min(len(ours), len(others)) < 2 or not claim.is_against(ours.mean(), others.mean()):
            return 1.0
        deviations = ours.std(ddof=1), others.std(ddof=1)
        if max(deviations) <= _ROUNDING:
            return 1 / comb(len(ours) + len(others), len(ours))  # that just these topics are the group
        # where all topics of a group are equal by chance, Welch's test takes their mean for known
        return float(ttest_ind(ours, others, equal_var=min(deviations) <= _ROUNDING).pvalue)
    one, other = of_main[both], of_view[both]
    if view.weights is not None:
        weighted = _Resampled(other, view.weights[both], less_plain=True)
        is_against = claim.is_against(one.mean() + weighted.mean, one.mean())
        return min(1.0, 2 * min(weighted.one_sided(0.0, up) for up in (False, True))) if is_against else 1.0
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
    return float(ttest_rel(other, one).pvalue)


# -- the views in which a claim about two systems is tried -----------------------------------------------------------


DEPTH = 10
"""Up to which rank unjudged documents are assumed to be relevant, for a measure without a cutoff."""

OF_BOTH = ", topics that both have"
"""What the name of a view ends with that repeats another one without the topics that a system lacks."""

LEFT_OUT = 10
"""How many topics are left out, one at a time: those that speak most for the run."""

_MARKED: dict[str, tuple[str, str, ComparisonBasis]] = {
    "judgments": ("judges", "judges", "same unit"),
    "unjudged": ("unjudged", "assumptions about unjudged documents", "same unit"),
    "seed": ("seeds", "seeds", "same unit"),
    "slice": ("slices", "groups of topics", "other topics"),
    "collection": ("collections", "collections", "other topics"),
}
"""What a mark of views makes them doubts of."""

_NOUNS = {"users": "users", "measures": "other measures"}
_NAMES = {*(name for name, _, _ in _MARKED.values()), *_NOUNS, "claim", "difficulty", "missing", "topics", "weights"}
"""The names of doubts, which a grouping of topics cannot have."""


def views_of(scores: Scores, users: Collection[str] = ()) -> tuple[View, list[Doubt]]:
    """Return the main view of scores of two systems, their first, and the doubts that all others make.

    Settings of the measure are users, as are measures that are named.
    """
    marks = {name: of for name, of in scores.marks.items() if name != "weight"}
    main, doubts = _view(scores, 0, str(scores.measures[0])), dict[str, tuple[str, ComparisonBasis, list[View]]]()
    for v, measure in list(enumerate(scores.measures))[1:]:
        differing = [name for name, of in marks.items() if of[v] != of[0]]
        if differing:
            name, noun, how = _MARKED.get(differing[0], (differing[0], f"views by {differing[0]}", "same unit"))
            text = str(marks[differing[0]][v])
            if name == "slices" and ":" in text:
                column, _, text = text.partition(":")
                name, noun = f"slice {column}" if column in _NAMES else column, f"groups of topics by {column}"
        else:
            is_setting = getattr(measure, "NAME", measure) == getattr(scores.measures[0], "NAME", "")
            name = "users" if is_setting or str(measure) in users else "measures"
            noun, how, text = _NOUNS[name], "other unit", str(measure)
        doubts.setdefault(name, (noun, how, []))[2].append(_view(scores, v, text))
    return main, [Doubt(name, noun, how, tuple(views)) for name, (noun, how, views) in doubts.items()]


def _view(scores: Scores, v: int, name: str) -> View:
    measure, values = scores.measures[v], scores.values[:, :, v]
    is_share = np.isfinite(range_of(measure)).all() or np.nanmax(np.abs(values), initial=0) <= 1
    unit = "" if is_share else str(measure)
    return View(name, values, bool(getattr(measure, "LESS_IS_BETTER", False)), unit=unit)


def refuse_untried(
    main: View, doubts: Sequence[Doubt], measures: Mapping[str, Sequence[str] | None], **asked: Any
) -> None:
    """Raise if what was asked for, by the name of the option, is no more than the claim, or has too few topics to show anything.

    ``measures`` are the names of users and of other measures, where a setting of the measure is a user.
    """
    tried = {option for option, names in measures.items() if {*(names or ())} - {main.name}}
    for doubt in doubts:
        is_group = doubt.how == "other topics" and doubt.name != "collections"
        option = "slices" if is_group else doubt.name
        tried.add(option)
        if asked.get(option) is None:
            continue
        differing = [v for v in doubt.views if not np.array_equal(v.values, main.values, equal_nan=True)]
        of_each = [view.is_testable for view in (differing if is_group else doubt.views)]
        if not any(of_each) or (doubt.name == "judges" and not all(of_each)):
            are = "all topics, as in the claim" if is_group and not differing else "single topics"
            raise UsageError(f"The {doubt.noun} leave nothing to try: they have {are}. Name others, or leave them out.")
    for option, value in {**measures, **asked}.items():
        if value is not None and option not in tried:
            raise UsageError(
                f"The {option} leave nothing to try beside the claim. Name what to try, or leave them out."
            )


def with_common_topics(main: View, doubts: Sequence[Doubt], both: View, of_both: Sequence[Doubt]) -> list[Doubt]:
    """Return doubts where missing values count, with views of the topics that both systems have; given are all views of these."""

    def lacks(view: View, other: View) -> bool:
        return not np.array_equal(np.isnan(view.differences), np.isnan(other.differences))

    found = []
    for doubt, common in zip(doubts, of_both, strict=True):
        more = [
            replace(other, name=f"{other.name}{OF_BOTH}", of_both=True)
            for view, other in zip(doubt.views, common.views, strict=True)
            if lacks(view, other)
        ]
        found.append(replace(doubt, views=(*doubt.views, *more)))
    if lacks(main, both):
        found.append(
            Doubt("missing", "treatments of missing values", "other topics", (replace(both, name=OF_BOTH.strip(", ")),))
        )
    return found


def of_difficulty(main: View) -> Doubt:
    """Return the thirds of the topics by the mean of both systems."""
    mean = main.values.mean(axis=1)
    known = np.flatnonzero(~np.isnan(mean))
    order = known[np.argsort(-mean[known] if main.less_is_better else mean[known], kind="stable")]
    thirds = zip(("hard", "middle", "easy"), np.array_split(order, 3), strict=True)
    views = tuple(_of_topics(main, name, third) for name, third in thirds)
    return Doubt("difficulty", "thirds of the topics by difficulty", "other topics", views)


def of_single_topics(claim: Claim, main: View, topics: Sequence[str]) -> Doubt:
    """Return what is left without each of the topics that speak most for the claim."""
    differences = main.differences
    known = np.flatnonzero(~np.isnan(differences))
    if claim.kind == "equal":  # those that keep the mean near 0
        differences = -np.sign(differences[known].mean()) * differences
    best = known[np.argsort(-differences[known], kind="stable")][:LEFT_OUT]
    views = tuple(_of_topics(main, f"without {topics[t]}", known[known != t]) for t in best.tolist())
    return Doubt("topics", "topics left out, one at a time", "other topics", views)


def of_weights(main: View, topics: Sequence[str], weights: Any) -> Doubt:
    """Return all topics with weights, such as those of the traffic that they stand for."""
    if isinstance(weights, Mapping) and "query_id" not in weights:
        weights = {"query_id": list(weights), "weight": list(weights.values())}
    table = read_table(weights, {"query_id": str, "weight": Param(float, "weight", low=0)}, "table of weights")
    ids = table["query_id"].tolist()
    of_topic = dict(zip(ids, table["weight"].tolist(), strict=True))
    if len(of_topic) < len(ids):
        row = next(row for row, topic in enumerate(ids) if topic in ids[:row])
        raise DataError(f"{table.place([ids.index(ids[row]), row])}: topic {ids[row]} has two weights. Leave one out.")
    known = [topics[t] for t in np.flatnonzero(~np.isnan(main.differences)).tolist()]
    if lacking := [topic for topic in known if topic not in of_topic]:
        raise DataError(
            f"{plural(len(lacking), 'topic')} of {len(known)} have no weight: {list_some(lacking)}. Give each one; 0 leaves it out."
        )
    if not sum(of_topic[topic] for topic in known):
        raise DataError("All topics have the weight 0.")
    values = np.array([of_topic.get(topic, 0.0) for topic in topics])
    values = np.ldexp(
        values, -np.frexp(values.max())[1]
    )  # whose sums and squares are floats, to the last bit the same means
    view = View("weighted", main.values, main.less_is_better, weights=values)
    if not view.is_testable:
        raise DataError(
            "Nearly all of the weight is that of one topic, which shows nothing. Give weights of more topics."
        )
    return Doubt("weights", "weightings of the topics", "same unit", (view,))


def with_all(main: View, doubt: Doubt) -> Doubt:
    """Return a doubt, that about collections with all together: each with the same weight, and each topic."""
    if doubt.name != "collections":
        return doubt
    values, strata = np.array(main.values), np.zeros(len(main.values), dtype=np.int64)
    for number, view in enumerate(doubt.views, start=1):
        known = ~np.isnan(view.differences)
        values[known], strata[known] = view.values[known], number
    together = (
        View("mean of all collections", values, main.less_is_better, strata),
        View("all topics of all", values, main.less_is_better),
    )
    return replace(doubt, views=(*doubt.views, *together))


def _of_topics(main: View, name: str, places: Ints) -> View:
    values = np.full_like(main.values, np.nan)
    values[places] = main.values[places]
    return View(name, values, main.less_is_better)


def with_assumptions(
    measure: ir_measures.Measure, judgments: Judgments, runs: Mapping[str, Any]
) -> tuple[list[Scores], str]:
    """Return the scores if unjudged documents are relevant, up to the cutoff, and if they are removed; and why one was not tried.

    A measure that assumes something itself, by a parameter ``unjudged``, is computed with its other values, too.
    """
    depth = int(measure.params.get("cutoff") or DEPTH)
    parts, untried = [], ""
    info = measure.SUPPORTED_PARAMS.get("unjudged")
    if info is not None and info.choices:
        others = [other for other in (measure(unjudged=value) for value in info.choices) if other != measure]
        scores = irmx.scores(others, judgments, runs, progress=False)
        parts += [
            replace(scores.select(measures=[other]), measures=(measure,)).marked(unjudged=str(other.params["unjudged"]))
            for other in others
        ]
    try:
        grade = float(max(measure.params.get("rel") or 1, 1))
        joins = [Join(read_run(run), judgments).with_judgments(unjudged=grade, depth=depth) for run in runs.values()]
        refuse_added(measure, joins)
        values = np.stack([of_run[0].values for of_run in score_joined(joins, [measure])], axis=1)[:, :, None]
        topics, retrieved = tuple(map(str, judgments.topics)), np.zeros(values.shape[:2], dtype=bool)
        for s, join in enumerate(joins):
            retrieved[join.in_judgments, s] = True
        relevant = Scores.of_runs(values, retrieved, topics, tuple(runs), (measure,))
        parts.append(relevant.marked(unjudged=f"relevant (top {depth})"))
    except IrmxError as error:  # such as a measure of subtopics, which an assumed document lacks
        untried = str(error)
        if getattr(measure, "DOCS_MAY_REPEAT", False):
            untried = f"{measure} scores runs in which documents repeat, so they have no single rank"
    if "judged_only" in measure.SUPPORTED_PARAMS and not measure.params.get("judged_only"):
        try:
            condensed = irmx.scores([measure(judged_only=True)], judgments, runs, progress=False)
            parts.append(replace(condensed, measures=(measure,)).marked(unjudged="removed"))
        except IrmxError as error:  # a provider that does not compute it
            untried = str(error)
    return parts, untried


# -- scores in all views ---------------------------------------------------------------------------------------------


def in_order(systems: Sequence[str], baseline: str | None) -> list[str]:
    """Return two systems, the baseline first; by default that is the first."""
    if len(systems) != 2:
        are = "is" if len(systems) == 1 else "are"
        raise UsageError(
            f"A verdict is on two systems, the baseline and a run. There {are} {len(systems)}: {list_some(systems)}."
        )
    if systems[0] == systems[1]:
        raise UsageError(f"Both systems are {systems[0]}. Give the baseline and another run.")
    if nameless := [name for name in systems if not str(name).strip()]:
        raise UsageError(f"A system needs a name. Got {nameless[0]!r}.")
    if baseline is not None and baseline not in systems:
        raise UsageError(
            f"There is no system {baseline!r}.{suggest(baseline, systems)} The systems: {list_some(systems)}."
        )
    return sorted(systems, key=lambda name: baseline is not None and name != baseline)


def one_measure(source: Any) -> ir_measures.Measure:
    """Return the measure of a claim, the only one."""
    parsed = as_measures(source)
    if len(parsed) != 1:
        raise UsageError(
            f"A claim is about one measure. Got {len(parsed)}: {list_some(map(str, parsed))}. Give the others as measures, as a doubt."
        )
    return parsed[0]


def refuse_wide(measure: ir_measures.Measure, margin: float) -> None:
    """Raise for a margin by which no two values of a measure differ."""
    low, high = range_of(measure)
    if margin > high - low:
        raise UsageError(
            f"The margin must be at most {high - low:g}, by which values of {measure} can differ. Got {margin:g} instead."
        )


def scored_in_all_views(
    source: Any, qrels: Any, runs: Any, baseline: str | None, judges: Any, rel: Any, grades: Any, users: Any, others: Any,
    collections: Any, progress: bool | None,
) -> tuple[Scores, dict[str, list[str]], str]:  # fmt: skip
    """Return the scores of two systems in all views, the runs of a system that has several, and why unjudged documents were not tried."""
    if isinstance(source, Scores) or hasattr(source, "columns"):
        raise UsageError("With qrels and runs, verdict() needs a measure, such as 'nDCG@10', instead of values.")
    measure = one_measure(source)
    further = [one for more in (users, others) if more is not None for one in as_measures(more)]
    files, systems = _runs_of(runs)
    names = in_order(list(systems), baseline)
    seeds = {name: systems[name] for name in names}
    known = read_qrels(qrels)
    source = known if is_stream(qrels) else qrels  # a stream is read once
    found = irmx.scores([measure, *further], source, files, progress=progress)
    parts = [_over_seeds(found, seeds)]
    reads = {name: of for name, of in identity_of_data([measure], known, {}).items() if name in ("qrels", "files")}
    read = read_judges(judges, rel, grades) if judges is not None else []
    _refuse_same_judge(measure, known, read, files)
    for judge in read:
        _refuse_stranger(judge.name, judge.judgments, known)
        if (passes := len(judge.passes.columns)) > 1:
            warnings.warn(f"{judge.name} judged {passes} times; its first pass counts", DataWarning, stacklevel=3)
        of_judge = irmx.scores([with_rel(measure, judge.rel)], judge.judgments, files, progress=False)
        of_judge = of_judge.select(topics=[topic for topic in of_judge.topics if topic in known.index])
        parts.append(_over_seeds(replace(of_judge, measures=(measure,)), seeds).marked(judgments=judge.name))
        digests = identity_of_data([measure], judge.judgments, {})["qrels"]
        reads.setdefault("judges", {})[judge.name] = {**digests, "rel": judge.rel}
    on_others = {
        name: _on_collection(name, measure, of_collection, two, names)
        for name, (of_collection, two) in _collections_of(collections).items()
    }
    refuse_same("collection", {"that of the claim": parts[0].select(views=found.names[:1]), **on_others})
    for name, scores in on_others.items():
        topics = tuple(f"{name}/{topic}" for topic in scores.topics)  # which may have ids that others have
        parts.append(replace(scores, topics=topics).marked(collection=name))
        reads.setdefault("collections", {})[name] = scores.made_by["qrels"]
    assumed, untried = with_assumptions(measure, known, files)
    parts += [_over_seeds(one, seeds) for one in assumed]
    several = {name: of for name, of in systems.items() if len(of) > 1}
    for name, of_system in several.items():
        for one, other in combinations(of_system, 2):
            first, second = (found.values[:, found.systems.index(file)] for file in (one, other))
            if np.array_equal(first, second, equal_nan=True) and _rows_of(files[one]) == _rows_of(files[other]):
                raise DataError(f"The runs {one} and {other} of {name} are the same. Give every run of a system once.")
        for file in of_system:
            of_seed = _over_seeds(found.select(views=found.names[:1]), {**seeds, name: [file]})
            parts.append(of_seed.marked(seed=file))
    return replace(Scores.concat(parts), made_by={**found.made_by, "reads": reads}), several, untried


def _runs_of(runs: Any) -> tuple[dict[str, Any], dict[str, list[str]]]:
    """Return all runs by name, and by system the names of its runs; several of a system are files."""
    if not isinstance(runs, Mapping):
        paths = [runs] if isinstance(runs, (str, os.PathLike)) else list(runs)
        if not all(isinstance(path, (str, os.PathLike)) for path in paths):
            raise UsageError("Runs are a mapping of two names to runs, or two paths.")
        shown = [found[0] if len(found := _files_of(path)) == 1 else os.fspath(path) for path in paths]
        labels = [os.path.basename(os.path.normpath(path)) for path in shown]
        labels = [label if label.strip("*?") else path for label, path in zip(labels, shown, strict=True)]
        labels = labels if len(set(labels)) == len(labels) else shown
        if len(set(labels)) < len(labels):
            raise UsageError(f"Both systems are {labels[0]}. Give the baseline and another run.")
        runs = dict(zip(labels, paths, strict=True))
    of_system = {str(name): _files_of(run) or _several_runs(run) for name, run in runs.items()}
    given = [one for several in of_system.values() for one in several]
    paths = [os.path.realpath(one) for one in given if isinstance(one, str)]
    if twice := [path for path in paths if paths.count(path) > 1]:
        raise UsageError(f"The run {twice[0]} is given twice. Give every run once.")
    seeds = [one for several in of_system.values() if len(several) > 1 for one in several if isinstance(one, str)]
    named = iter(named_runs(seeds) if seeds else ())  # with their folders, where two have the same name
    files, systems = dict[str, Any](), dict[str, list[str]]()
    for name, several in of_system.items():
        systems[name] = [name]
        if len(several) > 1:
            systems[name] = [
                next(named) if isinstance(one, str) else f"{name} {number}"
                for number, one in enumerate(several, start=1)
            ]
        files |= dict(zip(systems[name], several, strict=True))
    return runs_of_gate(files), systems


def _several_runs(run: Any) -> list[Any]:
    """Return a list of runs that are no files; anything else is one run, such as its rows."""
    listed = run if isinstance(run, (list, tuple)) else []
    are_runs = all(isinstance(one, (Run, Mapping)) or hasattr(one, "itertuples") for one in listed)
    return list(listed) if listed and are_runs else [run]


def _files_of(run: Any) -> list[str]:
    """Return the files of a path, a pattern, or a list of paths; none for anything else."""
    listed = run if isinstance(run, (list, tuple)) else [run]
    if not all(isinstance(one, (str, os.PathLike)) for one in listed):
        return []
    return [file for one in listed for file in matching_files(os.fspath(one))]


def _rows_of(run: Any) -> set[tuple[str, str, float]]:
    """Return the rows of a run, which are those of a copy in any order."""
    read = read_run(run)
    docs = (doc for topic in range(len(read.topics)) for doc in read.docs(topic))
    return set(zip(np.repeat(read.topics, np.diff(read.offsets)).tolist(), docs, read.score.tolist(), strict=True))


def _over_seeds(found: Scores, systems: Mapping[str, Sequence[str]]) -> Scores:
    """Return scores of systems, the mean over their runs on each topic."""
    at = [[found.systems.index(file) for file in files] for files in systems.values()]
    values = np.stack([found.values[:, places].mean(axis=1) for places in at], axis=1)
    states = np.stack(
        [found.states[:, places].max(axis=1) for places in at], axis=1
    )  # missing where one run lacks the topic
    return replace(found, values=values, states=states, systems=tuple(systems), fields={})


def _collections_of(collections: Any) -> dict[str, tuple[Any, Any]]:
    """Return qrels and runs of collections by name; the paths of a table are beside it."""
    if collections is None:
        return {}
    if isinstance(collections, Mapping):
        refuse_unnamed("collection", map(str, collections))
        return dict(collections)
    files = read_collections(collections, "collection", "collection")
    return {name: (qrels, runs) for name, (qrels, *runs) in files.items()}


def _on_collection(name: str, measure: ir_measures.Measure, qrels: Any, runs: Any, systems: Sequence[str]) -> Scores:
    """Return the scores of both systems on another collection."""
    files, of_systems = _runs_of(runs)
    if len(of_systems) != 2:
        raise UsageError(f"The collection {name} needs a baseline and a run. It has {len(of_systems)} systems.")
    if isinstance(runs, Mapping):
        if set(of_systems) != set(systems):
            raise UsageError(
                f"The collection {name} has the systems {list_some(of_systems)}, which are not {list_some(systems)}. Give the same names, or a "
                "list of two runs, the baseline first."
            )
        of_systems = {system: of_systems[system] for system in systems}
    found = irmx.scores([measure], qrels, files, progress=False)
    if len(found.topics) < 2:
        raise DataError(f"The collection {name} has {len(found.topics)} topic; a mean with an interval needs two.")
    return _over_seeds(found, dict(zip(systems, of_systems.values(), strict=True)))


def _refuse_same_judge(
    measure: ir_measures.Measure, known: Judgments, judges: Sequence[Judge], runs: Mapping[str, Any]
) -> None:
    """Raise if a judge has the labels of another, on all topics that both have: of documents that are relevant, or that a run has."""
    if not judges:
        return
    retrieved: dict[str, set[str]] = {}
    for run in map(read_run, runs.values()):
        for number, topic in enumerate(run.topics):
            retrieved.setdefault(topic, set()).update(run.docs(number))
    named = {"the qrels": (measure, known)}
    named |= {f"the judge {judge.name}": (with_rel(measure, judge.rel), judge.judgments) for judge in judges}
    for (name, (one, of_one)), (other_name, (other, of_other)) in combinations(named.items(), 2):
        labels, others = of_one.as_dict(), of_other.as_dict()
        shared = [topic for topic in labels if topic in others]
        pairs = (
            [
                {doc: max(grade, 0) for doc, grade in of[topic].items() if grade > 0 or doc in retrieved.get(topic, ())}
                for of in (labels, others)
            ]
            for topic in shared
        )
        if (
            one == other
            and shared
            and all(a == b for a, b in pairs)
            and _further(one, of_one) == _further(other, of_other)
        ):
            raise DataError(f"The labels of {other_name} are those of {name}. Give every judge once.")


def _further(measure: ir_measures.Measure, judgments: Judgments) -> dict[str, str]:
    """Return digests of the columns that a measure reads beside grades."""
    digests = identity_of_data([measure], judgments, {})["qrels"]
    return {name: digest for name, digest in digests.items() if name not in ("", "iteration", "relevance")}


def _refuse_stranger(name: str, judgments: Any, known: Any) -> None:
    """Raise if a judge judged no document that the qrels judge."""
    theirs = judgments.as_dict()
    for topic, docs in known.as_dict().items():
        if not docs.keys().isdisjoint(theirs.get(topic, {})):
            return
    raise DataError(
        f"The judge {name} has no document in common with the qrels: are these judgments of the same topics?"
    )
