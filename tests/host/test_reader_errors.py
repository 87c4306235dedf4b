"""A mistake in an input is an error that names the file and the line, with exit code 1; never a traceback, a crash or half a result."""

import gzip
import json
import re
import shlex
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import irmx
from irmx import DataError

RUN = "q Q0 a 1 2.0 t\nq Q0 b 2 1.0 t\nr Q0 a 1 1.0 t\n"
QRELS = "q 0 a 1\nq 0 b 0\nr 0 a 1\n"
CSV, OF_QRELS = "query_id,doc_id,score\n", "query_id,doc_id,relevance\n"
ROW = '{"query_id":"q","doc_id":"a","score":1}\n'
DEEP = 100_000
READERS: dict[str, Callable[[Any], Any]] = {
    "run": irmx.read_run,
    "ranking": lambda source: irmx.calc_aggregate("NCP(law=first)", {"q": {"a": 1}}, source),
    "qrels": irmx.read_qrels,
}
NOT_NUMBERS = ["two", "nan", "inf", "1e400", "1_000", "0x10", "true", "2020-01-01", "12:00", "1,5", "3f", "\uff11\uff12",
               "\N{ARABIC-INDIC DIGIT ONE}", "\u00a01", "\u20031", "\u00851", "\x1c1"]  # fmt: skip


def written(kind: str, suffix: str, rows: list[tuple[str, str, str]]) -> str:
    """Return rows of a topic, a document and a number, all of them texts, in the format of a suffix."""
    number = "score" if kind == "run" else "relevance"
    if suffix == ".txt":
        return "".join(f"{q} Q0 {d} 1 {x} t\n" if kind == "run" else f"{q} 0 {d} {x}\n" for q, d, x in rows)
    if suffix == ".jsonl":
        return "".join(json.dumps({"query_id": q, "doc_id": d, number: x}) + "\n" for q, d, x in rows)
    cells = [("query_id", "doc_id", number), *rows]
    text = "".join(f'{q},{d},"{x}"\n' if "," in x else f"{q},{d},{x}\n" for q, d, x in cells)
    return text.replace(",", "\t") if suffix == ".tsv" and '"' not in text else text


FORMS = (".txt", ".csv", ".tsv", ".jsonl")
LINE = {".txt": 2, ".csv": 3, ".tsv": 3, ".jsonl": 2}

Case = tuple[str, str, str, "str | bytes", "int | str | None"]
CASES: list[Case] = [
    ("too few fields", "run", ".run", RUN + "r Q0 b 2 1.0\n", 4),
    ("too few fields, later a comment", "run", ".run", "# made by us\n\n" + RUN + "# the rest\nr Q0\n", 7),
    ("a blank in an id", "run", ".run", RUN + "r Q0 my doc 1 2.0 t\n", 4),
    ("a blank in an id, and a number as tag", "run", ".run", "q Q0 a 1 2.5 3 runs\n", 1),
    ("a rank that is no number before a longer tag", "run", ".run", "q Q0 a b 1 2.5 run\n", 1),
    ("a no-break space between fields", "run", ".run", RUN + "q\u00a0Q0 c 1 2.0 t\n", 4),
    ("a number after blank lines", "run", ".run", "\n" + RUN + "\nr Q0 b 2 two t\n", 6),
    ("a number after a comment", "run", ".run", "q Q0 a 1 2 t\n# the second topic\nr Q0 a 1 two t\n", 3),
    ("a number in a topic with a number sign", "run", ".run", "#310 Q0 d1 1 1,5 t\n#310 Q0 d2 2 1.0 t\n", 1),
    ("a comment without a blank", "run", ".run", "q Q0 a 1 2 t\n#the second topic\nr Q0 a 1 2 t\n", 2),
    ("a number of an aligned line", "run", ".run", "q    Q0  a   1   2.0 t\nq    Q0  b   2   x   t\n", 2),
    ("empty", "run", ".run", "", None),
    ("blank", "run", ".run", "\n \n", None),
    ("comments alone", "run", ".run", "# nothing but this\n", None),
    ("Latin-1", "run", ".run", RUN.encode() + b"q Q0 caf\xe9 3 0.5 t\n", 4),
    ("UTF-16", "run", ".run", RUN.encode("utf-16"), None),
    ("no text", "run", ".run", bytes(range(255, 0, -1)), None),
    ("qrels as a run", "run", ".run", QRELS, 1),
    ("a run as qrels", "qrels", ".qrels", RUN, 1),
    ("too few fields", "qrels", ".qrels", "q 0 a 1\nq 0 b\n", 2),
    ("two blanks are one", "qrels", ".qrels", "q  d1 1\n", 1),
    ("Latin-1", "qrels", ".qrels", b"q 0 caf\xe9 1\n", 1),
    ("empty", "qrels", ".qrels", "", None),
    ("cut gzip", "qrels", ".qrels.gz", gzip.compress(QRELS.encode() * 50)[:-12], None),
    ("empty", "run", ".csv", "", None),
    ("a header alone", "run", ".csv", CSV, None),
    ("no score", "run", ".csv", "query_id,doc_id,rank\nq,a,1\n", None),
    ("two scores", "run", ".csv", "query_id,doc_id,score,score\nq,a,1,2\n", None),
    ("no relevance", "qrels", ".csv", "query_id,doc_id,score\nq,a,1\n", None),
    ("a number after a blank line", "run", ".csv", CSV + "q,a,1\n\nq,b,two\n", 4),
    ("no number", "run", ".csv", CSV + "q,a,1\nq,b,\n", 3),
    ("no topic", "run", ".csv", CSV + "q,a,1\n,b,1\n", 3),
    ("no document", "run", ".csv", CSV + "q,a,1\nq,,1\n", 3),
    ("too many fields", "run", ".csv", CSV + "q,a,1\n\nq,b,1,7\n", 4),
    ("too few fields", "run", ".tsv", "query_id\tdoc_id\tscore\nq\ta\t1\nq\tb\n", 3),
    ("Latin-1", "run", ".csv", CSV.encode() + b"q,caf\xe9,1\n", 2),
    ("Latin-1 in the header", "run", ".csv", b"query_id,doc_id,score,not\xe9\nq,a,1,x\n", 1),
    ("an object that is open", "run", ".jsonl", ROW + '{"query_id\n', 2),
    ("a list", "run", ".jsonl", "[1]\n", 1),
    ("a number", "run", ".jsonl", ROW + "5\n", 2),
    ("null", "run", ".jsonl", ROW + "null\n", 2),
    ("null first", "run", ".jsonl", "\n \n\tnull\n" + ROW, 3),
    ("two objects in a line", "run", ".jsonl", ROW[:-1] + ROW, 1),
    ("no number", "run", ".jsonl", ROW + '{"query_id":"q","doc_id":"b"}\n', 2),
    ("null for a number", "run", ".jsonl", ROW + ROW.replace("1", "null"), 2),
    ("a truth value", "run", ".jsonl", ROW.replace("1", "true"), 1),
    ("a large number", "run", ".jsonl", ROW + ROW.replace("1", "9" * 5000), 2),
    ("infinity", "run", ".jsonl", ROW + ROW.replace("1", "1e400"), 2),
    ("not a number", "run", ".jsonl", ROW + ROW.replace("1", "NaN"), 2),
    ("a zero byte", "run", ".jsonl", ROW + ROW.replace('"a"', r'"a\u0000b"'), 2),
    ("half a character", "run", ".jsonl", ROW + ROW.replace('"a"', r'"\ud800"'), 2),
    ("Latin-1", "run", ".jsonl", b'{"query_id":"q","doc_id":"caf\xe9","score":1}\n', 1),
    ("a deep list", "run", ".jsonl", ROW + '{"a":' + "[" * DEEP + "]" * DEEP + "}\n", 2),
    ("a deep object that is open", "run", ".jsonl", ROW + '{"a":' * DEEP, 2),
    ("objects over lines", "run", ".jsonl", '{"a":\n' * DEEP + "1" + "}\n" * DEEP, None),
    ("cut", "run", ".parquet", b"PAR1" + bytes(40), None),
    *(("one object: no number", "run", ".json", f'{{"q": {{"a": {x}}}}}', None) for x in ('"x"', "NaN")),
    *(("one object: no documents", "run", ".json", f'{{"q": {x}}}', None) for x in ('["a"]', "1", '{"a": 1')),
    ("one object: a topic twice but for blanks", "qrels", ".json", '{"q": {"a": 1}, "q ": {"b": 1}}', None),
    ("one object: a document twice but for blanks", "qrels", ".json", '{"q": {"a": 1, " a": 0}}', None),
    ("a key twice but for blanks", "qrels", ".jsonl", '{"query_id": "q", "doc_id": "a", "relevance": 1, "relevance ": 0}\n', 1),
    *(("no document", "qrels", suffix, written("qrels", suffix, [("q", "a", "1"), ("q", "", "1")]), LINE[suffix]) for suffix in FORMS[1:]),
    ("no document, but an empty label", "qrels", ".csv", "query_id,doc_id,relevance,iteration\nq,a,1,\nq,,1,\n", 3),
    ("a blank document", "qrels", ".csv", OF_QRELS + "q,a,1\nq,  ,1\n", 3),
    ("no document, as BEIR has it", "qrels", ".tsv", "query-id\tcorpus-id\tscore\nq\ta\t1\nq\t\t1\n", 3),
    ("no document", "qrels", ".jsonl", '{"query_id":"q","doc_id":"a","relevance":1}\n{"query_id":"q","relevance":1}\n', 2),
    ("one object: no document", "qrels", ".json", '{"q": {"a": 1, "": 1}}', None),
    *(
        ("a byte order mark inside", "qrels", suffix, written("qrels", suffix, [("q", "b", "0"), ("q", "\ufeffa", "1")]), LINE[suffix])
        for suffix in FORMS
    ),
    ("a byte order mark inside of quotes", "qrels", ".csv", OF_QRELS + 'q,b,0\nq,"\ufeffa",1\n', 3),
    *(
        (f"a number of 10 megabytes{' between two blanks' * ('  ' in blank)}", "run", suffix, text.replace("LONG", "9" * 10_000_000), LINE[suffix])
        for blank in (" ", "  ")
        for suffix in FORMS
        if blank == " " or suffix == ".txt"
        for text in [written("run", suffix, [("q", "a", "1"), ("q", "b", "LONG")]).replace(" ", blank)]
    ),
    ("a document twice", "run", ".run", RUN + "\nq Q0 a 3 0.5 t\n", "1 and 5"),
    ("a document twice below a comment", "run", ".run", "# x\nq Q0 a 1 2 t\n\nq Q0 a 2 1 t\n", "2 and 4"),
    ("a document twice", "run", ".csv", CSV + "q,a,1\nq,b,1\nq,a,2\n", "2 and 4"),
    ("a document twice after a blank line", "run", ".tsv", "qid\tdocno\tscore\nq\ta\t1\n\nq\ta\t2\n", "2 and 4"),
    ("a document twice", "run", ".jsonl", ROW + ROW.replace('"a"', '"b"') + ROW, "1 and 3"),
    *(
        (f"the number {text}", kind, suffix, written(kind, suffix, [("q", "a", "1"), ("q", "b", text)]), LINE[suffix])
        for text in NOT_NUMBERS
        for kind, suffix in (("run", ".txt"), ("run", ".csv"), ("run", ".jsonl"), ("qrels", ".txt"), ("qrels", ".tsv"))
        if not (suffix == ".tsv" and "," in text) and (text, kind) != ("true", "qrels")
    ),
    *(
        (f"the byte {byte!r} far down", kind, suffix, far_down, 300 if suffix in (".txt", ".jsonl") else 301)
        for byte in (b"\0", b"\xff")
        for kind, suffix in (("run", ".txt"), ("run", ".csv"), ("qrels", ".tsv"), ("run", ".jsonl"))
        for rows in [[("q", f"document{row}", "1") for row in range(300)]]
        for far_down in [written(kind, suffix, rows).encode().replace(b"document299", b"docu" + byte + b"ment")]
    ),
]  # fmt: skip
"""The name of a mistake, what is read, the suffix of the file, its content, and the line, or lines, that the message must name."""


def put(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def check(message: str, path: Path, line: int | str | None) -> None:
    """Check that a message names the file and the line, is no traceback, and holds no control characters."""
    assert path.name in message
    assert line is None or re.search(rf"\blines? {line}\b", message), message
    assert len(message) < 3000
    assert "Traceback" not in message
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", message)


@pytest.mark.parametrize(("kind", "suffix", "content", "line"), [c[1:] for c in CASES], ids=[f"{c[1]}{c[2]}-{c[0]}" for c in CASES])  # fmt: skip
def test_a_mistake_in_a_file(kind: str, suffix: str, content: Any, line: int | str | None, tmp_path: Path) -> None:
    """A document twice is found when the run is ranked, everything else when the file is read."""
    path = put(tmp_path, f"bad{suffix}", content)
    read = READERS["ranking" if isinstance(line, str) else kind]
    with pytest.raises(DataError) as error:
        read(path)
    check(str(error.value), path, line)


@pytest.mark.parametrize(
    ("suffix", "whole", "last"),
    [
        (".txt", "q Q0 a 1 2.5 tag\nq Q0 b 2 1.5 tag\n", "tag"),
        (".csv", 'query_id,doc_id,score,note\nq,a,2.5,"one, two"\nq,b,1.5,note\n', "note"),
        (".jsonl", ROW + ROW.replace('"a"', '"b"'), "}"),
    ],
)
def test_a_file_cut_at_any_byte_of_its_last_line(suffix: str, whole: str, last: str, tmp_path: Path) -> None:
    """From the first field on that is missing as a whole, the line is named; a cut inside the last field cannot be told."""
    start = whole[:-1].rindex("\n") + 1
    for end in range(start + 1, len(whole) + 1):
        path = put(tmp_path, f"cut{suffix}", whole[:end])
        if end < whole.rindex(last):
            with pytest.raises(DataError) as error:
                irmx.read_run(path)
            check(str(error.value), path, whole[:start].count("\n") + 1)
        elif end > whole.rindex(last):
            assert irmx.read_run(path).topics == ["q"]


@pytest.mark.parametrize(("bad", "line"), [(b" 1 1", 3001), (b" \0 1 tag", 3001), (b" 1 x tag", 3001)])
def test_a_mistake_far_down_in_a_run_that_is_read_in_chunks(bad: bytes, line: int, tmp_path: Path) -> None:
    rows = [f"{topic} Q0 d{row} 1 1 tag\n".encode() for topic in range(10, 90) for row in range(500)]
    rows[3000] = rows[3000].replace(b" 1 1 tag", bad)
    path = put(tmp_path, "large.run", b"".join(rows))
    evaluator = irmx.evaluator("AP", {str(topic): {"d10": 1} for topic in range(10, 90)})
    with pytest.raises(DataError) as error:
        evaluator.scores(path, memory="1MB")
    check(str(error.value), path, line)


# -- data in memory -----------------------------------------------------------------------------------------------

Row = namedtuple("Row", "query_id doc_id score")
FRAME = pd.DataFrame({"query_id": ["q", "q"], "doc_id": ["a", "b"], "score": [1.0, 2.0]})
BYTES = [None, pa.py_buffer(np.array([0, 1, 2], np.int32)), pa.py_buffer(b"a\xff")]
NOT_UTF_8 = pa.Array.from_buffers(pa.string(), 2, BYTES)
NO_RUNS: list[tuple[Any, str]] = [
    *(({"q": {"a": x}}, "query q, document a") for x in (float("nan"), float("inf"), None, "x", [1], 1j, 10**400, b"1")),
    *(({"q": {"a": x}}, "query q, document a") for x in NOT_NUMBERS),
    ({"q": ["a"]}, "q"), ({"q": {1.5: 1.0}}, "q"), ({"q": {True: 1.0}}, "q"), ({"q": {1: 1.0, "1": 2.0}}, "twice"), ({None: {"a": 1.0}}, "None"), ({1.5: {"a": 1.0}}, "1.5"),
    ({1: {"a": 1.0}, "1": {"a": 1.0}}, "1"),
    (FRAME.drop(columns="score"), "query_id, doc_id"),
    *((FRAME.assign(score=["1", x]), "row 1") for x in NOT_NUMBERS),
    (FRAME.assign(score=[1.0, float("nan")]), "row 1"), (FRAME.assign(score=[1.0, float("inf")]), "row 1"),
    *((FRAME.assign(score=x), "row 0") for x in ([True, False], [b"1", b"2"], pd.to_datetime(["2020", "2021"]), pd.to_timedelta([1, 2]))),
    (FRAME.assign(doc_id=["a", None]), "row 1"), (FRAME.assign(doc_id=["a", "b\0"]), "row 1"),
    (FRAME.assign(query_id=["a", ""]), "row 1"), (FRAME.assign(doc_id=["a", ""]), "row 1"),
    (FRAME.assign(query_id=[1.0, 2.0]), "query_id"), (FRAME.assign(doc_id=[True, False]), "doc_id"),
    (pa.table({**FRAME.to_dict("list"), "doc_id": NOT_UTF_8}), "row 1"),
    (pd.concat([FRAME, FRAME.score], axis=1), "'score'"),
    ([Row("q", "a", 1.0), Row("q", "b", "x")], ""), ([Row("q", "a", 1.0), ("q", "b")], ""), ([("q", "a", 1.0)], "tuple"),
    (["q a 1.0"], "str"), (7, "int"), (None, "NoneType"),
]  # fmt: skip
NO_QRELS: list[tuple[Any, str]] = [
    *(({"q": {"b": x}}, "query q, document b") for x in (float("nan"), "yes", float("-inf"))),
    ({"q": {7.5: 1}}, "7.5"), ({1: {"a": 1}, "1": {"a": 1}}, "1"), ({"q": {"a\0": 1}}, "zero"), ({"q\0": {"a": 1}}, "zero"),
    ({"q": {"a": 1}, "topic 7": {"a": 1, "": 1}}, "topic 7"),
    *((kind(FRAME.assign(relevance=1, doc_id=["a", lacking])), "row 1") for kind, lacking in ((pd.DataFrame, ""), (pa.Table.from_pandas, None))),
    ({"q": {"\ud800": 1}}, "UTF-8"), (FRAME, "relevance"), (FRAME.assign(relevance=["1", "x"]), "row 1"), (7, "int"),
]  # fmt: skip


@pytest.mark.parametrize(("run", "named"), NO_RUNS)
def test_a_mistake_in_a_run_in_memory(run: Any, named: str) -> None:
    for read in (irmx.read_run, lambda run: irmx.calc_aggregate("NCP(law=uniform)", {"q": {"a": 1}}, run)):
        with pytest.raises(DataError) as error:
            read(run)
        assert named in str(error.value)


@pytest.mark.parametrize(("qrels", "named"), NO_QRELS)
def test_a_mistake_in_qrels_in_memory(qrels: Any, named: str) -> None:
    with pytest.raises(ValueError, match=re.escape(named)) as error:  # so that it can be caught without irmx
        irmx.calc_aggregate("NCP(law=uniform)", qrels, {"q": {"a": 1.0}})
    assert isinstance(error.value, DataError)


def test_an_iterator_is_not_read_twice() -> None:
    qrels = iter([ir_measures.Qrel("q", "a", 1)])
    run = iter([ir_measures.ScoredDoc("q", "a", 1.0)])
    assert list(irmx.calc_aggregate("RR", qrels, run).values()) == [1.0]
    for again, other in ((qrels, {"q": {"a": 1.0}}), ({"q": {"a": 1}}, run)):
        with pytest.raises(DataError, match="iterator"):
            irmx.calc_aggregate("RR", again, other)


@pytest.mark.parametrize("run", [FRAME.assign(doc_id="a"), [Row("q", "a", 1.0), Row("q", "a", 2.0)]])
@pytest.mark.parametrize("measure", ["NCP(law=first)", "AP"])
def test_a_document_twice_in_a_run_in_memory(run: Any, measure: str) -> None:
    with pytest.raises(DataError, match="'a' more than once for query 'q'"):
        irmx.calc_aggregate(measure, {"q": {"a": 1}}, run)


# -- commands -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        ("good.qrels good.run AP", 0, ""),
        ("good.qrels god.run AP", 1, "no run file 'god.run'. Did you mean good.run?"),
        ("good.qrels nowhere/a.run AP", 1, "nowhere"),
        ("good.qrels trec:none.run AP", 1, "'none.run'"),
        ("good.qrels none*.run AP", 1, "none*.run"),
        ("none.qrels good.run AP", 1, "none.qrels"),
        ("good.qrels folder AP", 2, "'folder/*'"),
        ("folder good.run AP", 1, "folder"),
        ("good.run good.qrels AP", 1, "the qrels come first"),
        ("good.qrels bad.run AP", 1, "bad.run, line 2"),
        ("good.qrels good.run bad.run AP", 1, "bad.run, line 2"),
        ("good.qrels other.run AP", 1, "The run has x; the qrels have q, r"),
        ("half.qrels good.run SetP --provider pytrec_eval", 1, "0.5"),
        ("good.qrels good.run none.run AP", 2, "none.run"),
        ("good.qrels good.run", 2, "No measure is given"),
        ("good.qrels good.run AQP", 2, "Did you mean AP?"),
        ("good.qrels good.run AP(rell=1)", 2, "Did you mean rel?"),
        ("good.qrels good.run MP(model=GL)", 2, "GL"),
        ("good.qrels good.run MP", 2, "model"),
        ("good.qrels good.run P@0", 2, "[1, inf)"),
        ("good.qrels good.run AP -o xml", 2, "xml"),
        ("good.qrels good.run AP -p two", 2, "--places"),
        ("good.qrels good.run AP --provider pytrec_evil", 2, "pytrec_eval"),
        ("good.qrels good.run NCP(law=first) --provider pytrec_eval", 2, "NCP"),
        ("good.qrels good.run AP --bogus", 2, "--bogus"),
        ("good.qrels good.run ''", 2, "empty"),
        ("good.qrels good.run AP ' '", 2, "empty"),
        ("good.qrels good.run AP good.qrels", 2, "runs come before the measures"),
        ("good.qrels good.run AP runs/none.run", 2, "runs/none.run"),
        ("good.qrels good.run 'MP(model=GL_AD_ID,' rel=2)", 2, "quoted as a whole"),
        ("good.qrels good.run AP,nDCG@10", 2, "commas"),
        ("good.qrels good.run gm_map", 2, "gm_map"),
        ("good.qrels good.run nDCG@10@20", 2, "twice"),
        ("good.qrels good.run nDCG@ten", 2, "'ten'"),
        ("good.qrels good.run MP(model=GL_AD_ID,rescale=[0.5,0.5])", 2, "'recall', 'relative_recall'"),
        ("good.qrels good.run SetP(rel=0)", 2, "(0, 2147483647]"),
        ("good.qrels good.run ERR@5 --provider gdeval", 1, "'q'"),
        ("good.qrels AP good.run", 2, "'AP' stands before the run 'good.run'"),
        ("good.qrels AP", 2, "'AP' stands, where a run is expected"),
        ("good.qrels good.run AP -p 4 --places 4", 0, ""),
        ("good.qrels good.run AP -p 3 --places 4", 2, "--places"),
        ("good.qrels good.run AP -o csv -o tsv", 2, "-o"),
        ("good.qrels", 2, ""),
    ],
)  # fmt: skip
def test_the_exit_codes(arguments: str, code: int, says: str, tmp_path: Path, command: Any) -> None:
    (tmp_path / "folder").mkdir()
    files = {"good.qrels": QRELS, "good.run": RUN, "half.qrels": "q 0 a 0.5\n", "other.run": "x Q0 a 1 2.0 t\n"}
    for name, content in {**files, "bad.run": RUN.replace("1.0", "x", 1)}.items():
        put(tmp_path, name, content)
    done = command("eval", *shlex.split(arguments))
    assert (done.code, done.out) == (code, "" if code else "AP\t1.0000\n"), done.err
    assert says in done.err
    assert "Traceback" not in done.err


def test_the_exit_code_of_the_real_command(tmp_path: Path, shell: Any) -> None:
    good = put(tmp_path, "good.qrels", QRELS), put(tmp_path, "good.run", RUN)
    shell("eval", *good, put(tmp_path, "bad.run", "q Q0 a 1 x t\n"), "AP").assert_refused(1, "bad.run, line 1")
