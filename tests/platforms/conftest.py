"""Shared by the tests of irmx-platforms: files of any content, and the files of real platforms."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., str]:
    """A function that writes a text, or an object as JSON, to a file, and returns its path."""

    def run(content: Any, name: str = "file.json", **dump: Any) -> str:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str) else json.dumps(content, **dump)
        (tmp_path / name).write_text(text, encoding="utf-8")
        return str(tmp_path / name)

    return run


@pytest.fixture
def platforms() -> Path:
    """The folder with files of platforms; for tests on real data."""
    return Path(os.environ["IRMX_DATA"]) / "platforms"
