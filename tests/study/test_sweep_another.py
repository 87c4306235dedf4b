"""What is there of another sweep, or of none, is known and left alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd
import pytest

import irmx
from irmx import DataError

Sweep = Callable[..., pd.DataFrame]


CHANGES: list[tuple[dict[str, Any], str]] = [
    ({"grid": lambda grid: {**grid, "L": "0,1"}}, "Grid: existing MD=1m,2m,3m,4m,"),
    ({"grid": lambda grid: {"L": grid["L"], "MD": grid["MD"]}}, "Grid: existing MD="),
    ({"reference": ["AP", "RR"]}, "Reference: existing AP, requested AP, RR"),
    ({"reference": ()}, "Reference: existing AP, requested none"),
    ({"runs": ["recent.run"]}, "Runs: existing recent.run, bm25.run, requested recent.run"),
    ({"measure": "NCP", "grid": {"law": "uniform"}}, "Measure: existing ZEcho, requested NCP; grid: existing MD="),
]
"""What a call asks for otherwise, a grid as a function of the one there; and what the error says."""


@pytest.mark.parametrize("finished", [True, False], ids=["results", "parts"])
@pytest.mark.parametrize(("changed", "said"), CHANGES, ids=lambda c: "" if isinstance(c, str) else "-".join(c))
def test_what_is_there_of_another_sweep_is_refused(
    resuming: ModuleType,
    folder: Path,
    sweep: Sweep,
    monkeypatch: pytest.MonkeyPatch,
    changed: dict[str, Any],
    said: str,
    finished: bool,
) -> None:
    monkeypatch.chdir(folder)
    if finished:
        sweep()
    else:
        resuming.leave_parts(sweep, monkeypatch, 4)
    before = {p: p.stat().st_mtime_ns for p in folder.rglob("*.parquet")}
    asked = {name: value(resuming.GRID) if callable(value) else value for name, value in changed.items()}
    with pytest.raises(DataError) as error:
        sweep(**asked)
    what = f"{resuming.OUT} holds the results" if finished else f"{resuming.OUT}.parts holds parts"
    assert f"{what} of another sweep. {said}" in str(error.value)
    assert "choose another --out" in str(error.value)
    assert {p: p.stat().st_mtime_ns for p in folder.rglob("*.parquet")} == before


def test_a_change_of_the_data_makes_another_sweep(
    resuming: ModuleType, folder: Path, sweep: Sweep, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep()
    run = (folder / "recent.run").read_text()
    (folder / "recent.run").write_text(run + "\n")
    with pytest.raises(DataError, match=r"Runs: the content of recent.run has changed"):
        sweep()
    (folder / "recent.run").write_text(run)
    qrels = (folder / "demo.qrels").read_text()
    (folder / "demo.qrels").write_text(qrels + "1 0 another 1\n")
    with pytest.raises(DataError, match="Qrels: their content has changed"):
        sweep()
    (folder / "demo.qrels").write_text(qrels)
    assert len(sweep()) == (resuming.SETTINGS + 1) * len(resuming.RUNS) * 30
    frames = {name: pd.DataFrame(list(irmx.read_run(folder / name))) for name in resuming.RUNS}
    other = folder / "other.parquet"
    sweep(runs=frames, out=other)
    assert len(sweep(runs={name: frame.copy() for name, frame in frames.items()}, out=other)) > 0
    frames["recent.run"].loc[5, "score"] += 1e-9
    with pytest.raises(DataError, match=r"Runs: the content of recent.run has changed"):
        sweep(runs=frames, out=other)


@pytest.mark.parametrize("reference", ["NCP(law=uniform)", "LC"])
def test_another_reference_is_all_that_is_named(
    resuming: ModuleType, folder: Path, sweep: Sweep, reference: str
) -> None:
    """It may read columns that the others do not, and be of another plugin."""
    frames = {name: pd.DataFrame(list(irmx.read_run(folder / name))).assign(timestamp=5) for name in resuming.RUNS}
    qrels = pd.DataFrame(list(irmx.read_qrels(folder / "demo.qrels"))).assign(iteration="n", importance=1, timestamp=0)
    sweep(runs=frames, qrels=qrels)
    with pytest.raises(DataError) as error:
        sweep(runs=frames, qrels=qrels, reference=reference)
    assert f"of another sweep. Reference: existing AP, requested {reference}. Repeat" in str(error.value)
    with pytest.raises(DataError, match=r"requested.*; qrels: their content has changed"):
        sweep(runs=frames, qrels=qrels.assign(relevance=2), reference=reference)


def test_another_version_makes_another_sweep(folder: Path, sweep: Sweep, monkeypatch: pytest.MonkeyPatch) -> None:
    sweep()
    monkeypatch.setattr("irmx.score.scores.version", lambda name: "9.9")
    with pytest.raises(DataError, match=r"Versions: existing irmx 0\.\d+\.\d+, .* requested irmx 9\.9"):
        sweep()


def nones(frame: pd.DataFrame) -> pd.DataFrame:
    """The same values whatever the types, and None where there is none."""
    return frame.astype(object).where(frame.notna(), None)


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_texts_are_written_but_not_known_again(
    resuming: ModuleType, folder: Path, sweep: Sweep, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    out = folder / f"results.{ending}"
    resuming.leave_parts(sweep, monkeypatch, 4, out=out)
    results = sweep(out=out)
    there = pd.read_csv(out, sep="," if ending == "csv" else "\t", dtype={"query_id": str})
    pd.testing.assert_frame_equal(nones(there), nones(results))
    with pytest.raises(DataError, match=f"a .{ending} file does not record which sweep it is of. Remove it, or choose"):
        sweep(out=out)


def test_files_that_are_not_of_a_sweep_are_left_alone(resuming: ModuleType, folder: Path, sweep: Sweep) -> None:
    (folder / resuming.OUT).write_text("something else")
    with pytest.raises(DataError, match=r"is not a results file of a sweep. Choose another --out"):
        sweep()
    pd.DataFrame({"a": [1]}).to_parquet(folder / resuming.OUT)
    with pytest.raises(DataError, match="is not a results file of a sweep"):
        sweep()
    (folder / resuming.OUT).unlink()
    (folder / f"{resuming.OUT}.parts").mkdir()
    (folder / f"{resuming.OUT}.parts" / "thesis.tex").write_text("")
    with pytest.raises(DataError, match="is not one of a sweep"):
        sweep()
    (folder / f"{resuming.OUT}.parts" / "sweep.json").write_text("{")
    with pytest.raises(DataError, match=r"sweep\.json cannot be read .* Remove the folder"):
        sweep()
    assert (folder / f"{resuming.OUT}.parts" / "thesis.tex").exists()


def test_a_folder_that_is_not_there_is_said_before_any_work(resuming: ModuleType, folder: Path, sweep: Sweep) -> None:
    with pytest.raises(DataError, match=r"There is no folder .*nowhere"):
        sweep(out=folder / "nowhere" / resuming.OUT, measure="no measure at all")
    assert resuming.scored(folder) == []


def test_a_folder_that_cannot_be_made_is_said_before_any_work(resuming: ModuleType, folder: Path, sweep: Sweep) -> None:
    (folder / f"{resuming.OUT}.parts").write_text("a file")
    with pytest.raises(
        DataError, match=r"The folder .*results\.parquet\.parts cannot be created: .* Choose another --out"
    ):
        sweep()
    assert resuming.scored(folder) == []
    assert (folder / f"{resuming.OUT}.parts").read_text() == "a file"
