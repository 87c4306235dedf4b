"""Parameters of a measure by maximum likelihood of choices, with profile intervals."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import irmx
from irmx import Grid, Judgments, Param, UsageError, number
from irmx.ragged import Bools, Floats, Ints, offsets_of, segment_sum
from irmx_pages.aggregated_search import AggregatedSearch
from irmx_pages.page import Page, Pages, utility
from irmx_pages.pages_as_runs import batches, refuse_unjudged_topics, run_table
from irmx_pages.preference_votes import Preferences

# -- the values of a page measure for many pages in many settings ----------------------------------------------------


def stacked(parts: Sequence[Pages]) -> Pages:
    """Return the concatenation of pages.

    >>> one = Pages(np.array([0, 1]), np.array(["web"], dtype=object), *(np.ones(1) for _ in range(5)))
    >>> stacked([one, one]).offsets
    array([0, 1, 2])
    """
    offsets = offsets_of(np.concatenate([p.blocks for p in parts]))
    names = ("vertical", "orientation", "relevant", "items", "effort", "visual")
    return Pages(offsets, *(np.concatenate([getattr(p, name) for p in parts]) for name in names))


def fittable(measure: Any) -> dict[str, Param]:
    """Return the parameters of a measure that can be fitted to preferences: alpha, and the numbers of its model.

    >>> from irmx_pages import AS, AS_ERR, AS_RBP, att
    >>> [list(fittable(measure)) for measure in (AS_RBP, AS_ERR, AS(examination=att))]
    [['alpha', 'beta'], ['alpha'], ['alpha', 'beta', 'phi']]
    """
    of_model = {n: p for n, p in measure.examination.SUPPORTED_PARAMS.items() if p.dtype in (float, number)}
    return {"alpha": measure.SUPPORTED_PARAMS["alpha"], **of_model}


def has_value(measure: Any, name: str) -> bool:
    """Tell whether a parameter, of a measure or of its model, has an explicit value."""
    return name in measure.params or ("examination" in measure.params and name in measure.examination.params)


def with_values(measure: Any, values: Mapping[str, float]) -> Any:
    """Return a measure with new values of parameters, its own or its model's.

    >>> from irmx_pages import AS, AS_RBP, att
    >>> with_values(AS_RBP, {"alpha": 5.0}), with_values(AS(examination=att), {"alpha": 5.0, "beta": 0.3})
    (AS_RBP(alpha=5), AS(examination=att(beta=0.3),alpha=5))
    """
    own = {n: v for n, v in values.items() if n in measure.SUPPORTED_PARAMS}
    of_model = {n: v for n, v in values.items() if n not in own}
    if of_model:
        own["examination"] = measure.examination(**of_model)
    return measure(**own)


class PageScorer:
    """The pages of several runs, laid out once, to be scored in many settings of a measure.

    Parameters
    ----------
    measure : Measure
        A measure of the utility of pages, such as ``AS_RBP``.
    pages : sequence of Page
        The pages.
    judgments : Judgments
        Judgments of their topics.

    Attributes
    ----------
    topic : int array, shape (pages,)
        The topic of every page.
    """

    def __init__(self, measure: Any, pages: Sequence[Page], judgments: Judgments) -> None:
        refuse_unjudged_topics(pages, judgments)
        self.measure = measure
        self._batches = batches(pages)
        common = {name: measure[name] for name in ("rel", "ties")}
        self._rankings = [
            irmx.rankings(judgments, run_table([pages[i] for i in batch]), **common) for batch in self._batches
        ]
        number_of = {str(t): i for i, t in enumerate(self._rankings[0].topics)}  # every topic has a page in it
        self.topic = np.array([number_of[p.query_id] for p in pages])
        places = []
        for batch, rankings in zip(self._batches, self._rankings, strict=True):
            of_topic = {pages[i].query_id: i for i in batch}
            places += [of_topic[str(t)] for t in rankings.topics]
        self._place = np.argsort(np.array(places))
        self.pages = stacked([measure.pages(r) for r in self._rankings])
        self._gain: dict[tuple[float, str], Floats] = {}

    @property
    def normalises(self) -> bool:
        """Whether the measure divides by an ideal page."""
        return self.measure["normalise"] is not None

    @cached_property
    def recall(self) -> Floats:
        """The vRecall of every page."""
        return np.concatenate([self.measure.recall(r) for r in self._rankings])[self._place]

    def values(self, setting: Any) -> Floats:
        """Return nUtil of every page, or Util for a measure that does not normalise; without vRecall."""
        if not self.normalises:
            return self.utility(setting)
        if self.measure["ideal"] == "exact":
            ideal = np.concatenate([setting.ideal(r) for r in self._rankings])[self._place]
        else:
            ideal = setting.ideal(self._rankings[0])[self.topic]
        return np.asarray(self.utility(setting) / ideal)

    def utility(self, setting: Any) -> Floats:
        """Return Util of every page, which orders the pages of a topic as nUtil does unless the ideal page is ``exact``."""
        key = (setting["alpha"], setting["g"])
        if key not in self._gain:
            self._gain = {key: setting.gain(self.pages)}  # in a grid, settings of one alpha mostly follow each other
        gain = self._gain[key]
        return utility(self.pages, gain, setting.probabilities(self.pages, gain))[self._place]


def refuse_other_measures(measure: Any) -> None:
    """Raise if a measure is not a page utility."""
    if not isinstance(measure, AggregatedSearch):
        raise UsageError(
            f"{measure} cannot be fitted. The measures that can be are the page utilities AS_DCG, AS_RBP, AS_ERR, AS_ATT, and AS "
            "with any examination model."
        )
    if measure["personal"]:
        raise UsageError(
            f"{measure} already has a value of 'personal', which is fitted for every assessor. Leave it out."
        )


@dataclass(frozen=True)
class ParameterGrid:
    """Values of some parameters of a measure, and every combination of them.

    Attributes
    ----------
    values : dict of str to float array
        The values of every parameter, ascending.
    """

    values: dict[str, Floats]

    @property
    def settings(self) -> list[dict[str, float]]:
        """Every combination; the last parameter changes fastest."""
        found = itertools.product(*(v.tolist() for v in self.values.values()))
        return [dict(zip(self.values, combination, strict=True)) for combination in found]

    @property
    def ranges(self) -> list[tuple[float, float]]:
        """The smallest and the largest value of every parameter."""
        return [(float(v[0]), float(v[-1])) for v in self.values.values()]


def middle(sizes: Sequence[int], best: Sequence[int]) -> int:
    """Return the one of several equally good points of a grid that is nearest to their middle.

    >>> middle([4], [1, 2, 3])
    2
    """
    places = np.stack(np.unravel_index(np.asarray(best), sizes), axis=1)
    distance = (((places - places.mean(axis=0)) / np.maximum(np.array(sizes) - 1, 1)) ** 2).sum(axis=1)
    return int(best[int(np.argmin(distance))])


def parameter_grid(measure: Any, grid: Mapping[str, Any] | Sequence[str]) -> ParameterGrid:
    """Return the grid of a measure, checked.

    Parameters
    ----------
    measure : Measure
        The measure, without explicit values for the parameters of the grid.
    grid : mapping of str to str or sequence of float, or sequence of str
        As for :class:`irmx.Grid`: ``"1.5:100"`` for 51 values at equal distances, ``"1.5:100:20"`` for 20, ``"2,5,10"`` for
        these, or the values.

    Raises
    ------
    irmx.UsageError
        If a parameter cannot be fitted, is given twice, or has a value that is not allowed.

    Examples
    --------
    >>> from irmx_pages import AS_RBP
    >>> found = parameter_grid(AS_RBP, {"alpha": "2:10:5", "beta": "0.5,.8"})
    >>> found.values["alpha"].tolist(), len(found.settings), found.settings[1]
    ([2.0, 4.0, 6.0, 8.0, 10.0], 10, {'alpha': 2.0, 'beta': 0.8})
    """
    params = fittable(measure)
    given = Grid.parse(grid)
    for name in given:
        if name == "personal":
            raise UsageError(
                f"The weight 'personal' of {measure} is fitted separately for every assessor; leave it out of the grid."
            )
        if name not in params:
            raise UsageError(
                f"The parameter {name!r} of {measure} cannot be fitted. The parameters that can be: {', '.join(params)}."
            )
        if has_value(measure, name):
            raise UsageError(
                f"{measure} already has a value of {name!r}; leave it out of the measure or out of the grid."
            )
    values = Grid(params, given, owner=str(measure.NAME)).values
    return ParameterGrid({name: _numbers(name, some) for name, some in values.items()})


def _numbers(name: str, values: Sequence[Any]) -> Floats:
    """Return values as an ascending array; raise for values that the search cannot use."""
    other = [value for value in values if not isinstance(value, (int, float))]
    if other:
        raise UsageError(f"The grid value {other[0]} of {name!r} is not a number; each parameter is fitted separately.")
    if len(values) < 2:
        raise UsageError(f"The grid has only one value of {name!r}, {values[0]:g}; there is nothing to fit.")
    return np.unique(np.array(values, dtype=float))


# -- parameters of a measure by maximum likelihood of choices, with profile intervals --------------------------------


HALF_CHI2 = 1.920729410347062
"""Half of the 95% quantile of chi-squared with one degree of freedom: how far the log-likelihood may fall in an interval."""

_STARTS = {1: 25, 2: 7}
"""Points per parameter in the initial scan of the parameter space; 4 for more than two parameters."""


@dataclass(frozen=True)
class LikelihoodFit:
    """Maximum-likelihood estimates.

    Attributes
    ----------
    values : dict of str to float
        Values of the parameters of the grid, within its ranges.
    weights : Weights
        Weights of the assessors.
    place : float array
        The values as a point in the unit cube.
    least : float
        The negative log-likelihood there.
    """

    values: dict[str, float]
    weights: Weights
    place: Floats
    least: float

    @property
    def personal(self) -> float:
        """The mean l over assessors; 0 if no choice depends on the pages."""
        known = self.weights.personal[~np.isnan(self.weights.personal)]
        return float(known.mean()) if len(known) else 0.0


class Likelihood:
    """The log-likelihood of votes as a function of parameters, maximised over the weights of assessors.

    Parameters
    ----------
    scorer : PageScorer
        The pages.
    grid : ParameterGrid
        The parameters and their ranges. A positive parameter whose bounds differ by a factor of 10 or more is searched on a
        logarithmic scale.
    a, b : int array, shape (pairs,)
        The pages of every pair.
    votes : Votes
        The votes.
    personal : bool
        Whether assessors weigh vRecall.
    """

    def __init__(self, scorer: PageScorer, grid: ParameterGrid, a: Ints, b: Ints, votes: Votes, personal: bool) -> None:
        self.scorer, self.grid, self.a, self.b, self.votes = scorer, grid, a, b, votes
        self.recall = scorer.recall[a] - scorer.recall[b] if personal else None
        self._log = [low > 0 and high / low >= 10 for low, high in grid.ranges]
        self._last: Weights | None = None

    def values(self, place: Floats) -> dict[str, float]:
        """Return the values of parameters at a point in the unit cube."""
        found = {}
        names = zip(self.grid.values, self.grid.ranges, place.tolist(), self._log, strict=True)
        for name, (low, high), x, log in names:
            value = low * (high / low) ** x if log else low + (high - low) * x
            found[name] = min(max(value, low), high)
        return found

    def utility(self, values: dict[str, float]) -> Floats:
        """Return U_A - U_B of every pair."""
        of_pages = self.page_values(values)
        return np.asarray(of_pages[self.a] - of_pages[self.b])

    def page_values(self, values: dict[str, float]) -> Floats:
        """Return U of every page."""
        return self.scorer.values(with_values(self.scorer.measure, values))

    def weights(self, place: Floats) -> Weights:
        """Return the best weights of the assessors at a point."""
        self._last = fit_weights(self.votes, self.utility(self.values(place)), self.recall, self._last)
        return self._last

    def __call__(self, place: Floats) -> float:
        return -self.weights(place).log_likelihood

    # -- the best place ----------------------------------------------------------------------------------

    def fit(self) -> LikelihoodFit:
        """Return the maximum-likelihood estimates."""
        size = len(self.grid.values)
        points = np.linspace(0, 1, _STARTS.get(size, 4))
        start = min((np.array(p) for p in itertools.product(points, repeat=size)), key=self)
        place, least = self._descended(start, {})
        return LikelihoodFit(self.values(place), self.weights(place), place, least)

    def _descended(self, start: Floats, fixed: dict[int, float]) -> tuple[Floats, float]:
        """Return the best point near a starting point, with some of its coordinates fixed."""
        from scipy.optimize import minimize

        free = [i for i in range(len(start)) if i not in fixed]

        def at(coordinates: Floats) -> Floats:
            place: Floats = start.copy()
            place[list(fixed)] = list(fixed.values())
            place[free] = coordinates
            return place

        if not free:
            return at(np.empty(0)), self(at(np.empty(0)))
        steps = (start[free] + 0.08 * np.where(start[free] > 0.5, -e, e) for e in np.eye(len(free)))
        options = {
            "initial_simplex": np.vstack([start[free], *steps]),
            "xatol": 2e-5,
            "fatol": 1e-6,
            "maxfev": 120 * len(free),
        }
        bounds = [(0, 1)] * len(free)
        found = minimize(lambda x: self(at(x)), start[free], method="Nelder-Mead", bounds=bounds, options=options)
        return at(found.x), float(found.fun)

    # -- intervals ---------------------------------------------------------------------------------------

    def intervals(self, best: LikelihoodFit, advance: Callable[[int], None]) -> dict[str, tuple[float, float]]:
        """Return the 95% profile interval of every parameter, truncated to its range.

        Parameters
        ----------
        best : LikelihoodFit
            The maximum-likelihood estimates.
        advance : callable
            Called for every interval end found, two per parameter.
        """
        found = {}
        for i, name in enumerate(self.grid.values):
            ends = []
            for end in (0.0, 1.0):
                at = best.place.copy()
                at[i] = self._end(best, i, end)
                ends.append(self.values(at)[name])
                advance(1)
            found[name] = (ends[0], ends[1])
        return found

    def _end(self, best: LikelihoodFit, i: int, end: float) -> float:
        """Return where the profile of a coordinate leaves the interval towards an end of the range, or that end."""
        from scipy.optimize import brentq

        inside = float(best.place[i])
        near = {inside: best.place}

        def lost(x: float) -> float:
            start = near[min(near, key=lambda known: abs(known - x))]
            near[x], value = self._descended(start, {i: x})
            return value - best.least - HALF_CHI2

        return end if inside == end or lost(end) <= 0 else float(brentq(lost, *sorted((inside, end)), xtol=1e-4))


def personal_interval(votes: Votes, assessor: int, utility: Floats, recall: Floats) -> tuple[float, float]:
    """Return the 95% profile interval of the l of one assessor, at given values of the other parameters.

    Parameters
    ----------
    votes : Votes
        The votes of all assessors.
    assessor : int
        The number of the assessor.
    utility, recall : float array, shape (pairs,)
        U_A - U_B and R_A - R_B of every pair.

    Examples
    --------
    Choices that follow recall alone, with noise:

    >>> votes = Votes(np.arange(60), np.zeros(60, dtype=int), np.tile([1.0] * 10 + [0.0] * 2, 5), 1)
    >>> low, high = personal_interval(votes, 0, np.tile([0.2, -0.2], 30), np.ones(60))
    >>> round(low, 2), round(high, 2)
    (0.32, 1.0)
    """
    from scipy.optimize import brentq

    mine = votes.assessor == assessor
    own = Votes(votes.pair[mine], np.zeros(int(mine.sum()), dtype=np.int64), votes.won[mine], 1)
    best = fit_weights(own, utility, recall)

    def spare(x: float) -> float:
        """Return by how much the log-likelihood of l = x is above that of an end of the interval."""
        profile = fit_weights(own, (1 - x) * utility + x * recall).log_likelihood
        return profile - best.log_likelihood + HALF_CHI2

    place = float(np.nan_to_num(best.personal[0]))
    low, high = (end if spare(end) >= 0 else float(brentq(spare, *sorted((end, place)))) for end in (0.0, 1.0))
    return low, high


def is_range(interval: tuple[float, float], ends: tuple[float, float]) -> str:
    """Return a note on an interval that ends where the range of its parameter does.

    >>> is_range((1.5, 100.0), (1.5, 100.0)), is_range((4.0, 100.0), (1.5, 100.0)), is_range((4.0, 9.0), (1.5, 100.0))
    ('not identified within the range', 'no upper end within the range', '')
    """
    low, high = (math.isclose(x, end, rel_tol=1e-6) for x, end in zip(interval, ends, strict=True))
    if low and high:
        return "not identified within the range"
    return "no lower end within the range" if low else "no upper end within the range" if high else ""


_ROUNDS, _HALVINGS = 100, 40
"""Maximum number of Newton steps, and of times that a step may be halved."""

_STEEPEST = 1e4
"""The largest weight, in units of 1 / standard deviation of the weighted quantity; noise-free choices have no finite weight."""


@dataclass(frozen=True)
class Votes:
    """Votes in the form that the likelihood uses.

    Attributes
    ----------
    pair, assessor : int array, shape (votes,)
        The pair and the assessor of each vote.
    won : float array, shape (votes,)
        1 for page a, 0 for page b, 0.5 for a tie.
    assessors : int
        Number of assessors.
    """

    pair: Ints
    assessor: Ints
    won: Floats
    assessors: int

    def of(self, pairs: Bools) -> Votes:
        """Return the votes on pairs for which a mask is true."""
        keep = pairs[self.pair]
        return Votes(self.pair[keep], self.assessor[keep], self.won[keep], self.assessors)


def votes_of(preferences: Preferences) -> Votes:
    """Return the votes of preferences, without those that both pages are bad, which do not compare the pages."""
    compares = ~preferences.both_bad
    won = (1 + preferences.choice[compares]) / 2
    return Votes(preferences.pair[compares], preferences.assessor[compares], won, len(preferences.assessors))


@dataclass(frozen=True)
class Weights:
    """Maximum-likelihood weights of every assessor.

    Attributes
    ----------
    utility, recall : float array, shape (assessors,)
        u and v, at least 0.
    log_likelihood : float
        The log-likelihood of all votes.
    """

    utility: Floats
    recall: Floats
    log_likelihood: float

    @property
    def personal(self) -> Floats:
        """The l of every assessor, v / (u + v); NaN for an assessor whose choices depend on neither."""
        total = self.utility + self.recall
        return np.asarray(np.divide(self.recall, total, out=np.full(len(total), np.nan), where=total > 0))


def fit_weights(votes: Votes, utility: Floats, recall: Floats | None = None, start: Weights | None = None) -> Weights:
    r"""Return the weights of every assessor k that make the votes most likely.

    .. math:: P_k(A > B) = \sigma(u_k (U_A - U_B) + v_k (R_A - R_B)), \quad u_k, v_k \ge 0

    This is P = sigma(s (IUtil_A - IUtil_B)) with s = u + v and l = v/(u + v). A tie counts half a vote for either page.

    Parameters
    ----------
    votes : Votes
        The votes.
    utility, recall : float array, shape (pairs,)
        U_A - U_B and R_A - R_B of every pair; without recall all v are 0.
    start : Weights, optional
        Starting point.

    Examples
    --------
    Three of four choices for the page that is better by 0.1: u = log(3)/0.1.

    >>> votes = Votes(np.zeros(4, dtype=int), np.zeros(4, dtype=int), np.array([1.0, 1, 1, 0]), 1)
    >>> fit_weights(votes, np.array([0.1])).utility.round(3)
    array([10.986])
    """
    columns = np.stack([c[votes.pair] for c in ((utility,) if recall is None else (utility, recall))])
    spread = np.sqrt((columns**2).mean(axis=1)) if len(votes.pair) else np.zeros(len(columns))
    unit = np.divide(1, spread, out=np.zeros(len(columns)), where=spread > 0)[:, None]  # 0 for what tells nothing
    begin = np.ones((len(columns), votes.assessors))
    if start is not None:
        begin = np.stack([start.utility, start.recall][: len(columns)]) * spread[:, None]
    weights, loss = _most_likely(votes, columns * unit, np.clip(begin, 1e-3, _STEEPEST))
    weights = weights * unit
    none = np.zeros(votes.assessors)
    return Weights(weights[0], none if recall is None else weights[1], -float(loss.sum()))


def _most_likely(votes: Votes, columns: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return the best non-negative weights and the loss of every assessor, by projected and damped Newton steps.

    The losses of the assessors are convex, and are minimised all at once: scipy takes ten times as long over them one by one, or
    as one problem of many dimensions.
    """
    who, people, size = votes.assessor, votes.assessors, len(columns)
    diagonal = (slice(None), range(size), range(size))
    places = (people * np.arange(size**2)[:, None] + who).ravel()

    def added(of_votes: Floats) -> Floats:
        """Return the sums by assessor, of as many rows of votes as there are."""
        *rows, _ = of_votes.shape
        sums = segment_sum(of_votes.ravel(), places[: of_votes.size], math.prod(rows) * people)
        return sums.reshape(*rows, people)

    def losses(weights: Floats) -> tuple[Floats, Floats]:
        """Return what every vote is decided by, and -w log P(A > B) - (1 - w) log P(B > A), summed by assessor."""
        strength = (weights[:, who] * columns).sum(axis=0)
        certain = np.maximum(strength, 0) + np.log1p(np.exp(-np.abs(strength)))
        return strength, added(certain - votes.won * strength)

    strength, loss = losses(weights)
    for _ in range(_ROUNDS):
        chance = 1 / (1 + np.exp(-np.clip(strength, -700, 700)))
        gradient = added((chance - votes.won) * columns)
        stuck = ((weights <= 0) & (gradient > 0)) | ((weights >= _STEEPEST) & (gradient < 0))
        curves = chance * (1 - chance) * columns
        hessian = np.moveaxis(added(curves[:, None] * columns), -1, 0)
        hessian[diagonal] += 1e-9 * (1 + hessian[diagonal])
        hessian *= ~stuck.T[:, :, None] & ~stuck.T[:, None, :]
        hessian[diagonal] += stuck.T
        step = np.linalg.solve(hessian, -np.where(stuck, 0, gradient).T[:, :, None])[:, :, 0].T
        length = np.ones(people)
        for _ in range(_HALVINGS):
            moved = np.clip(weights + length * step, 0, _STEEPEST)
            strength, new = losses(moved)
            worse = new > loss + 1e-4 * (gradient * (moved - weights)).sum(axis=0) + 1e-12 * (1 + loss)
            if not worse.any():
                break
            length[worse] /= 2
        gained = np.where(worse, 0.0, loss - new)
        weights, loss = np.where(worse, weights, moved), np.where(worse, loss, new)
        if worse.any():
            strength = losses(weights)[0]
        if not (gained > 1e-10 * (1 + loss)).any():
            break
    return weights, loss
