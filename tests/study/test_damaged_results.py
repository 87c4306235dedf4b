"""Files that users give to irmx-study: results of sweeps, populations, scores; damaged, or of another kind."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

import irmx
import irmx_study

QRELS = {"q1": {"a": 1, "b": 1}, "q2": {"c": 1}}
RUNS = {"one": {"q1": {"x": 3.0, "a": 2.0}, "q2": {"c": 1.0}}, "two": {"q1": {"a": 1.0}, "q2": {"y": 2.0, "c": 1.0}}}


@pytest.fixture(scope="module")
def results() -> pd.DataFrame:
    found: pd.DataFrame = irmx_study.sweep("NCP", {"law": ["uniform", "first"]}, QRELS, RUNS, jobs=1)
    return found


SWEEPS = {
    "a value that is no number": (
        "value",
        "high",
        "have the value 'high' in row 2 (counted from 0), which is not a finite",
    ),
    "an infinite value": (
        "value",
        "inf",
        "have the value 'inf' in row 2 (counted from 0), which is not a finite number",
    ),
    "no topic": ("query_id", "", "have no query_id in row 2 (counted from 0)"),
    "no run": ("run", "", "have no run in row 2 (counted from 0)"),
    "no measure": ("measure", "", "have no measure in row 2 (counted from 0)"),
    "another topic": ("query_id", "q9", "have no value of NCP(law="),
    "a topic twice": ("query_id", "q2", "twice"),
}


@pytest.mark.parametrize(("column", "cell", "says"), SWEEPS.values(), ids=SWEEPS)
def test_results_with_a_wrong_cell(tmp_path: Path, results: pd.DataFrame, column: str, cell: str, says: str) -> None:
    path = tmp_path / "results.csv"
    changed = results.astype(object)
    changed.loc[2, column] = cell
    changed.to_csv(path, index=False)
    with pytest.raises(irmx.DataError, match=re.escape(says)) as refused:
        irmx_study.scores_of_sweep(path)
    assert str(path) in str(refused.value)


def test_results_cut_at_any_row(tmp_path: Path, results: pd.DataFrame) -> None:
    path = tmp_path / "results.csv"
    for rows in range(1, len(results)):
        results.head(rows).to_csv(path, index=False)
        try:
            shape = irmx_study.scores_of_sweep(path).values.shape
        except irmx.DataError as error:
            assert re.search("have no value of", str(error))  # noqa: PT017
        else:
            assert shape[0] * shape[1] * shape[2] == rows


def test_results_of_many_topics_runs_and_measures_that_share_none(results: pd.DataFrame) -> None:
    """An array of all of them would have 8 * 10^12 values."""
    names = [str(number) for number in range(20_000)]
    sparse = pd.DataFrame({"run": names, "query_id": names, "measure": [f"m{n}" for n in names], "value": 0.5})
    with pytest.raises(irmx.DataError, match="have no value of m1 of 0 for topic 0"):
        irmx_study.scores_of_sweep(sparse)


def test_results_of_very_many_columns(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    path.write_text(",".join(f"c{i}" for i in range(1_000)) + "\n", encoding="utf-8")
    with pytest.raises(irmx.DataError, match=r"lack the column 'run'.*c19, \.\.\.\.") as refused:
        irmx_study.scores_of_sweep(path)
    assert len(str(refused.value)) < 500


@pytest.mark.parametrize("name", ["results.csv", "users.csv"])
def test_a_compressed_file_that_is_truncated(tmp_path: Path, results: pd.DataFrame, name: str) -> None:
    path = tmp_path / name
    whole = gzip.compress(results[["law"]].to_csv(index=False).encode() * 50)
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(irmx.DataError, match="is compressed, but truncated or damaged"):
        irmx_study.population("NCP", path) if name == "users.csv" else irmx_study.scores_of_sweep(path)


def test_a_compressed_population(tmp_path: Path) -> None:
    path = tmp_path / "users.csv"
    path.write_bytes(gzip.compress(b"law,weight\nfirst,3\nuniform,1\n"))
    assert list(irmx_study.population("NCP", path).values()) == [0.75, 0.25]


def test_a_population_that_does_not_exist_or_is_a_folder(tmp_path: Path) -> None:
    with pytest.raises(irmx.DataError, match="There is no population file"):
        irmx_study.population("NCP", tmp_path / "gone.csv")
    with pytest.raises(irmx.DataError, match="cannot be read"):
        irmx_study.population("NCP", tmp_path)


def test_scores_whose_record_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "scores.parquet"
    irmx.scores("AP", QRELS, RUNS).to_parquet(path)
    table = pq.read_table(path)
    for record in (b"{", b"\xff"):
        pq.write_table(table.replace_schema_metadata({b"irmx_scores": record}), path)
        with pytest.raises(irmx.DataError, match=r"scores\.parquet is damaged"):
            irmx.Scores.read_parquet(path)


@pytest.mark.parametrize("places", ["1000000000", "101", "-2"])
def test_decimal_places_that_no_float_has(places: str, capsys: pytest.CaptureFixture[str]) -> None:
    from irmx.cli.app import run

    with pytest.raises(SystemExit) as left:
        run(["power", "--sd", "0.2", "--topics", "50", "--places", places])
    assert left.value.code == 2
    assert "is not in the range -1<=x<=100" in capsys.readouterr().err
