"""Models with direction counts: the general algorithm, topic by topic.

Forward and backward weights are multiplied by factors of the documents seen so far, so the chain is in general not
reversible and its invariant distribution needs a linear system. The local chain is an exception: it moves between
neighbours only, and such a chain is always reversible.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from irmx import Rankings, UsageError
from irmx.ragged import Floats, Ints
from irmx_markov.finite_chains import DENSE, OPERATIONS, log_stationary, log_stationary_banded, normalised_exp, refined
from irmx_markov.transition_weights import TransitionWeights

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
