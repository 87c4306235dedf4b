"""Ctrl-C at any moment: ``irmx: stopped`` and exit code 130, without a traceback, and nothing is left that runs."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from irmx.demo import SYSTEMS, qrels_path, run_path

pytestmark = pytest.mark.skipif(os.name == "nt", reason="sends the signal of Ctrl-C as POSIX has it")

STARTING = """
import os, signal, sys, time, irmx_command
signal.signal(signal.SIGINT, signal.default_int_handler)  # as in a terminal, also where it was switched off for the tests
"""
AT_AN_IMPORT = """
def once():
    signal.raise_signal(signal.SIGINT)
def twice():
    try:
        once()
    finally:
        once()
def hidden():
    try:
        once()
    except KeyboardInterrupt:
        raise ImportError("no such library")
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == where:
            globals()[how]()
sys.meta_path.insert(0, Finder())
where, how = sys.argv[1:3]
sys.argv[:] = sys.argv[3:]
irmx_command.main()
"""
SCORING = ("eval", str(qrels_path()), *(str(run_path(system)) for system in SYSTEMS), "AP", "nDCG@10")


@pytest.mark.parametrize(
    ("module", "how"),
    [
        ("irmx.errors", "once"),
        ("irmx.cli.commands", "hidden"),
        ("irmx_trec", "twice"),
        ("irmx_trec", "hidden"),
        ("pyarrow", "once"),
    ],
)
def test_ctrl_c_during_an_import(module: str, how: str) -> None:
    """That of irmx itself, of a command, of a plugin and of a library; where it is hidden by what is interrupted, too."""
    started = [sys.executable, "-c", STARTING + AT_AN_IMPORT, module, how, "irmx", *SCORING]
    done = subprocess.run(started, capture_output=True, text=True, env={**os.environ, "IRMX_LOAD_PLUGINS": "trec"})
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "irmx: stopped\n")


def test_ctrl_c_while_a_run_is_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "run")
    command = [
        sys.executable,
        "-c",
        f"{STARTING}irmx_command.main()",
        "eval",
        str(qrels_path()),
        str(tmp_path / "run"),
        "AP",
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with open(tmp_path / "run", "w"):  # opens when the command reads the run, so that it is in the middle
        process.send_signal(signal.SIGINT)
        out, told = process.communicate(timeout=60)
    assert (process.returncode, out, told) == (130, b"", b"irmx: stopped\n")


def in_group(group: int) -> list[str]:
    """The processes of a group that have not ended."""
    asked = subprocess.run(["ps", "-A", "-o", "pgid=,stat=,args="], capture_output=True, text=True, check=True)
    lines = [line.split(None, 2) for line in asked.stdout.splitlines()]
    return [args for of, stat, args in lines if of == str(group) and not stat.startswith("Z")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "code", "jobs", "moments"),
    [(signal.SIGINT, 130, 1, 6), (signal.SIGINT, 130, 2, 3), (signal.SIGTERM, -signal.SIGTERM, 2, 2)],
)
def test_a_signal_at_any_moment(number: signal.Signals, code: int, jobs: int, moments: int, tmp_path: Path) -> None:
    """Moments over the time that the command takes; Ctrl-C for all processes of the terminal, every third time twice."""
    program = f"{STARTING}irmx_command.stop_at_once()\nos.write(2, b'-')\nirmx_command.main()"
    command = [sys.executable, "-c", program, *SCORING, "-j", str(jobs)]

    def start() -> "subprocess.Popen[str]":
        pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        environment = {**os.environ, "JOBLIB_TEMP_FOLDER": str(tmp_path)}
        process = subprocess.Popen(command, env=environment, start_new_session=True, **pipes)
        assert process.stderr is not None
        assert process.stderr.read(1) == "-"  # from now on Ctrl-C is seen to
        return process

    begun = time.monotonic()
    whole = start().communicate()[0]
    seconds = time.monotonic() - begun
    codes = set()
    for moment in range(moments):
        process = start()
        time.sleep(seconds * moment / moments)
        for _ in range(2 if moment % 3 == 0 and number == signal.SIGINT else 1):
            if process.poll() is None:
                (os.killpg if number == signal.SIGINT else os.kill)(process.pid, number)
        out, err = process.communicate()
        assert out in ("", whole)
        assert process.returncode != 130 or (err.endswith("irmx: stopped\n") and "Exception" not in err)
        assert process.returncode == 0 or "Traceback" not in err
        codes.add(process.returncode)
        end = time.monotonic() + 30
        while in_group(process.pid):
            assert time.monotonic() < end
            time.sleep(0.05)
    assert codes - {0} == {code}
    assert list(tmp_path.iterdir()) == []
