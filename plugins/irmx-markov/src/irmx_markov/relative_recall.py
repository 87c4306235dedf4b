"""Relative recall: the largest number of relevant documents that any run of a set retrieves, per topic."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

import irmx

if TYPE_CHECKING:
    import pandas as pd


def add_best_retrieved(qrels: Any, runs: Iterable[Any], rel: float = 1, cutoff: int | None = None) -> pd.DataFrame:
    """Return qrels with the column ``best_retrieved``, which ``rescale='relative_recall'`` reads.

    Parameters
    ----------
    qrels : any
        Whatever :func:`irmx.read_qrels` takes.
    runs : iterable
        The runs to be compared, each whatever :func:`irmx.read_run` takes.
    rel : float
        The smallest grade that counts as relevant.
    cutoff : int, optional
        Number of documents at the top of each run to consider.

    Returns
    -------
    DataFrame
        The columns ``query_id``, ``doc_id``, ``relevance``, ``iteration`` and ``best_retrieved``.

    Examples
    --------
    >>> qrels = {"q": {"a": 1, "b": 1, "c": 1}}
    >>> runs = [{"q": {"a": 2.0, "x": 1.0}}, {"q": {"a": 3.0, "b": 2.0}}]
    >>> table = add_best_retrieved(qrels, runs)
    >>> irmx.calc_aggregate("MP(model=constant,rescale='relative_recall')", table, runs[0])
    {MP(model=constant,rescale='relative_recall'): 0.5}
    """
    import pandas as pd

    judgments = irmx.read_qrels(qrels)
    best = dict.fromkeys(judgments.index, 0)
    common: dict[str, Any] = {"rel": rel} if cutoff is None else {"rel": rel, "cutoff": cutoff}
    for run in runs:
        rankings = irmx.rankings(judgments, run, **common)
        for topic, r in zip(rankings.topics, rankings.relevant.count.tolist(), strict=True):
            best[str(topic)] = max(best[str(topic)], r)
    table = pd.DataFrame(list(judgments), columns=["query_id", "doc_id", "relevance", "iteration"])
    return table.assign(best_retrieved=np.array([best[str(q)] for q in table["query_id"]], dtype=np.int64))
