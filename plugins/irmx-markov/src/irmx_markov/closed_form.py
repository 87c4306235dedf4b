"""Models with transition weights: their invariant distribution in closed form, and the chain watched on relevant ranks."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Protocol

import numpy as np

from irmx import Rankings
from irmx.ragged import Floats, Ints, offsets_of, position_in_segment, segment_of, segment_sum

# -- the weight of a transition by the distance between two ranks, and sums of it ------------------------------------


class TransitionWeights(Protocol):
    """Protocol of the models that the chain solvers accept: parameters by name, and weights.

    :class:`irmx_markov.MarkovModel` is one.
    """

    @property
    def offset(self) -> float:
        """The offset, with its default filled in."""

    @property
    def max_hop(self) -> int | None:
        """The longest transition, in positions of the list of states; None without a limit."""

    def __hash__(self) -> int:
        """Return the hash under which solutions for a model are cached."""

    def __getitem__(self, name: str, /) -> Any:
        """Return a parameter of the model, such as ``states``, ``distance`` or ``direction``."""

    def weight(self, distance: Any) -> Floats:
        """Return the weight of transitions over distances in ranks."""


def weight(form: str, distance: Any, offset: float, log_base: float) -> Floats:
    """Return w(distance), the weight of a move.

    Parameters
    ----------
    form : {"inverse", "log_inverse", "constant"}
        ``1 / (distance + offset)``, ``1 / log(distance + offset)``, or 1.
    distance : array_like
        Distances in ranks.
    offset, log_base : float
        The offset, and the base of the logarithm.

    Examples
    --------
    >>> weight("inverse", [1, 2, 3], 1, 10)
    array([0.5       , 0.33333333, 0.25      ])
    """
    distance = np.asarray(distance, dtype=float)
    if form == "inverse":
        return np.asarray(1 / (distance + offset))
    if form == "log_inverse":
        return np.asarray(np.log(log_base) / np.log1p((distance - 1) + offset))
    return np.ones_like(distance)


def table(form: str, offset: float, log_base: float, longest: int) -> tuple[Floats, Floats]:
    """Return 0 followed by w(1..n), and S(0..n) with S(n) = w(1) + ... + w(n), for some n >= ``longest``."""
    return _table(form, offset, log_base, 1 << max(10, int(longest).bit_length()))


@lru_cache(maxsize=64)
def _table(form: str, offset: float, log_base: float, size: int) -> tuple[Floats, Floats]:
    weights = np.zeros(size + 1)
    weights[1:] = weight(form, np.arange(1, size + 1), offset, log_base)
    sums = np.cumsum(weights.astype(np.longdouble)).astype(float)
    return weights, sums


# -- the invariant distribution of reversible models in closed form, all topics at once ------------------------------


_PAIRS_AT_ONCE = 4_000_000
_MANY = 3_000


def invariant_of_weights(model: TransitionWeights, rankings: Rankings) -> Floats:
    """Return pi over the relevant documents, adding up to 1 within each topic."""
    sums = sums_of_all_ranks(model, rankings) if model["states"] == "all" else sums_of_relevant(model, rankings)
    return normalised(sums, rankings)


def normalised(values: Floats, rankings: Rankings) -> Floats:
    """Return values scaled to a sum of 1 within each topic; equal values if all are 0, as for a single state."""
    topic = rankings.relevant.topic
    total = segment_sum(values, topic, len(rankings))
    if not total.all():
        values = np.where(total[topic] == 0, 1.0, values)
        total = segment_sum(values, topic, len(rankings))
    return np.asarray(values / total[topic])


def sums_of_all_ranks(model: TransitionWeights, rankings: Rankings) -> Floats:
    """Return d_i = S(i-1) + S(T-i) at the relevant ranks i, with S(n) = w(1) + ... + w(n).

    With a longest hop h, S(min(n, h)) replaces S(n).
    """
    i = rankings.relevant.rank
    depth = rankings.depth[rankings.relevant.topic]
    before, after = i - 1, depth - i
    if model.max_hop is not None:
        before, after = np.minimum(before, model.max_hop), np.minimum(after, model.max_hop)
    _, s = table(model["distance"], model.offset, model["log_base"], int(rankings.depth.max(initial=0)))
    d: Floats = s[before] + s[after]
    return d + model.weight(0) if model["self_loops"] else d


def sums_of_relevant(model: TransitionWeights, rankings: Rankings) -> Floats:
    """Return d_i = sum over the other relevant ranks j of w(|i - j|)."""
    rank = rankings.relevant.rank
    w, _ = table(model["distance"], model.offset, model["log_base"], int(rankings.depth.max(initial=0)))
    d = np.zeros(len(rank))
    for part, longest in rankings.memo(("parts", model.max_hop), lambda: parts(rankings, model.max_hop)):
        if longest is not None:
            few = model.max_hop is not None and model.max_hop < longest - 1
            d[part] = _sums_by_hop(rank[part], w, model.max_hop or 0) if few else _sums_by_convolution(rank[part], w)
            continue
        later, j, distance = _pairs_of(rankings, part, model.max_hop)
        weights = w[distance]
        d[part] = _sums_of_runs(weights, later) + segment_sum(weights, j, len(later))
    return d + model.weight(0) if model["self_loops"] else d


def _pairs_of(rankings: Rankings, part: slice, max_hop: int | None) -> tuple[Ints, Ints, Ints]:
    """Return the pairs of a part, computed once for all models."""
    return rankings.memo(("pairs", max_hop, part.start, part.stop), lambda: pairs(rankings, part, max_hop))


def parts(rankings: Rankings, max_hop: int | None) -> list[tuple[slice, int | None]]:
    """Return groups of consecutive topics whose pairs fit into memory together, and single topics with very many documents."""
    ends, count = rankings.relevant.offsets, rankings.relevant.count
    hop = count if max_hop is None else np.minimum(count, max_hop)
    cost = count * hop
    out: list[tuple[slice, int | None]] = []
    start, load = 0, 0
    for topic, (c, size) in enumerate(zip(cost.tolist(), count.tolist(), strict=True)):
        alone = size > _MANY if max_hop is None else c > _PAIRS_AT_ONCE
        if load and (alone or load + c > _PAIRS_AT_ONCE):
            out.append((slice(int(ends[start]), int(ends[topic])), None))
            start, load = topic, 0
        if alone:
            out.append((slice(int(ends[topic]), int(ends[topic + 1])), size))
            start = topic + 1
        else:
            load += c
    out.append((slice(int(ends[start]), int(ends[-1])), None))
    return [p for p in out if p[0].stop > p[0].start]


def pairs(rankings: Rankings, part: slice, max_hop: int | None) -> tuple[Ints, Ints, Ints]:
    """Return the pairs i < j of relevant documents of one topic, by i.

    Returns
    -------
    later : array of int
        The number of pairs of each i.
    j, distance : array of int
        The second document of each pair, counted from the part's first, and its distance in ranks.
    """
    relevant = rankings.relevant
    later = (relevant.count[relevant.topic] - relevant.ordinal)[part]
    if max_hop is not None:
        later = np.minimum(later, max_hop)
    pairs = offsets_of(later)
    j = segment_of(pairs) + position_in_segment(pairs) + 1
    rank = relevant.rank[part]
    return later, j, rank[j] - np.repeat(rank, later)


def _sums_of_runs(values: Floats, lengths: Ints) -> Floats:
    """Return the sums of consecutive runs of values; 0 for a run of length 0."""
    out = np.zeros(len(lengths))
    full = np.flatnonzero(lengths)
    out[full] = np.add.reduceat(values, offsets_of(lengths)[full]) if len(full) else 0.0
    return out


def _sums_by_hop(rank: Ints, w: Floats, max_hop: int) -> Floats:
    """Return the sums for one topic with a limited hop in the list of states, in little memory."""
    d = np.zeros(len(rank))
    for hop in range(1, max_hop + 1):
        weights = w[rank[hop:] - rank[:-hop]]
        d[:-hop] += weights
        d[hop:] += weights
    return d


def _sums_by_convolution(rank: Ints, w: Floats) -> Floats:
    """Return the same sums for one topic by a fast Fourier transform over its ranks."""
    from scipy.signal import fftconvolve

    span = int(rank[-1] - rank[0]) + 1
    there = np.zeros(span)
    there[rank - rank[0]] = 1.0
    kernel = np.concatenate([w[span - 1 : 0 : -1], w[:span]])
    full = fftconvolve(there, kernel, mode="full")
    return np.asarray(full[span - 1 : 2 * span - 1][rank - rank[0]])


# -- the watched chain of a reversible model -------------------------------------------------------------------------


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
