"""Sweeps give what scoring every setting by itself gives, with references, in processes and without."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest

import irmx
import irmx_study
from irmx import DataError, DataWarning, Measure, UsageError
from irmx.demo import SYSTEMS, qrels_path, run_path

FIXTURE = Path(__file__).parent.parent / "fixtures" / "prepared" / "src"
QRELS = str(qrels_path())
RUNS = {system: str(run_path(system)) for system in SYSTEMS}


@pytest.fixture
def echo(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Measure:
    """A measure with preparation, which processes can import, and a log of its calls."""
    monkeypatch.syspath_prepend(str(FIXTURE))
    monkeypatch.setenv("ZECHO_LOG", str(tmp_path / "calls.log"))
    from irmx_prepared.plugin import Echo

    return Echo()


def calls(folder: Path, kind: str) -> list[str]:
    """What the measure with preparation wrote down."""
    log = folder / "calls.log"
    lines = log.read_text().splitlines() if log.exists() else []
    return [line for line in lines if line.startswith(kind)]


def one_by_one(measures: list[Measure], field: str = "") -> list[float]:
    """The values of settings, runs and topics, each setting evaluated by itself."""
    found = []
    for measure in measures:
        for path in RUNS.values():
            for metric in irmx.iter_calc(measure, QRELS, path):
                found.append(getattr(metric, field) if field else metric.value)
    return found


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize(
    ("measure", "grid"),
    [
        ("MP", {"model": "GL_AD_ID,LO_OR_ID", "cutoff": [10, 100]}),
        ("MP(model=GL_AD_ID)", {"rescale": [None, "recall"], "rel": "1,2"}),
        ("NCP", {"law": "uniform,geometric(p=0.3)", "judged_only": [True, False], "cutoff": "5,20"}),
    ],
)
def test_every_setting_has_the_values_of_irmx_calc(measure: str, grid: dict[str, Any], jobs: int) -> None:
    from irmx import Grid

    results = irmx_study.sweep(measure, grid, QRELS, RUNS, jobs=jobs)
    settings = Grid(measure, grid).measures()
    assert len(results) == len(settings) * len(RUNS) * 30
    assert results["value"].tolist() == one_by_one(settings)
    assert set(results["measure"]) == {measure}
    assert list(results.columns) == ["run", "query_id", "measure", *grid, "value"]


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_measure_with_preparation_shares_it(echo: Measure, tmp_path: Path, jobs: int) -> None:
    grid = {"MD": "1m,2m", "L": [0, 0.5, 1], "SD": "0.5*MD,1*MD"}
    results = irmx_study.sweep(echo(pace="5s"), grid, QRELS, RUNS, jobs=jobs)
    prepared, scored = calls(tmp_path, "prepare"), calls(tmp_path, "score")
    assert len(prepared) == len(RUNS)
    assert len(scored) == 4
    assert all(line.count("ZEcho") == 3 for line in scored)
    from irmx import Grid

    settings = Grid(echo(pace="5s"), grid).measures()
    assert results["value"].tolist() == one_by_one(settings)
    assert results["standard_error"].tolist() == one_by_one(settings, "standard_error")
    assert list(results.columns) == ["run", "query_id", "measure", "MD", "L", "SD", "value", "standard_error"]
    first = results.iloc[0]
    assert (first.run, first.query_id, first.measure, first.MD, first.L, first.SD) == (
        "bm25", "1", "ZEcho(pace='5s')", "1m", 0.0, "30s",
    )  # fmt: skip


def test_every_preparation_is_made_once_for_each_run(echo: Measure, tmp_path: Path) -> None:
    results = irmx_study.sweep(echo, {"pace": "5s,20s", "rel": [1, 2], "L": ".5,1"}, QRELS, RUNS, jobs=1)
    assert len(calls(tmp_path, "prepare")) == 2 * 2 * len(RUNS)
    assert len(calls(tmp_path, "score")) == 2 * 2
    settings = [echo(pace=p, rel=r, L=x) for p in ("5s", "20s") for r in (1, 2) for x in (0.5, 1)]
    assert results["value"].tolist() == one_by_one(settings)


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_is_prepared_is_mapped_into_memory_and_not_sent_with_every_unit(
    echo: Measure, tmp_path: Path, jobs: int
) -> None:
    grid = {"MD": [f"{n}m" for n in range(1, 9)]}
    irmx_study.sweep(echo, grid, QRELS, RUNS, jobs=jobs)
    received, mapped = calls(tmp_path, "received"), calls(tmp_path, "mapped")
    assert len(received) == len(mapped) == len(RUNS) * len(set(received))
    assert len(set(received)) <= jobs
    assert len(calls(tmp_path, "score")) == 8


def test_a_unit_of_work_is_small_whatever_was_prepared(echo: Measure, tmp_path: Path) -> None:
    from irmx_study.sweeping.units import Data, Units, do

    judgments = irmx.read_qrels(QRELS)
    settings = [echo(L=0.5), echo(L=1)]
    data = Data(judgments, settings, str(tmp_path))
    for path in RUNS.values():
        data.add(irmx.read_run(path))
    (unit,) = Units(settings, range(2))
    assert len(pickle.dumps((do, unit, settings, data.stored()[unit.key]))) < 3000
    assert len(pickle.dumps(data.held()[unit.key])) > len(RUNS) * 1_600_000


def test_with_one_job_no_process_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("a process was started")

    monkeypatch.setattr(subprocess.Popen, "__init__", refuse)
    monkeypatch.setattr("joblib.externals.loky.backend.process.LokyProcess.start", refuse)
    with pytest.raises(AssertionError, match="a process was started"):
        irmx_study.sweep("NCP", {"law": "uniform,first"}, QRELS, RUNS, jobs=2)
    assert len(irmx_study.sweep("NCP", {"law": "uniform,first"}, QRELS, RUNS, jobs=1)) == 2 * 3 * 30


def test_another_backend_of_joblib_can_be_chosen(echo: Measure) -> None:
    alone = irmx_study.sweep(echo, {"MD": "1m,2m", "L": "0,1"}, QRELS, RUNS, jobs=1)
    with joblib.parallel_config(backend="threading"):
        there = irmx_study.sweep(echo, {"MD": "1m,2m", "L": "0,1"}, QRELS, RUNS, jobs=2)
    pd.testing.assert_frame_equal(alone, there)


# -- references, columns, defaults -------------------------------------------------------------------------


def test_references_are_scored_once_and_stand_first(echo: Measure) -> None:
    results = irmx_study.sweep(
        echo, {"L": [0, 1], "users": [5]}, QRELS, RUNS, reference=["AP nDCG@10", echo(L=0.3)], jobs=1
    )
    first = results[: 3 * 3 * 30]
    assert first["measure"].unique().tolist() == ["AP", "nDCG@10", "ZEcho(L=0.3)"]
    assert first[["L", "users"]].isna().all(axis=None)
    for name in ("AP", "nDCG@10", "ZEcho(L=0.3)"):
        measure = echo(L=0.3) if name.startswith("Z") else name
        values = [m.value for path in RUNS.values() for m in irmx.iter_calc(measure, QRELS, path)]
        assert first[first["measure"] == name]["value"].tolist() == values
    assert first["standard_error"].notna().sum() == 3 * 30
    assert results[3 * 3 * 30 :][["L", "users"]].notna().all(axis=None)


def test_columns_of_parameters_have_the_types_of_their_values(echo: Measure) -> None:
    grid = {"users": [5, 7], "L": [0, 1], "judged_only": [True, False], "MD": ["90s"], "rel": [1, 1.5]}
    results = irmx_study.sweep(echo, grid, QRELS, RUNS, reference="AP", jobs=1)
    assert {n: str(results[n].dtype) for n in grid} | {"MD": "text"} == {
        "users": "Int64", "L": "float64", "judged_only": "boolean", "MD": "text", "rel": "float64",
    }  # fmt: skip
    assert set(results["MD"].dropna()) == {"1.5m"}
    mixed = irmx_study.sweep(echo, {"users": ["auto", 7]}, QRELS, RUNS, jobs=1)
    assert mixed["users"].unique().tolist() == ["auto", "7"]
    none = irmx_study.sweep("MP(model=constant)", {"rescale": [None, "recall"]}, QRELS, RUNS, reference="AP", jobs=1)
    assert none["rescale"].dropna().unique().tolist() == ["None", "recall"]


@pytest.mark.parametrize("jobs", [1, 2])
def test_topics_that_a_run_lacks_have_the_default_and_no_fields(echo: Measure, jobs: int) -> None:
    qrels = {"1": {"a": 1}, "2": {"b": 1}, "3": {"c": 0}}
    runs = {"all": {"1": {"a": 1.0}, "2": {"b": 1.0}, "3": {"c": 1.0}}, "some": {"2": {"x": 2.0, "b": 1.0}}}
    with pytest.warns(DataWarning, match=r"some: no results for 2 of 3 topics \(1, 3\)") as warned:
        results = irmx_study.sweep(echo(no_relevant="nan"), {"L": [0.5, 1]}, qrels, runs, jobs=jobs)
    assert len(warned) == 1
    of_some = results[(results["run"] == "some") & (results["L"] == 0.5)]
    expected = [m.value for m in irmx.iter_calc(echo(no_relevant="nan", L=0.5), qrels, runs["some"])]
    np.testing.assert_array_equal(of_some["value"], expected)
    assert np.isnan(expected[2])
    assert expected[0] == 0
    assert of_some["standard_error"].isna().tolist() == [True, False, True]


@pytest.mark.parametrize("jobs", [1, 2])
def test_warnings_come_once_from_whatever_process(echo: Measure, monkeypatch: pytest.MonkeyPatch, jobs: int) -> None:
    monkeypatch.setenv("ZECHO_WARN", "1")
    with pytest.warns(DataWarning) as warned:
        irmx_study.sweep(echo, {"MD": "1m,2m,3m", "pace": "5s,10s"}, QRELS, RUNS, reference=echo(L=0.1), jobs=jobs)
    assert sorted(str(w.message) for w in warned) == [
        "3 users never look in",
        *(f"{system}: 2 documents have no length; 10s is assumed" for system in sorted(SYSTEMS)),
    ]


def test_runs_may_be_tables_dicts_paths_and_generators() -> None:
    path = RUNS["bm25"]
    frame = pd.DataFrame(list(irmx.read_run(path)))
    runs = {"path": path, "frame": frame, "dict": irmx.read_run(path).as_dict(), "rows": iter(irmx.read_run(path))}
    qrels = pd.DataFrame(list(irmx.read_qrels(QRELS)))
    results = irmx_study.sweep("NCP", {"law": "uniform,first"}, qrels, runs, reference="AP", jobs=2)
    values = [g["value"].tolist() for _, g in results.groupby("run", sort=False)]
    assert values[0] == values[1] == values[2] == values[3]
    by_file = irmx_study.sweep("NCP", {"law": "uniform,first"}, QRELS, [run_path(s) for s in SYSTEMS], jobs=1)
    assert by_file["run"].unique().tolist() == [f"{s}.run" for s in SYSTEMS]


def test_a_progress_bar_is_shown_on_standard_error_where_asked_for(capfd: pytest.CaptureFixture[str]) -> None:
    irmx_study.sweep("NCP", {"law": "uniform,first"}, QRELS, RUNS, jobs=1)
    assert capfd.readouterr() == ("", "")
    irmx_study.sweep("NCP", {"law": "uniform,first"}, QRELS, RUNS, jobs=1, progress=True)
    out, err = capfd.readouterr()
    assert out == ""
    assert "Scoring settings" in err
    assert "2/2" in err
    assert "remaining" in err


# -- bad input ---------------------------------------------------------------------------------------------

LAWS = {"law": ["uniform", "first"]}


@pytest.mark.parametrize(
    ("runs", "said"),
    [
        ({}, "There is no run to score"),
        ([], "There is no run to score"),
        ([RUNS["recent"], RUNS["recent"]], "Two runs have the name"),
        ({"1": RUNS["recent"], 1: RUNS["bm25"]}, "Two runs have the name '1'"),
        ([{"q": {"a": 1.0}}], "Runs are a mapping of names to runs, or paths. Got dict among them"),
        (5, "Runs are a mapping of names to runs, or paths. Got int instead"),
        (pd.DataFrame({"query_id": ["q"], "doc_id": ["a"], "score": [1.0]}), "or paths. Got DataFrame instead"),
    ],
)
def test_runs_that_cannot_be_told_apart_are_refused(runs: Any, said: str) -> None:
    with pytest.raises(UsageError) as error:
        irmx_study.sweep("NCP", LAWS, QRELS, runs, jobs=1)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"jobs": 0}, "The number of jobs must be an int of 1 or more. Got 0"),
        ({"jobs": True}, "Got True instead"),
        ({"backend": "ray"}, "There is no backend 'ray'. Known: dask"),
        ({"backend": "dask"}, "needs the address of its scheduler"),
        ({"scheduler": "tcp://127.0.0.1:1"}, "requires --backend dask"),
        ({"out": "results.xls"}, "must end in .parquet, .csv or .tsv"),
        ({"reference": "APP"}, "There is no measure APP"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as error:
        irmx_study.sweep("NCP", LAWS, QRELS, RUNS, **{"jobs": 1, **options})
    assert said in str(error.value)


def test_errors_of_the_data_name_the_run(echo: Measure, tmp_path: Path) -> None:
    with pytest.raises(
        DataError, match=r"run x: No topic of the run is in the qrels. The run has 99; the qrels have 1, 2, 3"
    ):
        irmx_study.sweep("NCP", LAWS, QRELS, {"x": {"99": {"a": 1.0}}}, jobs=1)
    with pytest.raises(DataError, match=r"run recent: MPcont.* cannot be computed: the run column 'dwell'"):
        irmx_study.sweep("MPcont", {"model": "GL_AD_ID"}, QRELS, {"recent": irmx.read_run(RUNS["recent"])}, jobs=1)
    (tmp_path / "bad.run").write_text("1 Q0 a 1 high x\n")
    with pytest.raises(DataError, match=r"bad\.run"):
        irmx_study.sweep("NCP", LAWS, QRELS, [tmp_path / "bad.run"], jobs=1)


@pytest.mark.parametrize("jobs", [1, 2])
def test_errors_in_processes_come_through(echo: Measure, monkeypatch: pytest.MonkeyPatch, jobs: int) -> None:
    monkeypatch.setenv("ZECHO_SLEEP", "x")
    with pytest.raises(irmx.PluginError, match=r"The measure ZEcho\(MD='[13]m'\) failed with ValueError"):
        irmx_study.sweep(echo, {"MD": "1m,3m"}, QRELS, RUNS, jobs=jobs)


def test_scores_of_the_wrong_shape_are_the_plugins_fault(echo: Measure, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = type(echo)
    monkeypatch.setattr(kind, "score_prepared", classmethod(lambda cls, prepared, settings: [[]]))
    with pytest.raises(irmx.PluginError, match=r"must return a list of 1 scores for each of 3 runs. Got \[0\]"):
        irmx_study.sweep(echo, {"MD": "1m"}, QRELS, RUNS, jobs=1)
    wrong = irmx.TopicScores(np.full(30, np.inf))
    monkeypatch.setattr(kind, "score_prepared", classmethod(lambda cls, prepared, settings: [[wrong]] * 3))
    with pytest.raises(irmx.PluginError, match=r"ZEcho\(MD='1m'\) has no finite value for query 1"):
        irmx_study.sweep(echo, {"MD": "1m"}, QRELS, RUNS, jobs=1)


def test_a_field_with_the_name_of_a_parameter_gets_an_underscore(
    echo: Measure, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = irmx.TopicScores(np.zeros(30), {"users": np.full(30, 7.0)})
    monkeypatch.setattr(type(echo), "score_prepared", classmethod(lambda cls, prepared, settings: [[both]] * 3))
    results = irmx_study.sweep(echo, {"users": [5]}, QRELS, RUNS, jobs=1)
    assert list(results.columns) == ["run", "query_id", "measure", "users", "value", "users_"]
    assert (set(results["users"]), set(results["users_"])) == ({5}, {7.0})


def test_importing_irmx_and_the_plugins_does_not_import_joblib() -> None:
    code = "import sys, irmx; irmx.registry(); sys.exit('joblib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
