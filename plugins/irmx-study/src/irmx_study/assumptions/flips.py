"""Whether the order of two systems would flip under some grades of the documents that are unjudged."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from irmx import Join
from irmx.ragged import Bools, Floats
from irmx_study.assumptions.assumed_values import AssumedValues, means_of

_ROUNDING = 1e-12
"""Differences that are smaller come from the rounding of sums."""

UnjudgedDocuments = dict[str, dict[str, int]]
"""The unjudged documents that a run retrieved, with their ranks, by topic."""


@dataclass(frozen=True)
class Extremes:
    """The extremes of the difference of two systems, one value per measure.

    Attributes
    ----------
    smallest, largest : float array
        The differences of their means if unjudged documents are relevant only where the second, or the first system ranks them
        better.
    """

    smallest: Floats
    largest: Floats


def extremes_of(
    a: Join, b: Join, documents: tuple[UnjudgedDocuments, UnjudgedDocuments], grade: float, assumed: AssumedValues
) -> Extremes:
    """Return the extremes of the difference of two systems, a - b.

    In favour of a system, an unjudged document is relevant only if that system ranks it better than the other, or alone
    retrieved it. If what a document adds depends on its rank alone, no other grades give a larger difference.

    Parameters
    ----------
    a, b : Join
        The runs, joined with the same judgments.
    documents : tuple of dict
        The unjudged documents of each to consider: those at ranks up to a depth.
    grade : float
        The grade of relevant ones.
    assumed : AssumedValues
        What scores the views.
    """
    differences = []
    for better, other in (documents[::-1], documents):
        judgments = a.judgments.with_rows(_ranked_better(better, other, grade))
        values = assumed.of([join.with_judgments(judgments) for join in (a, b)])
        of_a, of_b = means_of(assumed.measures, values.transpose(1, 0, 2))
        differences.append(of_a - of_b)
    return Extremes(*differences)


def _ranked_better(better: UnjudgedDocuments, other: UnjudgedDocuments, grade: float) -> dict[str, dict[str, float]]:
    """Return a grade for the documents that one run ranks better than the other, or alone retrieved."""
    return {
        topic: {doc: grade for doc, rank in ranks.items() if rank < other.get(topic, {}).get(doc, np.inf)}
        for topic, ranks in better.items()
    }


def would_flip(smallest: Floats, largest: Floats) -> Bools:
    """Tell whether the differences of two systems reach from below to above zero."""
    return np.asarray((smallest < -_ROUNDING) & (largest > _ROUNDING))
