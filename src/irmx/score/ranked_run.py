"""A run as providers of ir_measures get it: one order of documents for all of them, that of trec_eval."""

from __future__ import annotations

import numpy as np

from irmx.data import dicts
from irmx.ragged import Floats, Ints, offsets_of, segment_of
from irmx.rank.join import Join

RankedRun = dict[str, dict[str, float]]

LARGEST = 1e300
"""Scores that are infinite in 32 bits become this large, so that larger and smaller floats remain."""


def ranked_run(join: Join, keep_scores: bool = False) -> RankedRun:
    """Return ``{query_id: {doc_id: score}}`` over the topics of a join, best document first, with strictly decreasing scores.

    Providers break ties in five ways: by the order of lines, by id in both directions, in 32 or in 64 bits. Without ties, all rank
    alike.

    Parameters
    ----------
    join : Join
        The run and the judgments; the result is kept with it.
    keep_scores : bool
        Whether scores stay those of the run, except where they are equal in 32 bits: there they differ from it by less than 32
        bits can tell. By default they are whole numbers: the number of documents at the first rank, 1 at the last.

    Examples
    --------
    >>> import irmx
    >>> join = irmx.Join(irmx.read_run({"q": {"a": 0.5, "b": 0.5, "c": 2.5}}), irmx.read_qrels({"q": {"a": 1}}))
    >>> ranked_run(join)
    {'q': {'c': 3.0, 'b': 2.0, 'a': 1.0}}
    >>> ranked_run(join, keep_scores=True)
    {'q': {'c': 2.5, 'b': 0.5, 'a': 0.4999999999999999}}
    """
    return join.memo(("ranked run", keep_scores), lambda: _ranked_run(join, keep_scores))


def _ranked_run(join: Join, keep_scores: bool) -> RankedRun:
    rows, offsets = join.ranked_rows("trec"), offsets_of(join.depth)
    docs, ends, deepest = join.doc_ids(offsets, rows), offsets.tolist(), int(join.depth.max(initial=0))
    dicts.check_ids("run", "doc_id", docs)  # those of a dict, at which nothing else has looked
    dicts.check_ids("run", "query_id", join.run.topics)
    scores = _without_ties(join, rows, offsets).tolist() if keep_scores else [float(n) for n in range(deepest, 0, -1)]
    return {
        join.run.topics[in_run]: dict(
            zip(docs[a:b], scores[a:b] if keep_scores else scores[deepest - (b - a) :], strict=True)
        )
        for (in_run, _), a, b in zip(join.pairs, ends, ends[1:], strict=False)
    }


def _without_ties(join: Join, rows: Ints, offsets: Ints) -> Floats:
    """Return the scores of ranked rows, where those that are equal in 32 bits decrease by one 64-bit float after the other.

    Between two neighbouring 32-bit floats there are 2^29 floats of 64 bits, more than a topic has documents.
    """
    topic, compared = segment_of(offsets), join.comparable_scores("trec")[rows]
    tied = np.append(False, (compared[1:] == compared[:-1]) & (topic[1:] == topic[:-1]))
    row = np.arange(len(rows))
    place = row - np.maximum.accumulate(np.where(tied, 0, row))
    in_tie = tied | np.append(tied[1:], False)
    score = np.clip(compared.astype(np.float64), -LARGEST, LARGEST)
    return np.where(in_tie, score - place * np.spacing(np.abs(score)), join.run.score[rows])
