"""The command ``irmx sweep``."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import irmx_study
from irmx.demo import SYSTEMS, qrels_path, run_path

Command = Callable[..., Any]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(qrels_path(), tmp_path / "demo.qrels")
    for system in SYSTEMS:
        shutil.copy(run_path(system), tmp_path / f"{system}.run")
    return tmp_path


SWEEP = ("sweep", "demo.qrels", "*.run", "-m", "NCP", "-g", "law=uniform,geometric(p=0.3)", "-j", "1")


def test_it_writes_what_the_function_returns(command: Command, folder: Path) -> None:
    out = ("-g", "cutoff=5,10", "-r", "AP", "-r", "P@5 RR", "--out", "results.parquet")
    done = command(*SWEEP, *out, cwd=folder)
    assert (done.code, done.out) == (0, "")
    assert done.err == "irmx: results.parquet: 4 settings of 3 runs\n"
    runs = {f"{s}.run": folder / f"{s}.run" for s in sorted(SYSTEMS)}
    expected = irmx_study.sweep(
        "NCP",
        {"law": ["uniform", "geometric(p=0.3)"], "cutoff": [5, 10]},
        folder / "demo.qrels",
        runs,
        reference=["AP", "P@5", "RR"],
        jobs=1,
    )
    pd.testing.assert_frame_equal(pd.read_parquet(folder / "results.parquet"), expected)
    done = command(*SWEEP, *out, cwd=folder)
    assert (done.code, done.err) == (0, "irmx: results.parquet is complete: 4 settings of 3 runs\n")


def test_topics_that_a_run_lacks_are_noted(command: Command, folder: Path) -> None:
    lines = (folder / "recent.run").read_text().splitlines()
    (folder / "recent.run").write_text("\n".join(line for line in lines if not line.startswith("1 ")) + "\n")
    done = command(*SWEEP, "--out", "results.csv", cwd=folder)
    assert done.code == 0
    assert "irmx: recent.run: no results for 1 of 30 topics (1); they count with the measures' defaults\n" in done.err


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--out", "results.xls"), 2, "The results 'results.xls' must end in .parquet, .csv or .tsv"),
        (("--out", "nowhere/results.csv"), 1, "There is no folder nowhere for the results"),
        (("--out", "r.csv", "-g", "law=first"), 2, "The grid has the parameter 'law' twice"),
        (("--out", "r.csv", "-g", "cutof=5"), 2, "NCP has no parameter 'cutof'. Did you mean cutoff?"),
        (("--out", "r.csv", "-g", "cutoff=0"), 2, "must be an int in the range [1, inf). Got 0 instead"),
        (("--out", "r.csv", "-g", "cutoff="), 2, "The grid has no value for 'cutoff'"),
        (("--out", "r.csv", "-g", "cutoff=5,", "10"), 2, "an empty value of 'cutoff'; values are separated by |, as in cutoff=A|B; a grid with spaces must be quoted"),
        (("--out", "r.csv", "-r", "AP", "P@5"), 2, "P@5 is a measure, and no run file has this name. Give every reference its own --reference"),
        (("--out", "r.csv", "-r", "APP"), 2, "There is no measure APP"),
        (("--out", "r.csv", "--backend", "dask"), 2, "needs the address of its scheduler"),
        (("--out", "r.csv", "--scheduler", "tcp://h:1"), 2, "requires --backend dask"),
        (("--out", "r.csv", "--backend", "spark"), 2, "There is no backend 'spark'"),
        (("--out", "r.csv", "-j", "0"), 2, "The number of jobs must be an int of 1 or more. Got 0 instead"),
        ((), 2, "Missing option '--out'"),
    ],
)  # fmt: skip
def test_mistakes_have_messages_and_exit_codes(
    command: Command, folder: Path, words: tuple[str, ...], code: int, said: str
) -> None:
    done = command(*SWEEP, *words, cwd=folder)
    assert done.code == code
    assert said in " ".join(done.err.split())
    assert "Traceback" not in done.err
    assert sorted(p.name for p in folder.iterdir()) == ["bm25.run", "demo.qrels", "recent.run", "titles.run"]


def test_mistakes_in_the_files_are_found_first(command: Command, folder: Path) -> None:
    done = command("sweep", "demo.qrels", "*.ruin", "-m", "NCP", "-g", "law=uniform", "--out", "r.csv", cwd=folder)
    assert (done.code, done.err) == (1, "irmx: No file matches the pattern '*.ruin'.\n")
    done = command("sweep", "demo.qrels", "recent.run", "recent.run", "-m", "NCP", "-g", "law=uniform", "--out", "r.csv", cwd=folder)  # fmt: skip
    assert done.code == 2
    assert "Two runs have the name 'recent.run'" in done.err
    (folder / "bad.run").write_text("1 Q0 a 1 high x\n")
    done = command("sweep", "demo.qrels", "bad.run", "-m", "NCP", "-g", "law=uniform", "--out", "r.csv", cwd=folder)
    assert done.code == 1
    assert "bad.run, line 1" in done.err
