"""The command that checks a release refuses what is not ready, with all reasons, and builds what is."""

import importlib.util
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

TOP = Path(__file__).parent.parent

pytestmark = [
    pytest.mark.skipif(sys.version_info < (3, 11), reason="the command needs tomllib"),
    pytest.mark.skipif(shutil.which("git") is None, reason="the command needs git"),
]

HOST = """
[project]
name = "irmx"
version = "1.2.0"
requires-python = ">=3"
[project.optional-dependencies]
plugins = ["irmx-some>=1.2,<1.3"]
"""
PLUGIN = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "irmx-some"
version = "1.2.0"
requires-python = ">=3"
dependencies = ["irmx>=1.2,<1.3"]
[tool.hatch.build.targets.wheel]
packages = ["src/irmx_some"]
"""


@pytest.fixture(scope="module")
def release() -> ModuleType:
    """The module ``.ci/release.py``."""
    spec = importlib.util.spec_from_file_location("irmx_release", TOP / ".ci" / "release.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository of a host and one plugin that are ready for release 1.2.0."""
    plugin = tmp_path / "plugins" / "irmx-some"
    (plugin / "src" / "irmx_some").mkdir(parents=True)
    (plugin / "src" / "irmx_some" / "__init__.py").touch()
    (plugin / "pyproject.toml").write_text(PLUGIN)
    (tmp_path / "pyproject.toml").write_text(HOST + PLUGIN.partition("[project]")[0])
    (tmp_path / "src" / "irmx").mkdir(parents=True)
    (tmp_path / "src" / "irmx" / "__init__.py").touch()
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## [1.2.0] - 2026-01-31\n")
    git(tmp_path, "init", "--quiet")
    commit(tmp_path)
    return tmp_path


def git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=some", "-c", "user.email=some@example.org")
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)


def commit(folder: Path) -> None:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "some")


def test_what_is_ready_has_no_problem_and_is_built(release: ModuleType, checkout: Path, tmp_path: Path) -> None:
    assert release.problems(checkout, "1.2.0") == []
    release.build(checkout, tmp_path / "built")
    built = sorted(p.name for p in (tmp_path / "built").iterdir())
    assert built == [f"{name}-1.2.0{end}" for name in ("irmx", "irmx_some") for end in ("-py3-none-any.whl", ".tar.gz")]


def replace(file: str, old: str, new: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        text = (folder / file).read_text()
        assert old in text
        (folder / file).write_text(text.replace(old, new))
        commit(folder)

    return change


SOME = "plugins/irmx-some/pyproject.toml"


@pytest.mark.parametrize(
    ("change", "reasons"),
    [
        (lambda folder: (folder / "new.txt").touch(), ["The checkout has changes that are not committed: new.txt."]),
        (lambda folder: git(folder, "tag", "v1.2.0"), ["There is a tag v1.2.0 already."]),
        (lambda folder: (folder / "dist" / "1.2.0").mkdir(parents=True), ["There is a folder dist/1.2.0 already. Remove it."]),
        (replace(SOME, "1.2.0", "1.1.0"), ["The version of irmx-some is 1.1.0."]),
        (replace(SOME, "irmx>=1.2,<1.3", "irmx>=1.1"), ["The dependencies of irmx-some lack 'irmx>=1.2,<1.3'."]),
        (replace("pyproject.toml", "irmx-some>=1.2,<1.3", "some"), ["The extra 'plugins' of irmx lacks 'irmx-some>=1.2,<1.3'."]),
        (replace("CHANGELOG.md", "2026-01-31", "unreleased"), ["CHANGELOG.md has no line '## [1.2.0] - YYYY-MM-DD'."]),
    ],
)  # fmt: skip
def test_what_is_not_ready_is_told(
    release: ModuleType, checkout: Path, change: Callable[[Path], None], reasons: list[str]
) -> None:
    change(checkout)
    assert release.problems(checkout, "1.2.0") == reasons


def test_all_reasons_are_told_at_once(release: ModuleType, checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(release, "TOP", checkout)
    with pytest.raises(SystemExit) as left:
        release.main(["1.3.0"])
    first, *reasons = str(left.value.code).split("\n  ")
    assert first == "1.3.0 cannot be released:"
    assert len(reasons) == 5
    with pytest.raises(SystemExit, match="A version is three numbers"):
        release.main(["v1.2"])


def test_the_distributions_of_this_checkout_have_one_version(release: ModuleType) -> None:
    version = release.distributions(TOP)[TOP]["version"]
    told = [r for r in release.problems(TOP, version) if re.search(r"^The (version|dependencies|extra)", r)]
    assert told == []
