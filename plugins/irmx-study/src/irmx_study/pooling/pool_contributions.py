"""Which judged documents each group of runs brings into a pool."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from irmx import Join, Judgments, Run
from irmx.ragged import Bools, segment_of
from irmx.toolkit import of_each_run, progress_bar


@dataclass(frozen=True, eq=False)
class GroupCuts:
    """Judgments without the documents that one group alone brought into the pool, for every group.

    Attributes
    ----------
    groups : tuple of str
        The names of the groups.
    lost : bool array, shape (groups, documents)
        Which documents of ``Judgments.docs`` become unjudged without each group.
    unpooled : int
        The number of judged documents that no run has in the pool; they stay.
    """

    groups: tuple[str, ...]
    lost: Bools
    unpooled: int

    def masks(self, judgments: Judgments) -> Iterable[Bools]:
        """Return, for every group, which documents of ``judgments.docs`` stay."""
        return ~self.lost


def left_out(
    runs: Mapping[str, Any], group_of: Mapping[str, str], judgments: Judgments, depth: int, progress: bool | None = None
) -> GroupCuts:
    """Return what the judgments lose without each group of runs.

    The pool is the union of the top ``depth`` documents of all runs, in the order of trec_eval. Without a group, the judged
    documents that only its runs have there are lost. Documents with a negative grade are not judged, and always stay.

    Parameters
    ----------
    runs : mapping of str to any
        The runs, which are read one after the other.
    group_of : mapping of str to str
        The group of each.
    judgments : Judgments
        The judgments.
    depth : int
        The pool depth.
    progress : bool, optional
        Whether to show a progress bar; by default, if standard error is a terminal.
    """
    groups = tuple(dict.fromkeys(group_of.values()))
    has = np.zeros((len(groups), len(judgments)), dtype=bool)

    def top(run: Run) -> np.ndarray[Any, Any]:
        hits = Join(run, judgments).hits(None, "trec")
        return hits.doc[hits.rank <= depth]

    with progress_bar("Reading pools", len(runs), shown=progress) as advance, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scoring the runs issues them again
        for name, documents in of_each_run(runs, judgments, top):
            has[groups.index(group_of[name]), documents] = True
            advance(1)
    judged = judgments.grade >= 0
    of_groups = has.sum(axis=0)
    return GroupCuts(groups, has & (of_groups == 1) & judged, int(np.count_nonzero((of_groups == 0) & judged)))


def topics_emptied(cuts: GroupCuts, judgments: Judgments, rel: float) -> Sequence[int]:
    """Return for how many topics with relevant documents none is left without each group."""
    topic, relevant = segment_of(judgments.offsets), judgments.grade >= rel
    count = len(judgments.topics)
    before = np.bincount(topic[relevant], minlength=count) > 0
    left = [np.bincount(topic[relevant & ~lost], minlength=count) > 0 for lost in cuts.lost]
    return [int(np.count_nonzero(before & ~after)) for after in left]


def counts_of(cuts: GroupCuts, judgments: Judgments, rel: float) -> Sequence[tuple[int, int]]:
    """Return how many judged documents are lost without each group, and how many of them are relevant."""
    relevant = judgments.grade >= rel
    return [(int(lost.sum()), int((lost & relevant).sum())) for lost in cuts.lost]
