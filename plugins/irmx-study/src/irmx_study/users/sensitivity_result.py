"""The result of a sensitivity: a comparison of systems in every setting of a measure, and what it says about users."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from irmx import Scores
from irmx.ragged import Floats
from irmx.toolkit import counted, html_result
from irmx_study.comparison.choices import Choices
from irmx_study.comparison.comparison import Comparison
from irmx_study.settings.varied_parameters import COLUMNS, VariedParameter, independent, without
from irmx_study.users.borders import borders
from irmx_study.users.rank_bands import bands

if TYPE_CHECKING:
    import pandas as pd

    from irmx_study.users.rank_bands_display import RankBandsDisplay
    from irmx_study.users.sensitivity_display import SensitivityDisplay

_NOT_SHOWN = ("effect", "letters", "W/T/L", "measures")
"""What a comparison states about columns that tables of settings do not have."""


@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity:
    """The result of :func:`irmx_study.sensitivity`: a comparison of systems in every setting of a measure.

    Attributes
    ----------
    comparison : Comparison
        The comparison in the settings, each a measure of it.
    scores : Scores
        The scores of all systems in the settings, among which systems are ranked.
    varied : tuple of VariedParameter
        The parameters in which the settings differ.
    shares : float array
        The share of users of every setting; the shares add up to 1.
    weighted : bool
        Whether the shares are those of a population, instead of equal.
    """

    comparison: Comparison
    scores: Scores
    varied: tuple[VariedParameter, ...]
    shares: Floats
    weighted: bool

    def __repr__(self) -> str:
        names = ", ".join(parameter.name for parameter in self.independent)
        return f"<Sensitivity of {self.measure} to {names}: {counted(len(self.shares), 'setting')}, {counted(len(self.scores.systems), 'system')}>"

    def _repr_html_(self) -> str:
        tables = {
            "settings by pair of systems": self.summary(),
            "ranks over all settings": self.rank_bands().sort_values("median"),
        }
        return html_result(repr(self), tables, self.facts(), self.notes)

    @property
    def measure(self) -> str:
        """The measure, without the parameters that vary."""
        return without(self.scores.measures[0], self.varied)

    @cached_property
    def independent(self) -> tuple[VariedParameter, ...]:
        """The parameters that span the settings: ``varied`` without multiples of others, such as ``SD`` where it is ``0.5*MD``."""
        return independent(self.varied)

    @property
    def choices(self) -> Choices:
        """How the systems were compared."""
        return self.comparison.choices

    @cached_property
    def settings(self) -> pd.DataFrame:
        """One row per setting: ``measure``, one column per varied parameter, and ``share``."""
        import pandas as pd

        columns = {parameter.column: parameter.cells() for parameter in self.varied}
        names = [str(measure) for measure in self.scores.measures]
        return pd.DataFrame({"measure": names, **columns, "share": self.shares})

    @cached_property
    def _rows(self) -> pd.DataFrame:
        rows = self.comparison.frame().merge(self.settings, on="measure", sort=False)
        significant = (rows["p_corrected"] <= self.choices.level) & (rows["difference"] != 0)
        rows["better"] = np.where(significant, rows["a"].where(rows["difference"] > 0, rows["b"]), "")
        return rows[["measure", *(parameter.column for parameter in self.varied), *COLUMNS[1:13]]]

    def frame(self) -> pd.DataFrame:
        """Return one row per setting and pair of systems.

        Returns
        -------
        DataFrame
            ``measure``, the setting; one column per varied parameter, with an underscore after it if another column has
            its name, such as ``p_``; ``share``, the share of users; then, as in
            :meth:`Comparison.frame`, ``a``, ``b``, ``topics``, the means, the ``difference`` a - b, its interval from ``low`` to
            ``high``, ``p``, ``p_corrected``; and ``better``, the system that is significantly better, empty if neither is.
        """
        return self._rows.copy()

    def summary(self) -> pd.DataFrame:
        """Return one row per pair of systems.

        Returns
        -------
        DataFrame
            ``a``, ``b``; for how many settings a is better, b is better, and they cannot be told apart: ``better``,
            ``worse``, ``undecided``; and the shares of users in these settings: ``share_better``, ``share_worse``,
            ``share_undecided``.
        """
        import pandas as pd

        rows = []
        for (a, b), of_pair in self._rows.groupby(["a", "b"], sort=False):
            winners = {
                "better": of_pair["better"] == a,
                "worse": of_pair["better"] == b,
                "undecided": of_pair["better"] == "",
            }
            counts = {name: int(won.sum()) for name, won in winners.items()}
            shares = {f"share_{name}": float(of_pair["share"][won].sum()) for name, won in winners.items()}
            rows.append({"a": a, "b": b, **counts, **shares})
        return pd.DataFrame(rows)

    def sentences(self) -> tuple[str, ...]:
        """Return, for each pair of systems, for how many users which is better.

        Of a population, the shares of its users are given instead.
        """
        sentences = []
        for row in self.summary().itertuples():
            if self.weighted:
                better, worse, undecided = map(_percent, (row.share_better, row.share_worse, row.share_undecided))
                better += " of the users"
            else:
                better, worse, undecided = f"{row.better} of {len(self.shares)} users", row.worse, row.undecided
            sentences.append(
                f"By {self.measure}, {row.a} is better for {better}, {row.b} for {worse}; undecided for {undecided}"
            )
        return tuple(sentences)

    def facts(self) -> dict[str, str]:
        """Return what a table of the result must state: the users, and the facts of the comparison."""
        names = " and ".join(parameter.name for parameter in self.independent)
        weights = "weighted by the shares of a population" if self.weighted else "each with the same share"
        corrected = self.choices.family == "all" and self.choices.correction.NAME != "none"
        over = "p-values corrected over them" if corrected else "p-values not corrected over them"
        users = f"{counted(len(self.shares), 'setting')} of {self.measure} by {names}, {weights}; {over}"
        facts = self.comparison.facts()
        return {"users": users, **{name: facts[name] for name in facts if name not in _NOT_SHOWN}}

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know about the data, as of a comparison."""
        return self.comparison.notes

    def border(self) -> pd.DataFrame:
        """Return where along each ordered parameter, the others fixed, the better system changes.

        Returns
        -------
        DataFrame
            One row per pair of neighbouring settings between which the sign of the difference, or the system that is
            significantly better, changes: ``a``, ``b``, the ``parameter``, its values ``lower`` and ``upper``, the values of the
            other parameters, ``sign`` and ``significance`` (whether each changes), and at both settings the ``difference`` and
            which system is ``better``, with the suffixes ``_lower`` and ``_upper``.
        """
        return borders(self._rows, self.independent)

    def rank_bands(self) -> pd.DataFrame:
        """Return the best, median and worst rank of every system over all users.

        In every setting the systems are ranked by their means over topics, as in :func:`irmx_study.best_settings`: the largest
        mean has rank 1, and systems with equal means share the smallest of their ranks.

        Returns
        -------
        DataFrame
            One row per system, in the order of the scores: ``system``, ``best``, ``median``, ``worst``; ``first``, the share of
            users for whom it has rank 1; ``best_setting`` and ``worst_setting``, the measures that give it its best
            and worst rank: those with its largest and smallest mean, and of those the first.
        """
        return bands(self.scores, self.shares)

    def plot(self, ax: Any = None) -> SensitivityDisplay:
        """Draw the differences: a line or dots for one varied parameter, heat maps for two and three; for several systems, shares.

        Returns
        -------
        SensitivityDisplay
            The display, with ``ax_`` and ``figure_``.
        """
        from irmx_study.users.sensitivity_display import SensitivityDisplay

        return SensitivityDisplay(self._rows, self.summary(), self.independent, self.measure, self.choices.level).plot(
            ax
        )

    def plot_rank_bands(self, ax: Any = None) -> RankBandsDisplay:
        """Draw the band of ranks of every system over all users.

        Returns
        -------
        RankBandsDisplay
            The display, with ``ax_`` and ``figure_``.
        """
        from irmx_study.users.rank_bands_display import RankBandsDisplay

        return RankBandsDisplay(self.rank_bands(), self.measure, len(self.shares)).plot(ax)


def _percent(share: float) -> str:
    return f"{100 * share:.1f}%"
