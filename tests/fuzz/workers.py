"""Worker processes that run inputs: one that dies, hangs or grows is told apart, recorded and replaced."""

from __future__ import annotations

import faulthandler
import multiprocessing
import os
import resource
import shutil
import signal
import tempfile
import time
from collections.abc import Iterable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from unittest import mock

from outcomes import Outcome, outcome_of

ADDRESSES = 8 << 30
"""The bytes of addresses that a worker may have, so that it fails before the machine does."""

DEAD = 120.0
"""The seconds after which an input is given up. A worker reports itself what took too much CPU time, but did end."""

_PROCESSES = multiprocessing.get_context("forkserver")
"""A server that has imported everything, from which a new worker is forked within milliseconds."""
_PROCESSES.set_forkserver_preload(["file_targets", "plugin_targets", "evaluation_targets", "fault_targets"])


def serve(pipe: Connection, folder: Path) -> None:
    """Run the inputs that come through a pipe, one by one, and send back what became of each; in the worker."""
    os.environ["LOKY_MAX_CPU_COUNT"] = "1"  # a worker starts no processes
    from targets import all_targets

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    log = (folder / "log").open("w")
    faulthandler.enable(log)
    os.environ["HOME"] = str(folder)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(log.fileno(), 2)
    targets = all_targets()
    scratch = folder / "scratch"
    pipe.send(None)
    while True:
        name, what = pipe.recv()
        try:
            content = what if isinstance(what, bytes) else targets[name].input(*what)
        except Exception as error:  # a mistake of the harness
            pipe.send(error)
            raise
        (folder / "current").write_bytes(content)
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir()
        os.chdir(scratch)
        pipe.send(outcome_of(targets[name], content, scratch))


class Worker:
    """A worker process, as its parent sees it."""

    def __init__(self, folder: Path) -> None:
        self.folder = Path(tempfile.mkdtemp(dir=folder))
        self.pipe, theirs = _PROCESSES.Pipe()
        self.process = _PROCESSES.Process(target=serve, args=(theirs, self.folder), daemon=True)
        with mock.patch.dict(
            os.environ, PYTHONPATH=str(Path(__file__).parent)
        ):  # of the server, which the first worker starts
            self.process.start()
        theirs.close()
        self.started = False

    def run(self, name: str, what: bytes | tuple[int, int]) -> Outcome:
        """Run one input of a target, given as it is or by its seed and number, and return what became of it."""
        self._ready()
        start = time.monotonic()
        self.pipe.send((name, what))
        try:
            if self.pipe.poll(DEAD):
                outcome: Outcome | Exception = self.pipe.recv()
                if isinstance(outcome, Exception):
                    raise RuntimeError(f"the target {name} cannot make the input {what!r}") from outcome
                return outcome
        except EOFError:
            self.process.join()
            code = self.process.exitcode or 0
            why = signal.Signals(-code).name if code < 0 else f"exit code {code}"
            return Outcome("crash", f"{why}\n{self._log()}", f"{why} {self._place()}", time.monotonic() - start)
        self.kill(signal.SIGABRT)  # faulthandler then writes where it hangs
        return Outcome("hang", self._log(), f"hang {self._place()}", time.monotonic() - start)

    def _ready(self) -> None:
        if not self.started:
            self.pipe.recv()
            self.started = True

    def content(self) -> bytes:
        """Return the last input."""
        return (self.folder / "current").read_bytes()

    @property
    def alive(self) -> bool:
        return self.process.is_alive()

    def kill(self, sign: signal.Signals = signal.SIGKILL) -> None:
        if self.process.pid is not None and self.alive:
            os.kill(self.process.pid, sign)
        self.process.join()

    def _log(self) -> str:
        return (self.folder / "log").read_text(errors="replace")[-3000:]

    def _place(self) -> str:
        """Return the last line of irmx in the traceback that faulthandler wrote."""
        lines = [line for line in self._log().splitlines() if "/irmx" in line]
        return lines[0].rpartition("/")[2].replace('", line', "") if lines else ""


def outcomes_of(inputs: Iterable[tuple[str, bytes]], folder: Path) -> Iterator[Outcome]:
    """Yield what becomes of inputs, given with the names of their targets, in one process as long as it lives."""
    worker = Worker(folder)
    for name, content in inputs:
        if not worker.alive:
            worker = Worker(folder)
        yield worker.run(name, content)
    worker.kill()
