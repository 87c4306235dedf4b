"""Distributions whose metadata are broken: named, left out or hidden by the environment, and harmless to the others."""

import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import irmx
from irmx.demo import qrels_path, run_path
from irmx.plugin import builtin
from irmx.plugin.discovery import discover
from irmx.registry import Registry

SOUND = "Metadata-Version: 2.1\nName: irmx-{name}\nVersion: 1.0\n"
POINT = "[irmx]\n{name} = irmx_{name}\n"
CODE = "import irmx\n@irmx.hookimpl\ndef irmx_measures():\n    return []\n"
Put = Callable[..., None]

FLAWS: dict[str, tuple[bytes | None, bytes | None, str]] = {
    "without_metadata": (None, POINT.encode(), "METADATA "),  # has no Name and Version, or is not found
    "without_name": (b"Metadata-Version: 2.1\nVersion: 1.0\n", POINT.encode(), "METADATA has no Name;"),
    "without_version": (b"Metadata-Version: 2.1\nName: irmx-x\n", POINT.encode(), "METADATA has no Version;"),
    "latin": (b"Name: irmx-latin\nVersion: 1\nSummary: \xe4\n", POINT.encode(), "METADATA cannot be read (UnicodeDecodeError"),
    "bytes": (SOUND.encode(), b"\x00\xff\xfe[irmx\n", "entry_points.txt cannot be read (UnicodeDecodeError"),
    "halves": (SOUND.encode(), b"[irmx]\nhalf\n", "entry_points.txt cannot be read ("),
    "nowhere": (SOUND.encode(), b"[irmx]\nnowhere = there.is.none:x\n", "ModuleNotFoundError: No module named 'there'"),
    "nothing": (SOUND.encode(), b"[irmx]\nnothing = irmx_nothing:x\n", "AttributeError: module 'irmx_nothing' has no"),
    "unreadable": (SOUND.encode(), b"[irmx]\nunreadable = 1 2 3\n", "is not in use: "),
}  # fmt: skip
"""Metadata and entry points of distributions, and what a warning says of them."""


@pytest.fixture
def with_flaw(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Put:
    """A function that installs a distribution with a flaw, beside a sound one."""

    def put(name: str, about: bytes | None, points: bytes | None) -> None:
        for each, meta, entry in ((name, about, points), ("sound", SOUND.encode(), POINT.encode())):
            (tmp_path / f"irmx_{each}.py").write_text(CODE)
            folder = tmp_path / f"irmx_{each}-1.0.dist-info"
            folder.mkdir()
            for file, content in (("METADATA", meta), ("entry_points.txt", entry)):
                if content is not None:
                    (folder / file).write_bytes(content.replace(b"{name}", each.encode()))
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.setenv("IRMX_LOAD_PLUGINS", f"sound,{name},irmx-{name}")

    return put


def discovered() -> tuple[Registry, list[str]]:
    """What is found in this environment, and the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", irmx.PluginWarning)
        discover(registry := Registry(), [builtin], ())
    return registry, [str(one.message) for one in caught if "which is not installed" not in str(one.message)]


@pytest.mark.parametrize("name", FLAWS)
def test_a_broken_distribution_is_named_and_leaves_the_others_in_use(
    name: str, with_flaw: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    about, points, told = FLAWS[name]
    with_flaw(name, about, points)
    registry, warned = discovered()
    called = f"irmx-{name.replace('_', '-')}"
    (warning,) = warned
    assert told in warning
    assert called in warning
    assert registry.plugins["sound"].failure == ""
    broken = [info for info in registry.plugins.values() if info.distribution == called]
    assert [told.rstrip(";") in f"is not in use: {info.failure}" for info in broken] == [True]
    monkeypatch.delenv("IRMX_LOAD_PLUGINS")
    others = [p for p in registry.plugins if p != "sound"]
    monkeypatch.setenv("IRMX_DISABLED_PLUGINS", ",".join([*others, f" {called.upper()} ", "", " "]))
    registry, warned = discovered()
    assert warned == []
    assert registry.plugins["sound"].failure == ""


@pytest.mark.parametrize("name", ["halves", "latin"])
def test_the_help_of_irmx_lists_the_plugins_beside_a_broken_distribution(
    name: str, with_flaw: Put, command: Callable[..., Any]
) -> None:
    about, points, _ = FLAWS[name]
    with_flaw(name, about, points)
    done = command("--help")
    assert (done.code, done.err) == (0, "")
    assert "\n  sound" in done.out


HOOK = "\nimport irmx\n@irmx.hookimpl\ndef irmx_measures():\n    "
PRINTING = """
import ctypes, os, subprocess, sys
def tell(when):
    print(f"print {when}")
    sys.__stdout__.write(f"original {when}\\n")
    os.write(1, f"descriptor {when}\\n".encode())
    subprocess.run([sys.executable, "-S", "-c", f"print('process {when}')"], check=True)
    if os.name == "posix":
        ctypes.CDLL(None).puts(f"library {when}".encode())
tell("import")
"""
BROKEN = {
    "exits": ("raise SystemExit(0)", "SystemExit: 0"),
    "exits_in_hook": (HOOK + "raise SystemExit(0)", "its hook irmx_measures raised SystemExit: 0"),
    "halves": ("def f(:", "SyntaxError: "),
    "deep": ("def f():\n    f()\nf()", "RecursionError: maximum recursion depth exceeded"),
    "strange": ("class Strange(BaseException): ...\nraise Strange('odd')", "Strange: odd"),
    "mute": ("class Mute(Exception):\n    def __str__(self): 1 / 0\nraise Mute", "Mute, whose text raises ZeroDivisionError"),
    "closing": ("raise GeneratorExit", "GeneratorExit"),
    "zero": ("\0", "null bytes"),
    "yields": (HOOK + "yield 3", "returned 3, which is not an irmx.Measure"),
    "waits": (HOOK.replace("def", "async def") + "return []", "returned <coroutine object irmx_measures"),
    "asks": (HOOK.replace("()", "(config)") + "return []", "Argument(s) {'config'} are declared"),
}  # fmt: skip
"""Modules of plugins, and what a warning says of them."""


def test_results_are_clean_beside_plugins_that_print_end_the_program_or_raise_anything(
    tmp_path: Path, shell: Callable[..., Any], installed: Callable[..., None]
) -> None:
    for name, (code, _) in BROKEN.items():
        installed(tmp_path, name, code)
    installed(tmp_path, "printing", PRINTING + HOOK + 'tell("hook")\n    return []\n')
    environment = {"PYTHONPATH": str(tmp_path), "IRMX_LOAD_PLUGINS": ",".join(["printing", *BROKEN])}
    done = shell("eval", qrels_path(), run_path("bm25"), "AP", "-o", "csv", **environment)
    assert done.code == 0
    assert [line.partition(",")[0] for line in done.out.splitlines()] == ["measure", "AP"]
    lines = done.err.splitlines()
    ways = ["print", "original", "descriptor", "process", *["library"] * (os.name == "posix")]
    assert {f"{way} {when}" for way in ways for when in ("import", "hook")} <= set(lines)
    for name, (_, reason) in BROKEN.items():
        _, told, about = done.err.partition(f"irmx plugin {name} (irmx-{name} 1.0) is ")
        assert told
        assert reason in about.partition("\nirmx: ")[0]  # some errors have several lines
    assert "Traceback" not in done.err
