"""What the commands of irmx-pages write is whole or not there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from irmx import DataError
from irmx_pages import write_pages
from irmx_pages.example import example, main


def test_a_full_disk_is_told_and_nothing_is_half_written(
    command: Callable[..., Any], full_disk: Callable[..., None], tmp_path: Path
) -> None:
    example(1).write(tmp_path)
    before = {path.name for path in tmp_path.iterdir()}
    names = ["pages.jsonl", "quality.csv", "pairs.csv"]
    for fitting, name in enumerate(names):
        full_disk(fitting)
        done = command(
            "pages", "simulate", "vertical-qrels.csv", "-i", "bm25.csv", "-v", "redde.csv",
            "--out", names[0], "--quality", names[1], "--pairs", names[2], cwd=tmp_path,
        )  # fmt: skip
        assert (done.code, done.err) == (1, f"irmx: {name} cannot be written: No space left on device.\n")
        assert {path.name for path in tmp_path.iterdir()} == {*before, *names[:fitting]}


def test_examples_and_pages_replace_no_file_by_half_a_one(full_disk: Callable[..., None], tmp_path: Path) -> None:
    for name in ("preferences.csv", "pages.jsonl", "vertical-qrels.csv"):
        (tmp_path / name).write_text("old")
    full_disk()
    for write in (
        lambda: main(tmp_path),
        lambda: write_pages(tmp_path / "pages.jsonl", []),
        lambda: example(1).write(tmp_path),
    ):
        with pytest.raises(DataError, match="No space left on device"):
            write()
    assert {path.read_text() for path in tmp_path.iterdir()} == {"old"}
