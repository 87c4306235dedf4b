"""What the commands of irmx-markov write is whole or not there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

CLICKS = "session,rank,time\n1,1,0\n1,2,5\n1,1,9\n2,2,0\n2,1,3\n"


@pytest.mark.parametrize("name", ["chain.npz", "chain.npy", "chain.csv", "times.csv", "best.tsv"])
def test_a_full_disk_is_told_and_the_old_file_stays(
    command: Any, full_disk: Callable[..., None], tmp_path: Path, name: str
) -> None:
    (tmp_path / "clicks.csv").write_text(CLICKS)
    (tmp_path / "qrels").write_text("q 0 a 1\n")
    (tmp_path / "run").write_text("q Q0 a 1 2.0 run\n")
    arguments = {
        "chain": ("markov", "learn-chain", "clicks.csv", name),
        "times": ("markov", "holding-times", "clicks.csv", "--out", name),
        "best": ("markov", "best-retrieved", "qrels", "run", "--out", name),
    }[Path(name).stem]
    assert command(*arguments).code == 0
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert before[name]
    full_disk()
    done = command(*arguments)
    assert (done.code, done.err) == (1, f"irmx: {name} cannot be written: No space left on device.\n")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
