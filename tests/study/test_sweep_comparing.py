"""The best settings of runs, and the agreement of settings with another measure."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau

import irmx
import irmx_study
from irmx import DataError, DataWarning, UsageError
from irmx.demo import SYSTEMS, qrels_path, run_path

VALUES: dict[tuple[str, float], dict[str, tuple[float, float]]] = {
    ("1m", 0.0): {"a": (5, 3), "b": (3, 3), "c": (1, 1), "d": (3, 3)},
    ("1m", 0.5): {"a": (6, 4), "b": (2, 2), "c": (3, 3), "d": (0, 0)},
    ("2m", 0.0): {"a": (1, 1), "b": (9, 1), "c": (2, 4), "d": (5, 5)},
    ("2m", 0.5): {"a": (2, 2), "b": (2, 2), "c": (2, 2), "d": (2, 2)},
}
RANKED = [4, 3, 1, 3], [5, 2, 3, 0], [1, 5, 3, 5]
"""The means of the runs in the first three settings."""

REFERENCE = {"a": (0.5, 0.3), "b": (0.3, 0.3), "c": (0.2, 0.2), "d": (0.1, 0.1)}


@pytest.fixture
def results() -> pd.DataFrame:
    """Results of four runs and two topics; in the setting 2m, 0.5 all runs are equal."""
    rows: list[dict[str, Any]] = []
    for run, values in REFERENCE.items():
        rows += [{"run": run, "query_id": q, "measure": "ELG", "value": v} for q, v in zip("xy", values, strict=True)]
    for (md, level), of_runs in VALUES.items():
        for run, both in of_runs.items():
            rows += [
                {"run": run, "query_id": q, "measure": "MSU", "MD": md, "L": level, "value": v, "standard_error": 0.1}
                for q, v in zip("xy", both, strict=True)
            ]
    return pd.DataFrame(rows)[["run", "query_id", "measure", "MD", "L", "value", "standard_error"]]


def test_best_settings(results: pd.DataFrame) -> None:
    found = irmx_study.best_settings(results)
    assert list(found.columns) == ["run", "rank", "value", "MD", "L", "settings"]
    assert found.values.tolist() == [
        ["a", 1, 5.0, "1m", 0.5, 3],  # the largest mean of 4, 5 and 2
        ["b", 1, 5.0, "2m", 0.0, 2],  # level with d there; first also where all are equal
        ["c", 1, 2.0, "2m", 0.5, 1],
        ["d", 1, 5.0, "2m", 0.0, 2],
    ]


def test_ranks_count_the_runs_with_larger_means(results: pd.DataFrame) -> None:
    one = results[(results["measure"] == "ELG") | ((results["MD"] == "1m") & (results["L"] == 0))]
    assert irmx_study.best_settings(one)["rank"].tolist() == [1, 2, 4, 2]


def test_of_equal_settings_the_first_is_best(results: pd.DataFrame) -> None:
    twice = results[results["MD"] == "1m"].assign(value=1.0)
    found = irmx_study.best_settings(twice)
    assert found["L"].tolist() == [0.0] * 4
    assert found["settings"].tolist() == [2] * 4


@pytest.mark.parametrize("reference", ["ELG", {"a": 0.4, "b": 0.3, "c": 0.2, "d": 0.1, "another": 7.0}])
def test_rank_correlation_is_tau_b_of_the_means(results: pd.DataFrame, reference: Any) -> None:
    with pytest.warns(DataWarning, match="1 of 4 settings give all runs the same value; tau is undefined there"):
        found = irmx_study.rank_correlation_with(results, reference)
    assert list(found.columns) == ["MD", "L", "tau", "p_value", "tau_ap", "tau_ap_a", "tau_ap_b"]
    assert found[["MD", "L"]].values.tolist() == [["1m", 0.0], ["1m", 0.5], ["2m", 0.0], ["2m", 0.5]]
    expected = [kendalltau([4, 3, 2, 1], means) for means in RANKED]
    np.testing.assert_allclose(found["tau"][:3], [e.statistic for e in expected])
    np.testing.assert_allclose(found["p_value"][:3], [e.pvalue for e in expected])
    assert found["tau"][1] == pytest.approx((5 - 1) / 6)
    for name, ties in (("tau_ap", "order"), ("tau_ap_a", "a"), ("tau_ap_b", "b")):
        expected = [irmx_study.tau_ap(np.array([4, 3, 2, 1]), np.array(means), ties) for means in RANKED]
        np.testing.assert_allclose(found[name][:3], expected, atol=1e-14)
    assert found.loc[3, ["tau", "p_value", "tau_ap", "tau_ap_a", "tau_ap_b"]].isna().all()


@pytest.mark.real
def test_tau_of_the_published_table() -> None:
    """Baruah, Smucker and Clarke report a tau of .471 between ELG and MSU over the 26 runs of their Table 3."""
    table = pd.read_csv(Path(os.environ["IRMX_DATA"]) / "msu_table3.tsv", sep="\t")
    results = pd.DataFrame(
        {"run": table["run"], "query_id": "all", "measure": "MSU", "L": 0.5, "value": -table["msu_rank"]}
    )
    found = irmx_study.rank_correlation_with(results, dict(zip(table["run"], -table["elg_rank"], strict=True)))
    assert found["tau"].tolist() == [pytest.approx(0.471, abs=0.0005)]
    by_value = results.assign(value=table["msu_reasonable"])
    assert irmx_study.best_settings(by_value)["rank"].tolist() == table["msu_rank"].tolist()


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> tuple[pd.DataFrame, Path]:
    """Results of a sweep over rel, cutoff and law, and the same in a file of texts."""
    out = tmp_path_factory.mktemp("swept") / "results.tsv"
    runs = {s: run_path(s) for s in SYSTEMS}
    grid = {"law": "uniform,first", "cutoff": "5,20", "rel": "1,2"}
    return irmx_study.sweep("NCP", grid, qrels_path(), runs, reference="AP", out=out, jobs=1), out


def test_they_read_what_a_sweep_returns_and_writes(swept: tuple[pd.DataFrame, Path]) -> None:
    results, out = swept
    best, agreement = irmx_study.best_settings(results), irmx_study.rank_correlation_with(results, "AP")
    pd.testing.assert_frame_equal(irmx_study.best_settings(out), best, check_dtype=False)
    pd.testing.assert_frame_equal(irmx_study.rank_correlation_with(str(out), "AP"), agreement, check_dtype=False)
    assert best["run"].tolist() == list(SYSTEMS)
    assert best["settings"].between(1, 8).all()
    assert len(agreement) == 8
    for row in best.itertuples():
        measure = f"NCP(law={row.law},rel={row.rel})@{row.cutoff}"
        means = [next(iter(irmx.calc_aggregate(measure, qrels_path(), run_path(s)).values())) for s in SYSTEMS]
        assert row.value == pytest.approx(means[SYSTEMS.index(row.run)], rel=1e-12)
        assert row.rank == 1 + sum(m > row.value + 1e-12 for m in means)


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet"])
def test_values_that_are_called_none_or_nan_are_settings(tmp_path: Path, ending: str) -> None:
    out = tmp_path / f"results.{ending}"
    grid = {"rescale": "None,recall", "no_relevant": "default,nan"}
    runs = {s: run_path(s) for s in SYSTEMS}
    results = irmx_study.sweep("MP(model=GL_AD_ID)", grid, qrels_path(), runs, reference="AP", out=out, jobs=1)
    agreement = irmx_study.rank_correlation_with(out, "AP")
    assert agreement[["rescale", "no_relevant"]].values.tolist() == [
        ["None", "default"], ["None", "nan"], ["recall", "default"], ["recall", "nan"],
    ]  # fmt: skip
    pd.testing.assert_frame_equal(irmx_study.best_settings(out), irmx_study.best_settings(results), check_dtype=False)


@pytest.mark.parametrize("name", ["results.parquet", "results.txt", "results.csv"])
def test_a_file_of_something_else_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text('a,b\n"1,2\n3\n')
    with pytest.raises(DataError, match=rf"{name} cannot be read as a results file"):
        irmx_study.best_settings(tmp_path / name)


@pytest.mark.parametrize(
    ("change", "reference", "kind", "said"),
    [
        (lambda r: r, "ELGG", UsageError, "The results have no reference 'ELGG'. Did you mean ELG? They have: ELG."),
        (lambda r: r, "AP", UsageError, "A setting may be the reference, too, such as MSU(MD='1m',L=0.0)"),
        (lambda r: r, {"a": 1.0}, DataError, "The reference has no value for the run 'b' (3 of 4 runs)"),
        (lambda r: r, dict.fromkeys("abcd", 1.0), DataError, "The reference gives 1.0 to all of 4 runs"),
        (lambda r: r[r["run"] == "a"], "ELG", DataError, "A correlation needs runs with different values"),
        (lambda r: r[r["measure"] == "ELG"], "ELG", DataError, "The results have no settings"),
        (lambda r: r.drop(columns=["MD", "L"]), "ELG", DataError, "The results have no settings"),
        (lambda r: r.drop(columns="measure"), "ELG", DataError, "The results lack the column 'measure'"),
        (lambda r: r.assign(value=np.nan), "ELG", DataError, "a has no value of ELG, so that it has no rank"),
        (lambda r: "nowhere.parquet", "ELG", DataError, "There are no results 'nowhere.parquet'"),
        (lambda r: [1], "ELG", DataError, "Results are a data frame or the path of a file. Got list"),
    ],
)
def test_what_is_no_result_is_refused(
    results: pd.DataFrame, change: Any, reference: Any, kind: type[Exception], said: str
) -> None:
    with pytest.raises(kind) as error:
        irmx_study.rank_correlation_with(change(results), reference)
    assert said in str(error.value)
