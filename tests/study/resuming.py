"""Sweeps that stop before they are done: the command, what is left of it, and how to stop it."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest

RUNS = ["recent.run", "bm25.run"]
SETTINGS = 24
GRID = {"MD": ",".join(f"{n}m" for n in range(1, SETTINGS // 2 + 1)), "L": "0,.5"}
OUT = "results.parquet"


def words(out: str = OUT, jobs: int = 2, grid: dict[str, str] = GRID, reference: str = "AP") -> list[str]:
    """The command, without the program."""
    grids = [word for name, values in grid.items() for word in ("--grid", f"{name}={values}")]
    return ["sweep", "demo.qrels", *RUNS, "--measure", "ZEcho", *grids, "--reference", reference,
            "--out", out, "--jobs", str(jobs)]  # fmt: skip


def finish(process: subprocess.Popen[str]) -> tuple[int, str]:
    """The exit code and the remarks of a process that is to end by itself."""
    _, err = process.communicate(timeout=120)
    return process.returncode, err


def scored(folder: Path) -> list[str]:
    """The settings that were scored so far, as often as they were."""
    log = folder / "calls.log"
    lines = log.read_text().splitlines() if log.exists() else []
    return [name for line in lines if line.startswith("score") for name in line.split()[1:]]


def wait_for(condition: Callable[[], object]) -> None:
    """Wait until a process has come to a place where it stays."""
    end = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def wait_for_parts(folder: Path, number: int = 3) -> None:
    wait_for(lambda: len(list((folder / f"{OUT}.parts").glob("settings-*.parquet"))) >= number)


def parts(folder: Path, out: str = OUT) -> set[int]:
    """The settings whose parts can be read."""
    found: set[int] = set()
    for path in (folder / f"{out}.parts").glob("settings-*.parquet"):
        found |= set(json.loads((pq.read_schema(path).metadata or {})[b"settings"]))
    return found


def leave_parts(
    sweep: Callable[..., pd.DataFrame], monkeypatch: pytest.MonkeyPatch, number: int, **changed: Any
) -> None:
    """Begin a sweep that stops after a number of units."""
    from irmx_study.sweeping.sweeps import Sweep as Class

    keep = Class._keep

    def stop(self: Class, done: Any) -> None:
        if self.done >= 2 * number:
            raise KeyboardInterrupt
        keep(self, done)

    with monkeypatch.context() as patch:
        patch.setattr(Class, "_keep", stop)
        with pytest.raises(KeyboardInterrupt):
            sweep(**changed)
