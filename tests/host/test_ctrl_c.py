"""Ctrl-C at any moment: ``irmx: stopped`` and exit code 130, without a traceback, and nothing is left that runs."""

import os
import signal
import subprocess
import sys
from pathlib import Path

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
        ("irmx.cli.app", "hidden"),
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


WHILE_IT_STOPS = """
class Interrupted:
    def write(self, text):
        if not told:
            signal.raise_signal(signal.SIGINT)
        told.append(text)
    def flush(self):
        sys.__stderr__.write("".join(told))
        sys.__stderr__.flush()
told, sys.stderr = [], Interrupted()
"""


def test_ctrl_c_again_while_a_command_stops(tmp_path: Path) -> None:
    """While it says so: the second Ctrl-C means no more than the first."""
    (tmp_path / "stops.py").write_text("import signal\nsignal.raise_signal(signal.SIGINT)\n")
    command = ["irmx", "--load", str(tmp_path / "stops.py"), *SCORING]
    code = f"{STARTING}{WHILE_IT_STOPS}sys.argv[:] = sys.argv[1:]\nirmx_command.main()"
    done = subprocess.run([sys.executable, "-c", code, *command], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "irmx: stopped\n")


def test_ctrl_c_while_a_run_is_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "run")
    words = ("eval", str(qrels_path()), str(tmp_path / "run"), "AP")
    command = [sys.executable, "-c", f"{STARTING}irmx_command.main()", *words]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with open(tmp_path / "run", "w"):  # opens when the command reads the run, so that it is in the middle
        process.send_signal(signal.SIGINT)
        out, told = process.communicate(timeout=60)
    assert (process.returncode, out, told) == (130, b"", b"irmx: stopped\n")
