"""Table 3 of the MSU paper and its correlations, from what its authors published; and the script's AP correlation."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

SCRIPT = Path(__file__).parents[2] / "docs" / "results" / "msu_against_elg.py"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("msu_against_elg", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


@pytest.mark.parametrize(
    ("other", "expected"),
    [([3, 4, 2, 1], 1 / 3), ([4, 3, 1, 2], 7 / 9), ([1, 2, 3, 4], -1), ([40, 30, 20, 10], 1)],
)
def test_the_ap_correlation_weighs_the_top(script: ModuleType, other: list[float], expected: float) -> None:
    truth = np.array([4.0, 3.0, 2.0, 1.0])
    assert script.tau_ap(truth, np.array(other, dtype=float)) == pytest.approx(expected)


def test_the_ap_correlation_of_ten_items(script: ModuleType) -> None:
    x = np.array([0.06, 0.2, 0.27, 0.37, 0.57, 0.63, 0.66, 0.9, 0.91, 0.94])
    y = np.array([0.37, 0.06, 0.2, 0.27, 0.57, 0.66, 0.63, 0.91, 0.9, 0.94])
    assert script.tau_ap(x, y) == pytest.approx(0.7491182)


@pytest.mark.real
def test_table_3_and_its_correlations(script: ModuleType) -> None:
    ranked, correlations, facts = script.table_3(Path(os.environ["IRMX_DATA"]).resolve())
    for text in (correlations, ranked):
        assert text in SCRIPT.with_suffix(".md").read_text(encoding="utf-8")
    rows = [line.split(" | ") for line in correlations.splitlines()[2:]]
    assert [row[1:3] for row in rows] == [["0.471"] * 2, ["0.405"] * 2, ["0.322"] * 2, ["0.187"] * 2]
    assert (facts["runs"], facts["topics"], facts["equal"]) == (26, 9, 26)
