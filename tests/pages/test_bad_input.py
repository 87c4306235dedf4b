"""Bad input: what was asked, what was found, where, and what to do; one row per mistake."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import irmx
from irmx import DataError, UsageError
from irmx_pages import orientation_gain

JUDGED = [("w1", "web", 1, None), ("i1", "image", 1, 0.75), ("i2", "image", 1, 0.75), ("n1", "news", 0, 0.6)]
SHOWN = [("w1", "web"), ("i1", "image"), ("n1", "news")]
APART = [("i1", "image"), ("w1", "web"), ("i2", "image")]
TOGETHER = [("i1", "image"), ("i2", "image"), ("w1", "web")]
CARD = "no effort for the media type 'card' of query q, item 'i1' at rank 2. The table has image, text, video"


# -- the run -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("items", "columns", "says", "text"),
    [
        (SHOWN, {"vertical": ["web", None, "news"]}, "run column 'vertical' has no value for query q, item 'i1' at rank 2", ""),
        *((SHOWN, {"vertical": ["web", "", "news"]}, "run column 'vertical' has no value for query q, item 'i1' at rank 2.*web is 'web'", text)
          for text in ("AS_D_nDCG", "vRecall", "AS_RBP(normalise=None)")),
        (APART, {}, "vertical 'image' has a second block at query q, item 'i2' at rank 3; the first is at query q, item 'i1' at rank 1"
         ".*split_blocks=True, or name the blocks", ""),
        ([("b1", "blog")], {}, "do not have the vertical 'blog' of query q, item 'b1' at rank 1.*orientation is unknown", ""),
        ([("b1", "Web")], {}, "do not have the vertical 'Web'.*General web is 'web'", ""),
        ([("o1", "other")], {}, "do not have the vertical 'other' of query q", ""),
        ([("i1", "news")], {}, "vertical of query q, item 'i1' at rank 1 is 'news' in the run, but 'image' in the qrels", ""),
        (TOGETHER, {"block": ["a", None, "b"]}, "run column 'block' has no value for query q, item 'i2' at rank 2", ""),
        (TOGETHER, {"block": ["a", "b", "b"]}, "block 'b' has items of two verticals, 'image' and 'web', at query q, item 'w1'", ""),
        (APART, {"block": ["a", "b", "a"]}, "block 'a' continues at query q, item 'i2' at rank 3, after another block", ""),
        (SHOWN, {"media": ["text", "card", "text"]}, rf"{CARD}.*such as effort=\{{'card':3,'image':1", ""),
        (SHOWN, {}, "no effort for the media type 'text' of query q, item 'w1' at rank 1. The table has card", "AS_DCG(effort={'card':2})"),
        ([("w1", "web")] * 2, {}, "the document 'w1' more than once", ""),
    ],
)  # fmt: skip
def test_runs(plain: Any, items: Any, columns: dict[str, Any], says: str, text: str) -> None:
    other = plain.qrels_of(("o1", "other", 1, 0.4)).assign(query_id="r")  # known to another topic only
    qrels = pd.concat([plain.qrels_of(*JUDGED), other])
    with pytest.raises(DataError, match=says):
        irmx.calc_aggregate(text or "AS_DCG", qrels, plain.run_of(*items).assign(**columns))


# -- the qrels ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("columns", "rows", "says"),
    [
        ({"vertical": ["web", None, "image", "news"]}, [2], "column 'vertical' has no value for query q, row 2 of the topic"),
        *(({"orientation": [None, x, x, 0.6]}, [2], f"'orientation' must be in [0, 1]. Found {x:g} for query q, row 2 of the topic")
          for x in (-0.1, 1.1, 75.0)),
        ({"orientation": [None, 0.75, 0.7, 0.6]}, [2, 3], "must have one value for query q and the vertical 'image'. Found 0.7 and 0.75"),
        ({"orientation": [None, 0.75, 0.75, None]}, [4], "'orientation' has no value for query q and the vertical 'news'"),
        ({"orientation": [0.6, 0.75, 0.75, 0.6]}, [1], "is 0.6 for query q and the vertical 'web'. The orientation of the web is 0.5"),
        ({"orientation": ["", "0.75", "high", "0.6"]}, [3], "'orientation' must hold numbers. Found 'high'"),
        ({"media": ["text", "{}", "{image}", "text"]}, [2, 3], "'media' must have one value for query q and the vertical 'image'. Found '{"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("form", ["", "csv", "jsonl"])
@pytest.mark.parametrize("text", ["AS_DCG", "AS_DCG(normalise=None)", "vRecall", "AS_D_nDCG"])
def test_what_is_wrong_in_the_qrels_is_found_and_in_a_file_with_its_line(
    tmp_path: Path, plain: Any, columns: dict[str, Any], rows: list[int], says: str, form: str, text: str
) -> None:
    """The topic's rows are the second, fourth, sixth and eighth line of a file with a header, those of another between them."""
    qrels, place = plain.qrels_of(*JUDGED).assign(**{"media": None, **columns}).astype(object), ""
    if form:
        other = plain.qrels_of(*JUDGED).assign(query_id="r", media=None, orientation=[None, 0.2, 0.2, 0.3])
        table = pd.concat([qrels, other.astype(object)]).sort_index(kind="stable")
        if "high" in table["orientation"].tolist():  # JSON columns are of one type
            table["orientation"] = [value if value is None else str(value) for value in table["orientation"]]
        path = tmp_path / f"judged.{form}"
        table.to_csv(path, index=False) if form == "csv" else table.to_json(path, orient="records", lines=True)
        lines = " and ".join(str(2 * row - (form == "jsonl")) for row in rows)
        place, qrels = f" {path}, line{'s' * (len(rows) > 1)} {lines}:", path
    with pytest.raises(DataError, match=f"^{re.escape(f'{text}:{place}')} .*{re.escape(says)}"):
        irmx.calc_aggregate(text, qrels, plain.run_of(*SHOWN))


@pytest.mark.parametrize(
    "orientation", [[None, 0.75, None, 0.6], [0.5, 0.75, 0.75, 0.6], ["", "0.75", "", "0.6"], [None, "0.75", None, "0.6"]]
)  # fmt: skip
def test_one_row_of_a_vertical_has_its_orientation(plain: Any, orientation: list[Any]) -> None:
    qrels, run = plain.qrels_of(*JUDGED), plain.run_of(*SHOWN)
    found = irmx.calc_aggregate("AS_DCG", qrels.assign(orientation=orientation), run)
    assert found == irmx.calc_aggregate("AS_DCG", qrels, run)


@pytest.mark.parametrize("nothing", [None, ""])
def test_a_column_of_texts_without_any_orientation(plain: Any, nothing: Any) -> None:
    """As a table of texts has it whose judgments are all of the web."""
    qrels = plain.qrels_of(("w1", "web", 1, None)).assign(orientation=pd.Series([nothing], dtype="str"))
    assert irmx.calc_aggregate("AS_DCG", qrels, plain.run_of(("w1", "web"))).popitem()[1] == 1


def test_files_in_other_messages(tmp_path: Path, plain: Any) -> None:
    """A file without lines is named with the row; an item that moved, with the line of the judgment."""
    plain.qrels_of(*JUDGED).assign(orientation=[None, 1.5, 0.75, 0.6]).to_parquet(tmp_path / "judged.parquet")
    plain.qrels_of(*JUDGED).assign(orientation=[None, np.inf, None, 0.6]).to_parquet(tmp_path / "endless.parquet")
    plain.qrels_of(*JUDGED).to_csv(tmp_path / "judged.csv", index=False)
    for name, run, says in (
        ("judged.parquet", SHOWN, r"judged.parquet, row 1 .counted from 0.: the qrels column 'orientation' must be in"),
        ("endless.parquet", SHOWN, r"endless.parquet.* must hold finite numbers. Found inf in row 1"),
        ("judged.csv", [("i1", "news")], r"but 'image' in the qrels \(.*judged.csv, line 3\). Give"),
    ):
        with pytest.raises(DataError, match=says):
            irmx.calc_aggregate("AS_DCG", str(tmp_path / name), plain.run_of(*run))


# -- ideal pages -------------------------------------------------------------------------------------------------------

UNSEEN, UNWANTED = [("n1", "news", 1, 0.3), ("w1", "web", 0, None)], [("n1", "news", 1, 0.0), ("w1", "web", 0, None)]
ZERO = r"the ideal page of query q has utility 0.*news \(orientation {}\).*ideal='{}'.*ideal_threshold, {}, .*lower the threshold"


@pytest.mark.parametrize(
    ("judged", "text", "says"),
    [
        (UNSEEN, "AS_DCG", ZERO.format("0.3", "paper", "0.75")),
        (UNSEEN, "AS_DCG(ideal='greedy')", ZERO.format("0.3", "greedy", "0.5")),
        (UNSEEN, "AS_D_nDCG", ZERO.format("0.3", "paper", "0.75")),
        (UNWANTED, "AS_DCG(ideal='exact')", "the ideal page of query q has utility 0.*Their gain is 0"),
        (UNWANTED, "AS_IA_nDCG(normalise='vertical')", "has utility 0.*Orientations of 0 give them no weight"),
        (UNWANTED, "AS_IA_nDCG(ideal='greedy')", ZERO.format("0", "greedy", "0.5")),
    ],
)
def test_an_ideal_of_zero(plain: Any, judged: Any, text: str, says: str) -> None:
    """Relevant items that no ideal page shows; how to have one."""
    run = plain.run_of(("n1", "news"))
    with pytest.raises(DataError, match=says):
        irmx.calc_aggregate(text, plain.qrels_of(*judged), run)
    others = "AS_DCG(ideal_threshold=0.2) AS_DCG(ideal='exact') AS_DCG(normalise=None)"
    assert irmx.calc_aggregate(others, plain.qrels_of(*UNSEEN), run)


def test_an_ideal_page_with_an_unknown_media_type(plain: Any) -> None:
    judged = plain.qrels_of(*JUDGED).assign(media=["text", "map", "map", "text"])
    says = "no effort for the media type 'map' of query q and the vertical 'image' in the qrels"
    with pytest.warns(irmx.DataWarning, match="a media type other than"), pytest.raises(DataError, match=says):
        irmx.calc_aggregate("AS_DCG(ideal='greedy')", judged, plain.run_of(*SHOWN))
    says = "no effort for the media type 'text' of general web, which an exact ideal page may show"
    image, text = plain.qrels_of(JUDGED[1]), "AS_DCG(effort={'image':1},ideal='exact')"
    with pytest.raises(DataError, match=says):
        irmx.calc_aggregate(text, image, plain.run_of(("i1", "image")))


# -- parameters --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("AS(examination=rbp(beta=2))", "'beta' parameter of rbp"),
        ("vRecall(all_verticals=9,recall_of='oriented')", "vRecall with all_verticals=9 needs recall_of='all'"),
        ("AS_DCG(all_verticals=9,recall_of='oriented')", "AS_DCG with all_verticals=9 needs recall_of='all'"),
        ("AS_DCG(normalise=None,personal=0.5)", "'personal' above 0 needs normalise='ideal'"),
        *((f"AS_DCG(effort={table})", "positive numbers by media type, such as .*Got")
          for table in ("{'image':0}", "{}", "[1,3,6]", "{'image':'1'}")),
        ("AS(examination=uniform)", "Unknown name uniform.*Known: dcg, rbp, err, att"),
    ],
)  # fmt: skip
def test_parameters(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        irmx.parse_measure(text)


@pytest.mark.parametrize(
    ("alpha", "g", "says"),
    [
        *((a, g, "steepness alpha must be 1 or more") for a in (0.99, -3, float("nan")) for g in ("steep", "literal")),
        (1, "steep", "g='literal'"),
        (10, "flat", "no reading 'flat' of g"),
    ],
)  # fmt: skip
def test_the_gain_by_orientation(alpha: float, g: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        orientation_gain([0.5], alpha, g)


def test_the_grid_of_the_paper_begins_at_one_where_the_reading_defines_it() -> None:
    with pytest.raises(UsageError, match=r"1\.01.* g='literal'"):
        irmx.parse_measure("AS_RBP(alpha=1)")
    assert irmx.parse_measure("AS_RBP(alpha=1,g='literal')")["alpha"] == 1
    assert orientation_gain([0.1, 0.5, 0.9], 1, "literal").tolist() == [0.5, 0.5, 0.5]  # k = log10(1) = 0
