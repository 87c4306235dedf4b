"""The command of a sweep, stopped or killed in its process, goes on where it was."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pandas as pd
import pytest

Start = Callable[..., "subprocess.Popen[str]"]
Sweep = Callable[..., pd.DataFrame]
Gate = Callable[[int], None]

posix = pytest.mark.skipif(os.name == "nt", reason="signals and pipes of POSIX")


@pytest.mark.slow
@posix
@pytest.mark.parametrize(
    ("sign", "jobs", "group"),
    [("SIGKILL", 2, True), ("SIGINT", 2, True), ("SIGINT", 1, False)],
    ids=["killed", "Ctrl-C", "SIGINT with one job"],
)
def test_a_stopped_sweep_goes_on_where_it_was(
    resuming: ModuleType, folder: Path, start: Start, gate: Gate, sweep: Sweep, sign: str, jobs: int, group: bool
) -> None:
    first = start(*resuming.words(jobs=jobs), ZECHO_GATE="gate")
    gate(3)
    resuming.wait_for_parts(folder, 3)
    (os.killpg if group else os.kill)(first.pid, getattr(signal, sign))
    code, err = resuming.finish(first)
    there = resuming.parts(folder)
    assert len(there) == 2 * 3, "every finished setting is kept; two share a unit"
    assert not (folder / resuming.OUT).exists()
    if sign == "SIGINT":
        assert code == 130
        assert f"irmx: 6 of {resuming.SETTINGS} settings are done and kept; the same command resumes from there" in err
        assert "Traceback" not in err
        assert "leaked" not in err
    (folder / "calls.log").unlink()
    code, err = resuming.finish(start(*resuming.words(jobs=1)))
    assert code == 0, err
    assert err.startswith(f"irmx: 6 of {resuming.SETTINGS} settings are already done\n")
    assert len(resuming.scored(folder)) == len(set(resuming.scored(folder))) == resuming.SETTINGS - len(there)
    assert sorted(p.name for p in folder.iterdir() if p.name.startswith("results")) == [resuming.OUT]
    results = pd.read_parquet(folder / resuming.OUT)
    assert len(results) == (resuming.SETTINGS + 1) * len(resuming.RUNS) * 30
    pd.testing.assert_frame_equal(results, sweep(out=None))


@pytest.mark.slow
@posix
def test_processes_leave_when_the_one_that_started_them_is_killed(
    resuming: ModuleType, folder: Path, start: Start, gate: Gate
) -> None:
    first = start(*resuming.words(jobs=2), ZECHO_GATE="gate")
    gate(3)
    resuming.wait_for_parts(folder, 3)
    os.kill(first.pid, signal.SIGKILL)
    code, _ = resuming.finish(first)  # which is over when all who share its output are gone, at work as they are
    assert code == -signal.SIGKILL


@pytest.mark.slow
@posix
@pytest.mark.parametrize("place", ["reading runs", "processes start", "scoring"])
def test_processes_that_are_stopped_while_they_start_do_not_complain(
    resuming: ModuleType, folder: Path, start: Start, gate: Gate, place: str
) -> None:
    first = start(*resuming.words(), ZECHO_GATE="gate")
    log = folder / "calls.log"
    kinds = {"reading runs": "prepare", "processes start": "received", "scoring": "score"}
    resuming.wait_for(lambda: log.exists() and kinds[place] in log.read_text())
    os.killpg(first.pid, signal.SIGINT)
    assert resuming.finish(first) == (130, "irmx: stopped\n")
    assert not (folder / f"{resuming.OUT}.parts").exists()


@pytest.mark.slow
@posix
def test_a_second_process_on_one_sweep_is_refused_and_harms_nothing(
    resuming: ModuleType, folder: Path, start: Start, gate: Gate, sweep: Sweep
) -> None:
    first = start(*resuming.words(jobs=1), ZECHO_GATE="gate")
    gate(1)
    resuming.wait_for_parts(folder, 1)
    before = {p: p.stat().st_mtime_ns for p in (folder / f"{resuming.OUT}.parts").rglob("*")}
    for changed in ({}, {"reference": "RR"}, {"grid": {"MD": "1m"}}):
        code, err = resuming.finish(start(*resuming.words(jobs=1, **changed)))
        assert code == 1
        assert (
            f"Another process is at work on {resuming.OUT}.parts: process {first.pid} on {socket.gethostname()}. "
            "Wait until it is done, or choose another --out." in err
        )
    assert {p: p.stat().st_mtime_ns for p in (folder / f"{resuming.OUT}.parts").rglob("*")} == before
    other = resuming.finish(start(*resuming.words(out="other.parquet", jobs=1)))
    assert other == (0, f"irmx: other.parquet: {resuming.SETTINGS} settings of 2 runs\n")
    assert first.poll() is None
    gate(resuming.SETTINGS)
    assert resuming.finish(first)[0] == 0
    results = pd.read_parquet(folder / resuming.OUT)
    pd.testing.assert_frame_equal(results, sweep(out=None))
    pd.testing.assert_frame_equal(results, pd.read_parquet(folder / "other.parquet"))


@pytest.mark.slow
def test_a_finished_sweep_is_known_again(resuming: ModuleType, folder: Path, start: Start) -> None:
    assert resuming.finish(start(*resuming.words())) == (
        0,
        f"irmx: {resuming.OUT}: {resuming.SETTINGS} settings of 2 runs\n",
    )
    (folder / "calls.log").unlink()
    before = (folder / resuming.OUT).stat().st_mtime_ns
    assert resuming.finish(start(*resuming.words())) == (
        0,
        f"irmx: {resuming.OUT} is complete: {resuming.SETTINGS} settings of 2 runs\n",
    )
    assert resuming.scored(folder) == []
    assert (folder / resuming.OUT).stat().st_mtime_ns == before
