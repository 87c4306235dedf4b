"""What the distributions hold, all that is needed and nothing else, and that the tools' files name what is there."""

import email
import importlib.util
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import pytest

TOP = Path(__file__).parent.parent
PLUGINS = sorted(p.parent.name for p in (TOP / "plugins").glob("*/pyproject.toml"))
DISTRIBUTIONS = {"irmx": TOP, **{name.replace("-", "_"): TOP / "plugins" / name for name in PLUGINS}}


def package_files(name: str) -> set[str]:
    """The files of a package in the checkout, from ``src`` on."""
    source = DISTRIBUTIONS[name] / "src"
    files = [p for p in (source / name).rglob("*") if p.is_file() and "__pycache__" not in p.parts]
    files += source.glob("*.py")  # the script of the host
    return {p.relative_to(source).as_posix() for p in files}


@pytest.fixture(scope="module", params=DISTRIBUTIONS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def wheel(name: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[zipfile.ZipFile]:
    from hatchling.builders.wheel import WheelBuilder

    folder = tmp_path_factory.mktemp("wheel")
    (path,) = WheelBuilder(str(DISTRIBUTIONS[name])).build(directory=str(folder), versions=["standard"])
    with zipfile.ZipFile(path) as archive:
        yield archive


def test_wheel_holds_the_package_and_nothing_else(name: str, wheel: zipfile.ZipFile) -> None:
    info = f"{name}-{version(name)}.dist-info/"
    packed = set(wheel.namelist())
    assert {n for n in packed if not n.startswith(info)} == package_files(name)
    assert {n.removeprefix(info) for n in packed if n.startswith(info)} == {
        "METADATA",
        "RECORD",
        "WHEEL",
        "entry_points.txt",
        "licenses/LICENSE",
    }


def test_wheel_is_marked_as_typed_and_licensed(name: str, wheel: zipfile.ZipFile) -> None:
    info = f"{name}-{version(name)}.dist-info/"
    assert f"{name}/py.typed" in wheel.namelist()
    assert wheel.read(info + "licenses/LICENSE").decode() == (TOP / "LICENSE").read_text(encoding="utf-8")
    metadata = email.message_from_bytes(wheel.read(info + "METADATA"))
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Requires-Python"] == ">=3.10"


def test_host_wheel_holds_the_demo_collection_and_plugins_are_entry_points(name: str, wheel: zipfile.ZipFile) -> None:
    from irmx.demo import SYSTEMS, judgments_path, qrels_path, run_path

    points = wheel.read(f"{name}-{version(name)}.dist-info/entry_points.txt").decode()
    if name == "irmx":
        wanted = {f"irmx/demo/{p.name}" for p in (qrels_path(), judgments_path(), *map(run_path, SYSTEMS))}
        wanted |= {"irmx/demo/documents.jsonl", "irmx/demo/topics.jsonl"}
        assert wanted <= set(wheel.namelist())
        assert "[console_scripts]\nirmx = irmx_command:main" in points
    else:
        assert f"[irmx]\n{name.removeprefix('irmx_')} = {name}.plugin" in points


def test_source_distribution_holds_what_builds_the_wheel_and_nothing_else(name: str, tmp_path: Path) -> None:
    from hatchling.builders.sdist import SdistBuilder

    (path,) = SdistBuilder(str(DISTRIBUTIONS[name])).build(directory=str(tmp_path), versions=["standard"])
    with tarfile.open(path) as archive:
        packed = {n.partition("/")[2] for n in archive.getnames()}
    own = {"CHANGELOG.md"} if name == "irmx" else set()
    files = {"src/" + f for f in package_files(name)} | own
    assert packed == files | {".gitignore", "LICENSE", "README.md", "pyproject.toml", "PKG-INFO"}


@pytest.mark.slow
def test_the_wheels_that_a_gate_installs_are_made_by_the_command_on_its_page(tmp_path: Path) -> None:
    page = (TOP / "docs" / "guide" / "gate.md").read_text(encoding="utf-8")
    [build] = re.findall(r"^python -m pip wheel (.*)$", page, re.MULTILINE)
    [install] = re.findall(r"requirements: (.*)$", page, re.MULTILINE)
    wheels = str(tmp_path / "wheels")
    words = build.replace("../your-repository/wheels", wheels).split()
    subprocess.run([sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "-q", *words], cwd=TOP, check=True)
    words = install.replace("wheels", wheels).split()
    alone = ["--no-deps", "--no-index", "--target", str(tmp_path / "site"), "-q"]
    subprocess.run([sys.executable, "-m", "pip", "install", *alone, *words], check=True)
    assert {path.name for path in (tmp_path / "site").glob("irmx*") if path.suffix == ""} == {
        "irmx",
        "irmx_study",
        "irmx_trec",
    }


def test_no_public_name_is_that_of_a_module(name: str) -> None:
    """With lazy_loader 0.4, a module that is imported takes the place of a function of its name."""
    package = importlib.import_module(name)
    for public in {*package.__all__} - {"registry"}:  # which is bound when irmx is imported, and stays
        value = getattr(package, public)
        assert isinstance(value, ModuleType) or importlib.util.find_spec(f"{name}.{public}") is None, public


def test_files_that_tox_runs_are_there() -> None:
    named = re.findall(r"\b(?:tests|docs|plugins)/[\w./-]+\.py\b", (TOP / "tox.ini").read_text(encoding="utf-8"))
    assert named
    assert [n for n in named if not (TOP / n).is_file()] == []


def test_tox_covers_every_python_that_is_promised() -> None:
    promised = re.findall(r'"Programming Language :: Python :: 3\.(\d+)"', (TOP / "pyproject.toml").read_text())
    tox = (TOP / "tox.ini").read_text(encoding="utf-8")
    assert [f"py3{minor}" for minor in promised] == re.findall(r"\bpy3\d+\b", tox.partition("\n[testenv]")[0])
