"""Table 3 of the MSU paper and its correlations, and two kinds of users, from what its authors published."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[2] / "docs" / "results" / "msu_against_elg.py"


def written(name: str) -> list[list[str]]:
    """Return the rows of a table beside the page."""
    with SCRIPT.with_name(f"{SCRIPT.stem}_{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


@pytest.fixture(scope="module")
def script(results_program: Callable[[str], ModuleType]) -> ModuleType:
    return results_program(SCRIPT.stem)


@pytest.mark.real
def test_table_3_and_its_correlations(script: ModuleType) -> None:
    ranked, correlations, facts = script.table_3(Path(os.environ["IRMX_DATA"]).resolve())
    assert correlations == written("correlations")
    assert ranked == written("2013")
    assert [row[1:3] for row in correlations[1:5]] == [["0.471"] * 2, ["0.405"] * 2, ["0.322"] * 2, ["0.187"] * 2]
    assert (facts["runs"], facts["topics"], facts["equal"]) == (26, 9, 26)


@pytest.mark.real
def test_two_kinds_of_users(script: ModuleType) -> None:
    """Every tau is far below 0.9, and the page has what the script computes."""
    ranked, correlations, facts = script.two_kinds_of_users(Path(os.environ["IRMX_DATA"]).resolve())
    assert correlations in SCRIPT.with_name("streams.md").read_text(encoding="utf-8")
    assert ranked == written("2014")
    rows = [line.strip("| ").split(" | ") for line in correlations.splitlines()[2:]]
    assert [row[0] for row in rows[:2]] == ["2013, newest first", "2013, ranked"]
    assert rows[0][2:4] == ["0.483", "0.335"]  # as from the values of topics in the table of 2013
    assert (len(rows), facts["all_runs"], facts["highest"]) == (6, 24, "0.483")


@pytest.mark.real
def test_scatter_plots(script: ModuleType, tmp_path: Path) -> None:
    import matplotlib.pyplot as plt

    plt.switch_backend("agg")
    script.draw(Path(os.environ["IRMX_DATA"]).resolve(), tmp_path / "not" / "there")
    pictures = ["2013_elg", *(f"2014_{of}_{kind}" for of in ("elg", "lc") for kind in ("newest_first", "ranked"))]
    drawn = sorted(path.name for path in (tmp_path / "not" / "there").iterdir())
    assert drawn == [f"msu_against_{name}.png" for name in pictures]
