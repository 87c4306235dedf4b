"""For which users, the settings of a measure, one system is better than another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import ir_measures

from irmx import Scores, UsageError
from irmx_study.comparison.compare import compare
from irmx_study.comparison.comparison import Comparison
from irmx_study.settings.user_populations import share_of_each
from irmx_study.settings.varied_parameters import settings_among, varied_parameters
from irmx_study.users.sensitivity_result import Sensitivity

if TYPE_CHECKING:
    import pandas as pd

SENTENCES = 5
"""How many pairs of systems are described in sentences; of more, tables have the numbers."""


def sensitivity(
    scores: Scores | pd.DataFrame,
    a: str | Iterable[str] | None = None,
    b: str | None = None,
    *,
    measure: str | None = None,
    population: Mapping[Any, float] | None = None,
    test: Any = "t",
    correction: Any = None,
    family: str = "measure",
    level: float = 0.05,
    draws: int = 10_000,
    seed: int = 0,
    tie_threshold: float = 0.0,
    progress: bool | None = None,
) -> Sensitivity:
    """Compare systems in every setting of a measure, to find for which users one is better than another.

    Parameters
    ----------
    scores : Scores or DataFrame
        The scores in several settings of one measure, such as those of ``"MP(model=*)"``; or a table that
        :meth:`irmx.Scores.from_frame` accepts. For the results of a sweep see :func:`irmx_study.scores_of_sweep`.
    a : str or iterable of str, optional
        The systems to compare with b; by default all others.
    b : str, optional
        The baseline; by default the first system. Differences are a - b.
    measure : str, optional
        The name of the measure, such as ``"MP"``, if the scores have several settings of more than one.
    population : mapping of Measure to float, optional
        The share of users of every setting, such as :func:`irmx_study.population` returns; by default all settings count the
        same. The settings are those of the population.
    test, correction, level, draws, seed, tie_threshold, progress
        As in :func:`irmx_study.compare`.
    family : {"measure", "all"}
        What is corrected together: the comparisons in each setting, so that the share of users does not depend on how fine the
        grid of settings is, or the comparisons in all settings.

    Returns
    -------
    Sensitivity
        The result; see :class:`Sensitivity`.

    Raises
    ------
    irmx.errors.UsageError
        If no measure has several settings, or for an unknown system, measure or parameter.
    irmx.errors.DataError
        If a setting has values on fewer than two topics.

    Examples
    --------
    >>> import irmx, irmx_study
    >>> from irmx.demo import SYSTEMS, qrels_path, run_path
    >>> scores = irmx.scores("MP(model=*)", qrels_path(), {system: run_path(system) for system in SYSTEMS})
    >>> sensitivity = irmx_study.sensitivity(scores, a="titles", b="bm25")
    >>> sensitivity.sentences()
    ('By MP, titles is better for 0 of 9 users, bm25 for 0; undecided for 9',)
    >>> sensitivity.rank_bands()[["system", "best", "median", "worst"]]
       system  best  median  worst
    0    bm25     2     2.0      2
    1  titles     1     1.0      1
    2  recent     3     3.0      3
    """
    if not isinstance(scores, Scores):
        scores = Scores.from_frame(scores)
    known = settings_among(scores.measures, measure)
    users = scores.select(measures=known if population is None else settings_among(list(population), measure))
    baseline = users.systems[0] if b is None else b
    systems = (
        [system for system in users.systems if system != baseline] if a is None else [a] if isinstance(a, str) else [*a]
    )
    if baseline in systems:
        raise UsageError(f"{baseline} cannot be compared with itself. Name another system.")
    compared = compare(
        users.select(systems=[baseline, *systems]), baseline, test=test, correction=correction, family=family, level=level,
        draws=draws, seed=seed, tie_threshold=tie_threshold, progress=progress,
    )  # fmt: skip
    return _of(compared, users, population)


def _of(comparison: Comparison, scores: Scores, population: Mapping[Any, float] | None = None) -> Sensitivity:
    shares = share_of_each(scores.measures, population)
    return Sensitivity(comparison, scores, varied_parameters(scores.measures), shares, population is not None)


def sensitivities(comparison: Comparison) -> list[Sensitivity]:
    """Return what a comparison says about users: one result per measure that it has in several settings.

    Nothing is computed again, so that the p-values are those of the comparison.

    Examples
    --------
    >>> import irmx, irmx_study
    >>> from irmx.demo import SYSTEMS, qrels_path, run_path
    >>> runs = {system: run_path(system) for system in SYSTEMS}
    >>> comparison = irmx_study.compare(irmx.scores("AP NCP(law=first|uniform)", qrels_path(), runs))
    >>> [one] = sensitivities(comparison)
    >>> one.measure, len(one.frame())
    ('NCP', 4)
    """
    by_name: dict[str, list[ir_measures.Measure]] = {}
    for measure in comparison.scores.measures:
        by_name.setdefault(str(measure.NAME), []).append(measure)
    found = []
    for settings in (several for several in by_name.values() if len(several) > 1):
        scores = comparison.scores.select(measures=settings)
        rows = comparison.comparisons
        rows = rows[rows["measure"].isin([str(measure) for measure in settings])]
        found.append(_of(Comparison(scores, comparison.baseline, comparison.choices, rows), scores))
    return found


def lines_on_users(comparison: Comparison) -> list[str]:
    """Return what to print below a comparison: for every measure with several settings, for how many users which system is better.

    Of many pairs of systems, only where to see it.
    """
    lines: list[str] = []
    for result in sensitivities(comparison):
        if len(comparison.comparisons) > SENTENCES * len(comparison.scores.measures):
            users = f"{result.measure} has {len(result.shares)} settings"
            lines.append(f"{users}: irmx sensitivity tells for how many of these users which run is better")
        else:
            lines += result.sentences()
    return lines
