"""The watched chain of a reversible model: one matrix inverse per depth, for any set of relevant documents.

Symmetric weights w_ij are the conductances of an electrical network with the Laplacian L = D - W = D (I - P), where D holds
the sums of the weights of every state. Watching the chain on R leaves the Laplacian S = D_R (I - P~), the Schur complement of
the other states. With G = (L + c 11')^-1 for any c > 0, which does not depend on R, and U = (G_RR)^-1,
S = U - U11'U / 1'U1. No weight is larger than those between neighbours, so L is near-singular in the
direction of 1 only, which c takes away.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from irmx.ragged import Floats, Ints
from irmx_markov.transition_weights import TransitionWeights


def watched_on(model: TransitionWeights, depth: int, relevant: Ints) -> Floats:
    """Return the transition matrix P~ of the chain over the ranks 1..T, watched on the relevant ones.

    Parameters
    ----------
    model : MarkovModel
        A model over all ranks, without direction counts.
    depth : int
        T.
    relevant : array of int
        The relevant ranks, ascending.
    """
    if len(relevant) == 1:
        return np.ones((1, 1))
    inverse, total = _network(model, depth)
    at = relevant - 1
    u = np.linalg.inv(inverse[np.ix_(at, at)])
    sums = u.sum(axis=1)
    schur = u - np.outer(sums, sums) / sums.sum()
    chain = np.maximum(-schur / total[at, None], 0.0)
    np.fill_diagonal(chain, 0.0)
    np.fill_diagonal(chain, np.maximum(1 - chain.sum(axis=1), 0.0))
    return np.asarray(chain)


@lru_cache(maxsize=2)
def _network(model: TransitionWeights, depth: int) -> tuple[Floats, Floats]:
    """Return G, and the sum of the weights of every rank, self loops included; in units of the weight over one rank."""
    place = np.arange(depth)
    distance = np.abs(place[:, None] - place)
    np.fill_diagonal(distance, 1)
    nearest = model.weight(1)
    weights = model.weight(distance) / nearest
    if model.max_hop is not None:
        weights[np.abs(place[:, None] - place) > model.max_hop] = 0.0
    np.fill_diagonal(weights, 0.0)
    total = weights.sum(axis=1)
    laplacian = np.diag(total) - weights
    stay = float(model.weight(0) / nearest) if model["self_loops"] else 0.0
    return np.linalg.inv(laplacian + total.mean() / depth), total + stay
