"""The picture of MP's user: where it is among the relevant documents."""

from typing import Any

import pytest

import irmx
from irmx.demo import qrels_path, run_path


def heights(display: Any, label: str) -> list[float]:
    [bars] = [c for c in display.ax_.containers if c.get_label() == label]
    return [bar.get_height() for bar in bars]


@pytest.mark.parametrize(
    ("measure", "filled"),
    [
        ("MP(model=GL_AD_ID)", "times precision"),
        ("MP(model=LO_OR_LID,rescale='recall')", "times precision and recall"),
        ("MP(model=GL_AD_LID,steps=5)", "times precision"),
    ],
)
def test_probabilities_add_up_to_one_and_the_filled_parts_to_the_score(measure: str, filled: str) -> None:
    explained = irmx.explain(measure, qrels_path(), run_path("bm25"), "1")
    display = irmx.plot(measure, qrels_path(), run_path("bm25"), "1")
    assert heights(display, "probability of the user") == explained.columns["weight"]
    assert sum(heights(display, "probability of the user")) == pytest.approx(1)
    assert sum(heights(display, filled)) == pytest.approx(explained.value)
