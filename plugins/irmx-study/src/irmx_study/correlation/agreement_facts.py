"""What a table of an agreement must state, in the words of its footer, and what a reader must know about the data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import ir_measures

from irmx import Scores
from irmx.toolkit import counted, versions_of

MARKED = "a tau of at least .90, the customary bar for measures that rank systems alike; of at least .97"
"""What the marks of taus mean."""

FEW_TOPICS = 20
"""Fewer topics are worth a note."""

_LISTED = 5


def systems_fact(scores: Scores, decimals: int | None) -> str:
    """Return how many systems were ranked, by what."""
    rounding = "12 significant digits" if decimals is None else counted(decimals, "decimal place")
    return f"{len(scores.systems)}, by their means over {counted(len(scores.topics), 'topic')}, rounded to {rounding}"


def stability_fact(resamples: int, seed: int, level: float, has_gaps: bool) -> str:
    """Return how the stability was computed; has_gaps tells whether some resamples have no tau."""
    share = f"{100 * (1 - level):g}% of the taus of {resamples:,} resamples of topics, seed {seed}"
    fewer = "; of fewer, if a measure gives all systems the same mean in some" if has_gaps else ""
    return f"{share}; not a confidence interval{fewer}"


def versions_fact(measures: Iterable[ir_measures.Measure]) -> str:
    """Return the versions of what computes measures."""
    return ", ".join(f"{name} {number}" for name, number in versions_of(measures).items())


def notes_on_topics(scores: Scores, resampled: bool) -> Iterator[str]:
    """Yield notes on topics that systems lack, and on few topics, if they are resampled."""
    missing = (~scores.retrieved).sum(axis=0).tolist()
    lacking = [f"{name} ({number})" for name, number in zip(scores.systems, missing, strict=True) if number]
    if lacking:
        more = f" and {len(lacking) - _LISTED} more" if len(lacking) > _LISTED else ""
        yield f"topics without results, which count with the measures' defaults: {', '.join(lacking[:_LISTED])}{more}"
    if resampled and len(scores.topics) < FEW_TOPICS:
        yield f"with {counted(len(scores.topics), 'topic')}, resamples of topics are much alike"
