"""The words after ``irmx``: each command is imported when it is asked for, and what needs no plugin loads none."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import typer

import irmx
from irmx import Command
from irmx.cli.commands import COMMANDS
from irmx.registry import PluginInfo, Registry


def unfit(argument: Any) -> None:
    """Do nothing."""


unfit.__annotations__["argument"] = "Unknown"


def good() -> None:
    """Print a word."""
    print("good")


def leave() -> None:
    sys.exit("no licence")


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        ("nothing", "TypeError: None is not a function"),
        ("unfit", "NameError: name 'Unknown' is not defined"),
        ("nowhere", "AttributeError: "),
        ("raises", "SystemExit: no licence"),
    ],
)
def test_a_command_that_cannot_be_made_is_named_when_it_is_asked_for(
    function: str,
    reason: str,
    registry_with: Callable[..., Registry],
    command: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    module = ModuleType("irmx_second_commands")
    module.__dict__.update(nothing=None, unfit=unfit, good=good)
    module.__getattr__ = lambda name: leave() if name == "raises" else vars(module)[name]  # type: ignore[method-assign]
    if function == "nowhere":
        del module.__getattr__
    monkeypatch.setitem(sys.modules, module.__name__, module)
    names = (("zbad", function), ("zgood", "good"))
    registry_with("second", commands=[Command(n, f"{module.__name__}:{f}", group="second") for n, f in names])
    told = f"The command 'second zbad' of second (irmx-second 2.0) is not in use: {reason}"
    assert (command("second", "zgood").out, command("eval", "--help").err) == ("good\n", "")
    done = command("second", "zbad")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith(f"irmx: {told}")
    listed = command("second", "--help")
    assert listed.code == 0
    assert "zgood  Print a word." in listed.out
    assert told.partition(": ")[0] in " ".join(listed.out.split())
    assert f"  {told}" in command("plugins").out


def test_a_command_of_a_plugin_is_found_by_its_own_word_and_by_its_plugin(
    registry_with: Callable[..., Registry], command: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    registry_with("second", commands=[Command("zflat", "m:f", SHORT_DESC="Do what it says.")])
    monkeypatch.setattr("irmx.cli.words.problem", lambda command: "")
    assert "zflat  Do what it says." in command("second", "-h").out


def fails() -> None:
    raise ValueError("negative budget")


def refuses() -> None:
    raise irmx.UsageError("no such budget")


def exits() -> None:
    raise typer.Exit(3)


def misused() -> None:
    raise typer.BadParameter("what is that")


def test_a_command_that_fails_is_named_with_its_plugin(
    registry_with: Callable[..., Registry], command: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    module = ModuleType("irmx_second_commands")
    module.__dict__.update(fails=fails, refuses=refuses, exits=exits, misused=misused)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    names = ("fails", "refuses", "exits", "misused")
    registry_with("second", commands=[Command(n, f"{module.__name__}:{n}", group="second") for n in names])
    done = command("second", "fails")
    assert (done.code, done.out) == (1, "")
    assert done.err == (
        "irmx: The command 'second fails' of second (irmx-second 2.0) failed: ValueError: negative budget. "
        "'irmx --traceback second fails ...' shows where.\n"
    )
    refused = command("second", "refuses")
    assert (refused.code, refused.err) == (2, "irmx: no such budget\n")
    assert command("second", "exits").code == 3
    misuse = command("second", "misused")
    assert misuse.code == 2
    assert "what is that" in misuse.err
    assert "failed" not in misuse.err
    monkeypatch.setenv("IRMX_TRACEBACK", "1")
    whole = command("second", "fails").err
    assert whole.startswith("Traceback")
    assert '    raise ValueError("negative budget")\nValueError: negative budget\n' in whole


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_the_help_of_a_plugin_without_commands_says_what_it_offers(
    option: str, registry_with: Callable[..., Registry], command: Callable[..., Any]
) -> None:
    registry = registry_with("second", measures=[type("M", (irmx.Measure,), {"NAME": "ZM"})()])
    done = command("second", option)
    assert (done.code, done.err) == (0, "")
    assert done.out == "The plugin second (irmx-second 2.0) has no command. It offers measures: ZM.\n"
    registry.plugins["failed"] = PluginInfo("failed", "irmx-failed", "1.0", failure="for a reason")
    assert command("failed", option).code == 2


def test_a_name_that_two_distributions_use_finds_the_commands_of_both(
    registry_with: Callable[..., Registry], command: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    registry = registry_with("pair of irmx-a", commands=[Command("zflat", "m:f", SHORT_DESC="Do what it says.")])
    registry.plugins["pair of irmx-a"].point = "pair"
    registry.plugins["pair of irmx-b"] = PluginInfo("pair of irmx-b", "irmx-b", "1.0", "pair")
    monkeypatch.setattr("irmx.cli.words.problem", lambda command: "")
    assert "zflat  Do what it says." in command("pair", "-h").out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["evl"], "There is no command 'evl'. Did you mean eval? 'irmx --help' lists the commands."),
        (["zflta"], "There is no command 'zflta'. Did you mean zflat?"),
        (["zgrop"], "There is no command 'zgrop'. Did you mean zgroup?"),
        (["zfitt"], "There is no command 'zfitt'. Did you mean zgroup zfit?"),
        (["zgroup", "zfti"], "There is no command 'zgroup zfti'. Did you mean zfit? Known: zfit."),
        (["idle"], "The plugin idle (irmx-idle 1.0) has no command."),
        (["failed"], "The plugin failed (irmx-failed 1.0) is not in use: for a reason"),
    ],
)
def test_an_unknown_word_names_the_nearest(
    words: list[str], told: str, registry_with: Callable[..., Registry], command: Callable[..., Any]
) -> None:
    commands = [Command("zflat", "m:f"), Command("zfit", "m:f", group="zgroup")]
    registry = registry_with("second", commands=commands)
    registry.plugins["idle"] = PluginInfo("idle", "irmx-idle", "1.0")
    registry.plugins["failed"] = PluginInfo("failed", "irmx-failed", "1.0", failure="for a reason")
    done = command(*words)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"irmx: {told}")


MARKED = """
import os
open(os.environ["MARK"], "a").close()
import irmx
class Marked(irmx.Measure):
    NAME = "ZMarked"
@irmx.hookimpl
def irmx_measures():
    return [Marked()]
"""


@pytest.mark.parametrize(
    ("arguments", "loads"),
    [(["--version"], False), (["--help"], False), (["eval", "--help"], False), (["measures"], True)],
)
def test_what_needs_no_plugin_loads_none(
    arguments: list[str], loads: bool, tmp_path: Path, shell: Callable[..., Any], installed: Callable[..., None]
) -> None:
    installed(tmp_path, "marked", MARKED, "Leaves a mark")
    done = shell(*arguments, PYTHONPATH=str(tmp_path), MARK=str(tmp_path / "mark"))
    assert (done.code, done.err) == (0, "")
    assert (tmp_path / "mark").exists() == loads
    if arguments == ["--help"]:
        assert "marked    Leaves a mark" in done.out
        for one in COMMANDS:
            assert f"{one.NAME:<10}  {one.SHORT_DESC}" in done.out
    code = f"""
import sys
from irmx.cli.app import run
try:
    run({arguments!r})
except SystemExit:
    print([m for m in sys.modules if m.startswith("irmx_") and m != "irmx_command"], "irmx.cli.measures" in sys.modules)
"""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("IRMX_")}
    out = subprocess.run([sys.executable, "-c", code], env=kept, capture_output=True, text=True, check=True).stdout
    assert out.endswith("[] False\n") != loads


def test_the_short_descriptions_are_the_first_lines_of_the_help() -> None:
    for one in COMMANDS:
        assert (one.load().__doc__ or "").startswith(f"{one.SHORT_DESC}\n")
