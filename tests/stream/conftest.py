"""Shared by the tests of irmx-stream: the track's files of two invented topics."""

from pathlib import Path

import pytest

from . import track_files


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the track's files of two invented topics."""
    path = tmp_path / "track"
    path.mkdir()
    (path / "topics.xml").write_text(track_files.TOPICS, encoding="utf-8")
    tables = {"nuggets": track_files.NUGGETS, "matches": track_files.MATCHES, "pool": track_files.UPDATES}
    for name, rows in tables.items():
        track_files.write(path / f"{name}.tsv", rows)
    return path
