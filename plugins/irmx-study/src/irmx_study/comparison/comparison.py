"""The result of a comparison of systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from irmx import Citation, Scores, UsageError
from irmx.ragged import Bools, Ints
from irmx.toolkit import counted, some, suggest
from irmx_study.comparison.choices import Choices
from irmx_study.comparison.comparisons_of_pairs import comparisons_of, complete_values
from irmx_study.comparison.interval_display import IntervalDisplay
from irmx_study.comparison.letters import letters_of
from irmx_study.comparison.method_sentences import citations_of, sentences_of
from irmx_study.comparison.notes import notes_on
from irmx_study.comparison.pairs_of_systems import all_pairs_of
from irmx_study.comparison.paper_table import in_latex_format
from irmx_study.comparison.stated_facts import facts_of
from irmx_study.comparison.tables_for_reading import SHOWN, in_html_format, in_markdown_format
from irmx_study.comparison.topics_display import TopicsDisplay
from irmx_study.significance.t_test import t_intervals

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

SORTED_BY = ("mean", "difference", "effect", "p", "p_corrected", "system")
"""The columns that a summary can be sorted by; of these, p-values and names from the smallest."""


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """The result of :func:`irmx_study.compare`.

    Attributes
    ----------
    scores : Scores
        What was compared.
    baseline : tuple of str
        The baselines; empty if all pairs were compared.
    choices : Choices
        How: ``test``, ``correction``, ``family``, ``level``, ``interval``, ``draws``, ``seed`` and ``tie_threshold``.
    comparisons : DataFrame
        One row per comparison; see :meth:`frame`.
    """

    scores: Scores
    baseline: tuple[str, ...]
    choices: Choices
    comparisons: pd.DataFrame

    def __repr__(self) -> str:
        measures = some(map(str, self.scores.measures))
        return (
            f"<Comparison of {counted(len(self.scores.systems), 'system')} by {measures}: "
            f"{counted(len(self.comparisons), 'comparison')}, test {self.choices.test}, correction {self.choices.correction}>"
        )

    @property
    def all_pairs(self) -> bool:
        """Whether all pairs were compared, instead of every system with a baseline."""
        return not self.baseline

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know: missing and few topics, identical systems, too few draws."""
        topics = self.comparisons.groupby("measure", sort=False)["topics"].first().tolist()
        return tuple(notes_on(self.scores, topics, self.comparisons, self.identical, self.choices))

    @cached_property
    def identical(self) -> Bools:
        """Of every comparison, whether the systems have the same value on every topic; such pairs are not in the family."""
        a, b = self._places(str(self.scores.measures[0]))  # every measure compares the same pairs
        of_measures = (complete_values(self.scores, m) for m in range(len(self.scores.measures)))
        return np.concatenate([(values[:, a] == values[:, b]).all(axis=0) for values in of_measures])

    def _places(self, measure: str) -> tuple[Ints, Ints]:
        """Return the places of the systems a and b of every comparison by a measure."""
        places = {name: place for place, name in enumerate(self.scores.systems)}
        rows = self.comparisons[self.comparisons["measure"] == measure]
        return rows["a"].map(places).to_numpy(), rows["b"].map(places).to_numpy()

    def frame(self) -> pd.DataFrame:
        """Return one row per comparison.

        Returns
        -------
        DataFrame
            ``measure``; the systems ``a`` and ``b``, of which b is the baseline; the number of ``topics``; the means ``mean_a`` and
            ``mean_b``; their ``difference``, a - b, with its interval from ``low`` to ``high``; the size of the ``effect``; the
            ``statistic`` of the test, its p-value ``p`` and the corrected one, ``p_corrected``; and the number of topics that a
            wins, ties and loses.
        """
        return self.comparisons.copy()

    def summary(self, sort: str | None = None) -> pd.DataFrame:
        """Return one row per measure and system; with several baselines, one per baseline.

        Parameters
        ----------
        sort : str, optional
            The column to sort the systems of each measure by: ``"mean"``, ``"difference"`` and ``"effect"`` from the largest,
            ``"p"`` and ``"p_corrected"`` from the smallest, ``"system"`` by name; by default the order of the scores.

        Returns
        -------
        DataFrame
            ``measure``, ``system``, the ``mean`` with its t interval from ``mean_low`` to ``mean_high``; with a baseline, its name
            and the columns of :meth:`frame` from ``difference`` on, missing in the row of the baseline itself; and ``letters``:
            systems that share one cannot be told apart by tests of all pairs.

        Raises
        ------
        irmx.errors.UsageError
            For another column to sort by.
        """
        table = self.estimates(sort)
        letters = {
            (measure, system): of_system
            for measure, of_measure in self.letters.items()
            for system, of_system in zip(self.scores.systems, of_measure, strict=True)
        }
        table["letters"] = [letters[row] for row in zip(table["measure"], table["system"], strict=True)]
        return table

    def estimates(self, sort: str | None = None) -> pd.DataFrame:
        """Return :meth:`summary` without the letters, which need tests of all pairs."""
        import pandas as pd

        systems = list(self.scores.systems)
        tables = []
        for m, measure in enumerate(map(str, self.scores.measures)):
            values = complete_values(self.scores, m)
            low, high = t_intervals(values, self.choices.level)
            means = {"system": systems, "mean": values.mean(axis=0), "mean_low": low, "mean_high": high}
            table = pd.DataFrame({"measure": measure, **means})
            if not self.all_pairs:
                table = table.merge(self._differences(measure), how="left", on="system", sort=False)
            tables.append(table if sort is None else _sorted(table, sort))
        return pd.concat(tables, ignore_index=True)

    def _differences(self, measure: str) -> pd.DataFrame:
        """Return the differences of systems to baselines by a measure."""
        table = self.comparisons[self.comparisons["measure"] == measure].rename(
            columns={"a": "system", "b": "baseline"}
        )
        return table.drop(columns=["measure", "topics", "mean_a", "mean_b"])

    def pairs(self, measure: str | None = None) -> pd.DataFrame:
        """Return the corrected p-values of all pairs as a square table, missing on the diagonal and for pairs not compared.

        Parameters
        ----------
        measure : str, optional
            The measure; by default the first.
        """
        import pandas as pd

        systems, measure = self.scores.systems, self.known_measure(measure)
        table = np.full((len(systems), len(systems)), np.nan)
        a, b = self._places(measure)
        table[a, b] = table[b, a] = self.comparisons[self.comparisons["measure"] == measure]["p_corrected"]
        return pd.DataFrame(table, index=pd.Index(systems, name="a"), columns=pd.Index(systems, name="b"))

    def known_measure(self, measure: str | None) -> str:
        """Return a measure of the comparison as it prints, by default the first.

        Raises
        ------
        irmx.errors.UsageError
            For an unknown one; the message suggests the nearest.
        """
        return str(self.scores.select(measures=measure).measures[0])

    @cached_property
    def letters(self) -> dict[str, list[str]]:
        """By measure, the letters of every system: systems that share one cannot be told apart, by tests of all pairs."""
        first, second = all_pairs_of(len(self.scores.systems))
        choices = replace(self.choices, interval="t")  # no other interval is computed, because none is needed
        rows = self.comparisons if self.all_pairs else comparisons_of(self.scores, first, second, choices)
        letters = {}
        for m, measure in enumerate(map(str, self.scores.measures)):
            differ: Bools = np.zeros((len(self.scores.systems),) * 2, dtype=bool)
            of_measure = rows[rows["measure"] == measure]["p_corrected"].to_numpy()
            differ[first, second] = differ[second, first] = of_measure <= self.choices.level
            means = complete_values(self.scores, m).mean(axis=0)
            letters[measure] = letters_of(differ, np.argsort(-means, kind="stable").tolist())
        return letters

    def facts(self) -> dict[str, str]:
        """Return what a table of the comparison must state: test, family, correction, level, draws, seed, topics, versions."""
        return facts_of(self)

    # -- for reading and for papers ----------------------------------------------------------------------

    def to_markdown(self, sort: str | None = None, places: int = 4) -> str:
        """Return the tables for reading in GitHub's Markdown, with the facts and notes as a list below them.

        Parameters
        ----------
        sort : str, optional
            The column to sort the systems by; see :meth:`summary`.
        places : int
            Decimal places; -1 for all.
        """
        return in_markdown_format(self, sort, places)

    def to_html(self, sort: str | None = None, places: int = 4) -> str:
        """Return the tables for reading as a part of a page in HTML, with the facts and notes folded below them.

        :func:`irmx_study.report` makes a whole page of a comparison, with pictures.

        Parameters
        ----------
        sort : str, optional
            The column to sort the systems by; see :meth:`summary`.
        places : int
            Decimal places; -1 for all.
        """
        return in_html_format(self, sort, places)

    def _repr_html_(self) -> str:
        sort = "mean" if len(self.scores.systems) > SHOWN else None
        return in_html_format(self, sort, most=SHOWN)

    def to_latex(
        self,
        sort: str | None = None,
        places: int = 4,
        *,
        intervals: bool = True,
        caption: str | None = None,
        label: str = "tab:comparison",
    ) -> str:
        r"""Return the table of a paper: one row per system, the columns of each measure side by side.

        Significant differences are marked: a dagger for those to the first baseline, further signs for further baselines; of all
        pairs, letters. A note below the table says what the marks mean, and what was tested how. The largest mean of a measure
        is bold. The table needs the LaTeX package ``booktabs``.

        Parameters
        ----------
        sort : str, optional
            The column to sort the systems by, with its values for the first measure; see :meth:`summary`.
        places : int
            Decimal places, at least 0.
        intervals : bool
            Whether to print the difference to a single baseline with its interval; without one, the interval of the mean.
        caption : str, optional
            The caption, in LaTeX; by default the measures, and the numbers of systems and topics.
        label : str
            The label for ``\ref``.

        Examples
        --------
        >>> import irmx, irmx_study
        >>> from irmx.demo import SYSTEMS, qrels_path, run_path
        >>> scores = irmx.scores("AP", qrels_path(), {system: run_path(system) for system in SYSTEMS})
        >>> print(irmx_study.compare(scores).to_latex(places=2, intervals=False))
        % needs \usepackage{booktabs}
        ...
        \begin{tabular}{lr}
        \toprule
        system & AP \\
        \midrule
        bm25 & \textbf{0.50} \\
        titles & 0.23$^{\dagger}$ \\
        recent & 0.33$^{\dagger}$ \\
        \bottomrule
        \end{tabular}
        ...
        """
        return in_latex_format(self, sort, places, intervals, caption, label)

    def methods(self) -> str:
        """Return the sentences for the method section of a paper, and below them BibTeX entries of what to cite.

        Returns
        -------
        str
            The sentences in one paragraph, an empty line, and the entries of :meth:`citations`.

        Examples
        --------
        >>> import irmx, irmx_study
        >>> from irmx.demo import SYSTEMS, qrels_path, run_path
        >>> scores = irmx.scores("AP", qrels_path(), {system: run_path(system) for system in SYSTEMS})
        >>> print(irmx_study.compare(scores, "titles").methods())
        We compared 3 systems by AP on 30 topics, each with the baseline titles, using irmx ...
        """
        entries = (citation.bibtex() for citation in self.citations())
        return "\n\n".join([sentences_of(self), *entries])

    def citations(self) -> tuple[Citation, ...]:
        """Return the papers of the test, of the correction, and of the measures, as far as they are known."""
        return citations_of(self)

    # -- pictures ----------------------------------------------------------------------------------------

    def plot(self, ax: Axes | Sequence[Axes] | None = None) -> IntervalDisplay:
        """Draw the differences to the baselines with their intervals; of all pairs, the means with intervals and letters.

        Parameters
        ----------
        ax : Axes or sequence of Axes, optional
            The axes of matplotlib to draw on, one per measure; by default those of a new figure.

        Returns
        -------
        IntervalDisplay
            What was drawn, with ``ax_`` and ``figure_``.

        Raises
        ------
        irmx.errors.UsageError
            If matplotlib is not installed, or the number of axes is not that of the measures.
        """
        return IntervalDisplay.from_comparison(self).plot(ax)

    def plot_topics(
        self, a: str | None = None, b: str | None = None, measure: str | None = None, ax: Axes | None = None
    ) -> TopicsDisplay:
        """Draw the differences of two systems topic by topic, sorted, with the result of the test.

        Parameters
        ----------
        a, b : str, optional
            The systems; differences are a - b. By default b is the first baseline, or the first system; a can be left out if
            there are two systems.
        measure : str, optional
            The measure; by default the first.
        ax : Axes, optional
            The axes of matplotlib to draw on; by default those of a new figure.

        Returns
        -------
        TopicsDisplay
            What was drawn, with ``ax_`` and ``figure_``.

        Raises
        ------
        irmx.errors.UsageError
            For an unknown or missing system, an unknown measure, or if matplotlib is not installed.

        Examples
        --------
        >>> import irmx, irmx_study
        >>> from irmx.demo import SYSTEMS, qrels_path, run_path
        >>> scores = irmx.scores("AP", qrels_path(), {system: run_path(system) for system in SYSTEMS})
        >>> display = irmx_study.compare(scores).plot_topics("recent")
        >>> display.topics[:3], display.differences[:3].round(2).tolist()
        (('25', '22', '23'), [0.25, 0.17, 0.17])
        """
        systems = self.scores.systems
        b = (*self.baseline, *systems)[0] if b is None else b
        others = [system for system in systems if system != b]
        if a is None and len(others) > 1:
            raise UsageError(
                f"Differences by topic are of two systems. Name the one to compare with {b}: {', '.join(others)}."
            )
        a = others[0] if a is None else a
        self.scores.select(systems=[a, b])  # refuses an unknown one
        return TopicsDisplay.from_comparison(self, a, b, self.known_measure(measure)).plot(ax)


def check_order(by: str | None, all_pairs: bool) -> None:
    """Raise :class:`irmx.errors.UsageError` for a column by which the summary of a comparison cannot be sorted."""
    if by is not None and by not in SORTED_BY:
        raise UsageError(
            f"A summary cannot be sorted by {by!r}.{suggest(by, SORTED_BY)} Known: {', '.join(SORTED_BY)}."
        )
    if all_pairs and by not in (None, "mean", "system"):
        raise UsageError(f"A comparison of all pairs cannot be sorted by {by}. Sort it by mean or system.")


def _sorted(table: pd.DataFrame, by: str) -> pd.DataFrame:
    """Return a summary sorted by a column; systems without a value, such as the baseline, come first."""
    check_order(by, all_pairs=by not in table.columns)
    ascending = by in ("p", "p_corrected", "system")
    return table.sort_values(by, ascending=ascending, kind="stable", na_position="first")
