"""Shared by the tests of irmx-stream: users who read one by one, in plain Python, files of the track, and its worked example."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="session")
def plain(beside: Callable[[str, str], ModuleType]) -> ModuleType:
    """The module ``plain.py``: users who read updates one by one."""
    return beside(__file__, "plain")


@pytest.fixture(scope="session")
def track_files(beside: Callable[[str, str], ModuleType]) -> ModuleType:
    """The module ``track_files.py``: the track's files of two invented topics, and what they are to give."""
    return beside(__file__, "track_files")


@pytest.fixture(scope="session")
def example(beside: Callable[[str, str], ModuleType]) -> ModuleType:
    """The module ``example.py``: judgments and updates that the measures of the track read, and the worked example."""
    return beside(__file__, "example")


@pytest.fixture
def folder(track_files: ModuleType, tmp_path: Path) -> Path:
    """A folder with the track's files of two invented topics."""
    path = tmp_path / "track"
    path.mkdir()
    (path / "topics.xml").write_text(track_files.TOPICS, encoding="utf-8")
    tables = {"nuggets": track_files.NUGGETS, "matches": track_files.MATCHES, "pool": track_files.UPDATES}
    for name, rows in tables.items():
        (path / f"{name}.tsv").write_text(track_files.tsv(rows), encoding="utf-8")
    return path
