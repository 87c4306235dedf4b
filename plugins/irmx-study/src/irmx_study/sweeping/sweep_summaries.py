"""Comparisons of the runs of a sweep: the best setting of each, and the agreement with another measure."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from irmx import DataError, DataWarning, UsageError, suggest
from irmx_study.sweeping.results import read_results

if TYPE_CHECKING:
    import pandas as pd


def best_settings(results: Any) -> pd.DataFrame:
    """Return, for every run, the setting in which it ranks best among the runs.

    In every setting the runs are ranked by their means over topics; the largest mean has rank 1, and runs with equal means
    share the smallest of their ranks (1, 2, 2, 4). Of the settings that give a run its best rank, the one with the largest
    mean is returned, and of those the first.

    Parameters
    ----------
    results : DataFrame, str or Path
        What :func:`irmx_study.sweep` returns, or the file that it writes.

    Returns
    -------
    DataFrame
        One row per run: ``run``, ``rank``, ``value`` (the mean over topics), one column per swept parameter, and
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
    >>> irmx_study.best_settings(results)
       run  rank     value      law  settings
    0  one     1  0.583333  uniform         1
    1  two     1  1.000000    first         1
    """
    means, names = _means(read_results(results))
    means["rank"] = means.groupby(names, sort=False)["value"].rank(method="min", ascending=False).astype(int)
    best = means["rank"] == means.groupby("run", sort=False)["rank"].transform("min")
    chosen = means[best]
    count = chosen.groupby("run", sort=False).size()
    by_run = chosen.sort_values(["value"], ascending=False, kind="stable").drop_duplicates("run").set_index("run")
    by_run = by_run.loc[list(dict.fromkeys(means["run"]))].reset_index()
    by_run["settings"] = by_run["run"].map(count)
    return by_run[["run", "rank", "value", *names, "settings"]]


def rank_correlation_with(results: Any, reference: str | Mapping[str, float]) -> pd.DataFrame:
    """Return, for every setting, the correlation of its ranking of the runs with a reference.

    This is Kendall's tau-b between the means over topics of the runs in the setting and the values of the reference.

    Parameters
    ----------
    results : DataFrame, str or Path
        What :func:`irmx_study.sweep` returns, or the file that it writes.
    reference : str or mapping of str to float
        A reference measure of the results, by its name; or a value per run.

    Returns
    -------
    DataFrame
        One row per setting: one column per swept parameter, ``tau`` in [-1, 1], and the two-sided ``p_value``. If a setting
        gives all runs the same mean, both are NaN; a :class:`irmx.DataWarning` counts such settings.

    Raises
    ------
    irmx.errors.DataError
        If the reference lacks a run or gives all runs the same value, or if there is only one run.
    irmx.errors.UsageError
        If the results have no such reference.

    Examples
    --------
    >>> import irmx_study
    >>> qrels = {"q": {"a": 1, "b": 1}}
    >>> runs = {"one": {"q": {"x": 3.0, "a": 2.0, "b": 1.0}}, "two": {"q": {"a": 1.0}}}
    >>> results = irmx_study.sweep("NCP", {"law": ["uniform", "first"]}, qrels, runs, reference="R@3", jobs=1)
    >>> irmx_study.rank_correlation_with(results, "R@3")
           law  tau  p_value
    0  uniform  1.0      1.0
    1    first -1.0      1.0
    """
    import pandas as pd
    from scipy.stats import kendalltau

    frame = read_results(results)
    means, names = _means(frame)
    of_reference = _reference(frame, names[0], reference) if isinstance(reference, str) else dict(reference)
    runs = list(dict.fromkeys(means["run"]))
    lacking = [run for run in runs if run not in of_reference]
    if lacking:
        raise DataError(f"The reference has no value for the run {lacking[0]!r} ({len(lacking)} of {len(runs)} runs).")
    if len({of_reference[run] for run in runs}) < 2:
        raise DataError(
            f"A correlation needs runs with different values. The reference gives {of_reference[runs[0]]!r} to all "
            f"of {len(runs)} runs."
        )
    rows, constant = [], 0
    for setting, of_setting in means.groupby(names, sort=False):
        tau = p_value = float("nan")
        if of_setting["value"].nunique() < 2:
            constant += 1
        else:
            tau, p_value = kendalltau([of_reference[run] for run in of_setting["run"]], of_setting["value"])
        rows.append((*setting, float(tau), float(p_value)))
    if constant:
        warnings.warn(
            f"{constant} of {len(rows)} settings give all runs the same value; tau is undefined there (NaN)",
            DataWarning,
            stacklevel=2,
        )
    correlations = pd.DataFrame(rows, columns=[*names, "tau", "p_value"])
    return correlations.astype({name: means[name].dtype for name in names})


def _means(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Return the means over topics per setting and run, both in order of appearance, and the names of the parameters."""
    columns = list(frame.columns)
    names = columns[columns.index("measure") + 1 : columns.index("value")]
    swept = frame[frame[names[0]].notna()] if names else frame[:0]
    if swept.empty:
        raise DataError("The results have no settings: no column of a parameter with values before the column value.")
    means = swept.groupby([*names, "run"], sort=False)["value"].mean().reset_index()
    if means["value"].isna().any():
        row = means[means["value"].isna()].iloc[0]
        raise DataError(f"The run {row['run']!r} has no value for any topic in a setting of the results.")
    return means, names


def _reference(frame: pd.DataFrame, parameter: str, name: str) -> dict[str, float]:
    """Return the means over topics of a reference measure by run."""
    rows = frame[frame[parameter].isna()]
    known = list(dict.fromkeys(rows["measure"]))
    if name not in known:
        raise UsageError(
            f"The results have no reference {name!r}.{suggest(name, known)} They have: {', '.join(known) or 'none'}."
        )
    means: dict[str, float] = rows[rows["measure"] == name].groupby("run", sort=False)["value"].mean().to_dict()
    return means
