"""The choice model P(A > B) = 1 / (1 + exp(-(u dU + v dR))) of every assessor, fitted by maximum likelihood."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from irmx.ragged import Bools, Floats, Ints, segment_sum
from irmx_pages.preferences.preference_votes import Preferences

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
    unit = np.divide(1, spread, out=np.zeros(len(columns)), where=spread > 0)[
        :, None
    ]  # 0: it tells nothing, and weighs 0
    begin = np.ones((len(columns), votes.assessors))
    if start is not None:
        begin = np.stack([start.utility, start.recall][: len(columns)]) * spread[:, None]
    weights, loss = _Choices(votes, columns * unit).descended(np.clip(begin, 1e-3, _STEEPEST))
    weights = weights * unit
    none = np.zeros(votes.assessors)
    return Weights(weights[0], none if recall is None else weights[1], -float(loss.sum()))


class _Choices:
    """The negative log-likelihood of every assessor as a convex function of the assessor's weights.

    Parameters
    ----------
    votes : Votes
        The votes.
    columns : float array, shape (weights, votes)
        The weighted quantities.
    """

    def __init__(self, votes: Votes, columns: Floats) -> None:
        self.votes, self.columns = votes, columns

    def _sum(self, of_votes: Floats) -> Floats:
        return np.asarray(segment_sum(of_votes, self.votes.assessor, self.votes.assessors))

    def _strength(self, weights: Floats) -> Floats:
        found: Floats = (weights[:, self.votes.assessor] * self.columns).sum(axis=0)
        return found

    def loss(self, strength: Floats) -> Floats:
        """Return -w log P(A > B) - (1 - w) log P(B > A), summed over the votes of every assessor."""
        certain = np.maximum(strength, 0) + np.log1p(np.exp(-np.abs(strength)))
        return self._sum(certain - self.votes.won * strength)

    def descended(self, weights: Floats) -> tuple[Floats, Floats]:
        """Return the best non-negative weights and the loss of every assessor, by projected and damped Newton steps."""
        strength = self._strength(weights)
        loss = self.loss(strength)
        for _ in range(_ROUNDS):
            gradient, step = self._newton(weights, strength)
            size = np.ones(self.votes.assessors)
            for _ in range(_HALVINGS):
                moved = np.clip(weights + size * step, 0, _STEEPEST)
                strength = self._strength(moved)
                new = self.loss(strength)
                worse = new > loss + 1e-4 * (gradient * (moved - weights)).sum(axis=0) + 1e-12 * (1 + loss)
                if not worse.any():
                    break
                size[worse] /= 2
            better = ~worse
            gained = np.where(better, loss - new, 0.0)
            weights, loss = np.where(better, moved, weights), np.where(better, new, loss)
            if not better.all():
                strength = self._strength(weights)
            if not (gained > 1e-10 * (1 + loss)).any():
                break
        return weights, loss

    def _newton(self, weights: Floats, strength: Floats) -> tuple[Floats, Floats]:
        """Return the gradient, and the Newton step in the weights that are free to move."""
        chance = 1 / (1 + np.exp(-np.clip(strength, -700, 700)))
        slope, curve = chance - self.votes.won, chance * (1 - chance)
        gradient = np.stack([self._sum(slope * c) for c in self.columns])
        stuck = ((weights <= 0) & (gradient > 0)) | ((weights >= _STEEPEST) & (gradient < 0))
        size = len(weights)
        hessian = np.empty((self.votes.assessors, size, size))
        for i in range(size):
            for j in range(i + 1):
                hessian[:, i, j] = hessian[:, j, i] = self._sum(curve * self.columns[i] * self.columns[j])
        hessian[:, range(size), range(size)] += 1e-9 * (1 + hessian[:, range(size), range(size)])
        free = ~stuck.T
        hessian *= free[:, :, None] & free[:, None, :]
        hessian[:, range(size), range(size)] += ~free
        step = np.linalg.solve(hessian, -np.where(stuck, 0, gradient).T[:, :, None])[:, :, 0].T
        return gradient, step
