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
from irmx_pages.example import example

IMAGE, WEB = Block("image", "image", ("i1", "i2")), Block("web", "text", ("w1",))
PAGES = [
    Page("q", "p", (IMAGE, WEB, Block("web", "text", ("w2",)))),
    Page("q", "r", (Block("web", "text", ("w2",)), IMAGE)),
    Page("s", "p", (Block("news", "text", ("n1",)),)),
]


def line(*blocks: Any, **changes: Any) -> dict[str, Any]:
    return {"query_id": "q", "page_id": "p", "blocks": [*blocks] or [{"vertical": "web", "items": ["w1"]}], **changes}


def block(*items: Any, **changes: Any) -> dict[str, Any]:
    return {"vertical": "image", "media": "image", "items": [*items] or ["i1"], **changes}


def without(record: dict[str, Any], name: str) -> dict[str, Any]:
    return {k: v for k, v in record.items() if k != name}


names = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cs",), exclude_characters="\0"), min_size=1, max_size=8
).filter(lambda name: name == name.strip())


@st.composite
def any_pages(draw: st.DrawFn) -> list[Page]:
    pages = []
    for query_id, page_id in draw(st.lists(st.tuples(names, names), unique=True, min_size=1, max_size=4)):
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
    content = b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\n\n")  # a mark of the encoding, and empty lines
    (path.parent / "packed.jsonl.gz").write_bytes(gzip.compress(content))
    assert read_pages(path.parent / "packed.jsonl.gz") == pages


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
    write = {".parquet": frame.to_parquet, ".jsonl": lambda p: frame.to_json(p, orient="records", lines=True)}
    write.get(suffix, lambda p: frame.to_csv(p, sep="\t" if suffix == ".tsv" else ",", index=False))(path)
    assert read_pages(path) == read_pages(frame) == read_pages(frame.drop(columns="block")) == PAGES


@pytest.mark.parametrize(
    ("record", "said"),
    [
        (without(line(), "blocks"), "line 2: The page has no list of blocks"),
        (line(blocks="w1"), "line 2: The page has no list of blocks"),
        (line(blocks=[]), "line 2: Page 'p' of topic 'q' has no block"),
        (without(line(), "page_id"), "line 2: the page_id is missing"),
        (line(query_id=["q"]), r"line 2: the query_id must be a text or a number. Got \['q'\]"),
        *((line(wrong), "line 2: Page 'p' of topic 'q': Block 1 is not a JSON object") for wrong in ("w1", None)),
        (line(without(block(), "vertical")), "Block 1 has the vertical None and the media 'image'"),
        (line(block(vertical=1)), "Block 1 has the vertical 1"),
        (line(block(), block(vertical="")), "block 2: The block with 'i1' has no vertical"),
        (line(block(items=[])), "block 1: A block of the vertical 'image' has no item"),
        *((line(block(items=items)), f"Block 1 has the items {re.escape(repr(items))}; items must be a list")
          for items in ([True], ["i1", float("nan")], "i1", [["w1"]], [float("inf")])),
        (line(block(), block(vertical="web")), "Page 'p' of topic 'q' has the item 'i1' twice"),
        (line(block(), block("w1", vertical="web"), block("i2")),
         "Page 'p' of topic 'q': block 3 repeats the vertical 'image' of block 1. .*a column 'block'"),
        (line(page_id="first"), "lines 1 and 2: Page 'first' of topic 'q' appears twice"),
        ([1], "line 2: not a JSON object"),
        (None, "line 2: not a JSON object"),
        ("{", "line 2: not JSON: "),
    ],
)  # fmt: skip
def test_lines_that_are_no_pages_are_named(tmp_path: Path, record: Any, said: str) -> None:
    path = tmp_path / "pages.jsonl"
    written = record if record == "{" else json.dumps(record)
    path.write_text(f"{json.dumps(line(page_id='first'))}\n{written}", encoding="utf-8")
    with pytest.raises(irmx.DataError, match=rf"^{re.escape(str(path))}, (line|lines 1 and) 2: ") as caught:
        read_pages(path)
    assert re.search(said, str(caught.value))


def test_whole_numbers_are_ids_and_what_could_not_be_read_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "pages.jsonl"
    path.write_text(json.dumps(line(block(7, "8"), query_id=1, page_id=2)), encoding="utf-8")
    [page] = read_pages(path)
    assert (page.query_id, page.page_id, page.items) == ("1", "2", ("7", "8"))
    twice = Page("q", "p", (IMAGE, WEB, Block("image", "", ("i3",))))
    with pytest.raises(irmx.DataError, match="Page 'p' of topic 'q': block 3 repeats the vertical 'image'"):
        write_pages(tmp_path / "twice.jsonl", [twice])
    assert not (tmp_path / "twice.jsonl").exists()


@pytest.mark.parametrize("where", ["query_id", "page_id", "doc_id", "vertical"])
def test_half_of_a_character(tmp_path: Path, where: str) -> None:
    """JSON can escape half of a surrogate pair, which no file in UTF-8 can hold."""
    row = {"query_id": "q", "page_id": "p", "doc_id": "w1", "vertical": "web", where: "x\ud800"}
    (tmp_path / "pages.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    for read in (
        lambda: page_runs(tmp_path / "pages.jsonl"),
        lambda: Page(row["query_id"], row["page_id"], (Block(row["vertical"], "", (row["doc_id"],)),)),
    ):
        with pytest.raises(irmx.DataError, match="half of"):
            read()


HEAD = "query_id,page_id,doc_id,vertical\n"


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.csv", "query_id,page_id,doc_id,vertical\nq,p,a,web\nq,p,b,\n", "line 3: the vertical is missing"),
        ("a.csv", f"{HEAD}q,p,a,news\nq,p,b,web\nq,p,c,news\n", "line 4: the vertical 'news' appears twice on its page"),
        ("a.csv", f"{HEAD[:-1]},media\nq,p,a,news,text\nq,p,b,news,video\n", "line 3: a block has the media"),
        ("a.csv", f"{HEAD[:-1]},block\nq,p,a,web,1\nq,p,b,web,2\nq,p,c,web,1\n", "line 4: the block '1' appears twice on its page"),
        ("a.csv", f"{HEAD[:-1]},block\nq,p,a,web,1\nq,p,b,web,\n", "line 3: the block is missing"),
        ("a.csv", f"{HEAD[:-1]},block\nq,p,a,news,1\nq,p,b,web,1\n", "line 3: a block has the vertical"),
        ("a.csv", f"{HEAD}q,p,d,web\nq,p,e,web\nq,p,d,web\n", "line 2: Page 'p' of topic 'q' has the item 'd' twice"),
        ("a.csv", f"{HEAD}q,p,d,web\nq,,e,web\n", "line 3: the page_id is missing"),
        ("a.csv", HEAD, "a.csv has no rows"),
        ("a.csv", b"\xef\xbb\xbf\n", "a.csv is empty: it holds no pages"),
        ("a.jsonl", '{"query_id": "q", "page_id": ["p"], "doc_id": "d", "vertical": "web"}\n', r"line 1: the page_id must be a text"),
        ("a.csv", "query_id,page_id,doc_id\nq,p,d\n", "a.csv lacks the column 'vertical'"),
        ("a.txt", "q Q0 d 1 2.0 x\n", "a.txt lacks the column 'query_id'"),
    ],
)  # fmt: skip
def test_tables_that_are_no_pages_are_named(tmp_path: Path, name: str, content: Any, said: str) -> None:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(irmx.DataError, match=said) as caught:
        read_pages(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("source", "said"),
    [([], "no pages"), ([PAGES[0]] * 2, "appears twice"), (["p"], "Got str"), (7, "Got int"),
     ("nowhere.jsonl", "There is no pages file")],
)  # fmt: skip
def test_other_sources_that_are_no_pages(source: Any, said: str) -> None:
    with pytest.raises(irmx.DataError, match=said):
        read_pages(source)


# -- pages as runs ---------------------------------------------------------------------------------------------------


def test_pages_with_one_name_are_a_run() -> None:
    runs = page_runs([*PAGES, Page("t", "p", (Block("video", "", ("v1",)),))])
    assert list(runs) == ["p", "r"]
    assert runs["p"]["doc_id"].to_pylist() == ["i1", "i2", "w1", "w2", "n1", "v1"]
    assert runs["p"]["block"].to_pylist() == ["1", "1", "2", "3", "1", "1"]
    assert runs["p"]["media"].to_pylist() == ["image", "image", "text", "text", "text", "video"]
    assert runs["p"]["score"].to_pylist() == [4, 3, 2, 1, 1, 1]


def test_pages_are_scored_whatever_their_names() -> None:
    renamed = [Page(p.query_id, f"{p.query_id}-{p.page_id}", p.blocks) for p in PAGES]
    qrels = {"q": {"w2": 1, "i1": 1}, "s": {"n1": 1}, "other": {"x": 1}}
    values = score_pages(renamed, qrels, "RR P@2").pivot(index="page_id", columns="measure", values="value")
    assert values.loc[["q-p", "q-r", "s-p"]].to_numpy().tolist() == [[0.5, 1.0], [1.0, 1.0], [0.5, 1.0]]
    with pytest.raises(irmx.DataError, match="lack 1 of 2 topics with pages, such as 's'"):
        score_pages(PAGES, {"q": {"w2": 1}}, "RR")


COLUMNS = ["query_id", "doc_id", "relevance", "vertical", "orientation"]


def test_a_warning_of_many_pages_is_given_once() -> None:
    pages = [Page("q", name, (Block("news", "video", ("n1",)), WEB)) for name in "abc"]
    qrels = pd.DataFrame([("q", "n1", 1, "news", 0.8), ("q", "w1", 1, "web", 0.5)], columns=COLUMNS)
    with pytest.warns(irmx.DataWarning, match="a media type other than that of their vertical") as caught:
        score_pages(pages, qrels, "AS_DCG")
    assert len(caught) == 1


def test_an_error_says_which_page_it_is_about() -> None:
    qrels = pd.DataFrame([("q", "w1", 1, "web", 0.5), ("r", "w1", 1, "web", 0.5)], columns=COLUMNS)
    pages = [Page("q", "first", (WEB,)), Page("r", "first", (WEB,)), Page("q", "second", (WEB,))]
    wrong = Page("r", "second", (WEB, Block("maps", "", ("m1",))))
    with pytest.raises(irmx.DataError, match=r"^Page 'second' of topic 'r': AS_DCG: .* 'maps'"):
        score_pages([*pages, wrong], qrels, "AS_DCG")
    for wrong_qrels in (qrels.drop(columns="orientation"), qrels.assign(vertical=["web", "maps"], orientation=1.5)):
        with pytest.raises(irmx.DataError, match=r"^(?!Page).*column 'orientation'"):
            score_pages([*pages, Page("r", "third", (WEB,))], wrong_qrels, "AS_DCG")


def test_a_file_of_pages_is_a_run(tmp_path: Path, command: Any) -> None:
    (tmp_path / "qrels.txt").write_text("q 0 w1 1\ns 0 n1 1\n", encoding="utf-8")
    table = pd.DataFrame({"query_id": [*"qqs"], "doc_id": ["w1", "w2", "n1"], "page_id": "p", "vertical": "web"})
    write_pages(tmp_path / "one.jsonl", [PAGES[0], PAGES[2]])
    table.to_csv(tmp_path / "one.csv", index=False)
    table.assign(score=[1, 2, 1]).to_csv(tmp_path / "run.csv", index=False)  # with scores it is a run
    for name, values in (("one.jsonl", (0.5, 2 / 3)), ("one.csv", (1, 1)), ("run.csv", (0.5, 0.75))):
        done = command("eval", "qrels.txt", name, "P@1", "RR")
        assert (done.code, done.out) == (0, "P@1\t{:.4f}\nRR\t{:.4f}\n".format(*values))
    write_pages(tmp_path / "several.jsonl", PAGES)
    done = command("eval", "qrels.txt", "several.jsonl", "RR")
    done.assert_refused(1, "several.jsonl: topic 'q' has the pages 'p' and 'r'")
    assert "irmx pages score" in done.err


# -- a full disk -----------------------------------------------------------------------------------------------------


def test_a_full_disk_is_told_and_nothing_is_half_written(
    command: Any, full_disk: Callable[..., None], tmp_path: Path
) -> None:
    example(1).write(tmp_path)
    before, written = {path.name for path in tmp_path.iterdir()}, ["pages.jsonl", "quality.csv", "pairs.csv"]
    options = [word for pair in zip(("--out", "--quality", "--pairs"), written, strict=True) for word in pair]
    for fitting, name in enumerate(written):
        full_disk(fitting)
        given = ("vertical-qrels.csv", "-i", "bm25.csv", "-v", "redde.csv", *options)
        done = command("pages", "simulate", *given)
        assert (done.code, done.err) == (1, f"irmx: {name} cannot be written: No space left on device.\n")
        assert {path.name for path in tmp_path.iterdir()} == {*before, *written[:fitting]}
