"""Faults while a command runs: a call that fails, a full disk, too little memory, Ctrl-C.

The command must end with an exit code and a message, what it writes must be whole or not be there, and run again, without the
fault, it must give what it gives in peace.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import json
import os
import resource
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from command_targets import lay_out, run_command
from outcomes import WrongValueError
from pyarrow import parquet
from targets import Target

import irmx

LINES = {
    "eval": ("eval qrels.txt run.txt AP", ""),
    "learn-chain": ("markov learn-chain clicks.tsv out.npz", "out.npz"),
    "holding-times": ("markov holding-times clicks.tsv --out out.tsv", "out.tsv"),
    "sweep": ("sweep qrels.txt runs/*.run --measure NCP --grid law=uniform,first --out out.parquet", "out.parquet"),
    "pool": ("pool qrels.txt runs/*.run AP --keep 50 --out out.parquet", "out.parquet"),
    "report": ("report qrels.txt run.txt other.run AP -o out.html", "out.html"),
    "compare": ("compare qrels.txt run.txt other.run AP -o out.html", "out.html"),
}
"""Commands by name, each with the file that it writes."""

EVENTS = (
    "open",
    "os.rename",
    "os.remove",
    "os.mkdir",
    "os.listdir",
    "os.scandir",
    "os.stat",
    "tempfile.mkstemp",
    "glob.glob",
    "shutil.rmtree",
)
"""The calls that fail with an error of the system, as Python announces them to audit hooks."""

NUMBERS = (errno.ENOSPC, errno.EACCES, errno.EIO, errno.EMFILE)


class _Calls:
    """Counts the calls that concern the current folder, and lets one of them fail; an audit hook cannot be taken away again."""

    def __init__(self) -> None:
        self.left, self.number, self.installed = -1, 0, False

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.left < 0 or event not in EVENTS:
            return
        name = os.fspath(arguments[0]) if arguments and isinstance(arguments[0], (str, bytes, os.PathLike)) else ""
        if isinstance(name, str) and os.path.abspath(name).startswith(os.getcwd()):
            self.left -= 1
            if self.left < 0:
                raise OSError(self.number, os.strerror(self.number), name)


_calls = _Calls()


@contextlib.contextmanager
def failing_call(after: int, number: int) -> Iterator[None]:
    """Let one call of the system fail, after so many others."""
    if not _calls.installed:
        sys.addaudithook(_calls)
        _calls.installed = True
    _calls.left, _calls.number = after, number
    try:
        yield
    finally:
        _calls.left = -1


@contextlib.contextmanager
def full_disk(after: int) -> Iterator[None]:
    """Let no file become larger than so many bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (after, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextlib.contextmanager
def raised(error: type[BaseException], after: int) -> Iterator[None]:
    """Raise an exception in the call of a function of Python after so many others."""
    left = after

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal left
        if event == "call" and "/irmx" in frame.f_code.co_filename:
            left -= 1
            if left < 0:
                sys.setprofile(None)
                raise error

    sys.setprofile(count)
    try:
        yield
    finally:
        sys.setprofile(None)


def fault(kind: str, after: int) -> contextlib.AbstractContextManager[None]:
    """Return the fault of a name."""
    if kind == "disk":
        return full_disk(after)
    if kind in ("interrupt", "memory"):
        return raised(KeyboardInterrupt if kind == "interrupt" else MemoryError, after)
    return failing_call(after, int(kind))


@functools.cache
def in_peace(name: str) -> bytes:
    """Return what a command writes without a fault; what it imports is then imported."""
    here = os.getcwd()
    folder = tempfile.mkdtemp()
    try:
        os.chdir(folder)
        lay_out(Path(folder))
        return _written(name)
    finally:
        os.chdir(here)
        shutil.rmtree(folder)


def _written(name: str) -> bytes:
    line, out = LINES[name]
    run_command(shlex.split(line))
    return _content(out)


def _content(out: str) -> bytes:
    """Return the content of a file without what is different at every run, empty if there is no file."""
    if out.endswith(".parquet") and Path(out).exists():
        return repr(parquet.read_table(out).to_pylist()).encode()  # not when and by which versions it was made
    content = Path(out).read_bytes() if out and Path(out).exists() else b""
    return content[:1000] if out.endswith((".html", ".npz")) else content


def run_into_fault(path: Path) -> None:
    """Run a command into a fault, then again in peace."""
    try:
        name, kind, after = json.loads(path.read_bytes())
        expected, out = in_peace(name), LINES[name][1]
        into = fault(kind, int(after))
    except (ValueError, TypeError, KeyError, AttributeError):
        raise irmx.DataError("no fault any more") from None
    lay_out(path.parent)
    refusal = None
    try:
        with into:
            run_command(shlex.split(LINES[name][0]))
    except irmx.DataError as error:
        refusal = error
    except WrongValueError as error:
        if not str(error).startswith("exit code 130: irmx: stopped"):
            raise
        refusal = irmx.DataError("stopped")
    if out and Path(out).exists() and _content(out) != expected:
        raise WrongValueError(f"{name} leaves another {out} after a fault, {kind}: {_content(out)[:300]!r}")
    try:
        again = _written(name)
    except irmx.DataError as error:
        raise WrongValueError(f"{name} fails when it is run again after a fault, {kind}: {error}") from None
    if again != expected:
        raise WrongValueError(f"{name} gives another {out} when it is run again after a fault, {kind}: {again[:300]!r}")
    if refusal is not None:
        raise refusal


def odd_fault(random: Random) -> bytes:
    """Return a command, a fault, and after how much of it the fault comes, as JSON."""
    name = random.choice(list(LINES))
    kind = random.choice(("disk", "interrupt", "interrupt", "memory", *map(str, NUMBERS)))
    after = random.randrange({"disk": 3000, "interrupt": 20_000, "memory": 20_000}.get(kind, 40))
    return json.dumps([name, kind, int(after ** random.random())]).encode()


FAULTS = [
    Target(
        "faults",
        run_into_fault,
        [json.dumps([name, "disk", 10**9]).encode() for name in LINES],
        make=odd_fault,
        names_file=False,
        seconds=40.0,  # a command up to three times, once while every call is counted
    )
]
