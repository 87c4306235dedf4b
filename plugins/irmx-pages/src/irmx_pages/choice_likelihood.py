"""Parameters of a measure by maximum likelihood of choices, with profile intervals."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from irmx.ragged import Bools, Floats, Ints, segment_sum
from irmx_pages.preference_votes import Preferences
from irmx_pages.scores_of_settings import PageScorer, ParameterGrid, with_values

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

    def added(of_votes: Floats) -> Floats:
        return np.asarray(segment_sum(of_votes, who, people))

    def losses(weights: Floats) -> tuple[Floats, Floats]:
        """Return what every vote is decided by, and -w log P(A > B) - (1 - w) log P(B > A), summed by assessor."""
        strength = (weights[:, who] * columns).sum(axis=0)
        certain = np.maximum(strength, 0) + np.log1p(np.exp(-np.abs(strength)))
        return strength, added(certain - votes.won * strength)

    strength, loss = losses(weights)
    for _ in range(_ROUNDS):
        chance = 1 / (1 + np.exp(-np.clip(strength, -700, 700)))
        gradient = np.stack([added((chance - votes.won) * column) for column in columns])
        stuck = ((weights <= 0) & (gradient > 0)) | ((weights >= _STEEPEST) & (gradient < 0))
        curve = chance * (1 - chance)
        hessian = np.stack([np.stack([added(curve * i * j) for j in columns], axis=1) for i in columns], axis=1)
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
