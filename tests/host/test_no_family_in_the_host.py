"""The host knows no family: it names no column that only plugins declare."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import irmx
from irmx.declare.columns import BASE

HOST = Path(irmx.__file__).parent
OF_PLUGINS = {column.name for column in irmx.toolkit.vocabulary()} - {column.name for column in BASE}

WORDS = {
    "assignment": "English, of a value to a name",
    "citation": "English, of a paper",
    "citations": "English, of papers",
    "length": "English, for how long anything is",
    "block": "English, for results or lines that stand together",
    "replaced": "English, a participle",
}
"""Names of columns that the host may use as words, each with what it means there."""

OTHER_THINGS = {
    ("data/table.py", "timestamp"): "a type of Arrow",
    ("data/click_logs.py", "dwell"): "a column of click logs",
}
"""Names that stand for something else in one file."""


def names(source: str) -> Iterator[tuple[int, str]]:
    """Yield the identifiers, and the words of all texts, with their lines; a word may have underscores."""
    for node in ast.walk(ast.parse(source)):
        line = getattr(node, "lineno", 0)
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from ((line, word) for word in re.findall(r"\w+", node.value))
        for field in ("id", "attr", "arg", "name"):
            if isinstance(found := getattr(node, field, None), str):
                yield line, found


def test_plugins_declare_columns_of_their_own() -> None:
    assert {"timestamp", "vertical", "dwell", "window"} <= OF_PLUGINS


@pytest.mark.parametrize("path", sorted(HOST.rglob("*.py")), ids=lambda path: path.relative_to(HOST).as_posix())
def test_the_host_names_no_column_that_only_plugins_declare(path: Path) -> None:
    file = path.relative_to(HOST).as_posix()
    found = [
        f"{file}:{line}: {name}"
        for line, name in names(path.read_text(encoding="utf-8"))
        if name in OF_PLUGINS and name not in WORDS and (file, name) not in OTHER_THINGS
    ]
    assert not found
