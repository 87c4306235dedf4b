"""A study of pools that was killed goes on where it was, with any number of jobs; a second process is refused."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pandas as pd
import pytest

import irmx_study
from irmx.demo import run_path

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")]

RUNS, SAMPLES = 24, 10
OUT = "pools.parquet"
MEASURES = ["AP", "Bpref", "MP(model=GL_AD_ID)"]

Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def words(folder: Path) -> list[str]:
    """The command, with runs that differ in one line."""
    (folder / "runs").mkdir()
    for i in range(RUNS):
        path = folder / "runs" / f"r{i:02d}.run"
        shutil.copy(run_path(("bm25", "titles", "recent")[i % 3]), path)
        with path.open("a", encoding="utf-8") as file:
            file.write(f"1 Q0 new{i} 9999 {i} r\n")
    return ["pool", "demo.qrels", "runs/*.run", *MEASURES, "--samples", str(SAMPLES), "--out", OUT]


def parts(folder: Path) -> list[Path]:
    return sorted((folder / f"{OUT}.parts").glob("runs-*.parquet"))


@pytest.mark.parametrize(("number", "jobs"), [(signal.SIGKILL, 2), (signal.SIGINT, 2), (signal.SIGKILL, 1)])
def test_a_killed_study_goes_on(
    number: signal.Signals, jobs: int, resuming: ModuleType, folder: Path, start: Start, words: list[str]
) -> None:
    first = start(*words, "--jobs", str(jobs))
    resuming.wait_for(lambda: len(parts(folder)) >= 2)
    (os.killpg if number == signal.SIGKILL else os.kill)(first.pid, number)
    code, err = resuming.finish(first)
    kept = parts(folder)
    assert code == (130 if number == signal.SIGINT else -number)
    assert "Traceback" not in err
    assert 2 <= len(kept) < RUNS / 4
    assert not (folder / OUT).exists()
    done = sum(len(pd.read_parquet(path)["run"].unique()) for path in kept)
    code, err = resuming.finish(start(*words, "--jobs", str(3 - jobs)))
    assert code == 0, err
    assert err.startswith(f"irmx: {done} of {RUNS} runs are already done\n")
    assert sorted(path.name for path in folder.iterdir() if path.name.startswith("pools")) == [OUT]
    expected = irmx_study.pool(
        MEASURES, folder / "demo.qrels", [str(folder / "runs" / "*.run")], samples=SAMPLES, jobs=1
    )
    values = expected.values()
    pd.testing.assert_frame_equal(pd.read_parquet(folder / OUT), values, check_dtype=False)


def test_a_second_process_is_refused(resuming: ModuleType, folder: Path, start: Start, words: list[str]) -> None:
    first = start(*words, "--jobs", "1")
    resuming.wait_for(lambda: len(parts(folder)) >= 1)
    os.kill(first.pid, signal.SIGSTOP)  # or it may be finished first
    code, err = resuming.finish(start(*words, "--jobs", "1"))
    os.kill(first.pid, signal.SIGCONT)
    assert code == 1
    assert f"Another process is at work on {OUT}.parts: process {first.pid}" in err
    assert resuming.finish(first)[0] == 0
