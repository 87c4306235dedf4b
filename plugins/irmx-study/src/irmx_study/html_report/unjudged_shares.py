"""The section on documents that nobody judged."""

from __future__ import annotations

import warnings

import numpy as np

from irmx import DataWarning, Scores
from irmx_study.assumptions.unjudged import unjudged
from irmx_study.html_report.reported import Reported
from irmx_study.html_report.section import Section, parts, table_of

JUDGED = "Judged@10"
"""The measure that gives the shares: it is computed with the others, so that no run is read twice."""

MOST_RANKINGS = 400
"""What unjudged documents could change is computed for so many rankings; it takes longer than the scores themselves."""


def shares_of_unjudged(values: Scores) -> dict[str, float]:
    """Return the share of unjudged documents in the first ten by system, averaged over the topics that it has.

    >>> import irmx
    >>> runs = {"one": {"q": {"a": 2.0, "x": 1.0}}, "two": {"q": {"a": 1.0}}}
    >>> shares_of_unjudged(irmx.scores("Judged@10", {"q": {"a": 1}}, runs))
    {'one': 0.5, 'two': 0.0}
    """
    shares = np.where(values.retrieved, 1 - values[JUDGED], 0.0)
    topics = values.retrieved.sum(axis=0)
    means = np.divide(shares.sum(axis=0), topics, out=np.full(len(topics), np.nan), where=topics > 0)
    return {system: share for system, share in zip(values.systems, means.tolist(), strict=True) if not np.isnan(share)}


def unjudged_documents(reported: Reported) -> Section | None:
    """Return the shares of unjudged documents, and for few rankings what they could change; None without judgments."""
    scores = reported.comparison.scores
    if not reported.unjudged:
        return None
    largest = max(reported.unjudged.values())
    if largest == 0 and len(scores.systems) * len(scores.topics) > MOST_RANKINGS:
        return parts("unjudged", "Unjudged documents", ["Everyone's first ten documents of every topic are judged."])
    in_order = sorted(reported.unjudged.items(), key=lambda item: -item[1])
    rows = [{"system": system, "unjudged at 10": share} for system, share in in_order]
    shares = table_of(rows, "Share of unjudged documents among the first ten, averaged over topics")
    texts = [
        "An unjudged document counts as non-relevant, so that a system with more of them may be better than it looks."
    ]
    if len(scores.systems) * len(scores.topics) > MOST_RANKINGS or reported.judgments is None:
        return parts("unjudged", "Unjudged documents", texts, tables=[shares])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # the scores have given them
        baseline = reported.comparison.baseline or None
        result = unjudged(scores.measures, reported.judgments, reported.runs, baseline=baseline, progress=False)
    columns = ["measure", "system", "value", "if_nonrelevant", "if_relevant", "bounds", "flips"]
    words = {"if_nonrelevant": "if non-relevant", "if_relevant": "if relevant", "flips": "order could change"}
    caption = (
        "Values if all unjudged documents were non-relevant or relevant, and whether the order with the baseline could change; "
        "bounds: exact if no grades give a value outside these two, an assumption if some can"
    )
    could = table_of(result.frame()[columns].rename(columns=words).to_dict("records"), caption)
    return parts("unjudged", "Unjudged documents", [*texts, *result.notes], tables=[shares, could])
