"""The invariant distribution of reversible models in closed form, all topics at once.

The weights are symmetric, w_ij = w_ji, so the chain with p_ij = w_ij / d_i, d_i = sum_j w_ij, is reversible:
d_i p_ij = d_j p_ji. Its invariant distribution is proportional to d, and that of the chain watched on R is the
restriction of it. No linear system is needed.
"""

from __future__ import annotations

import numpy as np

from irmx import Rankings
from irmx.ragged import Floats, Ints, offsets_of, position_in_segment, segment_of, segment_sum
from irmx_markov.transition_weights import TransitionWeights, table

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
