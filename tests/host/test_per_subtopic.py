"""Rankings per subtopic: the same documents and ranks, judged by some rows of the qrels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import irmx
from irmx import Column

SUBTOPIC = Column("qrels", "iteration", "id of the subtopic", dtype="str")
ROWS = st.lists(
    st.tuples(st.sampled_from("pq"), st.sampled_from(["a", "b", "c", "d", ""]), st.sampled_from("123"), st.sampled_from([-1, 0, 1, 2])),
    min_size=1, max_size=14,
)  # fmt: skip
RUNS = st.fixed_dictionaries({t: st.permutations("abcdxy") for t in "pq"})
VIEWS = st.fixed_dictionaries(
    {"rel": st.sampled_from([1, 2]), "cutoff": st.sampled_from([None, 2]), "judged_only": st.booleans(), "ties": st.sampled_from(["trec", "run"])}
)  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*contradict each other")  # rows are drawn that do
@settings(max_examples=80, deadline=None)
@given(rows=ROWS, run=RUNS, view=VIEWS)
def test_a_part_is_what_the_join_of_its_rows_is(rows: Any, run: Any, view: Any) -> None:
    """The parts are the subtopics of both topics; rows of subtopic 3 are in none."""
    qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "iteration", "relevance"])
    tables = {t: {d: float(-(i // 2)) for i, d in enumerate(docs)} for t, docs in run.items()}
    whole = irmx.rankings(qrels, tables, **view)
    labels, names = whole.qrels_rows.labels(SUBTOPIC)
    of_row = [
        (whole.topics[t], names[n]) for t, n in zip(whole.qrels_rows.topic.tolist(), labels.tolist(), strict=True)
    ]
    parts = sorted({pair for pair in of_row if pair[1] != "3"})
    if not parts:
        return
    found = whole.per_subtopic(np.array([parts.index(p) if p in parts else -1 for p in of_row]), len(parts))
    assert found.topics == tuple(t for t, _ in parts)
    for i, (topic, subtopic) in enumerate(parts):
        mine = qrels[(qrels["query_id"] == topic) & (qrels["iteration"] == subtopic)]
        alone = irmx.rankings(mine, {topic: tables[topic]}, **view)
        for name in ("judged", "relevant", "ranked"):
            theirs, ours = getattr(alone, name), getattr(found, name)
            here = slice(ours.offsets[i], ours.offsets[i + 1])
            assert theirs.rank.tolist() == ours.rank[here].tolist()
            np.testing.assert_array_equal(theirs.grade, ours.grade[here])
            np.testing.assert_array_equal(theirs.score, ours.score[here])
            assert theirs.doc_ids == ours.doc_ids[here]
        assert (found.depth[i], found.recall_base[i], found.judged_nonrelevant[i]) == (
            alone.depth[0], alone.recall_base[0], alone.judged_nonrelevant[0]
        )  # fmt: skip
        rows = found.qrels_rows.of_topic(i)
        assert rows.grade.tolist() == alone.qrels_rows.grade.tolist()
        assert rows.rank.tolist() == alone.qrels_rows.rank.tolist()
        assert rows.doc_ids == alone.qrels_rows.doc_ids
        np.testing.assert_array_equal(rows.score, alone.qrels_rows.score)
        label, names = rows.labels(SUBTOPIC)
        assert [names[n] for n in label.tolist()] == [subtopic] * len(mine)


def test_labels() -> None:
    qrels = pd.DataFrame(
        {
            "query_id": "q",
            "doc_id": list("abcd"),
            "relevance": 1,
            "text": ["x", "", None, "y"],
            "number": [2.0, np.nan, 1.5, 2],
        }
    )
    rows = irmx.rankings(qrels, {"q": {"a": 1.0}}).qrels_rows
    for name, expected in (("text", ["x", None, None, "y"]), ("number", [2, None, 1.5, 2])):
        numbers, names = rows.labels(Column("qrels", name, "any"), missing_ok=True)
        assert [None if n < 0 else names[n] for n in numbers.tolist()] == expected


def test_labels_that_are_neither_texts_nor_numbers() -> None:
    qrels = pd.DataFrame({"query_id": "q", "doc_id": ["a"], "relevance": 1, "tags": [["x"]]})
    with pytest.raises(irmx.DataError, match="tags must be a text or a number"):
        irmx.rankings(qrels, {"q": {"a": 1.0}}).qrels_rows.labels(Column("qrels", "tags", "any"))


def test_the_largest_grade_is_that_of_all_topics() -> None:
    qrels = {"q": {"a": 1}, "other": {"b": 3}}
    rankings = irmx.rankings(qrels, {"q": {"a": 1.0}})
    assert rankings.largest_grade == 3
    assert rankings.per_subtopic(np.array([0]), 1).largest_grade == 3


def test_what_is_kept_of_the_qrels_is_made_once_for_runs_of_the_same_topics() -> None:
    judgments = irmx.read_qrels({"p": {"a": 1}, "q": {"b": 1}})
    made = []

    def value(run: Any) -> int:
        return irmx.rankings(judgments, run).qrels_memo("key", lambda: made.append(1) or len(made))

    both = {"p": {"a": 1.0}, "q": {"b": 1.0}}
    assert [value(both), value({"p": {"x": 1.0}, "q": {"b": 2.0}}), value({"p": {"a": 1.0}}), value(both)] == [
        1,
        1,
        2,
        3,
    ]


def test_what_is_kept_of_the_qrels_is_that_of_the_topics_when_another_thread_asks_for_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The other thread is as quick as it can be: it runs whenever the last values have been replaced."""
    memo = property(
        lambda judgments: vars(judgments)["kept"],
        lambda judgments, new: vars(judgments).update(kept=(b"other topics", {"key": "theirs"}) if new[0] else new),
    )
    monkeypatch.setattr(irmx.Judgments, "_memo", memo, raising=False)
    judgments = irmx.read_qrels({"q": {"a": 1}})
    assert judgments.memo(np.array([0]), "key", lambda: "ours") == "ours"
