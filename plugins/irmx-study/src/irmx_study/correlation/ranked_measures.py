"""The measures of scores that rank the systems: checked, with their means, and which are left out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from irmx import DataError, Scores, UsageError
from irmx.ragged import Bools, Floats
from irmx.toolkit import counted, some
from irmx_study.rank_correlation.comparable_means import comparable_means

FEWEST = 3
"""The smallest number of systems: two are in the same order or not, which is no matter of degree."""

_LISTED = 5


def ranked_measures(scores: Scores, decimals: int | None) -> tuple[Scores, Floats, tuple[str, ...]]:
    """Return the scores of the measures that rank the systems, their means, and notes on those that do not.

    Parameters
    ----------
    scores : Scores
        The scores.
    decimals : int, optional
        Decimal places to which means are rounded; see :func:`irmx_study.comparable_means`.

    Returns
    -------
    scores : Scores
        Those without measures that have no value, or give all systems the same.
    means : float array, shape (systems, measures)
        Their means over topics; equal ones are tied.
    notes : tuple of str
        Which measures were left out, and why.

    Raises
    ------
    irmx.errors.UsageError
        If there are fewer than three systems, or a system or a measure twice.
    irmx.errors.DataError
        If a system has no value of a measure that others have one of, or no measure is left.
    """
    _check(scores)
    notes = []
    named = [str(measure) for measure in scores.measures]
    empty: Bools = np.array(np.isnan(scores.values).all(axis=(0, 1)))
    if empty.any():
        notes.append(f"left out, because no system has a value of it on any topic: {_names(named, empty)}")
        scores = _without(scores, empty, notes)
    means = comparable_means(scores, decimals)
    constant: Bools = means.max(axis=0) == means.min(axis=0)
    if constant.any():
        rounded = "" if decimals is None else f", rounded to {counted(decimals, 'decimal place')}"
        names = _names([str(measure) for measure in scores.measures], constant)
        notes.append(f"left out, because it gives all systems the same mean{rounded}: {names}")
        scores, means = _without(scores, constant, notes), means[:, ~constant]
    return scores, means, tuple(notes)


def _check(scores: Scores) -> None:
    number = len(scores.systems)
    if number < FEWEST:
        raise UsageError(f"The agreement of rankings needs at least {FEWEST} systems. The scores have {number}.")
    for kind, names in (("system", scores.systems), ("measure", tuple(map(str, scores.measures)))):
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise UsageError(f"The scores have the {kind} {twice} twice. Give it once.")


def _without(scores: Scores, left_out: Bools, notes: Sequence[str]) -> Scores:
    kept = [measure for measure, out in zip(scores.measures, left_out, strict=True) if not out]
    if not kept:
        raise DataError(f"No measure ranks the systems: {'; '.join(notes)}.")
    return scores.select(measures=kept)


def _names(named: Sequence[str], chosen: Bools) -> str:
    return some([name for name, is_chosen in zip(named, chosen, strict=True) if is_chosen], _LISTED)
