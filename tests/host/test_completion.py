"""What the shell offers when a user presses Tab, through the protocol of click and once in a real bash."""

import os
import pty
import re
import select
import shutil
import sys
import sysconfig
import time
from pathlib import Path

import pytest

import irmx
from irmx.cli.completing import expressions

MODELS = sorted(irmx.registry().symbols("Markov model"))


@pytest.fixture
def offered(command, monkeypatch):
    """A function that returns what is offered at the end of a command line."""

    def offer(line: str) -> list[str]:
        words = line.split(" ")
        monkeypatch.setenv("_IRMX_COMPLETE", "complete_bash")
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
        done = command()
        assert (done.code, done.err) == (0, "")
        return [text for text in done.out.split("\n") if text]

    return offer


def test_commands_are_offered_those_of_plugins_too(offered) -> None:
    words = offered("irmx ")
    assert words == sorted({words.partition(" ")[0] for words in irmx.registry().commands()})
    assert offered("irmx ev") == ["eval"]
    assert offered("irmx pages s") == ["score", "simulate"]
    assert offered("irmx --l") == ["--load"]


def test_options_are_offered_in_both_spellings(offered) -> None:
    assert offered("irmx compare --all") == ["--all-pairs"]
    assert offered("irmx eval qrels.txt --by_") == ["--by_query"]
    assert offered("irmx eval qrels.txt --by-") == ["--by-query"]
    assert "--by_query" in offered("irmx eval --")


def test_choices_are_offered(offered) -> None:
    assert offered("irmx eval q.txt r.txt AP -o ma") == ["markdown"]
    assert offered("irmx compare --test randomised") == ["randomised-tukey"]
    assert offered("irmx compare --sort p") == ["p", "p_corrected"]


def test_measures_are_offered_after_the_runs_and_files_before(offered, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "RRF.run").touch()
    assert offered("irmx eval ") == offered("irmx eval qrels.txt ") == offered("irmx compare qrels.txt RR") == []
    assert offered("irmx eval qrels.txt a.run RR") == ["RRF.run", "RR"]
    assert offered("irmx eval qrels.txt a.run AP RR") == ["RR"]
    assert offered("irmx compare qrels.txt a.run RR") == ["RRF.run", "RR"]
    assert offered("irmx explain qrels.txt a.run NC") == offered("irmx cite NC") == ["NCP"]
    assert offered("irmx measures GL_AD") == ["GL_AD_ID", "GL_AD_LID"]


def test_named_objects_and_parameters_are_offered_inside_a_quoted_measure(offered) -> None:
    assert offered("irmx eval q r 'MP(model=") == [f"MP(model={name}" for name in MODELS]
    assert offered("irmx eval q r AP 'MP(model=GL_AD_I") == ["MP(model=GL_AD_ID)", "MP(model=GL_AD_ID,"]


@pytest.mark.parametrize(
    ("typed", "offers"),
    [
        ("MP(mo", [f"MP(model={name}" for name in MODELS]),
        (
            "MP(model=GL_AD_ID,resc",
            ['MP(model=GL_AD_ID,rescale="recall"', 'MP(model=GL_AD_ID,rescale="relative_recall"'],
        ),
        ("MP(rescale='rel", ["MP(rescale='relative_recall')", "MP(rescale='relative_recall',"]),
        ("AP NC", ["AP NCP"]),
        ("NCP(law=geom", ["NCP(law=geometric)", "NCP(law=geometric,"]),
        ("NCP(law=geometric(", ["NCP(law=geometric(p="]),
        ("NCP(law=uniform) RPr", ["NCP(law=uniform) RPrec"]),
        ("NCP(law=uniform)", []),
        ("nDCG@1", []),
        ("AP)", []),
        ("Nothing(", []),
        ("MP(nothing=", []),
    ],
)
def test_what_is_offered_for_a_part_of_an_expression(typed: str, offers: list[str]) -> None:
    assert [text for text, _ in expressions(typed)] == offers


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_program_for_each_shell_is_shown(shell: str, command, monkeypatch) -> None:
    monkeypatch.setattr("typer.completion._get_shell_name", lambda: shell)
    shown = command("--show-completion").out
    assert f"_IRMX_COMPLETE=complete_{shell}" in shown
    monkeypatch.setenv("_IRMX_COMPLETE", f"complete_{shell}")
    monkeypatch.setenv("_TYPER_COMPLETE_ARGS", "irmx ev")
    monkeypatch.setenv("COMP_WORDS", "irmx ev")
    monkeypatch.setenv("COMP_CWORD", "1")
    monkeypatch.setenv("_TYPER_COMPLETE_FISH_ACTION", "get-args")
    assert "eval" in command().out


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None, reason="completes in bash")
def test_tab_completes_in_a_real_bash(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("PATH", os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]]))
    monkeypatch.setenv("TERM", "dumb")
    (tmp_path / "qrels.txt").touch()
    (tmp_path / "titles.run").touch()
    child, terminal = pty.fork()
    if not child:
        os.chdir(tmp_path)
        os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
    try:
        _type(terminal, "PS1='ready> '\n")
        setup = f"eval \"$(_IRMX_COMPLETE=source_bash {sys.executable} -c 'from irmx.cli import main; main()')\"\n"
        _type(terminal, setup, until="ready> ")
        line = _type(terminal, "irmx ev\t", until="eval ")
        line += _type(terminal, "q\t", until="qrels.txt ")
        line += _type(terminal, "ti\t", until="titles.run ")
        line += _type(terminal, "'MP(model=GL_AD_LI\t", until="GL_AD_LID")
        assert "eval qrels.txt titles.run 'MP(model=GL_AD_LID" in line
    finally:
        os.close(terminal)
        os.waitpid(child, 0)


def _type(terminal: int, keys: str, until: str = "") -> str:
    """Type into a terminal, and return what it shows until a text appears; at most a minute is waited for."""
    os.write(terminal, keys.encode())
    shown, end = "", time.monotonic() + 60
    while not until or until not in shown:
        assert time.monotonic() < end, shown
        ready, _, _ = select.select([terminal], [], [], 1 if until else 0.3)
        if ready:
            shown += re.sub(r"[\r\x07]", "", os.read(terminal, 4096).decode(errors="replace"))
        elif not until:
            break
    return shown
