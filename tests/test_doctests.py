"""Every example in a docstring, in the README and in the documentation runs and gives what it shows."""

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

TOP = Path(__file__).parent.parent
PACKAGES = ("irmx", *sorted(folder.name.replace("-", "_") for folder in (TOP / "plugins").glob("irmx-*")))
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL


def modules() -> list[str]:
    names = list(PACKAGES)
    for package in PACKAGES:
        path = importlib.import_module(package).__path__
        names += [m.name for m in pkgutil.walk_packages(path, package + ".")]
    return names


@pytest.mark.parametrize("name", modules())
def test_examples_in_docstrings(name: str) -> None:
    module = importlib.import_module(name)
    assert doctest.testmod(module, optionflags=FLAGS).failed == 0


PAGES = [
    TOP / "README.md",
    *sorted((TOP / "plugins").glob("*/README.md")),
    *sorted(p for p in (TOP / "docs").rglob("*.md") if "_build" not in p.parts),
]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(TOP)))
def test_examples_in_pages(page: Path) -> None:
    found = doctest.testfile(str(page), module_relative=False, optionflags=FLAGS, encoding="utf-8")
    assert found.failed == 0
