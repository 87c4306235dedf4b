"""What several files of tests of the host share."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import pytest

import irmx
from irmx import Param, Ranking
from irmx.cli import app, output_formats
from irmx.plugin import discovery
from irmx.plugin.discovery import Discovery
from irmx.registry import PluginInfo, Registry


@pytest.fixture
def enough() -> Callable[..., Any]:
    """A function that makes a measure of a function, with the options that it is given."""

    def make(**options: Any) -> Any:
        @irmx.measure(**options)
        def Enough(ranking: Ranking, *, k: Annotated[int, Param(int, "how many", low=1)] = 1) -> float:
            """Whether at least k relevant documents
            are retrieved.

            A user is content with k.
            """
            return len(ranking.relevant) >= k

        return Enough

    return make


def _plugin(**hooks: Any) -> Any:
    """Return a plugin whose hooks return these lists, or raise these errors."""

    def hook(kind: str, value: Any) -> Any:
        def call() -> Any:
            if isinstance(value, BaseException):
                raise value
            return value

        return irmx.hookimpl(call, specname=f"irmx_{kind}")

    made = type("Plugin", (), {})()
    vars(made).update({f"irmx_{kind}": hook(kind, value) for kind, value in hooks.items()})
    return made


@pytest.fixture
def plugin() -> Callable[..., Any]:
    """A function that makes a plugin of what its hooks return, such as ``plugin(measures=[...])``."""
    return _plugin


@pytest.fixture
def registry_with(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Registry]:
    """A function that puts a registry with the host and one plugin in the place of the real one, until the test ends."""

    def put(name: str, **hooks: Any) -> Registry:
        found = Discovery(Registry())
        found.add_host((discovery, app, output_formats))
        found.add(PluginInfo(name, f"irmx-{name}", "2.0"), lambda: _plugin(**hooks))
        found.register()
        module = sys.modules["irmx.registry"]
        monkeypatch.setattr(module, "_registry", found._registry)
        monkeypatch.setattr(module, "_filled", True)
        return found._registry

    return put


@pytest.fixture
def installed() -> Callable[..., None]:
    """A function that puts a plugin of one module into a folder, as if it were installed there."""

    def put(
        folder: Path, name: str, code: str, summary: str = "A plugin of a test", point: str = "", requires: Any = ()
    ) -> None:
        about = folder / f"irmx_{name}-1.0.dist-info"
        about.mkdir(parents=True)
        (folder / f"irmx_{name}.py").write_text(code, encoding="utf-8")
        lines = [f"Metadata-Version: 2.1\nName: irmx-{name}\nVersion: 1.0\nSummary: {summary}"]
        (about / "METADATA").write_text("\n".join([*lines, *(f"Requires-Dist: {one}" for one in requires), ""]))
        (about / "entry_points.txt").write_text(f"[irmx]\n{point or name} = irmx_{name}\n")

    return put
