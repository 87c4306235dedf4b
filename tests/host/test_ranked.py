"""All documents of rankings by rank, with their judgments and labels; parameters that a measure has of its own."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import irmx
from irmx import COMMON_PARAMS, Column, Measure, Param
from irmx.adapters.ir_measures.install import PROVIDER

LABEL = Column("run", "label", "any label", dtype="str")
OPTIONAL = Column("run", "label", "any label", dtype="str", optional=True)
RUNS = st.dictionaries(
    st.sampled_from(["q1", "q2", "q3"]),
    st.dictionaries(
        st.sampled_from([f"d{i}" for i in range(8)]), st.sampled_from([0.5, 1.0, 2.0, 2.0 + 1e-12]), min_size=1
    ),
    min_size=1,
)


@settings(max_examples=100, deadline=None)
@given(run=RUNS, ties=st.sampled_from(["trec", "run"]), cutoff=st.sampled_from([None, 1, 3]), judged_only=st.booleans())
def test_the_order_is_that_of_the_topics_one_by_one(run: Any, ties: str, cutoff: Any, judged_only: bool) -> None:
    qrels = {"q1": {"d1": 2, "d2": 0, "d5": -1}, "q3": {"d0": 1}, "q2": {"d7": 1, "d3": 0}}
    rows = [(q, d, s) for q, docs in run.items() for d, s in docs.items()]
    frame = pd.DataFrame(rows, columns=["query_id", "doc_id", "score"]).sample(frac=1, random_state=1)
    frame["label"] = frame["doc_id"].where(frame["doc_id"] != "d4", None)
    rankings = irmx.rankings(qrels, frame, cutoff=cutoff, ties=ties, judged_only=judged_only)
    documents = rankings.ranked
    found, names = documents.labels(LABEL, missing_ok=True)
    for t, query_id in enumerate(rankings.topics):
        here = slice(documents.offsets[t], documents.offsets[t + 1])
        docs = documents.doc_ids[here]
        assert documents.rank[here].tolist() == list(range(1, len(docs) + 1))
        np.testing.assert_array_equal(documents.score[here], [run[query_id][d] for d in docs])
        assert [names[i] if i >= 0 else None for i in found[here].tolist()] == [d if d != "d4" else None for d in docs]
        expected = [float(qrels[query_id].get(d, np.nan)) for d in docs]
        np.testing.assert_array_equal(documents.grade[here], expected)
        np.testing.assert_array_equal(documents.doc[here] >= 0, [d in qrels[query_id] for d in docs])
        assert documents.topic[here].tolist() == [t] * len(docs)


def test_labels_of_a_column_that_is_not_there() -> None:
    rankings = irmx.rankings({"q": {"a": 1}}, {"q": {"a": 1.0}})
    with pytest.raises(irmx.DataError, match="the run column 'label', any label, is missing"):
        rankings.ranked.labels(LABEL, missing_ok=True)
    number, names = rankings.ranked.labels(OPTIONAL, missing_ok=True)
    assert (number.tolist(), names) == ([-1], ())
    with pytest.raises(irmx.DataError, match="'label' has no value for query q, document 'a' at rank 1"):
        rankings.ranked.labels(OPTIONAL)


class Depth(Measure):
    """The depth of the rankings that it sees."""

    NAME = "Depth"
    RANGE = (0.0, math.inf)
    SUPPORTED_PARAMS = {"cutoff": COMMON_PARAMS["cutoff"]}

    def score(self, rankings: Any) -> Any:
        return rankings.depth.astype(float)


class OwnCutoff(Depth):
    """The same with a cutoff that is not one of documents."""

    NAME = "OwnCutoff"
    SUPPORTED_PARAMS = {"cutoff": Param(int, "number of blocks", low=1, unit="blocks")}


def test_a_cutoff_of_its_own_is_not_carried_out() -> None:
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    evaluator = PROVIDER.evaluator([Depth() @ 2, OwnCutoff() @ 2], qrels)
    assert [m.value for m in evaluator.iter_calc(run)] == [2, 3]


def test_the_old_name_of_rankings_still_works() -> None:
    qrels, run = {"q": {"a": 1}}, {"q": {"b": 2.0, "a": 1.0}}
    with pytest.warns(DeprecationWarning, match=r"irmx\.rankings"):
        old = irmx.join(qrels, run)
    assert old.relevant.rank.tolist() == irmx.rankings(qrels, run).relevant.rank.tolist() == [2]
