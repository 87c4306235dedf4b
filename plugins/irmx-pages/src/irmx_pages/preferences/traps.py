"""Trap pairs, whose correct answer is known, and the assessors who fail them."""

from __future__ import annotations

import warnings

import numpy as np

from irmx import DataError, DataWarning
from irmx_pages.preferences.preference_votes import ANSWERS, Preferences
from irmx_pages.whole_numbers import check_whole

FAILED_TRAPS = 2
"""In the paper, assessors who fail more traps than this are left out."""


def without_traps(preferences: Preferences, failed_traps: int | None = FAILED_TRAPS) -> Preferences:
    """Return preferences without trap pairs, and without the assessors who failed too many of them.

    Parameters
    ----------
    preferences : Preferences
        The votes; some pairs may be traps, see :func:`read_preferences`.
    failed_traps : int or None
        The maximum number of traps that an assessor may fail, at least 0. The paper removes assessors who failed more than
        two. With None, no assessors are removed.

    Returns
    -------
    Preferences
        Unchanged if no pair is a trap.

    Raises
    ------
    irmx.DataError
        If no votes are left.
    irmx.UsageError
        If ``failed_traps`` is not an int of at least 0.

    Warns
    -----
    irmx.DataWarning
        Names the assessors who are removed, and counts their votes.

    References
    ----------
    Zhou, Cummins, Lalmas, Jose: Evaluating Aggregated Search Pages. SIGIR 2012, section 5.

    Examples
    --------
    >>> import pandas as pd
    >>> from irmx_pages import read_preferences
    >>> votes = [("q", "good", "bad", "ann", "a", "a"), ("q", "p", "r", "ann", "b", "")]
    >>> columns = ["query_id", "page_a", "page_b", "assessor", "choice", "trap"]
    >>> kept = without_traps(read_preferences(pd.DataFrame(votes, columns=columns)))
    >>> kept.page_a, kept.assessors, kept.choice
    (['p'], ['ann'], array([-1]))
    """
    if failed_traps is not None:
        check_whole(0, failed_traps=failed_traps)
    if preferences.trap is None or not any(preferences.trap):
        return preferences
    right = np.array([ANSWERS.index(answer) if answer else -1 for answer in preferences.trap])[preferences.pair]
    trap = right >= 0
    people = len(preferences.assessors)
    failed = np.bincount(preferences.assessor[trap & (preferences.answer != right)], minlength=people)
    careless = failed > (np.inf if failed_traps is None else failed_traps)
    kept = ~trap & ~careless[preferences.assessor]
    if not kept.any():
        why = (
            f"every assessor failed more than {failed_traps} of them"
            if careless.all()
            else "no votes on other pairs are left"
        )
        raise DataError(
            f"{preferences.places[0]}: the preferences have trap pairs, and {why}, so there are no preferences."
        )
    if careless.any():
        names = [f"{preferences.assessors[i]} ({failed[i]})" for i in np.flatnonzero(careless).tolist()]
        lost = int((~trap & careless[preferences.assessor]).sum())
        warnings.warn(
            f"{len(names)} of {people} assessors failed more than {failed_traps} trap pairs; their {lost} vote{'s' * (lost != 1)} on "
            f"other pairs {'are' if lost != 1 else 'is'} left out: {', '.join(names[:5])}{', ...' if len(names) > 5 else ''}",
            DataWarning,
            stacklevel=3,
        )
    return preferences.where(kept)
