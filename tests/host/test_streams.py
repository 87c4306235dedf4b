"""What the host gives measures of streams: rows in the order of the run, repeated documents, fields beside values."""

import math
import pickle
import warnings
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irmx
from irmx import Column, DetailedMetric, Measure, Rankings, TopicScores, UsageError

TIME = Column("run", "timestamp", "when it was emitted", unit="s")
NUGGET = Column("qrels", "iteration", "id of the nugget", dtype="str")
WORDS = Column("run", "length", "words", optional=True)

QRELS = pd.DataFrame(
    [("1", "a", 1, "n1"), ("1", "a", 1, "n2"), ("1", "b", 0, ""), ("1", "", 0, "n3"), ("2", "c", 1, "n1")],
    columns=["query_id", "doc_id", "relevance", "iteration"],
)
RUN = pd.DataFrame(
    [("2", "c", 1.0, 5), ("1", "x", 1.0, 4), ("1", "a", 0.5, 9), ("2", "y", 1.0, 1), ("1", "a", 0.7, 2)],
    columns=["query_id", "doc_id", "score", "timestamp"],
)


class Spans(Measure):
    """The time between the first and the last document that holds something."""

    NAME = "Spans"
    RANGE = (-1.0, math.inf)
    SHORT_DESC = "time between the first and the last"
    RUN_COLUMNS = (TIME, WORDS)
    DOCS_MAY_REPEAT = True
    DEFAULT = -1.0

    def score(self, rankings: Rankings) -> TopicScores:
        at_run, at_qrels = rankings.matching_rows()
        holds = rankings.qrels_rows.grade[at_qrels] >= rankings.rel
        time, topic = rankings.run_rows.column(TIME), rankings.run_rows.topic[at_run[holds]]
        of_topic = [time[at_run[holds]][topic == t] for t in range(len(rankings))]
        spans = np.array([t.max() - t.min() if len(t) else 0 for t in of_topic], dtype=float)
        return TopicScores(spans, {"held": np.array([len(t) for t in of_topic], dtype=float)})

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        return {"doc_id": rankings.run_rows.doc_ids, "contribution": [0.0] * int(rankings.depth[0])}


SPANS = Spans()


def test_rows_of_the_run_are_in_its_order_and_match_those_of_the_qrels() -> None:
    rankings = irmx.rankings(QRELS, RUN)
    run, qrels = rankings.run_rows, rankings.qrels_rows
    assert run.offsets.tolist() == [0, 3, 5]
    assert run.doc_ids == ("x", "a", "a", "c", "y")
    assert run.score.tolist() == [1.0, 0.5, 0.7, 1.0, 1.0]
    assert run.column(TIME).tolist() == [4, 9, 2, 5, 1]
    np.testing.assert_array_equal(run.grade, [np.nan, 1, 1, 1, np.nan])
    with pytest.raises(irmx.DataError, match="'a' more than once"):
        _ = run.rank
    at_run, at_qrels = rankings.matching_rows()
    number, names = qrels.labels(NUGGET, missing_ok=True)
    label = [names[i] for i in number.tolist()]
    assert [(r, label[q]) for r, q in zip(at_run.tolist(), at_qrels.tolist(), strict=True)] == [
        (1, "n1"), (1, "n2"), (2, "n1"), (2, "n2"), (3, "n1")
    ]  # fmt: skip


ids = st.sampled_from("abcde")


@pytest.mark.filterwarnings("ignore:.*contradict each other")  # rows are drawn that do
@given(
    st.lists(st.tuples(st.sampled_from("12"), ids, st.integers(0, 2)), max_size=12),
    st.lists(st.tuples(st.sampled_from("123"), ids), max_size=12).map(lambda rows: [("1", "a"), *rows]),
)
def test_matching_rows_are_all_pairs_of_one_topic_and_document(qrels: list[Any], run: list[Any]) -> None:
    q = pd.DataFrame([(*row, "n") for row in [*qrels, ("1", "zz", 0)]], columns=list(QRELS.columns))
    r = pd.DataFrame([(*row, 1.0, i) for i, row in enumerate(run)], columns=list(RUN.columns))
    rankings = irmx.rankings(q, r)
    at_run, at_qrels = rankings.matching_rows()
    time, topics = rankings.run_rows.column(TIME), rankings.topics
    place = rankings.qrels_rows.doc[at_qrels]
    found = sorted((topics[rankings.run_rows.topic[i]], int(time[i])) for i in at_run.tolist())
    wanted = sorted((t, i) for i, (t, d) in enumerate(run) for row in [*qrels, ("1", "zz", 0)] if row[:2] == (t, d))
    assert found == wanted
    assert (place >= 0).all()


def test_a_stream_may_repeat_a_document_and_a_ranking_may_not() -> None:
    values = {m.query_id: m.value for m in irmx.iter_calc([SPANS], QRELS, RUN)}
    assert values == {"1": 7, "2": 0}
    with pytest.raises(irmx.DataError, match="AP: The run has the document 'a' more than once"):
        irmx.calc_aggregate("AP", QRELS, RUN)
    with pytest.raises(irmx.DataError, match=r"NCP\(law=first\): The run has the document 'a' more than once"):
        irmx.calc_aggregate("NCP(law=first)", QRELS, RUN)


class Refuses(Spans):
    """The same, of a measure that does not say that documents may repeat."""

    NAME = "Refuses"
    DOCS_MAY_REPEAT = False


class RanksRepeats(Spans):
    """It says that documents may repeat, and reads their ranks."""

    NAME = "RanksRepeats"

    def score(self, rankings: Rankings) -> Any:
        return rankings.relevant.sum(1 / rankings.relevant.rank)


def test_a_measure_declares_that_documents_may_repeat() -> None:
    with pytest.raises(irmx.DataError, match="Refuses: The run has the document 'a' more than once for query '1'"):
        irmx.calc_aggregate([SPANS, Refuses()], QRELS, RUN)
    with pytest.raises(irmx.DataError, match="RanksRepeats: The run has the document 'a' more than once for query '1'"):
        irmx.calc_aggregate([RanksRepeats()], QRELS, RUN)
    with pytest.raises(irmx.DataError, match="Refuses: The run has the document 'a' more than once"):
        irmx.explain(Refuses(), QRELS, RUN, "1")
    once = RUN.drop_duplicates(["query_id", "doc_id"])
    assert irmx.calc_aggregate([Refuses()], QRELS, once) == {Refuses(): 0.0}


@pytest.mark.parametrize("docs_may_repeat", [True, False])
def test_a_function_declares_that_documents_may_repeat(docs_may_repeat: bool) -> None:
    @irmx.measure(name=f"Updates{docs_may_repeat}", batch=True, range=(0, 9), docs_may_repeat=docs_may_repeat)
    def updates(rankings: Rankings) -> Any:
        """The number of updates."""
        return rankings.run_rows.count

    try:
        if docs_may_repeat:
            assert irmx.calc_aggregate(updates, QRELS, RUN) == {updates: 2.5}
        else:
            with pytest.raises(irmx.DataError, match="UpdatesFalse: The run has the document 'a' more than once"):
                irmx.calc_aggregate(updates, QRELS, RUN)
    finally:
        irmx.registry().undefine(updates.NAME)


def test_fields_are_attributes_of_metrics_and_the_metrics_those_of_ir_measures() -> None:
    for library in (irmx, ir_measures):
        metrics = {m.query_id: m for m in library.iter_calc([SPANS], QRELS, RUN)}
        assert metrics["1"].held == 4
        assert isinstance(metrics["1"], ir_measures.Metric)
        assert metrics["1"] == ("1", SPANS, 7.0)
        assert type(metrics["1"].held) is float
        assert pickle.loads(pickle.dumps(metrics["1"])).fields == {"held": 4.0}
        assert metrics["1"]._replace(value=1.0).held == 4
        with pytest.raises(AttributeError, match="no attribute 'standard_error'"):
            _ = metrics["1"].standard_error
    assert irmx.calc([SPANS], QRELS, RUN).per_query[0].fields == {"held": 4.0}
    alone = list(irmx.iter_calc([SPANS], QRELS, RUN[RUN["query_id"] == "2"]))
    assert {m.query_id: (m.value, type(m) is DetailedMetric) for m in alone} == {"1": (-1, False), "2": (0, True)}


def test_measures_without_fields_give_plain_metrics() -> None:
    [metric] = irmx.iter_calc("NCP(law=first)", {"q": {"a": 1}}, {"q": {"a": 1.0}})
    assert type(metric) is ir_measures.Metric


def test_a_table_of_its_own_is_explained_as_it_is() -> None:
    explained = irmx.explain(SPANS, QRELS, RUN, "1")
    assert list(explained.columns) == ["doc_id", "contribution"]
    assert explained.columns["doc_id"] == ["x", "a", "a"]
    assert (explained.depth, explained.retrieved, explained.recall_base) == (3, 1, 1)
    assert explained.fields == {"held": 4.0}


def test_a_column_that_is_optional_is_not_asked_for() -> None:
    assert "length" not in ir_measures.run_inputs([SPANS])
    assert "timestamp" in ir_measures.run_inputs([SPANS])
    with pytest.raises(irmx.DataError, match=r"run column 'timestamp', when it was emitted .s., is missing"):
        irmx.calc_aggregate([SPANS], QRELS, {"1": {"a": 1.0}})


@pytest.mark.parametrize("wrong", [TopicScores(np.zeros(1)), TopicScores(np.zeros(2), {"held": np.zeros(3)})])
def test_scores_of_the_wrong_shape_are_refused(wrong: TopicScores) -> None:
    class Wrong(Spans):
        NAME = "Wrong"

        def score(self, rankings: Rankings) -> TopicScores:
            return wrong

    with pytest.raises(irmx.PluginError, match=r"Wrong returned .*shape \([13],\)( as held)? for 2 topics"):
        irmx.calc_aggregate([Wrong()], QRELS, RUN)


def test_ir_measures_gets_no_run_with_repeats() -> None:
    with pytest.raises(irmx.DataError, match="more than once"):
        irmx.read_run(RUN).as_dict()
    assert issubclass(irmx.DataWarning, UserWarning)
    assert not issubclass(irmx.DataWarning, UsageError)


def test_a_warning_that_was_made_an_error_stays_a_warning() -> None:
    class Warns(Spans):
        NAME = "Warns"

        def score(self, rankings: Rankings) -> TopicScores:
            warnings.warn("two updates were left out", irmx.DataWarning, stacklevel=1)
            return super().score(rankings)

    with pytest.raises(irmx.DataWarning, match="two updates were left out"):  # warnings are errors in all our tests
        irmx.calc_aggregate(Warns(), QRELS, RUN)
