"""Documents of a table are found by fingerprints of their ids; ids with the same one are told apart all the same."""

from itertools import product
from typing import Any

import pandas as pd
import pytest

import irmx
from irmx import DataError

PAIRS = [("d1084916", "d2212787"), ("doc-190618", "doc-89407"), ("doc-2850748", "doc-603664")]
"""Ids whose fingerprints are equal in the 40 bits that the join looks at; found among six million."""


def by_dict_and_by_table(qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]]) -> tuple[Any, Any]:
    measures = "AP nDCG@10 P@5 Judged@10 Bpref"
    rows = [(topic, doc, grade) for topic, docs in qrels.items() for doc, grade in docs.items()]
    lines = [(topic, doc, score) for topic, docs in run.items() for doc, score in docs.items()]
    tables = (
        pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance"]),
        pd.DataFrame(lines, columns=["query_id", "doc_id", "score"]),
    )
    return irmx.calc_aggregate(measures, qrels, run), irmx.calc_aggregate(measures, *tables)


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize(("judged", "retrieved"), list(product([(0,), (1,), (0, 1)], repeat=2)))
def test_only_the_same_id_is_the_same_document(
    pair: tuple[str, str], judged: tuple[int, ...], retrieved: tuple[int, ...]
) -> None:
    grades = {pair[i]: 1 + i for i in judged}
    qrels = {"p": {**grades, "x": 0}, "q": {"y": 1, **grades}}
    run = {topic: {"x": 3.0, **{pair[i]: 2.0 + i for i in retrieved}, "y": 1.0} for topic in ("q", "p")}
    by_dict, by_table = by_dict_and_by_table(qrels, run)
    assert by_dict == by_table


@pytest.mark.parametrize("pair", PAIRS)
def test_a_real_repeat_is_refused_and_two_that_collide_are_not(pair: tuple[str, str]) -> None:
    qrels = pd.DataFrame([("q", pair[0], 1)], columns=["query_id", "doc_id", "relevance"])
    rows = [("q", pair[0], 2.0), ("q", pair[1], 1.0)]
    run = pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])
    assert irmx.calc_aggregate("AP", qrels, run) == {irmx.parse_measure("AP"): 1.0}
    with pytest.raises(DataError):
        irmx.calc_aggregate("AP", qrels, pd.DataFrame([*rows, ("q", pair[1], 0.5)], columns=run.columns))
