"""The picture of a page's reader: the blocks, and how likely each is examined."""

from typing import Any

import pandas as pd
import pytest

import irmx
from irmx_pages.example import example

pyplot = pytest.importorskip("matplotlib.pyplot")


@pytest.mark.parametrize(
    "measure",
    ["AS_RBP(split_blocks=True)@10", "AS_ATT(split_blocks=True)@10", "AS(examination=err,split_blocks=True)@5"],
)
def test_bars_are_the_probabilities_of_the_model(measure: str) -> None:
    given = example()
    topic, run = str(given.qrels["query_id"].iloc[0]), given.items["tfidf"]
    columns = irmx.explain(measure, given.qrels, run, topic).columns
    display = irmx.plot(measure, given.qrels, run, topic)
    drawn = {round(bar.get_y() + bar.get_height() / 2): bar for bar in display.ax_.patches}
    assert [drawn[place].get_width() for place in sorted(drawn)] == columns["examination"]
    texts = [text.get_text() for text in display.ax_.texts]
    for name in ("gain", "effort", "contribution"):
        first = texts.index(name) + 1
        assert texts[first : first + len(drawn)] == [f"{value:.3g}" for value in columns[name]]
    relevant = {bar.get_facecolor() for place, bar in drawn.items() if columns["relevant"][place]}
    others = {bar.get_facecolor() for place, bar in drawn.items() if not columns["relevant"][place]}
    assert relevant.isdisjoint(others)
    pyplot.close(display.figure_)


def page(blocks: int, vertical: str = "web") -> tuple[Any, Any]:
    """A page of items of a vertical, the first of them relevant."""
    docs = [f"d{i}" for i in range(blocks)]
    run = pd.DataFrame({"query_id": "q", "doc_id": docs, "vertical": vertical, "score": range(blocks, 0, -1)})
    qrels = pd.DataFrame(
        {
            "query_id": "q",
            "doc_id": docs[:1],
            "relevance": 1,
            "vertical": vertical,
            "orientation": None if vertical == "web" else 0.9,
        }
    )
    return qrels, run


def test_a_long_page_says_how_much_of_it_is_drawn() -> None:
    display = irmx.plot("AS_DCG", *page(50), "q")
    assert len(display.ax_.patches) == 40
    assert display.ax_.get_ylabel() == "block, the first 40 of 50"
    pyplot.close(display.figure_)


def test_verticals_are_texts() -> None:
    display = irmx.plot("AS_DCG", *page(3, "$x^\x1b"), "q")
    [label] = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert label == r"1 \$x^\x1b (3 items, 1 relevant)"
    pyplot.close(display.figure_)
