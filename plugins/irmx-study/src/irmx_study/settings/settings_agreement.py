"""How far the settings of a measure rank the systems as a reference does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ir_measures

from irmx_study.settings.agreement_result import SettingsAgreement
from irmx_study.settings.scored_settings import Reference, scored_settings

if TYPE_CHECKING:
    import pandas as pd


def settings_agreement(
    results: Any, reference: Reference, measure: str | None = None, decimals: int | None = None
) -> SettingsAgreement:
    """Compare, for every setting of a measure, its ranking of the runs with that of a reference.

    Parameters
    ----------
    results : Scores, DataFrame, str or Path
        What :func:`irmx_study.sweep` returns, or the file that it writes; or scores in several settings of one measure, such as
        those of ``"MP(model=*) AP"``.
    reference : str, Measure or mapping of str to float
        A reference measure of the results, or one of the settings, by its name; or a value per run, larger for better ones.
    measure : str, optional
        The name of the measure, such as ``"MP"``, if scores have several settings of more than one.
    decimals : int, optional
        Round the means to this many decimal places before the runs are ranked; by default to 12 significant digits.

    Returns
    -------
    SettingsAgreement
        The result; see :class:`SettingsAgreement`.

    Raises
    ------
    irmx.errors.DataError
        If the reference lacks a run or gives all runs the same value, or if there is only one run.
    irmx.errors.UsageError
        If the results have no such reference.

    Examples
    --------
    >>> import irmx, irmx_study
    >>> from irmx.demo import SYSTEMS, qrels_path, run_path
    >>> runs = {system: run_path(system) for system in SYSTEMS}
    >>> scores = irmx.scores("RBP(p=0.5:0.9:5) AP", qrels_path(), runs)
    >>> agreement = irmx_study.settings_agreement(scores, "AP")
    >>> agreement.frame()[["p_", "tau", "tau_ap"]].round(3)
        p_    tau  tau_ap
    0  0.5  0.333     0.5
    1  0.6  0.333     0.5
    2  0.7  0.333     0.5
    3  0.8  0.333     0.5
    4  0.9  1.000     1.0
    >>> agreement.extremes()[["correlation", "which", "value", "p_", "settings"]].round(3)
      correlation    which  value   p_  settings
    0         tau   lowest  0.333  0.5         4
    1         tau   median  0.333  0.5         4
    2         tau  highest  1.000  0.9         1
    3      tau_ap   lowest  0.500  0.5         4
    4      tau_ap   median  0.500  0.5         4
    5      tau_ap  highest  1.000  0.9         1
    """
    settings = scored_settings(results, measure, decimals)
    return SettingsAgreement(settings, name_of(reference), settings.values_of(reference))


def name_of(reference: Reference) -> str:
    """Return the name of a reference for texts."""
    return str(reference) if isinstance(reference, (str, ir_measures.Measure)) else "the reference"


def rank_correlation_with(
    results: Any, reference: Reference, decimals: int | None = None, measure: str | None = None
) -> pd.DataFrame:
    """Return, for every setting, the correlation of its ranking of the runs with a reference.

    Parameters
    ----------
    results, reference, decimals, measure
        As in :func:`settings_agreement`.

    Returns
    -------
    DataFrame
        One row per setting: one column per parameter; Kendall's ``tau`` (tau-b) in [-1, 1], its two-sided ``p_value``; and
        the AP correlation, read from the top of the setting's ranking, with ties in the order of the runs (``tau_ap``) and by the two
        treatments of Urbano and Marrero (``tau_ap_a``, ``tau_ap_b``; see :func:`tau_ap`). If a setting gives all runs the
        same mean, they are NaN; a :class:`irmx.DataWarning` counts such settings.

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
           law  tau  p_value  tau_ap  tau_ap_a  tau_ap_b
    0  uniform  1.0      1.0     1.0       1.0       1.0
    1    first -1.0      1.0    -1.0      -1.0      -1.0
    """
    return settings_agreement(results, reference, measure, decimals).frame()
