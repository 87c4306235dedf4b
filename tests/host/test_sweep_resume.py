"""A sweep that is stopped, killed, or damaged goes on where it was, and gives what it would have given."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest

import irmx
from irmx import DataError, DataWarning
from irmx.demo import qrels_path, run_path

FIXTURE = Path(__file__).parent.parent / "fixtures" / "prepared" / "src"
RUNS = ["recent.run", "bm25.run"]
SETTINGS = 24
GRID = {"MD": ",".join(f"{n}m" for n in range(1, SETTINGS // 2 + 1)), "L": "0,.5"}
OUT = "results.parquet"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a small collection, and with the fixture plugin as if it were installed there."""
    shutil.copy(qrels_path(), tmp_path / "demo.qrels")
    for run in RUNS:
        shutil.copy(run_path(run.removesuffix(".run")), tmp_path / run)
    about = tmp_path / "site" / "irmx_prepared-0.5.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: irmx-prepared\nVersion: 0.5\n")
    (about / "entry_points.txt").write_text("[irmx]\nprepared = irmx_prepared.plugin\n")
    return tmp_path


def words(out: str = OUT, jobs: int = 2, grid: dict[str, str] = GRID, reference: str = "AP") -> list[str]:
    """The command, without the program."""
    grids = [word for name, values in grid.items() for word in ("--grid", f"{name}={values}")]
    return ["sweep", "demo.qrels", *RUNS, "--measure", "ZEcho", *grids, "--reference", reference,
            "--out", out, "--jobs", str(jobs)]  # fmt: skip


Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start(folder: Path) -> Iterator[Start]:
    """Start the command as the shell does, in a process group that is gone at the end of the test."""
    started: list[subprocess.Popen[str]] = []

    def run(*arguments: str, **environment: str) -> subprocess.Popen[str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith("IRMX_")}
        paths = {"PYTHONPATH": os.pathsep.join([str(FIXTURE), str(folder / "site")])}
        process = subprocess.Popen(
            [sys.executable, "-c", "from irmx.cli import main; main()", *arguments],
            cwd=folder,
            env={**kept, **paths, "ZECHO_LOG": str(folder / "calls.log"), "COLUMNS": "200", **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        started.append(process)
        return process

    yield run
    for process in started:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def finish(process: subprocess.Popen[str]) -> tuple[int, str]:
    """The exit code and the remarks of a process that is to end by itself."""
    _, err = process.communicate(timeout=60)
    return process.returncode, err


def scored(folder: Path) -> list[str]:
    """The settings that were scored so far, as often as they were."""
    log = folder / "calls.log"
    lines = log.read_text().splitlines() if log.exists() else []
    return [name for line in lines if line.startswith("score") for name in line.split()[1:]]


def wait_for_parts(folder: Path, number: int = 3) -> None:
    end = time.monotonic() + 30
    while len(list((folder / f"{OUT}.parts").glob("settings-*.parquet"))) < number:
        assert time.monotonic() < end
        time.sleep(0.01)


def parts(folder: Path) -> set[int]:
    """The settings whose parts can be read."""
    import json

    found: set[int] = set()
    for path in (folder / f"{OUT}.parts").glob("settings-*.parquet"):
        found |= set(json.loads((pq.read_schema(path).metadata or {})[b"settings"]))
    return found


Sweep = Callable[..., pd.DataFrame]


@pytest.fixture
def sweep(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Sweep:
    """Do the sweep in this process; what is given changes it."""
    monkeypatch.syspath_prepend(str(FIXTURE))
    monkeypatch.setenv("ZECHO_LOG", str(folder / "calls.log"))
    from irmx_prepared.plugin import Echo

    def run(**changed: Any) -> pd.DataFrame:
        given: dict[str, Any] = {
            "measure": Echo(),
            "grid": GRID,
            "qrels": str(folder / "demo.qrels"),
            "runs": [folder / run for run in RUNS],
            "reference": "AP",
            "out": folder / OUT,
            "jobs": 1,
        }
        return irmx.sweep(**{**given, **changed})

    return run


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize(
    ("sign", "jobs", "group"),
    [("SIGKILL", 2, True), ("SIGINT", 2, True), ("SIGINT", 1, False)],
    ids=["killed", "Ctrl-C", "SIGINT with one job"],
)
def test_a_stopped_sweep_goes_on_where_it_was(
    folder: Path, start: Start, sweep: Sweep, sign: str, jobs: int, group: bool
) -> None:
    first = start(*words(jobs=jobs), ZECHO_SLEEP="0.2")
    wait_for_parts(folder)
    (os.killpg if group else os.kill)(first.pid, getattr(signal, sign))
    code, err = finish(first)
    there = parts(folder)
    assert 6 <= len(there) < SETTINGS
    assert not (folder / OUT).exists()
    if sign == "SIGINT":
        assert code == 130
        assert (
            f"irmx: {len(there)} of {SETTINGS} settings are done and kept; the same command goes on from there" in err
        )
        assert "Traceback" not in err
        assert "leaked" not in err
    (folder / "calls.log").unlink()
    code, err = finish(start(*words(jobs=1)))
    assert code == 0, err
    assert err.startswith(f"irmx: {len(there)} of {SETTINGS} settings are there already\n")
    assert len(scored(folder)) == len(set(scored(folder))) == SETTINGS - len(there)
    assert not (folder / f"{OUT}.parts").exists()
    results = pd.read_parquet(folder / OUT)
    assert len(results) == (SETTINGS + 1) * len(RUNS) * 30
    pd.testing.assert_frame_equal(results, sweep(out=None))


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("delay", [0.0, 0.2, 0.4])
def test_processes_that_are_stopped_while_they_start_do_not_complain(folder: Path, start: Start, delay: float) -> None:
    first = start(*words(), ZECHO_SLEEP="2")
    end = time.monotonic() + 30
    while not list((folder / f"{OUT}.parts").glob("*.unfinished/*.joblib")):
        assert time.monotonic() < end
        time.sleep(0.01)
    time.sleep(delay)
    os.killpg(first.pid, signal.SIGINT)
    assert finish(first) == (130, "irmx: stopped\n")
    assert not (folder / f"{OUT}.parts").exists()


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="locks and signals of POSIX")
def test_two_processes_do_not_work_on_one_sweep(folder: Path, start: Start) -> None:
    first = start(*words(jobs=1), ZECHO_SLEEP="0.2")
    wait_for_parts(folder, 1)
    code, err = finish(start(*words(jobs=1)))
    assert code == 1
    assert f"Another process is at work on {OUT}.parts. Wait until it is done, or choose another --out." in err
    assert first.poll() is None
    assert finish(first)[0] == 0
    assert len(pd.read_parquet(folder / OUT)) == (SETTINGS + 1) * len(RUNS) * 30


@pytest.mark.slow
def test_a_finished_sweep_is_known_again(folder: Path, start: Start) -> None:
    assert finish(start(*words())) == (0, f"irmx: {OUT}: {SETTINGS} settings of 2 runs\n")
    (folder / "calls.log").unlink()
    before = (folder / OUT).stat().st_mtime_ns
    assert finish(start(*words())) == (0, f"irmx: {OUT} is complete: {SETTINGS} settings of 2 runs\n")
    assert scored(folder) == []
    assert (folder / OUT).stat().st_mtime_ns == before


# -- in this process ---------------------------------------------------------------------------------------


def leave_parts(sweep: Sweep, monkeypatch: pytest.MonkeyPatch, number: int, **changed: Any) -> None:
    """Begin a sweep that stops after a number of units."""
    from irmx.meta.sweeps import Sweep as Class

    keep = Class._keep

    def stop(self: Class, done: Any, prepared: Any) -> None:
        if self.done >= 2 * number:
            raise KeyboardInterrupt
        keep(self, done, prepared)

    with monkeypatch.context() as patch:
        patch.setattr(Class, "_keep", stop)
        with pytest.raises(KeyboardInterrupt):
            sweep(**changed)


def test_damaged_parts_are_computed_again(folder: Path, sweep: Sweep, monkeypatch: pytest.MonkeyPatch) -> None:
    leave_parts(sweep, monkeypatch, 4)
    kept = sorted((folder / f"{OUT}.parts").glob("settings-*.parquet"))
    assert len(kept) == 4
    for path, size in zip(kept[:3], (0, 7, kept[2].stat().st_size - 5), strict=True):
        path.write_bytes(path.read_bytes()[:size])
    (folder / f"{OUT}.parts" / "settings-0000099.parquet.unfinished").write_bytes(b"PAR1 half of")
    (folder / f"{OUT}.parts" / "tmpx.unfinished").mkdir()
    (folder / "calls.log").unlink()
    with pytest.warns(DataWarning, match="is damaged; it was removed, and its settings are computed again") as warned:
        results = sweep()
    assert len(warned) == 3
    assert len(scored(folder)) == SETTINGS - 2
    pd.testing.assert_frame_equal(results, sweep(out=None))
    pd.testing.assert_frame_equal(results, pd.read_parquet(folder / OUT))
    assert sorted(p.name for p in folder.iterdir() if p.name.startswith("results")) == [OUT]


def test_a_damaged_part_with_the_references_is_computed_again(
    folder: Path, sweep: Sweep, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_parts(sweep, monkeypatch, 4)
    (folder / f"{OUT}.parts" / "references.parquet").write_bytes(b"PAR1")
    with pytest.warns(DataWarning, match=r"references\.parquet is damaged"):
        results = sweep()
    pd.testing.assert_frame_equal(results, sweep(out=None))


def test_references_alone_are_computed_again(folder: Path, sweep: Sweep, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("irmx.meta.results.write_parquet", no_space)
        with pytest.raises(OSError, match="no space left"):
            sweep()
    assert len(parts(folder)) == SETTINGS
    (folder / f"{OUT}.parts" / "references.parquet").unlink()
    (folder / "calls.log").unlink()
    pd.testing.assert_frame_equal(sweep(), sweep(out=None))
    assert len(scored(folder)) == SETTINGS


def no_space(path: Path, table: Any) -> None:
    raise OSError("no space left")


def test_a_sweep_that_failed_before_its_first_setting_leaves_nothing(folder: Path, sweep: Sweep) -> None:
    with pytest.raises(DataError, match="the run column 'dwell'"):
        sweep(measure="MPcont", grid={"model": "GL_AD_ID"})
    assert not (folder / f"{OUT}.parts").exists()


def test_what_was_killed_before_its_first_setting_is_in_nobodys_way(
    folder: Path, sweep: Sweep, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("irmx.meta.parts.Parts.remove", lambda self: None)
        leave_parts(sweep, monkeypatch, 0, reference="RR")
    assert sorted(p.name for p in (folder / f"{OUT}.parts").glob("*.parquet")) == ["references.parquet"]
    pd.testing.assert_frame_equal(sweep(), sweep(out=None))


def test_other_numbers_of_jobs_go_on_with_a_measure_without_preparation(
    folder: Path, sweep: Sweep, monkeypatch: pytest.MonkeyPatch
) -> None:
    other: dict[str, Any] = {"measure": "NCP", "grid": {"law": "uniform,first", "cutoff": list(range(1, 11))}}
    leave_parts(sweep, monkeypatch, 4, **other)
    assert len(parts(folder)) == 9
    results = sweep(**other, jobs=2)
    pd.testing.assert_frame_equal(results, sweep(**other, out=None))


def test_a_process_killed_after_its_results_were_written_leaves_nothing(
    folder: Path, sweep: Sweep, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("irmx.meta.parts.Parts.remove", lambda self: None)
        results = sweep()
    assert (folder / f"{OUT}.parts").exists()
    pd.testing.assert_frame_equal(sweep(), results)
    assert not (folder / f"{OUT}.parts").exists()


CHANGES: list[tuple[dict[str, Any], str]] = [
    ({"grid": {**GRID, "L": "0,1"}}, "Grid: there MD=1m,2m,3m,4m,"),
    ({"grid": {"L": GRID["L"], "MD": GRID["MD"]}}, "Grid: there MD="),
    ({"reference": ["AP", "RR"]}, "Reference: there AP, asked for AP, RR"),
    ({"reference": ()}, "Reference: there AP, asked for none"),
    ({"runs": ["recent.run"]}, "Runs: there recent.run, bm25.run, asked for recent.run"),
    ({"measure": "NCP", "grid": {"law": "uniform"}}, "Measure: there ZEcho, asked for NCP; grid: there MD="),
]


@pytest.mark.parametrize("finished", [True, False], ids=["results", "parts"])
@pytest.mark.parametrize(("changed", "said"), CHANGES, ids=lambda c: "" if isinstance(c, str) else "-".join(c))
def test_what_is_there_of_another_sweep_is_refused(
    folder: Path, sweep: Sweep, monkeypatch: pytest.MonkeyPatch, changed: dict[str, Any], said: str, finished: bool
) -> None:
    monkeypatch.chdir(folder)
    if finished:
        sweep()
    else:
        leave_parts(sweep, monkeypatch, 4)
    before = {p: p.stat().st_mtime_ns for p in folder.rglob("*.parquet")}
    with pytest.raises(DataError) as error:
        sweep(**changed)
    what = f"{OUT} holds the results" if finished else f"{OUT}.parts holds parts"
    assert f"{what} of another sweep. {said}" in str(error.value)
    assert "choose another --out" in str(error.value)
    assert {p: p.stat().st_mtime_ns for p in folder.rglob("*.parquet")} == before


def test_a_change_of_the_data_makes_another_sweep(folder: Path, sweep: Sweep, monkeypatch: pytest.MonkeyPatch) -> None:
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
    assert len(sweep()) == (SETTINGS + 1) * len(RUNS) * 30
    frames = {name: pd.DataFrame(list(irmx.read_run(folder / name))) for name in RUNS}
    other = folder / "other.parquet"
    sweep(runs=frames, out=other)
    assert len(sweep(runs={name: frame.copy() for name, frame in frames.items()}, out=other)) > 0
    frames["recent.run"].loc[5, "score"] += 1e-9
    with pytest.raises(DataError, match=r"Runs: the content of recent.run has changed"):
        sweep(runs=frames, out=other)


@pytest.mark.parametrize("reference", ["NCP(law=uniform)", "LC"])
def test_another_reference_is_all_that_is_named(folder: Path, sweep: Sweep, reference: str) -> None:
    """It may read columns that the others do not, and be of another plugin."""
    frames = {name: pd.DataFrame(list(irmx.read_run(folder / name))).assign(timestamp=5) for name in RUNS}
    qrels = pd.DataFrame(list(irmx.read_qrels(folder / "demo.qrels"))).assign(iteration="n", importance=1, timestamp=0)
    sweep(runs=frames, qrels=qrels)
    with pytest.raises(DataError) as error:
        sweep(runs=frames, qrels=qrels, reference=reference)
    assert f"of another sweep. Reference: there AP, asked for {reference}. Ask" in str(error.value)
    with pytest.raises(DataError, match=r"asked for .*; qrels: their content has changed"):
        sweep(runs=frames, qrels=qrels.assign(relevance=2), reference=reference)


def test_another_version_makes_another_sweep(folder: Path, sweep: Sweep, monkeypatch: pytest.MonkeyPatch) -> None:
    sweep()
    monkeypatch.setattr("irmx.meta.identity.version", lambda name: "9.9")
    with pytest.raises(DataError, match=r"Versions: there irmx 0\.1\.0, .* asked for irmx 9\.9"):
        sweep()


def nones(frame: pd.DataFrame) -> pd.DataFrame:
    """The same values whatever the types, and None where there is none."""
    return frame.astype(object).where(frame.notna(), None)


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_texts_are_written_but_not_known_again(
    folder: Path, sweep: Sweep, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    out = folder / f"results.{ending}"
    leave_parts(sweep, monkeypatch, 4, out=out)
    results = sweep(out=out)
    there = pd.read_csv(out, sep="," if ending == "csv" else "\t", dtype={"query_id": str})
    pd.testing.assert_frame_equal(nones(there), nones(results))
    with pytest.raises(DataError, match=f"a .{ending} file does not tell which sweep it is of. Remove it, or choose"):
        sweep(out=out)


def test_files_that_are_not_of_a_sweep_are_left_alone(folder: Path, sweep: Sweep) -> None:
    (folder / OUT).write_text("something else")
    with pytest.raises(DataError, match=r"is not a file of results of a sweep. Choose another --out"):
        sweep()
    pd.DataFrame({"a": [1]}).to_parquet(folder / OUT)
    with pytest.raises(DataError, match="is not a file of results of a sweep"):
        sweep()
    (folder / OUT).unlink()
    (folder / f"{OUT}.parts").mkdir()
    (folder / f"{OUT}.parts" / "thesis.tex").write_text("")
    with pytest.raises(DataError, match="is not one of a sweep"):
        sweep()
    (folder / f"{OUT}.parts" / "sweep.json").write_text("{")
    with pytest.raises(DataError, match=r"sweep\.json cannot be read .* Remove the folder"):
        sweep()
    assert (folder / f"{OUT}.parts" / "thesis.tex").exists()


def test_a_folder_that_is_not_there_is_said_before_any_work(folder: Path, sweep: Sweep) -> None:
    with pytest.raises(DataError, match=r"There is no folder .*nowhere"):
        sweep(out=folder / "nowhere" / OUT, measure="no measure at all")
    assert scored(folder) == []


def test_a_folder_that_cannot_be_made_is_said_before_any_work(folder: Path, sweep: Sweep) -> None:
    (folder / f"{OUT}.parts").write_text("a file")
    with pytest.raises(
        DataError, match=r"The folder .*results\.parquet\.parts cannot be made: .* Choose another --out"
    ):
        sweep()
    assert scored(folder) == []
    assert (folder / f"{OUT}.parts").read_text() == "a file"


def test_a_full_disk_is_said_and_nothing_is_lost(folder: Path, sweep: Sweep, monkeypatch: pytest.MonkeyPatch) -> None:
    write, written = pq.write_table, []

    def full(table: Any, where: Path, *given: Any, **more: Any) -> None:
        written.append(where)
        if len(written) > 3:
            raise OSError("Error writing bytes to file. Detail: [errno 28] No space left on device")
        write(table, where, *given, **more)

    monkeypatch.setattr(pq, "write_table", full)
    with pytest.raises(DataError, match=r"settings-\d+\.parquet cannot be written: .*No space left.*Make room there"):
        sweep()
    assert len(parts(folder)) == 4
    monkeypatch.setattr(pq, "write_table", write)
    pd.testing.assert_frame_equal(sweep(), sweep(out=None))
