"""For which users, the settings of a measure, a conclusion holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from irmx import Scores, UsageError
from irmx.ragged import Array, Bools, Floats
from irmx.toolkit import html_result
from irmx_study.pictures.ticks import number_text
from irmx_study.settings.agreement_result import SettingsAgreement
from irmx_study.settings.scored_settings import Reference, ScoredSettings, scored_settings
from irmx_study.settings.settings_agreement import name_of
from irmx_study.settings.statements import Statement, parse_statement
from irmx_study.settings.user_populations import share_of_each

if TYPE_CHECKING:
    import pandas as pd


def conclusion(
    results: Any,
    statement: str,
    reference: Reference | None = None,
    *,
    measure: str | None = None,
    population: Mapping[Any, float] | None = None,
    decimals: int | None = None,
) -> Conclusion:
    """Find for which users, the settings of a measure, a conclusion holds.

    Parameters
    ----------
    results : Scores, DataFrame, str or Path
        What :func:`irmx_study.sweep` returns, or the file that it writes; or scores in several settings of one measure.
    statement : str
        The conclusion: ``"tau < 0.9"``, the rank correlation of the setting with the reference (also ``tau_ap``,
        ``tau_ap_a``, ``tau_ap_b``); ``"A > B"``, the mean of run A is larger than that of run B; or ``"rank A <= 3"``, where runs
        with equal means share the smallest of their ranks. The operators are <, <=, >, >=.
    reference : str, Measure or mapping of str to float, optional
        As in :func:`settings_agreement`; correlations need it.
    measure : str, optional
        The name of the measure, if scores have several settings of more than one.
    population : mapping of Measure to float, optional
        The share of users of every setting, such as :func:`irmx_study.population` returns; by default all settings count the
        same. The settings are those of the population.
    decimals : int, optional
        Round the means to this many decimal places before the runs are ranked; by default to 12 significant digits.

    Returns
    -------
    Conclusion
        The result; see :class:`Conclusion`.

    Raises
    ------
    irmx.errors.UsageError
        If the statement has another form or names no run, or a correlation is stated without a reference.
    irmx.errors.DataError
        If the results have no settings.

    Notes
    -----
    Whether the mean of a run is larger is not whether the difference is significant, for which see
    :func:`irmx_study.sensitivity`.

    Examples
    --------
    >>> import irmx, irmx_study
    >>> from irmx.demo import SYSTEMS, qrels_path, run_path
    >>> runs = {system: run_path(system) for system in SYSTEMS}
    >>> scores = irmx.scores("RBP(p=0.5:0.9:5,rel=1|2) AP", qrels_path(), runs)
    >>> found = irmx_study.conclusion(scores, "tau < 1", "AP")
    >>> found.sentences()
    ('tau < 1 with AP holds for 9 of 10 settings of RBP', 'By p: from 50.0% at 0.9 to 100.0% at 0.5')
    >>> irmx_study.conclusion(scores, "rank bm25 <= 1").share
    1.0
    """
    if population is not None:
        if not isinstance(results, Scores):
            raise UsageError(
                "A population has the settings to score. Give scores of these instead of the results of a sweep."
            )
        others = [one for one in results.measures if str(one) not in set(map(str, population))]
        results = results.select(measures=[*population, *others])
    settings = scored_settings(results, measure, decimals)
    shares = share_of_each(settings.scores.measures, population)
    stated = parse_statement(statement, settings.systems)
    if stated.kind != "correlation":
        return Conclusion(settings, stated, "", _values(settings, stated), shares, population is not None)
    if reference is None:
        raise UsageError(f"'{stated}' is about the correlation with a reference. Name the reference.")
    agreement = SettingsAgreement(settings, name_of(reference), settings.values_of(reference))
    values = agreement.correlations[stated.left]
    return Conclusion(settings, stated, agreement.reference, values, shares, population is not None)


def _values(settings: ScoredSettings, statement: Statement) -> Array:
    """Return the difference of two runs, or the rank of one, in every setting."""
    places = {system: place for place, system in enumerate(settings.systems)}
    if statement.kind == "rank":
        ranks: Array = settings.ranks[places[statement.left]]
        return ranks
    difference: Array = settings.means[places[statement.left]] - settings.means[places[str(statement.right)]]
    return difference


@dataclass(frozen=True, eq=False, repr=False)
class Conclusion:
    """For which settings of a measure a conclusion holds; :func:`irmx_study.conclusion` finds it.

    Attributes
    ----------
    settings : ScoredSettings
        The settings.
    statement : Statement
        The conclusion.
    reference : str
        The name of the reference, empty if the conclusion needs none.
    values : array
        In every setting, what the conclusion is about: the correlation, the difference of the means, or the rank; NaN where
        the setting gives all runs the same mean, so that there is no correlation.
    shares : float array
        The share of users of every setting; the shares add up to 1.
    weighted : bool
        Whether the shares are those of a population, instead of equal.
    """

    settings: ScoredSettings
    statement: Statement
    reference: str
    values: Array
    shares: Floats
    weighted: bool

    def __repr__(self) -> str:
        return f"<Conclusion: {self.sentences()[0]}>"

    def _repr_html_(self) -> str:
        table = self.by_parameter()
        table["value"] = [number_text(value) for value in table["value"]]
        return html_result(". ".join(self.sentences()), {"by the value of each parameter": table})

    @cached_property
    def holds(self) -> Bools:
        """Whether it holds, for every setting; where the correlation is undefined, it does not."""
        holds: Bools = self.statement.holds(self.values) & ~self.undefined
        return holds

    @property
    def undefined(self) -> Bools:
        """Whether the correlation is undefined, for every setting."""
        undefined: Bools = np.isnan(np.asarray(self.values, dtype=float))
        return undefined

    @property
    def share(self) -> float:
        """The share of users for whom it holds."""
        return float(self.shares[self.holds].sum())

    def frame(self) -> pd.DataFrame:
        """Return one row per setting.

        Returns
        -------
        DataFrame
            One column per parameter; ``share``, the share of users, of a population; the ``tau``, another correlation, the
            ``difference`` of the means, or the ``rank``; and ``holds``.
        """
        import pandas as pd

        name = self.statement.left if self.statement.kind == "correlation" else self.statement.kind
        share = {"share": self.shares} if self.weighted else {}
        columns = pd.DataFrame({**share, name: self.values, "holds": self.holds})
        return pd.concat([self.settings.columns, columns], axis=1)

    def by_parameter(self) -> pd.DataFrame:
        """Return for which share of users it holds, by each value of each parameter.

        Returns
        -------
        DataFrame
            One row per value of a parameter that varies: ``parameter``, ``value``, the number of ``settings`` with it,
            in how many the conclusion ``holds``, and the ``share`` of their users for whom it does. The parameter by which the share
            varies most comes first.
        """
        import pandas as pd

        tables = sorted(self._tables, key=_spread, reverse=True)
        return pd.DataFrame([row for table in tables for row in table])

    @cached_property
    def _tables(self) -> list[list[dict[str, Any]]]:
        tables = []
        for parameter in self.settings.varied:
            cells = np.array([str(cell) for cell in parameter.cells()])
            rows = []
            for value in parameter.axis():
                at = cells == str(value)
                of_value = float(self.shares[at].sum())
                share = float(self.shares[at & self.holds].sum()) / of_value if of_value else float("nan")
                rows.append(
                    {
                        "parameter": parameter.name,
                        "value": value,
                        "settings": int(at.sum()),
                        "holds": int((at & self.holds).sum()),
                        "share": share,
                    }
                )
            tables.append(rows)
        return tables

    def sentences(self) -> tuple[str, ...]:
        """Return for how many settings it holds; and, if for some only, by the values of the parameter that matters most."""
        count, all_of_them = int(self.holds.sum()), len(self.holds)
        about = f"{self.statement}{f' with {self.reference}' * bool(self.reference)}"
        users = f"{_percent(self.share)} of the users of" if self.weighted else f"{count} of {all_of_them} settings of"
        undefined = int(self.undefined.sum())
        rest = f"; in {undefined} all runs are equal, so that it is undefined" * bool(undefined)
        sentences = [f"{about} holds for {users} {self.settings.name}{rest}"]
        rows = max(self._tables, key=_spread, default=[])
        if 0 < count < all_of_them and _spread(rows) > 0:
            ordered = sorted((row for row in rows if row["share"] == row["share"]), key=lambda row: -row["share"])
            low, high = (
                f"{_percent(row['share'])} at {number_text(row['value'])}" for row in (ordered[-1], ordered[0])
            )
            sentences.append(f"By {rows[0]['parameter']}: from {low} to {high}")
        return tuple(sentences)


def _spread(rows: list[dict[str, Any]]) -> float:
    shares = [row["share"] for row in rows if row["share"] == row["share"]]
    return round(max(shares) - min(shares), 12) if shares else 0.0


def _percent(share: float) -> str:
    return f"{100 * share:.1f}%"
