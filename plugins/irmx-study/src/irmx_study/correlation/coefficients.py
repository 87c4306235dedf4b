"""The coefficients of agreement, by the names of their columns."""

from __future__ import annotations

from irmx import UsageError
from irmx.ragged import Floats
from irmx.toolkit import suggest
from irmx_study.rank_correlation.kendall import kendall_taus
from irmx_study.rank_correlation.linear_correlation import pearson_correlations, spearman_correlations
from irmx_study.rank_correlation.rank_biased_overlap import rank_biased_overlaps
from irmx_study.rank_correlation.tau_ap import tau_aps

COEFFICIENTS = {
    "tau": "Kendall's tau-b",
    "tau_ap_a": "tau_AP,a",
    "tau_ap_b": "tau_AP,b",
    "tau_ap": "tau_AP",
    "rbo": "RBO",
    "spearman": "Spearman's rho",
    "pearson": "Pearson's r",
}
"""What the columns are called in a text."""

DIRECTED = ("tau_ap_a", "tau_ap")
"""The coefficients that depend on which of two measures is the reference."""


def matrix_of(coefficient: str, means: Floats, rbo_p: float, rbo_ties: str) -> Floats:
    """Return a coefficient for all pairs of measures.

    Parameters
    ----------
    coefficient : str
        One of :data:`COEFFICIENTS`.
    means : float array, shape (systems, measures)
        The mean of every system by every measure, such that equal ones are tied.
    rbo_p, rbo_ties
        The persistence and the treatment of ties of rank-biased overlap.

    Returns
    -------
    float array, shape (measures, measures)
        A row per reference, a column per other measure.
    """
    if coefficient == "tau":
        return kendall_taus(means)
    if coefficient.startswith("tau_ap"):
        return tau_aps(means, means, coefficient.removeprefix("tau_ap").removeprefix("_") or "order")
    if coefficient == "rbo":
        overlaps: Floats = rank_biased_overlaps(means, rbo_p, rbo_ties).extrapolated
        return overlaps
    return spearman_correlations(means) if coefficient == "spearman" else pearson_correlations(means)


def check_coefficient(coefficient: str) -> None:
    """Raise a UsageError for an unknown coefficient."""
    if coefficient not in COEFFICIENTS:
        near = suggest(coefficient, COEFFICIENTS)
        raise UsageError(f"There is no coefficient {coefficient!r}.{near} Known: {', '.join(COEFFICIENTS)}.")
