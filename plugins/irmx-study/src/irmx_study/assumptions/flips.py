"""Whether the order of two systems would flip under some grades of the documents that are unjudged."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from irmx import Join, Judgments, Rankings
from irmx.ragged import Bools, Floats
from irmx_study.assumptions.assumed_values import AssumedValues, means_of

_ROUNDING = 1e-12
"""Differences that are smaller come from the rounding of sums."""

UnjudgedDocuments = dict[str, list[str]]
"""The unjudged documents that a run retrieved, by topic."""


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
        The unjudged documents of each to consider.
    grade : float
        The grade of relevant ones.
    assumed : AssumedValues
        What scores the views.
    """
    rows: dict[str, dict[str, float]] = {}
    for of_run in documents:
        for topic, docs in of_run.items():
            rows.setdefault(topic, {}).update(dict.fromkeys(docs, grade))
    all_relevant = a.judgments.with_rows(rows)
    views = [join.with_judgments(all_relevant) for join in (a, b)]
    rank_in_a, rank_in_b = (_ranks(view) for view in views)
    unjudged = _was_unjudged(all_relevant)
    differences = []
    for is_relevant in (rank_in_b < rank_in_a, rank_in_a < rank_in_b):
        judgments = all_relevant.where(~unjudged | is_relevant, keep_topics=True)
        values = assumed.of([view.with_judgments(judgments) for view in views])
        of_a, of_b = means_of(assumed.measures, values.transpose(1, 0, 2))
        differences.append(of_a - of_b)
    return Extremes(*differences)


def would_flip(smallest: Floats, largest: Floats) -> Bools:
    """Tell whether the differences of two systems reach from below to above zero."""
    return np.asarray((smallest < -_ROUNDING) & (largest > _ROUNDING))


def _ranks(join: Join) -> Floats:
    """Return the rank of every judged document; infinite for those that the run did not retrieve."""
    judged = Rankings(join).judged
    ranks = np.full(len(join.judgments), np.inf)
    ranks[judged.doc] = judged.rank
    return ranks


def _was_unjudged(extended: Judgments) -> Bools:
    """Tell which documents of judgments with added rows have a grade only because of these."""
    assert extended.selection is not None
    before = extended.selection.base.grade
    grade_before = np.append(before, np.full(len(extended), -1.0))[extended.selection.doc]
    return np.asarray((grade_before < 0) & (extended.grade >= 0))
