"""How well measures tell systems apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irmx import DataError, Param, Scores, UsageError
from irmx.toolkit import progress_bar
from irmx_study.comparison.compare import compare
from irmx_study.comparison.comparisons_of_pairs import complete_values
from irmx_study.discrimination.discrimination_result import Discrimination
from irmx_study.discrimination.swap_counts import SwapCounts, count_swaps

if TYPE_CHECKING:
    import pandas as pd

_LEAST_SYSTEMS = 3
_LEAST_TOPICS = 4
"""Two for each half."""

_PARAMS = {
    "splits": Param(int, "number of random splits of the topics", low=0, high=10**7),
    "bin_width": Param(float, "width of the bins of differences", above=0),
}


def discriminate(
    scores: Scores | pd.DataFrame,
    *,
    test: Any = "t",
    correction: Any = "none",
    level: float = 0.05,
    draws: int = 10_000,
    seed: int = 0,
    tie_threshold: float = 0.0,
    splits: int = 1000,
    bin_width: float = 0.01,
    progress: bool | None = None,
) -> Discrimination:
    """Tell how well measures tell systems apart: by tests of all pairs of systems, and by halves of the topics.

    Parameters
    ----------
    scores : Scores or DataFrame
        What :func:`irmx.scores` returns, or a table that :meth:`irmx.Scores.from_frame` accepts: at least three systems.
    test : str or named object
        The significance test, as in :func:`irmx_study.compare`. ``"randomised-tukey"`` and ``"tukey"`` are of all pairs together.
    correction : str or named object
        The correction for all pairs of systems by a measure, as in :func:`irmx_study.compare`; by default none, as in the
        literature on discriminative power.
    level : float
        The level of significance, in (0, 1).
    draws, seed : int
        The number of random draws of tests that resample, at least 100; and the seed of all random numbers.
    tie_threshold : float
        The largest difference on a topic that counts as a tie in the sign test.
    splits : int
        The number of random splits of the topics into halves, the same for all measures; 0 for no swap rates.
    bin_width : float
        The width of the bins of differences for swap rates. There are 20, and one for larger differences.
    progress : bool, optional
        Whether to show progress bars; by default if standard error is a terminal and the work is long.

    Returns
    -------
    Discrimination
        The result; see :class:`Discrimination`.

    Raises
    ------
    irmx.errors.UsageError
        For fewer than three systems, or an illegal parameter.
    irmx.errors.DataError
        If a measure has values for fewer than four topics, or a value is infinite.

    References
    ----------
    .. [1] T. Sakai. Evaluating evaluation metrics based on the bootstrap. SIGIR 2006.
    .. [2] E. M. Voorhees, C. Buckley. The effect of topic set size on retrieval experiment error. SIGIR 2002.

    Examples
    --------
    >>> import irmx, irmx_study
    >>> from irmx.demo import SYSTEMS, qrels_path, run_path
    >>> scores = irmx.scores("AP P@5", qrels_path(), {system: run_path(system) for system in SYSTEMS})
    >>> discrimination = irmx_study.discriminate(scores)
    >>> discrimination.frame()[["measure", "pairs", "significant", "power", "difference_needed", "swap_rate"]].round(3)
      measure  pairs  significant  power  difference_needed  swap_rate
    0      AP      3            3    1.0              0.105      0.003
    1     P@5      3            3    1.0              0.180      0.001
    """
    splits, bin_width = (
        _PARAMS[name].check(value, name, "discriminate")
        for name, value in (("splits", splits), ("bin_width", bin_width))
    )
    if hasattr(scores, "columns"):
        scores = Scores.from_frame(scores)
    if isinstance(scores, Scores) and len(scores.systems) < _LEAST_SYSTEMS:
        raise UsageError(
            f"Discriminative power is a share of all pairs of at least {_LEAST_SYSTEMS} systems. Got {len(scores.systems)}: "
            f"{', '.join(scores.systems)}. To compare two, use irmx compare."
        )
    comparison = compare(
        scores, all_pairs=True, test=test, correction=correction, level=level, draws=draws, seed=seed,
        tie_threshold=tie_threshold, progress=progress,
    )  # fmt: skip
    swaps = _swaps(comparison.scores, splits, seed, bin_width, progress) if splits else ()
    return Discrimination(comparison, swaps, splits)


def _swaps(scores: Scores, splits: int, seed: int, width: float, progress: bool | None) -> tuple[SwapCounts, ...]:
    """Return the swaps of every measure."""
    blocks = [complete_values(scores, m) for m in range(len(scores.measures))]
    for measure, values in zip(scores.measures, blocks, strict=True):
        if len(values) < _LEAST_TOPICS:
            raise DataError(
                f"Swap rates need two topics in each half, {_LEAST_TOPICS} topics for which every system has a value of {measure}. "
                f"There are {len(values)}. Give results for more topics, or leave the swap rates out: splits 0."
            )
    with progress_bar("Splitting", splits * len(blocks), shown=progress) as advance:
        return tuple(count_swaps(values, splits, seed, width, advance) for values in blocks)
