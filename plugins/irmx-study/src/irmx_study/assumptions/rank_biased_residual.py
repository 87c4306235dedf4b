"""The residual of rank-biased precision: how much of a value unjudged documents could add."""

from __future__ import annotations

import ir_measures
import numpy as np

from irmx import Rankings
from irmx.ragged import Bools, Floats

PERSISTENCE = 0.8
"""The persistence p of RBP by default, in ir_measures and in irmx."""


def is_rank_biased(measure: ir_measures.Measure) -> bool:
    """Tell whether a measure is rank-biased precision."""
    return str(measure.NAME) == "RBP"


def unjudged_residuals(measure: ir_measures.Measure, rankings: Rankings, is_unjudged: Bools) -> Floats:
    r"""Return, for every topic, the part of the residual that unjudged documents in the ranking have.

    That is :math:`(1-p) \sum_r p^{r-1}` over the ranks r of unjudged documents, up to the cutoff of the measure if it has one.

    Parameters
    ----------
    measure : Measure
        RBP, with its persistence and its cutoff.
    rankings : Rankings
        The rankings of a run.
    is_unjudged : bool array
        Whether each document of ``rankings.ranked`` is unjudged.
    """
    rank = rankings.ranked.rank
    p, cutoff = measure.params.get("p", PERSISTENCE), measure.params.get("cutoff")
    counts = is_unjudged if cutoff is None else is_unjudged & (rank <= cutoff)
    return rankings.ranked.sum(np.where(counts, (1 - p) * p ** (rank - 1.0), 0.0))


def residuals(measure: ir_measures.Measure, rankings: Rankings, is_unjudged: Bools) -> Floats:
    r"""Return, for every topic, how much larger the value would be if all documents not known to be non-relevant were relevant.

    That is :math:`(1-p) \sum_r p^{r-1} + p^d`: the unjudged documents at ranks r, and all ranks below the last of the ranking, or
    below the cutoff, d.

    Parameters
    ----------
    measure, rankings, is_unjudged
        As for :func:`unjudged_residuals`.

    References
    ----------
    A. Moffat and J. Zobel. Rank-biased precision for measurement of retrieval effectiveness. ACM TOIS 27(1), 2008.

    Examples
    --------
    >>> import irmx
    >>> rankings = irmx.rankings({"q": {"a": 1, "b": 0}}, {"q": {"a": 4.0, "x": 3.0, "b": 2.0, "y": 1.0}})
    >>> unjudged = np.isnan(rankings.ranked.grade)
    >>> residuals(irmx.parse_measure("RBP(p=0.5)"), rankings, unjudged)  # 1/4 + 1/16, and 1/16 below rank 4
    array([0.375])
    >>> residuals(irmx.parse_measure("RBP(p=0.5)@3"), rankings, unjudged)
    array([0.375])
    """
    p, cutoff = measure.params.get("p", PERSISTENCE), measure.params.get("cutoff")
    depth = rankings.ranked.count if cutoff is None else np.minimum(rankings.ranked.count, cutoff)
    return np.asarray(unjudged_residuals(measure, rankings, is_unjudged) + p ** depth.astype(float))
