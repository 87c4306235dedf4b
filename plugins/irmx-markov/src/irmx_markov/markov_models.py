"""Markov models of a user: the documents between which the user may move, and with what probability.

Models with direction counts: the general algorithm, topic by topic.

Forward and backward weights are multiplied by factors of the documents seen so far, so the chain is in general not
reversible and its invariant distribution needs a linear system. The local chain is an exception: it moves between
neighbours only, and such a chain is always reversible.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from irmx import Formula, Param, Rankings, Symbol, UsageError
from irmx.ragged import Floats, Ints
from irmx_markov.closed_form import TransitionWeights, invariant_of_weights, watched_on, weight
from irmx_markov.finite_chains import (
    DENSE,
    OPERATIONS,
    dense_enough,
    log_stationary,
    log_stationary_banded,
    normalised_exp,
    refined,
    watched,
)

# -- models with direction counts: the general algorithm, topic by topic ---------------------------------------------


_SMALL = 300
_KRYLOV = 80
_RELIABLE = 1e-12


def invariant_of_counts(model: TransitionWeights, rankings: Rankings) -> Floats:
    """Return pi over the relevant documents, adding up to 1 within each topic."""
    out = np.empty(len(rankings.relevant.rank))
    ends = rankings.relevant.offsets
    for topic, depth in enumerate(rankings.depth.tolist()):
        here = slice(int(ends[topic]), int(ends[topic + 1]))
        relevant = rankings.relevant.rank[here]
        if len(relevant):
            log_pi = log_invariant(model, depth, relevant)
            log_pi = log_pi[relevant - 1] if model["states"] == "all" else log_pi
            out[here] = normalised_exp(log_pi)
    return out


def states_of(model: TransitionWeights, depth: int, relevant: Ints) -> Ints:
    """Return the ranks that are the states of the chain."""
    return np.arange(1, depth + 1) if model["states"] == "all" else relevant


def factors(direction: str | None, states: Ints, relevant: Ints) -> tuple[Floats, Floats]:
    """Return the factors of forward and backward weights at every state.

    They are functions of the relevant and the non-relevant documents seen up to and including the state.
    """
    if direction is None:
        return np.ones(len(states)), np.ones(len(states))
    seen = np.searchsorted(relevant, states, side="right").astype(np.float64)
    r, n = seen + 1, states - seen + 1
    return {"FRBN": (r, n), "FNBR": (n, r), "FIRBIN": (1 / r, 1 / n), "FINBIR": (1 / n, 1 / r)}[direction]


def transition_matrix(model: TransitionWeights, depth: int, relevant: Ints) -> Floats:
    """Return the transition matrix P of one topic as a dense array over the states.

    Parameters
    ----------
    model : MarkovModel
        The model.
    depth : int
        T, the number of documents retrieved.
    relevant : array of int
        The ranks of the relevant ones, ascending.
    """
    states = states_of(model, depth, relevant)
    forward, backward = factors(model["direction"], states, relevant)
    place = np.arange(len(states))
    hop = place[None, :] - place[:, None]
    distance = np.abs(states[None, :] - states[:, None])
    np.fill_diagonal(distance, 1)  # its weights are filled in below
    weights = model.weight(distance)
    if model.max_hop is not None:
        weights = np.where(np.abs(hop) <= model.max_hop, weights, 0.0)
    weights = weights * np.where(hop > 0, forward[:, None], backward[:, None])
    np.fill_diagonal(weights, _diagonal(model, forward, backward))
    if len(states) == 1:
        return np.ones((1, 1))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _diagonal(model: TransitionWeights, forward: Floats, backward: Floats) -> Floats:
    """Return the weights of staying: the formula at distance 0, with direction counts times both factors' sum."""
    if not model["self_loops"]:
        return np.zeros(len(forward))
    both = 1.0 if model["direction"] is None else forward + backward
    return np.asarray(model.weight(0) * both * np.ones(len(forward)))


def log_invariant(model: TransitionWeights, depth: int, relevant: Ints) -> Floats:
    """Return log pi over all states of one topic, up to a constant, by the cheapest exact method for the model.

    Logarithms are needed because a user who is driven to one end of a long ranking is at the other end with a probability
    below any floating-point number; if the chain is watched on documents there, only ratios count.
    """
    states = states_of(model, depth, relevant)
    n = len(states)
    if n == 1:
        return np.zeros(1)
    if model.max_hop == 1:
        return _birth_and_death(model, states, relevant)
    hop = n - 1 if model.max_hop is None else min(model.max_hop, n - 1)
    few = 2 * hop < n if model["states"] == "all" else hop < n - 1
    if few and n * hop**2 <= OPERATIONS:
        return _banded(model, states, relevant)
    if n > _SMALL and not (few and model["states"] == "relevant"):
        pi, converged = _by_convolution(model, states, relevant)
        watched = pi[relevant - 1] if model["states"] == "all" else pi
        if converged and watched.max() > _RELIABLE * pi.max():
            return np.asarray(np.log(np.maximum(pi, np.finfo(float).tiny)))
    if n <= DENSE:
        return log_stationary(transition_matrix(model, depth, relevant))
    raise UsageError(
        f"The chain of the model {model!r} over {n} states is too long to be solved exactly, and the solver for long "
        f"chains does not converge. Use a cutoff of {DENSE} or less, a larger offset, or another 'max_hop'."
    )


def _birth_and_death(model: TransitionWeights, states: Ints, relevant: Ints) -> Floats:
    """Return log pi of a chain between neighbours: pi_i = D_i prod_{k<i} f_k / b_{k+1}, D_i the sum of the weights at i."""
    forward, backward = factors(model["direction"], states, relevant)
    w = model.weight(np.diff(states))
    total = _diagonal(model, forward, backward)
    total[:-1] += w * forward[:-1]
    total[1:] += w * backward[1:]
    log_pi = np.log(total)
    log_pi[1:] += np.cumsum(np.log(forward[:-1]) - np.log(backward[1:]))
    return np.asarray(log_pi)


def _banded(model: TransitionWeights, states: Ints, relevant: Ints) -> Floats:
    """Return log pi of a chain whose transitions span a few states only, by the elimination of states."""
    forward, backward = factors(model["direction"], states, relevant)
    assert model.max_hop is not None
    n = len(states)
    hop = min(model.max_hop, n - 1)
    diagonal = _diagonal(model, forward, backward)
    total = diagonal.copy()
    weights = np.append(0.0, model.weight(np.arange(1, int(states[-1] - states[0]) + 1)))
    for h in range(1, hop + 1):
        w = weights[states[h:] - states[:-h]]
        total[:-h] += w * forward[:-h]
        total[h:] += w * backward[h:]

    def block(i: int, j: int) -> Floats:
        near = states[i:j]
        place = np.arange(j - i)
        over = np.abs(place[None, :] - place[:, None])
        w = weights[np.abs(near[None, :] - near[:, None])]
        w = w * np.where(place[None, :] > place[:, None], forward[i:j, None], backward[i:j, None])
        w = np.where(over <= hop, w, 0.0)
        np.fill_diagonal(w, diagonal[i:j])
        return np.asarray(w / total[i:j, None])

    return log_stationary_banded(block, n, hop)


def _by_convolution(model: TransitionWeights, states: Ints, relevant: Ints) -> tuple[Floats, bool]:
    """Return pi of a long chain, solving pi P = pi by GMRES with one Fourier transform per product with P.

    Weights depend on the distance in ranks only, so a product with them is a convolution over ranks. A longest hop counts
    positions in the list of states, so it is a distance in ranks only if all ranks are states.

    Returns
    -------
    pi : array of float
        The distribution.
    converged : bool
        Whether GMRES converged; a chain with nearly all moves between neighbours takes too many iterations.
    """
    from scipy.fft import irfft, next_fast_len, rfft
    from scipy.sparse.linalg import LinearOperator, gmres

    forward, backward = factors(model["direction"], states, relevant)
    at, span, n = states - states[0], int(states[-1] - states[0]) + 1, len(states)
    size = next_fast_len(2 * span, real=True)
    w = np.zeros(size)
    reach = span - 1 if model.max_hop is None or model.max_hop >= n - 1 else model.max_hop
    w[1 : reach + 1] = model.weight(np.arange(1, reach + 1))
    ahead = rfft(w)
    diagonal = _diagonal(model, forward, backward)

    def spread(x: Floats, y: Floats) -> Floats:
        """Return sum_{i<j} x_i w_ij + sum_{i>j} y_i w_ij at every state j."""
        left, right = np.zeros(size), np.zeros(size)
        left[at], right[at] = x, y
        return np.asarray(irfft(rfft(left) * ahead + rfft(right) * ahead.conj(), size)[at])

    ones = np.ones(n)
    total = forward * spread_to(ones, at, size, ahead.conj()) + backward * spread_to(ones, at, size, ahead) + diagonal
    stay = diagonal / total

    def step(x: Floats) -> Floats:
        flow = x / total
        return np.asarray(spread(flow * forward, flow * backward) + x * stay)

    system = LinearOperator((n, n), matvec=lambda x: x - step(x.ravel()) + x.sum() / n, dtype=float)
    residuals: list[float] = []
    pi, _ = gmres(
        system,
        ones / n,
        x0=total / total.sum(),
        rtol=1e-12,
        atol=0.0,
        restart=_KRYLOV,
        maxiter=1,
        callback=residuals.append,
        callback_type="pr_norm",
    )
    return refined(np.maximum(pi, 0.0), lambda x: np.maximum(step(x), 0.0)), len(residuals) < min(_KRYLOV, n)


def spread_to(values: Floats, at: Ints, size: int, kernel: Any) -> Floats:
    """Return the convolution of values at some positions with a kernel, given by its transform, at the same positions."""
    from scipy.fft import irfft, rfft

    padded = np.zeros(size)
    padded[at] = values
    return np.asarray(irfft(rfft(padded) * kernel, size)[at])


# -- Markov models of a user -----------------------------------------------------------------------------------------


_MOVES = {
    "p_{ij}": "the probability of a move from rank $i$ to rank $j$",
    "w_{ij}": (
        "the weight of that move; 0 where the model has no such move, as from a rank to itself without self_loops; with "
        "direction also times a factor of the documents seen up to rank $i$"
    ),
    "k": "every rank that is a state of the chain",
}
_OFFSET = "the offset, {} by default"
_FORMULAS = {
    distance: Formula(
        r"p_{ij} = \frac{w_{ij}}{\sum_{k} w_{ik}}, \qquad w_{ij} = " + weight_of_move,
        {**_MOVES, **symbols},
        source=source,
    )
    for distance, weight_of_move, symbols, source in (
        (
            "inverse",
            r"\frac{1}{\lvert i - j \rvert + c}",
            {"c": _OFFSET.format(1)},
            "the paper; the offset from its authors' code",
        ),
        (
            "log_inverse",
            r"\frac{1}{\log_{b}(\lvert i - j \rvert + c)}",
            {"b": "the base of the logarithm, 10 by default; it makes no difference", "c": _OFFSET.format(2)},
            "the authors' code",
        ),
        ("constant", "1", {}, "the paper"),
    )
}


KIND = "Markov model"
"""The kind of symbol that the ``model`` parameter of ``MP`` takes; any plugin may register more.

Such a symbol has a method ``invariant(rankings)``: the invariant distribution of its chain watched on the
relevant documents, over ``rankings.relevant``, adding up to 1 within each topic. For users of finite steps or time it has a
method ``watched_chain(depth, relevant)`` as well, which returns the transition matrix of the watched chain of one topic; for
a start on ranks, this method takes ``states``, the ranks to watch instead.
"""

_REACH = {"global": "GL", "local": "LO"}
_STATES = {"all": "AD", "relevant": "OR"}
_DISTANCE = {"inverse": "ID", "log_inverse": "LID"}


class MarkovModel(Symbol):
    """A user who moves between ranks with probabilities that fall with their distance.

    Parameters
    ----------
    reach : {"global", "local"}
        Transitions to every state (GL), or only to the neighbours in the list of states (LO).
    states : {"all", "relevant"}
        All ranks 1..T (AD), or the ranks of the relevant documents retrieved (OR).
    distance : {"inverse", "log_inverse", "constant"}
        Weight of a transition over d ranks: 1/(d + offset) (ID), 1/log(d + offset) (LID), or 1.
    offset : float, optional
        The offset, by default 1 for ID and 2 for LID. Every weight must be a positive number, so ID takes offsets from 0
        and LID those above 0; with self loops, which are moves over distance 0, ID those above 0 and LID those above 1.
    log_base : float
        The base of the logarithm of LID. It scales all weights equally, so it changes no probability.
    self_loops : bool
        Whether the user may stay; the weight is the formula at distance 0.
    max_hop : int, optional
        The longest transition, in positions of the list of states; 1 is the same as ``local``.
    direction : str, optional
        Forward and backward weights times a factor of the documents seen up to and including the current one:
        FRBN (relevant + 1 forward, non-relevant + 1 backward), FNBR (the swap), FIRBIN (1/(relevant + 1)
        forward, 1/(non-relevant + 1) backward), FINBIR (the swap).

    References
    ----------
    Ferrante, Ferro, Maistro: Injecting User Models and Time into Precision via Markov Chains. SIGIR 2014.

    Examples
    --------
    >>> from irmx_markov import MarkovModel
    >>> MarkovModel(reach="local", states="relevant")
    LO_OR_ID
    >>> MarkovModel(self_loops=True, max_hop=5)
    GL_AD_ID(self_loops=True,max_hop=5)
    """

    KIND = KIND
    SUPPORTED_PARAMS = {
        "reach": Param(str, "which states can be reached from a state", default="global", choices=tuple(_REACH)),
        "states": Param(str, "the states of the chain", default="all", choices=tuple(_STATES)),
        "distance": Param(
            str,
            "how the weight of a transition falls with the distance",
            default="inverse",
            choices=("inverse", "log_inverse", "constant"),
        ),
        "offset": Param(
            float,
            "added to the distance; by default 1 for ID, 2 for LID; 0 for ID without self loops only",
            default=None,
            low=0,
            unit="ranks",
        ),
        "log_base": Param(float, "base of the logarithm of LID", default=10.0, above=1),
        "self_loops": Param(bool, "whether the user may stay at a state", default=False),
        "max_hop": Param(
            int, "longest transition, in positions of the list of states", default=None, low=1, unit="states"
        ),
        "direction": Param(
            str,
            "factors of forward and backward weights by the documents seen",
            default=None,
            choices=("FRBN", "FNBR", "FIRBIN", "FINBIR"),
        ),
    }

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        if self["reach"] == "local" and self["max_hop"] not in (None, 1):
            raise UsageError(
                f"A local model moves to neighbours only, so its 'max_hop' parameter must be 1 or None. Got {self['max_hop']}."
            )
        if self["offset"] == self._own_offset:
            del self.params["offset"]
        self._check_offset()

    def _check_offset(self) -> None:
        """Raise for an offset with which the weight at the smallest distance is not a positive number."""
        nearest = 0 if self["self_loops"] else 1
        log = self["distance"] == "log_inverse"
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            largest = float(self.weight(nearest))
        if 0 < largest < np.inf:
            return
        formula = "1/log(distance + offset)" if log else "1/(distance + offset)"
        raise UsageError(
            f"The 'offset' parameter of {self.NAME} must be above {1 - nearest if log else 0}"
            f"{', because a user who may stay moves over distance 0' if self['self_loops'] else ''}: the weight {formula} at "
            f"distance {nearest} must be a positive number. Got {self.offset:g}, with which it is {largest:g}."
        )

    @property
    def NAME(self) -> str:  # type: ignore[override]  # noqa: N802
        """The name of the model with the same reach, states and distance, such as ``GL_AD_ID``."""
        if self["distance"] == "constant":
            return "constant"
        return f"{_REACH[self['reach']]}_{_STATES[self['states']]}_{_DISTANCE[self['distance']]}"

    @property
    def SHORT_DESC(self) -> str:  # type: ignore[override]  # noqa: N802
        reach = "any other" if self["reach"] == "global" else "the previous or next"
        what = "rank" if self["states"] == "all" else "relevant document"
        how = {"inverse": "by 1/(d+1)", "log_inverse": "by 1/log10(d+2)", "constant": "with equal probability"}[
            self["distance"]
        ]
        return f"from a {what} to {reach} one, {how}"

    @property
    def FORMULA(self) -> Formula:  # type: ignore[override]  # noqa: N802
        """The transition probabilities, by the form of the weights."""
        return _FORMULAS[self["distance"]]

    @property
    def offset(self) -> float:
        """The offset, with its default filled in."""
        given = self["offset"]
        return self._own_offset if given is None else float(given)

    @property
    def _own_offset(self) -> float:
        return 2.0 if self["distance"] == "log_inverse" else 1.0

    @property
    def max_hop(self) -> int | None:
        """The longest transition, in positions of the list of states; None without a limit."""
        if self["reach"] == "local":
            return 1
        hop: int | None = self["max_hop"]
        return hop

    def __call__(self, **changes: Any) -> MarkovModel:
        return MarkovModel(**{**self.params, **changes})

    def __repr__(self) -> str:
        named = (
            {"reach": "global", "states": "relevant"}
            if self.NAME == "constant"
            else {k: self[k] for k in ("reach", "states")}
        )
        shown = {
            k: self[k]
            for k in self.SUPPORTED_PARAMS
            if k != "distance" and self[k] != named.get(k, self.SUPPORTED_PARAMS[k].default)
        }
        return self.NAME + ("(" + ",".join(f"{k}={v!r}" for k, v in shown.items()) + ")" if shown else "")

    def weight(self, distance: Any) -> Floats:
        """Return the weight of transitions over distances in ranks."""
        return weight(self["distance"], distance, self.offset, self["log_base"])

    def invariant(self, rankings: Rankings) -> Floats:
        """Return the invariant distribution of the chain watched on the relevant documents.

        Without direction counts the weights are symmetric, the chain is reversible, and the distribution is
        proportional to the sums of weights; otherwise it is computed by the elimination of states without subtractions or,
        for chains of more than some hundred states, by GMRES with one Fourier transform per product.

        Raises
        ------
        irmx.UsageError
            If a model with direction counts over more than 3,000 states cannot be solved to full precision.

        Returns
        -------
        array of float, over the relevant documents retrieved
            Adds up to 1 within each topic.
        """
        if self["direction"] is None:
            return invariant_of_weights(self, rankings)
        return invariant_of_counts(self, rankings)

    def transitions(self, depth: int, relevant: Ints) -> Floats:
        """Return the transition matrix over the states of one topic; :func:`transition_matrix`."""
        return transition_matrix(self, depth, relevant)

    def watched_chain(self, depth: int, relevant: Ints, states: Ints | None = None) -> Floats:
        """Return the transition matrix of the chain watched on the relevant documents of one topic.

        Without direction counts the chain over all ranks depends on their number only, and its solution is shared between
        topics; with them, every topic's watched chain is computed by the elimination of states.

        Parameters
        ----------
        depth : int
            T, the number of documents retrieved.
        relevant : array of int
            The ranks of the relevant ones, ascending.
        states : array of int, optional
            The ranks to watch, ascending; by default the relevant ones.

        Raises
        ------
        irmx.UsageError
            For a chain over more than 3,000 states, or if states are given to a model between relevant documents.
        """
        if states is not None and self["states"] == "relevant":
            raise UsageError(
                f"The user of {self!r} is at relevant documents only, so there is no start on ranks. Use a model over all ranks, such "
                "as GL_AD_ID, or start='first'."
            )
        dense_enough(len(states_of(self, depth, relevant)), self)
        if self["states"] == "relevant":
            return transition_matrix(self, depth, relevant)
        if self["direction"] is None:
            return watched_on(self, depth, relevant if states is None else states)
        return watched(transition_matrix(self, depth, relevant), (relevant if states is None else states) - 1)


GL_AD_ID = MarkovModel()
GL_AD_LID = MarkovModel(distance="log_inverse")
GL_OR_ID = MarkovModel(states="relevant")
GL_OR_LID = MarkovModel(states="relevant", distance="log_inverse")
LO_AD_ID = MarkovModel(reach="local")
LO_AD_LID = MarkovModel(reach="local", distance="log_inverse")
LO_OR_ID = MarkovModel(reach="local", states="relevant")
LO_OR_LID = MarkovModel(reach="local", states="relevant", distance="log_inverse")
CONSTANT = MarkovModel(states="relevant", distance="constant")

NAMED = (GL_AD_ID, GL_AD_LID, GL_OR_ID, GL_OR_LID, LO_AD_ID, LO_AD_LID, LO_OR_ID, LO_OR_LID, CONSTANT)
"""The eight models of the paper, and the model with constant transition probabilities."""
