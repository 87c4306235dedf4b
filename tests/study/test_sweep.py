"""Sweeps give what scoring every setting by itself gives, with references, of populations, in processes and without."""

import gzip
import os
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau

import irmx
import irmx_study
from irmx import DataError, DataWarning, Grid, Measure, Scores, UsageError
from irmx.demo import SYSTEMS, qrels_path, run_path

FIXTURE = Path(__file__).parent.parent / "fixtures" / "prepared" / "src"
QRELS = str(qrels_path())
RUNS = {system: str(run_path(system)) for system in SYSTEMS}
LAWS = {"law": ["uniform", "first"]}


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
    return [line for line in log.read_text().splitlines() if line.startswith(kind)] if log.exists() else []


def assert_as_alone(scores: Scores, measures: list[Any], qrels: Any = QRELS) -> None:
    """The values and fields of every setting are those of the measure evaluated by itself, to the bit."""
    assert list(map(str, scores.measures)) == list(map(str, measures))
    alone = [irmx.scores([measure], qrels, RUNS) for measure in measures]
    np.testing.assert_array_equal(scores.values, np.concatenate([one.values for one in alone], axis=2))
    lacking = np.full(scores.values[..., :1].shape, np.nan)
    for name, values in scores.fields.items():
        np.testing.assert_array_equal(values, np.concatenate([one.fields.get(name, lacking) for one in alone], axis=2))


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize(
    ("measure", "grid"),
    [
        ("MP", {"model": "GL_AD_ID,LO_OR_ID", "cutoff": [10, 100]}),
        ("MP(model=GL_AD_ID)", {"rescale": [None, "recall"], "rel": "1,2"}),
        ("NCP", {"law": "uniform,geometric(p=0.3)", "judged_only": [True, False], "cutoff": "5,20"}),
    ],
)
def test_every_setting_has_the_values_of_the_measure_alone(measure: str, grid: dict[str, Any], jobs: int) -> None:
    scores = irmx_study.sweep(measure, grid, QRELS, RUNS, reference=["AP nDCG@10", "RR"], jobs=jobs)
    assert_as_alone(scores, [*Grid(measure, grid).measures(), *irmx.toolkit.parse_measures("AP nDCG@10 RR")])
    assert scores.systems == SYSTEMS
    name = measure.partition("(")[0]
    assert set(scores.views) == {"measure", *(f"{name}.{parameter}" for parameter in grid)}


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_measure_with_preparation_shares_it(echo: Measure, tmp_path: Path, jobs: int) -> None:
    grid = {"MD": "1m,2m", "L": [0, 0.5, 1], "SD": "0.5*MD,1*MD"}
    scores = irmx_study.sweep(echo(pace="5s"), grid, QRELS, RUNS, reference=["AP", echo(L=0.3)], jobs=jobs)
    assert len(calls(tmp_path, "prepare")) == 2 * len(RUNS)  # of all settings, and of the reference
    assert [line.count("ZEcho") for line in calls(tmp_path, "score")] == [3] * 4
    received, mapped = calls(tmp_path, "received"), calls(tmp_path, "mapped")
    assert len(received) == len(mapped) == len(RUNS) * len(set(received)), "no process reads what was prepared twice"
    assert len(set(received)) <= jobs
    assert_as_alone(scores, [*Grid(echo(pace="5s"), grid).measures(), irmx.parse_measure("AP"), echo(L=0.3)])
    assert np.isfinite(scores.fields["standard_error"]).all(axis=(0, 1)).tolist() == [True] * 12 + [False, True]
    (tmp_path / "calls.log").unlink()
    scores = irmx_study.sweep(echo, {"pace": "5s,20s", "rel": [1, 2], "L": ".5,1"}, QRELS, RUNS, jobs=jobs)
    assert [len(calls(tmp_path, kind)) for kind in ("prepare", "score")] == [2 * 2 * len(RUNS), 2 * 2]
    assert_as_alone(scores, [echo(pace=p, rel=r, L=x) for p in ("5s", "20s") for r in (1, 2) for x in (0.5, 1)])


def test_another_backend_of_joblib_can_be_chosen(echo: Measure) -> None:
    alone = irmx_study.sweep(echo, {"MD": "1m,2m", "L": "0,1"}, QRELS, RUNS, jobs=1)
    with joblib.parallel_config(backend="threading"):
        there = irmx_study.sweep(echo, {"MD": "1m,2m", "L": "0,1"}, QRELS, RUNS, jobs=2)
    pd.testing.assert_frame_equal(alone.frame(), there.frame(), check_exact=True)


@pytest.mark.parametrize("jobs", [1, 2])
def test_topics_that_a_run_lacks_have_the_default_and_no_fields(echo: Measure, jobs: int) -> None:
    qrels = {"1": {"a": 1}, "2": {"b": 1}, "3": {"c": 0}}
    runs = {"all": {"1": {"a": 1.0}, "2": {"b": 1.0}, "3": {"c": 1.0}}, "some": {"2": {"x": 2.0, "b": 1.0}}}
    with pytest.warns(DataWarning, match=r"some: no results for 2 of 3 topics \(1, 3\)") as warned:
        scores = irmx_study.sweep(echo(no_relevant="nan"), {"L": [0.5, 1]}, qrels, runs, jobs=jobs)
    assert len(warned) == 1
    expected = [m.value for m in irmx.iter_calc(echo(no_relevant="nan", L=0.5), qrels, runs["some"])]
    np.testing.assert_array_equal(scores.values[:, 1, 0], expected)
    assert np.isnan(expected).tolist() == [False, False, True]
    assert np.isnan(scores.fields["standard_error"][:, 1, 0]).tolist() == [True, False, True]
    assert scores.states[:, :, 0].tolist() == [[0, 1], [0, 0], [3, 3]]


@pytest.mark.parametrize("jobs", [1, 2])
def test_warnings_come_once_from_whatever_process(echo: Measure, monkeypatch: pytest.MonkeyPatch, jobs: int) -> None:
    monkeypatch.setenv("ZECHO_WARN", "1")
    with pytest.warns(DataWarning) as warned:
        irmx_study.sweep(echo, {"MD": "1m,2m,3m", "pace": "5s,10s"}, QRELS, RUNS, reference=echo(L=0.1), jobs=jobs)
    assert sorted(str(w.message) for w in warned) == [
        "3 users never look in",
        *(f"{system}: 2 documents have no length; 10s is assumed" for system in sorted(SYSTEMS)),
    ]


def test_runs_may_be_tables_dicts_paths_and_generators(capfd: pytest.CaptureFixture[str]) -> None:
    path = RUNS["bm25"]
    frame = pd.DataFrame(list(irmx.read_run(path)))
    runs = {"path": path, "frame": frame, "dict": irmx.read_run(path).as_dict(), "rows": iter(irmx.read_run(path))}
    qrels = pd.DataFrame(list(irmx.read_qrels(QRELS)))
    values = irmx_study.sweep("NCP", LAWS, qrels, runs, reference="AP", jobs=2).values
    assert all(np.array_equal(values[:, 0], values[:, system]) for system in (1, 2, 3))
    assert capfd.readouterr() == ("", "")
    by_file = irmx_study.sweep("NCP", LAWS, QRELS, [run_path(s) for s in SYSTEMS], jobs=1, progress=True)
    assert "2/2" in capfd.readouterr().err
    assert by_file.systems == tuple(f"{system}.run" for system in SYSTEMS)


# -- what is made of settings ------------------------------------------------------------------------------


@pytest.mark.real
def test_tau_of_the_published_table() -> None:
    """Baruah, Smucker and Clarke report a tau of .471 between ELG and MSU over the 26 runs of their Table 3."""
    table = pd.read_csv(Path(os.environ["IRMX_DATA"]) / "msu_table3.tsv", sep="\t")
    rows = table.rename(columns={"run": "system"}).assign(query_id="all", measure="MSU", value=-table["msu_rank"])
    scores = Scores.from_frame(rows[["query_id", "system", "measure", "value"]])
    reference = dict(zip(table["run"], -table["elg_rank"], strict=True))
    found = irmx_study.correlate(scores, reference=reference, resamples=0)
    assert found.frame()["tau"].tolist() == [pytest.approx(0.471, abs=0.0005)]


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet"])
def test_files_of_a_sweep_give_the_same_comparisons_and_correlations(tmp_path: Path, ending: str) -> None:
    """Also where values of parameters are called None and nan."""
    out = tmp_path / f"results.{ending}"
    grid = {"rescale": "None,recall", "no_relevant": "default,nan", "cutoff": "5,20"}
    swept = irmx_study.sweep("MP(model=GL_AD_ID)", grid, QRELS, RUNS, reference="AP", out=out, jobs=1)
    there = irmx_study.read_per_topic(out)
    found = irmx_study.correlate(there, reference="AP", resamples=0).frame("views")
    pd.testing.assert_frame_equal(found, irmx_study.correlate(swept, reference="AP", resamples=0).frame("views"))
    assert found["MP.no_relevant"].tolist() == ["default", "default", "nan", "nan"] * 2
    means = swept.means()
    taus = [kendalltau(means[name].round(12), means["AP"].round(12)).statistic for name in swept.names[:-1]]
    assert found["tau"].tolist() == pytest.approx(taus)
    ranks = irmx_study.compare(there, baseline="bm25").frame("ranks").set_index("system")
    by_rank = means.drop(columns="AP").round(12).rank(ascending=False, method="min").astype(int)
    assert ranks["best"].to_dict() == by_rank.min(axis=1).to_dict()
    assert ranks["worst"].to_dict() == by_rank.max(axis=1).to_dict()


# -- populations -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["", "csv", "parquet"])
def test_a_population_has_settings_with_shares(tmp_path: Path, ending: str) -> None:
    (tmp_path / "users.csv").write_bytes(gzip.compress(b"law,cutoff,weight\nfirst,5,3\nuniform,20,1\n"))
    users = irmx_study.population("NCP", tmp_path / "users.csv")
    shares = {str(setting): share for setting, share in users.items()}
    assert shares == {"NCP(law=first)@5": 0.75, "NCP(law=uniform)@20": 0.25}
    out = tmp_path / f"results.{ending}" if ending else None
    for population in (users, tmp_path / "users.csv"):
        scores = irmx_study.sweep("NCP", None, QRELS, RUNS, population=population, reference="AP", out=out, jobs=1)
        assert_as_alone(scores, [*users, irmx.parse_measure("AP")])
        assert scores.marks["weight"] == (0.75, 0.25, "")
        [row, _] = irmx_study.compare(scores, baseline="titles").frame("over").itertuples()
        assert (row.a, row.views, row.share_better) == ("bm25", 2, pytest.approx(1))
    with pytest.raises(UsageError, match="a grid, or a population"):
        irmx_study.sweep("NCP", LAWS, QRELS, RUNS, population=users)


def test_populations_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    path = tmp_path / "users.csv"
    whole = gzip.compress(b"law,weight\n" + b"first,3\n" * 50)
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match="is compressed, but truncated or damaged"):
        irmx_study.population("NCP", path)
    with pytest.raises(DataError, match="There is no population file"):
        irmx_study.population("NCP", tmp_path / "gone.csv")
    with pytest.raises(DataError, match="cannot be read"):
        irmx_study.population("NCP", tmp_path)
    wrong = {"law,weight\nfirst,-1\n": "user 1: the weight", "law\n": "no users"}
    wrong['law\nfirst\n""\n'] = "no value of 'law'"
    for content, said in {**wrong, "laww\nfirst\n": "user 1: .*laww", "weight\n1\n": "no column"}.items():
        path.write_text(content)
        with pytest.raises((DataError, UsageError), match=said):
            irmx_study.population("NCP", path)


# -- bad input ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"runs": {}}, "There is no run to score"),
        ({"runs": [RUNS["recent"], RUNS["recent"]]}, "Two runs have the name"),
        ({"runs": {"1": RUNS["recent"], 1: RUNS["bm25"]}}, "Two runs have the name '1'"),
        ({"runs": [{"q": {"a": 1.0}}]}, "Runs are a mapping of names to runs, or paths. Got dict among them"),
        ({"runs": 5}, "Runs are a mapping of names to runs, or paths. Got int instead"),
        ({"runs": pd.DataFrame({"query_id": ["q"], "doc_id": ["a"], "score": [1.0]})}, "Got DataFrame instead"),
        ({"jobs": 0}, "The number of jobs must be an int of 1 or more. Got 0"),
        ({"jobs": True}, "Got True instead"),
        ({"backend": "ray"}, "There is no backend 'ray'. Known: dask"),
        ({"backend": "dask"}, "needs the address of its scheduler"),
        ({"scheduler": "tcp://127.0.0.1:1"}, "requires --backend dask"),
        ({"out": "results.xls"}, "must end in .parquet, .csv or .tsv"),
        ({"reference": "APP"}, "There is no measure APP"),
        ({"measure": "AP", "grid": {"rel": [1, 2]}}, "AP"),
    ],
)
def test_what_cannot_be_swept_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError) as error:
        irmx_study.sweep(**{"measure": "NCP", "grid": LAWS, "qrels": QRELS, "runs": RUNS, "jobs": 1, **options})
    assert said in str(error.value)


def test_a_file_of_a_parameter_that_changed_makes_another_sweep(tmp_path: Path) -> None:
    file, out = tmp_path / "user.csv", tmp_path / "out.csv"

    def sweep() -> Scores:
        measure, grid = f"CWL(user=by_rank(file='{file}'))", {"max_grade": [3, 4]}
        return irmx_study.sweep(measure, grid, qrels_path(), run_path("bm25"), out=out)

    file.write_text("rank,continuation\n1,0.5\n")
    first = sweep()
    assert sweep().values.tolist() == first.values.tolist()
    file.write_text("rank,continuation\n1,0.9\n")
    with pytest.raises(DataError, match="other results"):
        sweep()


def test_errors_of_the_data_name_the_run(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"run x: No topic of the run is in the qrels\. The run has 99; the qrels"):
        irmx_study.sweep("NCP", LAWS, QRELS, {"x": {"99": {"a": 1.0}}}, jobs=1)
    with pytest.raises(DataError, match=r"run recent: MPcont.* cannot be computed: the run column 'dwell'"):
        irmx_study.sweep("MPcont", {"model": "GL_AD_ID"}, QRELS, {"recent": irmx.read_run(RUNS["recent"])}, jobs=1)
    (tmp_path / "bad.run").write_text("1 Q0 a 1 high x\n")
    with pytest.raises(DataError, match=r"bad\.run"):
        irmx_study.sweep("NCP", LAWS, QRELS, [tmp_path / "bad.run"], jobs=1)


@pytest.mark.parametrize("jobs", [1, 2])
def test_errors_of_plugins_come_through(echo: Measure, monkeypatch: pytest.MonkeyPatch, jobs: int) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("ZECHO_SLEEP", "x")
        with pytest.raises(irmx.PluginError, match=r"The measure ZEcho\(MD='[13]m'\) failed with ValueError"):
            irmx_study.sweep(echo, {"MD": "1m,3m"}, QRELS, RUNS, jobs=jobs)
    if jobs == 2:
        return
    wrong = irmx.TopicScores(np.full(30, np.inf))
    for returned, said in (
        ([[]], r"a list of 1 scores for each of 3 runs\. Got \[0\]"),
        ([[wrong]] * 3, "no finite value for query 1"),
    ):
        monkeypatch.setattr(type(echo), "score_prepared", classmethod(lambda *_, returned=returned: returned))
        with pytest.raises(irmx.PluginError, match=said):
            irmx_study.sweep(echo, {"MD": "1m"}, QRELS, RUNS, jobs=1)


def test_a_second_reference_is_no_setting(tmp_path: Path) -> None:
    runs = {system: run_path(system) for system in SYSTEMS}
    for out in (None, tmp_path / "results.parquet"):
        found = irmx_study.sweep(
            "NCP", {"law": ["uniform", "first"]}, qrels_path(), runs, reference="AP RR", out=out, jobs=1
        )
        for reference, settings in (("AP", 2), ("RR", 2), ("NCP(law=first)", 3)):
            agreement = irmx_study.correlate(found, reference=reference, resamples=0)
            assert len(agreement.frame("views")) == settings
        assert not irmx_study.correlate(found, reference="AP", resamples=0).frame("views")["NCP.law"].isna().any()
