"""Which of several systems is better, by how much, and how sure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from irmx import Scores, UsageError
from irmx_study.comparison.choices import Choices
from irmx_study.comparison.comparison import Comparison
from irmx_study.comparison.comparisons_of_pairs import comparisons_of
from irmx_study.comparison.pairs_of_systems import all_pairs_of, baselines_of, pairs_with

if TYPE_CHECKING:
    import pandas as pd


def compare(
    scores: Scores | pd.DataFrame,
    baseline: str | Iterable[str] | None = None,
    *,
    all_pairs: bool = False,
    test: Any = "t",
    correction: Any = None,
    family: str = "measure",
    level: float = 0.05,
    interval: str = "t",
    draws: int = 10_000,
    seed: int = 0,
    tie_threshold: float = 0.0,
    progress: bool | None = None,
) -> Comparison:
    """Compare systems by their values on the same topics.

    Parameters
    ----------
    scores : Scores or DataFrame
        What :func:`irmx.scores` returns, or a table that :meth:`irmx.Scores.from_frame` accepts, such as the result of
        ``pt.Experiment(..., perquery=True)``.
    baseline : str or iterable of str, optional
        The systems that all others are compared with; by default the first. Several form one family. PyTerrier sorts the systems
        of an experiment by name: name the baseline.
    all_pairs : bool
        Whether to compare all pairs of systems instead.
    test : str or named object
        The significance test: ``"t"``, ``"permutation"``, ``"bootstrap"``, ``"wilcoxon"``, ``"sign"``, ``"tukey"``,
        ``"randomised-tukey"``, or one that a plugin registered. All tests are two-sided and paired by topic.
    correction : str or named object, optional
        The correction for several comparisons: ``"holm"``, ``"bonferroni"``, ``"hommel"``, ``"bh"``, ``"maxt"``, ``"none"``, or
        one that a plugin registered. By default Holm's if there are several comparisons, and none for the two tests named
        after Tukey, which are of all pairs together.
    family : {"measure", "all"}
        What is corrected together: the comparisons of each measure, or those of all measures.
    level : float
        The level of significance, in (0, 1); intervals cover 1 - level.
    interval : {"t", "bca"}
        The interval of the mean difference: that of the t test, or the bias-corrected and accelerated bootstrap. Tukey's test
        has its own, simultaneous intervals.
    draws : int
        The number of random draws of tests that resample, at least 100.
    seed : int
        Their seed; the same seed gives the same numbers.
    tie_threshold : float
        The largest difference on a topic that counts as a tie.
    progress : bool, optional
        Whether to show a progress bar; by default if standard error is a terminal and the work is long.

    Returns
    -------
    Comparison
        The result; see :class:`Comparison`.

    Raises
    ------
    irmx.errors.UsageError
        For an unknown baseline, an illegal parameter, or fewer than two systems.
    irmx.errors.DataError
        If a measure has values for fewer than two topics, or a value is infinite.

    Notes
    -----
    What is compared are means over topics, also for measures of which ``irmx eval`` prints the sum, such as NumRel. A win is a
    topic for which the value of ``a`` is larger: for a measure of which less is better, such as TS_Verbosity, it is a loss.

    Examples
    --------
    >>> import irmx, irmx_study
    >>> from irmx.demo import SYSTEMS, qrels_path, run_path
    >>> scores = irmx.scores("AP", qrels_path(), {system: run_path(system) for system in SYSTEMS})
    >>> comparison = irmx_study.compare(scores, baseline="bm25")
    >>> comparison.frame()[["a", "b", "difference", "p", "p_corrected"]].round(4)
            a     b  difference       p  p_corrected
    0  titles  bm25     -0.2734  0.0000       0.0000
    1  recent  bm25     -0.1684  0.0003       0.0003
    """
    if not isinstance(scores, Scores):
        if not hasattr(scores, "columns"):
            raise UsageError(f"A comparison is of irmx.Scores, or of a DataFrame. Got {type(scores).__name__} instead.")
        scores = Scores.from_frame(scores)
    if len(scores.systems) < 2:
        raise UsageError(f"A comparison needs two systems. There is one: {', '.join(scores.systems)}.")
    if all_pairs and baseline is not None:
        raise UsageError("A comparison is of all pairs, or with a baseline. Give one of the two.")
    baselines = () if all_pairs else baselines_of(baseline, scores.systems)
    first, second = all_pairs_of(len(scores.systems)) if all_pairs else pairs_with(baselines, scores.systems)
    choices = Choices.of(
        len(first) * (len(scores.measures) if family == "all" else 1),
        test=test, correction=correction, family=family, level=level, interval=interval, draws=draws, seed=seed,
        tie_threshold=tie_threshold,
    )  # fmt: skip
    frame = comparisons_of(scores, first, second, choices, progress)
    return Comparison(scores, baselines, choices, frame)
