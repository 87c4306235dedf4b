"""Grids of parameters as text, and which of several equally good values is taken."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import irmx
from irmx_pages import AS_RBP, orientation_gain
from irmx_pages.fit.scores_of_settings import parameter_grid
from irmx_pages.fit.preference_fit import PersonalGrid


@pytest.mark.parametrize(
    ("grid", "instead"),
    [("1:100", "1.01:100"), ("1:100:34,200", "1.01:100:34,200"), ("5,1,0.5:2", "5,1.01,1.01:2"), ([1, 7], "1.01,7")],
)
def test_a_grid_of_alpha_that_begins_at_one_is_told_what_to_write(grid: Any, instead: str) -> None:
    with pytest.raises(irmx.UsageError, match=f"\\. Write alpha={instead}: at 1.01 the gain is nearly a step"):
        parameter_grid(AS_RBP, {"alpha": grid})
    found = parameter_grid(AS_RBP, {"alpha": instead}).values["alpha"]
    assert found[0] == 1.01
    assert orientation_gain([0.45, 0.55], alpha=1.01) == pytest.approx([0, 1])


def test_a_grid_of_alpha_below_one_is_refused_without_advice() -> None:
    with pytest.raises(irmx.UsageError, match=r"alpha.*Got 0.5 instead") as caught:
        parameter_grid(AS_RBP, {"alpha": "0.5:1"})
    assert "Write" not in str(caught.value)


def test_grids_are_written_as_for_a_sweep() -> None:
    found = parameter_grid(AS_RBP, [" beta = .5,.6", "alpha=2:3"])
    assert (list(found.values), found.values["beta"].tolist()) == (["beta", "alpha"], [0.5, 0.6])
    found = parameter_grid(AS_RBP, {"alpha": "50,2:10:5,4", "beta": "0.5:1"})
    assert found.values["alpha"].tolist() == [2, 4, 6, 8, 10, 50]
    assert found.values["beta"].tolist() == [round(0.5 + 0.01 * i, 2) for i in range(51)]
    for options, said in [
        (["alpha"], "'alpha' is not a grid"),
        (["=2"], "is not a grid"),
        (["a=1", "a=2"], "'a' twice"),
    ]:
        with pytest.raises(irmx.UsageError, match=said):
            parameter_grid(AS_RBP, options)


def test_of_values_of_l_that_agree_equally_often_the_middle_is_taken() -> None:
    grid = PersonalGrid(".7,0,0.1,0.2")
    assert grid.l.tolist() == [0, 0.1, 0.2, 0.7]
    assert [grid.best(np.array(x)) for x in ([3, 3, 3, 1.5], [1, 2, 2.5, 2], [0, 0, 4, 4])] == [0.1, 0.2, 0.2]
    assert np.isnan(grid.best(np.full(4, 2.0)))
