"""The section on documents that nobody judged."""

from __future__ import annotations

import numpy as np

from irmx import Scores

JUDGED = "Judged@10"
"""The measure that gives the shares: it is computed with the others, so that no run is read twice."""


def shares_of_unjudged(values: Scores) -> dict[str, float]:
    """Return the share of unjudged documents in the first ten by system, averaged over the topics that it has.

    >>> import irmx
    >>> runs = {"one": {"q": {"a": 2.0, "x": 1.0}}, "two": {"q": {"a": 1.0}}}
    >>> shares_of_unjudged(irmx.scores("Judged@10", {"q": {"a": 1}}, runs))
    {'one': 0.5, 'two': 0.0}
    """
    unjudged = np.where(values.retrieved, 1 - values[JUDGED], 0.0)
    topics = values.retrieved.sum(axis=0)
    means = np.divide(unjudged.sum(axis=0), topics, out=np.full(len(topics), np.nan), where=topics > 0)
    return {system: share for system, share in zip(values.systems, means.tolist(), strict=True) if not np.isnan(share)}
