"""Shared by the tests of irmx-temporal: the measures in plain Python, and small qrels."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pandas as pd
import pytest

COLUMNS = ["query_id", "doc_id", "relevance", "iteration", "window"]


@pytest.fixture(scope="session")
def plain(beside: Callable[[str, str], ModuleType]) -> ModuleType:
    """The module ``plain.py`` beside this file."""
    return beside(__file__, "plain")


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
