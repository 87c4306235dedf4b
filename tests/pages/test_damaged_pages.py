"""Files and tables that users give to irmx-pages, and parameters at the edge of 64-bit floats."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import irmx
from irmx_pages import Block, Page, fit_effort, page_runs, read_examinations, read_pages, read_preferences
from irmx_pages.example import example

PAGE = {"query_id": "q", "page_id": "p", "blocks": [{"vertical": "web", "media": "text", "items": ["w1", "w2"]}]}
NAMES = ["query_id", "page_id", "doc_id", "vertical"]
HALF = "half of"


def page(**changed: Any) -> str:
    return json.dumps({**PAGE, **changed}) + "\n"


def block(**changed: Any) -> str:
    return page(blocks=[{**PAGE["blocks"][0], **changed}])  # type: ignore[dict-item]


PAGES: dict[str, tuple[str, str]] = {
    "nothing": ("", "is empty"),
    "only control characters": ("\x1f\x1f", "pages.jsonl"),
    "not an object": ("null\n", "line 1: not a JSON object"),
    "blocks that are a text": (page(blocks="w1"), "line 1: The page has no list of blocks"),
    "no blocks": (page(blocks=[]), "line 1: Page 'p' of topic 'q' has no blocks"),
    "a block that is null": (page(blocks=[None]), "line 1: Page 'p' of topic 'q': Block 1 is not a JSON object"),
    "a vertical that is a number": (block(vertical=1), "Block 1 has the vertical 1"),
    "items that are a text": (block(items="w1"), "Block 1 has the items 'w1'; items must be a list"),
    "an item that is a list": (block(items=[["w1"]]), "items must be a list of document ids"),
    "an item that is infinite": (block(items=[float("inf")]), "items must be a list of document ids"),
    "an item twice": (block(items=["w1", "w1"]), "line 1: Page 'p' of topic 'q' has the item 'w1' twice"),
    "a page twice": (page() + page(), "lines 1 and 2: Page 'p' of topic 'q' appears twice"),
}


@pytest.mark.parametrize(("text", "says"), PAGES.values(), ids=PAGES)
def test_a_file_of_pages_that_is_refused(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "pages.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(irmx.DataError, match=re.escape(says)) as refused:
        read_pages(path)
    assert str(path) in str(refused.value)


@pytest.mark.parametrize("where", ["query_id", "page_id", "doc_id", "vertical"])
def test_half_of_a_character(tmp_path: Path, where: str) -> None:
    """JSON can escape half of a surrogate pair, which no file in UTF-8 can hold."""
    row = dict(zip(NAMES, ("q", "p", "w1", "web"), strict=True)) | {where: "x\ud800"}
    path = tmp_path / "pages.jsonl"
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    with pytest.raises(irmx.DataError, match=HALF):
        page_runs(path)
    with pytest.raises(irmx.DataError, match=HALF):
        Page(row["query_id"], row["page_id"], (Block(row["vertical"], "", (row["doc_id"],)),))


@pytest.mark.parametrize("read", [read_pages, read_preferences, read_examinations])
@pytest.mark.parametrize("name", ["table.csv", "table.tsv"])
def test_a_table_of_very_many_columns(tmp_path: Path, read: Any, name: str) -> None:
    path = tmp_path / name
    separator = "," if name.endswith("csv") else "\t"
    path.write_text(separator.join(f"c{i}" for i in range(20_000)) + "\n", encoding="utf-8")
    with pytest.raises(irmx.DataError, match=r"lacks the column|has no rows") as refused:
        read(path)
    assert len(str(refused.value)) < 500


@pytest.mark.parametrize("statistic", ["mean", "median", "within_users"])
@pytest.mark.parametrize("extreme", [1.7e308, 5e-324])
def test_times_too_far_apart_for_a_ratio(statistic: str, extreme: float) -> None:
    times = [extreme if m == "image" else 1e-300 if extreme > 1 else 1e300 for u in range(4) for m in ("image", "text")]
    log = pd.DataFrame({"user": [0, 0, 1, 1, 2, 2, 3, 3], "media": ["image", "text"] * 4, "time": times})
    with pytest.raises(irmx.DataError, match="the times are too far apart for floating-point numbers"):
        fit_effort(log, "image", statistic=statistic, resamples=5)


def test_how_much_recall_counts_at_the_ends_of_64_bit_floats() -> None:
    """As beta grows, vF tends to vRecall; as it falls, to vPrecision."""
    made = example(2)
    run = made.items["bm25"].drop_duplicates(["query_id", "vertical"])
    ends = irmx.calc_aggregate("vF(beta=1e300) vRecall vF(beta=1e-300) vPrecision vF(beta=0.5) vF", made.qrels, run)
    large, recall, small, precision, half, equal = ends.values()
    assert (large, small) == pytest.approx((recall, precision), abs=1e-12)
    assert min(recall, precision) <= half <= max(recall, precision)
    assert equal > 0
