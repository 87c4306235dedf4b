"""One reader of tables for every plugin: of any source, checked, with the place of what is wrong."""

import bz2
import gzip
import io
import lzma
import sys
from collections import namedtuple
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import irmx
from irmx import Param, read_table

ROWS = [{"query_id": "1", "rank": 2, "seen": True}, {"query_id": "b", "rank": 10, "seen": False}]
COLUMNS = {"query_id": str, "rank": Param(int, "where it stands", low=1, required=True), "seen": bool}
NOT_UTF_8 = pa.StringArray.from_buffers(1, pa.py_buffer(np.array([0, 1], np.int32)), pa.py_buffer(b"\xff"))
CSV = "query_id, rank, seen\n1, 2, 1\n\nb, 10, 0\n"
Click = namedtuple("Click", ["query_id", "rank", "seen"])


def parquet(path: Path) -> Path:
    pd.DataFrame(ROWS).to_parquet(path)
    return path


def written(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


SOURCES: dict[str, Callable[[Path], Any]] = {
    "data frame": lambda _: pd.DataFrame(ROWS),
    "data frame with an index": lambda _: pd.DataFrame(ROWS, index=[7, 7]).convert_dtypes(),
    "arrow": lambda _: pa.Table.from_pylist(ROWS),
    "columns": lambda _: {name: [row[name] for row in ROWS] for name in ROWS[0]},
    "arrays": lambda _: {name: np.array([row[name] for row in ROWS]) for name in ROWS[0]},
    "dicts": lambda _: iter(ROWS),
    "namedtuples": lambda _: (Click(**row) for row in ROWS),  # type: ignore[arg-type]
    "csv": lambda folder: written(folder / "t.csv", CSV),
    "csv of other names": lambda folder: str(written(folder / "t", CSV.replace("query_id", "qid"))),
    "csv with a mark": lambda folder: written(folder / "t.csv", b"\xef\xbb\xbf" + CSV.replace("\n", "\r\n").encode()),
    "tsv": lambda folder: written(folder / "t.tsv", CSV.replace(", ", "\t")),
    "tsv by its content": lambda folder: written(folder / "t.txt", CSV.replace(", ", "\t")),
    "jsonl": lambda folder: (
        pd.DataFrame(ROWS).to_json(folder / "t.jsonl", orient="records", lines=True) or folder / "t.jsonl"
    ),
    "jsonl by its content": lambda folder: written(
        folder / "t", '{"query_id": 1, "rank": 2.0, "seen": 1}\n{"query_id": "b", "rank": 10, "seen": 0}\n'
    ),
    "parquet": lambda folder: parquet(folder / "t.parquet"),
    "parquet by its content": lambda folder: parquet(folder / "t"),
    "gzip": lambda folder: written(folder / "t.csv.gz", gzip.compress(CSV.encode())),
    "bzip2": lambda folder: written(folder / "t.csv.bz2", bz2.compress(CSV.encode())),
    "xz": lambda folder: written(folder / "t.csv.xz", lzma.compress(CSV.encode())),
    "zstd": lambda folder: written(folder / "t.csv.zst", pa.Codec("zstd").compress(CSV.encode(), asbytes=True)),
}


@pytest.mark.parametrize("kind", SOURCES)
def test_every_source_gives_the_same_arrays(kind: str, tmp_path: Path) -> None:
    table = read_table(SOURCES[kind](tmp_path), COLUMNS)
    assert len(table) == 2
    assert table["query_id"].tolist() == ["1", "b"]
    assert (table["rank"].dtype, table["rank"].tolist()) == (np.int64, [2, 10])
    assert (table["seen"].dtype, table["seen"].tolist()) == (np.bool_, [True, False])


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(CSV.encode())))
    table = read_table("-", COLUMNS)
    assert table.place([0, 1]) == "standard input, lines 2 and 4"


def test_rows_know_their_lines_after_fields_of_several_lines(tmp_path: Path) -> None:
    table = read_table(written(tmp_path / "t.csv", 'a,b\n1,"x\n\ny"\n\n2,z\n'), {"a": int, "b": str})
    assert table["b"].tolist() == ["x\n\ny", "z"]
    assert table.place(1) == f"{tmp_path / 't.csv'}, line 6"
    with pytest.raises(irmx.DataError, match=r"t.csv, lines 4 and 6: both are odd\.") as refused:
        table.refuse([0, 1], "both are odd.")
    assert refused.value.rows == (0, 1)


@pytest.mark.parametrize("rows", ["1,x\n2,y\n", "1 , x\r\n\r\n2,y", "\n1,x\n   \n,\n2,y\n\n", "1,x\n 2,y"])
def test_quick_and_careful_reading_agree(rows: str, tmp_path: Path) -> None:
    """A quote anywhere has a file read line by line."""
    declared = {"a": int, "b": str}
    tables = [read_table(written(tmp_path / "t.csv", text), declared) for text in (f"a,b\n{rows}", f'"a",b\n{rows}')]
    for table in tables:
        assert (table["a"].tolist(), table["b"].tolist()) == ([1, 2], ["x", "y"])
    assert tables[0].place([0, 1]) == tables[1].place([0, 1])


def test_columns_that_are_not_there_and_cells_that_are_missing(tmp_path: Path) -> None:
    columns = {
        "id": str,
        "label": Param(str, "", nullable=True),
        "weight": Param(float, "", nullable=True),
        "share": Param(float, "", default=0.5),
        "flag": Param(bool, "", default=False),
        "user": Param(str, ""),
    }
    table = read_table(written(tmp_path / "t.csv", "id,label,weight,other\nx,,NA,1\ny,l,2,2\n"), columns)
    assert table["label"].tolist() == ["", "l"]
    assert np.isnan(table["weight"]).tolist() == [True, False]
    assert (table["share"].tolist(), table["flag"].tolist()) == ([0.5, 0.5], [False, False])
    assert "weight" in table
    assert not {"user", "share"} & {name for name in columns if name in table}
    assert "user" not in table.columns
    assert table.frame()["other"].tolist() == [1, 2]


def test_dates_become_seconds() -> None:
    columns = {"at": Param(datetime, "", required=True)}
    day = 86400.0
    for cells in (
        ["1970-01-02", "1970-01-03T12:00:00Z"],
        pd.to_datetime(["1970-01-02T00:00", "1970-01-03T12:00"]),
        [datetime(1970, 1, 2), datetime(1970, 1, 3, 12)],
        [day, "216000"],
    ):
        assert read_table({"at": cells}, columns)["at"].tolist() == [day, 2.5 * day]
    last = datetime(9999, 12, 31, tzinfo=timezone.utc).timestamp()
    assert read_table({"at": ["9999-12-31", "0001-01-02"]}, columns)["at"].tolist() == [last, -62135510400.0]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('a,b\n1,"2\n3,4\n', "t.csv, line 3: .*Is a quote unclosed"),
        ("A,b\n1,2\n", "t.csv lacks the column 'a', what it is. It has: A, b. Did you mean A?"),
        ("\n", "t.csv is empty: it holds no numbers"),
        ("a\n1\nx\n", "t.csv, line 3: the a must be a whole number in the range \\[0, 9\\]. Got 'x' instead"),
        ("a\n1\n1.5\n", "line 3: .* Got '1.5' instead"),
        ("a\n1\n10\n", "line 3: .* Got '10' instead"),
        ("a\n1\ninf\n", "line 3: .* Got 'inf' instead"),
        ("a\n1\n1e400\n", "line 3: .* Got '1e400' instead"),
        ("a,b\n1,2\n,2\n", "line 3: the a is missing. It must be a whole number"),
        ("a,b\n1,2\nnan,2\n", "line 3: the a is missing"),
        ("a,c\n1,up\n2,Left\n", "line 3: the c must be one of 'up', 'left'. Got 'Left' instead. Did you mean left"),
        ("a\n1\n0_1\n", "t.csv, line 3: .* Got '0_1' instead"),
        ('a\n1\n"0_1"\n', "t.csv, line 3: .* Got '0_1' instead"),
        ('{"a": 1}\n{"a": true}\n', "t.jsonl, line 2: .* Got True instead"),
        ('{"a": 1}\n{"a": "0_1"}\n', "t.jsonl, line 2: .* Got '0_1' instead"),
        ('{\n "b": {},\n "a": 1\n}\n', "t.jsonl, line 1: the file is one JSON document, with the keys b, a"),
    ],
)
def test_what_is_wrong_in_a_file_is_named_with_its_line(text: str | bytes, says: str, tmp_path: Path) -> None:
    columns = {"a": Param(int, "what it is", low=0, high=9, required=True), "c": Param(str, "", choices=("up", "left"))}
    path = tmp_path / ("t.jsonl" if "jsonl" in says else "t.csv")
    with pytest.raises(irmx.DataError, match=says):
        read_table(written(path, text), columns, "numbers")


@pytest.mark.parametrize("source", [{"qid": ["1"], "topic": ["2"]}, "topic,qid\n1,2\n"])
def test_two_names_of_one_column_are_refused(source: Any, tmp_path: Path) -> None:
    if isinstance(source, str):
        source = written(tmp_path / "t.csv", source)
    with pytest.raises(irmx.DataError, match=r"two columns named 'query_id'"):
        read_table(source, {"query_id": str})
    assert read_table({"qid": ["1"], "topic": ["2"]}, {"qid": str})["qid"].tolist() == ["1"]


def test_numbers_with_underscores_and_truth_values_are_no_numbers() -> None:
    for cells in (["1_0.5"], [2.0, "1_0.5"], [True], [1.5, np.True_]):
        with pytest.raises(irmx.DataError, match=r"Got .* instead"):
            read_table({"a": cells}, {"a": float})
    assert read_table({"a": [True, "false", 1]}, {"a": bool})["a"].tolist() == [True, False, True]


@pytest.mark.parametrize("source", ["t.csv", "t.jsonl", [], {}])
def test_what_may_be_empty_may_hold_nothing_at_all(source: Any, tmp_path: Path) -> None:
    if isinstance(source, str):
        source = written(tmp_path / source, b"\n")
    columns = {**COLUMNS, "share": Param(float, "", default=0.5), "user": Param(str, "")}
    table = read_table(source, columns, empty=True)
    assert (len(table), {name: values.tolist() for name, values in table.columns.items()}) == (
        0,
        {"query_id": [], "rank": [], "seen": [], "share": []},
    )
    with pytest.raises(irmx.DataError, match=r"holds no table|has no rows"):
        read_table(source, columns)


@pytest.mark.parametrize(
    ("source", "says"),
    [
        (7, "The log must be the path of a table file, .* Got int instead"),
        ([7], "Got rows of the type int instead"),
        ([], "The log has no rows"),
        ({"a": [1], "b": [1, 2]}, "The columns of the log must have the same length: 'a' has 1, 'b' has 2"),
        ({"a": [[1]]}, r"The log, row 0 \(counted from 0\): the a must be a text or a number. Got \[1\] instead"),
        ("nowhere.csv", "There is no log file 'nowhere.csv'"),
        (".", "cannot be read: Is a directory"),
        ({"a": [b"1"]}, "the a must be a text or a number. Got b'1' instead"),
        (pa.table({"a": NOT_UTF_8}), "is not UTF-8"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "The log has two columns named 'a'"),
    ],
)
def test_what_is_wrong_in_another_source(source: Any, says: str) -> None:
    with pytest.raises(irmx.DataError, match=says):
        read_table(source, {"a": str}, "log")
