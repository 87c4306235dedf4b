"""A sweep that ended early, or whose parts are damaged, gives what it would have given."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest

from irmx import DataError, DataWarning, Grid
from irmx_study.sweeping.units import Units

Sweep = Callable[..., pd.DataFrame]


def test_damaged_parts_are_computed_again(
    resuming: ModuleType, folder: Path, sweep: Sweep, monkeypatch: pytest.MonkeyPatch
) -> None:
    resuming.leave_parts(sweep, monkeypatch, 4)
    kept = sorted((folder / f"{resuming.OUT}.parts").glob("settings-*.parquet"))
    assert len(kept) == 4
    for path, size in zip(kept[:3], (0, 7, kept[2].stat().st_size - 5), strict=True):
        path.write_bytes(path.read_bytes()[:size])
    (folder / f"{resuming.OUT}.parts" / "settings-0000099.parquet.unfinished").write_bytes(b"PAR1 half of")
    (folder / f"{resuming.OUT}.parts" / "tmpx.unfinished").mkdir()
    (folder / "calls.log").unlink()
    with pytest.warns(DataWarning, match="is damaged; it was removed, and its settings are computed again") as warned:
        results = sweep()
    assert len(warned) == 3
    assert len(resuming.scored(folder)) == resuming.SETTINGS - 2
    pd.testing.assert_frame_equal(results, sweep(out=None))
    pd.testing.assert_frame_equal(results, pd.read_parquet(folder / resuming.OUT))
    assert sorted(p.name for p in folder.iterdir() if p.name.startswith("results")) == [resuming.OUT]


def test_a_damaged_part_with_the_references_is_computed_again(
    resuming: ModuleType, folder: Path, sweep: Sweep, monkeypatch: pytest.MonkeyPatch
) -> None:
    resuming.leave_parts(sweep, monkeypatch, 4)
    (folder / f"{resuming.OUT}.parts" / "references.parquet").write_bytes(b"PAR1")
    with pytest.warns(DataWarning, match=r"references\.parquet is damaged"):
        results = sweep()
    pd.testing.assert_frame_equal(results, sweep(out=None))


def test_references_alone_are_computed_again(
    resuming: ModuleType, folder: Path, sweep: Sweep, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("irmx_study.resuming.results_files.write_parquet", no_space)
        with pytest.raises(OSError, match="no space left"):
            sweep()
    assert len(resuming.parts(folder)) == resuming.SETTINGS
    (folder / f"{resuming.OUT}.parts" / "references.parquet").unlink()
    (folder / "calls.log").unlink()
    pd.testing.assert_frame_equal(sweep(), sweep(out=None))
    assert len(resuming.scored(folder)) == resuming.SETTINGS


def no_space(path: Path, table: Any) -> None:
    raise OSError("no space left")


def test_a_sweep_that_failed_before_its_first_setting_leaves_nothing(
    resuming: ModuleType, folder: Path, sweep: Sweep
) -> None:
    with pytest.raises(DataError, match="the run column 'dwell'"):
        sweep(measure="MPcont", grid={"model": "GL_AD_ID"})
    assert not (folder / f"{resuming.OUT}.parts").exists()


def test_what_was_killed_before_its_first_setting_hinders_no_sweep(
    resuming: ModuleType, folder: Path, sweep: Sweep, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("irmx_study.resuming.parts.Parts.remove", lambda self: None)
        resuming.leave_parts(sweep, monkeypatch, 0, reference="RR")
    assert sorted(p.name for p in (folder / f"{resuming.OUT}.parts").glob("*.parquet")) == ["references.parquet"]
    pd.testing.assert_frame_equal(sweep(), sweep(out=None))


def test_other_numbers_of_jobs_go_on_with_a_measure_without_preparation(
    resuming: ModuleType, folder: Path, sweep: Sweep, monkeypatch: pytest.MonkeyPatch
) -> None:
    other: dict[str, Any] = {"measure": "NCP", "grid": {"law": "uniform,first", "cutoff": list(range(1, 11))}}
    with monkeypatch.context() as patch:
        patch.setattr("irmx_study.sweeping.units.SECONDS", 0)  # as where one setting takes longer
        resuming.leave_parts(sweep, monkeypatch, 4, **other)
    assert resuming.parts(folder) == set(range(8)), "every finished setting is kept"
    results = sweep(**other, jobs=2)
    pd.testing.assert_frame_equal(results, sweep(**other, out=None))


def test_a_process_killed_after_its_results_were_written_leaves_nothing(
    resuming: ModuleType, folder: Path, sweep: Sweep, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("irmx_study.resuming.parts.Parts.remove", lambda self: None)
        results = sweep()
    assert (folder / f"{resuming.OUT}.parts").exists()
    pd.testing.assert_frame_equal(sweep(), results)
    assert not (folder / f"{resuming.OUT}.parts").exists()


def test_a_full_disk_is_said_and_nothing_is_lost(
    resuming: ModuleType, folder: Path, sweep: Sweep, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, written = pq.write_table, []

    def full(table: Any, where: Path, *given: Any, **more: Any) -> None:
        written.append(where)
        if len(written) > 3:
            raise OSError("Error writing bytes to file. Detail: [errno 28] No space left on device")
        write(table, where, *given, **more)

    monkeypatch.setattr(pq, "write_table", full)
    with pytest.raises(DataError, match=r"settings-\d+\.parquet cannot be written: .*No space left.*Make room there"):
        sweep()
    assert len(resuming.parts(folder)) == 4
    monkeypatch.setattr(pq, "write_table", write)
    pd.testing.assert_frame_equal(sweep(), sweep(out=None))


def test_settings_are_written_together_as_long_as_that_takes_half_a_second() -> None:
    units = Units(Grid("NCP(law=first)", {"cutoff": list(range(1, 101))}).measures(), range(100))
    sizes: list[int] = []
    for unit in units:
        sizes.append(len(unit.settings))
        pace = 0.02 if sum(sizes) < 60 else 0.4
        units.took(unit, pace * len(unit.settings))
    assert sizes == [1, 2, 4, 8, 16, 25, 25, *[1] * 19]
    assert sum(sizes) == 100
