"""The pictures of an agreement: they show the numbers of the tables, and their texts do not overlap."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irmx
from irmx import Scores, UsageError
from irmx_study import correlate
from irmx_study.correlation.agreement_map import order_by_similarity

mpl = pytest.importorskip("matplotlib")
mpl.use("agg")
pyplot = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    pyplot.close("all")


def made(measures: int, systems: int = 12, decimals: int = 6) -> Scores:
    """Scores of measures that agree the less, the farther they stand apart."""
    rng = np.random.default_rng(measures)
    drift = np.cumsum(rng.normal(0, 0.4, (1, systems, measures)), axis=2)
    values = np.round(rng.normal(0, 0.01, (5, systems, measures)) + drift, decimals)
    parsed = tuple(irmx.parse_measure(f"NCP(law=first)@{k + 1}") for k in range(measures))
    topics, names = (tuple(f"{kind}{i}" for i in range(count)) for kind, count in (("q", 5), ("s", systems)))
    return Scores(values, topics, names, parsed, np.ones((5, systems), dtype=bool))


def boxes(texts: list[Any], figure: Any) -> list[Any]:
    figure.canvas.draw()
    return [text.get_window_extent(figure.canvas.get_renderer()) for text in texts if text.get_text()]


def overlap(one: Any, other: Any) -> bool:
    return bool(one.x0 < other.x1 and other.x0 < one.x1 and one.y0 < other.y1 and other.y0 < one.y1)


@pytest.mark.parametrize("coefficient", ["tau", "tau_ap"])
def test_a_heat_map_has_the_matrix_and_its_numbers(coefficient: str) -> None:
    agreement = correlate(made(4))
    display = agreement.plot(coefficient=coefficient)
    matrix = agreement.matrix(coefficient)
    [image] = display.ax_.images
    assert image.get_array().tolist() == matrix.to_numpy().tolist()
    written = {
        (int(text.get_position()[1]), int(text.get_position()[0])): text.get_text() for text in display.ax_.texts
    }
    assert written == {
        (r, c): f"{matrix.iloc[r, c]:.2f}".replace("0.", ".", 1) for r in range(4) for c in range(4) if r != c
    }
    assert (display.ax_.get_ylabel() == "reference") == (coefficient == "tau_ap")
    assert display.figure_ is display.ax_.figure


def test_measures_that_agree_are_neighbours() -> None:
    scores = made(9)
    shuffled = scores.select(measures=[str(scores.measures[place]) for place in (4, 0, 8, 2, 6, 1, 7, 3, 5)])
    agreement = correlate(shuffled)
    listed, similar = agreement.plot(), agreement.plot(order="similar")
    assert listed.measures == agreement.measures
    assert sorted(similar.measures) == sorted(agreement.measures)

    def of_neighbours(display: Any) -> float:
        return float(np.diagonal(display.values, 1).sum())

    assert of_neighbours(similar) > of_neighbours(listed)
    matrix = agreement.matrix().loc[list(similar.measures), list(similar.measures)]
    assert similar.values.tolist() == matrix.to_numpy().tolist()


@given(st.integers(1, 6).flatmap(lambda n: st.lists(st.floats(-1, 1), min_size=n * n, max_size=n * n)))
def test_an_order_by_similarity_has_every_measure_once(numbers: list[float]) -> None:
    side = round(len(numbers) ** 0.5)
    assert sorted(order_by_similarity(np.reshape(numbers, (side, side))).tolist()) == list(range(side))


@pytest.mark.parametrize("measures", [2, 8, 16, 40, 70])
def test_names_and_numbers_of_a_heat_map_do_not_overlap(measures: int) -> None:
    display = correlate(made(measures)).plot()
    names = [label for label in display.ax_.get_yticklabels() if label.get_text()]
    for texts in (names, display.ax_.get_xticklabels(), display.ax_.texts):
        extents = boxes(list(texts), display.figure_)
        assert not any(overlap(one, other) for one, other in combinations(extents, 2))
        assert all(display.figure_.bbox.contains(*corner) for box in extents for corner in (box.min, box.max))
    assert bool(display.ax_.texts) == (measures <= 16)


def test_a_scatter_plot_has_a_point_per_system_and_marks_ties() -> None:
    scores = made(3, decimals=1)
    agreement = correlate(scores, decimals=1)
    display = agreement.plot_scatter()
    assert len(display.ax_) == 3
    for ax, row in zip(display.ax_, agreement.frame().itertuples(), strict=True):
        x, y = (agreement.means[:, agreement.measures.index(name)] for name in (row.a, row.b))
        assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title()) == (row.a, row.b, f"tau = {row.tau:.3f}")
        points = {tuple(point) for shown in ax.collections for point in shown.get_offsets().tolist()}
        assert points == set(zip(x.tolist(), y.tolist(), strict=True))
        tied = sum((x == x[i]).sum() > 1 or (y == y[i]).sum() > 1 for i in range(len(x)))
        hollow = [shown for shown in ax.collections if shown.get_label() == "tied with another system"]
        assert sum(len(shown.get_offsets()) for shown in hollow) == tied > 0


def test_a_scatter_plot_of_a_reference_has_it_on_every_x_axis() -> None:
    display = correlate(made(5), "NCP(law=first)@2").plot_scatter()
    assert {ax.get_xlabel() for ax in display.ax_} == {"NCP(law=first)@2"}
    assert len(display.ax_) == 4
    assert display.figure_ is display.ax_[0].figure


def test_given_axes_are_drawn_on() -> None:
    agreement = correlate(made(3))
    figure, axes = pyplot.subplots(1, 4)
    assert agreement.plot(axes[0]).ax_ is axes[0]
    assert agreement.plot_scatter(axes[1:]).ax_.tolist() == axes[1:].tolist()
    assert agreement.plot(axes[0]).figure_ is figure
    with pytest.raises(UsageError, match="has 3 panels"):
        agreement.plot_scatter(axes)


def test_too_many_panels_and_unknown_orders_are_told() -> None:
    agreement = correlate(made(6))
    with pytest.raises(UsageError, match=r"up to 12 pairs of measures\. There are 15"):
        agreement.plot_scatter()
    with pytest.raises(UsageError, match=r"one of listed, similar\. Got 'best'"):
        agreement.plot(order="best")
