"""Shared by the tests of irmx-pages."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import pytest


@pytest.fixture(scope="session")
def plain(beside: Callable[[str, str], ModuleType]) -> ModuleType:
    """The module ``plain.py``: the measures in plain Python, and pages as runs and qrels."""
    return beside(__file__, "plain")
