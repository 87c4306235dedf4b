"""The result of ``discriminate``: how well measures tell systems apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from irmx import Scores, UsageError
from irmx.toolkit import counted, html_result, some
from irmx_study.comparison.comparison import Comparison
from irmx_study.comparison.stated_facts import topics_of
from irmx_study.discrimination.discriminative_power import difference_needed
from irmx_study.discrimination.swap_counts import RELIABLE, SwapCounts

if TYPE_CHECKING:
    import pandas as pd

    from irmx_study.comparison.choices import Choices
    from irmx_study.discrimination.asl_display import AslDisplay
    from irmx_study.discrimination.swap_display import SwapDisplay

_STATED = ("test", "family", "correction", "level", "draws")
"""What a comparison states that is also about this table; then come the columns, and at the end topics and versions."""

_MOST = 0.9
"""If a larger share of differences is in the last or first bin, bins are too narrow or too wide."""


@dataclass(frozen=True, eq=False, repr=False)
class Discrimination:
    """The result of :func:`irmx_study.discriminate`.

    Attributes
    ----------
    comparison : Comparison
        The tests of all pairs of systems.
    swaps_by_measure : tuple of SwapCounts
        The swaps of every measure between halves of the topics; empty if there were no splits.
    splits : int
        The number of random splits of the topics.
    """

    comparison: Comparison
    swaps_by_measure: tuple[SwapCounts, ...]
    splits: int

    def __repr__(self) -> str:
        sizes = f"{counted(len(self.scores.systems), 'system')} by {counted(len(self.scores.measures), 'measure')}"
        return f"<Discrimination of {sizes}: test {self.choices.test}, correction {self.choices.correction}>"

    def _repr_html_(self) -> str:
        return html_result(repr(self), {"": self.summary()}, self.facts(), self.notes)

    @property
    def scores(self) -> Scores:
        """What was compared."""
        return self.comparison.scores

    @property
    def choices(self) -> Choices:
        """How: ``test``, ``correction``, ``level``, ``draws``, ``seed``, as in :attr:`Comparison.choices`."""
        return self.comparison.choices

    def frame(self) -> pd.DataFrame:
        """Return one row per measure.

        Returns
        -------
        DataFrame
            ``measure``, ``test``, ``correction``, ``level``; the number of ``pairs`` of systems, and of those whose corrected
            p-value is at most the level, ``significant``; their share, the discriminative ``power``; the ``difference_needed``,
            the smallest difference of means from which on every pair is significant, NaN if there is none; and the
            ``swap_rate``, the share of pairs and splits that the other half of the topics contradicts, NaN if no half has
            an order of any pair, or there are no splits.
        """
        return self._frame.copy()

    @cached_property
    def _frame(self) -> pd.DataFrame:
        import pandas as pd

        rows = []
        for m, (measure, of_measure) in enumerate(self._comparisons()):
            significant = of_measure["p_corrected"].to_numpy() <= self.choices.level
            needed = difference_needed(of_measure["difference"].to_numpy(), significant)
            rows.append({
                "measure": measure, "test": _as_typed(self.choices.test), "correction": str(self.choices.correction),
                "level": self.choices.level, "pairs": len(of_measure), "significant": int(significant.sum()),
                "power": float(significant.mean()), "difference_needed": needed,
                "swap_rate": self.swaps_by_measure[m].swap_rate if self.splits else np.nan,
            })  # fmt: skip
        return pd.DataFrame(rows)

    def _comparisons(self) -> Iterator[tuple[str, pd.DataFrame]]:
        """Yield the measures, and the rows of all pairs of systems by each."""
        rows = self.comparison.comparisons
        for m, measure in enumerate(map(str, self.scores.measures)):
            pairs = len(rows) // len(self.scores.measures)
            yield measure, rows.iloc[m * pairs : (m + 1) * pairs]

    def asl(self) -> pd.DataFrame:
        """Return the achieved significance levels of all pairs, sorted: the points of the curves.

        Returns
        -------
        DataFrame
            One row per measure and pair of systems: ``measure``; ``rank``, 1 for the smallest level; ``share``, the share of
            the pairs up to this one; the systems ``a`` and ``b``, their ``difference`` of means a - b, ``p`` and ``p_corrected``, the
            achieved significance level.
        """
        import pandas as pd

        tables = []
        for measure, of_measure in self._comparisons():
            table = of_measure.sort_values(["p_corrected", "p"], kind="stable")
            ranks = np.arange(1, len(table) + 1)
            columns = {"measure": measure, "rank": ranks, "share": ranks / len(table)}
            others = ["a", "b", "difference", "p", "p_corrected"]
            tables.append(pd.DataFrame(columns | {name: table[name].to_numpy() for name in others}))
        return pd.concat(tables, ignore_index=True)

    def swaps(self) -> pd.DataFrame:
        """Return the swap rates by the difference of means.

        Returns
        -------
        DataFrame
            One row per measure and bin of differences in the first half of the topics, from ``low`` up to below ``high``: how many
            pairs and splits were ``compared``, being in the bin and not tied; how many of these are ``tied`` or ``swapped``, in
            the opposite order, in the second half; and the ``swap_rate``, swapped / compared, NaN in an empty bin.

        Raises
        ------
        irmx.errors.UsageError
            If there were no splits.
        """
        import pandas as pd

        self._refuse_without_splits()
        tables = [swaps.table() for swaps in self.swaps_by_measure]
        for measure, table in zip(self.scores.measures, tables, strict=True):
            table.insert(0, "measure", str(measure))
        return pd.concat(tables, ignore_index=True)

    def _refuse_without_splits(self) -> None:
        if not self.splits:
            raise UsageError("There are no swap rates, because the number of splits was 0.")

    def summary(self) -> pd.DataFrame:
        """Return the table for reading: one row per measure, the largest power first.

        Returns
        -------
        DataFrame
            ``measure``, ``significant``, ``power``, ``difference_needed``, as in :meth:`frame`; if there were splits, also ``swap_rate``
            and ``reliable_from``, the smallest difference in a bin with a swap rate of at most 5%.
        """
        columns = ["measure", "significant", "power", "difference_needed"]
        table = self._frame[columns + ["swap_rate"] * bool(self.splits)].copy()
        if self.splits:
            table["reliable_from"] = [swaps.reliable_difference for swaps in self.swaps_by_measure]
        return table.sort_values("power", ascending=False, kind="stable", ignore_index=True)

    def facts(self) -> dict[str, str]:
        """Return what a table of the result must state: test, family, correction, level, draws, splits, seed, topics, versions."""
        of_tests = self.comparison.facts()
        facts = {name: of_tests[name] for name in _STATED if name in of_tests}
        if self.choices.tie_threshold:
            facts["ties"] = (
                f"differences of at most {self.choices.tie_threshold:g} on a topic, for tests that count wins"
            )
        p_value = "p-value" if self.choices.correction.NAME == "none" else "corrected p-value"
        pairs = self._frame["pairs"].iloc[0]
        facts["power"] = f"share of all {pairs:,} pairs of systems whose {p_value} is at most the level"
        facts["needed"] = "the smallest difference of means that is significant together with all larger ones"
        if self.splits:
            topics = topics_of(self.comparison)
            alike = ", the same for all measures" if topics.isdecimal() and len(self.scores.measures) > 1 else ""
            facts["splits"] = f"{self.splits:,}, of {topics} topics into random halves{alike}"
            facts["swap rate"] = (
                "share of pairs and splits in the opposite order in the other half; a tie there is no swap"
            )
            facts["reliable"] = f"the smallest difference whose bin has a swap rate of at most {RELIABLE:.0%}"
        if self.splits or self.comparison.choices.resampled:
            facts["seed"] = str(self.choices.seed)
        facts["systems"] = str(len(self.scores.systems))
        return facts | {name: of_tests[name] for name in ("topics", "missing", "versions")}

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know: numbers that are missing and why, and the notes of the comparison."""
        return (*self._notes(), *self.comparison.notes)

    def _notes(self) -> Iterator[str]:
        table = self._frame
        equal = self.comparison.identical.reshape(len(table), -1).all(axis=1)
        if equal.any():
            names = some(list(table["measure"][equal]), 10)
            yield f"all systems have the same values, so that the power is 0 and no half has an order: {names}"
        unclear = table["difference_needed"].isna() & ~equal
        if unclear.any():
            names = some(list(table["measure"][unclear]), 10)
            yield f"no difference needed, because even the pair with the largest difference is not significant: {names}"
        yield from self._notes_on_bins(list(table["measure"]))

    def _notes_on_bins(self, measures: list[str]) -> Iterator[str]:
        rows = [
            (name, swaps) for name, swaps in zip(measures, self.swaps_by_measure, strict=False) if swaps.compared.any()
        ]
        unreliable = [name for name, swaps in rows if np.isnan(swaps.reliable_difference)]
        if unreliable:
            yield f"no bin of differences has a swap rate of at most {RELIABLE:.0%}: {some(unreliable, 10)}"
        for place, bins, better in ((-1, "in the last bin", "wider"), (0, "in the first bin", "narrower")):
            names = [name for name, swaps in rows if swaps.compared[place] > _MOST * swaps.compared.sum()]
            if names:
                yield f"nearly all differences are {bins}; {better} ones tell them apart: {some(names, 10)}"

    # -- pictures ----------------------------------------------------------------------------------------

    def plot(self, ax: Any = None, log: bool = False) -> AslDisplay:
        """Draw the achieved significance levels of all pairs, sorted: one curve per measure, and the level.

        Parameters
        ----------
        ax : Axes, optional
            The axes of matplotlib to draw on; by default those of a new figure.
        log : bool
            Whether to draw the levels on a logarithmic axis, all of them; otherwise, up to three times the level.

        Returns
        -------
        AslDisplay
            What was drawn, with ``ax_`` and ``figure_``.
        """
        from irmx_study.discrimination.asl_display import AslDisplay

        return AslDisplay(self.asl(), self._frame, log).plot(ax)

    def plot_swaps(self, ax: Any = None) -> SwapDisplay:
        """Draw the swap rates by the difference of means: one curve per measure.

        Parameters
        ----------
        ax : Axes, optional
            The axes of matplotlib to draw on; by default those of a new figure.

        Returns
        -------
        SwapDisplay
            What was drawn, with ``ax_`` and ``figure_``.

        Raises
        ------
        irmx.errors.UsageError
            If there were no splits.
        """
        from irmx_study.discrimination.swap_display import SwapDisplay

        return SwapDisplay(self.swaps()).plot(ax)


def _as_typed(named: Any) -> str:
    """Return a named object as users type it, such as ``randomised-tukey``; values of its parameters stay as they are."""
    return str(named).replace(named.NAME, named.NAME.replace("_", "-"), 1)
