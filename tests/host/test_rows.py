"""Rows of the run and of the qrels, and their columns: what is there, in which order, and what is missing."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import irmx
from irmx import Column, DataError, Rows

TIME = Column("run", "timestamp", "when it was emitted", "s", how="add it")
SUBTOPIC = Column("qrels", "iteration", "id of the subtopic", dtype="str")
WORDS = Column("run", "length", "words", optional=True)
END = Column("qrels", "query_end", "end of the topic", "s")
QRELS = pd.DataFrame(
    [
        ("p", "z", 1, "9", 7.0),
        ("q", "a", 1, "1", 5.0),
        ("q", "", 1, "3", np.nan),
        ("r", "a", 1, "1", 1.0),
        ("q", "b", 0, "1", 5.0),
        ("q", "a", 2, "2", np.nan),
        ("q", "c", 1, "4", 5.0),
        ("s", "", 1, "1", 8.0),
    ],
    columns=["query_id", "doc_id", "relevance", "iteration", "query_end"],
)
RUN = pd.DataFrame(
    [("s", "y", 1.0, 0.5), ("q", "b", 3.0, 10.0), ("q", "x", 2.0, 20.0), ("p", "y", 1.0, 30.0), ("q", "a", 2.5, 40.0)],
    columns=["query_id", "doc_id", "score", "timestamp"],
)


@pytest.mark.parametrize("judged_only", [False, True])
def test_all_rows_of_a_topic_are_there_and_those_that_declare_a_subtopic(judged_only: bool) -> None:
    rankings = irmx.rankings(QRELS, RUN, judged_only=judged_only)
    rows = rankings.qrels_rows
    label, names = rows.labels(SUBTOPIC)
    iteration = [names[i] for i in label.tolist()]
    assert rankings.topics == ("p", "q", "s")
    assert list(zip(rows.topic.tolist(), iteration, rows.rank.tolist(), rows.grade.tolist(), rows.declares.tolist(),
                    strict=True)) == [
        (0, "9", 0, 1.0, False),
        (1, "1", 2, 1.0, False), (1, "3", 0, 1.0, True), (1, "1", 1, 0.0, False), (1, "2", 2, 2.0, False),
        (1, "4", 0, 1.0, False),
        (2, "1", 0, 1.0, True),
    ]  # fmt: skip
    assert rows.doc_ids == ("z", "a", "", "b", "a", "c", "")
    np.testing.assert_array_equal(rows.score, [np.nan, 2.5, np.nan, 3.0, 2.5, np.nan, np.nan])
    assert rankings.recall_base.tolist() == [1, 2, 0]


def test_rows_below_the_cutoff_have_no_rank_and_qrels_without_columns_have_rows() -> None:
    assert irmx.rankings(QRELS, RUN, cutoff=1).qrels_rows.rank.tolist() == [0, 0, 0, 1, 0, 0, 0]
    rows = irmx.rankings({"q": {"a": 1, "b": -2, "c": 0}}, {"q": {"b": 2.0, "a": 1.0}}).qrels_rows
    assert rows.rank.tolist() == [2, 1, 0]
    assert rows.grade.tolist() == [1.0, -2.0, 0.0]
    assert not rows.declares.any()
    assert not rows.has(SUBTOPIC)
    with pytest.raises(DataError, match="the qrels column 'iteration', id of the subtopic, is missing"):
        rows.labels(SUBTOPIC, missing_ok=True)


def test_rows_of_a_file_know_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "qrels.csv"
    QRELS.to_csv(path, index=False)
    rankings = irmx.rankings(str(path), RUN)
    rows = rankings.qrels_rows  # of the topics p, q and s
    assert rows.place([0]) == f"{path}, line 2"
    assert rows.place([3, 6]) == f"{path}, lines 6 and 9"
    part = np.where(rows.topic == 1, np.arange(len(rows.topic)) % 2, -1)
    parts = rankings.per_subtopic(part, 2).qrels_rows
    label, names = parts.labels(SUBTOPIC)
    found = {(float(names[n]), parts.place([i])) for i, n in enumerate(label.tolist())}
    lines = QRELS[QRELS["query_id"] == "q"].index + 2
    assert found == {(n, f"{path}, line {line}") for n, line in zip([1, 3, 1, 2, 4], lines.tolist(), strict=True)}
    assert irmx.rankings(QRELS, RUN).qrels_rows.place([0]) == ""
    assert irmx.rankings({"q": {"a": 1}}, RUN).qrels_rows.place([0]) == ""


def test_a_topic_column_may_stand_in_some_rows_only() -> None:
    assert irmx.rankings(QRELS, RUN).topic_column(END).tolist() == [7.0, 5.0, 8.0]
    with pytest.raises(DataError, match=r"one value for query s. Found \[\]"):
        irmx.rankings(QRELS.assign(query_end=[7.0, 5.0, *[np.nan] * 6]), RUN).topic_column(END)


def test_a_run_column_over_relevant_judged_and_all_documents() -> None:
    rankings = irmx.rankings(QRELS, RUN)
    assert rankings.relevant.column(TIME).tolist() == [40.0]
    assert rankings.judged.column(TIME).tolist() == [10.0, 40.0]
    assert rankings.ranked.column(TIME).tolist() == [30.0, 10.0, 40.0, 20.0, 0.5]
    assert [r.ranked.column(TIME).tolist() for r in rankings] == [[30.0], [10.0, 40.0, 20.0], [0.5]]
    assert irmx.rankings(QRELS, RUN, judged_only=True).ranked.column(TIME).tolist() == [10.0, 40.0]
    assert irmx.rankings(QRELS, RUN, cutoff=1).ranked.column(TIME).tolist() == [30.0, 10.0, 0.5]
    lacking = irmx.rankings(QRELS, RUN.assign(timestamp=[0.5, 10.0, np.nan, 30.0, 40.0]))
    assert lacking.relevant.column(TIME).tolist() == [40.0]
    np.testing.assert_array_equal(lacking.ranked.column(TIME, missing_ok=True), [30.0, 10.0, 40.0, np.nan, 0.5])
    with pytest.raises(DataError, match="no value for query q, document 'x' at rank 3"):
        lacking.ranked.column(TIME)
    before, of_q, after = (ranking.ranked for ranking in lacking)
    assert (before.column(TIME).tolist(), after.column(TIME).tolist()) == ([30.0], [0.5])
    with pytest.raises(DataError, match="no value for query q, document 'x' at rank 3"):
        of_q.column(TIME)


def test_a_row_of_the_qrels_without_a_value_is_named_by_its_line(tmp_path: Path) -> None:
    path = tmp_path / "qrels.csv"
    QRELS.to_csv(path, index=False)
    with pytest.raises(
        DataError, match=rf"{path}, line 4: The qrels column 'query_end' has no value for query q, document ''"
    ):
        irmx.rankings(str(path), RUN).qrels_rows.column(END)


def test_a_column_that_is_not_there_has_no_value_where_it_is_optional() -> None:
    rows = irmx.rankings(QRELS, RUN).run_rows
    assert rows.has(TIME)
    assert not rows.has(WORDS)
    assert np.isnan(rows.column(WORDS, missing_ok=True)).all()
    with pytest.raises(DataError, match=r"'length' has no value for query p, document 'y' at rank 1"):
        rows.column(WORDS)


def test_columns_of_the_other_table_and_of_labels_are_refused() -> None:
    rankings = irmx.rankings(QRELS, RUN)
    with pytest.raises(
        TypeError, match="'query_end' is read over rows of the qrels, which are qrels_rows; these are of the run"
    ):
        rankings.relevant.column(END)
    with pytest.raises(TypeError, match="'iteration' is declared to hold labels; read it with labels"):
        rankings.qrels_rows.column(SUBTOPIC)


def test_rows_of_the_run_have_ranks_and_grades() -> None:
    rows = irmx.rankings(QRELS, RUN, cutoff=2).run_rows
    assert rows.doc_ids == ("y", "b", "x", "a", "y")
    assert rows.rank.tolist() == [1, 1, 0, 2, 1]
    assert rows.score.tolist() == [1.0, 3.0, 2.0, 2.5, 1.0]
    np.testing.assert_array_equal(rows.grade, [np.nan, 0.0, np.nan, 2.0, np.nan])


def test_some_rows() -> None:
    judged = irmx.rankings(QRELS, RUN).judged
    best = judged.where(judged.grade > 0)
    assert (best.rank.tolist(), best.count.tolist(), best.doc_ids) == ([2], [0, 1, 0], ("a",))
    assert (best.column(TIME).tolist(), best.sum(best.grade).tolist(), best.ordinal.tolist()) == (
        [40.0],
        [0, 2, 0],
        [1],
    )
    assert repr(best) == "<irmx.Rows: 1 row of the run, 3 topics>"


@pytest.mark.parametrize(
    ("wrong", "error", "says"),
    [
        (lambda rows: rows.of_topic(-1), IndexError, "No topic has the number -1. There are 3 topics, from 0."),
        (lambda rows: rows.of_topic(3), IndexError, "No topic has the number 3. There are 3 topics, from 0."),
        (
            lambda rows: rows.where([True]),
            ValueError,
            "Rows.where takes one truth value per row, the shape (2,). Got the shape (1,).",
        ),
        (
            lambda rows: rows.where(np.ones(3, dtype=bool)),
            ValueError,
            "Rows.where takes one truth value per row, the shape (2,). Got the shape (3,).",
        ),
        (
            lambda rows: rows.sum(1.0),
            ValueError,
            "Rows.sum takes one number per row, the shape (2,). Got the shape ().",
        ),
        (
            lambda rows: rows.sum([1.0]),
            ValueError,
            "Rows.sum takes one number per row, the shape (2,). Got the shape (1,).",
        ),
    ],
)
def test_another_number_of_values_than_rows_is_told(
    wrong: Callable[[Rows], Any], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=f"^{re.escape(says)}$"):
        wrong(irmx.rankings(QRELS, RUN).judged)


def test_measures_of_ir_measures_see_the_largest_grade_and_no_empty_document() -> None:
    rows = [("q", "a", 1, "1"), ("q", "a", 0, "2"), ("q", "b", 1, "2"), ("q", "", 1, "3")]
    qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])
    found = irmx.calc_aggregate("AP NCP(law=uniform) P@1", qrels, {"q": {"a": 2.0, "b": 1.0}})
    assert list(found.values()) == [1.0, 1.0, 1.0]
