"""The command of a sweep, stopped or killed in its process, goes on where it was."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pandas as pd
import pytest

Start = Callable[..., "subprocess.Popen[str]"]
Sweep = Callable[..., pd.DataFrame]


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize(
    ("sign", "jobs", "group"),
    [("SIGKILL", 2, True), ("SIGINT", 2, True), ("SIGINT", 1, False)],
    ids=["killed", "Ctrl-C", "SIGINT with one job"],
)
def test_a_stopped_sweep_goes_on_where_it_was(
    resuming: ModuleType, folder: Path, start: Start, sweep: Sweep, sign: str, jobs: int, group: bool
) -> None:
    first = start(*resuming.words(jobs=jobs), ZECHO_SLEEP="0.2")
    resuming.wait_for_parts(folder)
    (os.killpg if group else os.kill)(first.pid, getattr(signal, sign))
    code, err = resuming.finish(first)
    there = resuming.parts(folder)
    assert 6 <= len(there) < resuming.SETTINGS
    assert not (folder / resuming.OUT).exists()
    if sign == "SIGINT":
        assert code == 130
        assert (
            f"irmx: {len(there)} of {resuming.SETTINGS} settings are done and kept; the same command goes on from there"
            in err
        )
        assert "Traceback" not in err
        assert "leaked" not in err
    (folder / "calls.log").unlink()
    code, err = resuming.finish(start(*resuming.words(jobs=1)))
    assert code == 0, err
    assert err.startswith(f"irmx: {len(there)} of {resuming.SETTINGS} settings are there already\n")
    assert len(resuming.scored(folder)) == len(set(resuming.scored(folder))) == resuming.SETTINGS - len(there)
    assert not (folder / f"{resuming.OUT}.parts").exists()
    results = pd.read_parquet(folder / resuming.OUT)
    assert len(results) == (resuming.SETTINGS + 1) * len(resuming.RUNS) * 30
    pd.testing.assert_frame_equal(results, sweep(out=None))


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("delay", [0.0, 0.2, 0.4])
def test_processes_that_are_stopped_while_they_start_do_not_complain(
    resuming: ModuleType, folder: Path, start: Start, delay: float
) -> None:
    first = start(*resuming.words(), ZECHO_SLEEP="2")
    end = time.monotonic() + 30
    while not list((folder / f"{resuming.OUT}.parts").glob("*.unfinished/*.joblib")):
        assert time.monotonic() < end
        time.sleep(0.01)
    time.sleep(delay)
    os.killpg(first.pid, signal.SIGINT)
    assert resuming.finish(first) == (130, "irmx: stopped\n")
    assert not (folder / f"{resuming.OUT}.parts").exists()


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="locks and signals of POSIX")
def test_two_processes_do_not_work_on_one_sweep(resuming: ModuleType, folder: Path, start: Start) -> None:
    first = start(*resuming.words(jobs=1), ZECHO_SLEEP="0.2")
    resuming.wait_for_parts(folder, 1)
    code, err = resuming.finish(start(*resuming.words(jobs=1)))
    assert code == 1
    assert f"Another process is at work on {resuming.OUT}.parts. Wait until it is done, or choose another --out." in err
    assert first.poll() is None
    assert resuming.finish(first)[0] == 0
    assert len(pd.read_parquet(folder / resuming.OUT)) == (resuming.SETTINGS + 1) * len(resuming.RUNS) * 30


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
