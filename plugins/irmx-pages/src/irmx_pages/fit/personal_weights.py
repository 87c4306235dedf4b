"""The l of the most active assessors, chosen on a grid by agreement with their own votes."""

from __future__ import annotations

from typing import Any

import numpy as np

from irmx import Param
from irmx.ragged import Floats
from irmx_pages.fit.parameter_grid import ParameterGrid, grid_values
from irmx_pages.fit.topic_folds import Folded
from irmx_pages.preferences.agreement import agreeing, preferred_page

OF_ACTIVE = (
    *("assessor", "votes", "l", "fold_low", "fold_high"),
    *("without", "own", "difference"),
)
"""The columns of the table of the most active assessors."""

_L = Param(float, "weight of vertical recall", low=0, high=1)


class PersonalGrid:
    """Values of l, and how often each agrees with votes.

    Parameters
    ----------
    given : str or sequence of float
        As for a parameter of a measure: ``"0:1"`` for 51 values at equal distances, ``"0:1:11"`` for 11, ``"0,.2,.4"``.

    Raises
    ------
    irmx.UsageError
        If it is not a grid, or not within [0, 1].
    """

    def __init__(self, given: Any) -> None:
        self.l = grid_values("l", _L, given)

    def best(self, agreed: Floats) -> float:
        """Return the l that agrees with most votes; of several the one nearest to their middle, NaN if all agree equally.

        >>> PersonalGrid("0:1:5").best(np.array([2, 3, 3, 3, 1.5])), PersonalGrid("0:1:3").best(np.ones(3))
        (0.5, nan)
        """
        if np.ptp(agreed) < 0.25:  # agreement is counted in halves
            return float("nan")
        best = np.flatnonzero(agreed > agreed.max() - 0.25).tolist()
        return float(self.l[ParameterGrid(None, {"l": self.l}).middle(best)])


def of_active(folded: Folded, grid: PersonalGrid, active: int, chosen: list[int]) -> list[dict[str, Any]]:
    """Return the l of the assessors with the most votes for a page, learned by agreement after the other parameters.

    Parameters
    ----------
    folded : Folded
        The preferences in folds.
    grid : PersonalGrid
        The values of l to try.
    active : int
        Number of assessors.
    chosen : list of int
        The settings of the other parameters, learned by agreement: from all folds, then without each of them.
    """
    if not folded.personal:
        return []
    votes, fold = folded.votes, folded.fold
    decided = votes.won != 0.5
    agreed = {i: _agreed(folded, grid, i)[decided] for i in set(chosen)}
    without = {i: _agreed(folded, PersonalGrid([0.0]), i)[decided, 0] for i in set(chosen)}
    who, of_fold = votes.assessor[decided], fold[votes.pair[decided]]
    counts = np.bincount(who, minlength=votes.assessors)
    rows = []
    for k in np.argsort(-counts, kind="stable")[:active].tolist():
        mine = np.flatnonzero(who == k)
        learned = [grid.best(agreed[i][mine[of_fold[mine] != f]].sum(axis=0)) for f, i in enumerate(chosen[1:])]
        with_own, with_none = np.empty(len(mine)), np.empty(len(mine))
        for f, (i, value) in enumerate(zip(chosen[1:], learned, strict=True)):
            here = of_fold[mine] == f
            with_none[here] = without[i][mine[here]]
            with_own[here] = (
                with_none[here] if np.isnan(value) else agreed[i][mine[here], np.searchsorted(grid.l, value)]
            )
        known = [value for value in learned if not np.isnan(value)] or [np.nan]
        values = (
            *(folded.preferences.assessors[k], len(mine), grid.best(agreed[chosen[0]][mine].sum(axis=0))),
            *(min(known), max(known)),
            *(float(x.mean()) if len(mine) else np.nan for x in (with_none, with_own, with_own - with_none)),
        )
        rows.append(dict(zip(OF_ACTIVE, values, strict=True)))
    return rows


def _agreed(folded: Folded, grid: PersonalGrid, setting: int) -> Floats:
    """Return how every vote agrees with IUtil for every l: shape (votes, values of l)."""
    utility = folded.likelihood.page_values(folded.grid.settings[setting])
    value = (1 - grid.l) * utility[:, None] + grid.l * folded.scorer.recall[:, None]
    preferred = preferred_page(value[folded.a], value[folded.b])
    return agreeing(preferred[folded.votes.pair], np.sign(folded.votes.won - 0.5)[:, None])
