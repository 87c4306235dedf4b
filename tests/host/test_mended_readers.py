"""Wide tables, blanks in ids, rows without documents, huge cells, infinite scores, JSON of one object, partitions."""

import gzip
import json
import math
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

import irmx
from irmx import DataError


def put(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def ap(qrels: Any, run: Any) -> float:
    [value] = irmx.calc_aggregate("AP", qrels, run).values()
    return float(value)


def refusal(read: Callable[[Any], Any], source: Any) -> str:
    with pytest.raises(DataError) as error:
        read(source)
    assert len(str(error.value)) < 3000
    return str(error.value)


WIDE = """
import pathlib, sys, irmx
for path in sys.argv[1:]:
    print(irmx.read_run(path).as_dict(), len(irmx.read_table(path, {"doc_id": str})))
"""


def test_a_table_of_many_columns_and_one_row(tmp_path: Path) -> None:
    names = ["query_id", "doc_id", "score", *(f"c{i}" for i in range(4997))]
    paths = []
    for suffix, delimiter in ((".csv", ","), (".tsv", "\t")):
        text = f"{delimiter.join(names)}\n{delimiter.join(['q', 'a', *['1'] * 4998])}\n"
        paths += [put(tmp_path / f"run{suffix}", text), put(tmp_path / f"run{suffix}.gz", gzip.compress(text.encode()))]
    done = subprocess.run([sys.executable, "-c", WIDE, *map(str, paths)], capture_output=True, text=True, timeout=20)
    assert done.stdout == "{'q': {'a': 1.0}} 1\n" * 4, done.stderr


@pytest.mark.parametrize(
    ("suffix", "content"),
    [
        (".csv", "query_id,doc_id,score\n1, d1,2\n 1 ,d2 ,1\n"),
        (".csv", 'query_id,doc_id,score\n"1"," d1",2\n1,"d2 ",1\n'),
        (".csv", "query_id, doc_id,score\n1 , d1,2\n 1, d2,1\n"),
        (".tsv", "query_id\tdoc_id\tscore\n1\t d1\t2\n1 \td2\t1\n"),
        (".jsonl", '{"query_id":"1","doc_id":" d1","score":2}\n{"query_id":"1 ","doc_id":"d2","score":1}\n'),
        (".json", '{"1 ": {" d1": 2, "d2 ": 1}}'),
    ],
)
def test_blanks_around_ids_of_text_files_are_no_part_of_them(suffix: str, content: str, tmp_path: Path) -> None:
    assert ap({"1": {"d1": 1, "d2": 1}}, put(tmp_path / f"run{suffix}", content)) == 1.0
    qrels = put(tmp_path / f"qrels{suffix}", content.replace("score", "relevance"))
    assert ap(qrels, {"1": {"d1": 2.0, "d2": 1.0}}) == 1.0


def test_blanks_around_ids_in_memory_are_part_of_them() -> None:
    run = pd.DataFrame({"query_id": "1", "doc_id": [" d1", "d1"], "score": [2.0, 1.0]})
    assert irmx.read_run(run).as_dict() == irmx.read_run({"1": {" d1": 2.0, "d1": 1.0}}).as_dict()


ROWS = [("q", "a", 1), ("q", "", 1)]
FRAME = pd.DataFrame(ROWS, columns=["query_id", "doc_id", "relevance"])


@pytest.mark.parametrize(
    ("suffix", "content", "place"),
    [
        (".csv", FRAME.to_csv(index=False), "line 3"),
        (".csv", FRAME.assign(iteration="").to_csv(index=False), "line 3"),
        (".csv", FRAME.assign(doc_id=["a", "  "]).to_csv(index=False), "line 3"),
        (".tsv", FRAME.to_csv(index=False, sep="\t"), "line 3"),
        (".tsv", "query-id\tcorpus-id\tscore\nq\ta\t1\nq\t\t1\n", "line 3"),
        (".jsonl", FRAME.to_json(orient="records", lines=True), "line 2"),
        (".jsonl", '{"query_id":"q","doc_id":"a","relevance":1}\n{"query_id":"q","relevance":1}\n', "line 2"),
        (".json", '{"q": {"a": 1, "": 1}}', "q"),
        (None, {"q": {"a": 1}, "topic 7": {"a": 1, "": 1}}, "topic 7"),
        (None, FRAME, "row 1"),
        (None, pa.Table.from_pandas(FRAME.assign(doc_id=["a", None])), "row 1"),
    ],
)
def test_a_judgment_without_a_document_is_refused(suffix: str | None, content: Any, place: str, tmp_path: Path) -> None:
    source = content if suffix is None else put(tmp_path / f"some{suffix}", content)
    message = refusal(irmx.read_qrels, source)
    assert place in message
    assert suffix is None or f"some{suffix}" in message


@pytest.mark.parametrize("label", ["iteration", "subtopic_id", "vertical"])
@pytest.mark.parametrize("suffix", [".csv", ".jsonl", None])
def test_a_row_without_a_document_may_declare_a_subtopic_or_a_vertical(label: str, suffix: Any, tmp_path: Path) -> None:
    source: Any = FRAME.assign(**{label: "s1"})
    if suffix is not None:
        lines = source.to_json(orient="records", lines=True) if suffix == ".jsonl" else source.to_csv(index=False)
        source = put(tmp_path / f"some{suffix}", lines)
    assert ap(source, {"q": {"a": 1.0}}) == 1.0


@pytest.mark.parametrize(
    ("suffix", "before", "after", "line"),
    [
        (".run", "q Q0 a 1 1 t\nq Q0 b 2 ", " t\n", 2),
        (".run", "q  Q0 a  1 1 t\nq  Q0 b  2 ", " t\n", 2),
        (".csv", "query_id,doc_id,score\nq,a,1\nq,b,", "\n", 3),
        (".jsonl", '{"query_id":"q","doc_id":"a","score":1}\n{"query_id":"q","doc_id":"b","score":', "}\n", 2),
    ],
)
def test_a_number_of_10_megabytes(suffix: str, before: str, after: str, line: int, tmp_path: Path) -> None:
    message = refusal(irmx.read_run, put(tmp_path / f"long{suffix}", before + "9" * 10_000_000 + after))
    assert f"long{suffix}, line {line}" in message


def test_an_id_of_a_megabyte(tmp_path: Path) -> None:
    long = "a" * 1_000_000
    put(tmp_path / "qrels", f"q 0 {long} 1\nq 0 b 1\n")
    put(tmp_path / "run", f"q Q0 {long} 1 2.0 t\nq Q0 b 2 2.0 t\n")
    code = "from irmx.cli import main; main()"
    command = [sys.executable, "-c", code, "eval", "qrels", "run", "AP", "NCP(law=uniform)"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=10)
    assert (done.returncode, done.stdout) == (0, "AP\t1.0000\nNCP(law=uniform)\t1.0000\n"), done.stderr


LAST = [("q", "a", -math.inf), ("q", "x", 1.0), ("q", "b", -1e30), ("q", "y", -math.inf), ("r", "c", -math.inf)]
LAST_FRAME = pd.DataFrame(LAST, columns=["query_id", "doc_id", "score"])


@pytest.mark.parametrize(
    ("suffix", "content"),
    [
        (".run", "".join(f"{q} Q0 {d} 1 {score} t\n" for q, d, score in LAST)),
        (".csv", LAST_FRAME.to_csv(index=False)),
        (".tsv", LAST_FRAME.to_csv(index=False, sep="\t")),
        (".jsonl", "".join(json.dumps(dict(zip(LAST_FRAME, row, strict=True))) + "\n" for row in LAST)),
        (".parquet", None),
        (None, LAST_FRAME),
        (None, pa.Table.from_pandas(LAST_FRAME)),
        (None, {topic: {d: s for q, d, s in LAST if q == topic} for topic in "qr"}),
    ],
)
def test_a_score_of_minus_infinity_is_ranked_last(suffix: str | None, content: Any, tmp_path: Path) -> None:
    source = content
    if suffix == ".parquet":
        LAST_FRAME.to_parquet(tmp_path / "run.parquet")
        source = tmp_path / "run.parquet"
    elif suffix is not None:
        source = put(tmp_path / f"run{suffix}", content)
    rankings = irmx.rankings({"q": {"a": 1, "b": 1, "x": 1, "y": 1}, "r": {"c": 1}}, source)
    found = dict(zip(rankings.relevant.doc_ids, rankings.relevant.rank.tolist(), strict=True))
    assert found == {"x": 1, "b": 2, "y": 3, "a": 4, "c": 1}
    assert irmx.calc_aggregate("NCP(law=first) P@4", {"q": {"a": 1}}, source).popitem()[1] == 0.25


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("suffix", [".json", ".json.gz"])
def test_json_as_ranx_writes_it(indent: int | None, suffix: str, tmp_path: Path) -> None:
    run, qrels = {"q1": {"d2": 2.5, "d1": 1}, "q2": {"é3": -1e-3}}, {"q1": {"d1": 1}, "q2": {"é3": 2, "d1": 0}}
    for name, rows, read in (("run", run, irmx.read_run), ("qrels", qrels, irmx.read_qrels)):
        content = json.dumps(rows, indent=indent, ensure_ascii=indent is None).encode()
        path = put(tmp_path / f"{name}{suffix}", gzip.compress(content) if suffix.endswith("gz") else content)
        assert read(path).as_dict() == rows
    assert ap(tmp_path / f"qrels{suffix}", tmp_path / f"run{suffix}") == 0.75


@pytest.mark.parametrize(
    "content", ['{"q1": {"d1": "x"}}', '{"q1": {"d1": NaN}}', '{"q1": ["d1"]}', '{"q1": {"d1": 1}', '{"q1": 1}']
)
def test_a_mistake_in_json_as_ranx_writes_it(content: str, tmp_path: Path) -> None:
    assert "bad.json" in refusal(irmx.read_run, put(tmp_path / "bad.json", content))


def test_means_do_not_depend_on_the_order_of_topics(tmp_path: Path) -> None:
    drawn = random.Random(26)
    rows = [(f"{topic}", f"d{doc}", drawn.randrange(3)) for topic in range(97) for doc in range(9)]
    run = {f"{topic}": {f"d{doc}": drawn.random() for doc in range(9)} for topic in range(97)}
    means = []
    for _ in range(12):
        drawn.shuffle(rows)
        path = put(tmp_path / "some.qrels", "".join(f"{q} 0 {d} {grade}\n" for q, d, grade in rows))
        means.append(irmx.calc_aggregate("AP nDCG NCP(law=uniform)", path, run))
        topics = dict.fromkeys(q for q, _, _ in rows)
        qrels = {topic: {d: grade for q, d, grade in rows if q == topic} for topic in topics}
        assert irmx.calc_aggregate("AP nDCG NCP(law=uniform)", qrels, run) == means[0]
    assert all(mean == means[0] for mean in means)
    values = [m.value for m in irmx.iter_calc("AP", path, run)]
    assert next(iter(means[0].values())) == math.fsum(values) / len(values)


def test_a_folder_of_parquet_with_partitions(tmp_path: Path, command: Callable[..., Any]) -> None:
    put(tmp_path / "qrels", "q 0 a 1\nr 0 a 1\n")
    for name, scores in (("bm25", [2.0, 1.0, 1.0]), ("titles", [1.0, 2.0, 1.0])):
        (tmp_path / f"runs/run={name}").mkdir(parents=True)
        table = pa.table({"query_id": ["q", "q", "r"], "doc_id": ["a", "b", "a"], "score": scores})
        parquet.write_table(table[:2], tmp_path / f"runs/run={name}/part-0.parquet")
        parquet.write_table(table[2:], tmp_path / f"runs/run={name}/part-1.parquet")
    assert command("eval", "qrels", "runs/run=bm25", "RR", cwd=tmp_path).out == "RR\t1.0000\n"
    done = command("eval", "qrels", "runs", "RR", cwd=tmp_path)
    assert (done.code, done.out) == (0, "run\tRR\nbm25\t1.0000\ntitles\t0.7500\n"), done.err


# -- found while these tests were written ----------------------------------------------------------------------------
