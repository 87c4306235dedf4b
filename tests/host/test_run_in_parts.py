"""A folder of Parquet files is a run, folders named run=... are several; any other folder is refused with what to do."""

import itertools
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import irmx
from irmx import DataError

RUN = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"d": 1.0}, "3": {"a": 2.0, "e": 1.0}}


@pytest.fixture
def parts(tmp_path: Path) -> Path:
    """A run as a folder of parts, one of which ends within a topic, with what Spark leaves beside them."""
    rows = [(topic, doc, score) for topic, docs in RUN.items() for doc, score in docs.items()]
    table = pa.table(dict(zip(("qid", "docno", "score"), map(list, zip(*rows, strict=True)), strict=True)))
    folder = tmp_path / "parts"
    folder.mkdir()
    for i, (a, b) in enumerate(itertools.pairwise([0, 2, 4, len(table)])):
        pq.write_table(table.slice(a, b - a), folder / f"part-{i:05}.parquet")
    (folder / "_SUCCESS").touch()
    (folder / ".part-00000.parquet.crc").write_bytes(b"crc")
    (tmp_path / "qrels").write_text("1 0 b 1\n")
    return folder


def test_a_folder_of_parts_is_a_run(parts: Path, command: Any) -> None:
    for source in (parts, f"{parts}/", f"parquet:{parts}"):
        assert irmx.read_run(source).as_dict() == RUN
    assert list(irmx.toolkit.named_runs(f"{parts}/")) == ["parts"]
    assert command("eval", parts.parent / "qrels", parts, "RR", "NumRet").out == "RR\t0.5000\nNumRet\t3.0000\n"


def test_other_folders_are_refused_with_what_to_do(parts: Path, command: Any) -> None:
    (parts / "notes.txt").write_text("notes")
    done = command("eval", parts.parent / "qrels", parts, "AP")
    done.assert_refused(2, f"'{parts}/*'")
    assert "one run if all files in it are its parts in Parquet" in done.err
    with pytest.raises(DataError, match=f"{parts} is a folder, not a run file"):
        irmx.read_run(parts)
    assert irmx.read_run(f"parquet:{parts}").as_dict() == RUN  # as the message says
    (parts / "none").mkdir()
    with pytest.raises(DataError, match=f"{parts}/none holds no file whose name ends with .parquet"):
        irmx.read_run(f"parquet:{parts}/none")
    with pytest.raises(DataError, match=f"{parts} is a folder, not a qrels file"):
        irmx.read_qrels(parts)


def test_a_part_that_lacks_a_column_is_named(parts: Path) -> None:
    pq.write_table(pa.table({"query_id": ["1"], "doc_id": ["z"]}), parts / "part-00009.parquet")
    with pytest.raises(DataError, match=rf"part-00009\.parquet lacks the column '\w+', which {parts}/part-00000"):
        irmx.read_run(parts)


def test_a_damaged_part_is_named(parts: Path) -> None:
    (parts / "part-00001.parquet").write_bytes(b"PAR1 no more")
    with pytest.raises(DataError, match=rf"{parts} is not a sound Parquet file: .*part-00001\.parquet"):
        irmx.read_run(parts)


def test_a_folder_that_contradicts_a_column_of_its_file_is_refused(tmp_path: Path) -> None:
    for topic, said in (("1", "1"), ("2", "3")):
        folder = tmp_path / "run" / f"query_id={said}"
        folder.mkdir(parents=True)
        pq.write_table(pa.table({"query_id": [topic], "doc_id": ["a"], "score": [1.0]}), folder / "part.parquet")
    with pytest.raises(DataError, match="has the query_id '2', where its folder says query_id=3"):
        irmx.read_run(tmp_path / "run")
    (tmp_path / "run" / "query_id=3").rename(tmp_path / "run" / "query_id=2")
    assert irmx.read_run(tmp_path / "run").as_dict() == {"1": {"a": 1.0}, "2": {"a": 1.0}}
