"""Rows of the run and of the qrels, and their columns: what is there, in which order, and what is missing."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import irmx
from irmx import COMMON_PARAMS, Column, DataError, Measure, Param, Rows

rankings = irmx.rankings

TIME = Column("run", "timestamp", "when it was emitted", "s")
END = Column("qrels", "query_end", "end of the topic", "s")
WORDS = Column("run", "length", "words", optional=True)
SUBTOPIC = Column("qrels", "iteration", "id of the subtopic", dtype="str")
LABEL = Column("run", "label", "any label", dtype="str", optional=True)
QRELS = pd.DataFrame(
    [("p", "z", 1, "9", 7.0), ("q", "a", 1, "1", 5.0), ("q", "", 1, "3", np.nan), ("r", "a", 1, "1", 1.0),
     ("q", "b", 0, "1", 5.0), ("q", "a", 2, "2", np.nan), ("q", "c", 1, "4", 5.0), ("s", "", 1, "1", 8.0)],
    columns=["query_id", "doc_id", "relevance", "iteration", "query_end"],
)  # fmt: skip
RUN = pd.DataFrame(
    [("s", "y", 1.0, 0.5), ("q", "b", 3.0, 10.0), ("q", "x", 2.0, 20.0), ("p", "y", 1.0, 30.0), ("q", "a", 2.5, 40.0)],
    columns=["query_id", "doc_id", "score", "timestamp"],
)
LACKING = RUN.assign(timestamp=[0.5, 10.0, np.nan, 30.0, 40.0])


def test_rows_of_a_file_know_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "qrels.csv"
    QRELS.to_csv(path, index=False)
    seen = rankings(str(path), RUN)
    rows = seen.qrels_rows  # of the topics p, q and s
    assert [rows.place(some) for some in ([0], [3, 6])] == [f"{path}, line 2", f"{path}, lines 6 and 9"]
    parts = seen.per_subtopic(np.where(rows.topic == 1, np.arange(len(rows.topic)) % 2, -1), 2).qrels_rows
    assert sorted(parts.place([i]) for i in range(5)) == [f"{path}, line {line}" for line in (3, 4, 6, 7, 8)]
    view = seen.with_judgments([False, True, True, False, False], unjudged=0).qrels_rows
    assert {doc: view.place([i]) for i, doc in enumerate(view.doc_ids)}.items() >= {("b", f"{path}, line 6"), ("x", "")}
    with pytest.raises(DataError, match=rf"{path}, line 4: .*'query_end'.*query q"):
        rows.column(END)
    for qrels in (QRELS, {"q": {"a": 1}}):
        assert rankings(qrels, RUN).qrels_rows.place([0]) == ""


def test_a_topic_column_may_stand_in_some_rows_only() -> None:
    assert rankings(QRELS, RUN).topic_column(END).tolist() == [7.0, 5.0, 8.0]
    with pytest.raises(DataError, match="query s"):
        rankings(QRELS.assign(query_end=[7.0, 5.0, *[np.nan] * 6]), RUN).topic_column(END)


@pytest.mark.parametrize(
    ("options", "kind", "times"),
    [
        ({}, "relevant", [40.0]),
        ({}, "judged", [10.0, 40.0]),
        ({}, "ranked", [30.0, 10.0, 40.0, 20.0, 0.5]),
        ({}, "run_rows", [30.0, 10.0, 20.0, 40.0, 0.5]),
        ({"judged_only": True}, "ranked", [10.0, 40.0]),
        ({"cutoff": 1}, "ranked", [30.0, 10.0, 0.5]),
    ],
)
def test_a_run_column_is_in_the_order_of_the_rows(options: Any, kind: str, times: list[float]) -> None:
    seen = rankings(QRELS, RUN, **options)
    assert getattr(seen, kind).column(TIME).tolist() == times
    if kind == "ranked":
        assert [time for ranking in seen for time in ranking.ranked.column(TIME).tolist()] == times
    lacking = getattr(rankings(QRELS, LACKING, **options), kind)
    expected = [np.nan if time == 20 else time for time in times]
    np.testing.assert_array_equal(lacking.column(TIME, missing_ok=True), expected)
    if 20 in times:
        with pytest.raises(DataError, match="query q, document 'x'"):
            lacking.column(TIME)
        assert lacking.of_topic(0).column(TIME).tolist() == [30.0]


@pytest.mark.parametrize(
    ("cells", "labels"),
    [
        (["x", "", None, "y"], ["x", None, None, "y"]),
        ([2.0, np.nan, 1.5, 2], [2, None, 1.5, 2]),
        ([["x"]] * 4, DataError),
        (None, [None] * 4),
    ],
)
def test_labels_are_texts_or_numbers(cells: Any, labels: Any) -> None:
    run = pd.DataFrame({"query_id": "q", "doc_id": list("abcd"), "score": [4.0, 3.0, 2.0, 1.0]})
    rows = rankings({"q": {"a": 1}}, run if cells is None else run.assign(label=cells)).ranked
    assert rows.has(LABEL) == (cells is not None)
    if labels is DataError:
        with pytest.raises(DataError, match="label"):
            rows.labels(LABEL)
        return
    number, names = rows.labels(LABEL, missing_ok=True)
    assert [None if n < 0 else names[n] for n in number.tolist()] == labels
    with pytest.raises(DataError, match=r"'label' has no value for query q, document '[ab]'"):
        rows.labels(LABEL)


def test_some_rows() -> None:
    judged = rankings(QRELS, RUN).judged
    best = judged.where(judged.grade > 0)
    assert (best.rank.tolist(), best.count.tolist(), best.doc_ids, len(best)) == ([2], [0, 1, 0], ("a",), 1)
    assert (best.column(TIME).tolist(), best.sum(best.grade).tolist(), best.ordinal.tolist()) == ([40], [0, 2, 0], [1])
    assert rankings(QRELS, RUN, cutoff=1).qrels_rows.rank.tolist() == [0, 0, 0, 1, 0, 0, 0]
    assert rankings(QRELS, RUN, cutoff=2).run_rows.rank.tolist() == [1, 1, 0, 2, 1]


OTHER = Column("run", "other", "another")
REFUSED: dict[str, tuple[Callable[[Rows], Any], type[Exception]]] = {
    "before the first topic": (lambda rows: rows.of_topic(-1), IndexError),
    "after the last topic": (lambda rows: rows.of_topic(3), IndexError),
    "too few truth values": (lambda rows: rows.where([True]), ValueError),
    "too many truth values": (lambda rows: rows.where(np.ones(3, dtype=bool)), ValueError),
    "one number": (lambda rows: rows.sum(1.0), ValueError),
    "too few numbers": (lambda rows: rows.sum([1.0]), ValueError),
    "a column of the qrels": (lambda rows: rows.column(END), TypeError),
    "labels as numbers": (lambda rows: rows.column(LABEL), TypeError),
    "a column that is missing": (lambda rows: rows.column(OTHER, missing_ok=True), DataError),
    "values of a column that is missing": (lambda rows: rows.column(WORDS), DataError),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_rows_do_not_have_is_refused(name: str) -> None:
    call, error = REFUSED[name]
    with pytest.raises(error):
        call(rankings(QRELS, RUN).judged)


def test_values_are_kept_for_runs_of_the_same_topics() -> None:
    judgments, made = irmx.read_qrels({"p": {"a": 1}, "q": {"b": 1}}), list[int]()

    def value(run: Any) -> int:
        return rankings(judgments, run).qrels_memo("key", lambda: made.append(1) or len(made))

    both = {"p": {"a": 1.0}, "q": {"b": 1.0}}
    found = [value(run) for run in (both, {"p": {"x": 1.0}, "q": {"b": 2.0}}, {"p": {"a": 1.0}}, both)]
    assert found == [1, 1, 2, 3]
    join = irmx.Join(irmx.read_run(both), judgments)
    [one, two] = (irmx.Rankings(join.with_judgments(j)) for j in [None, [True, False]])
    assert one.qrels_memo("key", list) is not two.qrels_memo("key", list)


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
    assert list(irmx.calc_aggregate([Depth() @ 2, OwnCutoff() @ 2], qrels, run).values()) == [2, 3]
