"""The files of new plugins: names, nothing overwritten, nothing left behind, and all of them written."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

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


@pytest.fixture
def made(command, tmp_path):
    """A function that makes a plugin by the command, and returns what that did."""
    return lambda name, measure=None: command(
        "new-plugin", "--into", tmp_path, *(["--measure", measure] if measure else []), "--", name
    )


@pytest.mark.parametrize(
    ("given", "measure"),
    [
        *(
            (name, None)
            for name in ("word-budget", "irmx-word-budget", "Word_Budget", "irmx.word.budget", "IrmX_WORD-budget")
        ),
        ("word-budget", "nWB_2"),
    ],
)
def test_names_follow_from_one_and_the_measure_may_have_its_own(given, measure, made, tmp_path):
    done = made(given, measure)
    assert (done.code, f"irmx measures {measure or 'WordBudget'}\n" in done.out) == (0, True)
    assert files(tmp_path) == {f"irmx-word-budget/{name}" for name in FILES}
    assert 'word-budget = "irmx_word_budget.plugin"' in (tmp_path / "irmx-word-budget/pyproject.toml").read_text()


@pytest.mark.parametrize(
    ("name", "measure"),
    [
        *(
            (name, None)
            for name in (
                "",
                "irmx-",
                "two words",
                "1st",
                "a--b",
                "-a",
                "a-",
                "wört",
                "../up",
                "a/b",
                "ſ",
                "a\n",
                "x" * 41,
            )
        ),
        *(("x", measure) for measure in ("X" * 41, "two words", "lower", "Ä", "ValueError", "AP", "MP")),
        ("none", None),  # None is a keyword of Python
        ("param", None),  # Param is a name of irmx
        ("x" * 41, "Free"),
        ("markov", "Free"),
        ("taken", None),
        ("there", None),
    ],
)
def test_names_that_are_odd_or_mean_something_else_are_refused(name, measure, made, tmp_path, monkeypatch, installed):
    installed(tmp_path / "path", "twin", "", point="taken")
    (tmp_path / "path" / "irmx_there").mkdir()
    monkeypatch.syspath_prepend(str(tmp_path / "path"))
    done = made(name, measure)
    assert (done.code, done.out, sorted(path.name for path in tmp_path.iterdir())) == (2, "", ["path"])
    assert done.err.startswith("irmx: The")


def test_all_files_are_written_and_what_to_do_is_said(command, tmp_path):
    done = command("new-plugin", "Word_Budget", "--into", tmp_path)
    assert (done.code, done.err) == (0, "")
    folder = tmp_path / "irmx-word-budget"
    for line in (f"cd {folder}", "python -m pip install -e '.[test]' && python -m pytest", "irmx measures WordBudget"):
        assert f"  {line}\n" in done.out
    assert "${{ matrix.python }}" in (folder / ".github/workflows/test.yml").read_text()
    for name in FILES - {".github/workflows/test.yml"}:
        assert "$" not in (folder / name).read_text(), name


def test_nothing_is_overwritten(command, tmp_path):
    there = tmp_path / "irmx-word-budget"
    there.write_text("mine")
    command("new-plugin", "word-budget", "--into", tmp_path).assert_refused(
        2, "irmx-word-budget already exists, and nothing is overwritten"
    )
    assert there.read_text() == "mine"
    there.unlink()
    there.symlink_to(tmp_path / "nowhere")
    assert command("new-plugin", "word-budget", "--into", tmp_path).code == 2


def test_a_folder_that_is_not_there_is_an_error(command):
    command("new-plugin", "word-budget", "--into", "nowhere").assert_refused(2, "There is no folder")


def test_after_a_failure_nothing_is_left(made, tmp_path, monkeypatch):
    def full(self, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "rename", full)
    made("word-budget").assert_refused(1, "irmx-word-budget cannot be written: No space left on device")
    assert list(tmp_path.iterdir()) == []


def passes(tool: str, *arguments: str, folder: Path) -> None:
    """Run a tool on a folder, if it is installed."""
    if path := shutil.which(tool):
        done = subprocess.run([path, *arguments], cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("name", "measure"), [("a" * 20 + "-" + "b" * 19, "M" + "n" * 39), ("x", None), ("word-budget", None)]
)
def test_what_is_written_is_well_formed(name, measure, made, tmp_path):
    assert made(name, measure).code == 0
    folder = tmp_path / f"irmx-{name}"
    for file in folder.rglob("*.py"):
        compile(file.read_text(), str(file), "exec")
        assert max(map(len, file.read_text().splitlines())) <= 120, file
    passes("ruff", "check", "--no-cache", ".", folder=folder)
    passes("ruff", "format", "--check", "--no-cache", ".", folder=folder)


@pytest.mark.slow
@pytest.mark.skipif(sys.version_info >= (3, 14), reason="mypy does not know this Python")
@pytest.mark.skipif(shutil.which("mypy") is None, reason="mypy is not installed")
def test_what_is_written_has_types(made, tmp_path):
    assert made("word-budget").code == 0
    passes("mypy", "--cache-dir", str(tmp_path / "cache"), folder=tmp_path / "irmx-word-budget")
