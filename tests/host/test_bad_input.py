"""A user's mistake gets a message with the place, what was found and what to do; never a traceback or half a result."""

import gzip
from collections import namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import irmx
from irmx.demo import qrels_path, run_path

MEASURE = "NCP(law=uniform)"
QRELS = "q 0 a 1\nq 0 b 0\nr 0 a 1\n"
RUN = "q Q0 a 1 2.0 t\nq Q0 b 2 1.0 t\nr Q0 a 1 1.0 t\n"
HEADER = "query_id,doc_id,score\n"


@dataclass(frozen=True)
class Bad:
    """A bad file: what it is called, what is in it, and what the message must say."""

    name: str
    content: str | bytes
    says: tuple[str, ...]


BAD_RUNS = [
    Bad("short.run", RUN + "r Q0 b 2 1.0\n", ("line 4", "too few fields: 5", "'r Q0 b 2 1.0'", "white space")),
    Bad("long.run", "q Q0 a b 1 2.0 t\n", ("line 1", "too many fields: 7", "table with a header")),
    Bad("text.run", "\nq Q0 a 1 2.0 t\nq Q0 b 2 two t\n", ("line 3", "score 'two'", "document b", "not a number")),
    Bad("digits.run", "q Q0 a 1 1_000 t\n", ("line 1", "'1_000'", "not a number")),
    Bad("nan.run", RUN + "r Q0 b 2 nan t\n", ("line 4", "'nan'", "not a finite number", "ranked")),
    Bad("inf.run", "q Q0 a 1 -inf t\n", ("line 1", "'-inf'", "is infinite", "Give a finite score")),
    Bad("overflow.run", "q Q0 a 1 1e999 t\n", ("line 1", "'1e999'", "too large for a 64-bit float")),
    Bad("empty.run", "", ("is empty",)),
    Bad("blank.run", "\n \n", ("is empty",)),
    Bad("latin.run", RUN.encode() + "q Q0 caf\xe9 3 0.5 t\n".encode("latin-1"), ("line 4", "0xe9", "Save the file as UTF-8")),
    Bad("utf16.run", RUN.encode("utf-16"), ("none of the known formats", "line 1: a zero byte", "is UTF-16", "UTF-8")),
    Bad("random.run", bytes(range(255, 0, -1)), ("line 1", "not UTF-8")),
    Bad("cut.run.gz", gzip.compress(RUN.encode() * 50)[:-12], ("truncated or damaged", "copy it again")),
    Bad("damaged.run.gz", gzip.compress(RUN.encode())[:12] + b"xxxxxxxxxxxx", ("truncated or damaged",)),
    Bad("cut.run.xz", b"\xfd7zXZ\x00\x00\x04", ("truncated or damaged",)),
    Bad("swapped.run", QRELS, ("line 1", "4 where a run line has 6", "looks like a qrels file", "qrels come first")),
    Bad("other.run", "x Q0 a 1 2.0 t\n", ("No topic", "The run has x; the qrels have q, r")),
    Bad("empty.csv", "", ("is empty",)),
    Bad("header.csv", HEADER, ("empty",)),
    Bad("lacks.csv", "query_id,doc_id,rank\nq,a,1\n", ("lacks the column 'score'", "It has: query_id, doc_id, rank")),
    Bad("double.csv", "query_id,doc_id,score,score\nq,a,1,2\n", ("two columns named 'score'", "drop one")),
    Bad("text.csv", HEADER + "q,a,1\n\nq,b,two\n", ("line 4", "'two'", "not a number", "q b")),
    Bad("hole.csv", HEADER + "q,a,1\nq,b,\n", ("line 3", "is missing or NaN", "q b")),
    Bad("inf.csv", HEADER + "q,a,-inf\n", ("line 2", "score '-inf'", "is infinite")),
    Bad("overflow.csv", HEADER + "q,a,1\nq,b,1e400\n", ("line 3", "too large for a 64-bit float")),
    Bad("overflow.jsonl", '{"query_id":"q","doc_id":"a","score":-Infinity}\n{"query_id":"q","doc_id":"b","score":1e400}\n',
        ("line 2", "the score is too large for a 64-bit float")),
    Bad("inf.jsonl", '{"query_id":"q","doc_id":"a","score":-Infinity}\n', ("line 1", "score -inf", "is infinite")),
    Bad("no_id.csv", HEADER + "q,a,1\n,b,1\n", ("line 3", "'query_id'", "is empty")),
    Bad("nan.csv", HEADER + "q,a,nan\n", ("line 2", "not a finite number")),
    Bad("wide.csv", HEADER + "q,a,1\n\nq,b,1,7\n", ("line 4", "Expected 3 columns, got 4", "The header has 3")),
    Bad("latin.csv", HEADER.encode() + b"q,caf\xe9,1\n", ("line 2", "0xe9", "Save the file as UTF-8")),
    Bad("text.tsv", "query_id\tdoc_id\tscore\nq\ta\tx\n", ("line 2", "'x'", "not a number")),
    Bad("broken.jsonl", '{"query_id":"q","doc_id":"a","score":1}\n{"query_id\n', ("line 2", "not JSON")),
    Bad("array.jsonl", "[1]\n", ("line 1", "not a JSON object")),
    Bad("hole.jsonl", '{"query_id":"q","doc_id":"a","score":1}\n{"query_id":"q","doc_id":"b"}\n', ("line 2", "q b", "is missing or NaN")),
    Bad("mixed.jsonl", '{"query_id":"q","doc_id":"a","score":1}\n{"query_id":2,"doc_id":"b","score":1}\n',
        ("line 2", "query_id 2", "another type than in line 1", "one type")),
    Bad("latin.jsonl", b'{"query_id":"q","doc_id":"caf\xe9","score":1}\n', ("line 1", "0xe9", "UTF-8")),
    Bad("cut.parquet", b"PAR1" + bytes(40), ("not a sound Parquet file",)),
]  # fmt: skip

BAD_QRELS = [
    Bad("short.qrels", "q 0 a 1\nq 0 b\n", ("line 2", "too few fields: 3", "'q 0 b'")),
    Bad("text.qrels", "q 0 a yes\n", ("line 1", "relevance 'yes'", "document a", "not a number")),
    Bad("nan.qrels", "q 0 a nan\n", ("line 1", "not a finite number", "judged")),
    Bad("empty.qrels", "", ("is empty",)),
    Bad("swapped.qrels", RUN, ("line 1", "6 where a qrels line has 4", "looks like a run file", "qrels come first")),
    Bad("latin.qrels", b"q 0 caf\xe9 1\n", ("line 1", "0xe9", "UTF-8")),
    Bad("cut.qrels.gz", gzip.compress(QRELS.encode() * 50)[:-12], ("truncated or damaged",)),
    Bad("lacks.csv", "query_id,doc_id,score\nq,a,1\n", ("lacks the column 'relevance'", "It has: query_id, doc_id, score")),
    Bad("text.csv", "query_id,doc_id,relevance\nq,a,yes\n", ("line 2", "'yes'", "not a number")),
]  # fmt: skip


def put(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.fixture
def good(tmp_path: Path) -> tuple[Path, Path]:
    return put(tmp_path, "good.qrels", QRELS), put(tmp_path, "good.run", RUN)


@pytest.mark.parametrize("bad", BAD_RUNS, ids=lambda b: b.name)
def test_a_bad_run_file(bad: Bad, good: tuple[Path, Path], tmp_path: Path, command: Callable[..., Any]) -> None:
    path = put(tmp_path, bad.name, bad.content)
    refused(command("eval", good[0], path, "AP", MEASURE), (bad.name, *bad.says))
    if bad.name != "other.run":
        with pytest.raises(irmx.DataError) as caught:
            irmx.read_run(path)
        assert all(part in str(caught.value) for part in bad.says)


@pytest.mark.parametrize("bad", BAD_QRELS, ids=lambda b: b.name)
def test_a_bad_qrels_file(bad: Bad, good: tuple[Path, Path], tmp_path: Path, command: Callable[..., Any]) -> None:
    path = put(tmp_path, bad.name, bad.content)
    refused(command("eval", path, good[1], "AP", MEASURE), (bad.name, *bad.says))
    with pytest.raises(irmx.DataError) as caught:
        irmx.read_qrels(path)
    assert all(part in str(caught.value) for part in bad.says)


def refused(done: Any, says: tuple[str, ...], code: int = 1) -> None:
    """Hold a command to the rules: the exit code, a message, no traceback, nothing on standard output."""
    assert done.code == code, done.err
    assert done.out == ""
    assert "Traceback" not in done.err
    for part in says:
        assert part in done.err


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["good.qrels", "none.run", "AP"], 1, ["no run file 'none.run'"]),
        (["good.qrels", "god.run", "AP"], 1, ["no run file 'god.run'", "Did you mean good.run?"]),
        (["good.qrels", "nowhere/a.run", "AP"], 1, ["no folder nowhere"]),
        (["good.qrels", "trec:none.run", "AP"], 1, ["no run file 'none.run'"]),
        (["good.qrels", "none*.run", "AP"], 1, ["No file matches", "'none*.run'"]),
        (["none.qrels", "good.run", "AP"], 1, ["'none.qrels'", "neither a file nor a dataset id"]),
        (["good.qrels", "folder", "AP"], 2, ["is a folder", "'folder/*'"]),
        (["folder", "good.run", "AP"], 1, ["folder is a folder, not a qrels file", ":folder"]),
        (["good.run", "good.qrels", "AP"], 1, ["good.run, line 1", "the qrels come first"]),
        (["half.qrels", "good.run", "SetP"], 1, ["SetP is computed by pytrec_eval", "Found the grade 0.5", "rel=0.5"]),
        (["good.qrels", "good.run"], 2, ["No measure is given"]),
        (["good.qrels", "good.run", "AQP"], 2, ["no measure AQP", "Did you mean AP?", "^^^"]),
        (["good.qrels", "good.run", "none.run", "AP"], 2, ["none.run", "no such file"]),
        (["good.qrels", "good.run", "AP(rell=1)"], 2, ["no parameter 'rell'", "Did you mean rel?"]),
        (["good.qrels", "good.run", "MP(model=GL)"], 2, ["Unknown name GL", "LO_OR_LID"]),
        (["good.qrels", "good.run", "MP"], 2, ["needs the parameter 'model'"]),
        (["good.qrels", "good.run", "NCP(law=table)"], 2, ["needs its weights"]),
        (["good.qrels", "good.run", "P@0"], 2, ["[1, inf). Got 0"]),
        (["good.qrels", "good.run", "nDCG@'a'"], 2, ["must be an int in the range [1, inf). Got 'a'"]),
        (
            ["good.qrels", "good.run", "AP", "-o", "xml"],
            2,
            ["no output format 'xml'", "table, tsv, csv, jsonl, markdown, latex"],
        ),
        (["good.qrels", "good.run", "AP", "-p", "two"], 2, ["'--places'", "int"]),
        (["good.qrels", "good.run", "AP", "-p", "-2"], 2, ["-p"]),
        (["good.qrels", "good.run", "AP", "-n"], 2, ["--by_query"]),
        (["good.qrels", "good.run", "AP", "--provider", "pytrec_evil"], 2, ["Did you mean pytrec_eval?"]),
        (["good.qrels", "good.run", MEASURE, "--provider", "pytrec_eval"], 2, ["does not compute NCP"]),
        (["good.qrels", "good.run", "AP", "--bogus"], 2, ["--bogus"]),
        (["good.qrels"], 2, ["Missing argument"]),
        ([], 2, ["Missing argument"]),
    ],
    ids=lambda a: " ".join(a) if isinstance(a, list) else None,
)
def test_a_bad_request(
    arguments: list[str],
    code: int,
    says: list[str],
    good: tuple[Path, Path],
    tmp_path: Path,
    command: Callable[..., Any],
) -> None:
    (tmp_path / "folder").mkdir()
    put(tmp_path, "half.qrels", "q 0 a 0.5\n")
    refused(command("eval", *arguments, cwd=tmp_path), tuple(says), code)


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["bogus"], 2, ["bogus"]),
        (["explain", "good.qrels", "good.run", "infAP", "-t", "q"], 2, ["infAP is a measure of ir_measures"]),
        (["explain", "good.qrels", "good.run", MEASURE, "-t", "z"], 1, ["Topic 'z' is not in the qrels", "q, r"]),
        (["explain", "good.qrels", "good.run", MEASURE], 2, ["--topic"]),
        (["explain", "good.qrels", "good.run", MEASURE, "-t", "q", "-o", "xml"], 2, ["no output format 'xml'"]),
        (["explain", "good.qrels", "none.run", MEASURE, "-t", "q"], 1, ["no run file"]),
        (["measures", "NCQ"], 2, ["Did you mean NCP?"]),
        (["cite", "NCQ"], 2, ["Did you mean NCP?"]),
    ],
    ids=lambda a: " ".join(a) if isinstance(a, list) else None,
)
def test_a_bad_request_of_another_command(
    arguments: list[str],
    code: int,
    says: list[str],
    good: tuple[Path, Path],
    tmp_path: Path,
    command: Callable[..., Any],
) -> None:
    refused(command(*arguments, cwd=tmp_path), tuple(says), code)


def test_the_exit_codes_of_the_real_command(good: tuple[Path, Path], tmp_path: Path, shell: Callable[..., Any]) -> None:
    fine = shell("eval", *good, "AP", "nDCG@10")
    assert (fine.code, fine.out, fine.err) == (0, "AP\t1.0000\nnDCG@10\t1.0000\n", "")
    refused(shell("eval", *good, "AQP"), ("no measure AQP",), 2)
    refused(shell("eval", good[0], put(tmp_path, "bad.run", "q Q0 a 1 x t\n"), "AP"), ("bad.run, line 1",), 1)


Row = namedtuple("Row", "query_id doc_id score")
FRAME = pd.DataFrame({"query_id": ["q", "q"], "doc_id": ["a", "b"], "score": [1.0, 2.0]})


@pytest.mark.parametrize(
    ("run", "says"),
    [
        ({"q": {"a": float("nan")}}, "score nan of the run is not a finite number: query q, document a"),
        ({"q": {"a": float("-inf")}}, "score -inf .*query q, document a"),
        ({"q": {"a": None}}, "score None .*query q, document a"),
        ({"q": {"a": "x"}}, "score 'x' .*query q, document a"),
        ({"q": ["a"]}, "Query 'q' holds list"),
        ({"q": {1: 1.0}}, "document id of the run is 1 .query q."),
        ({None: {"a": 1.0}}, "query id of the run is None"),
        ({1.5: {"a": 1.0}}, "query id of the run is 1.5"),
        ({1: {"a": 1.0}, "1": {"a": 1.0}}, "query id 1 twice"),
        (FRAME.drop(columns="score"), "lacks the column 'score'. It has: query_id, doc_id"),
        (FRAME.assign(score=["1", "x"]), "score 'x' .*row 1 .*q b"),
        (FRAME.assign(score=[1.0, float("nan")]), "is missing or NaN: row 1 .*q b"),
        (FRAME.assign(score=[1.0, float("inf")]), "score inf .*row 1 .*q b"),
        (FRAME.assign(doc_id=["a", None]), "'doc_id' of the run has no value in row 1"),
        (FRAME.assign(doc_id=["a", 7]), "'doc_id' of the run mixes types: row 1 holds 7 .int."),
        (FRAME.assign(query_id=[1.0, 2.0]), "'query_id' of the run holds floats, such as 1.0; ids are texts"),
        (FRAME.assign(doc_id=[True, False]), "'doc_id' of the run must hold texts"),
        (pd.concat([FRAME, FRAME.score], axis=1), "two columns named 'score'"),
        ([Row("q", "a", 1.0), Row("q", "b", "x")], "types of the first"),
        ([Row("q", "a", 1.0), ("q", "b")], "types of the first"),
        ([("q", "a", 1.0)], "Got an iterable of tuple"),
        (["q a 1.0"], "Got an iterable of str"),
        (7, "Got int"),
        (None, "Got NoneType"),
    ],
)
def test_bad_data_from_code(run: Any, says: str) -> None:
    with pytest.raises(irmx.DataError, match=says):
        irmx.calc_aggregate(MEASURE, {"q": {"a": 1}}, run)
    with pytest.raises(ValueError, match=says):
        irmx.read_run(run)


@pytest.mark.parametrize(
    ("qrels", "says"),
    [
        ({"q": {"a": float("nan")}}, "relevance nan of the qrels is not a finite number: query q, document a"),
        ({"q": {"a": "yes"}}, "relevance 'yes' .*query q, document a"),
        ({"q": {7: 1}}, "document id of the qrels is 7"),
        ({1: {"a": 1}, "1": {"a": 1}}, "query id 1 twice"),
        (FRAME, "lacks the column 'relevance'. It has: query_id, doc_id, score"),
        (FRAME.assign(relevance=["1", "x"]), "relevance 'x' .*row 1 .*q b"),
        (7, "Got int"),
    ],
)
def test_bad_qrels_from_code(qrels: Any, says: str) -> None:
    with pytest.raises(irmx.DataError, match=says):
        irmx.calc_aggregate(MEASURE, qrels, {"q": {"a": 1.0}})


@pytest.mark.parametrize(
    ("name", "content", "lines"),
    [
        ("twice.run", RUN + "\nq Q0 a 3 0.5 t\n", "lines 1 and 5"),
        ("twice.csv", HEADER + "q,a,1\nq,b,1\nq,a,2\n", "lines 2 and 4"),
    ],
)
@pytest.mark.parametrize("measure", ["AP", MEASURE])
def test_a_document_twice_in_a_ranking(
    name: str,
    content: str,
    lines: str,
    measure: str,
    good: tuple[Path, Path],
    tmp_path: Path,
    command: Callable[..., Any],
) -> None:
    path = put(tmp_path, name, content)
    refused(command("eval", *good, path, measure), (name, lines, "'a' more than once", "'q'", "once in a ranking"))


@pytest.mark.parametrize("run", [FRAME.assign(doc_id="a"), [Row("q", "a", 1.0), Row("q", "a", 2.0)]])
def test_a_document_twice_in_a_ranking_from_code(run: Any) -> None:
    with pytest.raises(irmx.DataError, match="'a' more than once for query 'q'"):
        irmx.calc_aggregate(MEASURE, {"q": {"a": 1}}, run)


def test_nothing_is_printed_when_a_later_run_is_bad(shell, tmp_path):
    bad = tmp_path / "bad.run"
    bad.write_text("1 Q0 d1 1 high tag\n")
    done = shell("eval", qrels_path(), run_path("bm25"), bad, "AP")
    assert (done.code, done.out) == (1, "")
    assert "bad.run, line 1" in done.err


def test_two_blanks_are_one_delimiter(tmp_path):
    """A missing iteration is a missing field, not an empty one; blanks between fields may be many."""
    short, wide = tmp_path / "short.qrels", tmp_path / "wide.qrels"
    short.write_text("q  d1 1\n")
    wide.write_text("q  0 d1   1\n")
    with pytest.raises(irmx.DataError, match="too few fields: 3 where a qrels line has 4"):
        irmx.read_qrels(short)
    assert irmx.read_qrels(wide).as_dict() == {"q": {"d1": 1}}


STAMPED = pd.DataFrame({"query_id": "q", "doc_id": list("abcd"), "score": 1.0})
STAMP = irmx.Column("run", "stamp", "when")


@pytest.mark.parametrize(
    ("stamps", "line", "wanted"),
    [
        (["1", "2", "3x", "y"], 4, "numbers. Found '3x' in row 2 (counted from 0), q c"),
        (["late", "2", "3", "4"], 2, "numbers. Found 'late' in row 0 (counted from 0), q a"),
        (["2014-03-01", "2014-03-02T10:00", "2014-13-45", "2014-03-04"], 4, "as most of its rows do. Found '2014-13-45' in row 2"),
        (["2014-03-01", "", "7", "2014-03-04"], 4, "dates such as 2014-03-01T12:00:00, as most of its rows do. Found '7' in row 2"),
    ],
)  # fmt: skip
def test_the_wrong_cell_of_a_column_is_named(tmp_path: Path, stamps: list[str], line: int, wanted: str) -> None:
    """One cell makes the whole column texts; it is not the first cell that is wrong."""
    path = tmp_path / "run.csv"
    STAMPED.assign(stamp=stamps).to_csv(path, index=False)
    for source, place in ((path, f"{path}, line {line}: "), (pd.read_csv(path), "")):
        with pytest.raises(irmx.DataError) as error:
            irmx.rankings({"q": {"a": 1}}, source).relevant.column(STAMP)
        assert str(error.value).startswith(f"{place}The run column 'stamp' must hold ")
        assert wanted in str(error.value)


def test_the_value_of_another_type_than_most_is_named() -> None:
    with pytest.raises(irmx.DataError, match=r"'stamp' of the run mixes types: row 0 holds 'noon' \(str\)"):
        irmx.rankings({"q": {"a": 1}}, STAMPED.assign(stamp=["noon", 1, 2, 3])).relevant.column(STAMP)
