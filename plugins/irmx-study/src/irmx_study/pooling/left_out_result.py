"""The result of a study of left-out groups."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from irmx import Judgments
from irmx.toolkit import counted, html_result, some
from irmx_study.correlation.agreement_facts import versions_fact
from irmx_study.pooling.cut_means import CutMeans
from irmx_study.pooling.pool_contributions import GroupCuts, counts_of, topics_emptied

if TYPE_CHECKING:
    import pandas as pd

    from irmx_study.pooling.left_out_display import LeftOutDisplay

_OF_GROUP = ["measure", "group"]


@dataclass(frozen=True, eq=False, repr=False)
class LeftOutGroups:
    """The result of :func:`irmx_study.leave_out`.

    Attributes
    ----------
    means : CutMeans
        The means of the systems, with all judgments and without each group.
    group_of : dict of str to str
        The group of every run.
    groups : DataFrame
        One row per group: ``group``; ``runs``, the number of runs that are ranked; the number of documents ``judged``, and of
        ``relevant`` ones among them, that are lost without it.
    depth : int
        The pool depth.
    judged : int
        The number of judged documents.
    unpooled : int
        The number of judged documents that no run has in the pool.
    emptied : tuple of int
        For how many topics no relevant document is left without each group, though there are some.
    """

    means: CutMeans
    group_of: Mapping[str, str]
    groups: pd.DataFrame
    depth: int
    judged: int
    unpooled: int
    emptied: tuple[int, ...]

    @classmethod
    def of(
        cls, means: CutMeans, cuts: GroupCuts, group_of: Mapping[str, str], judgments: Judgments, depth: int, rel: float
    ) -> LeftOutGroups:
        """Return the result of a study."""
        import pandas as pd

        counts = np.array(counts_of(cuts, judgments, rel)).reshape(-1, 2)
        sizes = [sum(group_of[system] == group for system in means.systems) for group in cuts.groups]
        groups = pd.DataFrame({"group": cuts.groups, "runs": sizes, "judged": counts[:, 0], "relevant": counts[:, 1]})
        judged = int(np.count_nonzero(judgments.grade >= 0))
        emptied = tuple(topics_emptied(cuts, judgments, rel))
        return cls(means, group_of, groups, depth, judged, cuts.unpooled, emptied)

    def __repr__(self) -> str:
        size = f"{counted(len(self.groups), 'group')}, {counted(len(self.means.systems), 'system')}"
        return f"<Left-out groups: {size}, by {some(self.means.names)}; pool depth {self.depth}>"

    def _repr_html_(self) -> str:
        tables = {"by measure": self.summary(), "by group": self.frame()}
        return html_result(repr(self), tables, self.facts(), self.notes)

    def runs(self) -> pd.DataFrame:
        """Return how every run fares without its own group.

        Returns
        -------
        DataFrame
            One row per measure and run: ``measure``; ``group``; ``run``; ``value``, the mean over topics with all judgments;
            ``value_without``, the mean with the judgments that are left; their ``value_change``, negative for a fall; ``rank`` and
            ``rank_without`` among all systems, 1 for the largest mean, equal means sharing the smallest of their ranks; and their
            ``rank_change``, positive if the run comes to stand lower. Missing if the measure cannot be computed without the group.
        """
        return self._runs.copy()

    @cached_property
    def _runs(self) -> pd.DataFrame:
        import pandas as pd

        means = self.means
        cut_of = {group: c for c, group in enumerate(self.groups["group"], 1)}
        cuts = [cut_of[self.group_of[system]] for system in means.systems]
        ranks = np.stack([pd.DataFrame(of).rank(method="min", ascending=False).to_numpy() for of in means.comparable])
        at = np.arange(len(cuts))
        tables = []
        for m, name in enumerate(means.names):
            value, without = means.means[0][:, m], means.means[cuts, at, m]
            rank, rank_without = ranks[0][:, m], ranks[cuts, at, m]
            table = {
                "measure": name,
                "group": [self.group_of[system] for system in means.systems],
                "run": means.systems,
                "value": value,
                "value_without": without,
                "value_change": without - value,
                "rank": rank.astype(int),
                "rank_without": pd.array(rank_without, dtype="Int64"),
                "rank_change": pd.array(rank_without - rank, dtype="Int64"),
            }
            tables.append(pd.DataFrame(table))
        return pd.concat(tables, ignore_index=True)

    def frame(self) -> pd.DataFrame:
        """Return what leaving out each group does, for the groups of which runs are ranked.

        Returns
        -------
        DataFrame
            One row per measure and group: ``measure``; ``group``; ``runs``, how many it has; ``judged`` and ``relevant``, the numbers of
            documents that are lost; ``tau``, Kendall's tau-b between the rankings of all systems by the measure without these
            documents and with all judgments; ``value_change`` and ``rank_change``, the means over the group's runs; and ``worst_rank``,
            the largest rank change of one of them. Missing if the measure cannot be computed without the group.
        """
        import pandas as pd

        runs = self._runs.groupby(_OF_GROUP, sort=False)
        changes = pd.DataFrame(
            {
                "value_change": runs["value_change"].mean(),
                "rank_change": runs["rank_change"].mean().astype(float),
                "worst_rank": runs["rank_change"].max(),
            }
        )
        tables = [
            self.groups.assign(measure=name, tau=self.means.taus[:, m])[["measure", *self.groups.columns, "tau"]]
            for m, name in enumerate(self.means.names)
        ]
        table = pd.concat(tables, ignore_index=True)
        return table[table["runs"] > 0].merge(changes.reset_index(), on=_OF_GROUP).reset_index(drop=True)

    def plot(self, ax: Any = None) -> LeftOutDisplay:
        """Draw how far runs fall without their own group, one line per measure.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; by default on a new figure.

        Returns
        -------
        LeftOutDisplay
            The display, with ``ax_`` and ``figure_``.
        """
        from irmx_study.pooling.left_out_display import LeftOutDisplay

        return LeftOutDisplay(self.runs()).plot(ax)

    def summary(self) -> pd.DataFrame:
        """Return how robust each measure is.

        Returns
        -------
        DataFrame
            One row per measure: ``measure``; ``groups``, how many were left out, and have a tau; the mean ``tau`` and the smallest,
            ``lowest_tau``; over all runs, the mean ``value_change``, the mean ``rank_change`` and the largest, ``worst_rank``.
        """
        import pandas as pd

        by_group, by_run = self.frame().groupby("measure", sort=False), self._runs.groupby("measure", sort=False)
        return pd.DataFrame(
            {
                "groups": by_group["tau"].count(),
                "tau": by_group["tau"].mean(),
                "lowest_tau": by_group["tau"].min(),
                "value_change": by_run["value_change"].mean(),
                "rank_change": by_run["rank_change"].mean().astype(float),
                "worst_rank": by_run["rank_change"].max(),
            }
        ).reset_index()

    def facts(self) -> dict[str, str]:
        """Return what a table of the result must state."""
        lost = self.groups["judged"]
        return {
            "systems": f"{counted(len(self.means.systems), 'run')}, {counted(self.means.topics, 'topic')}",
            "tau": "Kendall's tau-b, over all systems, with the measure's own ranking by all judgments",
            "pool": f"the top {self.depth} of {counted(len(self.group_of), 'run')} in {counted(len(self.groups), 'group')}",
            "judgments": (
                f"{self.judged:,} judged; without one group, {lost.min():,} to {lost.max():,} of them are lost; {self.unpooled:,} are in "
                "no run's pool, and stay"
            ),
            "versions": versions_fact(self.means.measures),
        }

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know: groups without which there is no tau, and why."""
        notes = []
        for m, name in enumerate(self.means.names):
            refused = sorted(c for c, measure in self.means.refusals if measure == m)
            if refused:
                notes.append(
                    f"{name} cannot be computed without {counted(len(refused), 'group')}: {self.means.refusals[refused[0], m]}"
                )
            equal = int(np.isnan(self.means.taus[:, m]).sum()) - len(refused)
            if equal:
                notes.append(
                    f"{name} gives all systems the same value without {counted(equal, 'group')}, where tau is undefined"
                )
        without = [name for name, topics in zip(self.groups["group"], self.emptied, strict=True) if topics]
        if without:
            notes.append(
                f"no relevant document is left for up to {counted(max(self.emptied), 'topic')} without {some(without)}; such topics count "
                "with the measures' defaults"
            )
        return tuple(notes)
