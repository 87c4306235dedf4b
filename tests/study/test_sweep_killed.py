"""A sweep survives its death at any step on the disk, a full disk, and what lies about in its folder."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd
import pytest

from irmx import DataError

Start = Callable[..., "subprocess.Popen[str]"]
Sweep = Callable[..., pd.DataFrame]

posix = pytest.mark.skipif(os.name == "nt", reason="signals and links of POSIX")

KILLING = """
import os, signal, sys

left = int(os.environ.get("STEPS", "0"))

def count(event, given):
    global left
    if event == "os.rename" and "results" in str(given):
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

if left:
    sys.addaudithook(count)
"""
"""Kills the process when so many of its files are whole, and that one is about to get its name."""


@pytest.mark.slow
@posix
def test_whenever_it_is_killed_it_goes_on_and_computes_nothing_twice(
    resuming: ModuleType, folder: Path, start: Start, sweep: Sweep
) -> None:
    (folder / "site" / "sitecustomize.py").write_text(KILLING)
    grid = {"MD": "1m,2m,3m,4m", "L": "0,.5"}
    done: list[int] = []
    for steps in (2, 5, 6, 4, 0):  # at its manifest, a part, the results, and the removal of the parts
        before, calls = resuming.parts(folder), len(resuming.scored(folder))
        code, err = resuming.finish(start(*resuming.words(jobs=1, grid=grid), STEPS=str(steps)))
        assert code == (-signal.SIGKILL if steps else 0), err
        after = set(range(8)) if (folder / resuming.OUT).exists() else resuming.parts(folder)
        assert before <= after, "what is finished stays"
        scored = len(resuming.scored(folder)) - calls
        assert scored - len(after - before) in {0, 2 * (code != 0)}, "only the unit at which it died is lost"
        done.append(len(after))
    assert done == [0, 2, 8, 8, 8]
    pd.testing.assert_frame_equal(pd.read_parquet(folder / resuming.OUT), sweep(out=None, grid=grid))
    assert sorted(p.name for p in folder.iterdir() if p.name.startswith("results")) == [resuming.OUT]


@pytest.mark.parametrize("out", ["results.parquet", "results.csv"])
def test_a_process_killed_while_it_removes_its_parts_leaves_no_half_of_them(
    folder: Path, sweep: Sweep, monkeypatch: pytest.MonkeyPatch, out: str
) -> None:
    remove = shutil.rmtree

    def killed(path: Path, **given: Any) -> None:
        if Path(path).name == f"{out}.parts.unfinished" and path.exists():
            (path / "sweep.json").unlink()
            raise SystemExit
        remove(path, **given)

    with monkeypatch.context() as patch:
        patch.setattr("shutil.rmtree", killed)
        with pytest.raises(SystemExit):
            sweep(out=folder / out)
    if out.endswith("csv"):
        with pytest.raises(DataError, match=r"already exists, and a \.csv file does not record which sweep it is of"):
            sweep(out=folder / out)
        (folder / out).unlink()
    pd.testing.assert_frame_equal(sweep(out=folder / out), sweep(out=None), check_dtype=out.endswith("parquet"))
    assert sorted(p.name for p in folder.iterdir() if p.name.startswith("results")) == [out]


def test_a_full_disk_at_any_file_keeps_what_is_finished(
    resuming: ModuleType, folder: Path, sweep: Sweep, full_disk: Callable[..., None]
) -> None:
    names = ("process.txt", "references.parquet", "settings-0000004.parquet")
    for fitting, name in zip((0, 2, 5), names, strict=True):
        full_disk(fitting)
        with pytest.raises(
            DataError, match=rf"{name} cannot be written: No space left on device\. Make room there; what"
        ):
            sweep()
        assert not (folder / resuming.OUT).exists()
    full_disk(100)
    pd.testing.assert_frame_equal(sweep(), sweep(out=None))


@posix
def test_links_among_the_parts_lead_nowhere(
    resuming: ModuleType, folder: Path, sweep: Sweep, monkeypatch: pytest.MonkeyPatch
) -> None:
    resuming.leave_parts(sweep, monkeypatch, 2)
    mine = folder / "mine"
    mine.mkdir()
    (mine / "letter").write_text("mine")
    parts = folder / f"{resuming.OUT}.parts"
    (parts / "folder.unfinished").symlink_to(mine)
    (parts / "file.unfinished").symlink_to(mine / "letter")
    (folder / f"{resuming.OUT}.unfinished").symlink_to(mine / "letter")
    (folder / f"{resuming.OUT}.parts.unfinished").symlink_to(mine)
    pd.testing.assert_frame_equal(sweep(), sweep(out=None))
    assert (mine / "letter").read_text() == "mine"
    assert [path.name for path in mine.iterdir()] == ["letter"]
    assert not parts.exists()
    assert not (folder / resuming.OUT).is_symlink()


@pytest.mark.parametrize("content", [b"[]", b"null", b'{"measure', b"\xff\xfe", b"[" * 100_000])
def test_a_manifest_of_junk_is_told(resuming: ModuleType, folder: Path, sweep: Sweep, content: bytes) -> None:
    parts = folder / f"{resuming.OUT}.parts"
    parts.mkdir()
    (parts / "sweep.json").write_bytes(content)
    with pytest.raises(
        DataError, match=r"sweep\.json cannot be read \(.*\)\. Remove the folder .*\.parts, or choose another"
    ):
        sweep()
    assert (parts / "sweep.json").read_bytes() == content


def test_a_part_that_is_damaged_inside_is_computed_again(
    resuming: ModuleType, folder: Path, sweep: Sweep, monkeypatch: pytest.MonkeyPatch
) -> None:
    resuming.leave_parts(sweep, monkeypatch, 2)
    part = sorted((folder / f"{resuming.OUT}.parts").glob("settings-*.parquet"))[0]
    content = part.read_bytes()
    part.write_bytes(content[:4] + b"\xff" * 200 + content[204:])
    with pytest.raises(
        DataError, match=r"parquet is damaged \(.*\); it was removed\. The same command computes its settings"
    ):
        sweep()
    pd.testing.assert_frame_equal(sweep(), sweep(out=None))
