"""Qrels and runs of every kind give one result; nothing but what is documented depends on their form."""

import csv
import gzip
import itertools
import json
import math
import os
import pickle
import random
import time
import warnings
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import ir_datasets
import ir_measures
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from pyarrow import dataset, parquet

import irmx
from irmx import Column, DataError

MEASURES = "NCP(law=uniform) NCP(law=zipf,rel=2)@3 MP(model=GL_AD_ID) MP(model=LO_OR_LID,judged_only=True)"
QRELS = [("1", "d1", 2), ("1", "d2", 0), ("1", "d3", 1), ("1", "é4", 1), ("2", "d1", 1), ("2", "d9", 3), ("3", "d1", 1)]
RUN = [
    ("1", "d3", 2.5), ("1", "x1", 2.5), ("1", "d1", 1.5), ("1", "é4", 1.25), ("1", "d2", 0.5), ("1", "x2", -1.0),
    ("2", "x1", 4.0), ("2", "d9", 3.0), ("2", "d1", 3.0), ("4", "d1", 1.0),
]  # fmt: skip
Rows = list[tuple[str, str, Any]]
Made = Callable[[Rows, str, Path], Any]


def values(qrels: Any, run: Any, measures: str = MEASURES) -> dict[tuple[str, str], float]:
    return {(str(m.query_id), str(m.measure)): m.value for m in irmx.iter_calc(measures, qrels, run)}


def as_dict(rows: Rows, value: str = "", folder: Path | None = None) -> dict[str, dict[str, Any]]:
    out: dict[str, dict[str, Any]] = {}
    for query, doc, number in rows:
        out.setdefault(query, {})[doc] = number
    return out


def frame(rows: Rows, value: str, folder: Any = None, **types: Any) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["query_id", "doc_id", value]).astype(types)


def arrow(rows: Rows, value: str, folder: Path | None = None) -> pa.Table:
    return pa.Table.from_pandas(frame(rows, value), preserve_index=False)


def trec(blank: str = " ", tag: str = "tag", end: str = "\n", last: str = "\n", before: str = "") -> Made:
    """Return what writes a TREC file of some form."""

    def make(rows: Rows, value: str, folder: Path) -> Path:
        of_run = [(q, "Q0", d, f"{rank}", f"{x}", tag) for rank, (q, d, x) in enumerate(rows, 1)]
        of_qrels = [(q, "0", d, f"{x}") for q, d, x in rows]
        lines = [blank.join(row) for row in (of_run if value == "score" else of_qrels)]
        (folder / f"some.{value}").write_bytes((before + end.join(lines) + last).encode())
        return folder / f"some.{value}"

    return make


def table(suffix: str, write: Callable[[pd.DataFrame, Path], Any]) -> Made:
    def make(rows: Rows, value: str, folder: Path) -> Path:
        write(frame(rows, value), folder / f"{value}{suffix}")
        return folder / f"{value}{suffix}"

    return make


def one_object(suffix: str = ".json", around: str = "{}", **options: Any) -> Made:
    """Return what writes one JSON object with an object for every topic, as ranx does."""

    def make(rows: Rows, value: str, folder: Path) -> Path:
        docs_of = {around.format(q): {around.format(d): x for d, x in of.items()} for q, of in as_dict(rows).items()}
        content = json.dumps(docs_of, **options).encode()
        (folder / f"{value}{suffix}").write_bytes(gzip.compress(content) if suffix.endswith("gz") else content)
        return folder / f"{value}{suffix}"

    return make


class Stream:
    """What speaks Arrow and does nothing else."""

    def __init__(self, table: pa.Table) -> None:
        self.__arrow_c_stream__ = table.__arrow_c_stream__


def in_parts(rows: Rows, value: str, folder: Path) -> Any:
    """Write Parquet files, one of which ends within a topic, with what Spark leaves beside them."""
    if value != "score":  # only a run may be a folder
        return table(".parquet", lambda t, p: t.to_parquet(p))(rows, value, folder)
    (folder / "parts").mkdir()
    for part in range(0, len(rows), 4):
        parquet.write_table(arrow(rows[part : part + 4], value), folder / "parts" / f"part-{part:05}.parquet")
    (folder / "parts" / "_SUCCESS").touch()
    (folder / "parts" / ".part-00000.parquet.crc").write_bytes(b"crc")
    return folder / "parts"


def read(rows: Any, value: str) -> Any:
    return (irmx.read_run if value == "score" else irmx.read_qrels)(rows)


PYTERRIER = {"query_id": "qid", "doc_id": "docno", "relevance": "label"}
KINDS: dict[str, Made] = {
    "dict": as_dict,
    "dict with numbers as topics": lambda r, v, f: {int(q): docs for q, docs in as_dict(r).items()},
    "frame": frame,
    "frame of categories": lambda r, v, f: frame(r, v, query_id="category", doc_id="category"),
    "frame with numbers as topics": lambda r, v, f: frame(r, v, query_id=int),
    "frame with numbers as texts": lambda r, v, f: frame(r, v, **{v: str}),
    "frame with PyTerrier's names": lambda r, v, f: frame(r, v).rename(columns=PYTERRIER),
    **{f"frame with {name}": lambda r, v, f, name=name: frame(r, v).rename(columns={**PYTERRIER, "doc_id": name}) for name in ("docid", "pid")},
    "frame with more columns": lambda r, v, f: frame(r, v).assign(rank=0, vector=[[1], None] * 5 if len(r) == 10 else "")[
        ["vector", v, "rank", "doc_id", "query_id"]
    ],
    "polars": lambda r, v, f: pl.from_pandas(frame(r, v)),
    "polars, lazy": lambda r, v, f: pl.from_pandas(frame(r, v)).lazy(),
    "polars, categories": lambda r, v, f: pl.from_pandas(frame(r, v)).with_columns(pl.col(pl.String).cast(pl.Categorical)),
    "Arrow": arrow,
    "Arrow stream": lambda r, v, f: arrow(r, v).to_reader(max_chunksize=3),
    "Arrow stream of another library": lambda r, v, f: Stream(arrow(r, v)),
    "Arrow dataset": lambda r, v, f: dataset.dataset(arrow(r, v)),
    "Arrow scanner": lambda r, v, f: dataset.dataset(arrow(r, v)).scanner(),
    "Arrow batches": lambda r, v, f: arrow(r, v).to_batches(max_chunksize=1),
    "Arrow tables": lambda r, v, f: [arrow(r[:1], v), arrow(r[1:] or r[:0], v).cast(arrow(r, v).schema)],
    "Arrow dictionaries": lambda r, v, f: arrow(r, v).set_column(1, "doc_id", pa.chunked_array(
        [pa.array([d for _, d, _ in part], pa.string()).dictionary_encode() for part in (r[:4], r[4:])])),
    "rows of ir_measures": lambda r, v, f: (
        ir_measures.ScoredDoc(*x) if v == "score" else ir_measures.Qrel(*x) for x in r
    ),
    "TREC": trec(),
    "TREC by format": lambda r, v, f: f"trec:{trec()(r, v, f)}",
    "TREC, CRLF": trec(end="\r\n", last="\r\n"),
    "TREC, untidy": trec(" \t  ", end="  \n \n  ", before="\ufeff"),
    "TREC, comments": trec(before="# made by us in 1999\n\n  #no blank behind it\n", end="\n# more\n#\n"),
    "TREC, longer tags": trec("  ", tag="my 2nd\u00a0run"),
    "csv": table(".csv", lambda t, p: t.to_csv(p, index=False)),
    "csv, CRLF and blanks": table(".csv", lambda t, p: p.write_bytes(
        t.to_csv(index=False, lineterminator="\r\n\r\n").replace(",", ", ").encode())),
    "csv, with more columns": table(".csv", lambda t, p: t.assign(note='"x, y"', rank=1).to_csv(p, index=False)),
    "tsv": table(".tsv", lambda t, p: t.to_csv(p, index=False, sep="\t")),
    "tsv, by its content": table(".txt", lambda t, p: t.to_csv(p, index=False, sep="\t")),
    "csv, quoted": table(".csv", lambda t, p: t.to_csv(p, index=False, quoting=csv.QUOTE_NONNUMERIC)),
    "csv, blanks": table(".csv", lambda t, p: t.rename(columns=" {}".format).map("{} ".format).to_csv(p, index=False)),
    "csv, blanks in quotes": table(".csv", lambda t, p: t.map(" {}".format).to_csv(p, index=False, quoting=csv.QUOTE_ALL)),
    "tsv, blanks": table(".tsv", lambda t, p: t.map(" {} ".format).to_csv(p, index=False, sep="\t")),
    "jsonl": table(".jsonl", lambda t, p: p.write_text("".join(f"{json.dumps(row)}\n" for row in t.to_dict("records")))),
    "jsonl, blanks": table(".jsonl", lambda t, p: t.map(" {} ".format).to_json(p, orient="records", lines=True)),
    "JSON": one_object(),
    "JSON, indented and packed": one_object(".json.gz", indent=2, ensure_ascii=False),
    "JSON, blanks": one_object(around=" {}  "),
    "parquet": table(".parquet", lambda t, p: t.to_parquet(p)),
    "folder of parquet": in_parts,
    "read already": lambda r, v, f: read(as_dict(r), v),
}  # fmt: skip


def test_the_values_by_hand() -> None:
    """The order is x1 d3 d1 é4 d2 x2 for topic 1 and x1 d9 d1 for topic 2."""
    found = values(as_dict(QRELS), as_dict(RUN))
    uniform = [(1 / 2 + 2 / 3 + 3 / 4) / 3, (1 / 2 + 2 / 3) / 2, 0]
    assert [found[topic, "NCP(law=uniform)"] for topic in "123"] == uniform
    assert [found[topic, "NCP(law=zipf,rel=2)@3"] for topic in "123"] == [1 / 3, 1 / 2, 0]
    assert len(found) == 12


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_gives_one_result(kind: str, tmp_path: Path) -> None:
    """Whichever of the two is of the kind, in whatever order its rows are, and for measures of providers, too."""
    qrels, run = as_dict(QRELS), as_dict(RUN)
    expected, make = values(qrels, run), KINDS[kind]
    (tmp_path / "mixed").mkdir()
    assert values(qrels, make(RUN, "score", tmp_path)) == expected
    assert values(make(QRELS, "relevance", tmp_path), run) == expected
    mixed = make(RUN[::-2] + RUN[::2], "score", tmp_path / "mixed")
    assert values(make(QRELS, "relevance", tmp_path), mixed) == expected
    ap, uniform = irmx.calc_aggregate("AP NCP(law=uniform)", make(QRELS, "relevance", tmp_path), run).values()
    assert ap == pytest.approx(uniform, abs=1e-12)


@pytest.mark.parametrize("kind", ["dict", "frame", "rows of ir_measures", "TREC", "csv", "parquet"])
def test_the_order_of_rows_breaks_ties_on_request(kind: str, tmp_path: Path) -> None:
    for rows, rank in (([("q", "a", 1.0), ("q", "b", 1.0), ("q", "c", 1.0), ("q", "z", 5.0)], 3),
                       ([("q", "b", 1.0), ("q", "z", 5.0), ("q", "c", 1.0), ("q", "a", 1.0)], 2)):  # fmt: skip
        run = KINDS[kind](rows, "score", tmp_path)
        assert list(irmx.calc_aggregate("NCP(law=first,ties='run')", {"q": {"b": 1}}, run).values()) == [1 / rank]


LAST = [("q", "a", -math.inf), ("q", "x", 1.0), ("q", "b", -1e30), ("q", "y", -math.inf), ("r", "c", -math.inf)]


@pytest.mark.parametrize("kind", ["TREC", "csv", "tsv", "jsonl", "JSON", "parquet", "frame", "Arrow", "dict"])
def test_a_score_of_minus_infinity_is_ranked_last(kind: str, tmp_path: Path) -> None:
    run = KINDS[kind](LAST, "score", tmp_path)
    rankings = irmx.rankings({"q": {"a": 1, "b": 1, "x": 1, "y": 1}, "r": {"c": 1}}, run)
    found = dict(zip(rankings.relevant.doc_ids, rankings.relevant.rank.tolist(), strict=True))
    assert found == {"x": 1, "b": 2, "y": 3, "a": 4, "c": 1}
    assert list(irmx.calc_aggregate("NCP(law=first) P@4", {"q": {"a": 1}}, run).values()) == [0.25, 0.25]


def test_means_do_not_depend_on_the_order_of_topics(tmp_path: Path) -> None:
    drawn, measures = random.Random(26), "AP nDCG NCP(law=uniform)"
    rows = [(f"{topic}", f"d{doc}", drawn.randrange(3)) for topic in range(97) for doc in range(9)]
    run = {f"{topic}": {f"d{doc}": drawn.random() for doc in range(9)} for topic in range(97)}
    first = irmx.calc_aggregate(measures, as_dict(rows), run)
    for _ in range(12):
        drawn.shuffle(rows)
        for qrels in (trec()(rows, "relevance", tmp_path), as_dict(rows)):
            assert irmx.calc_aggregate(measures, qrels, run) == first
    of_topics = [m.value for m in irmx.iter_calc("AP", as_dict(rows), run)]
    assert next(iter(first.values())) == math.fsum(of_topics) / len(of_topics)


# -- whatever the ids and the scores are ---------------------------------------------------------------------------

ids = st.text(st.characters(categories=("L", "N", "P", "S"), exclude_characters="\ufffe\uffff"), min_size=1, max_size=9) | st.sampled_from(
    ["NA", "nan", "null", "007", "1e5", "2014-03-01", "true", "#", "#1", "größe", "\U0001f600", '"q"', "a,b", "clueweb09-en0001-1"]
)  # fmt: skip
scores = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([0.0, -0.0, 1.0])
any_rows = st.lists(st.tuples(ids, ids, scores), min_size=1, max_size=12, unique_by=lambda row: row[:2])


@given(
    rows=any_rows,
    kind=st.sampled_from([k for k in KINDS if not {"untidy", "comments", "blanks", "topics"} & set(k.split())]),
)
@settings(max_examples=100)
@example(rows=[("q", "a", -3.402823567797337e38), ("q", "b", -3.4028235677973366e38)], kind="dict")
@pytest.mark.filterwarnings("ignore:.*whole-number scores tie:irmx.DataWarning")
def test_what_was_written_is_read(rows: Rows, kind: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The same topics, documents and scores in the same order; only JSON begins with a brace, whatever the name of the file."""
    assume(not (kind.startswith("TREC") and rows[0][0].startswith("{")))
    found = read(KINDS[kind](rows, "score", tmp_path_factory.mktemp("run")), "score").as_dict()
    expected = as_dict(rows)
    assert found == expected
    assert [(q, list(docs)) for q, docs in found.items()] == [(q, list(docs)) for q, docs in expected.items()]


# -- numbers and ids --------------------------------------------------------------------------------------------------

NUMBERS = {"+3": 3, "-2.5": -2.5, ".5": 0.5, "5.": 5, "1E-5": 1e-5, "007": 7, "9007199254740993": 2.0**53}


@pytest.mark.parametrize("kind", ["TREC", "csv", "tsv", "jsonl", "frame", "dict"])
def test_the_same_texts_are_numbers_everywhere(kind: str, tmp_path: Path) -> None:
    rows = [("q", f"d{i}", text) for i, text in enumerate(NUMBERS)]
    for value in ("score", "relevance"):
        found = read(KINDS[kind](rows, value, tmp_path), value).as_dict()["q"]
        assert list(found.values()) == list(NUMBERS.values())


@pytest.mark.parametrize("kind", ["TREC", "csv", "tsv", "jsonl", "frame", "parquet", "dict", "polars", "Arrow"])
@pytest.mark.parametrize("grades", [[True, False], ["True", "FALSE"]])
def test_true_and_false_are_grades_everywhere(kind: str, grades: list[Any], tmp_path: Path) -> None:
    rows = [("q", "a", grades[0]), ("q", "b", grades[1])]
    assert read(KINDS[kind](rows, "relevance", tmp_path), "relevance").as_dict() == {"q": {"a": 1, "b": 0}}
    texts = {"q": {"a": "yes", "b": "no"}}
    rows = [("q", doc, label) for doc, label in texts["q"].items()]
    source = KINDS[kind](rows, "relevance", tmp_path)
    with pytest.raises(irmx.DataError, match="yes"):
        irmx.read_qrels(source)
    assert irmx.read_qrels(source, grades={"yes": 3, "no": 0.5}).as_dict() == {"q": {"a": 3, "b": 0.5}}
    with pytest.raises(irmx.DataError, match="no, which is not mapped"):
        irmx.read_qrels(source, grades={"yes": 3})


def test_grades_that_stand_for_others() -> None:
    qrels = {"p": {"a": 2, "b": 0, "c": -1}, "q": {}}
    for source in (qrels, irmx.read_qrels(qrels)):
        found = irmx.read_qrels(source, grades={"2": 1, 0: 0.5})
        assert found.as_dict() == {"p": {"a": 1, "b": 0.5, "c": -1}, **({"q": {}} if source is qrels else {})}
    assert irmx.read_qrels({"p": {"a": 2, "b": "x", "c": -1}}, grades={2: 1, "x": 0}).as_dict()["p"]["b"] == 0


def test_rows_stay_with_their_topic_where_another_has_none() -> None:
    judgments = irmx.read_qrels({"p": {}, "q": {"a": "yes"}}, grades={"yes": 1})
    more = judgments.with_rows({"p": {"b": 2}})
    for found in (judgments, more, more.where(more.grade <= 1, keep_topics=True)):
        assert {row.doc_id: row.query_id for row in found}.items() <= {"a": "q", "b": "p"}.items()
        assert {doc: topic for topic, docs in found.as_dict().items() for doc in docs}.items() <= {
            "a": "q",
            "b": "p",
        }.items()


def test_ids_of_documents_in_dicts_are_texts_or_whole_numbers() -> None:
    qrels, run = {"q": {1: 1, "2": 0}}, {"q": {np.int64(1): 2.0, 3: 1.0}}
    for q, r in itertools.product((qrels, {"q": {"1": 1, "2": 0}}), (run, {"q": {"1": 2.0, "3": 1.0}})):
        assert list(irmx.calc_aggregate("NCP(law=first) AP", q, r).values()) == [1, 1]
    for odd in ({1: 1, "1": 0}, {True: 1}, {1.5: 1}, {None: 1}, {1: 1, 2.5: 0}):
        for q, r in (({"q": odd}, run), (qrels, {"q": odd})):
            with pytest.raises(irmx.DataError, match=r"query q|document id"):
                irmx.calc_aggregate("NCP(law=first)", q, r)


@pytest.mark.parametrize("kind", ["TREC", "csv", "csv, quoted", "tsv", "jsonl"])
@pytest.mark.parametrize("space", ["\u00a0", "\u2003", "\u0085", "\x1c"])
def test_other_spaces_than_those_of_ascii_are_part_of_an_id(kind: str, space: str, tmp_path: Path) -> None:
    rows = [("1", f"a{space}b", 1), ("1", f"{space}c", 1), ("1", "d", 0)]
    assert read(KINDS[kind](rows, "relevance", tmp_path), "relevance").as_dict() == as_dict(rows)


STARTS, ENDS = ("", "a", "b", "ä", "http://a/", "http://b/"), ("", "0", "00000000", "1/index.html")
ALIKE = [start + letter * 9 + end for start in STARTS for letter in "xy" for end in ENDS]
"""Ids that differ at their beginnings, at their ends, or in their lengths alone."""


@pytest.mark.parametrize("seed", range(20))
def test_tables_find_the_documents_that_dicts_find(seed: int) -> None:
    """Documents of tables are found by the lengths and ends of their ids, those of dicts by the ids."""
    drawn = random.Random(seed)
    dicts = [
        {topic: {doc: float(drawn.randrange(most)) for doc in drawn.sample(ALIKE, 30)} for topic in topics}
        for topics, most in (("pq", 3), ("qrp", 40))
    ]
    tables = [
        pd.DataFrame(
            [(topic, *row) for topic, of in data.items() for row in of.items()], columns=["qid", "docno", name]
        )
        for data, name in zip(dicts, ("relevance", "score"), strict=True)
    ]
    by_kind = [irmx.calc("AP nDCG P@3 bpref", *given).per_query for given in (tables, dicts)]
    found, expected = ({(m.query_id, str(m.measure)): m.value for m in metrics} for metrics in by_kind)
    assert found == expected


def test_blanks_around_ids_in_memory_are_part_of_them() -> None:
    rows = [("1", " d1", 2.0), ("1", "d1", 1.0)]
    assert irmx.read_run(frame(rows, "score")).as_dict() == irmx.read_run(as_dict(rows)).as_dict() == as_dict(rows)


def test_long_cells_and_many_columns_are_read_soon(tmp_path: Path, command: Any) -> None:
    start, long = time.monotonic(), "a" * 1_000_000
    (tmp_path / "qrels").write_text(f"q 0 {long} 1\nq 0 b 1\n")
    (tmp_path / "run").write_text(f"q Q0 {long} 1 2.0 t\nq Q0 b 2 2.0 t\n")
    done = command("eval", "qrels", "run", "AP", "NCP(law=uniform)")
    assert (done.code, done.out) == (0, "AP\t1.0000\nNCP(law=uniform)\t1.0000\n")
    (tmp_path / "qrels.csv").write_text(f'query_id,doc_id,relevance,text\n1,a,1,"{"x" * 200_000}"\n')
    assert irmx.read_qrels(tmp_path / "qrels.csv").as_dict() == {"1": {"a": 1}}
    names = ["query_id", "doc_id", "score", *(f"c{i}" for i in range(4997))]
    for suffix, delimiter in (("csv", ","), ("tsv", "\t")):
        text = f"{delimiter.join(names)}\n{delimiter.join(['q', 'a', *['1'] * 4998])}\n".encode()
        for path, content in ((tmp_path / f"w.{suffix}", text), (tmp_path / f"w.{suffix}.gz", gzip.compress(text))):
            path.write_bytes(content)
            assert irmx.read_run(path).as_dict() == {"q": {"a": 1.0}}
            assert len(irmx.read_table(path, {"doc_id": str})) == 1
    assert time.monotonic() - start < 60


@pytest.mark.parametrize(("scores", "are_told"), [("123", True), ("321", False), ("133", False), ("12", False)])
def test_scores_that_rise_with_the_ranks_are_told(
    scores: str, are_told: bool, tmp_path: Path, command: Callable[..., Any]
) -> None:
    lines = [f"q Q0 d{rank} {rank} {score} t\n" for rank, score in enumerate(scores, 1)]
    (tmp_path / "run").write_text("".join(lines) + "p Q0 d 1 1 t\n")
    (tmp_path / "qrels").write_text("q 0 d1 1\np 0 d 1\n")
    done = command("eval", "qrels", "run", "RR", cwd=tmp_path)
    assert (done.err.count("run:"), "rank 2" in done.err) == (are_told, are_told)


@pytest.mark.parametrize("kind", ["TREC", "csv", "parquet", "frame"])
@pytest.mark.parametrize("most", [1_700_000_000_000_000_003, 2**24 + 3])
def test_whole_numbers_that_single_precision_makes_equal_are_said(kind: str, most: int, tmp_path: Path) -> None:
    run = KINDS[kind]([("1", doc, most - i) for i, doc in enumerate("abcd")], "score", tmp_path)
    with pytest.warns(irmx.DataWarning, match="whole-number scores tie with different ones") as told:
        irmx.read_run(run)
    assert len(told) == 1


def test_scores_that_tie_are_said_for_dicts_and_other_scores_are_not() -> None:
    for scores, said in (((-math.inf, -1e39), "-inf"), ((2**24, 2**24 + 1), "16777217 with 16777216")):
        with pytest.warns(irmx.DataWarning, match=said):
            irmx.read_run({"1": dict(zip("ab", scores, strict=True))})
    for others in ([3, 2, 1], [2**24, 2**24 - 1, 1], [2**26, 2**25, 2**25], [1e30, 1e29, 0.5]):
        run = {"1": dict(zip("abc", others, strict=True)), "2": {"a": 2.0**24 + 1}}
        assert list(irmx.calc_aggregate("AP", {"1": {"a": 1}}, run).values()) == [1.0]
        assert irmx.read_run(run).score[:3].tolist() == others


def test_numbers_of_every_type() -> None:
    given_scores = [True, np.False_, Decimal("1.5"), np.float32(0.25), 3, Fraction(1, 2), 10**30]
    found = irmx.read_run({"p": {}, "q": dict(zip("abcdefg", given_scores, strict=True))}).score.tolist()
    assert found == [1, 0, 1.5, 0.25, 3, 0.5, 1e30]
    for column in (pa.array([1, 2**62]), pa.array([1, 2**64 - 1], pa.uint64()), pa.array(np.array([1, 3], np.float16)),
                   pa.array([Decimal("1"), Decimal("3")]), [1, 10**30]):  # fmt: skip
        columns: Any = {"query_id": ["q", "q"], "doc_id": ["a", "b"], "score": column}
        run = pa.table(columns) if isinstance(column, pa.Array) else pd.DataFrame(columns)
        assert list(irmx.calc_aggregate("NCP(law=first)", {"q": {"a": 1}}, run).values()) == [0.5]


@pytest.mark.parametrize(
    ("stamps", "found"),
    [
        (["1", "+2.5", "1e1"], [1, 2.5, 10]),
        (["1970-01-02", "1970-01-03T00:00:00Z", "1970-01-04"], [86_400, 172_800, 259_200]),
        (pa.array([-5_000_000, 0, 9]).cast(pa.timestamp("s")), [-5_000_000, 0, 9]),
        (pa.array([-150_000, 0, 1], pa.int32()).cast(pa.date32()), [-150_000 * 86_400, 0, 86_400]),
        (["1", "x", "3"], "row 1"),
        (["2014-03-01", "2014-13-45", "2014-03-04"], "row 1"),
        (["1", "1_0", "3"], "row 1"),
    ],
)
def test_a_column_of_times(stamps: Any, found: Any, tmp_path: Path) -> None:
    """One wrong cell makes no other cell wrong; it is named, with its line if it has one."""
    run = pa.table({"query_id": ["q"] * 3, "doc_id": list("abc"), "score": [3.0, 2.0, 1.0], "stamp": stamps})
    sources: list[Any] = [run]
    if isinstance(stamps, list):
        run.to_pandas().to_csv(tmp_path / "run.csv", index=False)
        run.to_pandas().to_json(tmp_path / "run.jsonl", orient="records", lines=True)
        sources += [tmp_path / "run.csv", tmp_path / "run.jsonl"]
    for source, place in zip(sources, ("", "run.csv, line 3", "run.jsonl, line 2"), strict=False):
        relevant = irmx.rankings({"q": dict.fromkeys("abc", 1)}, source).relevant
        if isinstance(found, list):
            assert relevant.column(Column("run", "stamp", "when", "s")).tolist() == found
            continue
        with pytest.raises(DataError) as error:
            relevant.column(Column("run", "stamp", "when", "s"))
        assert (place or found) in str(error.value)


# -- qrels ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("label", ["iteration", "subtopic_id", "vertical"])
@pytest.mark.parametrize("kind", ["csv", "jsonl", "frame"])
def test_a_row_without_a_document_may_declare_a_subtopic_or_a_vertical(kind: str, label: str, tmp_path: Path) -> None:
    qrels: Any = frame([("q", "a", 1), ("q", "", 1)], "relevance").assign(**{label: "s1"})
    path = tmp_path / f"some.{kind}"
    if kind != "frame":
        path.write_text(qrels.to_csv(index=False) if kind == "csv" else qrels.to_json(orient="records", lines=True))
    assert list(irmx.calc_aggregate("AP", qrels if kind == "frame" else path, {"q": {"a": 1.0}}).values()) == [1.0]


@pytest.mark.parametrize("topics", ["12", "21", "312"])
def test_a_topic_without_documents_is_a_topic_in_a_file_as_in_a_dict(topics: str, tmp_path: Path) -> None:
    qrels: dict[str, Any] = {topic: {"a": 1} if topic == "1" else {} for topic in topics}
    (tmp_path / "qrels.json").write_text(json.dumps(qrels))
    for source in (qrels, tmp_path / "qrels.json"):
        assert list(irmx.calc_aggregate("AP", source, {"1": {"a": 1.0}}).values()) == [1 / len(qrels)]
        assert irmx.read_qrels(source).topics == list(topics)
    assert irmx.read_qrels(tmp_path / "qrels.json").as_dict() == irmx.read_qrels(qrels).as_dict()


@pytest.mark.parametrize(
    ("kind", "place"), [("frame", "rows 1 and 2"), ("rows of ir_measures", "rows 1 and 2"), ("TREC", "lines 2 and 3"),
                        ("csv", "lines 3 and 4"), ("jsonl", "lines 2 and 3"), ("parquet", "relevance.parquet")]
)  # fmt: skip
def test_of_several_rows_for_a_document_the_largest_grade_counts(kind: str, place: str, tmp_path: Path) -> None:
    rows = [("q", "b", 1), ("q", "a", 0), ("q", "a", 2), ("q", "a", 1), ("q", "b", 0)]
    with pytest.warns(irmx.DataWarning, match=f"{place}.*the largest grade of a document counts") as told:
        judgments = irmx.read_qrels(KINDS[kind](rows, "relevance", tmp_path))
    assert len(told) == 1
    assert judgments.as_dict() == {"q": {"a": 2, "b": 1}}
    found = irmx.calc_aggregate("NCP(law=uniform,rel=2)", judgments, {"q": {"b": 2.0, "a": 1.0}})
    assert list(found.values()) == [0.5]


@pytest.mark.parametrize(
    ("rows", "warned"),
    [
        ([("q", "a", 1, "0"), ("q", "a", 1, "0")], 0),
        ([("q", "a", 1, "s1"), ("q", "a", 0, "s2"), ("r", "a", 0, "s1")], 0),
        ([("q", "a", 1, ""), ("q", "a", 0, "s2")], 0),
        ([("q", "a", 1, "s1"), ("q", "a", 0, "s2"), ("q", "a", 2, "s2")], 1),
        ([("q", "", 1, "s1"), ("q", "a", 0, "s1")], 0),
    ],
)
def test_only_rows_of_one_subtopic_contradict_each_other(rows: list[Any], warned: int) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        irmx.read_qrels(pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"]))
    assert len(caught) == warned


@pytest.mark.filterwarnings("ignore:.*contradict each other")
@pytest.mark.parametrize("order", [(0, 1, 2, 3, 4, 5), (5, 3, 1, 4, 2, 0), (1, 0, 3, 2, 5, 4)])
def test_measures_of_subtopics_take_the_largest_grade_too(order: tuple[int, ...], tmp_path: Path) -> None:
    """The gains of ndeval are 1 for every new subtopic of a document, discounted by the rank."""
    rows = [("1", "s1", "a", 1), ("1", "s1", "a", 0), ("1", "s2", "b", 1), ("1", "s2", "a", 0), ("1", "s1", "c", 0),
            ("2", "s1", "a", 0)]  # fmt: skip
    qrels = pd.DataFrame([rows[i] for i in order], columns=["query_id", "iteration", "doc_id", "relevance"])
    qrels.to_csv(tmp_path / "some.qrels", sep=" ", header=False, index=False)
    for source in (qrels, tmp_path / "some.qrels"):
        evaluator = irmx.toolkit.Evaluator("alpha_nDCG@5 StRecall@1 P_IA@1", source)
        found = evaluator.values({"1": {"a": 3.0, "x": 2.0, "b": 1.0}})
        ideal = 1 + 1 / np.log2(3)
        assert [of["1"] for of in found.values()] == pytest.approx([(1 + 1 / np.log2(4)) / ideal, 0.5, 0.5], abs=1e-6)


@pytest.mark.parametrize("suffix", [".tsv", ".csv", "", ".tsv.gz"])
def test_qrels_of_beir(suffix: str, tmp_path: Path) -> None:
    """A table with the header query-id, corpus-id, score, where the score is the grade."""
    text = "query-id\tcorpus-id\tscore\nq\ta\t1\nr\tb\t2\n".replace("\t", "," if suffix == ".csv" else "\t").encode()
    (tmp_path / f"test{suffix}").write_bytes(gzip.compress(text) if suffix.endswith("gz") else text)
    assert irmx.read_qrels(tmp_path / f"test{suffix}").as_dict() == {"q": {"a": 1}, "r": {"b": 2}}
    with pytest.raises(DataError):
        irmx.read_run(tmp_path / f"test{suffix}")


def test_ids_that_begin_with_a_number_sign_are_topics(tmp_path: Path) -> None:
    """A line that cannot be a row is a comment before the first row, and below it if a blank is behind the sign."""
    rows = "#310 0 a 1\n# grade of b unsure\n#310 0 b 0\n# 0 a 1\n  #\tindented\n311 0 a 1\n"
    (tmp_path / "some.qrels").write_text("# made by us in 1999\n\n  #no blank behind it\n309 0 a 1\n" + rows)
    expected = {"309": {"a": 1}, "#310": {"a": 1, "b": 0}, "#": {"a": 1}, "311": {"a": 1}}
    assert irmx.read_qrels(tmp_path / "some.qrels").as_dict() == expected


def test_a_dataset_of_ir_datasets_by_id(tmp_path: Path) -> None:
    from ir_datasets.datasets.base import Dataset
    from ir_datasets.formats import TrecQrels
    from ir_datasets.util import LocalDownload

    path, name = trec()(QRELS, "relevance", tmp_path), "irmx-test-collection/inputs"
    ir_datasets.registry.register(name, Dataset(TrecQrels(LocalDownload(path), {0: "no", 1: "yes"})))
    assert values(name, as_dict(RUN)) == values(path, as_dict(RUN))
    for other in ("irmx-test-collection/none", "msmarco-passage"):
        with pytest.raises(DataError, match=other):
            irmx.read_qrels(other)


# -- runs -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("empty", [frame([], "score"), {}, {"1": {}}, [], arrow([], "score").cast(arrow(RUN, "score").schema)],
                         ids=["frame", "dict", "dict with an empty topic", "list", "Arrow"])  # fmt: skip
def test_an_empty_run_gives_the_default_for_every_topic_of_the_qrels(empty: Any) -> None:
    found = list(irmx.iter_calc("MP(model=GL_AD_ID) NCP(law=first)", as_dict(QRELS), empty))
    assert [(m.query_id, m.value) for m in found] == [(topic, 0.0) for topic in "112233"]


def test_columns_of_parquet_may_have_dots_and_those_that_are_not_read_go_to_other_processes(
    tmp_path: Path, command: Any
) -> None:
    for name, number in (("qrels", "relevance"), ("one", "score"), ("two", "score")):
        columns = {"query_id": ["1", "1"], "doc_id": ["a", "b"], number: [2, 1], "a.b": [0, 7]}
        parquet.write_table(pa.table(columns), tmp_path / f"{name}.parquet")
    judgments, run = irmx.read_qrels(tmp_path / "qrels.parquet"), irmx.read_run(tmp_path / "one.parquet")
    assert pickle.loads(pickle.dumps(judgments)).as_dict() == judgments.as_dict() == {"1": {"a": 2, "b": 1}}
    assert "a.b" in pickle.loads(pickle.dumps(run)).columns
    assert irmx.read_table(tmp_path / "one.parquet", {"a.b": int})["a.b"].tolist() == [0, 7]
    files = ("qrels.parquet", "one.parquet", "two.parquet")
    done, alone = (command("eval", *files, "AP", "RR", "--jobs", jobs) for jobs in ("2", "1"))
    assert (done.code, done.out) == (0, alone.out)


def test_a_data_set_of_hugging_face_is_a_run() -> None:
    datasets = pytest.importorskip("datasets", reason="needs Hugging Face's datasets")
    rows = datasets.Dataset.from_dict({"query_id": ["1", "1"], "doc_id": ["a", "b"], "score": [2.0, 1.0]})
    assert irmx.read_run(rows).as_dict() == {"1": {"a": 2.0, "b": 1.0}}


# -- names of columns, and files of other kinds --------------------------------------------------------------


def test_a_user_says_what_files_call_a_column(tmp_path: Path, command: Any) -> None:
    (tmp_path / "mteb.tsv").write_text("query-id\tcorpus-id\tgain\n1\td1\t0\n1\td2\t2\n")
    (tmp_path / "odd.csv").write_text("x,y,z,score\n1,d1,2.0,1\n1,d2,1.0,5\n")
    (tmp_path / "qrels.txt").write_text("1 0 d1 0\n1 0 d2 2\n")
    (tmp_path / "run.txt").write_text("1 Q0 d1 1 2.0 x\n1 Q0 d2 2 1.0 x\n")
    named = ("--column", "topic=x", "--column", "id=y", "--column", "score=z")
    for words, code in (
        (("eval", "mteb.tsv", "run.txt", "RR"), 1),
        (("--column", "grade=gain", "eval", "mteb.tsv", "run.txt", "RR"), 0),
        ((*named, "eval", "qrels.txt", "odd.csv", "RR"), 1),  # a score is there twice
        (("--column", "grade=gian", "eval", "qrels.txt", "run.txt", "RR"), 1),  # mistyped, or for another file
        (("--column", "grades=gain", "eval", "mteb.tsv", "run.txt", "RR"), 2),
        (("--column", "gain", "eval", "mteb.tsv", "run.txt", "RR"), 2),
    ):
        done = command(*words)
        assert (done.code, done.out) == (code, "" if code else "RR\t0.5000\n"), words
    (tmp_path / "odd.csv").write_text("x,y,z\n1,d1,2.0\n1,d2,1.0\n")
    assert command(*named, "eval", "qrels.txt", "odd.csv", "RR").out == "RR\t0.5000\n"
    assert command(*named[:4], "--column", "grade=z", "eval", "odd.csv", "run.txt", "RR").out == "RR\t1.0000\n"
    assert "IRMX_COLUMN" not in os.environ


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("query_id;doc_id;relevance\n1;d1;2\n", "semicolons"),
        ("2 qid:1 1:0.5 2:0.1 # d1\n0 qid:1 1:0.2 2:0.3 # d2\n", "RankLib"),
        ("PK\x03\x04\x14\0\0\0", "ZIP archive"),
    ],
)
def test_files_of_other_kinds_are_called_by_their_names(text: str, word: str, tmp_path: Path, command: Any) -> None:
    (tmp_path / "odd.csv" if ";" in text else tmp_path / "odd.txt").write_text(text)
    [odd] = tmp_path.iterdir()
    (tmp_path / "q").write_text("1 0 d1 1\n")
    for words in ((odd.name, "q"), ("q", odd.name)):
        command("eval", *words, "AP").assert_refused(1, word)
