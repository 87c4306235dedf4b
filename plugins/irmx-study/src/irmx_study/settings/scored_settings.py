"""A measure in several settings: the means and ranks of the systems in each, and the values of a reference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import ir_measures
import numpy as np

from irmx import DataError, Measure, Scores, UsageError
from irmx.ragged import Floats, Ints
from irmx.toolkit import counted, some, suggest
from irmx_study.rank_correlation.comparable_means import comparable_means, rounded
from irmx_study.settings.sweep_scores import parameter_columns, parameter_of, scores_and_parameters
from irmx_study.settings.varied_parameters import (
    VariedParameter,
    independent,
    settings_among,
    varied_parameters,
    without,
)
from irmx_study.sweeping.results import read_results

if TYPE_CHECKING:
    import pandas as pd

Reference = str | ir_measures.Measure | Mapping[str, float]
"""A measure of the results, a setting among them, or a value per system."""


@dataclass(frozen=True, eq=False)
class ScoredSettings:
    """The scores of systems in several settings of a measure, and by other measures.

    Attributes
    ----------
    scores : Scores
        The scores, each measure a setting.
    others : Scores or None
        The scores of the same systems by the other measures, the references.
    columns : DataFrame
        One row per setting, and the columns of tables: one per parameter.
    varied : tuple of VariedParameter
        The parameters that vary independently.
    decimals : int or None
        The decimal places to which means are rounded; see :func:`irmx_study.comparable_means`.
    """

    scores: Scores
    others: Scores | None
    columns: pd.DataFrame
    varied: tuple[VariedParameter, ...]
    decimals: int | None = None

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return self.scores.systems

    @property
    def name(self) -> str:
        """The measure, without the parameters that vary."""
        measure = self.scores.measures[0]
        return without(measure, self.varied) if isinstance(measure, Measure) else str(measure).partition("(")[0]

    @cached_property
    def means(self) -> Floats:
        """The comparable means, shape (systems, settings)."""
        return comparable_means(self.scores, self.decimals)

    @cached_property
    def ranks(self) -> Ints:
        """The ranks of the systems, shape (systems, settings)."""
        return ranks_of(self.means)

    def place_of(self, setting: str | ir_measures.Measure) -> int:
        """Return the place of a setting.

        Raises
        ------
        irmx.errors.UsageError
            If it is not among the settings.
        """
        [measure] = self.scores.select(measures=[setting]).measures
        return [str(one) for one in self.scores.measures].index(str(measure))

    def values_of(self, reference: Reference) -> Floats:
        """Return the values of a reference by system.

        Raises
        ------
        irmx.errors.UsageError
            If there is no such measure.
        irmx.errors.DataError
            If the reference lacks a system, or gives all systems the same value.
        """
        if isinstance(reference, Mapping):
            lacking = [system for system in self.systems if system not in reference]
            if lacking:
                raise DataError(
                    f"The reference has no value for the run {lacking[0]!r} ({len(lacking)} of "
                    f"{counted(len(self.systems), 'run')})."
                )
            values = rounded(np.array([float(reference[system]) for system in self.systems]))
        else:
            values = self._means_of(reference)
        if len(set(values.tolist())) < 2:
            raise DataError(
                "A correlation needs runs with different values. The reference gives "
                f"{float(values[0])!r} to all of {counted(len(self.systems), 'run')}."
            )
        return values

    def _means_of(self, reference: str | ir_measures.Measure) -> Floats:
        for scores in (self.others, self.scores):
            try:
                of_reference = None if scores is None else scores.select(measures=[reference])
            except UsageError:
                continue
            if of_reference is not None:
                return comparable_means(of_reference, self.decimals)[:, 0]
        known = [str(measure) for measure in (self.others.measures if self.others is not None else ())]
        raise UsageError(
            f"The results have no reference {str(reference)!r}.{suggest(str(reference), known)} They have: "
            f"{some(known, 20) or 'none'}. A setting may be the reference, too, such as {self.scores.measures[0]}."
        )


def scored_settings(results: Any, measure: str | None = None, decimals: int | None = None) -> ScoredSettings:
    """Return the settings of a measure in results.

    Parameters
    ----------
    results : Scores, DataFrame, str or Path
        Scores in several settings of one measure, such as those of ``"MP(model=*)"``; or results of a sweep, as
        :func:`irmx_study.sweep` returns or writes them.
    measure : str, optional
        The name of the measure, such as ``"MP"``, if scores have several settings of more than one.
    decimals : int, optional
        The decimal places to which means are rounded before they are compared.

    Raises
    ------
    irmx.errors.DataError
        If the results of a sweep have no settings, or a system has no value in one.
    irmx.errors.UsageError
        If the scores do not have several settings of one measure.
    """
    import pandas as pd

    if isinstance(results, Scores):
        settings = settings_among(results.measures, measure)
        varied = varied_parameters(settings)
        columns = pd.DataFrame({parameter.column: parameter.cells() for parameter in varied})
        return _scored(results, settings, columns, varied, decimals)
    frame = read_results(results)
    if not frame[parameter_columns(frame)].notna().any(axis=None):
        raise DataError("The results have no settings: no column of a parameter with values before the column value.")
    scores, parameters = scores_and_parameters(frame)
    swept = parameters.notna().any(axis=1)
    settings = [one for one, of_sweep in zip(scores.measures, swept, strict=True) if of_sweep]
    columns = parameters[swept].reset_index(drop=True).infer_objects()
    return _scored(scores, settings, columns, _varied(settings, columns), decimals)


def _scored(
    scores: Scores,
    settings: Sequence[ir_measures.Measure],
    columns: pd.DataFrame,
    varied: Sequence[VariedParameter],
    decimals: int | None,
) -> ScoredSettings:
    names = set(map(str, settings))
    rest = [one for one in scores.measures if str(one) not in names]
    others = scores.select(measures=rest) if rest else None
    return ScoredSettings(scores.select(measures=settings), others, columns, independent(varied), decimals)


def _varied(settings: Sequence[ir_measures.Measure], columns: pd.DataFrame) -> Sequence[VariedParameter]:
    """Return the parameters that vary; of a measure that no plugin has, the columns of the results."""
    if isinstance(settings[0], Measure):
        return varied_parameters(settings)
    several = [name for name in columns if columns[name].nunique() > 1]
    return [VariedParameter(parameter_of(name), tuple(columns[name].tolist()), None) for name in several]


def ranks_of(means: Floats) -> Ints:
    """Return ranks of shape (systems, settings): the largest mean has rank 1, equal means share the smallest of their ranks.

    >>> ranks_of(np.array([[3.0], [1.0], [3.0], [2.0]])).ravel().tolist()
    [1, 4, 1, 3]
    """
    from scipy.stats import rankdata

    ranks: Ints = rankdata(-means, method="min", axis=0).astype(int)
    return ranks
