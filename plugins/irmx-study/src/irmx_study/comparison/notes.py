"""What a reader of a comparison must know about its data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from irmx import Scores, counted

if TYPE_CHECKING:
    import pandas as pd

FEW, MANY = 20, 1000
"""Fewer topics than the first, or more than the second, are worth a note."""

_SHOWN = 5


def notes_on(scores: Scores, topics: Sequence[int], frame: pd.DataFrame) -> Iterator[str]:
    """Yield notes on missing and few topics, values that are missing, and systems that are identical or differ by a constant.

    Parameters
    ----------
    scores : Scores
        The scores.
    topics : sequence of int
        The number of topics compared, per measure.
    frame : DataFrame
        One row per comparison.
    """
    for s, system in enumerate(scores.systems):
        if missing := int((~scores.retrieved[:, s]).sum()):
            yield f"{system} has no results for {missing} of {len(scores.topics)} topics; they count with the measure's default"
    for measure, number in zip(scores.measures, topics, strict=True):
        if number < len(scores.topics):
            left_out = counted(len(scores.topics) - number, "topic")
            yield f"{measure}: {left_out} on which a system has no value left out"
    if min(topics) < FEW:
        yield f"with {min(topics)} topics, only large differences can be found, and the assumptions of tests cannot be checked"
    if max(topics) > MANY:
        yield f"with {max(topics):,} topics, tiny differences are significant: read the intervals and effect sizes first"
    same = (frame["p"] == 1) & (frame["wins"] + frame["losses"] == 0) & (frame["difference"] == 0)
    if same.any():
        yield f"identical on every topic, and not counted in the family: {_listed(frame[same])}"
    constant = np.isinf(frame["statistic"])
    if constant.any():
        yield f"the same difference on every topic, so that no variance is left to judge it by: {_listed(frame[constant])}"


def _listed(frame: pd.DataFrame) -> str:
    """Return the pairs of systems of some rows, as a list for a sentence."""
    pairs = [f"{row.a} and {row.b} ({row.measure})" for row in frame.head(_SHOWN).itertuples()]
    return ", ".join(pairs) + (f" and {len(frame) - _SHOWN} more" if len(frame) > _SHOWN else "")
