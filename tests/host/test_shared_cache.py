"""The cache of looked-up values, used by several at the same time, damaged, or without room."""

import sqlite3
import warnings
from contextlib import closing
from pathlib import Path

import pytest

from irmx import DataWarning, Field
from irmx.adapters.ir_datasets import Cache, Value


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cache:
    """A cache with one value."""
    monkeypatch.setenv("IRMX_CACHE", str(tmp_path / "cache"))
    made = again()
    made.add({"old": Value(1.0)})
    return made


def again() -> Cache:
    """The same cache, as another process has it."""
    return Cache("a/b", Field("a", "day", "date"), "host 1")


@pytest.mark.parametrize("damage", ["junk", "inside"])
def test_a_damaged_file_is_made_anew_with_one_note(cache: Cache, damage: str) -> None:
    content = cache.path.read_bytes()
    cache.path.write_bytes({"junk": b"junk" * 300, "inside": content[:90] + b"\xff" * 900 + content[990:]}[damage])
    with pytest.warns(DataWarning, match=r"\.sqlite of the cache cannot be read .* documents are looked up again"):
        assert cache.read() == {}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again().add({"1": Value(1.0)})
        cache.add({"2": Value(2.0)})
        assert cache.read() == {"1": Value(1.0), "2": Value(2.0)}, "nor is lost what another process made anew"


def test_another_process_that_holds_the_file_for_long_is_not_waited_for_for_ever(
    cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("irmx.adapters.ir_datasets._PATIENCE", 0.1)
    with closing(sqlite3.connect(cache.path)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.warns(DataWarning, match="cannot be kept in the cache"):
            cache.add({"new": Value(2.0)})
    assert cache.read() == {"old": Value(1.0)}
