"""What several files of tests of the host share."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

import pandas as pd
import pytest

import irmx
from irmx import Param, Ranking
from irmx.demo import qrels_path, run_path
from irmx.plugin.discovery import Discovery
from irmx.registry import PluginInfo, Registry

PREPARED = Path(__file__).parent.parent / "fixtures" / "prepared" / "src"
"""The fixture plugin of a measure with preparation."""


def _enough(**options):
    """Define the measure that most tests use."""

    @irmx.measure(**options)
    def Enough(ranking: Ranking, *, k: Annotated[int, Param(int, "how many", low=1)] = 1) -> float:
        """Whether at least k relevant documents
        are retrieved.

        A user is content with k.
        """
        return len(ranking.relevant) >= k

    return Enough


@pytest.fixture
def enough():
    """A function that makes a measure of a function, with the options that it is given."""
    return _enough


def _plugin(**hooks: Any) -> Any:
    """Return a plugin whose hooks return these lists, or raise these errors."""

    def hook(kind: str, value: Any) -> Any:
        def call() -> Any:
            if isinstance(value, BaseException):
                raise value
            return value

        return irmx.hookimpl(call, specname=f"irmx_{kind}")

    return SimplePlugin({f"irmx_{kind}": hook(kind, value) for kind, value in hooks.items()})


class SimplePlugin:
    """A plugin made of its hooks."""

    def __init__(self, hooks: dict[str, Any]) -> None:
        self.__dict__.update(hooks)


@pytest.fixture
def plugin() -> Callable[..., Any]:
    """A function that makes a plugin of what its hooks return, such as ``plugin(measures=[...])``."""
    return _plugin


@pytest.fixture
def registry_with(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Registry]:
    """A function that puts a registry with the host and one plugin in the place of the real one, until the test ends."""

    def put(name: str, **hooks: Any) -> Registry:
        discovery = Discovery(Registry(), set())
        discovery.add_host()
        discovery.add(PluginInfo(name, f"irmx-{name}", "2.0"), lambda: _plugin(**hooks))
        discovery.register()
        module = sys.modules["irmx.registry"]
        monkeypatch.setattr(module, "_registry", discovery._registry)
        monkeypatch.setattr(module, "_filled", True)
        return discovery._registry

    return put


@pytest.fixture
def installed() -> Callable[..., None]:
    """A function that puts a plugin of one module into a folder, as if it were installed there."""

    def put(folder: Path, name: str, code: str, summary: str = "A plugin of a test") -> None:
        (folder / f"irmx_{name}.py").write_text(code, encoding="utf-8")
        about = folder / f"irmx_{name}-1.0.dist-info"
        about.mkdir(parents=True)
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: irmx-{name}\nVersion: 1.0\nSummary: {summary}\n")
        (about / "entry_points.txt").write_text(f"[irmx]\n{name} = irmx_{name}\n")

    return put


@pytest.fixture(scope="session")
def resuming(beside: Callable[[str, str], ModuleType]) -> ModuleType:
    """The module ``resuming.py``: the sweep that tests stop, and what is left of it."""
    return beside(__file__, "resuming")


@pytest.fixture
def folder(resuming: ModuleType, tmp_path: Path) -> Path:
    """A folder with a small collection, and with the fixture plugin as if it were installed there."""
    shutil.copy(qrels_path(), tmp_path / "demo.qrels")
    for run in resuming.RUNS:
        shutil.copy(run_path(run.removesuffix(".run")), tmp_path / run)
    about = tmp_path / "site" / "irmx_prepared-0.5.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: irmx-prepared\nVersion: 0.5\n")
    (about / "entry_points.txt").write_text("[irmx]\nprepared = irmx_prepared.plugin\n")
    return tmp_path


@pytest.fixture
def start(folder: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start the command as the shell does, in a process group that is gone at the end of the test."""
    started: list[subprocess.Popen[str]] = []

    def run(*arguments: str, **environment: str) -> subprocess.Popen[str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith("IRMX_")}
        paths = {"PYTHONPATH": os.pathsep.join([str(PREPARED), str(folder / "site")])}
        process = subprocess.Popen(
            [sys.executable, "-c", "from irmx.cli import main; main()", *arguments],
            cwd=folder,
            env={**kept, **paths, "ZECHO_LOG": str(folder / "calls.log"), "COLUMNS": "200", **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        started.append(process)
        return process

    yield run
    for process in started:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


@pytest.fixture
def sweep(resuming: ModuleType, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., pd.DataFrame]:
    """Do the sweep in this process; what is given changes it."""
    monkeypatch.syspath_prepend(str(PREPARED))
    monkeypatch.setenv("ZECHO_LOG", str(folder / "calls.log"))
    from irmx_prepared.plugin import Echo

    def run(**changed: Any) -> pd.DataFrame:
        given: dict[str, Any] = {
            "measure": Echo(),
            "grid": resuming.GRID,
            "qrels": str(folder / "demo.qrels"),
            "runs": [folder / run for run in resuming.RUNS],
            "reference": "AP",
            "out": folder / resuming.OUT,
            "jobs": 1,
        }
        return irmx.sweep(**{**given, **changed})

    return run
