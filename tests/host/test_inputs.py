"""Qrels and runs of every kind give one result; nothing but what is documented depends on their form."""

import gzip
import random
import re
import warnings
from collections import namedtuple
from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any

import ir_datasets
import ir_measures
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

import irmx

MEASURES = "NCP(law=uniform) NCP(law=zipf,rel=2)@3 MP(model=GL_AD_ID) MP(model=LO_OR_LID,judged_only=True)"
QRELS = [("1", "d1", 2), ("1", "d2", 0), ("1", "d3", 1), ("1", "é4", 1), ("2", "d1", 1), ("2", "d9", 3), ("3", "d1", 1)]
RUN = [
    ("1", "d3", 2.5), ("1", "x1", 2.5), ("1", "d1", 1.5), ("1", "é4", 1.25), ("1", "d2", 0.5), ("1", "x2", -1.0),
    ("2", "x1", 4.0), ("2", "d9", 3.0), ("2", "d1", 3.0), ("4", "d1", 1.0),
]  # fmt: skip
Qrel = namedtuple("Qrel", "query_id doc_id relevance iteration")
ScoredDoc = namedtuple("ScoredDoc", "query_id doc_id score")
Made = Callable[[list[tuple[str, str, Any]], str, Path], Any]


def values(qrels: Any, run: Any, measures: str = MEASURES) -> dict[tuple[str, str], float]:
    return {(str(m.query_id), str(m.measure)): m.value for m in irmx.iter_calc(measures, qrels, run)}


EXPECTED = {
    ("1", "NCP(law=uniform)"): (1 / 2 + 2 / 3 + 3 / 4) / 3,
    ("2", "NCP(law=uniform)"): (1 / 2 + 2 / 3) / 2,
    ("3", "NCP(law=uniform)"): 0.0,
    ("1", "NCP(law=zipf,rel=2)@3"): 1 / 3,
    ("2", "NCP(law=zipf,rel=2)@3"): 1 / 2,
    ("3", "NCP(law=zipf,rel=2)@3"): 0.0,
}
"""By hand: the order is x1 d3 d1 é4 d2 x2 for topic 1 and x1 d9 d1 for topic 2."""


def as_dict(rows: list[tuple[str, str, Any]], value: str, folder: Path) -> Any:
    out: dict[str, dict[str, Any]] = {}
    for query, doc, number in rows:
        out.setdefault(query, {})[doc] = number
    return out


def as_frame(rows: list[tuple[str, str, Any]], value: str, folder: Path, **types: Any) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["query_id", "doc_id", value]).astype(types)


def as_trec(rows: list[tuple[str, str, Any]], value: str, folder: Path) -> Path:
    lines = [f"{q} Q0 {d} {i} {v} tag" if value == "score" else f"{q} 0 {d} {v}" for i, (q, d, v) in enumerate(rows, 1)]
    path = folder / f"some.{value}"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def as_packed_trec(rows: list[tuple[str, str, Any]], value: str, folder: Path) -> Path:
    path = folder / f"some.{value}.gz"
    path.write_bytes(gzip.compress(as_trec(rows, value, folder).read_bytes()))
    return path


def as_untidy_trec(rows: list[tuple[str, str, Any]], value: str, folder: Path) -> Path:
    text = as_trec(rows, value, folder).read_text(encoding="utf-8")
    path = folder / f"untidy.{value}"
    path.write_bytes(b"\xef\xbb\xbf" + text.replace(" ", " \t  ").replace("\n", "  \r\n\r\n").encode())
    return path


def as_table_file(suffix: str, write: Callable[[pd.DataFrame, Path], Any]) -> Made:
    def make(rows: list[tuple[str, str, Any]], value: str, folder: Path) -> Path:
        path = folder / f"{value}{suffix}"
        write(as_frame(rows, value, folder), path)
        return path

    return make


KINDS: dict[str, Made] = {
    "dict": as_dict,
    "dict with numbers as query ids": lambda r, v, f: {int(q): d for q, d in as_dict(r, v, f).items()},
    "frame": as_frame,
    "frame of objects": lambda r, v, f: as_frame(r, v, f, query_id=object, doc_id=object),
    "frame of categories": lambda r, v, f: as_frame(r, v, f, query_id="category", doc_id="category"),
    "frame of strings": lambda r, v, f: as_frame(r, v, f, query_id="string", doc_id="string"),
    "frame of Arrow strings": lambda r, v, f: as_frame(r, v, f, query_id="string[pyarrow]", doc_id="string[pyarrow]"),
    "frame with numbers as query ids": lambda r, v, f: as_frame(r, v, f, query_id=int),
    "frame of objects with numbers as query ids": lambda r, v, f: as_frame(r, v, f, query_id=int).astype(object),
    "frame with odd index": lambda r, v, f: as_frame(r, v, f).set_index(pd.Index(range(0, -len(r), -1))),
    "frame with PyTerrier's names": lambda r, v, f: as_frame(r, v, f).set_axis(
        ["qid", "docno", "label" if v == "relevance" else "score"], axis=1
    ),
    "frame with more columns": lambda r, v, f: as_frame(r, v, f).assign(rank=0, note="n")[
        ["note", v, "rank", "doc_id", "query_id"]
    ],
    "Arrow table": lambda r, v, f: pa.Table.from_pandas(as_frame(r, v, f)),
    "Arrow table in parts": lambda r, v, f: pa.concat_tables(
        [pa.Table.from_pandas(as_frame(r[:4], v, f)), pa.Table.from_pandas(as_frame(r[4:], v, f))]
    ),
    "namedtuples": lambda r, v, f: [ScoredDoc(*x) if v == "score" else Qrel(*x, "0") for x in r],
    "generator": lambda r, v, f: (ScoredDoc(*x) if v == "score" else Qrel(*x, "0") for x in r),
    "ir_measures rows": lambda r, v, f: iter(
        [ir_measures.ScoredDoc(*x) if v == "score" else ir_measures.Qrel(*x) for x in r]
    ),
    "TREC file": as_trec,
    "TREC file as text": lambda r, v, f: str(as_trec(r, v, f)),
    "TREC file by format": lambda r, v, f: f"trec:{as_trec(r, v, f)}",
    "TREC file, packed": as_packed_trec,
    "TREC file, untidy": as_untidy_trec,
    "csv": as_table_file(".csv", lambda t, p: t.to_csv(p, index=False)),
    "csv, packed": as_table_file(".csv.gz", lambda t, p: t.to_csv(p, index=False)),
    "csv, quoted": as_table_file(".csv", lambda t, p: t.to_csv(p, index=False, quoting=1)),
    "tsv": as_table_file(".tsv", lambda t, p: t.to_csv(p, index=False, sep="\t")),
    "jsonl": as_table_file(".jsonl", lambda t, p: t.to_json(p, orient="records", lines=True, force_ascii=False)),
    "parquet": as_table_file(".parquet", lambda t, p: parquet.write_table(pa.Table.from_pandas(t), p)),
    "read already": lambda r, v, f: (irmx.read_run if v == "score" else irmx.read_qrels)(as_dict(r, v, f)),
    "iterated again": lambda r, v, f: iter((irmx.read_run if v == "score" else irmx.read_qrels)(as_frame(r, v, f))),
}  # fmt: skip


def test_the_expected_values() -> None:
    found = values(as_dict(QRELS, "relevance", Path()), as_dict(RUN, "score", Path()))
    assert {k: found[k] for k in EXPECTED} == pytest.approx(EXPECTED, abs=1e-12)
    assert {topic for topic, _ in found} == {"1", "2", "3"}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_run_gives_one_result(kind: str, tmp_path: Path) -> None:
    qrels = as_dict(QRELS, "relevance", tmp_path)
    expected = values(qrels, as_dict(RUN, "score", tmp_path))
    assert values(qrels, KINDS[kind](RUN, "score", tmp_path)) == expected


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_qrels_gives_one_result(kind: str, tmp_path: Path) -> None:
    expected = values(as_dict(QRELS, "relevance", tmp_path), as_dict(RUN, "score", tmp_path))
    for run in ("dict", "frame"):
        assert values(KINDS[kind](QRELS, "relevance", tmp_path), KINDS[run](RUN, "score", tmp_path)) == expected


@pytest.mark.parametrize("kind", KINDS)
def test_upstream_measures_see_the_same(kind: str, tmp_path: Path) -> None:
    made = KINDS[kind](QRELS, "relevance", tmp_path), KINDS[kind](RUN, "score", tmp_path)
    found = irmx.calc_aggregate("AP NCP(law=uniform) RR NCP(law=first)", *made)
    ap, uniform, rr, first = found.values()
    assert uniform == pytest.approx(ap, abs=1e-12)
    assert first == pytest.approx(rr, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kind", ["dict", "frame", "generator", "TREC file", "parquet"])
def test_the_order_of_rows_does_not_matter(kind: str, seed: int, tmp_path: Path) -> None:
    expected = values(as_dict(QRELS, "relevance", tmp_path), as_dict(RUN, "score", tmp_path))
    shuffled = random.Random(seed)
    qrels, run = shuffled.sample(QRELS, len(QRELS)), shuffled.sample(RUN, len(RUN))
    made = KINDS[kind](qrels, "relevance", tmp_path), KINDS[kind](run, "score", tmp_path)
    assert values(*made) == expected


@pytest.mark.parametrize("kind", ["dict", "frame", "generator", "TREC file", "parquet"])
def test_the_order_of_rows_breaks_ties_on_request(kind: str, tmp_path: Path) -> None:
    qrels = {"q": {"b": 1}}
    for rows, rank in (([("q", "a", 1.0), ("q", "b", 1.0), ("q", "c", 1.0), ("q", "z", 5.0)], 3),
                       ([("q", "b", 1.0), ("q", "z", 5.0), ("q", "c", 1.0), ("q", "a", 1.0)], 2)):  # fmt: skip
        run = KINDS[kind](rows, "score", tmp_path)
        assert list(irmx.calc_aggregate("NCP(law=first,ties='run')", qrels, run).values()) == [1 / rank]


@pytest.mark.parametrize("kind", ["frame", "generator", "TREC file", "csv", "jsonl", "parquet"])
def test_of_several_rows_for_a_document_the_largest_grade_counts(kind: str, tmp_path: Path) -> None:
    rows = [("q", "b", 1), ("q", "a", 0), ("q", "a", 2), ("q", "a", 1), ("q", "b", 0)]
    lines = {
        "TREC file": "lines 2 and 3",
        "csv": "lines 3 and 4",
        "jsonl": "lines 2 and 3",
        "parquet": "relevance.parquet",
    }
    with pytest.warns(irmx.DataWarning) as told:
        judgments = irmx.read_qrels(KINDS[kind](rows, "relevance", tmp_path))
    [text] = [str(one.message) for one in told]
    assert lines.get(kind, "The qrels, rows 1 and 2 (counted from 0)") + ": the grades 0 and 2 of document 'a'" in text
    assert text.endswith("contradict each other, and so do those of 1 more; the largest grade of a document counts.")
    assert judgments.as_dict() == {"q": {"a": 2, "b": 1}}
    assert len(list(judgments)) > len(judgments)
    found = irmx.calc_aggregate("NCP(law=uniform,rel=2)", judgments, {"q": {"b": 2.0, "a": 1.0}})
    assert list(found.values()) == [0.5]


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([("q", "a", 1, "0"), ("q", "a", 1, "0")], ""),
        ([("q", "a", 1, "s1"), ("q", "a", 0, "s2"), ("r", "a", 0, "s1")], ""),
        ([("q", "a", 1, ""), ("q", "a", 0, "s2")], ""),
        (
            [("q", "a", 1, "s1"), ("q", "a", 0, "s2"), ("q", "a", 2, "s2")],
            "rows 1 and 2 .* grades 0 and 2 .* 'q' contra",
        ),
        ([("q", "a", 1, "0"), ("r", "a", 0.5, "0"), ("r", "b", 0, "0"), ("r", "a", 0.25, "0")], "grades 0.5 and 0.25"),
        ([("q", "", 1, "s1"), ("q", "", 0, "s1")], ""),
    ],
)
def test_only_rows_of_one_subtopic_contradict_each_other(rows: list[Any], told: str) -> None:
    frame = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        irmx.read_qrels(frame)
    texts = [str(one.message) for one in caught]
    assert len(texts) == bool(told)
    assert all(re.search(told, text) for text in texts)


@pytest.mark.filterwarnings("ignore:.*contradict each other")
@pytest.mark.parametrize("kind", ["frame", "TREC file"])
@pytest.mark.parametrize("order", [*permutations(range(6))][::31])
def test_measures_of_subtopics_take_the_largest_grade_too(order: tuple[int, ...], kind: str, tmp_path: Path) -> None:
    """For any order of the rows; the gains of ndeval are 1 for every new subtopic of a document, discounted by the rank."""
    rows = [("1", "s1", "a", 1), ("1", "s1", "a", 0), ("1", "s2", "b", 1), ("1", "s2", "a", 0), ("1", "s1", "c", 0),
            ("2", "s1", "a", 0)]  # fmt: skip
    qrels: Any = pd.DataFrame([rows[i] for i in order], columns=["query_id", "iteration", "doc_id", "relevance"])
    if kind == "TREC file":
        qrels.to_csv(tmp_path / "some.qrels", sep=" ", header=False, index=False)
        qrels = tmp_path / "some.qrels"
    run = {"1": {"a": 3.0, "x": 2.0, "b": 1.0}}
    found = irmx.Evaluator("alpha_nDCG@5 StRecall@1 P_IA@1", qrels).values(run).values()
    ideal = 1 + 1 / np.log2(3)
    assert [of["1"] for of in found] == pytest.approx([(1 + 1 / np.log2(4)) / ideal, 0.5, 0.5], abs=1e-6)


def test_the_command_says_which_lines_of_the_qrels_contradict_each_other(
    tmp_path: Path, command: Callable[..., Any]
) -> None:
    (tmp_path / "some.qrels").write_text("# twice\nq 0 a 0\nq 0 b 0\nq 0 a 1\n")
    (tmp_path / "some.run").write_text("q Q0 b 1 2 t\nq Q0 a 2 1 t\n")
    done = command("eval", "some.qrels", "some.run", "AP", "NCP(law=first)", cwd=tmp_path)
    assert (done.code, done.out) == (0, "AP\t0.5000\nNCP(law=first)\t0.5000\n")
    assert done.err == (
        "irmx: some.qrels, lines 2 and 4: the grades 0 and 1 of document 'a' for query 'q' contradict each other; "
        "the largest grade of a document counts.\n"
    )


def test_a_dataset_of_ir_datasets_by_id(tmp_path: Path) -> None:
    path = as_trec(QRELS, "relevance", tmp_path)
    assert values(_registered(path), as_dict(RUN, "score", tmp_path)) == values(
        str(path), as_dict(RUN, "score", tmp_path)
    )


def _registered(path: Path) -> str:
    from ir_datasets.datasets.base import Dataset
    from ir_datasets.formats import TrecQrels
    from ir_datasets.util import LocalDownload

    name = "irmx-test-collection/inputs"
    if name not in ir_datasets.registry:
        ir_datasets.registry.register(name, Dataset(TrecQrels(LocalDownload(path), {0: "no", 1: "yes"})))
    return name


def test_a_dataset_without_qrels_or_of_unknown_id_is_refused() -> None:
    with pytest.raises(irmx.DataError, match="neither a file nor a dataset id"):
        irmx.read_qrels("irmx-test-collection/none")
    with pytest.raises(irmx.DataError, match="no qrels"):
        irmx.read_qrels("msmarco-passage")


@pytest.mark.parametrize(
    "empty",
    [
        pd.DataFrame(columns=["query_id", "doc_id", "score"]),
        pd.DataFrame({"query_id": [], "doc_id": [], "score": []}).astype({"query_id": str, "doc_id": str}),
        {},
        {"1": {}},
        [],
        (row for row in ()),
        pa.table({"query_id": pa.array([], pa.string()), "doc_id": pa.array([], pa.string()), "score": []}),
    ],
    ids=["frame of objects", "typed frame", "dict", "dict with an empty topic", "list", "generator", "Arrow table"],
)
def test_an_empty_run_gives_the_default_for_every_topic_of_the_qrels(empty: Any) -> None:
    found = list(irmx.iter_calc("MP(model=GL_AD_ID) NCP(law=first)", as_dict(QRELS, "relevance", Path()), empty))
    assert [m.query_id for m in found] == ["1", "1", "2", "2", "3", "3"]
    assert {m.value for m in found} == {0.0}


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_yielded(kind: str, tmp_path: Path) -> None:
    qrels, run = KINDS[kind](QRELS, "relevance", tmp_path), KINDS[kind](RUN, "score", tmp_path)
    evaluator = ir_measures.evaluator(
        [irmx.parse_measure("MP(model=GL_AD_ID)"), ir_measures.AP], irmx.read_qrels(qrels)
    )
    found = list(evaluator.iter_calc(irmx.read_run(run)))
    assert {str(m.query_id) for m in found} == {"1", "2", "3"}
    assert {type(m.value) for m in found} == {float}


UPSTREAM_KINDS = ["dict", "frame", "frame of categories", "namedtuples", "generator", "ir_measures rows"]


@pytest.mark.parametrize("run_kind", UPSTREAM_KINDS)
@pytest.mark.parametrize("qrels_kind", UPSTREAM_KINDS)
def test_a_mixed_call_of_ir_measures(qrels_kind: str, run_kind: str, tmp_path: Path) -> None:
    measures = [irmx.parse_measure("MP(model=GL_AD_ID)"), ir_measures.AP, ir_measures.nDCG @ 10]
    expected = ir_measures.calc_aggregate(
        measures, as_dict(QRELS, "relevance", tmp_path), as_dict(RUN, "score", tmp_path)
    )
    made = KINDS[qrels_kind](QRELS, "relevance", tmp_path), KINDS[run_kind](RUN, "score", tmp_path)
    found = ir_measures.calc_aggregate(measures, *made)
    assert set(found) == set(measures)
    assert found == pytest.approx(expected, abs=1e-12)


def test_the_same_evaluator_scores_several_runs() -> None:
    qrels = as_dict(QRELS, "relevance", Path())
    for make in (irmx.evaluator, ir_measures.evaluator):
        measures = [irmx.parse_measure("NCP(law=uniform)"), ir_measures.AP]
        evaluator = make(measures, qrels)
        for run in (as_dict(RUN, "score", Path()), {"1": {"d1": 1.0}}, {}, as_dict(RUN, "score", Path())):
            own, other = evaluator.calc_aggregate(run).values()
            assert own == pytest.approx(other, abs=1e-12)
            assert evaluator.calc(run).aggregated == evaluator.calc_aggregate(run)


def test_query_ids_come_back_as_they_were_given() -> None:
    found = [m.query_id for m in irmx.iter_calc("NCP(law=first)", {7: {"a": 1}, 8: {"a": 1}}, {"7": {"a": 1.0}})]
    assert found == [7, 8]
    frame = pd.DataFrame({"query_id": [7, 8], "doc_id": ["a", "a"], "relevance": [1, 1]})
    assert [m.query_id for m in irmx.iter_calc("NCP(law=first)", frame, {"7": {"a": 1.0}})] == [7, 8]


def test_the_measures_are_in_the_order_asked_and_once() -> None:
    found = irmx.calc_aggregate("nDCG@10 NCP(law=first) AP NCP(law=first) MP(model=GL_AD_ID)", {"q": {"a": 1}}, {})
    assert [str(m) for m in found] == ["nDCG@10", "NCP(law=first)", "AP", "MP(model=GL_AD_ID)"]
