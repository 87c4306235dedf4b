"""Fixtures that every folder of tests shares: real collections, where they are, and small made ones."""

from __future__ import annotations

import csv
import errno
import gc
import gzip
import importlib.util
import io
import os
import pickle
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

REAL = "IRMX_DATA"
"""The environment variable that names the folder with real evaluation data."""

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # also in the processes that tests start, as `irmx` does

UNTIMED = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
"""A busy machine is no reason for a test to fail."""

settings.register_profile("quick", max_examples=15, derandomize=True, **UNTIMED)
settings.register_profile("thorough", max_examples=25, **UNTIMED)
settings.load_profile("quick")  # `--hypothesis-profile thorough`, which continuous integration gives, comes later


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests on real data where there is none."""
    if os.environ.get(REAL):
        return
    without = [item for item in items if "real" in item.keywords]
    if without:
        config.hook.pytest_deselected(items=without)
        items[:] = [item for item in items if "real" not in item.keywords]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep the garbage collector from looking through modules and collected tests, which stay, again and again."""
    gc.disable()
    collected = yield
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)  # nor, as often as by default, through what tests make
    gc.enable()
    return collected


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say in one line what was left out, and how to run it."""
    expression = config.option.markexpr
    left_out = [mark for mark in ("slow", "real", "network", "browser") if f"not {mark}" in expression]
    if left_out:
        terminalreporter.line(
            f"Left out: tests marked {', '.join(left_out)}; `python -m pytest -m slow` runs the slow ones."
        )
    asked = not expression or "real" in expression.replace("not real", "")
    if asked and not os.environ.get(REAL):
        terminalreporter.line(f"Left out: tests marked real; set {REAL} to the folder that holds the collections.")


@pytest.fixture(autouse=True)
def _no_measure_is_left_behind() -> Iterator[None]:
    """Forget the measures that a test, or the example of a page, defines by ``@irmx.measure``."""
    yield
    if "irmx" in sys.modules:
        known = sys.modules["irmx.registry"]._registry
        for name in list(known.defined):
            known.undefine(name)


@pytest.fixture(autouse=True)
def _no_picture_is_left_open() -> Iterator[None]:
    """Close the pictures of a test or of the examples of a page: matplotlib warns of many, in whichever test comes next."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture(scope="session")
def beside() -> Callable[[str, str], ModuleType]:
    """Return a function that loads the module of a name beside a file, once, for helpers that several files of tests share."""

    def load(file: str, name: str) -> ModuleType:
        known = f"irmx_tests_{Path(file).parent.name}_{name}"
        if known not in sys.modules:
            spec = importlib.util.spec_from_file_location(known, Path(file).parent / f"{name}.py")
            assert spec is not None
            assert spec.loader is not None
            sys.modules[known] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(sys.modules[known])
        return sys.modules[known]

    return load


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Callable[[], Any]], Any]:
    """Return a function that returns what another makes: the first of the processes that share the tests; others read it."""

    def made(name: str, make: Callable[[], Any]) -> Any:
        if "PYTEST_XDIST_WORKER" not in os.environ:
            return make()
        import fcntl  # Windows has none, and tests nothing that is dear to make

        kept = tmp_path_factory.getbasetemp().parent / f"{name}.pickle"
        with kept.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not kept.exists():
                kept.write_bytes(pickle.dumps(make()))
            return pickle.loads(kept.read_bytes())

    return made


@dataclass(frozen=True)
class RealCollection:
    """A TREC collection on this machine.

    Attributes
    ----------
    folder : Path
        Where its files are.
    qrels_path : Path
        The qrels, unpacked.
    run_paths : dict of str to Path
        The runs by name, unpacked.
    """

    folder: Path
    qrels_path: Path
    run_paths: dict[str, Path]


@pytest.fixture(scope="session")
def trec8(tmp_path_factory: pytest.TempPathFactory, once: Callable[[str, Callable[[], Any]], Any]) -> RealCollection:
    """The TREC-8 ad hoc task: 50 topics, 129 runs at depth 1000."""
    if not os.environ.get(REAL):
        pytest.skip(f"real evaluation data: set {REAL} to the folder that holds it")
    folder = Path(os.environ[REAL]).resolve() / "trec8_adhoc"
    assert folder.is_dir(), f"{REAL} is set, but there is no folder {folder}"

    def unpacked() -> tuple[Path, dict[str, Path]]:
        into = tmp_path_factory.mktemp("trec8")
        qrels = into / "trec8.qrels"
        qrels.write_bytes(gzip.decompress((folder / "qrels.trec8.adhoc.401-450.txt.gz").read_bytes()))
        runs: dict[str, Path] = {}
        with tarfile.open(folder / "runs_full_depth1000.tar.xz") as archive:
            for member in archive:
                stream = archive.extractfile(member)
                if stream is not None:
                    path = into / Path(member.name).name
                    path.write_bytes(stream.read())
                    runs[path.name.removeprefix("input.")] = path
        return qrels, dict(sorted(runs.items()))

    return RealCollection(folder, *once("trec8", unpacked))


@dataclass(frozen=True)
class Done:
    """What a command of the shell did."""

    code: int
    out: str
    err: str

    @property
    def rows(self) -> list[dict[str, str]]:
        """The rows that it printed as CSV."""
        return list(csv.DictReader(io.StringIO(self.out)))

    def assert_refused(self, code: int, said: str = "") -> None:
        """Assert that it failed with an exit code, printed no result and no traceback, and said something, in whatever lines."""
        assert (self.code, self.out) == (code, ""), self.err
        assert said in self.err or said in " ".join(self.err.split())
        assert "Traceback" not in self.err


@pytest.fixture
def command(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Done]:
    """Return a function that runs ``irmx`` in this process, in the folder of the test if no other is given.

    An error that ``irmx`` does not handle comes through.
    """
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object, cwd: Path | None = None) -> Done:
        from irmx.cli.app import run as irmx

        monkeypatch.setenv("COLUMNS", "200")
        if cwd is not None:
            monkeypatch.chdir(cwd)
        with pytest.raises(SystemExit) as left:
            irmx([str(a) for a in arguments])
        code = left.value.code
        return Done(code if isinstance(code, int) else 0, *capfd.readouterr())

    return run


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return a function after whose call so many files, by default none, can still be flushed to disk.

    That is when many systems tell that a disk is full.
    """

    def fill(fitting: int = 0) -> None:
        flushed: list[int] = []

        def refuse(file: int) -> None:
            flushed.append(file)
            if len(flushed) > fitting:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        monkeypatch.setattr(os, "fsync", refuse)

    return fill


@pytest.fixture(scope="session")
def shell() -> Callable[..., Done]:
    """Return a function that runs ``irmx`` as the shell does, in a process of its own."""

    def run(*arguments: object, cwd: Path | None = None, **environment: str) -> Done:
        command = [sys.executable, "-c", "from irmx.cli import main; main()", *map(str, arguments)]
        kept = {k: v for k, v in os.environ.items() if not k.startswith("IRMX_")}
        env = {**kept, "COLUMNS": "200", "NO_COLOR": "1", "PYTHONUTF8": "1", **environment}
        done = subprocess.run(command, capture_output=True, encoding="utf-8", cwd=cwd, env=env)
        return Done(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture(scope="session")
def clean_environment() -> Callable[..., Callable[..., Done]]:
    """Return a function that makes an environment in a folder, with what is installed here and with more distributions.

    Their wheels are built as the build backend does, and unpacked, which is to install them; nothing is downloaded. It
    returns a function that runs the interpreter of the environment in the folder.
    """

    def make(folder: Path, *sources: Path) -> Callable[..., Done]:
        venv.create(folder / "env", with_pip=False, symlinks=True)
        python = folder / "env" / ("Scripts" if os.name == "nt" else "bin") / "python"
        site = Path(sysconfig.get_path("purelib", vars={"base": str(folder / "env"), "platbase": str(folder / "env")}))
        ours = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
        site.joinpath("ours.pth").write_text("".join(f"import site; site.addsitedir({p!r})\n" for p in sorted(ours)))
        wheels = folder / "wheels"
        wheels.mkdir()
        code = f"import hatchling.build as b; print(b.build_wheel({str(wheels)!r}))"
        for source in sources:
            subprocess.run([sys.executable, "-c", code], cwd=source, check=True, capture_output=True)
        for wheel in wheels.glob("*.whl"):
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(site)
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("IRMX_", "PYTHON", "PYTEST_"))}

        def run(*arguments: object, cwd: Path = folder, **environment: str) -> Done:
            command = [str(python), *map(str, arguments)]
            env = {**kept, "COLUMNS": "200", "NO_COLOR": "1", "PYTHONUTF8": "1", **environment}
            done = subprocess.run(command, capture_output=True, encoding="utf-8", cwd=cwd, env=env)
            return Done(done.returncode, done.stdout, done.stderr)

        return run

    return make
