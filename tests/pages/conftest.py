"""Shared by the tests of irmx-pages."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest


def beside(name: str) -> ModuleType:
    """The module of a name beside this file."""
    known = f"irmx_tests_pages_{name}"
    if known not in sys.modules:
        spec = importlib.util.spec_from_file_location(known, Path(__file__).parent / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        sys.modules[known] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[known])
    return sys.modules[known]


@pytest.fixture(scope="session")
def plain() -> ModuleType:
    """The module ``plain.py``: the measures in plain Python, and pages as runs and qrels."""
    return beside("plain")
