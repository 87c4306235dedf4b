"""Scores of many systems: equal to scoring one by one, tables and files and back, and what is missing."""

from __future__ import annotations

import copy
import json
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
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
    assert demo.values.shape == (30, 3, 4)
    assert demo.retrieved.all()
    for s, path in enumerate(RUNS.values()):
        evaluator = irmx.evaluator(MEASURES, qrels_path())
        for m, (measure, by_topic) in enumerate(evaluator.values(path).items()):
            assert demo.measures[m] == measure
            assert demo.values[:, s, m].tolist() == list(by_topic.values())
            assert demo.topics == tuple(by_topic)
        assert demo.means().iloc[s].tolist() == list(evaluator.calc_aggregate(path).values())


def test_frames_are_tidy_and_come_back(demo: Scores) -> None:
    frame = demo.frame()
    assert list(frame.columns) == ["query_id", "system", "measure", "value"]
    assert len(frame) == 30 * 3 * 4
    again = Scores.from_frame(frame.sample(frac=1, random_state=0)).select(demo.topics, demo.systems, demo.measures)
    pd.testing.assert_frame_equal(again.frame(), frame)


def test_parts_are_selected_by_name(demo: Scores) -> None:
    some = demo.select(topics=["3", "1"], systems="titles", measures=["AP", "NCP(law=first)"])
    place = [demo.topics.index("3"), demo.topics.index("1")]
    s = demo.systems.index("titles")
    assert some.values.tolist() == demo.values[place, s][:, None, [0, 2]].tolist()
    assert some["AP"].tolist() == demo[irmx.parse_measure("AP")][place, s : s + 1].tolist()
    for asked, said in [
        ({"systems": "title"}, "The scores have no system 'title'. Did you mean titles"),
        ({"topics": ["99"]}, "no topic '99'"),
        ({"measures": "AP@5"}, "no measure 'AP@5'"),
    ]:
        with pytest.raises(UsageError, match=said):
            demo.select(**asked)


def test_missing_topics_count_with_the_default_and_are_counted() -> None:
    with pytest.warns(DataWarning, match=r"some: no results for 2 of 3 topics \(1, 3\)"):
        scores = irmx.scores("RR NCP(law=first,no_relevant='nan')", QRELS, LACKING)
    assert scores.retrieved.tolist() == [[True, False], [True, True], [True, False]]
    assert repr(scores) == (
        "<Scores of 3 topics, 2 systems, 2 measures: RR, NCP(law=first,no_relevant='nan'); 2 topics of systems are missing>"
    )
    assert scores["RR"].tolist() == [[1, 0], [1, 0.5], [0, 0]]
    assert np.isnan(scores.values[2, :, 1]).all()
    assert scores.means().to_numpy().tolist() == [[2 / 3, 1.0], [0.5 / 3, 0.25]]


def test_fields_have_the_shape_of_the_values() -> None:
    rows = {"query_id": "q", "doc_id": ["a", "b"], "score": [2.0, 1.0], "timestamp": [100, 5000], "length": 10}
    qrels = pd.DataFrame(
        {"query_id": "q", "doc_id": ["a"], "relevance": 1, "iteration": "n", "timestamp": 0, "importance": 1.0,
         "query_start": 0, "query_end": 86400}
    )  # fmt: skip
    scores = irmx.scores(["AP", irmx.MSU(users=20)], qrels, {"r": pd.DataFrame(rows)})
    errors = scores.fields["standard_error"]
    assert errors.shape == scores.values.shape
    assert (np.isnan(errors[0, 0, 0]), np.isnan(errors[0, 0, 1])) == (True, False)
    again = Scores.from_frame(scores.frame())
    np.testing.assert_array_equal(again.fields["standard_error"], errors)


def test_files_keep_everything_and_what_made_it(tmp_path: Path) -> None:
    path = tmp_path / "some.run"
    path.write_text("2 Q0 x 1 2.0 s\n2 Q0 c 2 1.0 s\n")
    with pytest.warns(DataWarning):
        scores = irmx.scores("RR NCP(law=first)", QRELS, {"all": LACKING["all"], "some": path})
    scores.to_parquet(tmp_path / "scores.parquet")
    again = Scores.read_parquet(tmp_path / "scores.parquet")
    pd.testing.assert_frame_equal(again.frame(), scores.frame())
    assert (again.topics, again.systems, again.measures) == (scores.topics, scores.systems, scores.measures)
    assert again.retrieved.tolist() == scores.retrieved.tolist()
    assert again.made_by == scores.made_by
    assert set(again.made_by["versions"]) == {"irmx", "ir_measures", "irmx-ncp"}
    assert (again.made_by["qrels"], again.made_by["runs"]["all"], len(again.made_by["runs"]["some"])) == ("", "", 64)


def test_files_that_are_no_scores_are_refused(tmp_path: Path, demo: Scores) -> None:
    path = tmp_path / "scores.parquet"
    demo.frame().to_parquet(path)
    with pytest.raises(DataError, match=r"holds no scores of irmx; this version of irmx reads those of schema 1"):
        Scores.read_parquet(path)
    demo.to_parquet(path)
    table = pq.read_table(path)
    about = {**json.loads(table.schema.metadata[b"irmx_scores"]), "schema": 2}
    pq.write_table(table.replace_schema_metadata({b"irmx_scores": json.dumps(about)}), path)
    with pytest.raises(DataError, match="holds scores of schema 2; this version of irmx reads those of schema 1"):
        Scores.read_parquet(path)
    path.write_text("query_id")
    with pytest.raises(DataError, match="cannot be read as a parquet file of scores"):
        Scores.read_parquet(path)


def test_tables_of_an_experiment_of_pyterrier_are_understood() -> None:
    frame = pd.DataFrame(
        {"name": ["one", "one", "two"], "qid": [1, 2, 1], "measure": ["AP", "AP", "AP"], "value": [0.5, 1.0, 0.25]}
    )
    scores = Scores.from_frame(frame)
    assert (scores.topics, scores.systems) == (("1", "2"), ("one", "two"))
    assert scores["AP"].tolist() == [[0.5, 0.25], [1.0, 0.0]]
    assert scores.retrieved.tolist() == [[True, True], [True, False]]


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        ({"query_id": ["1"], "system": ["a"], "value": [1.0]}, "Scores need the column 'measure'"),
        ({"query_id": [1, 1], "system": "a", "measure": "AP", "value": 1.0}, "have AP of a for topic 1 twice"),
    ],
)
def test_tables_that_are_no_scores_are_refused(frame: dict[str, Any], said: str) -> None:
    with pytest.raises(DataError, match=said):
        Scores.from_frame(pd.DataFrame(frame))


def test_runs_are_found_by_globs(tmp_path: Path) -> None:
    for name in ("b", "a"):
        (tmp_path / f"{name}.run").write_text("1 Q0 a 1 1.0 s\n")
    scores = irmx.scores("AP", {"1": {"a": 1}}, str(tmp_path / "*.run"))
    assert (scores.systems, scores.values.tolist()) == (("a.run", "b.run"), [[[1.0], [1.0]]])


def test_values_cannot_be_written(demo: Scores) -> None:
    with pytest.raises(ValueError, match="read-only"):
        demo.values[0, 0, 0] = 1
    for scores in (demo, pickle.loads(pickle.dumps(demo)), copy.deepcopy(demo)):
        for array in (scores.values, scores.retrieved, scores["AP"]):
            assert not array.flags.writeable


def test_arrays_of_the_caller_stay_as_they_are() -> None:
    values, retrieved, errors = np.zeros((1, 1, 1)), np.ones((1, 1), dtype=bool), np.zeros((1, 1, 1))
    made = Scores(values, ("1",), ("a",), (irmx.parse_measure("AP"),), retrieved, {"error": errors})
    assert not any(array.flags.writeable for array in (made.values, made.retrieved, made.fields["error"]))
    assert all(array.flags.writeable for array in (values, retrieved, errors))


@pytest.mark.parametrize(
    ("asked", "measure"), [("NCP(law='first')", "NCP(law=first)"), ("map", "AP"), ("ndcg_cut_10", "nDCG@10")]
)
def test_a_measure_has_all_of_its_names(asked: str, measure: str, demo: Scores) -> None:
    place = [str(m) for m in demo.measures].index(measure)
    assert demo[asked].tolist() == demo.values[:, :, place].tolist()
    assert demo.select(measures=asked).measures == (demo.measures[place],)


def test_measures_are_selected_as_they_are_asked_for_elsewhere(demo: Scores) -> None:
    assert [str(m) for m in demo.select(measures="nDCG@10 map").measures] == ["nDCG@10", "AP"]
    assert [str(m) for m in demo.select(measures=["nDCG@10 AP", irmx.NCP(law="first")]).measures] == [
        "nDCG@10",
        "AP",
        "NCP(law=first)",
    ]
    assert demo.select(topics="1").measures == demo.measures
    with pytest.raises(UsageError):
        demo["AP nDCG@10"]
    with pytest.raises(UsageError, match=r"The scores have no measure 'RR'\. They have: AP, nDCG@10"):
        demo["recip_rank"]


def test_two_names_of_one_measure_stay_two(tmp_path: Path) -> None:
    names = ["IPrec@1", "IPrec@1.0"]
    scores = Scores.from_frame(pd.DataFrame({"query_id": "1", "system": "a", "measure": names, "value": [0.25, 0.5]}))
    scores.to_parquet(tmp_path / "scores.parquet")
    for same in (scores, scores.select(), Scores.read_parquet(tmp_path / "scores.parquet")):
        assert [str(m) for m in same.measures] == names
        assert [same[name].item() for name in names] == same.values.ravel().tolist() == [0.25, 0.5]


def test_a_file_is_written_as_a_whole_or_not_at_all(
    tmp_path: Path, demo: Scores, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "none" / "scores.parquet"
    with pytest.raises(DataError, match=r"none.scores.parquet cannot be written: there is no folder .*none\.$"):
        demo.to_parquet(path)
    with pytest.raises(DataError, match="cannot be written: "):
        demo.to_parquet(tmp_path)
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


def test_scores_of_a_measure_that_only_another_tool_knows(tmp_path: Path) -> None:
    frame = pd.DataFrame({"qid": ["1", "2"], "name": "one", "measure": "my mrt", "value": [0.5, 1.5]})
    scores = Scores.from_frame(frame)
    assert [*map(str, scores.measures)] == ["my mrt"]
    scores.to_parquet(tmp_path / "scores.parquet")
    for same in (scores, pickle.loads(pickle.dumps(scores)), Scores.read_parquet(tmp_path / "scores.parquet")):
        assert same["my mrt"].tolist() == same.select(measures=["my mrt"])["my mrt"].tolist() == [[0.5], [1.5]]
        assert same.means().loc["one", "my mrt"] == 1
    with pytest.raises(UsageError, match="This is not a measure"):
        scores["my mr"]


def test_scores_are_read_whole_while_another_process_replaces_them(tmp_path: Path) -> None:
    path = tmp_path / "scores.parquet"
    few, many = (
        Scores.from_frame(
            pd.DataFrame({"query_id": list(map(str, range(n))), "system": "one", "measure": "AP", "value": 1.0})
        )
        for n in (3, 2000)
    )
    many.to_parquet(path)
    read = threading.Event()

    def replace() -> None:
        while not read.is_set():
            few.to_parquet(path)
            many.to_parquet(path)

    with ThreadPoolExecutor(1) as other:
        done = other.submit(replace)
        try:
            sizes = {len(Scores.read_parquet(path).topics) for _ in range(30)}
        finally:
            read.set()
        done.result()
    assert sizes <= {3, 2000}
