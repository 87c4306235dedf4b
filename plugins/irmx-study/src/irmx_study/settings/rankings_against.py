"""Rank correlations of many rankings with one reference, on arrays."""

from __future__ import annotations

import numpy as np

from irmx.ragged import Floats
from irmx_study.rank_correlation.kendall import pair_signs
from irmx_study.rank_correlation.tau_ap import tau_aps

CORRELATIONS = ("tau", "tau_ap", "tau_ap_a", "tau_ap_b")
"""The names of the correlations: Kendall's tau-b, and tau_AP with ties in the order of the systems, and by a and b."""

_TIES = {"tau_ap": "order", "tau_ap_a": "a", "tau_ap_b": "b"}
_CELLS = 4_000_000


def correlations_with(reference: Floats, means: Floats) -> dict[str, Floats]:
    """Return the correlations of rankings with a reference, and the p-value of tau, by name.

    Parameters
    ----------
    reference : float array, shape (systems,)
        A value of every system.
    means : float array, shape (systems, settings)
        The means of the systems in every setting.

    Returns
    -------
    dict of str to float array, shape (settings,)
        ``tau``, ``p_value``, ``tau_ap``, ``tau_ap_a``, ``tau_ap_b``; NaN where all means are equal.

    Examples
    --------
    >>> found = correlations_with(np.array([3, 2, 1]), np.array([[3, 1], [1, 1], [2, 1]]))
    >>> {name: values.round(3).tolist() for name, values in found.items()}["tau"]
    [0.333, nan]
    """
    from scipy.stats import rankdata

    ranks = rankdata(means, method="dense", axis=0).astype(float)
    distinct, place = np.unique(ranks, axis=1, return_inverse=True)  # many settings rank the systems alike
    place = place.reshape(-1)
    tau, lead = _taus(reference, distinct)
    found = {"tau": tau, "p_value": _p_values(reference, distinct, lead)}
    for name, ties in _TIES.items():
        found[name] = np.where(np.isnan(tau), np.nan, tau_aps(reference[:, None], distinct, ties)[0])
    return {name: values[place] for name, values in found.items()}


def _taus(reference: Floats, rankings: Floats) -> tuple[Floats, Floats]:
    """Return tau-b of every ranking, and by how many more pairs it agrees than disagrees."""
    of_reference = pair_signs(np.asarray(reference, dtype=float)[:, None])[:, 0]
    lead, distinct = np.empty(rankings.shape[1]), np.empty(rankings.shape[1])
    at_once = max(1, _CELLS // max(len(of_reference), 1))
    for start in range(0, len(lead), at_once):
        signs = pair_signs(rankings[:, start : start + at_once])
        lead[start : start + at_once] = of_reference @ signs
        distinct[start : start + at_once] = np.abs(signs).sum(axis=0)
    with np.errstate(invalid="ignore"):
        return lead / np.sqrt(np.abs(of_reference).sum() * distinct), lead


def _p_values(reference: Floats, rankings: Floats, lead: Floats) -> Floats:
    """Return the two-sided p-value of every tau; rankings with the same lead and the same ties have the same."""
    from scipy.stats import kendalltau

    known: dict[tuple[float, ...], float] = {}
    values = np.empty(len(lead))
    for place, ranking in enumerate(rankings.T):
        sizes = np.bincount(ranking.astype(int))
        key = (float(lead[place]), *sorted(sizes[sizes > 1].tolist()))
        if key not in known:
            known[key] = float(kendalltau(reference, ranking).pvalue) if sizes.max() < len(ranking) else float("nan")
        values[place] = known[key]
    return values
