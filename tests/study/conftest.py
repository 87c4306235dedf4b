"""Sweeps that tests start, in this process and as the shell does, over a small collection."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd
import pytest

import irmx_study
from irmx.demo import qrels_path, run_path

PREPARED = Path(__file__).parent.parent / "fixtures" / "prepared" / "src"
"""The fixture plugin of a measure with preparation."""

_COMMAND = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # even where the tests run in the background
from irmx.cli import main
main()
"""


@pytest.fixture(scope="session")
def resuming(beside: Callable[[str, str], ModuleType]) -> ModuleType:
    """The module ``resuming.py``: the sweep that tests stop, and what is left of it."""
    return beside(__file__, "resuming")


@pytest.fixture
def folder(resuming: ModuleType, tmp_path: Path) -> Path:
    """A folder with a small collection, and with the fixture plugin as if it were installed there."""
    shutil.copy(qrels_path(), tmp_path / "demo.qrels")
    for run in resuming.RUNS:
        shutil.copy(run_path(run.removesuffix(".run")), tmp_path / run)
    about = tmp_path / "site" / "irmx_prepared-0.5.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: irmx-prepared\nVersion: 0.5\n")
    (about / "entry_points.txt").write_text("[irmx]\nprepared = irmx_prepared.plugin\n")
    return tmp_path


@pytest.fixture
def gate(folder: Path) -> Iterator[Callable[[int], None]]:
    """Let so many more units of the processes through that are started with ``ZECHO_GATE=gate``; others wait."""
    os.mkfifo(folder / "gate")
    pipe = os.open(folder / "gate", os.O_RDWR)
    yield lambda units: os.write(pipe, b"." * units) and None
    os.close(pipe)


@pytest.fixture
def start(folder: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start the command as the shell does, in a process group that is gone at the end of the test."""
    started: list[subprocess.Popen[str]] = []

    def run(*arguments: str, **environment: str) -> subprocess.Popen[str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith("IRMX_")}
        paths = {"PYTHONPATH": os.pathsep.join([str(PREPARED), str(folder / "site")])}
        process = subprocess.Popen(
            [sys.executable, "-c", _COMMAND, *arguments],
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


@pytest.fixture
def sweep(resuming: ModuleType, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., pd.DataFrame]:
    """Do the sweep in this process; what is given changes it."""
    monkeypatch.syspath_prepend(str(PREPARED))
    monkeypatch.setenv("ZECHO_LOG", str(folder / "calls.log"))
    from irmx_prepared.plugin import Echo

    def run(**changed: Any) -> pd.DataFrame:
        given: dict[str, Any] = {
            "measure": Echo(),
            "grid": resuming.GRID,
            "qrels": str(folder / "demo.qrels"),
            "runs": [folder / run for run in resuming.RUNS],
            "reference": "AP",
            "out": folder / resuming.OUT,
            "jobs": 1,
        }
        return irmx_study.sweep(**{**given, **changed})

    return run


@pytest.fixture
def real_statistics() -> Path:
    """The folder of published numbers on statistics."""
    return Path(os.environ["IRMX_DATA"]) / "statistics"
