"""Legal input of unusual types, and odd input that once ended in an error of another library."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import irmx
from irmx import Column, DataError

QRELS = {"q": {"a": 1, "b": 0, "c": 1}}
MEASURE = "NCP(law=first)"


def table(score: Any, docs: Any = ("a", "b", "c"), query: Any = ("q", "q", "q")) -> pa.Table:
    return pa.table({"query_id": query, "doc_id": docs, "score": score})


def first(run: Any, qrels: Any = QRELS) -> float:
    return next(iter(irmx.calc_aggregate(MEASURE, qrels, run).values()))


@pytest.mark.parametrize(
    "score",
    [
        pa.array([1, 2**62, 2**61]),
        pa.array([1, 2**64 - 1, 2**63], pa.uint64()),
        pa.array(np.array([1, 3, 2], np.float16)),
        pa.array([Decimal("1"), Decimal("3"), Decimal("2")]),
    ],
    ids=lambda a: str(a.type),
)
def test_scores_of_every_type_of_number(score: pa.Array) -> None:
    assert first(table(score)) == 0.5


def test_whole_numbers_larger_than_64_bits() -> None:
    scores = [1, 10**30, 10**29]
    assert first(pd.DataFrame({"query_id": "q", "doc_id": list("abc"), "score": scores})) == 0.5
    assert first({"q": dict(zip("abc", scores, strict=True))}) == 0.5
    with pytest.raises(DataError, match="is too large for a 64-bit float: query q, document b"):
        first({"q": {"a": 1, "b": 10**400}})
    with pytest.raises(irmx.UsageError, match="'p' parameter of geometric"):
        irmx.parse_measure(f"NCP(law=geometric(p={10**400}))")


@pytest.mark.parametrize("values", [pa.string(), pa.large_string(), pa.string_view()], ids=str)
def test_dictionaries_of_every_type_of_text_in_several_chunks(values: pa.DataType) -> None:
    chunks = [["b"], ["a", "c"], []]
    docs = pa.chunked_array(
        [pa.DictionaryArray.from_arrays(pa.array(range(len(c)), pa.uint32()), pa.array(c, values)) for c in chunks]
    )
    assert first(table(pa.array([3.0, 2.0, 1.0]), docs)) == 0.5


def test_a_missing_id_in_a_dictionary() -> None:
    query = pa.DictionaryArray.from_arrays(pa.array([0, 1, 1]), pa.array(["q", None]))
    with pytest.raises(DataError, match="'query_id' of the run has no value in row 1"):
        first(table(pa.array([3.0, 2.0, 1.0]), query=query))


def test_batches_of_a_stream_and_frames_without_rows() -> None:
    run = table(pa.array([1.0, 3.0, 2.0]))
    assert first(run.to_reader()) == first(run.to_batches()[0]) == 0.5
    assert first(pd.DataFrame({"query_id": [], "doc_id": [], "score": []}, dtype=float)) == 0.0


def test_a_column_of_times_is_in_seconds_whatever_its_unit() -> None:
    window = Column("qrels", "timestamp", "date of the document", "s")
    for times in (
        pa.array([-5_000_000, 86_400], pa.int32()).cast(pa.int64()).cast(pa.timestamp("s")),
        pa.array([-5_000_000_000, 86_400_000], pa.int64()).cast(pa.timestamp("ms", tz="UTC")),
    ):
        qrels = pa.table({"query_id": ["q", "r"], "doc_id": ["a", "a"], "relevance": [1, 1], "timestamp": times})
        rankings = irmx.rankings(qrels, {"q": {"a": 1.0}, "r": {"a": 1.0}})
        assert rankings.topic_column(window).tolist() == [-5_000_000.0, 86_400.0]
    days = pa.array([-150_000, 1], pa.int32()).cast(pa.date32())  # the year 1559, which nanoseconds cannot hold
    for dates in (days, days.cast(pa.date64()), days.cast(pa.timestamp("us"))):
        qrels = pa.table({"query_id": ["q", "r"], "doc_id": ["a", "a"], "relevance": [1, 1], "timestamp": dates})
        rankings = irmx.rankings(qrels, {"q": {"a": 1.0}, "r": {"a": 1.0}})
        assert rankings.topic_column(window).tolist() == [-150_000 * 86_400.0, 86_400.0]


def test_ids_that_are_no_texts_or_no_utf8_are_named() -> None:
    run = table(pa.array([1.0, 3.0, 2.0]))
    with pytest.raises(DataError, match="document id of the qrels is 5"):
        first(run, {"q": {"a": 1, 5: 1}})
    with pytest.raises(DataError, match="document id of the run is 5"):
        first({"q": {"a": 1.0, 5: 1.0}})
    with pytest.raises(DataError, match=r"'doc_id' of the qrels holds '\\ud800', which UTF-8 cannot encode"):
        first(run, {"q": {"\ud800": 1}})


def test_columns_that_nothing_reads_do_not_matter_until_they_are_read() -> None:
    run = pd.DataFrame({"query_id": "q", "doc_id": list("abc"), "score": [1.0, 3.0, 2.0]})
    run["tokens"] = [{"a": object()}, None, 3]
    run["vector"] = [np.zeros((2, 2)), "x", None]
    qrels = pd.DataFrame({"query_id": "q", "doc_id": list("ac"), "relevance": 1, "judge": [1, "x"]})
    assert first(run, qrels) == 0.5
    with pytest.raises(DataError, match="column 'vector' of the run mixes types"):
        irmx.rankings(qrels, run).relevant.column(Column("run", "vector", "of the document"))


def test_ids_that_look_like_dates_are_texts_in_every_table_file(tmp_path: Path) -> None:
    row = {"query_id": "2014-03-01", "doc_id": "2014-03-02T10:00:00", "score": 1.5}
    jsonl, csv = tmp_path / "run.jsonl", tmp_path / "run.csv"
    jsonl.write_text(json.dumps(row) + "\n", encoding="utf-8")
    csv.write_text(",".join(row) + "\n" + ",".join(map(str, row.values())) + "\n", encoding="utf-8")
    for path in (jsonl, csv):
        assert [tuple(doc) for doc in irmx.read_run(path)] == [tuple(row.values())]
