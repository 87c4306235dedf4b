"""Scores of many systems: equal to scoring one by one, tables and files and back, and what is missing or refused."""

import copy
import dataclasses
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import polars
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import irmx
from irmx import DataError, DataWarning, Scores, UsageError
from irmx.demo import SYSTEMS, qrels_path, run_path

MEASURES = "AP nDCG@10 NCP(law=first) MP(model=GL_AD_ID)"
RUNS = {system: run_path(system) for system in SYSTEMS}
QRELS = {"1": {"a": 1, "b": 1}, "2": {"c": 1}, "3": {"d": 0}}
LACKING = {"all": {"1": {"a": 2.0, "b": 1.0}, "2": {"c": 1.0}, "3": {"d": 1.0}}, "some": {"2": {"x": 2.0, "c": 1.0}}}


@pytest.fixture(scope="module")
def demo() -> Scores:
    return irmx.scores(MEASURES, qrels_path(), RUNS)


def test_values_and_means_are_those_of_each_run_alone(demo: Scores) -> None:
    assert (demo.values.shape, demo.missing.any()) == ((30, 3, 4), False)
    evaluator = irmx.evaluator(MEASURES, qrels_path())
    for s, path in enumerate(RUNS.values()):
        assert demo.means().iloc[s].tolist() == list(evaluator.calc_aggregate(path).values())
        for m, (measure, by_topic) in enumerate(evaluator.values(path).items()):
            assert (demo.measures[m], demo.topics) == (measure, tuple(by_topic))
            assert demo.values[:, s, m].tolist() == list(by_topic.values())


def test_missing_topics_count_with_the_default_and_are_counted() -> None:
    with pytest.warns(DataWarning, match=r"some: no results for 2 of 3 topics \(1, 3\)"):
        scores = irmx.scores("RR NCP(law=first,no_relevant='nan')", QRELS, LACKING)
    assert scores.states.tolist() == [[[0, 0], [1, 1]], [[0, 0], [0, 0]], [[0, 3], [1, 3]]]
    assert scores.missing.any(axis=2).tolist() == [[False, True], [False, False], [False, True]]
    assert "2 topics of systems are missing" in repr(scores)
    assert scores["RR"].tolist() == [[1, 0], [1, 0.5], [0, 0]]
    assert np.isnan(scores.values[2, :, 1]).all()
    assert scores.means().to_numpy().tolist() == [[2 / 3, 1.0], [0.5 / 3, 0.25]]


@pytest.mark.parametrize("given", ["glob", "list", "dict"])
def test_runs_are_named(given: str, tmp_path: Path) -> None:
    paths = [tmp_path / f"{name}.run" for name in "ab"]
    for path in paths:
        path.write_text("1 Q0 a 1 1.0 s\n")
    runs: Any = {"glob": str(tmp_path / "*.run"), "list": paths, "dict": dict(zip("xy", paths, strict=True))}[given]
    scores = irmx.scores("AP", {"1": {"a": 1}}, runs)
    assert scores.systems == (("x", "y") if given == "dict" else ("a.run", "b.run"))
    assert scores.values.tolist() == [[[1], [1]]]


# -- parts -----------------------------------------------------------------------------------------------------------


def test_parts_are_selected_by_name(demo: Scores) -> None:
    some = demo.select(topics=["3", "1"], systems="titles", measures=["AP", "NCP(law=first)"])
    place, s = [demo.topics.index("3"), demo.topics.index("1")], demo.systems.index("titles")
    assert some.values.tolist() == demo.values[place, s][:, None, [0, 2]].tolist()
    assert some["AP"].tolist() == demo[irmx.parse_measure("AP")][place, s : s + 1].tolist()
    assert demo.select(topics="1").measures == demo.measures
    for asked in ({"systems": "title"}, {"topics": ["99"]}, {"measures": "AP@5"}, {"measures": "recip_rank"}):
        with pytest.raises(UsageError, match=f"have no {next(iter(asked))[:-1]} "):
            demo.select(**asked)
    with pytest.raises(UsageError):
        demo["AP nDCG@10"]


@pytest.mark.parametrize(
    ("asked", "measures"),
    [
        ("NCP(law='first')", ["NCP(law=first)"]), ("map", ["AP"]), ("ndcg_cut_10", ["nDCG@10"]),
        ("nDCG@10 map", ["nDCG@10", "AP"]), (["nDCG@10 AP", irmx.NCP(law="first")], ["nDCG@10", "AP", "NCP(law=first)"]),
    ],
)  # fmt: skip
def test_a_measure_has_all_of_its_names(asked: Any, measures: list[str], demo: Scores) -> None:
    some = demo.select(measures=asked)
    assert [str(m) for m in some.measures] == measures
    if len(measures) == 1:
        assert demo[asked].tolist() == some.values[:, :, 0].tolist()


@pytest.mark.parametrize("names", [["IPrec@1", "IPrec@1.0"], ["my mrt", "AP"]])
def test_names_stay_as_they_are(names: list[str], tmp_path: Path) -> None:
    """Two of one measure stay two, and those of another tool are no less."""
    scores = Scores.from_frame(pd.DataFrame({"query_id": "1", "system": "one", "measure": names, "value": [0.25, 0.5]}))
    scores.to_parquet(tmp_path / "scores.parquet")
    read = Scores.read_parquet(tmp_path / "scores.parquet")
    for same in (scores, scores.select(), pickle.loads(pickle.dumps(scores)), read):
        assert [str(m) for m in same.measures] == names
        assert [same[name].item() for name in names] == same.means().loc["one"].tolist() == [0.25, 0.5]
    with pytest.raises(UsageError):
        scores["my mr"]


def test_a_view_in_parts_is_put_together_and_one_with_two_values_is_refused(demo: Scores) -> None:
    parts = [demo.select(topics=demo.topics[:10]), demo.select(topics=demo.topics[10:])]
    again = Scores.concat(parts)
    assert (again.topics, again.names, again.missing.any()) == (demo.topics, demo.names, False)
    np.testing.assert_array_equal(again.values, demo.values)
    with pytest.raises(DataError, match="twice"):
        Scores.concat([demo, dataclasses.replace(demo, values=demo.values / 2)])


def test_topics_are_there_once_and_outside_for_all_systems(demo: Scores) -> None:
    for kind in ("topics", "systems"):
        names = getattr(demo, kind)
        with pytest.raises(UsageError, match="twice"):
            demo.select(**{kind: [*names, names[0]]})
        with pytest.raises(DataError, match="twice"):
            dataclasses.replace(demo, **{kind: (*names[1:], names[1])})
    states = np.zeros(demo.states.shape, dtype=np.int8)
    states[0, 0, 0] = irmx.State.OUTSIDE
    with pytest.raises(DataError, match="outside"):
        dataclasses.replace(demo, states=states)


def test_an_empty_ranking_is_none() -> None:
    runs: Any = {"all": {"1": {"a": 1.0}, "2": {"b": 1.0}}, "some": {"1": {"a": 1.0}, "2": {}}}
    with pytest.warns(DataWarning, match="some: no results for 1 of 2 topics"):
        scores = irmx.scores("AP", {"1": {"a": 1}, "2": {"b": 1}}, runs)
    assert scores.missing[:, :, 0].tolist() == [[False, False], [False, True]]


def test_values_cannot_be_written_and_arrays_of_the_caller_stay_as_they_are(demo: Scores) -> None:
    values, states, errors = np.zeros((1, 1, 1)), np.zeros((1, 1, 1), dtype=np.int8), np.zeros((1, 1, 1))
    made = Scores(values, ("1",), ("a",), (irmx.parse_measure("AP"),), states, {"error": errors})
    for scores in (made, demo, pickle.loads(pickle.dumps(demo)), copy.deepcopy(demo)):
        for array in (scores.values, scores.states, scores["AP"], *scores.fields.values()):
            assert not array.flags.writeable
    assert all(array.flags.writeable for array in (values, states, errors))


# -- tables and files ------------------------------------------------------------------------------------------------


def test_frames_are_tidy_and_come_back(demo: Scores) -> None:
    frame = demo.frame()
    assert (list(frame.columns), len(frame)) == (["query_id", "system", "measure", "value"], 30 * 3 * 4)
    again = Scores.from_frame(frame.sample(frac=1, random_state=0)).select(demo.topics, demo.systems, demo.measures)
    pd.testing.assert_frame_equal(again.frame(), frame)
    of_pyterrier = {"name": ["one", "one", "two"], "qid": [1, 2, 1], "measure": "AP", "value": [0.5, 1.0, 0.25]}
    with pytest.warns(DataWarning, match=r"two: no results for 1 of 2 topics \(2\)"):
        scores = Scores.from_frame(pd.DataFrame(of_pyterrier))
    assert (scores.topics, scores.systems) == (("1", "2"), ("one", "two"))
    np.testing.assert_array_equal(scores["AP"], [[0.5, 0.25], [1, np.nan]])
    assert scores.means()["AP"].tolist() == [0.75, 0.125]
    assert scores.with_missing()["AP"].tolist() == [[0.5, 0.25], [1, 0]]
    for table in (polars.from_pandas(frame), pa.Table.from_pandas(frame)):
        pd.testing.assert_frame_equal(Scores.from_frame(table).frame(), frame)
    twice = {"query_id": [1, 1], "system": "a", "measure": "AP", "value": 1.0}
    for columns in ({"query_id": ["1"], "system": "a", "value": 1.0}, twice):
        with pytest.raises(DataError, match=r"'measure'|twice"):
            Scores.from_frame(pd.DataFrame(columns))


def test_files_keep_everything_and_what_made_it(tmp_path: Path) -> None:
    run = {"query_id": "q", "doc_id": ["a", "b"], "score": [2.0, 1.0], "timestamp": [100, 5000], "length": 10}
    qrels = {"query_id": ["q", "r"], "doc_id": "a", "relevance": 1, "iteration": "n", "timestamp": 0, "importance": 1.0,
             "query_start": 0, "query_end": 86400}  # fmt: skip
    (tmp_path / "two.csv").write_text("query_id,doc_id,score,timestamp,length\nr,a,1.0,100,10\nq,a,1.0,200,10\n")
    runs = {"one": pd.DataFrame(run), "two": tmp_path / "two.csv"}
    with pytest.warns(DataWarning, match="one: no results"):
        scores = irmx.scores(["AP", irmx.MSU(users=20)], pd.DataFrame(qrels), runs)
    errors = scores.fields["standard_error"]
    assert (errors.shape, np.isnan(errors[0, 0]).tolist()) == (scores.values.shape, [True, False])
    scores.to_parquet(tmp_path / "scores.parquet")
    again = Scores.read_parquet(tmp_path / "scores.parquet")
    pd.testing.assert_frame_equal(again.frame(), scores.frame())
    assert (again.topics, again.systems, again.measures) == (scores.topics, scores.systems, scores.measures)
    assert (again.states.tolist(), again.made_by) == (scores.states.tolist(), scores.made_by)
    np.testing.assert_array_equal(again.fields["standard_error"], errors)
    assert set(again.made_by["versions"]) == {"irmx", "ir_measures", "irmx-stream"}
    assert (again.made_by["qrels"], again.made_by["runs"]["one"], len(again.made_by["runs"]["two"])) == ("", "", 64)


def test_files_that_are_no_scores_are_refused(tmp_path: Path, demo: Scores) -> None:
    path = tmp_path / "scores.parquet"
    demo.to_parquet(path)
    table = pq.read_table(path)
    about = {**json.loads(table.schema.metadata[b"irmx_scores"]), "schema": 4}
    for write, says in (
        (lambda: demo.frame().to_parquet(path), "no scores of irmx"),
        (lambda: pq.write_table(table.replace_schema_metadata({b"irmx_scores": json.dumps(about)}), path), "schema 3"),
        (lambda: path.write_text("query_id"), "cannot be read"),
    ):
        write()
        with pytest.raises(DataError, match=says):
            Scores.read_parquet(path)


def test_a_file_is_written_as_a_whole_or_not_at_all(tmp_path: Path, demo: Scores, monkeypatch: Any) -> None:
    path = tmp_path / "scores.parquet"
    demo.to_parquet(path)

    def stopped(table: object, where: Any) -> None:
        where.write(b"PAR1")
        raise KeyboardInterrupt

    monkeypatch.setattr(pq, "write_table", stopped)
    with pytest.raises(KeyboardInterrupt):
        demo.to_parquet(path)
    assert Scores.read_parquet(path).values.tolist() == demo.values.tolist()
    assert list(tmp_path.iterdir()) == [path]


# -- no common topic -------------------------------------------------------------------------------------------------

OTHER_QRELS, OTHER_RUN = {"030": {"a": 1}, "31": {"a": 1}}, {"30": {"a": 1.0}}
SAYS = "No topic of the run is in the qrels. The run has 30; the qrels have 030, 31."
NCP = irmx.parse_measure("NCP(law=first)")
rankings = irmx.rankings
CALLS: dict[str, Callable[[Any, Any], Any]] = {
    **{measures: lambda q, r, m=measures: irmx.calc_aggregate(m, q, r) for measures in ("NCP(law=first)", "AP nDCG@10", "AP MP(model=GL_AD_ID)")},
    "calc": lambda q, r: irmx.calc("NCP(law=first)", q, r),
    "iter_calc": lambda q, r: list(irmx.iter_calc("AP", q, r)),
    "rankings": rankings,
}  # fmt: skip
OF_IR_MEASURES: dict[str, Callable[[Any, Any], Any]] = {
    "of a measure": lambda q, r: NCP.calc_aggregate(q, r),
    "ir_measures.calc_aggregate": lambda q, r: ir_measures.calc_aggregate([ir_measures.AP, NCP], q, r),
    "ir_measures.iter_calc": lambda q, r: list(ir_measures.iter_calc([NCP], q, r)),
    "ir_measures.evaluator": lambda q, r: ir_measures.evaluator([NCP], q).calc(r),
}


@pytest.mark.parametrize("call", [*CALLS, *OF_IR_MEASURES])
def test_a_run_without_a_common_topic_is_refused_and_a_system_may_find_nothing(call: str) -> None:
    """In ir_measures, AP beside it would be lost, or an experiment in batches: its functions give defaults, and a warning."""
    score = {**CALLS, **OF_IR_MEASURES}[call]
    for run in (OTHER_RUN, pd.DataFrame([("30", "a", 1.0)], columns=["query_id", "doc_id", "score"])):
        if call in CALLS:
            with pytest.raises(DataError) as caught:
                score(OTHER_QRELS, run)
            assert str(caught.value) == SAYS
        else:
            with pytest.warns(DataWarning) as told:
                score(OTHER_QRELS, run)
            assert {str(w.message) for w in told} == {f"{SAYS} Every value is a default."}
    nothing: tuple[Any, ...] = ({}, {"30": {}}, {"030": {}, "30": {"a": 1.0}}, {**OTHER_RUN, "31": {"a": 1.0}})
    for found in nothing:
        score(OTHER_QRELS, found)


@pytest.mark.parametrize("measures", ["", " ", ["AP", ""], 5, b"AP"])
def test_what_is_no_measure_is_refused(measures: Any) -> None:
    with pytest.raises(UsageError):
        irmx.scores(measures, {"q": {"a": 1}}, {"one": {"q": {"a": 1.0}}})
