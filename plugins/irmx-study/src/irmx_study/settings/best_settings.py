"""The setting in which each system ranks best."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from irmx_study.settings.scored_settings import scored_settings

if TYPE_CHECKING:
    import pandas as pd


def best_settings(results: Any, measure: str | None = None, decimals: int | None = None) -> pd.DataFrame:
    """Return, for every run, the setting in which it ranks best among the runs.

    In every setting the runs are ranked by their means over topics; the largest mean has rank 1, and runs with equal means
    share the smallest of their ranks (1, 2, 2, 4). Of the settings that give a run its best rank, the one with the largest
    mean is returned, and of those the first.

    Parameters
    ----------
    results : Scores, DataFrame, str or Path
        What :func:`irmx_study.sweep` returns, or the file that it writes; or scores in several settings of one measure.
    measure : str, optional
        The name of the measure, such as ``"MP"``, if scores have several settings of more than one.
    decimals : int, optional
        Round the means to this many decimal places before the runs are ranked; by default to 12 significant digits.

    Returns
    -------
    DataFrame
        One row per run: ``run``, ``rank``, ``value`` (the mean over topics), one column per parameter, and
        ``settings``, the number of settings that give this rank.

    Raises
    ------
    irmx.errors.DataError
        If the results have no settings.

    Examples
    --------
    >>> import irmx_study
    >>> qrels = {"q": {"a": 1, "b": 1}}
    >>> runs = {"one": {"q": {"x": 3.0, "a": 2.0, "b": 1.0}}, "two": {"q": {"a": 1.0}}}
    >>> results = irmx_study.sweep("NCP", {"law": ["uniform", "first"]}, qrels, runs, jobs=1)
    >>> irmx_study.best_settings(results).round(3)
       run  rank  value      law  settings
    0  one     1  0.583  uniform         1
    1  two     1  1.000    first         1
    """
    import pandas as pd

    settings = scored_settings(results, measure, decimals)
    ranks, means = settings.ranks, settings.means
    is_best = ranks == ranks.min(axis=1, keepdims=True)
    places = np.argmax(np.where(is_best, means, -np.inf), axis=1)
    systems = np.arange(len(ranks))
    counts = pd.DataFrame({"settings": is_best.sum(axis=1)})
    values = settings.scores.means().to_numpy()[systems, places]  # not rounded, as ranks are
    by_run = pd.DataFrame({"run": settings.systems, "rank": ranks[systems, places], "value": values})
    return pd.concat([by_run, settings.columns.iloc[places].reset_index(drop=True), counts], axis=1)
