"""``irmx pool``: its tables, its results file, and its picture."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import irmx_study
from irmx import DataError, UsageError
from irmx.demo import SYSTEMS, qrels_path, run_path
from irmx_study.pooling.cut_study import CutStudy
from irmx_study.pooling.robustness_display import RobustnessDisplay

FILES = [qrels_path(), *(run_path(system) for system in SYSTEMS)]
NAMES = [f"{system}.run" for system in SYSTEMS]
RUNS = {f"{system}.run": str(run_path(system)) for system in SYSTEMS}
FEW = ("--keep", "50,10", "--samples", "3", "--jobs", "1")


def pool(measures: str = "AP Bpref", **options: Any) -> irmx_study.SmallerPools:
    return irmx_study.pool(measures, qrels_path(), RUNS, **{"keep": (50, 10), "samples": 3, "jobs": 1, **options})


@pytest.fixture
def three_runs_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Score the runs one by one, so that a study of three can be stopped."""
    monkeypatch.setattr("irmx_study.pooling.cut_study._TOGETHER", 1)


def stop_after(monkeypatch: pytest.MonkeyPatch, number: int, out: Path, **options: Any) -> None:
    keep = CutStudy._keep

    def stop(self: CutStudy, scored: Any) -> None:
        if self.done >= number:
            raise KeyboardInterrupt
        keep(self, scored)

    with monkeypatch.context() as patch:
        patch.setattr(CutStudy, "_keep", stop)
        with pytest.raises(KeyboardInterrupt):
            pool(out=out, **options)


# -- tables ----------------------------------------------------------------------------------------------


def test_percentages_are_printed_as_typed(command: Callable[..., Any]) -> None:
    for output_format, shown in (("table", ["50", "33.3", "1e-09"]), ("csv", ["50", "33.3", "1e-09"])):
        for drops in ([], ["--drops"]):
            done = command(
                "pool", *FILES, "AP", "--keep", "50,33.3,1e-9", "--samples", 2, "-j", 1, "-o", output_format, *drops
            )
            rows = [line.replace(",", " ").split() for line in done.out.splitlines()]
            assert [row[1] for row in rows if row and row[0] == "AP"] == shown
    done = command("pool", *FILES, "AP", "--keep", "50,33.3", "--samples", 2, "-j", 1, "-o", "jsonl")
    assert [json.loads(line)["keep"] for line in done.out.splitlines()] == [50, 33.3]


def test_csv_is_the_frame(command: Callable[..., Any]) -> None:
    done = command("pool", *FILES, "AP", "Bpref", *FEW, "-o", "csv")
    assert done.code == 0
    assert done.out.splitlines()[0] == "measure,keep,samples,tau,low,high,mean_value"
    pd.testing.assert_frame_equal(pd.read_csv(io.StringIO(done.out)), pool().frame())
    assert "at 10%, 360 and 60 of them, which is 38.8%" in " ".join(done.err.split())


def test_drops_for_reading(command: Callable[..., Any]) -> None:
    done = command("pool", *FILES, "AP", *FEW, "--drops")
    assert done.code == 0
    assert done.out.split()[:6] == ["measure", "keep", "full_value", "mean_value", "drop", "relative"]
    assert "Kendall's tau-b" in done.out


def test_filters(command: Callable[..., Any], tmp_path: Path) -> None:
    shutil.copy(run_path("titles"), tmp_path / "again.run")
    (tmp_path / "names").write_text("\n".join(NAMES), encoding="utf-8")
    only = command("pool", *FILES, tmp_path / "again.run", "AP", *FEW, "--only", tmp_path / "names", "-o", "csv")
    pd.testing.assert_frame_equal(pd.read_csv(io.StringIO(only.out)), pool("AP").frame())
    best = command("pool", *FILES, "AP", *FEW, "--best", "30")
    assert best.code == 1
    assert "takes 3 or more systems. Here 1 run is left: bm25.run" in best.err


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["AP", "--keep", ""], 2, "percentage in the range (0, 100]. Got '' instead"),
        (["AP", "--samples", "1000000000"], 2, "Got 1000000000 instead"),
        (["AP", "--keep", "0"], 2, "percentage in the range (0, 100]. Got 0 instead"),
        (["AP", "--keep", "50,50"], 2, "The percentage 50 is to be kept twice"),
        (["AP", "--best", "0", "--out", "no_folder/pools.parquet"], 2, "The best runs to keep are a percentage"),
        (["AP", "--samples", "0"], 2, "Got 0 instead"),
        (["AP", "--scheduler", "tcp://x:1"], 2, "requires --backend dask"),
        (["AP", "--plot", "curve.txt"], 2, ".png, .svg, .pdf"),
        (["AP", "--out", "values.xlsx"], 2, "must end in .parquet, .csv or .tsv"),
        (["MPcont(model=GL_AD_ID)"], 1, "cannot be computed"),
        (["NumRel"], 1, "gives all of 3 systems the same value, 330"),
    ],
)
def test_what_cannot_be_done_is_told(words: list[str], code: int, message: str, command: Callable[..., Any]) -> None:
    done = command("pool", *FILES, *words, "--jobs", "1")
    assert (done.code, done.out) == (code, "")
    assert message in " ".join(done.err.split())
    assert "Traceback" not in done.err


def test_two_runs_are_too_few(command: Callable[..., Any]) -> None:
    done = command("pool", *FILES[:3], "AP")
    assert done.code == 2
    assert "3 or more runs. Got 2" in done.err


# -- the results file ------------------------------------------------------------------------------------


@pytest.mark.usefixtures("three_runs_at_a_time")
@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
def test_a_stopped_study_resumes(suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / f"pools{suffix}"
    stop_after(monkeypatch, 2, out)
    parts = tmp_path / f"pools{suffix}.parts"
    assert sorted(p.name for p in parts.glob("*.parquet")) == ["runs-0000000.parquet", "runs-0000001.parquet"]
    scored: list[str] = []
    monkeypatch.setattr("irmx_study.pooling.cut_study.score_cuts", _noting(scored))
    result = pool(out=out)
    assert scored == [NAMES[2]]
    pd.testing.assert_frame_equal(result.values(), pool().values())
    assert [p.name for p in tmp_path.iterdir()] == [out.name]


def _noting(scored: list[str]) -> Callable[..., Any]:
    from irmx_study.pooling.cut_scores import score_cuts

    def note(numbers: Any, runs: Any, *more: Any) -> Any:
        scored.extend(runs)
        return score_cuts(numbers, runs, *more)

    return note


def test_a_finished_study_is_known_again(command: Callable[..., Any], tmp_path: Path) -> None:
    words = ["pool", *FILES, "AP", "Bpref", *FEW, "--out", tmp_path / "pools.parquet", "-o", "csv"]
    first, again = command(*words), command(*words)
    assert first.out == again.out
    assert again.err.startswith(f"irmx: {tmp_path / 'pools.parquet'} is complete: 3 runs\n")
    table = pd.read_parquet(tmp_path / "pools.parquet")
    assert list(table.columns) == ["run", "topics", "measure", "keep", "sample", "value", "refusal"]
    assert len(table) == 3 * 2 * (1 + 2 * 3)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"seed": 1}, "Seed: existing 0, requested 1"),
        ({"keep": (50, 20)}, "Keep: existing 50, 10, requested 50, 20"),
        ({"samples": 4}, "Samples: existing 3, requested 4"),
        ({"rel": 2}, "Rel: existing 1, requested 2"),
        ({"measures": "AP"}, "Measures: existing AP, Bpref, requested AP"),
    ],
)
@pytest.mark.usefixtures("three_runs_at_a_time")
def test_another_study_is_refused(
    changed: dict[str, Any], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "pools.parquet"
    stop_after(monkeypatch, 1, out)
    with pytest.raises(DataError, match=f"holds parts of another pool study. {message}"):
        pool(out=out, **changed)
    expected = pool(out=out).values()
    with pytest.raises(DataError, match=f"holds the results of another pool study. {message}"):
        pool(out=out, **changed)
    pd.testing.assert_frame_equal(pool(out=out).values(), expected)


@pytest.mark.usefixtures("three_runs_at_a_time")
def test_changed_inputs_and_another_process_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in FILES:
        shutil.copy(path, tmp_path)
    monkeypatch.setattr(f"{__name__}.RUNS", {name: str(tmp_path / name) for name in NAMES})
    out = tmp_path / "pools.parquet"
    stop_after(monkeypatch, 1, out)
    lines = (tmp_path / NAMES[1]).read_text(encoding="utf-8").splitlines()
    (tmp_path / NAMES[1]).write_text("\n".join(lines[:-1]) + "\n", encoding="utf-8")
    with pytest.raises(DataError, match=f"the content of {NAMES[1]} has changed"):
        pool(out=out)
    from irmx_study.pooling.smaller_pools import pool_study

    monkeypatch.undo()
    other, _ = pool_study("AP", qrels_path(), RUNS, samples=1, out=tmp_path / "other.parquet")  # which holds the lock
    with pytest.raises(DataError, match=r"Another process is at work on .*other"):
        pool(out=tmp_path / "other.parquet")
    other.compute(jobs=1)
    assert (tmp_path / "other.parquet").exists()


def test_a_study_that_failed_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="MPcont"):
        pool("MPcont(model=GL_AD_ID)", out=tmp_path / "pools.parquet")
    assert list(tmp_path.iterdir()) == []


def test_interrupting_the_command_says_what_is_kept(
    command: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, three_runs_at_a_time: None
) -> None:
    keep, out = CutStudy._keep, tmp_path / "pools.parquet"

    def stop(self: CutStudy, scored: Any) -> None:
        if self.done >= 2:
            raise KeyboardInterrupt
        keep(self, scored)

    with monkeypatch.context() as patch:
        patch.setattr(CutStudy, "_keep", stop)
        done = command("pool", *FILES, "AP", *FEW, "--out", out)
    assert done.code == 130
    assert "irmx: 2 of 3 runs are done and kept; the same command resumes from there" in done.err
    assert "irmx: 2 of 3 runs are already done" in command("pool", *FILES, "AP", *FEW, "--out", out).err
    assert pq.read_table(out).num_rows == 3 * 7


# -- the picture -----------------------------------------------------------------------------------------


def rows(measures: int, keep: tuple[float, ...] = (90, 50, 10)) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    table = [
        (f"M{m}", k, 3, tau := rng.uniform(0.5, 0.9), tau - 0.1, tau + 0.1, 0.2) for m in range(measures) for k in keep
    ]
    return pd.DataFrame(table, columns=["measure", "keep", "samples", "tau", "low", "high", "mean_value"])


@pytest.mark.parametrize(("measures", "panels"), [(2, 1), (9, 1), (10, 10)])
def test_one_line_per_measure_begins_at_all_judgments(measures: int, panels: int) -> None:
    from matplotlib import pyplot

    table = rows(measures)
    display = RobustnessDisplay(table, 7).plot()
    axes = [ax for ax in np.ravel(display.ax_) if ax.axison]
    assert len(axes) == panels
    lines = {line.get_label(): line for ax in axes for line in ax.lines if not line.get_label().startswith("_")}
    assert sorted(lines) == sorted(set(table["measure"]))
    for measure, line in lines.items():
        assert line.get_ydata().tolist() == [1.0, *table[table["measure"] == measure]["tau"]]
        assert np.abs(line.get_xdata() - [100, 90, 50, 10]).max() < 5
    styles = {(line.get_color(), line.get_marker()) for line in lines.values()}
    assert len(styles) == measures
    pyplot.close(display.figure_)


def test_percentages_that_are_close_have_room_and_missing_taus_break_the_line() -> None:
    from matplotlib import pyplot

    table = rows(2, (99, 98, 97, 50))
    table.loc[3, ["tau", "low", "high"]] = np.nan
    figure, ax = pyplot.subplots()
    display = RobustnessDisplay(table, 7).plot(ax)
    assert display.ax_ is ax
    assert [text.get_text() for text in ax.get_xticklabels()] == ["100", "", "", "97", "50"]
    assert sorted(len(line.get_ydata()) - int(np.isnan(line.get_ydata()).sum()) for line in ax.lines) == [4, 5]
    pyplot.close(figure)


def test_the_command_draws(command: Callable[..., Any], tmp_path: Path) -> None:
    done = command("pool", *FILES, "AP", *FEW, "--plot", tmp_path / "pools.png")
    assert done.code == 0
    assert (tmp_path / "pools.png").stat().st_size > 10_000
    with pytest.raises(UsageError, match="1 panel"):
        RobustnessDisplay(rows(2), 7).plot([None, None])


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="a folder in which nobody can make a file")
def test_an_out_file_that_cannot_be_made_is_no_other_process(command) -> None:
    runs = [run_path(system) for system in ("bm25", "titles", "recent")]
    done = command("pool", qrels_path(), *runs, "AP", "--out", "/proc/pools.csv")
    assert done.code == 1
    assert "The folder /proc/pools.csv.parts cannot be created: " in done.err
    assert "process" not in done.err
