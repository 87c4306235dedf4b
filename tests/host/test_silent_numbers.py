"""Input that once gave a number without a word: topics without documents, blanks, repeated keys, scores that tie."""

import gzip
import json
import pickle
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import irmx
from irmx import DataError, DataWarning

RUN = {"1": {"a": 1.0}}


def means(qrels: Any, run: Any, measure: str = "AP") -> float:
    [value] = irmx.calc_aggregate(measure, qrels, run).values()
    return value


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str], Path]:
    """A function that writes a text to a file, and returns its path."""

    def of(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return of


# -- topics without documents ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "qrels", [{"1": {"a": 1}, "2": {}}, {"2": {}, "1": {"a": 1}}, {"3": {}, "1": {"a": 1}, "2": {}}]
)
def test_a_topic_without_documents_is_a_topic_in_a_file_as_in_a_dict(qrels: Any, write: Any) -> None:
    path = write("qrels.json", json.dumps(qrels))
    assert means(path, RUN) == means(qrels, RUN) == 1 / len(qrels)
    assert irmx.read_qrels(path).as_dict() == irmx.read_qrels(qrels).as_dict()
    assert irmx.read_qrels(path).topics == list(qrels)


# -- keys of JSON and blanks -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        '{"1": {"a": 1}, "1 ": {"b": 1}}',
        '{"1": {"a": 1, " a": 0}}',
        '{"query_id": "1", "doc_id": "a", "relevance": 1, "relevance ": 0}\n',
    ],
)
def test_keys_that_differ_by_blanks_are_repeats(text: str, write: Any) -> None:
    with pytest.raises(DataError, match="occurs twice") as error:
        irmx.read_qrels(write("qrels.json", text))
    assert "truncated" not in str(error.value)


OTHER_SPACES = ["\u00a0", "\u2003", "\u0085", "\x1c"]
WRITERS = {
    "trec": lambda rows: "".join(f"{q} 0 {d} {r}\n" for q, d, r in rows),
    "csv": lambda rows: "query_id,doc_id,relevance\n" + "".join(f"{q},{d},{r}\n" for q, d, r in rows),
    "quoted.csv": lambda rows: 'query_id,doc_id,relevance\n' + "".join(f'{q},"{d}",{r}\n' for q, d, r in rows),
    "tsv": lambda rows: "query_id\tdoc_id\trelevance\n" + "".join(f"{q}\t{d}\t{r}\n" for q, d, r in rows),
    "jsonl": lambda rows: "".join(
        json.dumps({"query_id": q, "doc_id": d, "relevance": int(r) if r.isascii() and r.isdigit() else r}) + "\n" for q, d, r in rows
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("space", OTHER_SPACES)
def test_other_spaces_than_those_of_ascii_are_part_of_an_id(kind: str, space: str, write: Any) -> None:
    rows = [("1", f"a{space}b", "1"), ("1", f"{space}c", "1"), ("1", "d", "0")]
    path = write(f"qrels.{kind}", WRITERS[kind](rows))
    assert set(irmx.read_qrels(path).as_dict()["1"]) == {doc for _, doc, _ in rows}


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("space", OTHER_SPACES)
def test_other_spaces_are_part_of_no_number(kind: str, space: str, write: Any) -> None:
    path = write(f"qrels.{kind}", WRITERS[kind]([("1", "a", f"{space}1"), ("1", "b", "0")]))
    with pytest.raises(DataError, match="number"):
        irmx.read_qrels(path)


@pytest.mark.parametrize("kind", WRITERS)
def test_a_byte_order_mark_inside_of_a_file_is_refused_with_its_line(kind: str, write: Any) -> None:
    path = write(f"qrels.{kind}", WRITERS[kind]([("1", "b", "0"), ("1", "\ufeffa", "1")]))
    with pytest.raises(DataError, match=r"line [23]\b.*U\+FEFF"):
        irmx.read_qrels(path)


# -- scores ------------------------------------------------------------------------------------------------

NANOSECONDS = [1_700_000_000_000_000_003, 1_700_000_000_000_000_002, 1_700_000_000_000_000_001]


def runs_of(scores: list[int], write: Any, tmp_path: Path) -> dict[str, Any]:
    """A run of three documents with given scores, in several forms."""
    rows = [("1", doc, score) for doc, score in zip("abc", scores, strict=True)]
    table = pa.table({"query_id": ["1"] * 3, "doc_id": list("abc"), "score": pa.array(scores, pa.int64())})
    pq.write_table(table, tmp_path / "run.parquet")
    return {
        "trec": write("run.txt", "".join(f"{q} Q0 {d} 1 {s} x\n" for q, d, s in rows)),
        "csv": write("run.csv", "query_id,doc_id,score\n" + "".join(f"{q},{d},{s}\n" for q, d, s in rows)),
        "parquet": tmp_path / "run.parquet",
        "frame": pd.DataFrame(rows, columns=["query_id", "doc_id", "score"]),
    }


def test_whole_numbers_that_single_precision_makes_equal_are_said(write: Any, tmp_path: Path) -> None:
    for scores in (NANOSECONDS, [2**24 + 3, 2**24 + 1, 2**24]):
        for run in runs_of(scores, write, tmp_path).values():
            with pytest.warns(DataWarning, match="whole-number scores tie with different ones") as told:
                irmx.read_run(run)
            assert len(told) == 1
    with pytest.warns(DataWarning, match="-inf"):
        irmx.read_run({"1": {"a": float("-inf"), "b": -1e39}})
    with pytest.warns(DataWarning, match="16777217 with 16777216"):
        irmx.read_run({"1": {"a": 2**24, "b": 2**24 + 1}})


@pytest.mark.parametrize("scores", [[3, 2, 1], [2**24, 2**24 - 1, 1], [2**26, 2**25, 2**25], [1e30, 1e29, 0.5]])
def test_other_scores_are_read_without_a_word(scores: list[Any]) -> None:
    run = {"1": dict(zip("abc", scores, strict=True)), "2": {"a": 2.0**24 + 1}}
    assert means({"1": {"a": 1}}, run) == 1.0
    assert np.array_equal(irmx.read_run(run).score[:3], scores)


# -- chunks ------------------------------------------------------------------------------------------------


# -- expressions and other files ---------------------------------------------------------------------------


@pytest.mark.parametrize("measure", ["INST(T=1*min_rel)", "IPrec(rel=2*recall)"])
def test_multiples_of_parameters_without_a_value_are_mistakes_of_the_reader(measure: str) -> None:
    with pytest.raises(irmx.UsageError):
        irmx.parse_measure(measure)


def test_a_small_file_with_a_huge_key_takes_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "qrels.json.gz"
    path.write_bytes(gzip.compress(b'{"' + b"x" * 30_000_000 + b'": {"a": 1}}'))
    tracemalloc.start()
    try:
        with pytest.raises(DataError) as error:
            irmx.read_qrels(path)
        assert tracemalloc.get_traced_memory()[1] < 500_000_000
    finally:
        tracemalloc.stop()
    assert len(str(error.value)) < 1000


def test_a_column_of_parquet_whose_name_has_a_dot_is_read(tmp_path: Path) -> None:
    columns = {"query_id": ["1"] * 9, "doc_id": [f"d{i}" for i in range(9)], "score": range(9, 0, -1), "a.b": range(9)}
    pq.write_table(pa.table(columns), tmp_path / "run.parquet")
    assert "a.b" in irmx.read_run(tmp_path / "run.parquet").columns
    assert irmx.read_table(tmp_path / "run.parquet", {"a.b": int})["a.b"].tolist() == list(range(9))


def test_a_table_of_which_some_columns_are_not_read_goes_to_other_processes(tmp_path: Path, command: Any) -> None:
    for name, number in (("qrels", "relevance"), ("one", "score"), ("two", "score")):
        columns = {"query_id": ["1", "1"], "doc_id": ["a", "b"], number: [2, 1], "note": ["x", "y"]}
        pq.write_table(pa.table(columns), tmp_path / f"{name}.parquet")
    judgments, run = irmx.read_qrels(tmp_path / "qrels.parquet"), irmx.read_run(tmp_path / "one.parquet")
    assert pickle.loads(pickle.dumps(judgments)).as_dict() == judgments.as_dict() == {"1": {"a": 2, "b": 1}}
    assert pickle.loads(pickle.dumps(run)).columns == run.columns
    files = ("qrels.parquet", "one.parquet", "two.parquet")
    done, alone = (command("eval", *files, "AP", "RR", "--jobs", jobs, cwd=tmp_path) for jobs in ("2", "1"))
    assert (done.code, done.out) == (0, alone.out)


def test_a_folder_that_contradicts_a_column_of_its_file_is_refused(tmp_path: Path) -> None:
    for topic, said in (("1", "1"), ("2", "3")):
        folder = tmp_path / "run" / f"query_id={said}"
        folder.mkdir(parents=True)
        pq.write_table(pa.table({"query_id": [topic], "doc_id": ["a"], "score": [1.0]}), folder / "part.parquet")
    with pytest.raises(DataError, match="has the query_id '2', where its folder says query_id=3"):
        irmx.read_run(tmp_path / "run")
    (tmp_path / "run" / "query_id=3").rename(tmp_path / "run" / "query_id=2")
    assert irmx.read_run(tmp_path / "run").as_dict() == {"1": {"a": 1.0}, "2": {"a": 1.0}}


def test_a_zip_archive_is_named(tmp_path: Path) -> None:
    (tmp_path / "run.zip").write_bytes(b"PK\x03\x04\x14\0\0\0")
    with pytest.raises(DataError, match="ZIP archive"):
        irmx.read_run(tmp_path / "run.zip")


def test_a_long_quoted_field_is_read(write: Any) -> None:
    path = write("qrels.csv", f'query_id,doc_id,relevance,text\n1,a,1,"{"x" * 200_000}"\n')
    assert irmx.read_qrels(path).as_dict() == {"1": {"a": 1}}


# -- what speaks Arrow -------------------------------------------------------------------------------------


def arrow_sources(tmp_path: Path) -> dict[str, Any]:
    import polars as pl
    from pyarrow import dataset

    table = pa.table({"query_id": ["1", "1", "2"], "doc_id": ["a", "b", "a"], "score": [2.0, 1.0, 3.0]})
    pq.write_table(table, tmp_path / "rows.parquet")
    return {
        "dataset": dataset.dataset(tmp_path / "rows.parquet"),
        "scanner": dataset.dataset(tmp_path / "rows.parquet").scanner(),
        "reader": pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=1)),
        "batches": table.to_batches(max_chunksize=1),
        "tables": [table.slice(0, 1), table.slice(1)],
        "polars": pl.from_arrow(table),
        "lazy polars": pl.from_arrow(table).lazy(),
        "stream": type(
            "Stream", (), {"__arrow_c_stream__": lambda self, schema=None: table.__arrow_c_stream__(schema)}
        )(),
    }


@pytest.mark.parametrize(
    "kind", ["dataset", "scanner", "reader", "batches", "tables", "polars", "lazy polars", "stream"]
)
def test_whatever_speaks_arrow_is_a_run(kind: str, tmp_path: Path) -> None:
    assert irmx.read_run(arrow_sources(tmp_path)[kind]).as_dict() == {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 3.0}}


def test_a_data_set_of_hugging_face_is_a_run() -> None:
    datasets = pytest.importorskip("datasets", reason="needs Hugging Face's datasets")
    rows = datasets.Dataset.from_dict({"query_id": ["1", "1"], "doc_id": ["a", "b"], "score": [2.0, 1.0]})
    assert irmx.read_run(rows).as_dict() == {"1": {"a": 2.0, "b": 1.0}}
