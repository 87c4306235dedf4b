"""What measures of streams get and give: documents that repeat, values with further fields, tables that they explain."""

import math
import pickle
import warnings
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest

import irmx
from irmx import Column, DataError, Measure, Rankings, TopicScores
from irmx.toolkit import DetailedMetric

TIME = Column("run", "timestamp", "when it was emitted", unit="s")
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


class Refuses(Spans):
    """The same, of a measure that does not say that documents may repeat."""

    NAME = "Refuses"
    DOCS_MAY_REPEAT = False


class RanksRepeats(Spans):
    """It says that documents may repeat, and reads their ranks."""

    NAME = "RanksRepeats"

    def score(self, rankings: Rankings) -> Any:
        return rankings.relevant.sum(1 / rankings.relevant.rank)


class Warns(Spans):
    """It warns."""

    NAME = "Warns"

    def score(self, rankings: Rankings) -> TopicScores:
        warnings.warn("two updates were left out", irmx.DataWarning, stacklevel=1)
        return super().score(rankings)


SPANS = Spans()


@pytest.mark.parametrize("measure", ["AP", "NCP(law=first)", "INST(max_rel=1)", Refuses(), RanksRepeats()], ids=str)
def test_a_stream_may_repeat_a_document_and_a_ranking_may_not(measure: Any) -> None:
    assert {m.query_id: m.value for m in irmx.iter_calc([SPANS], QRELS, RUN)} == {"1": 7, "2": 0}
    with pytest.raises(DataError, match=r"^(Refuses|\w+).* the document 'a' more than once for query '?1") as told:
        irmx.calc_aggregate([SPANS, measure], QRELS, RUN)
    assert str(measure) in str(told.value)
    if isinstance(measure, Refuses):
        with pytest.raises(DataError, match="more than once"):
            irmx.explain(measure, QRELS, RUN, "1")
        assert irmx.calc_aggregate(measure, QRELS, RUN.drop_duplicates(["query_id", "doc_id"])) == {measure: 0.0}


class Parts(Measure):
    """The rows that declare a part of the topic without documents, and the judged documents."""

    NAME = "Parts"
    RANGE = (0.0, math.inf)
    SHORT_DESC = "parts without documents"
    RUN_COLUMNS = (Column("run", "part", "number of the part", how="count", declares=True),)
    DOCS_MAY_REPEAT = True

    def score(self, rankings: Rankings) -> Any:
        rows = rankings.run_rows
        return np.add.reduceat(rows.declares * 10 + ~np.isnan(rows.grade), rows.offsets[:-1]).astype(float)


@pytest.fixture
def parts_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    known = dict(irmx.registry().measures())
    monkeypatch.setattr(irmx.registry(), "measures", lambda aliases=False: known | {"Parts": Parts()})


@pytest.mark.usefixtures("parts_registered")
def test_a_row_without_a_document_declares_a_part_for_measures_that_read_it() -> None:
    rows = [("2", "c", 1.0, 1), ("1", None, None, 2), ("1", "a", 0.5, 1), ("2", "", 3.0, 2), ("1", "", None, 3)]
    run = pd.DataFrame(rows, columns=["query_id", "doc_id", "score", "part"])
    measure = Parts()
    assert {m.query_id: m.value for m in irmx.iter_calc(measure, QRELS, run)} == {"1": 21, "2": 11}
    assumed = irmx.Join(irmx.read_run(run), irmx.read_qrels(QRELS)).with_judgments(unjudged=1)
    assert [values.values.tolist() for [values] in irmx.score_joined([assumed], [measure])] == [[21, 11]]
    whole = pd.DataFrame([("1", "a", 2.0), ("1", "b", 1.0)], columns=["query_id", "doc_id", "score"])
    plain = irmx.calc_aggregate("AP", QRELS, whole)
    assert irmx.calc_aggregate("AP", QRELS, whole.assign(part=float("nan"))) == plain  # no part is told apart
    for other in ("AP", "NCP(law=first)", "P(rel=2)@5", "INST(max_rel=1)"):
        with pytest.raises(DataError, match=r"(?i)query '[12]' .*Parts"):
            irmx.calc_aggregate([measure, other], QRELS, run)
    for timed in (SPANS, Refuses()):
        with pytest.raises(DataError, match=r"(?i)query '[12]'"):
            irmx.calc_aggregate(timed, QRELS, run.assign(timestamp=1.0))
    with pytest.raises(DataError, match="row without a document"):
        list(irmx.read_run(run))
    with pytest.raises(DataError, match=r"row 1 .*doc_id is missing"):
        irmx.read_run(run.assign(part=[1, None, 1, 2, 3]))
    with pytest.raises(DataError, match=r"row 1 .*doc_id is missing"):
        irmx.read_run(run.drop(columns="part"))


@pytest.mark.parametrize("docs_may_repeat", [True, False])
def test_a_function_declares_that_documents_may_repeat(docs_may_repeat: bool) -> None:
    @irmx.measure(batch=True, range=(0, 9), docs_may_repeat=docs_may_repeat)
    def Updates(rankings: Rankings) -> Any:
        """The number of updates."""
        return rankings.run_rows.count

    if docs_may_repeat:
        assert irmx.calc_aggregate(Updates, QRELS, RUN) == {Updates: 2.5}
    else:
        with pytest.raises(DataError, match=r"Updates.*more than once"):
            irmx.calc_aggregate(Updates, QRELS, RUN)


@pytest.mark.parametrize("library", [irmx, ir_measures])
def test_fields_are_attributes_of_metrics_that_are_those_of_ir_measures(library: Any) -> None:
    metric = next(m for m in library.iter_calc([SPANS], QRELS, RUN) if m.query_id == "1")
    assert isinstance(metric, ir_measures.Metric)
    assert metric == ("1", SPANS, 7.0)
    assert (metric.held, type(metric.held)) == (4, float)
    assert pickle.loads(pickle.dumps(metric)).fields == metric._replace(value=1.0).fields == {"held": 4.0}
    with pytest.raises(AttributeError, match="standard_error"):
        _ = metric.standard_error


def test_a_topic_without_results_and_a_measure_without_fields_have_none() -> None:
    alone = irmx.calc([SPANS], QRELS, RUN[RUN["query_id"] == "2"]).per_query
    assert {m.query_id: (m.value, type(m) is DetailedMetric) for m in alone} == {"1": (-1, False), "2": (0, True)}
    [metric] = irmx.iter_calc("NCP(law=first)", {"q": {"a": 1}}, {"q": {"a": 1.0}})
    assert type(metric) is ir_measures.Metric


def test_a_table_of_its_own_is_explained_as_it_is() -> None:
    explained = irmx.explain(SPANS, QRELS, RUN, "1")
    assert explained.columns == {"doc_id": ["x", "a", "a"], "contribution": [0.0] * 3}
    assert (explained.depth, explained.retrieved, explained.recall_base, explained.fields) == (3, 1, 1, {"held": 4.0})


def test_a_column_that_is_optional_is_not_asked_for() -> None:
    assert {"length", "timestamp"} & set(ir_measures.run_inputs([SPANS])) == {"timestamp"}
    with pytest.raises(DataError, match="'timestamp', when it was emitted"):
        irmx.calc_aggregate([SPANS], QRELS, {"1": {"a": 1.0}})


def test_a_warning_that_was_made_an_error_stays_a_warning() -> None:
    with pytest.raises(irmx.DataWarning, match="two updates were left out"):  # warnings are errors in all our tests
        irmx.calc_aggregate(Warns(), QRELS, RUN)
