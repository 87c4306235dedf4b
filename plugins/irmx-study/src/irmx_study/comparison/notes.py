"""What a reader of a comparison must know about its data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from irmx import Scores, counted

if TYPE_CHECKING:
    import pandas as pd

FEW, MANY = 20, 1000
"""Fewer topics than the first, or more than the second, are worth a note."""

_SHOWN = 5


def notes_on(scores: Scores, topics: Sequence[int], frame: pd.DataFrame) -> Iterator[str]:
    """Yield notes on missing and few topics, values that are missing, and identical systems.

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
    same = frame[(frame["p"] == 1) & (frame["wins"] + frame["losses"] == 0) & (frame["difference"] == 0)]
    pairs = [f"{row.a} and {row.b} ({row.measure})" for row in same.head(_SHOWN).itertuples()]
    if len(same):
        more = f" and {len(same) - _SHOWN} more" if len(same) > _SHOWN else ""
        yield f"identical on every topic, and not counted in the family: {', '.join(pairs)}{more}"
