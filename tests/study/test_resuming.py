"""Sweeps and studies of judgments that were stopped, killed or damaged give what they would have given; other files are left alone."""

import contextlib
import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest

import irmx
import irmx_study
from irmx import DataError, DataWarning, Scores
from irmx.demo import SYSTEMS, qrels_path, run_path

PREPARED = Path(__file__).parent.parent / "fixtures" / "prepared" / "src"
RUNS = ["recent.run", "bm25.run"]
SETTINGS = 24
GRID = {"MD": ",".join(f"{n}m" for n in range(1, SETTINGS // 2 + 1)), "L": "0,.5"}
OUT = "results.parquet"

COMMAND = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # even where the tests run in the background
from irmx.cli import main
main()
"""


Start = Callable[..., "subprocess.Popen[str]"]
Do = Callable[..., Scores]
posix = pytest.mark.skipif(os.name == "nt", reason="signals, pipes and links of POSIX")


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


@pytest.fixture
def gate(folder: Path) -> Iterator[Callable[[int], None]]:
    """Let so many more calls of the measure through in processes that are started with ``ZECHO_GATE=gate``; others wait."""
    os.mkfifo(folder / "gate")
    pipe = os.open(folder / "gate", os.O_RDWR)
    yield lambda calls: os.write(pipe, b"." * calls) and None
    os.close(pipe)


@pytest.fixture
def start(folder: Path) -> Iterator[Start]:
    """Start the command as the shell does, in a process group that is gone at the end of the test."""
    started: list[subprocess.Popen[str]] = []

    def run(*arguments: str, **environment: str) -> subprocess.Popen[str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith("IRMX_")}
        paths = [str(PREPARED), str(folder / "site"), kept.get("PYTHONPATH", "")]
        own = {
            "PYTHONPATH": os.pathsep.join(paths),
            "ZECHO_LOG": str(folder / "calls.log"),
            "JOBLIB_TEMP_FOLDER": str(folder),
            "COLUMNS": "200",
        }
        process = subprocess.Popen(
            [sys.executable, "-c", COMMAND, *arguments], cwd=folder, env={**kept, **own, **environment},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip
        started.append(process)
        return process

    yield run
    for process in started:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


@pytest.fixture
def sweep(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Do:
    """Do the sweep in this process; what is given changes it."""
    monkeypatch.syspath_prepend(str(PREPARED))
    monkeypatch.setenv("ZECHO_LOG", str(folder / "calls.log"))
    from irmx_prepared.plugin import Echo

    def run(**changed: Any) -> Scores:
        given = {
            "measure": Echo(), "grid": GRID, "qrels": str(folder / "demo.qrels"), "runs": [folder / run for run in RUNS],
            "reference": "AP", "out": folder / OUT, "jobs": 1,
        }  # fmt: skip
        return irmx_study.sweep(**{**given, **changed})

    return run


@pytest.fixture
def stop(sweep: Do, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Begin the sweep, and stop it in the call of the measure after so many, each of two settings."""
    from irmx_prepared.plugin import Echo

    def run(calls: int, **changed: Any) -> None:
        score, done = Echo.score_prepared, []

        def stopped(prepared: Any, settings: Any) -> Any:
            if len(done) == calls:
                raise KeyboardInterrupt
            done.append(settings)
            return score(prepared, settings)

        with monkeypatch.context() as patch:
            patch.setattr(Echo, "score_prepared", stopped)
            with pytest.raises(KeyboardInterrupt):
                sweep(**changed)

    return run


def words(jobs: int = 2, grid: dict[str, str] = GRID) -> list[str]:
    grids = [word for name, values in grid.items() for word in ("--grid", f"{name}={values}")]
    given = ["--reference", "AP", "--out", OUT, "--jobs", str(jobs)]
    return ["sweep", "demo.qrels", *RUNS, "--measure", "ZEcho", *grids, *given]


def finish(process: subprocess.Popen[str]) -> tuple[int, str]:
    """The exit code and the remarks of a process that is to end by itself."""
    _, err = process.communicate(timeout=120)
    return process.returncode, err


def scored(folder: Path) -> list[str]:
    """The settings that were scored so far, as often as they were."""
    log = folder / "calls.log"
    lines = log.read_text().splitlines() if log.exists() else []
    return [name for line in lines if line.startswith("score") for name in line.split()[1:]]


def parts(folder: Path, out: str = OUT) -> list[Path]:
    """The files of what is finished, of which every one is whole: of each setting, and of the references."""
    return sorted((folder / f"{out}.parts").rglob("output.pkl"))


def wait_for(condition: Callable[[], object]) -> None:
    end = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def files(folder: Path, start: str = "results") -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name.startswith(start))


def assert_same(one: Scores, other: Scores) -> None:
    """Equal to the bit, with all that the scores are about."""
    pd.testing.assert_frame_equal(one.frame(), other.frame(), check_exact=True)
    assert one.names == other.names
    assert np.array_equal(one.states, other.states)


# -- stopped and killed ------------------------------------------------------------------------------------


@pytest.mark.slow
@posix
@pytest.mark.parametrize(
    ("sign", "jobs", "group"),
    [("SIGKILL", 2, True), ("SIGKILL", 2, False), ("SIGINT", 2, True), ("SIGINT", 1, False), ("SIGTERM", 2, False)],
)
def test_a_stopped_sweep_resumes_where_it_was(
    folder: Path, start: Start, gate: Any, sweep: Do, sign: str, jobs: int, group: bool
) -> None:
    first = start(*words(jobs=jobs), ZECHO_GATE="gate")
    gate(3)
    wait_for(lambda: len(parts(folder)) >= 7)
    (os.killpg if group else os.kill)(first.pid, getattr(signal, sign))
    code, err = finish(first)  # which is over when all processes that share its output are gone
    assert len(parts(folder)) == 7, "all that is finished is kept"
    assert not (folder / OUT).exists()
    assert sign == "SIGKILL" or files(folder, "joblib") == []
    if sign == "SIGINT":
        assert code == 130
        kept = f"irmx: 6 of {SETTINGS} settings are done and kept; the same command resumes from there"
        assert err.splitlines() == [kept, "irmx: stopped"]
    (folder / "calls.log").unlink()
    code, err = finish(start(*words(jobs=1)))
    assert code == 0, err
    assert err.startswith(f"irmx: 6 of {SETTINGS} settings are already done\n")
    assert len(scored(folder)) == len(set(scored(folder))) == SETTINGS - 6
    assert files(folder) == [OUT]
    assert_same(Scores.read_parquet(folder / OUT), sweep(out=None))


@posix
def test_no_ctrl_c_is_lost(folder: Path, sweep: Do, monkeypatch: pytest.MonkeyPatch) -> None:
    """joblib drops what is raised while it writes the notes beside a finished setting."""
    dumps = json.dumps

    def interrupted(given: Any, **options: Any) -> str:
        if "input_args" in given:
            os.kill(os.getpid(), signal.SIGINT)
        return dumps(given, **options)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # even where the tests run in the background
    with monkeypatch.context() as patch:
        patch.setattr(json, "dumps", interrupted)
        with pytest.raises(KeyboardInterrupt):
            sweep(out=folder / OUT)
    signal.signal(signal.SIGINT, before)
    assert 1 <= len(parts(folder)) < SETTINGS
    assert_same(sweep(out=folder / OUT), sweep(out=None))


@pytest.mark.slow
@posix
def test_two_at_once_do_not_harm_each_other(folder: Path, start: Start, gate: Any, sweep: Do) -> None:
    first = start(*words(jobs=1), ZECHO_GATE="gate")
    gate(1)
    wait_for(lambda: len(parts(folder)) >= 3)
    other_grid = {"MD": "1m,90m", "L": "0,.5"}
    before = len(parts(folder))
    assert_same(sweep(grid=other_grid, out=None), sweep(grid=other_grid, out=folder / "other.parquet"))
    assert finish(start(*words(jobs=1)))[0] == 0  # which is faster, and removes the folder
    assert before >= 3
    result = (folder / OUT).read_bytes()
    gate(SETTINGS)
    code, err = finish(first)
    assert code == 0, err
    assert_same(Scores.read_parquet(folder / OUT), sweep(out=None))
    assert (folder / OUT).read_bytes() == result
    assert files(folder) == [OUT]


@pytest.mark.parametrize("ending", ["parquet", "csv", "tsv"])
def test_a_finished_sweep_is_known_again(folder: Path, sweep: Do, stop: Any, ending: str) -> None:
    """Also the topics that a run lacks, which count with the defaults of measures."""
    out, run = folder / f"results.{ending}", folder / "recent.run"
    run.write_text("".join(line for line in run.read_text().splitlines(keepends=True) if not line.startswith("1 ")))
    with pytest.warns(DataWarning, match="no results for 1 of 30 topics"):
        stop(4, out=out)
    with pytest.warns(DataWarning, match="no results for 1 of 30 topics"):
        first = sweep(out=out, jobs=2)
    (folder / "calls.log").unlink()
    before = out.stat().st_mtime_ns
    again = sweep(out=out)
    assert_same(again, first)
    pd.testing.assert_frame_equal(again.views, first.views)
    assert scored(folder) == []
    assert out.stat().st_mtime_ns == before
    assert files(folder)[0] == out.name
    assert not (folder / f"{out.name}.parts").exists()
    if ending != "parquet":
        out.write_bytes(out.read_bytes()[:-20])
        with pytest.raises(DataError, match="was changed since it was written"):
            sweep(out=out)


def test_a_full_disk_keeps_what_is_finished(folder: Path, sweep: Do, full_disk: Any, monkeypatch: Any) -> None:
    dump = joblib.numpy_pickle.dump
    for fitting in (0, 1, 6):
        written: list[Any] = []

        def write(
            value: Any, file: Any, *given: Any, fitting: int = fitting, written: Any = written, **more: Any
        ) -> Any:
            if len(written) == fitting:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            written.append(file)
            return dump(value, file, *given, **more)

        with monkeypatch.context() as patch:
            patch.setattr(joblib.numpy_pickle, "dump", write)
            with pytest.raises(DataError, match=r"results\.parquet\.parts: No space left on device\. Make room there"):
                sweep()
        assert not (folder / OUT).exists()
    assert len(parts(folder)) == 7
    full_disk()
    with pytest.raises(DataError, match=r"results\.parquet cannot be written: No space left on device\."):
        sweep()
    assert len(parts(folder)) == SETTINGS + 1
    full_disk(100)
    assert_same(sweep(), sweep(out=None))


# -- what lies about in the folder -------------------------------------------------------------------------


def cut(share: float) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])


def flipped(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def about(content: bytes) -> Callable[[Path], object]:
    return lambda path: (path.parent / "metadata.json").write_bytes(content)


FAULTS: dict[str, tuple[Callable[[Path], object], int]] = {
    "empty": (cut(0), 1),
    "truncated": (cut(0.9), 1),
    "a bit is wrong": (flipped, 1),
    "not a pickle": (lambda path: path.write_text("mine"), 1),
    "a folder": (lambda path: (path.unlink(), path.mkdir()), 1),
    "gone": (lambda path: path.unlink(), 0),
    "without its folder": (lambda path: shutil.rmtree(path.parent), 0),
    "half of another": (lambda path: path.with_name("output.pkl.thread-1-pid-1").write_bytes(b"half"), 0),
    "junk about it": (about(b"[" * 10_000), 0),
    "nothing about it": (about(b""), 0),
    "no code": (lambda path: [code.unlink() for code in path.parents[1].glob("func_code.py")], 0),
    "other code": (lambda path: [code.write_text("x") for code in path.parents[1].glob("func_code.py")], 0),
}
"""What may happen to a file of what is finished, and how many warnings tell it."""


@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_damaged_is_computed_again(folder: Path, sweep: Do, stop: Any, fault: str) -> None:
    stop(4)
    do, told = FAULTS[fault]
    do(parts(folder)[0])
    letter = folder / f"{OUT}.parts" / "letter"
    letter.write_text("mine")
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        results = sweep()
    assert [str(w.message).count("is damaged; it was removed") for w in warned] == [1] * told
    assert_same(results, sweep(out=None))
    assert letter.read_text() == "mine", "what is not of this work stays"
    assert list(letter.parent.iterdir()) == [letter]


def test_files_that_are_not_of_a_sweep_are_left_alone(folder: Path, sweep: Do) -> None:
    out, beside = folder / OUT, folder / f"{OUT}.parts"
    with pytest.raises(DataError, match="the run column 'dwell'"):
        sweep(measure="MPcont", grid={"model": "GL_AD_ID"})
    assert files(folder) == [], "what failed before its first part leaves nothing"
    out.write_text("something else")
    with pytest.raises(DataError, match=r"already exists, .* Choose another --out"):
        sweep()
    pd.DataFrame({"a": [1]}).to_parquet(out)
    with pytest.raises(DataError, match="already exists"):
        sweep()
    out.unlink()
    beside.write_text("a file")
    with pytest.raises(DataError, match=r"results\.parquet\.parts cannot be used: .* Choose another --out"):
        sweep()
    assert beside.read_text() == "a file"
    with pytest.raises(DataError, match=r"There is no folder .*nowhere"):
        sweep(out=folder / "nowhere" / OUT)
    assert scored(folder) == []


CHANGES: list[tuple[dict[str, Any], str, int]] = [
    ({"grid": {**GRID, "L": "0,1"}}, "settings: existing", SETTINGS - 4),
    ({"grid": {"L": GRID["L"], "MD": GRID["MD"]}}, "settings: existing", SETTINGS - 8),
    ({"reference": ["AP", "RR"]}, r'reference: existing \["AP"\], requested \["AP", "RR"\]', SETTINGS - 8),
    ({"runs": ["recent.run"]}, "runs: bm25.run", SETTINGS),
    ({"qrels": {"1": {"a": 1}, "2": {"b": 0}}}, "qrels: ", SETTINGS),
    ({"measure": "NCP", "grid": {"law": "uniform"}}, "settings: existing", 0),
]
"""Another sweep, in what it differs, and how many settings it scores where eight of the first are done."""


@pytest.mark.parametrize("ending", ["parquet", "csv"])
@pytest.mark.parametrize(("changed", "said"), [change[:2] for change in CHANGES])
def test_other_results_stay(folder: Path, sweep: Do, monkeypatch: Any, changed: Any, said: str, ending: str) -> None:
    monkeypatch.chdir(folder)
    out = folder / f"results.{ending}"
    sweep(out=out)
    before = {path: path.stat().st_mtime_ns for path in folder.glob("results*")}
    with pytest.raises(DataError, match=rf"{out.name} holds other results: .*{said}.* Choose another --out"):
        sweep(out=out, **changed)
    assert {path: path.stat().st_mtime_ns for path in folder.glob("results*")} == before


@pytest.mark.parametrize(("changed", "left"), [(changed, left) for changed, _, left in CHANGES])
def test_another_sweep_takes_only_what_is_the_same(
    folder: Path, sweep: Do, stop: Any, monkeypatch: pytest.MonkeyPatch, changed: Any, left: int
) -> None:
    monkeypatch.chdir(folder)
    stop(4)
    (folder / "calls.log").unlink()
    results = sweep(**changed)
    assert len(scored(folder)) == left
    assert_same(results, sweep(out=None, **changed))
    assert files(folder) == [OUT]


def test_runs_and_topics_in_another_order_have_their_own_values(folder: Path, sweep: Do, stop: Any) -> None:
    expected = sweep(out=None)
    runs, lines = [folder / run for run in RUNS], (folder / "demo.qrels").read_text().splitlines(keepends=True)
    for other in ({"runs": runs[::-1]}, {"qrels": folder / "other.qrels"}):
        (folder / "other.qrels").write_text("".join(lines[::-1]))
        stop(4)
        by_row = ["system", "query_id", "measure"]
        one, same = (scores.frame().sort_values(by_row, ignore_index=True) for scores in (sweep(**other), expected))
        pd.testing.assert_frame_equal(one[same.columns], same, check_exact=True)
        (folder / OUT).unlink()


def test_other_columns_of_the_same_files_make_another_sweep(folder: Path, sweep: Do, monkeypatch: Any) -> None:
    frame = pd.DataFrame([*irmx.read_run(folder / RUNS[0])])
    frame.assign(one=frame["score"], two=-frame["score"]).drop(columns="score").to_csv(folder / "run.csv", index=False)
    monkeypatch.setenv("IRMX_COLUMN", "score=one")
    sweep(runs=[folder / "run.csv"])
    monkeypatch.setenv("IRMX_COLUMN", "score=two")
    with pytest.raises(DataError, match="differ in columns: "):
        sweep(runs=[folder / "run.csv"])


WEIGHED = """
import irmx
from functools import cache

DECAY = {"of_ranks": 0.8}


@cache
def weight(rank):
    return DECAY["of_ranks"] ** rank


@irmx.measure(range=(0, None))
def Weighed(ranking: irmx.Ranking, *, rel: int = 1) -> float:
    return sum(weight(rank) for rank in ranking.relevant.rank.tolist())
"""


def test_a_measure_with_other_constants_or_helpers_is_another(folder: Path, start: Start) -> None:
    changes = [("", ""), ("import irmx", "import irmx  # to score"), ("0.8", "0.1"), ("** rank", "* rank")]
    given = ("-m", "Weighed", "-g", "rel=1,2", "--out", "w.csv", "--jobs", "1")
    for change in changes:
        (folder / "mine.py").write_text(WEIGHED.replace(*change))
        code, err = finish(start("--load", "mine.py", "sweep", "demo.qrels", RUNS[0], *given))
        assert (code, "function of Weighed" in err) == ((0, False) if change in changes[:2] else (1, True))


def test_changed_data_and_versions_make_another_sweep(folder: Path, sweep: Do, monkeypatch: pytest.MonkeyPatch) -> None:
    first = sweep()
    run = (folder / "recent.run").read_text()
    (folder / "recent.run").write_text(run + "\n")
    with pytest.raises(DataError, match=r"differ in runs: recent\.run\. "):
        sweep()
    (folder / "recent.run").write_text(run)
    with monkeypatch.context() as patch:
        patch.setattr("irmx.score.scoring.version", lambda name: "9.9")
        with pytest.raises(DataError, match="differ in versions: "):
            sweep()
    assert_same(sweep(), first)
    frames = {name: pd.DataFrame(list(irmx.read_run(folder / name))) for name in RUNS}
    other = folder / "other.parquet"
    sweep(runs=frames, out=other)
    sweep(runs={name: frame.copy() for name, frame in frames.items()}, out=other)
    frames["recent.run"].loc[5, "score"] += 1e-9
    with pytest.raises(DataError, match=r"differ in runs: recent\.run\. "):
        sweep(runs=frames, out=other)


# -- studies of judgments ----------------------------------------------------------------------------------


@pytest.fixture
def pool(tmp_path: Path) -> Callable[..., irmx_study.Result]:
    """A study of ten runs that differ in one line, of which four are finished together."""
    for i in range(10):
        lines = run_path(SYSTEMS[i % 3]).read_text(encoding="utf-8")
        (tmp_path / f"r{i}.run").write_text(f"{lines}1 Q0 new{i} 9999 {i} r\n", encoding="utf-8")

    def run(measures: str = "AP Bpref", study: str = "pool", **changed: Any) -> irmx_study.Result:
        choices = {"keep": (50, 10), "samples": 3} if study == "pool" else {"depth": 10}
        given = {"qrels": qrels_path(), "runs": [str(tmp_path / "r*.run")], "jobs": 1, **choices, **changed}
        return getattr(irmx_study, study)(measures, **given)

    return run


@pytest.fixture
def patience(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """A measure that stops the process when it has scored so many runs, which are in the environment: values that it uses are its own."""

    @irmx.measure(range=(0, None))
    def Patient(ranking: irmx.Ranking) -> float:
        """The number of relevant documents retrieved, or a stop."""
        os.environ["RUNS_LEFT"] = str(int(os.environ["RUNS_LEFT"]) - (ranking.query_id == "2"))
        if os.environ["RUNS_LEFT"] == "0":
            raise KeyboardInterrupt
        return float(len(ranking.relevant.rank))

    def runs(left: int) -> None:
        monkeypatch.setenv("RUNS_LEFT", str(left))

    runs(10**9)
    return runs


@pytest.mark.parametrize("study", ["pool", "leave_out"])
@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_a_stopped_study_resumes_and_is_known_again(
    pool: Any, patience: Callable[[int], None], tmp_path: Path, study: str, ending: str
) -> None:
    out = tmp_path / f"pools.{ending}"
    expected = pool("AP Patient", study)
    per_run = 1 + (6 if study == "pool" else 10)  # with all judgments, and with every cut
    patience(5 * per_run)
    with pytest.raises(KeyboardInterrupt):
        pool("AP Patient", study, out=out)
    assert len(parts(tmp_path, out.name)) == 1
    patience(6 * per_run + 1)  # for the other six runs, and no more
    resumed, again = (pool("AP Patient", study, out=out) for _ in range(2))
    assert os.environ["RUNS_LEFT"] == "1"
    assert not (tmp_path / f"{out.name}.parts").exists()
    for result in (resumed, again):
        assert (result.facts(), result.notes) == (expected.facts(), expected.notes)
        for table in expected.tables:
            pd.testing.assert_frame_equal(result.frame(table), expected.frame(table), check_exact=True)


def test_another_study_is_refused(pool: Any, tmp_path: Path) -> None:
    out = tmp_path / "pools.parquet"
    first = pool(out=out)
    for name, value in {"seed": 1, "keep": (50, 20), "samples": 4, "rel": 2, "measures": "AP"}.items():
        with pytest.raises(DataError, match=f"holds other results: they differ in {name}: existing"):
            pool(out=out, **{name: value})
    with pytest.raises(DataError, match="differ in study: existing pool study, requested study of left-out"):
        pool(study="leave_out", out=out)
    pd.testing.assert_frame_equal(pool(out=out).frame("values"), first.frame("values"))


@pytest.mark.slow
@posix
def test_a_killed_study_resumes_with_other_processes(folder: Path, start: Start) -> None:
    for i in range(24):
        lines = run_path(SYSTEMS[i % 3]).read_text(encoding="utf-8")
        (folder / f"r{i:02d}.run").write_text(f"{lines}1 Q0 new{i} 9999 {i} r\n", encoding="utf-8")
    measures = ["AP", "Bpref", "MP(model=GL_AD_ID)"]
    given = ["pool", "demo.qrels", "r??.run", *measures, "--out", OUT, "--jobs"]
    first = start(*given, "2")
    wait_for(lambda: len(parts(folder)) >= 2)
    os.killpg(first.pid, signal.SIGKILL)
    finish(first)
    done = 4 * len(parts(folder))
    assert 8 <= done < 24
    code, err = finish(start(*given, "1"))
    assert code == 0, err
    assert err.startswith(f"irmx: {done} of 24 runs are already done\n")
    assert files(folder) == [OUT]
    expected = irmx_study.samples(measures, folder / "demo.qrels", [str(folder / "r??.run")], jobs=1)
    assert_same(Scores.read_parquet(folder / OUT), expected)
