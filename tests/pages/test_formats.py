"""Pages are read from JSON Lines and tables, written, scored as runs; what is wrong is named with its file and line."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irmx
from irmx_pages import Block, Page, page_runs, read_pages, score_pages, write_pages

IMAGE = Block("image", "image", ("i1", "i2"))
PAGES = [
    Page("q", "p", (IMAGE, Block("web", "text", ("w1",)), Block("web", "text", ("w2",)))),
    Page("q", "r", (Block("web", "text", ("w2",)), IMAGE)),
    Page("s", "p", (Block("news", "text", ("n1",)),)),
]


def line(**changes: Any) -> dict[str, Any]:
    return {"query_id": "q", "page_id": "p", "blocks": [{"vertical": "web", "items": ["w1"]}], **changes}


def block(**changes: Any) -> dict[str, Any]:
    return {"vertical": "image", "media": "image", "items": ["i1"], **changes}


def without(record: dict[str, Any], name: str) -> dict[str, Any]:
    return {k: v for k, v in record.items() if k != name}


names = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cs",), exclude_characters="\0"), min_size=1, max_size=8
).filter(lambda name: name == name.strip())


@st.composite
def any_pages(draw: st.DrawFn) -> list[Page]:
    keys = draw(st.lists(st.tuples(names, names), unique=True, min_size=1, max_size=4))
    pages = []
    for query_id, page_id in keys:
        items = draw(st.lists(names, unique=True, min_size=1, max_size=8))
        cut = draw(st.integers(1, len(items)))
        parts = [items[:cut], *([items[cut:]] if items[cut:] else [])]
        verticals = draw(st.lists(names, unique=True, min_size=len(parts), max_size=len(parts)))
        media = st.sampled_from(["", "text", "image"])
        blocks = tuple(Block(v, draw(media), tuple(part)) for v, part in zip(verticals, parts, strict=True))
        pages.append(Page(query_id, page_id, blocks))
    return pages


@given(any_pages())
def test_pages_come_back_as_they_were_written(tmp_path_factory: pytest.TempPathFactory, pages: list[Page]) -> None:
    path = tmp_path_factory.mktemp("pages") / "pages.jsonl"
    write_pages(path, pages)
    assert read_pages(path) == pages


def test_pages_packed_and_with_a_mark_of_the_encoding(tmp_path: Path) -> None:
    write_pages(tmp_path / "plain.jsonl", PAGES)
    content = b"\xef\xbb\xbf" + (tmp_path / "plain.jsonl").read_bytes().replace(b"\n", b"\n\n")
    (tmp_path / "packed.jsonl.gz").write_bytes(gzip.compress(content))
    assert read_pages(tmp_path / "packed.jsonl.gz") == PAGES


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_tables_give_the_same_pages(tmp_path: Path, suffix: str) -> None:
    rows = [
        (p.query_id, p.page_id, item, b.vertical, b.media, number)
        for p in PAGES
        for number, b in enumerate(p.blocks)
        for item in b.items
    ]
    frame = pd.DataFrame(rows, columns=["qid", "page_id", "docno", "vertical", "media", "block"])
    path = tmp_path / f"pages{suffix}"
    if suffix == ".parquet":
        frame.to_parquet(path)
    elif suffix == ".jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_csv(path, sep="\t" if suffix == ".tsv" else ",", index=False)
    assert read_pages(path) == read_pages(frame) == PAGES
    assert read_pages(frame.drop(columns="block")) == PAGES


@pytest.mark.parametrize(
    ("record", "said"),
    [
        (without(line(), "blocks"), "line 2: The page has no list of blocks"),
        (line(blocks=[]), "line 2: Page 'p' of topic 'q' has no block"),
        (without(line(), "page_id"), "line 2: the page_id is missing"),
        (line(query_id=["q"]), r"line 2: the query_id must be a text or a number. Got \['q'\]"),
        (line(blocks=["w1"]), "line 2: Page 'p' of topic 'q': Block 1 is not a JSON object"),
        (line(blocks=[without(block(), "vertical")]), "Block 1 has the vertical None and the media 'image'"),
        (line(blocks=[block(), block(vertical="")]), "block 2: The block with 'i1' has no vertical"),
        (line(blocks=[block(items=[])]), "block 1: A block of the vertical 'image' has no item"),
        (line(blocks=[block(items=[True])]), r"Block 1 has the items \[True\]"),
        (line(blocks=[block(items=["i1", float("nan")])]), r"Block 1 has the items \['i1', nan\]"),
        (line(blocks=[block(items="i1")]), "Block 1 has the items 'i1'"),
        (line(blocks=[block(), block(vertical="web")]), "Page 'p' of topic 'q' has the item 'i1' twice"),
        (
            line(blocks=[block(), block(vertical="web", items=["w1"]), block(items=["i2"])]),
            "Page 'p' of topic 'q': block 3 repeats the vertical 'image' of block 1. .*a column 'block'",
        ),
        (line(page_id="first"), "lines 1 and 2: Page 'first' of topic 'q' appears twice"),
        ([1], "line 2: not a JSON object"),
    ],
)
def test_lines_that_are_no_pages_are_named(tmp_path: Path, record: Any, said: str) -> None:
    path = tmp_path / "pages.jsonl"
    path.write_text("\n".join(json.dumps(r) for r in (line(page_id="first"), record)), encoding="utf-8")
    with pytest.raises(irmx.DataError, match=said) as caught:
        read_pages(path)
    assert re.match(rf"{re.escape(str(path))}, (line|lines 1 and) 2: ", str(caught.value))


def test_web_results_are_blocks_of_their_own(tmp_path: Path) -> None:
    write_pages(tmp_path / "pages.jsonl", PAGES)
    assert [b.vertical for b in read_pages(tmp_path / "pages.jsonl")[0].blocks] == ["image", "web", "web"]


def test_what_could_not_be_read_is_not_written(tmp_path: Path) -> None:
    page = Page("q", "p", (IMAGE, Block("web", "", ("w1",)), Block("image", "", ("i3",))))
    with pytest.raises(irmx.DataError, match="Page 'p' of topic 'q': block 3 repeats the vertical 'image'"):
        write_pages(tmp_path / "pages.jsonl", [page])
    assert not (tmp_path / "pages.jsonl").exists()


def test_whole_numbers_are_ids(tmp_path: Path) -> None:
    path = tmp_path / "pages.jsonl"
    path.write_text(json.dumps(line(query_id=1, page_id=2, blocks=[block(items=[7, "8"])])), encoding="utf-8")
    [page] = read_pages(path)
    assert (page.query_id, page.page_id, page.items) == ("1", "2", ("7", "8"))


def test_a_line_that_is_no_json(tmp_path: Path) -> None:
    path = tmp_path / "pages.jsonl"
    path.write_text(json.dumps(line()) + "\n{", encoding="utf-8")
    with pytest.raises(irmx.DataError, match="line 2: not JSON: "):
        read_pages(path)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"vertical": ["web", "", "web"]}, "line 3: the vertical is missing"),
        ({"vertical": ["news", "web", "news"]}, "line 4: the vertical 'news' appears twice on its page"),
        ({"vertical": ["news", "news", "news"], "media": ["text", "video", "text"]}, "line 3: a block has the media"),
        ({"block": ["1", "2", "1"]}, "line 4: the block '1' appears twice on its page"),
        ({"block": ["1", "", "1"]}, "line 3: the block is missing"),
        ({"block": ["1", "1", "2"], "vertical": ["news", "web", "web"]}, "line 3: a block has the vertical"),
        ({"doc_id": ["d", "e", "d"]}, "line 2: Page 'p' of topic 'q' has the item 'd' twice"),
        ({"page_id": ["p", "", "p"]}, "line 3: the page_id is missing"),
    ],
)
def test_tables_that_are_no_pages_are_named(tmp_path: Path, changes: dict[str, list[str]], said: str) -> None:
    columns = {"query_id": ["q"] * 3, "page_id": ["p"] * 3, "doc_id": ["a", "b", "c"], "vertical": ["web"] * 3}
    pd.DataFrame({**columns, **changes}).to_csv(tmp_path / "pages.csv", index=False)
    with pytest.raises(irmx.DataError, match=said) as caught:
        read_pages(tmp_path / "pages.csv")
    assert str(caught.value).startswith(str(tmp_path / "pages.csv"))


def test_other_sources_that_are_no_pages(tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_text("query_id,page_id,doc_id,vertical\nq,p,d\n", encoding="utf-8")
    (tmp_path / "latin.csv").write_bytes("query_id,page_id,doc_id,vertical\nq,p,é,web\n".encode("latin-1"))
    (tmp_path / "empty.csv").write_text("query_id,page_id,doc_id,vertical\n", encoding="utf-8")
    (tmp_path / "nothing.csv").write_bytes(b"\xef\xbb\xbf\n")
    (tmp_path / "nothing.jsonl").write_bytes(b"")
    (tmp_path / "twice.csv").write_text(
        "query_id,qid,page_id,doc_id,doc_id,vertical\nq,q,p,d,e,web\n", encoding="utf-8"
    )
    (tmp_path / "open.csv").write_text('query_id,page_id,doc_id,vertical\nq,p,d,"web\nq,p,e,web\n', encoding="utf-8")
    (tmp_path / "list.jsonl").write_text(
        '{"query_id": "q", "page_id": ["p"], "doc_id": "d", "vertical": "web"}\n', encoding="utf-8"
    )
    (tmp_path / "lacks.csv").write_text("query_id,page_id,doc_id\nq,p,d\n", encoding="utf-8")
    (tmp_path / "run.txt").write_text("q Q0 d 1 2.0 x\n", encoding="utf-8")
    (tmp_path / "cut.jsonl.gz").write_bytes(gzip.compress(b"{}")[:-9])
    (tmp_path / "not.parquet").write_bytes(b"PAR1")
    for source, said in {
        "bad.csv": "bad.csv, line 2: 3 fields where the header has 4 columns",
        "latin.csv": "latin.csv, line 2: the byte 0xe9 at column 5 is not UTF-8",
        "empty.csv": "empty.csv has no rows",
        "nothing.csv": "nothing.csv is empty: it holds no pages",
        "nothing.jsonl": "nothing.jsonl is empty: it holds no pages",
        "twice.csv": "twice.csv has two columns named 'doc_id'",
        "open.csv": "open.csv, line 3: .*a quote unclosed",
        "list.jsonl": r"list.jsonl, line 1: the page_id must be a text or a number. Got \['p'\]",
        "lacks.csv": "lacks.csv lacks the column 'vertical'",
        "run.txt": "run.txt lacks the column 'query_id'",
        "cut.jsonl.gz": "is compressed, but truncated or damaged",
        "not.parquet": "is not a sound Parquet file",
        "nowhere.jsonl": "There is no pages file",
    }.items():
        with pytest.raises(irmx.DataError, match=said):
            read_pages(tmp_path / source)
    for found, said in [([], "no pages"), ([PAGES[0]] * 2, "appears twice"), (["p"], "Got str"), (7, "Got int")]:
        with pytest.raises(irmx.DataError, match=said):
            read_pages(found)


def test_pages_with_one_name_are_a_run() -> None:
    runs = page_runs(PAGES)
    assert list(runs) == ["p", "r"]
    assert runs["p"]["doc_id"].to_pylist() == ["i1", "i2", "w1", "w2", "n1"]
    assert runs["p"]["block"].to_pylist() == ["1", "1", "2", "3", "1"]
    assert runs["p"]["media"].to_pylist() == ["image", "image", "text", "text", "text"]
    assert runs["p"]["score"].to_pylist() == [4, 3, 2, 1, 1]


def test_a_media_type_that_is_missing_follows_from_the_vertical() -> None:
    page = Page("q", "p", (Block("video", "", ("v1",)), Block("web", "text", ("w1",))))
    assert page_runs([page])["p"]["media"].to_pylist() == ["video", "text"]


def test_pages_are_scored_whatever_their_names() -> None:
    renamed = [Page(p.query_id, f"{p.query_id}-{p.page_id}", p.blocks) for p in PAGES]
    qrels = {"q": {"w2": 1, "i1": 1}, "s": {"n1": 1}, "other": {"x": 1}}
    found = score_pages(renamed, qrels, "RR P@2")
    values = found.pivot(index="page_id", columns="measure", values="value")
    assert values.loc["q-p"].tolist() == [0.5, 1.0]
    assert values.loc["q-r"].tolist() == [1.0, 1.0]
    assert values.loc["s-p"].tolist() == [0.5, 1.0]


def test_a_warning_of_many_pages_is_given_once() -> None:
    pages = [Page("q", name, (Block("news", "video", ("n1",)), Block("web", "text", ("w1",)))) for name in "abc"]
    rows = [("q", "n1", 1, "news", 0.8), ("q", "w1", 1, "web", 0.5)]
    qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "vertical", "orientation"])
    with pytest.warns(irmx.DataWarning, match="a media type other than that of their vertical") as caught:
        score_pages(pages, qrels, "AS_DCG")
    assert len(caught) == 1


def test_pages_of_topics_without_judgments_are_an_error() -> None:
    with pytest.raises(irmx.DataError, match="lack 1 of 2 topics with pages, such as 's'"):
        score_pages(PAGES, {"q": {"w2": 1}}, "RR")


def test_an_error_says_which_page_it_is_about() -> None:
    rows = [("q", "w1", 1, "web", 0.5), ("r", "w1", 1, "web", 0.5)]
    qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "vertical", "orientation"])
    web = (Block("web", "", ("w1",)),)
    pages = [Page("q", "first", web), Page("r", "first", web), Page("q", "second", web)]
    wrong = Page("r", "second", (*web, Block("maps", "", ("m1",))))
    with pytest.raises(irmx.DataError, match=r"^Page 'second' of topic 'r': AS_DCG: .* 'maps'"):
        score_pages([*pages, wrong], qrels, "AS_DCG")
    for wrong_qrels in (qrels.drop(columns="orientation"), qrels.assign(vertical=["web", "maps"], orientation=1.5)):
        with pytest.raises(irmx.DataError, match=r"^(?!Page).*column 'orientation'"):
            score_pages([*pages, Page("r", "third", web)], wrong_qrels, "AS_DCG")


def test_a_file_of_pages_is_a_run(tmp_path: Path, command: Callable[..., Any]) -> None:
    (tmp_path / "qrels.txt").write_text("q 0 w1 1\ns 0 n1 1\n", encoding="utf-8")
    write_pages(tmp_path / "one.jsonl", [PAGES[0], PAGES[2]])
    done = command("eval", tmp_path / "qrels.txt", tmp_path / "one.jsonl", "P@1", "RR")
    assert (done.code, done.out) == (0, "P@1\t0.5000\nRR\t0.6667\n")
    rows = [("q", "w1"), ("q", "w2"), ("s", "n1")]
    table = pd.DataFrame(rows, columns=["query_id", "doc_id"]).assign(page_id="p", vertical="web")
    table.to_csv(tmp_path / "one.csv", index=False)
    done = command("eval", tmp_path / "qrels.txt", tmp_path / "one.csv", "P@1", "RR")
    assert (done.code, done.out) == (0, "P@1\t1.0000\nRR\t1.0000\n")
    table.assign(score=[1, 2, 1]).to_csv(
        tmp_path / "run.csv", index=False
    )  # with scores it is a run, whatever else it has
    done = command("eval", tmp_path / "qrels.txt", tmp_path / "run.csv", "P@1", "RR")
    assert (done.code, done.out) == (0, "P@1\t0.5000\nRR\t0.7500\n")
    write_pages(tmp_path / "several.jsonl", PAGES)
    done = command("eval", tmp_path / "qrels.txt", tmp_path / "several.jsonl", "RR")
    assert done.code == 1
    assert "several.jsonl: topic 'q' has the pages 'p' and 'r'" in done.err
    assert "irmx pages score" in done.err
