"""For which users, the settings of a measure, one system is better than another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import ir_measures
import numpy as np

from irmx import Scores, UsageError, counted
from irmx.ragged import Floats
from irmx_study.comparison.choices import Choices
from irmx_study.comparison.compare import compare
from irmx_study.comparison.comparison import Comparison
from irmx_study.users.borders import borders
from irmx_study.users.rank_bands import bands
from irmx_study.users.user_populations import share_of_each
from irmx_study.users.varied_parameters import (
    COLUMNS,
    VariedParameter,
    independent,
    settings_among,
    varied_parameters,
    without,
)

if TYPE_CHECKING:
    import pandas as pd

    from irmx_study.users.rank_bands_display import RankBandsDisplay
    from irmx_study.users.sensitivity_display import SensitivityDisplay

SENTENCES = 5
"""How many pairs of systems are described in sentences; of more, tables have the numbers."""

_NOT_SHOWN = ("effect", "letters", "W/T/L")
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
