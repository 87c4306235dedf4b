"""What a reader of a comparison must know about its data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from irmx import Scores
from irmx.ragged import Bools
from irmx.toolkit import counted
from irmx_study.comparison.comparisons_of_pairs import complete_values
from irmx_study.significance.paired_values import PairedValues
from irmx_study.significance.rank_tests import WilcoxonTest, count_lost_ties

if TYPE_CHECKING:
    import pandas as pd

    from irmx_study.comparison.choices import Choices

FEW, MANY = 20, 1000
"""Fewer topics than the first, or more than the second, are worth a note."""

_SHOWN = 5
"""How many names a note lists."""


def notes_on(
    scores: Scores, topics: Sequence[int], frame: pd.DataFrame, identical: Bools, choices: Choices
) -> Iterator[str]:
    """Yield notes on missing and few topics, other aggregates than means, systems without a variance, and too few draws.

    Parameters
    ----------
    scores : Scores
        The scores.
    topics : sequence of int
        The number of topics compared, per measure.
    frame : DataFrame
        One row per comparison.
    identical : bool array
        Of every comparison, whether the systems have the same value on every topic.
    choices : Choices
        How they were compared.
    """
    lacking = dict(zip(scores.systems, (~scores.retrieved).sum(axis=0).tolist(), strict=True))
    systems = [f"{system} ({missing} of {len(scores.topics)})" for system, missing in lacking.items() if missing]
    if systems:
        yield f"topics without results, which count with the measures' defaults: {_some(systems)}"
    aggregates = scores.means().to_numpy()  # as the measures themselves aggregate their values
    for m, (measure, number) in enumerate(zip(scores.measures, topics, strict=True)):
        if number < len(scores.topics):
            left_out = counted(len(scores.topics) - number, "topic")
            yield f"{measure}: {left_out} left out, on which a system has no value; means are over the others"
        elif not np.allclose(scores.values[:, :, m].mean(axis=0), aggregates[:, m], rtol=1e-9, atol=0):
            yield f"{measure}: means over topics are compared; irmx eval prints another aggregate, such as the sum"
    if min(topics) < FEW:
        yield f"with {min(topics)} topics, only large differences can be found, and the assumptions of tests cannot be checked"
    if max(topics) > MANY:
        yield f"with {max(topics):,} topics, tiny differences are significant: read the intervals and effect sizes first"
    if identical.any():
        yield f"identical on every topic, and not counted in the family: {_pairs(frame[identical])}"
    constant = frame[np.isinf(frame["statistic"])]
    if len(constant):
        yield f"the same difference on every topic, so that no variance is left to judge it by: {_pairs(constant)}"
    smallest = 1 / (choices.draws + 1)
    too_few = (frame["p"] <= smallest * (1 + 1e-9)) & (frame["p_corrected"] > choices.level)
    if "test" in choices.resampled and too_few.any():
        yield (
            f"{counted(int(too_few.sum()), 'comparison')} with p = {smallest:.2g}, the smallest of {choices.draws:,} draws, which the "
            "correction makes insignificant: more draws, or the correction maxt, may tell more"
        )
    if isinstance(choices.test, WilcoxonTest) and choices.test["decimals"] is None:
        yield from _on_lost_ties(scores, frame)


def _on_lost_ties(scores: Scores, frame: pd.DataFrame) -> Iterator[str]:
    """Yield a note if Wilcoxon's test ranks differences apart that are equal in decimals."""
    places = {system: place for place, system in enumerate(scores.systems)}
    count = 0
    for m, (_, rows) in enumerate(frame.groupby("measure", sort=False)):
        first, second = (rows[name].map(places).to_numpy() for name in ("a", "b"))
        count += count_lost_ties(PairedValues(complete_values(scores, m), first, second))
    if count:
        yield (
            f"{counted(count, 'comparison')} with differences that are equal in decimals, but not as floats, so that SciPy gives them "
            "different ranks: the test wilcoxon(decimals=10) gives them the same"
        )


def _some(names: Sequence[str]) -> str:
    """Return names as a list for a sentence."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


def _pairs(frame: pd.DataFrame) -> str:
    """Return the pairs of systems of some rows, with their measures, as a list for a sentence."""
    measures = frame.groupby(["a", "b"], sort=False)["measure"].agg(", ".join)
    return _some([f"{a} and {b} ({names})" for (a, b), names in measures.items()])
