"""Too little memory ends in a message that says what needs it and what to do, wherever it is felt."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import irmx
from irmx.errors import TooLittleMemoryError, too_little_memory
from irmx.registry import registry
from irmx.toolkit import results_of

ADVICE = "Score fewer runs or topics at once, with a smaller --memory and --jobs 1, or close other programs."

IN_LITTLE_MEMORY = """
import os, resource, sys, gc
from irmx.cli.app import run
import irmx, numpy, pyarrow.csv, pyarrow.parquet, pytrec_eval

@irmx.measure(range=(0, 1))
def Hungry(ranking):
    return float(numpy.ones(10**10)[0])

def ask(*words):
    try:
        run(list(words))
    except SystemExit as stop:
        sys.stderr.flush(), sys.stdout.flush()
        print("code", stop.code, file=sys.stderr, flush=True)
    gc.collect()

ask("eval", "small.qrels", "small.run", "AP", "NCP(law=first)")
with open("/proc/self/statm") as file:
    size = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + 150_000_000,) * 2)
ask("eval", "small.qrels", "small.run", "Hungry")
ask("eval", "small.qrels", "sparse.run", "AP")
ask("eval", "sparse.run", "small.run", "AP")
ask("eval", "small.qrels", "small.run", "AP")
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the size of a process is read from /proc")
def test_commands_in_little_memory(tmp_path: Path) -> None:
    """A measure, a run and qrels that are larger than the memory; and then a small run still works."""
    (tmp_path / "small.qrels").write_text("q 0 a 1\n")
    (tmp_path / "small.run").write_text("q Q0 a 1 1.0 t\n")
    with open(tmp_path / "sparse.run", "wb") as file:  # it takes no place on the disk
        file.write(b"q Q0 a 1 1.0 t\n")
        file.truncate(300_000_000)
    (tmp_path / "asks.py").write_text(IN_LITTLE_MEMORY)
    kept = {k: v for k, v in os.environ.items() if not k.startswith("IRMX_")}
    # a thread or Arrow then reserves no memory beyond what it uses
    threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MALLOC_ARENA_MAX"), "1")
    env = kept | {"ARROW_DEFAULT_MEMORY_POOL": "system", **threads}
    options: Any = {"cwd": tmp_path, "env": env, "capture_output": True, "text": True, "timeout": 120}
    done = subprocess.run([sys.executable, "asks.py"], **options)
    assert "Traceback" not in done.stderr
    told = [text.removesuffix("\n") for text in re.split(r"code \d\n", done.stderr)]
    assert re.findall(r"code (\d)\n", done.stderr) == ["0", "1", "1", "1", "0"], done.stderr
    assert (told[0], told[-2:]) == ("", ["", ""])
    needing = ("The measure Hungry for query q", "Reading sparse.run", "Reading sparse.run")
    for text, what in zip(told[1:4], needing, strict=True):
        assert text.startswith("irmx: ")
        assert f"{what} needs more memory than this process can get" in text, done.stderr
        assert text.endswith(ADVICE)


@pytest.mark.parametrize("error", [MemoryError(), pa.ArrowMemoryError("malloc of size 9 failed")])
def test_every_kind_of_memory_error_is_named(error: MemoryError, command: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    def short(*_: object, **__: object) -> Any:
        raise error

    (tmp_path / "qrels").write_text("q 0 a 1\n")
    (tmp_path / "run").write_text("q Q0 a 1 1.0 t\n")
    why = f" ({error})" if str(error) else ""
    end = f" needs more memory than this process can get{why}. {ADVICE}\n"

    @irmx.measure(range=(0, 1))
    def Hungry(ranking: irmx.Ranking) -> float:
        return float(short())

    with pytest.raises(TooLittleMemoryError, match=r"^The measure Hungry.* needs more memory") as told:
        irmx.calc_aggregate(Hungry, {"q": {"a": 1}}, {"q": {"a": 1.0}})
    assert isinstance(told.value, (irmx.IrmxError, MemoryError))
    trec = type(registry().formats()["trec"])
    places = {"Scoring the run run": "irmx.score.scored_runs.Join", "This command": "irmx.cli.eval.runs_and_measures"}
    for what, place in {**places, "Reading qrels": f"{trec.__module__}.{trec.__qualname__}.read"}.items():
        with monkeypatch.context() as patched:
            patched.setattr(place, short)
            done = command("eval", "qrels", "run", "NCP(law=first)")
        assert (done.code, done.err) == (1, f"irmx: {what}{end}")


def test_a_provider_in_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    import pytrec_eval

    def short(*_: object) -> Any:
        raise MemoryError

    monkeypatch.setattr(pytrec_eval.RelevanceEvaluator, "evaluate", short)
    with pytest.raises(TooLittleMemoryError, match=r"^P@3, computed by the provider pytrec_eval, needs more memory"):
        irmx.toolkit.Evaluator("P@3", {"q": {"a": 1}}, "pytrec_eval").scores({"q": {"a": 1.0}})


def test_the_error_travels_between_processes() -> None:
    import pickle

    error = too_little_memory("This", MemoryError("9 bytes"))
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def _die(number: int) -> int:
    os.kill(os.getpid(), number)
    return number


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="Windows has no signals")
def test_a_process_that_the_system_kills() -> None:
    killed = pytest.raises(irmx.IrmxError, match="A process that worked for this one was killed, by the system if")
    with killed, results_of([(_die, (signal.SIGKILL,))] * 2, 2) as results:
        list(results)
