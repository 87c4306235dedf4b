"""Bad input: what was asked, what was found, where, and what to do."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import irmx
from irmx import DataError, UsageError
from irmx_pages import DCG, Pages, gain, orientation_gain, utility
from irmx_pages.page.efforts import efforts

JUDGED = [("w1", "web", 1, None), ("i1", "image", 1, 0.75), ("i2", "image", 1, 0.75), ("n1", "news", 0, 0.6)]
SHOWN = [("w1", "web"), ("i1", "image"), ("n1", "news")]


def fails(qrels: Any, run: Any, says: str, text: str = "AS_DCG") -> None:
    with pytest.raises(DataError, match=says):
        irmx.calc_aggregate(text, qrels, run)


@pytest.fixture
def qrels(plain: Any) -> pd.DataFrame:
    found: pd.DataFrame = plain.qrels_of(*JUDGED)
    return found


@pytest.fixture
def run(plain: Any) -> pd.DataFrame:
    found: pd.DataFrame = plain.run_of(*SHOWN)
    return found


# -- the run -----------------------------------------------------------------------------------------------------------


def test_no_column_of_verticals(qrels: Any, run: Any) -> None:
    fails(
        qrels,
        run.drop(columns="vertical"),
        "AS_DCG cannot be computed: the run column 'vertical'.*is missing.*add it to the run, with the vertical of every item",
    )
    fails(qrels, {"q": {"w1": 1.0}}, "the run column 'vertical'.*is missing")


@pytest.mark.parametrize("nothing", [None, ""])
@pytest.mark.parametrize("text", ["AS_DCG", "AS_D_nDCG", "vRecall", "AS_RBP(normalise=None)"])
def test_an_item_without_a_vertical(qrels: Any, run: Any, nothing: Any, text: str) -> None:
    run["vertical"] = ["web", nothing, "news"]
    fails(qrels, run, "run column 'vertical' has no value for query q, item 'i1' at rank 2.*web is 'web'", text)


def test_a_vertical_in_two_places(plain: Any, qrels: Any) -> None:
    run = plain.run_of(("i1", "image"), ("w1", "web"), ("i2", "image"))
    says = "the vertical 'image' has a second block at query q, item 'i2' at rank 3; the first is at query q, item 'i1' at rank 1"
    fails(qrels, run, f"{says}.*split_blocks=True, or name the blocks")


def test_a_vertical_unknown_to_the_judgments(plain: Any, qrels: Any) -> None:
    fails(
        qrels,
        plain.run_of(("b1", "blog")),
        "do not have the vertical 'blog' of query q, item 'b1' at rank 1.*orientation is unknown",
    )
    fails(qrels, plain.run_of(("b1", "Web")), "do not have the vertical 'Web'.*General web is 'web'")


def test_a_vertical_known_to_another_topic_only(plain: Any, qrels: Any) -> None:
    other = plain.qrels_of(("b1", "blog", 1, 0.4)).assign(query_id="r")
    fails(pd.concat([qrels, other]), plain.run_of(("b1", "blog")), "do not have the vertical 'blog' of query q")


def test_an_item_judged_in_another_vertical(plain: Any, qrels: Any) -> None:
    fails(
        qrels,
        plain.run_of(("i1", "news")),
        "the vertical of query q, item 'i1' at rank 1 is 'news' in the run, but 'image' in the qrels",
    )


def test_blocks(plain: Any, qrels: Any) -> None:
    run = plain.run_of(("i1", "image"), ("i2", "image"), ("w1", "web"))
    fails(qrels, run.assign(block=["a", None, "b"]), "run column 'block' has no value for query q, item 'i2' at rank 2")
    fails(
        qrels,
        run.assign(block=["a", "b", "b"]),
        "block 'b' has items of two verticals, 'image' and 'web', at query q, item 'w1'",
    )
    run = plain.run_of(("i1", "image"), ("w1", "web"), ("i2", "image"))
    fails(
        qrels,
        run.assign(block=["a", "b", "a"]),
        "block 'a' continues at query q, item 'i2' at rank 3, after another block",
    )


def test_an_unknown_media_type(qrels: Any, run: Any) -> None:
    says = r"no effort for the media type 'card' of query q, item 'i1' at rank 2. The table has image, text, video.*such as effort=\{'card':3,'image':1"
    fails(qrels, run.assign(media=["text", "card", "text"]), says)
    says = "no effort for the media type 'text' of query q, item 'w1' at rank 1. The table has card"
    fails(qrels, run, says, "AS_DCG(effort={'card':2})")


def test_an_ideal_page_with_an_unknown_media_type(plain: Any, qrels: Any, run: Any) -> None:
    judged = qrels.assign(media=["text", "map", "map", "text"])
    says = "no effort for the media type 'map' of query q and the vertical 'image' in the qrels"
    with pytest.warns(irmx.DataWarning, match="a media type other than"):
        fails(judged, run, says, "AS_DCG(ideal='greedy')")
    image = qrels[qrels["vertical"] == "image"]
    says = "no effort for the media type 'text' of general web, which an exact ideal page may show"
    fails(image, plain.run_of(("i1", "image")), says, "AS_DCG(effort={'image':1},ideal='exact')")


def test_an_item_twice(plain: Any, qrels: Any) -> None:
    fails(qrels, plain.run_of(("w1", "web"), ("w1", "web")), "the document 'w1' more than once")


# -- the qrels ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("column", ["vertical", "orientation"])
def test_no_column_in_the_qrels(qrels: Any, run: Any, column: str) -> None:
    fails(
        qrels.drop(columns=column),
        run,
        f"AS_DCG cannot be computed: the qrels column '{column}'.*is missing.*To get it",
    )


def test_a_judgment_without_a_vertical(qrels: Any, run: Any) -> None:
    fails(
        qrels.assign(vertical=["web", "image", None, "news"]),
        run,
        "qrels column 'vertical' has no value for query q, row 3 of the topic",
    )


@pytest.mark.parametrize("orientation", [-0.1, 1.1, 75.0])
def test_an_orientation_outside_its_range(qrels: Any, run: Any, orientation: float) -> None:
    qrels["orientation"] = [None, orientation, orientation, 0.6]
    fails(qrels, run, r"'orientation' must be in \[0, 1\]. Found .* for query q, row 2 of the topic, vertical 'image'")


def test_two_orientations(qrels: Any, run: Any) -> None:
    qrels["orientation"] = [None, 0.75, 0.7, 0.6]
    fails(qrels, run, "must have one value for query q and the vertical 'image'. Found 0.7 and 0.75")


def test_no_orientation(qrels: Any, run: Any) -> None:
    """One row of a vertical suffices, but not none."""
    qrels["orientation"] = [None, 0.75, None, 0.6]
    assert irmx.calc_aggregate("AS_DCG", qrels, run)
    qrels["orientation"] = [None, 0.75, 0.75, None]
    fails(qrels, run, "'orientation' has no value for query q and the vertical 'news'")
    fails(qrels, run, "'orientation' has no value for query q and the vertical 'news'", "AS_DCG(normalise=None)")


def test_an_orientation_of_the_web(qrels: Any, run: Any) -> None:
    qrels["orientation"] = [0.5, 0.75, 0.75, 0.6]
    assert irmx.calc_aggregate("AS_DCG", qrels, run)
    qrels["orientation"] = [0.6, 0.75, 0.75, 0.6]
    fails(qrels, run, "is 0.6 for query q and the vertical 'web'. The orientation of the web is 0.5")


def test_orientations_as_texts(qrels: Any, run: Any) -> None:
    says = r"'orientation' must hold numbers. Found 'high' in row 2 \(counted from 0\), q i2"
    fails(qrels.assign(orientation=["", "0.75", "high", "0.6"]), run, says)
    as_texts, as_numbers = (qrels.assign(orientation=[None, a, None, b]) for a, b in (("0.75", "0.6"), (0.75, 0.6)))
    assert irmx.calc_aggregate("AS_DCG", as_texts, run) == irmx.calc_aggregate("AS_DCG", as_numbers, run)
    fails(qrels.assign(orientation=[None, np.inf, None, 0.6]), run, "must hold finite numbers. Found inf in row 1")


@pytest.mark.parametrize("nothing", [None, ""])
def test_a_column_of_texts_without_any_orientation(plain: Any, nothing: Any) -> None:
    """As a table of texts has it whose judgments are all of the web."""
    qrels = plain.qrels_of(("w1", "web", 1, None)).assign(orientation=pd.Series([nothing], dtype="str"))
    assert irmx.calc_aggregate("AS_DCG", qrels, plain.run_of(("w1", "web"))).popitem()[1] == 1


def test_two_media_types(qrels: Any, run: Any) -> None:
    fails(
        qrels.assign(media=["text", "image", "video", "text"]),
        run,
        "'media' must have one value for query q and the vertical 'image'",
    )


@pytest.mark.parametrize(
    ("changes", "lines", "says"),
    [
        ({"vertical": {1: None}}, "line 4", "the qrels column 'vertical' has no value for query q, row 2"),
        ({"orientation": {1: 1.5}}, "line 4", "the qrels column 'orientation' must be in"),
        ({"orientation": {2: 0.7}}, "lines 4 and 6", "the qrels column 'orientation' must have one value for query q"),
        (
            {"orientation": {3: None}},
            "line 8",
            "the qrels column 'orientation' has no value for query q and the vertical 'news'",
        ),
        ({"orientation": {0: 0.6}}, "line 2", "the qrels column 'orientation' is 0.6 for query q"),
        ({"orientation": {2: "high"}}, "line 6", "The qrels column 'orientation' must hold numbers"),
        ({"media": {1: "image", 2: "video"}}, "lines 4 and 6", "the qrels column 'media' must have one value"),
    ],
)
@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "csv.gz"])
def test_what_is_wrong_in_a_file_of_qrels_is_found_by_its_line(
    tmp_path: Path, plain: Any, qrels: Any, run: Any, changes: dict[str, Any], lines: str, says: str, form: str
) -> None:
    """The topic's rows are the second, fourth, sixth and eighth line of a file with a header, those of another between them."""
    table = qrels.assign(media=None).astype(object)
    for column, values in changes.items():
        for row, value in values.items():
            table.loc[row, column] = value
    other = qrels.assign(query_id="r", media=None, orientation=[None, 0.2, 0.2, 0.3])
    table = pd.concat([table, other]).sort_index(kind="stable")
    path = tmp_path / f"judged.{form}"
    if form == "jsonl":
        if "high" in table["orientation"].tolist():  # JSON columns are of one type
            table["orientation"] = [value if value is None else str(value) for value in table["orientation"]]
        table.to_json(path, orient="records", lines=True)
        lines = re.sub(r"\d+", lambda number: str(int(number[0]) - 1), lines)
    else:
        table.to_csv(path, index=False, sep="\t" if form == "tsv" else ",")
    for text in ("AS_DCG", "vRecall", "AS_D_nDCG"):
        fails(str(path), run, f"^{re.escape(text)}: {re.escape(str(path))}, {lines}: {re.escape(says)}", text)


def test_a_file_without_lines_is_named(tmp_path: Path, qrels: Any, run: Any) -> None:
    qrels.assign(orientation=[None, 1.5, 0.75, 0.6]).to_parquet(tmp_path / "judged.parquet")
    fails(
        str(tmp_path / "judged.parquet"),
        run,
        r"judged.parquet, row 1 .counted from 0.: the qrels column 'orientation' must be in \[0, 1\]",
    )


def test_an_item_that_moved_is_found_by_its_line(tmp_path: Path, plain: Any, qrels: Any) -> None:
    qrels.to_csv(tmp_path / "judged.csv", index=False)
    fails(
        str(tmp_path / "judged.csv"),
        plain.run_of(("i1", "news")),
        r"but 'image' in the qrels \(.*judged.csv, line 3\). Give",
    )


def test_an_ideal_of_zero(plain: Any) -> None:
    """Relevant items that no ideal page shows; how to have one."""
    qrels, run = plain.qrels_of(("n1", "news", 1, 0.3), ("w1", "web", 0, None)), plain.run_of(("n1", "news"))
    says = r"the ideal page of query q has utility 0.*news \(orientation 0.3\).*ideal='{}'.*ideal_threshold, {}, .*lower the threshold"
    fails(qrels, run, says.format("paper", "0.75"))
    fails(qrels, run, says.format("greedy", "0.5"), "AS_DCG(ideal='greedy')")
    fails(qrels, run, says.format("paper", "0.75"), "AS_D_nDCG")
    assert irmx.calc_aggregate("AS_DCG(ideal_threshold=0.2) AS_DCG(ideal='exact') AS_DCG(normalise=None)", qrels, run)
    unwanted = plain.qrels_of(("n1", "news", 1, 0.0), ("w1", "web", 0, None))
    fails(unwanted, run, "the ideal page of query q has utility 0.*Their gain is 0", "AS_DCG(ideal='exact')")
    fails(unwanted, run, "has utility 0.*Orientations of 0 give them no weight", "AS_IA_nDCG(normalise='vertical')")
    fails(unwanted, run, says.format("greedy", "0.5").replace("0.3", "0"), "AS_IA_nDCG(ideal='greedy')")


# -- parameters --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "AS_DCG(alpha=1)",
            r"'alpha' parameter of AS_DCG must be a number in the range \(1, inf\). Got 1 .*logarithm of alpha, which is 0 at 1",
        ),
        ("AS_DCG(alpha=0.5)", "no user wants would gain more"),
        ("AS_RBP(beta=1.1)", r"'beta' parameter of AS_RBP must be a float in the range \[0, 1\]. Got 1.1"),
        ("AS_ATT(beta=-0.1)", "'beta' parameter of AS_ATT"),
        ("AS_ATT(phi=0)", r"'phi' parameter of AS_ATT must be a float in the range \(0, 1\] or None. Got 0"),
        ("AS(examination=rbp(beta=2))", "'beta' parameter of rbp"),
        ("AS_IA_nDCG(normalise='ideal')", "one of 'page', 'vertical'. Got 'ideal'"),
        ("AS_alpha_nDCG(weights=1)", "one of 'equal', 'orientation'. Got 1"),
        ("vRecall(all_verticals=0)", "'all_verticals' parameter of vRecall must be an int"),
        ("vRecall(all_verticals=9,recall_of='oriented')", "vRecall with all_verticals=9 needs recall_of='all'"),
        ("AS_DCG(all_verticals=9,recall_of='oriented')", "AS_DCG with all_verticals=9 needs recall_of='all'"),
        ("AS_DCG(personal=2)", "'personal' parameter of AS_DCG"),
        ("AS_DCG(g='flat')", "one of 'steep', 'literal'. Got 'flat'"),
        ("AS_DCG(ideal='best')", "one of 'paper', 'greedy', 'exact'"),
        ("AS_DCG(normalise='max')", "must be 'ideal' or None"),
        ("AS_DCG(normalise=None,personal=0.5)", "'personal' above 0 needs normalise='ideal'"),
        ("AS_DCG(effort={'image':0})", "positive numbers by media type, such as .*Got"),
        ("AS_DCG(effort={})", "positive numbers by media type"),
        ("AS_DCG(effort=[1,3,6])", "positive numbers by media type"),
        ("AS_DCG(effort={'image':'1'})", "positive numbers by media type"),
        ("AS_DCG@0", "'cutoff' parameter of AS_DCG"),
        ("AS(examination=uniform)", "Unknown name uniform.*Known: dcg, rbp, err, att"),
        ("AS", "AS needs the parameter 'examination'"),
    ],
)
def test_parameters(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        irmx.parse_measure(text)


@pytest.mark.parametrize("alpha", [1, 0.5, -3, float("nan")])
def test_gain_needs_alpha_above_1(alpha: float) -> None:
    with pytest.raises(UsageError, match="steepness alpha must be above 1"):
        orientation_gain([0.5], alpha)


def test_gain_needs_a_reading() -> None:
    with pytest.raises(UsageError, match="no reading 'flat' of g"):
        orientation_gain([0.5], 10, "flat")


# -- pages made by hand ------------------------------------------------------------------------------------------------


def hand_made(offsets: list[int], **changes: Any) -> Pages:
    n = offsets[-1]
    of_blocks = {
        "vertical": np.array(["web"] * n, dtype=object),
        "orientation": np.full(n, 0.5),
        "relevant": np.ones(n),
        "items": np.ones(n, dtype=np.int64),
        "effort": np.full(n, 3.0),
        "visual": np.zeros(n, dtype=bool),
    }
    return Pages(np.array(offsets), **{**of_blocks, **changes})


def test_a_page_without_blocks() -> None:
    pages = hand_made([0, 2, 2])
    with pytest.raises(DataError, match=r"page 1 \(counted from 0\) has no blocks"):
        utility(pages, gain(pages), DCG().probabilities(pages, gain(pages)))


@pytest.mark.parametrize(("effort", "probability"), [(0.0, 1.0), (3.0, 0.0)])
def test_no_effort(effort: float, probability: float) -> None:
    pages = hand_made([0, 1], effort=np.array([effort]))
    with pytest.raises(DataError, match=r"expected effort on page 0 \(counted from 0\) is 0"):
        utility(pages, gain(pages), np.array([probability]))


def test_an_effort_that_the_table_lacks() -> None:
    with pytest.raises(DataError, match="no effort for the media type 'map'"):
        efforts(["image", "map"])
