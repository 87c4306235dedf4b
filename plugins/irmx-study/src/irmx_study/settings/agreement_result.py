"""The result of a comparison of settings with a reference: correlations, extremes, pictures."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import ir_measures
import numpy as np

from irmx import DataWarning, UsageError
from irmx.ragged import Floats, Ints
from irmx.toolkit import counted, html_result, suggest
from irmx_study.settings.rankings_against import CORRELATIONS, correlations_with
from irmx_study.settings.scored_settings import ScoredSettings

if TYPE_CHECKING:
    import pandas as pd

    from irmx_study.pictures.systems_scatter import SystemsScatter
    from irmx_study.settings.agreement_display import AgreementDisplay

EXTREMES = ("lowest", "median", "highest")


@dataclass(frozen=True, eq=False, repr=False)
class SettingsAgreement:
    """How far the settings of a measure rank the runs as a reference does; :func:`irmx_study.settings_agreement` computes it.

    Attributes
    ----------
    settings : ScoredSettings
        The settings, with the means and ranks of the runs.
    reference : str
        The name of the reference.
    values : float array
        Its value of every run.
    """

    settings: ScoredSettings
    reference: str
    values: Floats

    def __repr__(self) -> str:
        count = len(self.settings.scores.measures)
        return f"<Agreement of {count} settings of {self.settings.name} with {self.reference}>"

    def _repr_html_(self) -> str:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)  # the note says the same
            tables = {"extremes": self.extremes(), "settings": self.frame()}
        constant = int(np.isnan(self.correlations["tau"]).sum())
        notes = [f"{counted(constant, 'setting')} without a tau, giving all runs the same value"] if constant else []
        return html_result(repr(self), tables, notes=notes)

    @cached_property
    def correlations(self) -> dict[str, Floats]:
        """The correlations of all settings, by name."""
        return correlations_with(self.values, self.settings.means)

    def frame(self) -> pd.DataFrame:
        """Return one row per setting.

        Returns
        -------
        DataFrame
            One column per parameter, ``tau``, ``p_value``, ``tau_ap``, ``tau_ap_a``, ``tau_ap_b``, as in
            :func:`rank_correlation_with`.

        Warns
        -----
        irmx.DataWarning
            If a setting gives all runs the same mean.
        """
        import pandas as pd

        self.warn_of_constant()
        return pd.concat([self.settings.columns, pd.DataFrame(self.correlations)], axis=1)

    def warn_of_constant(self) -> None:
        """Warn of the settings whose correlations are undefined."""
        constant = int(np.isnan(self.correlations["tau"]).sum())
        if constant:
            warnings.warn(
                f"{constant} of {len(self.correlations['tau'])} settings give all runs the same value; tau is undefined there (NaN)",
                DataWarning,
                stacklevel=3,
            )

    def extremes(self, correlations: Iterable[str] = ("tau", "tau_ap")) -> pd.DataFrame:
        """Return the lowest, the median and the highest correlation over the settings, with settings that give them.

        Parameters
        ----------
        correlations : iterable of str
            Of ``tau``, ``tau_ap``, ``tau_ap_a`` and ``tau_ap_b``.

        Returns
        -------
        DataFrame
            One row per correlation and one of lowest, median, highest: ``correlation``, ``which``, ``value``, one column per
            parameter with the first setting that gives the value, and ``settings``, the number of settings that do. The median of
            an even number is the lower of the two in the middle, so that it is the correlation of a setting.

        Raises
        ------
        irmx.errors.UsageError
            For an unknown correlation, or if no setting has one.

        Warns
        -----
        irmx.DataWarning
            If a setting gives all runs the same mean; it has no correlation.
        """
        import pandas as pd

        self.warn_of_constant()
        rows = []
        for name in correlations:
            for which, place in zip(EXTREMES, self.extreme_places(name), strict=True):
                value = float(self.correlations[name][place])
                count = int(np.isclose(self.correlations[name], value, rtol=0, atol=1e-12).sum())
                of_setting = self.settings.columns.iloc[place].to_dict()
                rows.append({"correlation": name, "which": which, "value": value, **of_setting, "settings": count})
        return pd.DataFrame(rows)

    def extreme_places(self, correlation: str = "tau") -> Ints:
        """Return the places of the first settings with the lowest, the (lower) median and the highest correlation."""
        values = self._of(correlation)
        defined = np.flatnonzero(~np.isnan(values))
        if not len(defined):
            raise UsageError(
                f"Every setting of {self.settings.name} gives all runs the same value, so that there is no correlation."
            )
        order = defined[np.argsort(np.round(values[defined], 12), kind="stable")]
        ordered = np.round(values[order], 12)
        at = [0, (len(order) - 1) // 2, len(order) - 1]
        places: Ints = order[np.searchsorted(ordered, ordered[at])]
        return places

    def _of(self, correlation: str) -> Floats:
        if correlation not in CORRELATIONS:
            raise UsageError(
                f"There is no correlation {correlation!r}.{suggest(correlation, CORRELATIONS)} Known: {', '.join(CORRELATIONS)}."
            )
        return self.correlations[correlation]

    def plot(self, ax: Any = None, along: Iterable[str] | None = None, correlation: str = "tau") -> AgreementDisplay:
        """Draw a correlation over the settings: a line or dots along one parameter, a heat map along two.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; by default on a new figure.
        along : iterable of str, optional
            The names of one or two parameters; by default all, and of more than two, the two along which the median of the
            correlation changes most. Over the others the median is drawn, of a line also the range.
        correlation : str
            One of ``tau``, ``tau_ap``, ``tau_ap_a``, ``tau_ap_b``.

        Returns
        -------
        AgreementDisplay
            The display, with ``ax_`` and ``figure_``.

        Raises
        ------
        irmx.errors.UsageError
            For an unknown correlation, a parameter that does not vary, or more than two.
        """
        from irmx_study.settings.agreement_display import AgreementDisplay

        self.warn_of_constant()
        names = None if along is None else [along] if isinstance(along, str) else list(along)
        title = f"{correlation} of {self.settings.name} with {self.reference}"
        return AgreementDisplay(self.settings.varied, self._of(correlation), title, names).plot(ax)

    def plot_scatter(
        self, settings: str | ir_measures.Measure | Iterable[str | ir_measures.Measure] | None = None, ax: Any = None
    ) -> SystemsScatter:
        """Draw the means of the runs in some settings against the reference, one point per run.

        Parameters
        ----------
        settings : str, Measure or iterable of them, optional
            The settings, one panel each, up to 12; by default those with the lowest, the median and the highest tau.
        ax : Axes or sequence of Axes, optional
            Where to draw, one per panel; by default on a new figure.

        Returns
        -------
        SystemsScatter
            The display, with ``ax_`` and ``figure_``.

        Raises
        ------
        irmx.errors.UsageError
            If a setting is not among the results.
        """
        from irmx_study.pictures.systems_scatter import SystemsScatter

        if settings is None:
            places = list(dict.fromkeys(self.extreme_places().tolist()))
        else:
            several = [settings] if isinstance(settings, (str, ir_measures.Measure)) else settings
            places = [self.settings.place_of(one) for one in several]
        names = [str(self.settings.scores.measures[place]) for place in places]
        means = np.column_stack([self.values, self.settings.means[:, places]])
        tau, tau_ap = (self.correlations[name][places].tolist() for name in ("tau", "tau_ap"))
        titles = [f"tau = {one:.3f}, tau_AP = {other:.3f}" for one, other in zip(tau, tau_ap, strict=True)]
        panels = [(0, i, title) for i, title in enumerate(titles, 1)]
        return SystemsScatter(means, [self.reference, *names], panels).plot(ax)
