"""Shares of nuggets do not exceed 1 by the rounding of sums."""

import itertools

import pandas as pd
import pytest

import irmx


@pytest.mark.parametrize("order", list(itertools.permutations(range(5))))
def test_all_nuggets_found_are_exactly_1(order: tuple[int, ...]) -> None:
    """Found in any order: the sum of what was found and that of all are of the same numbers in one order."""
    names = [f"n{i}" for i in range(5)]
    qrels = pd.DataFrame(
        {
            "query_id": "q",
            "doc_id": [f"u{i}" for i in range(5)],
            "iteration": names,
            "relevance": 1,
            "importance": [1, 1, 0, 3, 2],
            "timestamp": 0,
        }
    )
    run = pd.DataFrame({"query_id": "q", "doc_id": [f"u{i}" for i in range(5)], "score": 1.0, "timestamp": order})
    assert irmx.calc_aggregate("Comp(unimportant='keep')", qrels, run) == {irmx.Comp(unimportant="keep"): 1.0}
