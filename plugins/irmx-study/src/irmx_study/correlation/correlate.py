"""How far measures rank the same systems alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from irmx import DataError, Param, Scores, UsageError
from irmx_study.correlation.agreement_of_measures import Agreement
from irmx_study.correlation.ranked_measures import ranked_measures
from irmx_study.rank_correlation.comparable_means import check_decimals
from irmx_study.rank_correlation.rank_biased_overlap import check_overlap

if TYPE_CHECKING:
    import ir_measures
    import pandas as pd

FEWEST_RESAMPLES = 100
"""Quantiles of fewer resamples are not worth printing."""

_PARAMS = {
    "resamples": Param(int, "number of resamples of the topics", low=0, high=10**6),
    "seed": Param(int, "seed of the resamples", low=0, high=2**63 - 1),
}


def correlate(
    scores: Scores | pd.DataFrame,
    reference: str | ir_measures.Measure | None = None,
    *,
    decimals: int | None = None,
    rbo_p: float = 0.9,
    rbo_ties: str = "b",
    resamples: int = 1000,
    seed: int = 0,
    level: float = 0.05,
    progress: bool | None = None,
) -> Agreement:
    """Compare measures as rankings of systems: how far do they put the same systems into the same order.

    Every measure ranks the systems by their means over topics. The result has, for pairs of measures, Kendall's tau-b, the AP
    correlation with three treatments of ties, rank-biased overlap, Spearman's and Pearson's correlations; how stable tau is under
    resampling of topics; and the agreement topic by topic.

    Parameters
    ----------
    scores : Scores or DataFrame
        The scores of several systems by several measures, or settings of one, such as those of ``"MP(model=*)"``; or a table
        that :meth:`irmx.Scores.from_frame` accepts.
    reference : str or Measure, optional
        The measure to correlate all others with; by default all pairs are.
    decimals : int, optional
        Round the means to this many decimal places first, as studies that start from printed values do; by default to 12
        significant digits, so that only equal means are tied.
    rbo_p : float
        The persistence of rank-biased overlap, in (0, 1).
    rbo_ties : {"b", "a", "w"}
        Its treatment of ties; see :func:`irmx_study.rbo`. By default a ranking agrees fully with itself, as by tau-b.
    resamples : int
        The number of resamples of topics, from 100 to a million; or 0 for none.
    seed : int
        Their seed, at least 0; the same seed gives the same numbers.
    level : float
        The share of resamples outside the range of stability, in (0, 1).
    progress : bool, optional
        Whether to show a progress bar; by default if standard error is a terminal and the work is long.

    Returns
    -------
    Agreement
        The result; see :class:`Agreement`. Resamples and topics are computed when they are asked for.

    Raises
    ------
    irmx.errors.UsageError
        If there are fewer than three systems, or a measure twice; for an unknown reference or an illegal parameter.
    irmx.errors.DataError
        If a system lacks a mean, or fewer than two measures rank the systems: those that give all of them the same mean, or have
        no value, are left out, which a note says.

    References
    ----------
    .. [1] M. G. Kendall. The treatment of ties in ranking problems. Biometrika 33 (3), 1945.
    .. [2] E. Yilmaz, J. A. Aslam, S. Robertson. A new rank correlation coefficient for information retrieval. SIGIR 2008.
    .. [3] J. Urbano, M. Marrero. The treatment of ties in AP correlation. ICTIR 2017.
    .. [4] M. Corsi, J. Urbano. The treatment of ties in rank-biased overlap. SIGIR 2024.

    Examples
    --------
    >>> import irmx
    >>> from irmx.demo import SYSTEMS, qrels_path, run_path
    >>> scores = irmx.scores("AP P@5 RR", qrels_path(), {system: run_path(system) for system in SYSTEMS})
    >>> agreement = correlate(scores)
    >>> agreement.frame()[["a", "b", "systems", "tau", "tau_ap", "spearman"]].round(4)
         a    b  systems     tau  tau_ap  spearman
    0   AP  P@5        3  0.3333     0.5       0.5
    1   AP   RR        3  0.3333     0.5       0.5
    2  P@5   RR        3  1.0000     1.0       1.0
    >>> agreement.matrix("tau").loc["AP", "P@5"].round(4).item()
    0.3333
    """
    if not isinstance(scores, Scores):
        scores = Scores.from_frame(scores)
    check_parameters(decimals, rbo_p, rbo_ties, resamples, seed, level)
    named = None if reference is None else str(scores.select(measures=[reference]).measures[0])
    ranked, means, left_out = ranked_measures(scores, decimals)
    names = [str(measure) for measure in ranked.measures]
    if named is not None and named not in names:
        raise DataError(f"The reference {named} does not rank the systems: {'; '.join(left_out)}.")
    if len(names) < 2:
        why = f" {'; '.join(left_out)}.".replace("left", "Left", 1) if left_out else ""
        raise DataError(f"Agreement needs at least two measures that rank the systems. There is one, {names[0]}.{why}")
    return Agreement(ranked, means, named, decimals, rbo_p, rbo_ties, resamples, seed, level, left_out, progress)


def check_parameters(
    decimals: int | None, rbo_p: float, rbo_ties: str, resamples: int, seed: int, level: float
) -> None:
    """Raise a UsageError for an illegal parameter of :func:`correlate`."""
    check_decimals(decimals)
    check_overlap(rbo_p, rbo_ties)
    for name, value in (("resamples", resamples), ("seed", seed)):
        _PARAMS[name].check(value, name, "correlate")
    if resamples != 0 and resamples < FEWEST_RESAMPLES:
        raise UsageError(
            f"The stability of tau needs at least {FEWEST_RESAMPLES} resamples of the topics, or 0 for none. Got {resamples}."
        )
    if not 0 < level < 1:
        raise UsageError(f"The level is the share of resamples outside the range, in (0, 1). Got {level!r} instead.")
