"""The files of new plugins: names, nothing overwritten, nothing left behind, and all of them written."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import irmx
from irmx.errors import DataError, UsageError
from irmx.plugin.templates import Names, new_plugin

FILES = {
    ".github/workflows/test.yml",
    ".gitignore",
    "README.md",
    "pyproject.toml",
    "src/irmx_word_budget/__init__.py",
    "src/irmx_word_budget/measure.py",
    "src/irmx_word_budget/plugin.py",
    "src/irmx_word_budget/py.typed",
    "tests/test_measure.py",
}


def files(folder):
    return {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}


@pytest.mark.parametrize(
    "given", ["word-budget", "irmx-word-budget", "Word_Budget", "irmx.word.budget", "IrmX_WORD-budget"]
)
def test_names_follow_from_one(given):
    assert Names.of(given) == Names("irmx-word-budget", "irmx_word_budget", "word-budget", "WordBudget")


def test_the_measure_may_have_a_name_of_its_own():
    assert Names.of("budget", "nWB_2").measure == "nWB_2"


@pytest.mark.parametrize(
    "name", ["", "irmx-", "two words", "1st", "a--b", "-a", "a-", "wört", "../up", "a/b", "ſ", "a\n"]
)
def test_odd_names_are_refused(name):
    with pytest.raises(UsageError, match=r"The name of a plugin consists of ASCII letters and digits.*Got .* instead"):
        Names.of(name)


@pytest.mark.parametrize(
    ("name", "measure", "message"),
    [
        ("x" * 41, None, "can have at most 40 characters. Got 41"),
        ("x", "X" * 41, "can have at most 40 characters. Got 41"),
        ("x", "two words", "The name of a measure consists of"),
        ("x", "lower", "contains a capital letter"),
        ("x", "Ä", "The name of a measure consists of"),
        ("none", None, "None has another meaning in Python or in irmx. Choose one: --measure NAME"),
        ("x", "ValueError", "ValueError has another meaning"),
        ("param", None, "Param has another meaning"),
        ("x", "AP", "There is already a measure AP"),
        ("x", "MP", "There is already a measure MP"),
        ("markov", "Free", r"There is already a plugin 'markov': irmx-markov is installed"),
    ],
)
def test_names_that_mean_something_else_are_refused(name, measure, message):
    with pytest.raises(UsageError, match=message):
        Names.of(name, measure, reserved=irmx.__all__)


def test_the_name_of_a_package_that_is_there_is_refused(tmp_path, monkeypatch):
    (tmp_path / "irmx_there").mkdir()
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(UsageError, match="There is already a package irmx_there"):
        Names.of("there")


def test_all_files_are_written_and_what_to_do_is_said(command, tmp_path):
    done = command("new-plugin", "Word_Budget", "--into", tmp_path)
    assert (done.code, done.err) == (0, "")
    folder = tmp_path / "irmx-word-budget"
    assert files(tmp_path) == {f"irmx-word-budget/{name}" for name in FILES}
    for line in (f"cd {folder}", "python -m pip install -e '.[test]' && python -m pytest", "irmx measures WordBudget"):
        assert f"  {line}\n" in done.out
    text = (folder / "pyproject.toml").read_text()
    assert 'word-budget = "irmx_word_budget.plugin"' in text
    assert "${{ matrix.python }}" in (folder / ".github/workflows/test.yml").read_text()
    for name in FILES - {".github/workflows/test.yml"}:
        assert "$" not in (folder / name).read_text(), name


def test_nothing_is_overwritten(command, tmp_path):
    there = tmp_path / "irmx-word-budget"
    there.write_text("mine")
    done = command("new-plugin", "word-budget", "--into", tmp_path)
    assert done.code == 2
    assert "irmx-word-budget already exists, and nothing is overwritten" in done.err
    assert there.read_text() == "mine"
    there.unlink()
    there.symlink_to(tmp_path / "nowhere")
    assert command("new-plugin", "word-budget", "--into", tmp_path).code == 2


def test_a_folder_that_is_not_there_is_an_error(command, tmp_path):
    done = command("new-plugin", "word-budget", "--into", tmp_path / "nowhere")
    assert done.code == 2
    assert "There is no folder" in done.err


def test_after_a_failure_nothing_is_left(tmp_path, monkeypatch):
    def full(self, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "rename", full)
    with pytest.raises(DataError, match="irmx-word-budget cannot be written: No space left on device"):
        new_plugin(Names.of("word-budget"), tmp_path)
    assert list(tmp_path.iterdir()) == []


LONGEST = Names.of("a" * 20 + "-" + "b" * 19, "M" + "n" * 39)
SHORTEST = Names.of("x")


def passes(tool: str, *arguments: str, folder: Path) -> None:
    """Run a tool on a folder, if it is installed."""
    if path := shutil.which(tool):
        done = subprocess.run([path, *arguments], cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("names", [LONGEST, SHORTEST, Names.of("word-budget")], ids=lambda n: n.plugin)
def test_what_is_written_is_well_formed(names, tmp_path):
    folder = new_plugin(names, tmp_path)
    for file in folder.rglob("*.py"):
        compile(file.read_text(), str(file), "exec")
        assert max(map(len, file.read_text().splitlines())) <= 120, file
    passes("ruff", "check", "--no-cache", ".", folder=folder)
    passes("ruff", "format", "--check", "--no-cache", ".", folder=folder)


@pytest.mark.slow
@pytest.mark.skipif(sys.version_info >= (3, 14), reason="mypy does not know this Python")
@pytest.mark.skipif(shutil.which("mypy") is None, reason="mypy is not installed")
def test_what_is_written_has_types(tmp_path):
    passes("mypy", "--cache-dir", str(tmp_path / "cache"), folder=new_plugin(Names.of("word-budget"), tmp_path))
