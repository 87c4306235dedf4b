"""Systems as they were compared: what all tables, sentences and pictures of a comparison read."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from irmx import Scores, UsageError
from irmx.ragged import Bools, Ints
from irmx.toolkit import list_some, plural, suggest
from irmx_study.choices import Choices, short_names
from irmx_study.letters import letters_of, ranks_alike
from irmx_study.pairs import Compared, all_pairs_of, compared_pairs, signs_of
from irmx_study.result import Result
from irmx_study.view_groups import Groups

SORTED_BY = ("mean", "difference", "effect", "p", "p_corrected", "system")
"""The columns that the table of systems can be sorted by; of these, p-values and names from the smallest."""

PAIRS_SHOWN = 28
"""A table for reading shows all pairs of up to 8 systems; with more, groups tell which systems cannot be told apart."""


class ComparedSystems(Result):
    """What a comparison found: the tables of pairs, systems and views, and which systems cannot be told apart."""

    scores: Scores
    choices: Choices

    def __init__(
        self, scores: Scores, baseline: tuple[str, ...], choices: Choices, compared: Compared, is_default: bool = False
    ) -> None:
        self.baseline, self.compared, self.is_default = baseline, compared, is_default
        self.of_views: Ints = scores.in_view.sum(axis=0)
        title = (
            f"Comparison of {plural(len(scores.systems), 'system')} by {list_some(scores.names)}: "
            f"{plural(len(compared.first) * len(scores.names), 'comparison')}, test {choices.test}, correction {choices.correction}"
        )
        tables = {"comparisons": self._comparisons, "systems": self._systems, "views": self._views}
        super().__init__(title, tables, scores, choices)

    @cached_property
    def groups(self) -> Groups:
        """The views by measure, and the parameters in which they differ."""
        return Groups(self.scores)

    @property
    def all_pairs(self) -> bool:
        """Whether all pairs were compared, instead of every system with a baseline."""
        return not self.baseline

    @property
    def comparisons(self) -> pd.DataFrame:
        """The main table."""
        table: pd.DataFrame = self._made("table comparisons", self._comparisons)
        return table

    @property
    def identical(self) -> Bools:
        """Of every comparison, whether the systems have the same value on every topic; such pairs are not in the family."""
        return self.compared.identical.ravel()

    @cached_property
    def names(self) -> dict[str, str]:
        """The names of systems in tables for reading: without what all begin with."""
        return short_names(self.scores.systems)

    def _comparisons(self) -> pd.DataFrame:
        return self.compared.frame(self.scores)

    def _systems(self) -> pd.DataFrame:
        table = self.estimates()
        if not self.all_pairs:
            return table
        letters = np.array([self.letters[view] for view in self.scores.names], dtype=object)
        places = {system: place for place, system in enumerate(self.scores.systems)}
        views = np.repeat(np.arange(len(self.scores.names)), self._rows_per_view)
        table["letters"] = letters[views, table["system"].map(places).to_numpy()]
        return table

    @property
    def _rows_per_view(self) -> int:
        return len(self.estimates()) // len(self.scores.names)

    def estimates(self, sort: str | None = None) -> pd.DataFrame:
        """Return the table of systems without the letters, which need tests of all pairs.

        Parameters
        ----------
        sort : str, optional
            The column to sort the systems of each view by: ``"mean"``, ``"difference"`` and ``"effect"`` from the best,
            ``"p"`` and ``"p_corrected"`` from the smallest, ``"system"`` by name; by default the order of the scores.
        """
        return self._made(f"estimates {sort}", lambda: self._estimates(sort)).copy()

    def _estimates(self, sort: str | None) -> pd.DataFrame:
        tables, rows, pairs = [], self.comparisons, len(self.compared.first)
        first = [name for name in rows.columns if name in ("measure", *self.scores.marks)]
        for v, sign in enumerate(signs_of(self.scores)):
            of_view = rows.iloc[v * pairs : (v + 1) * pairs]
            means = {
                "mean": self.compared.means[v],
                "mean_low": self.compared.low[v],
                "mean_high": self.compared.high[v],
            }
            about = {name: of_view[name].iloc[0] for name in first}
            table = pd.DataFrame({**about, "system": list(self.scores.systems), **means})
            if not self.all_pairs:
                differences = of_view.rename(columns={"a": "system", "b": "baseline"})
                differences = differences.drop(columns=[*first, "topics", "mean_a", "mean_b", "missing"])
                table = table.merge(differences, how="left", on="system", sort=False)
            tables.append(table if sort is None else sorted_table(table, sort, sign))
        return pd.concat(tables, ignore_index=True)

    def pairs(self, view: str | None = None) -> pd.DataFrame:
        """Return the corrected p-values of all pairs as a square table, missing on the diagonal and for pairs not compared.

        Parameters
        ----------
        view : str, optional
            The view or measure; by default the first.
        """
        systems, v = self.scores.systems, self.place_of(view)
        table = np.full((len(systems), len(systems)), np.nan)
        a, b = self.compared.first, self.compared.second
        table[a, b] = table[b, a] = self.compared.columns["p_corrected"][v]
        return pd.DataFrame(table, index=pd.Index(systems, name="a"), columns=pd.Index(systems, name="b"))

    def place_of(self, view: str | None) -> int:
        """Return the place of a view, by default of the first; an unknown one is refused."""
        return 0 if view is None else self.scores.names.index(self.scores.select(views=view).names[0])

    @cached_property
    def of_all_pairs(self) -> ComparedSystems:
        """The comparison of all pairs of systems, with the same test and correction; its letters are those of this one."""
        if self.all_pairs:
            return self
        first, second = all_pairs_of(len(self.scores.systems))
        choices = replace(self.choices, interval="t")  # no other interval is computed, because none is needed
        return ComparedSystems(self.scores, (), choices, compared_pairs(self.scores, first, second, choices))

    @cached_property
    def letters(self) -> dict[str, list[str]]:
        """By view, the letters of every system: systems that share one cannot be told apart, by tests of all pairs."""
        return {view: letters_of(self._differ(v), self._order(v)) for v, view in enumerate(self.scores.names)}

    @cached_property
    def alike(self) -> dict[str, list[str]]:
        """By view, the systems that each cannot be told apart from: letters if there are few, otherwise their ranks."""
        found = {}
        for v, view in enumerate(self.scores.names):
            letters = self.letters[view] if len(self.scores.systems) <= PAIRS_SHOWN else []
            if letters and max(map(len, letters)) <= 3:
                found[view] = letters
            else:
                found[view] = ranks_alike(self._differ(v), self._order(v))
        return found

    def _differ(self, v: int) -> Bools:
        """Return which pairs of systems differ significantly in a view."""
        compared = self.of_all_pairs.compared
        differ: Bools = np.zeros((len(self.scores.systems),) * 2, dtype=bool)
        significant = compared.columns["p_corrected"][v] <= self.choices.level
        differ[compared.first, compared.second] = differ[compared.second, compared.first] = significant
        return differ

    def _order(self, v: int) -> list[int]:
        """Return the places of the systems in a view, the best first."""
        order: list[int] = np.argsort(-signs_of(self.scores)[v] * self.compared.means[v], kind="stable").tolist()
        return order

    @cached_property
    def better(self) -> np.ndarray[Any, Any]:
        """Of every view and pair, 1 if the first system is significantly better, -1 if the second, 0 if neither is."""
        columns = self.compared.columns
        significant = (columns["p_corrected"] <= self.choices.level) & (columns["difference"] != 0)
        return np.where(significant, np.sign(columns["difference"]) * signs_of(self.scores)[:, None], 0).astype(int)

    def _views(self) -> pd.DataFrame:
        rows, pairs = self.comparisons, len(self.compared.first)
        views = self.scores.views.reset_index(drop=True).drop(columns=["less_is_better"], errors="ignore")
        table = views.iloc[np.repeat(np.arange(len(views)), pairs)].reset_index(drop=True)
        table = table.drop(columns="weight", errors="ignore")
        table["share"] = np.repeat(self.groups.shares, pairs)
        others = ("a", "b", "topics", "mean_a", "mean_b", "difference", "low", "high", "p", "p_corrected")
        table = pd.concat([table, rows[list(others)]], axis=1)
        systems = np.array(self.scores.systems, dtype=object)
        first, second = systems[self.compared.first], systems[self.compared.second]
        table["better"] = np.where(self.better > 0, first, np.where(self.better < 0, second, "")).ravel()
        return table

    def _best(self, sort: str | None, most: int | None) -> list[str]:
        """Return the first systems in the order of a column of the first view, by default of the means, and the baselines."""
        table = self.estimates(sort or "mean")
        systems = dict.fromkeys(table["system"][: self._rows_per_view])
        return [system for i, system in enumerate(systems) if most is None or i < most or system in self.baseline]

    @property
    def has_groups(self) -> bool:
        """Whether all pairs of more than two systems were compared, so that groups say which cannot be told apart."""
        return self.all_pairs and len(self.scores.systems) > 2

    @property
    def alike_name(self) -> str:
        """The name of the column of groups: letters, or the ranks of systems that cannot be told apart."""
        of_first = self.alike[self.scores.names[0]]
        return "groups" if of_first == self.letters.get(self.scores.names[0]) else "alike"


def check_order(by: str | None, all_pairs: bool) -> None:
    """Raise :class:`irmx.errors.UsageError` for a column by which the systems of a comparison cannot be sorted."""
    if by is not None and by not in SORTED_BY:
        raise UsageError(
            f"A summary cannot be sorted by {by!r}.{suggest(by, SORTED_BY)} Known: {', '.join(SORTED_BY)}."
        )
    if all_pairs and by not in (None, "mean", "system"):
        raise UsageError(f"A comparison of all pairs cannot be sorted by {by}. Sort it by mean or system.")


def sorted_table(table: pd.DataFrame, by: str, sign: float = 1) -> pd.DataFrame:
    """Return a table of systems sorted by a column; systems without a value, such as the baseline, come first."""
    check_order(by, all_pairs=by not in table.columns)
    ascending = by in ("p", "p_corrected", "system") or sign < 0
    return table.sort_values(by, ascending=ascending, kind="stable", na_position="first")
