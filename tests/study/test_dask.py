"""The same sweep on a cluster: a real scheduler and two worker processes on this machine, one of them killed."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import distributed
import pandas as pd
import pytest

import irmx
import irmx_study
from irmx.demo import SYSTEMS, qrels_path, run_path

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name == "nt", reason="signals of POSIX"),
    # what distributed says when a worker is gone
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore:Sending large graph", "ignore:Couldn't detect"),
]

FIXTURE = Path(__file__).parent.parent / "fixtures" / "prepared" / "src"
QRELS = str(qrels_path())
RUNS = {system: str(run_path(system)) for system in SYSTEMS}
GRID = {"MD": [f"{n}m" for n in range(1, 17)], "L": [0, 0.5, 1]}


class Cluster:
    """A scheduler and workers, as `dask scheduler` and `dask worker` start them, and a log of what is scored."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = folder / "calls.log"
        self.processes: list[subprocess.Popen[bytes]] = []
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{port}"
        self.start("scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard", "--no-show")

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith("ZECHO")}
        process = subprocess.Popen(
            [sys.executable, "-m", "dask", *words],
            cwd=self.folder,
            env={
                **kept,
                "PYTHONPATH": os.pathsep.join([str(FIXTURE), kept.get("PYTHONPATH", "")]),
                "ZECHO_LOG": str(self.log),
                "ZECHO_SLEEP": "0.15",
            },
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self.processes.append(process)
        return process

    def start_worker(self) -> subprocess.Popen[bytes]:
        options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1")
        return self.start("worker", self.address, *options)

    def wait_for(self, workers: int) -> None:
        with distributed.Client(self.address, timeout=20, set_as_default=False) as client:
            client.wait_for_workers(workers, timeout=20)

    def noted(self, kind: str) -> list[str]:
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return [line for line in lines if line.startswith(kind)]

    def end(self) -> None:
        for process in self.processes:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    monkeypatch.syspath_prepend(str(FIXTURE))
    found = Cluster(tmp_path)
    yield found
    found.end()


@pytest.fixture
def local(cluster: Cluster) -> irmx.Scores:
    """The results of this process."""
    return irmx_study.sweep(echo(), GRID, QRELS, RUNS, reference="AP", jobs=1)


def echo() -> Any:
    from irmx_prepared.plugin import Echo

    return Echo()


def test_a_worker_that_is_killed_changes_nothing(cluster: Cluster, local: irmx.Scores, tmp_path: Path) -> None:
    one, other = cluster.start_worker(), cluster.start_worker()
    cluster.wait_for(2)

    def kill() -> None:
        while len(cluster.noted("score")) < 5:
            time.sleep(0.01)
        one.send_signal(signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    out = tmp_path / "results.parquet"
    how: Any = {"reference": "AP", "out": out, "backend": "dask", "scheduler": cluster.address}
    results = irmx_study.sweep(echo(), GRID, QRELS, RUNS, **how)
    killer.join()
    assert one.wait() == -signal.SIGKILL
    assert other.poll() is None
    for found in (results, irmx.Scores.read_parquet(out)):
        pd.testing.assert_frame_equal(found.frame(), local.frame(), check_exact=True)
    assert len(set(cluster.noted("score"))) == len(GRID["MD"])
    assert len(cluster.noted("score")) < 2 * len(GRID["MD"])
    received = cluster.noted("received")  # by both workers, perhaps once more when one is gone; not with every unit
    assert 0 < len(received) <= 3 * len(RUNS), received

    plain = irmx_study.sweep("NCP", {"law": "uniform,first"}, QRELS, RUNS, backend="dask", scheduler=cluster.address)
    alone = irmx_study.sweep("NCP", {"law": "uniform,first"}, QRELS, RUNS, jobs=1)
    pd.testing.assert_frame_equal(plain.frame(), alone.frame(), check_exact=True)


def test_a_scheduler_without_workers_is_an_error(cluster: Cluster) -> None:
    with pytest.raises(irmx.UsageError, match=r"The scheduler tcp://.* has no worker. Start one: dask worker tcp://"):
        irmx_study.sweep(echo(), GRID, QRELS, RUNS, backend="dask", scheduler=cluster.address)


def test_a_scheduler_that_cannot_be_reached_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("irmx.parallel._CONNECT_SECONDS", 1)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(irmx.UsageError, match=f"No Dask scheduler can be reached at {address}: "):
            irmx_study.sweep("NCP", {"law": "uniform,first"}, QRELS, RUNS, backend="dask", scheduler=address)
    with pytest.raises(irmx.UsageError, match="No Dask scheduler can be reached at nonsense://x: "):
        irmx_study.sweep("NCP", {"law": "uniform,first"}, QRELS, RUNS, backend="dask", scheduler="nonsense://x")


def test_chunks_of_runs_are_scored_on_a_cluster(cluster: Cluster, command: Any) -> None:
    for _ in range(2):
        cluster.start_worker()
    cluster.wait_for(2)
    words = ("eval", "-p", "-1", QRELS, *RUNS.values(), "AP", "NCP(law=first)")
    on_cluster = command(*words, "--memory", "200KB", "--backend", "dask", "--scheduler", cluster.address)
    assert on_cluster.out == command(*words).out


def test_dask_that_is_not_installed_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(irmx.IrmxError, match="pip install dask distributed"):
        irmx_study.sweep("NCP", {"law": "uniform,first"}, QRELS, RUNS, backend="dask", scheduler="tcp://127.0.0.1:1")


def test_studies_of_judgments_on_a_cluster(cluster: Cluster) -> None:
    cluster.start_worker()
    cluster.wait_for(1)
    runs = {f"{system} {i}": path for i in range(2) for system, path in RUNS.items()}  # some are scored together
    choices: dict[str, Any] = {"keep": (50, 10), "samples": 2}
    there = irmx_study.samples("AP Bpref", QRELS, runs, **choices, backend="dask", scheduler=cluster.address)
    alone = irmx_study.samples("AP Bpref", QRELS, runs, **choices, jobs=1)
    pd.testing.assert_frame_equal(there.frame(), alone.frame(), check_exact=True)
