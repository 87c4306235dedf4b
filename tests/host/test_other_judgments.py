"""Views of one join: values are those of qrels that were cut, or extended, before reading."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import irmx
from irmx.ragged import segment_of

ROWS = st.lists(
    st.tuples(st.sampled_from("pqr"), st.sampled_from(["a", "b", "c", "d", "e", ""]), st.sampled_from("12"), st.sampled_from([-1, 0, 1, 2])),
    min_size=1, max_size=16,
)  # fmt: skip
RUN = st.fixed_dictionaries({t: st.permutations("abcdexy") for t in "pq"})
COMMON = st.fixed_dictionaries(
    {"rel": st.sampled_from([0, 1, 2]), "cutoff": st.sampled_from([None, 3]), "judged_only": st.booleans(), "ties": st.sampled_from(["trec", "run"])}
)  # fmt: skip
KEEP = st.sets(st.tuples(st.sampled_from("pqr"), st.sampled_from("abcde")))
SUBTOPIC = irmx.Column("qrels", "iteration", "id of the subtopic", dtype="str")
contradicting = pytest.mark.filterwarnings("ignore:.*contradict each other")


def kept(judgments: irmx.Judgments, pairs: set[tuple[str, str]]) -> list[bool]:
    """Return which documents of the judgments are among pairs of a topic and a document."""
    topics = segment_of(judgments.offsets).tolist()
    return [(str(judgments.topics[t]), doc) in pairs for t, doc in zip(topics, judgments.docs, strict=True)]


def frame(rows: Sequence[Any]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "iteration", "relevance"])


def with_ties(run: dict[str, Sequence[str]]) -> dict[str, dict[str, float]]:
    return {t: {d: float(-(i // 2)) for i, d in enumerate(docs)} for t, docs in run.items()}


def table(run: dict[str, dict[str, float]]) -> pd.DataFrame:
    return pd.DataFrame(
        [(t, d, s) for t, docs in run.items() for d, s in docs.items()], columns=["query_id", "doc_id", "score"]
    )


def assert_same(ours: irmx.Rankings, expected: irmx.Rankings) -> None:
    """Compare everything that measures see, topic by topic."""
    assert sorted(ours.topics) == sorted(expected.topics)
    for of_ours in ours:
        [of_expected] = [ranking for ranking in expected if ranking.query_id == of_ours.query_id]
        for kind in ("relevant", "judged", "ranked", "qrels_rows"):
            rows, wanted = getattr(of_ours, kind), getattr(of_expected, kind)
            assert rows.doc_ids == wanted.doc_ids
            for name in ("rank", "grade", "score"):
                np.testing.assert_array_equal(getattr(rows, name), getattr(wanted, name), err_msg=f"{kind}.{name}")
            np.testing.assert_array_equal(rows.doc >= 0, wanted.doc >= 0)
        for name in ("depth", "recall_base", "judged_nonrelevant"):
            assert getattr(of_ours, name) == getattr(of_expected, name), name
        assert of_ours.judged_grades.tolist() == of_expected.judged_grades.tolist()
        labels = [
            [names[n] if n >= 0 else None for n in number.tolist()]
            for number, names in (r.qrels_rows.labels(SUBTOPIC, missing_ok=True) for r in (of_ours, of_expected))
        ]
        assert labels[0] == labels[1]
    assert ours.largest_grade == expected.largest_grade
    assert ours.run_rows.rank.tolist() == expected.run_rows.rank.tolist()


@contradicting
@settings(max_examples=150)
@given(rows=ROWS, run=RUN, common=COMMON, first=KEEP, second=KEEP, as_table=st.booleans())
def test_a_view_is_the_join_of_rows_cut_before(
    rows: Any, run: Any, common: Any, first: Any, second: Any, as_table: bool
) -> None:
    """And so is a view of a view, also when the run was joined with neither of its judgments."""
    qrels, ranked = frame(rows), with_ties(run)
    source = table(ranked) if as_table else ranked
    judgments = irmx.read_qrels(qrels)
    whole = irmx.Rankings(irmx.Join(irmx.read_run(source), judgments), **common)
    cut = judgments.where(kept(judgments, first))
    of_cut = cut.where(kept(cut, second))
    base = irmx.Join(irmx.read_run(source), judgments)
    for pairs, views in (
        (first, [whole.with_judgments(cut), whole.with_judgments(kept(judgments, first))]),
        (
            first & second,
            [
                whole.with_judgments(cut).with_judgments(kept(cut, second)),
                irmx.Rankings(base.with_judgments(of_cut), **common),
            ],
        ),
    ):
        left = qrels[[d == "" or (t, d) in pairs for t, d in zip(qrels["query_id"], qrels["doc_id"], strict=True)]]
        read = irmx.read_qrels(left)
        expected = irmx.Rankings(irmx.Join(irmx.read_run(source), read), **common)
        for view in views:
            assert_same(view, expected)
    assert sorted(map(str, of_cut.topics)) == sorted(map(str, read.topics))
    assert sorted(of_cut) == sorted(read)
    assert sorted(of_cut.rows_of_subtopics()) == sorted(read.rows_of_subtopics())
    assert of_cut.as_dict() == read.as_dict()


@contradicting
@settings(max_examples=100)
@given(rows=ROWS, run=RUN, common=COMMON, keep=KEEP, grade=st.sampled_from([0, 1, 2.5]), as_table=st.booleans())
def test_assumed_grades_are_rows_added_before(
    rows: Any, run: Any, common: Any, keep: Any, grade: float, as_table: bool
) -> None:
    """Every retrieved document without a grade, or with a negative one, has a further row; then the view is cut again."""
    ranked = with_ties(run)
    judgments = irmx.read_qrels(frame(rows))
    source = table(ranked) if as_table else ranked
    left = [r for r in rows if r[1] == "" or (r[0], r[1]) in keep]
    topics, judged = {r[0] for r in left}, {(r[0], r[1]) for r in left if r[3] >= 0}
    more = [(t, d, None, grade) for t, docs in ranked.items() for d in docs if t in topics and (t, d) not in judged]
    rankings = irmx.Rankings(irmx.Join(irmx.read_run(source), judgments), **common)
    view = rankings.with_judgments(kept(judgments, keep), unjudged=grade)
    assert_same(view, irmx.Rankings(irmx.Join(irmx.read_run(source), irmx.read_qrels(frame([*left, *more]))), **common))
    extended = view._join.judgments
    assert sorted((r.query_id, r.doc_id, r.relevance) for r in extended) == sorted(
        (t, d, g) for t, d, _, g in [*left, *more]
    )
    without_a = view.with_judgments([doc != "a" for doc in extended.docs])
    left_and_more = [r for r in [*left, *more] if r[1] != "a"]
    if left_and_more:
        expected = irmx.read_qrels(frame(left_and_more))
        assert_same(without_a, irmx.Rankings(irmx.Join(irmx.read_run(source), expected), **common))
