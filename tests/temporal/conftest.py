"""Shared by the tests of irmx-temporal: the measures in plain Python, and small qrels."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd
import pytest

COLUMNS = ["query_id", "doc_id", "relevance", "iteration", "window"]


@pytest.fixture(scope="session")
def plain() -> ModuleType:
    """The module ``plain.py`` beside this file."""
    name = "irmx_tests_temporal_plain"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, Path(__file__).parent / "plain.py")
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


@pytest.fixture(scope="session")
def frame() -> Callable[..., pd.DataFrame]:
    """Return a function that makes qrels of query q from (document, subtopic, window, grade), the last two optional."""

    def make(*rows: tuple[Any, ...], **columns: Any) -> pd.DataFrame:
        filled = [(d, c, t[0] if t else "w", t[1] if len(t) > 1 else 1) for d, c, *t in rows]
        found = pd.DataFrame([("q", d, g, c, t) for d, c, t, g in filled], columns=COLUMNS)
        return found.assign(**columns)

    return make


@pytest.fixture(scope="session")
def ranked() -> Callable[..., dict[str, dict[str, float]]]:
    """Return a function that makes the run of query q from documents, best first."""
    return lambda *docs: {"q": {d: float(len(docs) - i) for i, d in enumerate(docs)}}
