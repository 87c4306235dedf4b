"""Folders: published numbers on statistics, the demo collection."""

import os
import shutil
from pathlib import Path

import pytest

from irmx.demo import SYSTEMS, qrels_path, run_path


@pytest.fixture
def real_statistics() -> Path:
    """The folder of published numbers on statistics."""
    return Path(os.environ["IRMX_DATA"]) / "statistics"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the demo collection: its qrels, and three runs by name."""
    shutil.copy(qrels_path(), tmp_path / "demo.qrels")
    for system in SYSTEMS:
        shutil.copy(run_path(system), tmp_path / f"{system}.run")
    return tmp_path
