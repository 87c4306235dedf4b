"""Compressed files, standard input, pipes and devices."""

import bz2
import gzip
import io
import lzma
import os
import sys
import threading
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import irmx
from irmx import DataError

RUN = b"q Q0 a 1 2.5 t\nq Q0 b 2 1.5 t\n"
QRELS = b"q 0 b 1\n"
LIMIT = "IRMX_MAX_DECOMPRESSED"


def zstd(content: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(content)
    return bytes(sink.getvalue())


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress, "zst": zstd,
    "two members": lambda content: gzip.compress(content[:15]) + gzip.compress(content[15:]),
}  # fmt: skip


@pytest.mark.parametrize("packer", PACKERS)
def test_compressed_files_are_told_by_their_first_bytes(packer: str, tmp_path: Path) -> None:
    for suffix in ("", ".run", ".gz"):
        path = tmp_path / f"packed{suffix}"
        path.write_bytes(PACKERS[packer](b"\xef\xbb\xbf" + RUN))
        assert irmx.read_run(path).as_dict() == {"q": {"a": 2.5, "b": 1.5}}
        assert irmx.toolkit.content_of(path, size=4) == b"q Q0"


@pytest.mark.parametrize("packer", ["gz", "bz2", "xz", "zst"])
def test_a_damaged_file_is_named(packer: str, tmp_path: Path) -> None:
    packed = PACKERS[packer](RUN * 200)
    for content in (packed[: len(packed) // 2], packed[:20] + b"garbage" * 5 + packed[55:]):
        (tmp_path / "damaged").write_bytes(content)
        with pytest.raises(DataError, match="damaged"):
            irmx.read_run(tmp_path / "damaged")


@pytest.mark.parametrize("packer", ["gz", "bz2", "xz", "zst"])
def test_a_file_is_decompressed_up_to_a_limit(packer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "run").write_bytes(PACKERS[packer](RUN * 100))
    for limit, error in {"1KB": DataError, "much": irmx.UsageError}.items():
        monkeypatch.setenv(LIMIT, limit)
        with pytest.raises(error, match=LIMIT):
            irmx.toolkit.content_of(tmp_path / "run")
    monkeypatch.setenv(LIMIT, "3KB")
    assert irmx.toolkit.content_of(tmp_path / "run") == RUN * 100


def test_a_bomb_is_refused(tmp_path: Path, command: Any) -> None:
    (tmp_path / "bomb").write_bytes(gzip.compress(b"\n" * 70_000_000))
    (tmp_path / "qrels").write_bytes(QRELS)
    command("eval", str(tmp_path / "qrels"), str(tmp_path / "bomb"), "AP").assert_refused(1, "--max-decompressed")
    table = pa.table({"query_id": pa.repeat("q", 10**7), "doc_id": pa.repeat("a", 10**7), "score": np.zeros(10**7)})
    parquet.write_table(table, tmp_path / "bomb.parquet")
    with pytest.raises(DataError, match=LIMIT):
        irmx.read_run(tmp_path / "bomb.parquet")


def test_a_small_file_with_a_huge_key_takes_little_memory(tmp_path: Path) -> None:
    (tmp_path / "qrels.json.gz").write_bytes(gzip.compress(b'{"' + b"x" * 30_000_000 + b'": {"a": 1}}'))
    tracemalloc.start()
    try:
        with pytest.raises(DataError) as error:
            irmx.read_qrels(tmp_path / "qrels.json.gz")
        assert tracemalloc.get_traced_memory()[1] < 500_000_000
    finally:
        tracemalloc.stop()
    assert len(str(error.value)) < 1000


@pytest.mark.parametrize("encoding", ["PLAIN", "DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"])
def test_texts_of_parquet_files_may_be_encoded_in_any_way(encoding: str, tmp_path: Path) -> None:
    columns = {"query_id": ["q"] * 5 + ["r"] * 5, "doc_id": [f"d{i}" for i in range(10)], "relevance": [1, 0] * 5}
    texts = dict.fromkeys(["query_id", "doc_id"], encoding)
    parquet.write_table(pa.table(columns), tmp_path / "q.parquet", use_dictionary=False, column_encoding=texts)
    assert [q.doc_id for q in irmx.read_qrels(tmp_path / "q.parquet")] == columns["doc_id"]


@pytest.mark.parametrize("place", ["some.parquet", "folder/1.parquet"])
def test_a_long_text_that_a_small_file_repeats_is_refused_unless_its_column_is_not_read(
    place: str, tmp_path: Path
) -> None:
    (tmp_path / "folder").mkdir()
    run, rows = tmp_path / place.partition("/")[0], 20_000
    repeated = pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), pa.array(["x" * 100_000]))
    columns = {"query_id": ["q"] * rows, "doc_id": [f"d{i}" for i in range(rows)], "score": [1.0] * rows}
    parquet.write_table(pa.table({**columns, "note": repeated}), tmp_path / place)
    assert len(irmx.read_run(run)) == rows
    parquet.write_table(pa.table({**columns, "doc_id": repeated}), tmp_path / place)
    with pytest.raises(irmx.DataError, match="decompressed"):
        irmx.read_run(run)


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(RUN))))
    assert irmx.calc_aggregate("RR", {"q": {"b": 1}}, "-") == {irmx.parse_measure("RR"): 0.5}
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(RUN + b"q Q0 c 3 x t\n")))
    with pytest.raises(DataError, match="standard input, line 3"):
        irmx.read_run("-")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_read_once_and_its_lines_are_named(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    evaluator = irmx.evaluator("RR", {"q": {"b": 1}})
    for content, source in ((RUN, path), (RUN, f"trec:{path}"), (RUN + b"q Q0 c 3 x t\n", path)):
        writer = threading.Thread(target=path.write_bytes, args=(content,))
        writer.start()
        if content is RUN:
            (found,) = evaluator.scores(source, memory="1KB").values()
            assert found.values.tolist() == [0.5]
        else:
            with pytest.raises(DataError, match="pipe, line 3"):
                irmx.read_run(source)
        writer.join()


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/null", "no/such/file", "a\0b", "\ud800"])
def test_what_is_no_file(path: str) -> None:
    if path.startswith("/dev") and not os.path.exists(path):
        pytest.skip("this system has no such device")
    with pytest.raises(DataError):
        irmx.read_run(path)
