"""The words after ``irmx``: help, examples, unknown words, what is imported when, and what the shell completes."""

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import irmx
from irmx import Command
from irmx.cli.app import COMMANDS as OF_HOST
from irmx.cli.app import load_command
from irmx.registry import PluginInfo

COMMANDS = irmx.registry().commands()
GROUPS = sorted({one.group for one in COMMANDS.values() if one.group})
FORMATS = irmx.registry().formats()


# -- help --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", ["", *GROUPS, *sorted(COMMANDS)])
def test_help_fits_80_columns_and_names_no_types(words: str, command: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    environ = monkeypatch.setenv
    monkeypatch.setattr(monkeypatch, "setenv", lambda name, value: environ(name, "80"))
    done = command(*words.split(), "--help")
    assert (done.code, done.err) == (0, "")
    assert done.out == command(*words.split(), "-h").out
    assert not re.search(r"<(str|int|float|list)|[{}]|INTEGER|\bTEXT\b", done.out)
    assert max(map(len, done.out.splitlines())) <= 80
    if words not in COMMANDS:
        return
    one = COMMANDS[words]
    assert f" {words} [OPTIONS]" in done.out
    _, _, examples = done.out.partition("For example:\n")
    assert [line.strip() for line in re.sub(r" \\\n\s+", " ", examples).splitlines()] == list(one.EXAMPLES)
    assert one not in OF_HOST or (one.load().__doc__ or "").startswith(f"{one.SHORT_DESC}\n")
    for text in (one.SHORT_DESC, *(getattr(param, "help", "") or param.about for param in load_command(one).params)):
        assert re.fullmatch(r"[A-Z].*[.)]", text), text


@pytest.mark.parametrize("words", sorted(COMMANDS))
def test_a_command_takes_its_examples_and_options_with_hyphens_or_underscores(words: str, command: Any) -> None:
    word, typed = words.split(), []
    for param in load_command(COMMANDS[words]).params:
        names = [name[2:] for name in param.opts if name.startswith("--")]
        for name in sorted({name.replace(*pair) for name in names for pair in ("_-", "-_")}):
            typed += [f"--{name}", *([] if param.is_flag else ["1"])]
    first = (
        ["--help"]
        if any(param.is_eager and not param.is_flag for param in load_command(COMMANDS[words]).params)
        else []
    )
    done = command(*word, *first, *typed, "--help")  # of options that end the command, the first does
    assert (done.code, done.err) == (0, "")
    assert COMMANDS[words].EXAMPLES
    for example in COMMANDS[words].EXAMPLES:
        line = shlex.split(example.partition(" > ")[0])
        assert line[: len(word) + 1] == ["irmx", *word]
        assert load_command(COMMANDS[words]).make_context(words, line[len(word) + 1 :]).params


@pytest.mark.parametrize("name", FORMATS)
def test_an_example_of_a_format_is_of_that_format(name: str) -> None:
    one = FORMATS[name]
    assert one.EXAMPLES
    for example in one.EXAMPLES:
        named, _, rest = example.partition(":")
        if Path(example).suffix and not rest:
            assert one.recognises(one.TABLES[0], Path(example), b"")
        else:
            assert named.partition("(")[0] == name or one.IDS


def test_version_and_no_arguments(command: Any) -> None:
    assert command("--version").out == f"irmx {irmx.__version__}\n"
    done = command()
    assert (done.code, done.out, done.err) == (2, "", command("--help").out)


# -- words of plugins --------------------------------------------------------------------------------------


def test_the_help_lists_every_command_in_groups(registry_with: Any, command: Any) -> None:
    in_one = Command("zflat", "m:f", SHORT_DESC="Do what it says.", SECTION="compare")
    registry_with("pair", commands=[in_one, Command("zfit", "m:f", group="zgroup", SHORT_DESC="Fit.")])
    shown = command("--help").out
    assert re.findall(r"^(\w+).*:$", shown, re.M)[-4:] == ["Score", "Compare", "Families", "Extend"]
    assert len(shown.splitlines()) <= 44
    assert re.search(r"Compare systems:\n  zflat +Do what it says\.", shown)
    assert re.search(r"^Families.*:\n  zgroup +zfit$", shown, re.M)
    assert re.search(r"^  zfit +Fit\.$", command("zgroup", "-h").out, re.M)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("evl", "There is no command 'evl'. Did you mean eval?"),
        ("score", "There is no command 'score'. Did you mean eval?"),
        ("zgrop", "There is no command 'zgrop'. Did you mean zgroup?"),
        ("zfitt", "There is no command 'zfitt'. Did you mean zgroup zfit?"),
        ("zgroup zfti", "There is no command 'zgroup zfti'. Did you mean zfit?"),
        ("second", "second is a plugin (second (irmx-second 2.0)), not a command. It offers commands: zflat, zgroup"),
        ("failed", "The plugin failed (irmx-failed 1.0) is not in use: for a reason"),
        ("failed --help", "The plugin failed (irmx-failed 1.0) is not in use: for a reason"),
    ],
)
def test_an_unknown_word_names_the_nearest(words: str, told: str, registry_with: Any, command: Any) -> None:
    registry = registry_with("second", commands=[Command("zflat", "m:f"), Command("zfit", "m:f", group="zgroup")])
    registry.plugins["failed"] = PluginInfo("failed", "irmx-failed", "1.0", failure="for a reason")
    done = command(*words.split())
    done.assert_refused(2)
    assert done.err.startswith(f"irmx: {told}")


MARKED = """
import os, sys
open(os.environ["MARK"], "a").close()
import irmx
@irmx.hookimpl
def irmx_measures():
    return [type("Marked", (irmx.Measure,), {"NAME": "ZMarked"})()]
"""


@pytest.mark.parametrize(
    ("arguments", "loads"), [("--version", False), ("eval --help", False), ("--help", True), ("measures", True)]
)
def test_what_needs_no_plugin_loads_none(
    arguments: str, loads: bool, tmp_path: Path, shell: Any, installed: Any
) -> None:
    installed(tmp_path, "marked", MARKED, "Leaves a mark")
    environment = {"PYTHONPATH": str(tmp_path), "MARK": str(tmp_path / "mark")}
    done = shell(*arguments.split(), **environment)
    assert (done.code, done.err) == (0, "")
    assert (tmp_path / "mark").exists() == loads


# -- completion --------------------------------------------------------------------------------------------


@pytest.fixture
def offered(command: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str], list[str]]:
    """A function that returns what is offered at the end of a command line, in a folder with one run."""
    (tmp_path / "RRF.run").touch()

    def offer(line: str) -> list[str]:
        monkeypatch.setenv("_IRMX_COMPLETE", "bash_complete")
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(len(line.split(" ")) - 1))
        done = command()
        assert (done.code, done.err) == (0, "")
        return [text.partition(",")[2] for text in done.out.split("\n") if text]

    return offer


@pytest.mark.parametrize(
    ("line", "offers"),
    [
        ("", sorted({words.partition(" ")[0] for words in COMMANDS})),
        ("ev", ["eval"]),
        ("pages s", ["score", "simulate"]),
        ("--l", ["--load"]),
        ("compare --all", ["--all-pairs"]),
        ("eval qrels.txt --by-", ["--by-query"]),
        ("eval q.txt r.txt AP -o ma", ["markdown"]),
        ("compare --test randomised", ["randomised-tukey"]),
        ("compare --sort p", ["p", "p_corrected"]),
        ("eval ", []),
        ("eval qrels.txt ", []),
        ("compare qrels.txt RR", []),
        ("eval qrels.txt a.run RR", ["RRF.run", "RR"]),
        ("eval qrels.txt a.run AP RR", ["RR"]),
        ("explain qrels.txt a.run NC", ["NCP"]),
        ("cite NC", ["NCP"]),
        ("measures GL_AD", ["GL_AD_ID", "GL_AD_LID"]),
        ("eval q r nDCG@1", []),
        ("eval q r 'MP(model=", []),
    ],
)
def test_what_is_offered(line: str, offers: list[str], offered: Callable[[str], list[str]]) -> None:
    assert offered(f"irmx {line}") == offers


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_program_for_each_shell_is_printed(shell: str, command: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert f"_IRMX_COMPLETE={shell}_complete" in command("--completion", shell).out
    typed = {"COMP_WORDS": "irmx ev", "COMP_CWORD": "ev" if shell == "fish" else "1"}
    for name, value in {"_IRMX_COMPLETE": f"{shell}_complete", **typed}.items():
        monkeypatch.setenv(name, value)
    assert "eval" in command().out
    monkeypatch.delenv("_IRMX_COMPLETE")
    assert command("--completion", "tcsh").code == 2


# -- functions ---------------------------------------------------------------------------------------------


def test_functions_of_plugins_are_called_from_irmx(registry_with: Any) -> None:
    offered = [irmx.Function(*one) for one in (("zdumps", "json:dumps"), ("no name", "m:f"), ("zlost", "json:lost"))]
    with pytest.warns(irmx.PluginWarning, match="no name in Python"):
        registry_with("pair", functions=offered)
    assert irmx.zdumps([1]) == "[1]"
    assert "zdumps" in dir(irmx)
    with pytest.raises(AttributeError, match="lost"):
        _ = irmx.zlost


def test_studies_are_functions_of_irmx() -> None:
    import irmx_study

    for name in ("compare", "correlate", "discriminate", "pool", "power", "report", "sweep", "topics", "unjudged"):
        assert getattr(irmx, name) is getattr(irmx_study, name)
