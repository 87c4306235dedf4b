"""Compressed files are decompressed no further than a limit."""

import bz2
import gzip
import io
import lzma
import os
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import irmx
from irmx.data import decompression
from irmx.data.chunks import run_chunks
from irmx.data.decompression import LIMIT, limit_of

SMALL = 10_000


def zipped(data: bytes, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        archive.writestr("run", data)
    return made.getvalue()


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "gz of many members": lambda data: b"".join(gzip.compress(data[i : i + 50]) for i in range(0, len(data), 50)),
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "xz of two streams": lambda data: lzma.compress(data[:9]) + lzma.compress(data[9:]),
    "zst": lambda data: pa.Codec("zstd").compress(data, asbytes=True),
    "zip": zipped,
    "zip, stored": lambda data: zipped(data, zipfile.ZIP_STORED),
}  # fmt: skip


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the limit that any file has smaller, and the blocks, so that small files show it."""
    monkeypatch.setattr(decompression, "_ALWAYS", SMALL)
    monkeypatch.setattr(decompression, "_BLOCK", 1000)


@pytest.mark.parametrize("packer", PACKERS)
def test_a_limit_chosen_in_bytes(packer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every way of reading keeps it: whole, in blocks, and the start, which is before it."""
    path = tmp_path / "run"
    for size, is_allowed in ((SMALL, True), (SMALL + 1, False)):
        path.write_bytes(PACKERS[packer](b"q" * size))
        monkeypatch.setenv(LIMIT, str(SMALL))
        assert irmx.content_of(path, "run", 100) == b"q" * 100
        reads = (lambda: irmx.content_of(path), lambda: b"".join(irmx.content_in_blocks(path, "run", 3000)))
        for read in reads:
            if is_allowed:
                assert read() == b"q" * size
                continue
            with pytest.raises(irmx.DataError) as told:
                read()
            assert str(told.value).startswith(f"{path}: The file has ")
            assert "more than 10 KB when it is decompressed: reading stopped at this limit. If it is sound" in str(
                told.value
            )
        monkeypatch.setenv(LIMIT, "1GB")
        assert len(irmx.content_of(path)) == size


@pytest.mark.usefixtures("small")
def test_a_file_may_become_a_hundred_times_as_large_and_any_file_may_have_some_size(tmp_path: Path) -> None:
    assert (limit_of(1), limit_of(SMALL), limit_of(10**6)) == (SMALL, 100 * SMALL, 10**8)
    path = tmp_path / "run"
    path.write_bytes(gzip.compress(bytes(SMALL)))
    assert len(irmx.content_of(path)) == SMALL
    path.write_bytes(gzip.compress(bytes(SMALL) + b"1"))
    with pytest.raises(irmx.DataError, match=r"run: The file has .* bytes, and more than 10 KB"):
        irmx.content_of(path)
    path.write_bytes(gzip.compress(bytes(10**6)))
    times = (
        r"more than .* KB when it is decompressed: reading stopped at this limit \(100 times its size\). If it is sound"
    )
    with pytest.raises(irmx.DataError, match=times):
        irmx.content_of(path)


def test_a_bomb_is_refused_by_commands_in_little_memory(
    tmp_path: Path, command: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    resource = pytest.importorskip("resource", reason="Windows does not tell the peak memory")
    monkeypatch.setenv(LIMIT, "")  # which is put back at the end, whatever the command sets
    part = gzip.compress(bytes(10_000_000))
    (tmp_path / "bomb.gz").write_bytes(part * 20)  # 200 MB of 200 KB
    (tmp_path / "some.run").write_text("q Q0 a 1 1.0 t\n")
    (tmp_path / "some.qrels").write_text("q 0 a 1\n")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for words in (("bomb.gz", "some.run", "AP"), ("some.qrels", "bomb.gz", "AP", "--memory", "1MB")):
        done = command("eval", *words, cwd=tmp_path)
        assert (done.code, done.out) == (1, "")
        assert "bomb.gz: The file has 195 KB, and more than 64 MB when it is decompressed" in done.err
        assert f"irmx --max-decompressed 1GB COMMAND ..., or the environment variable {LIMIT}=1GB." in done.err
    unit = 1 if sys.platform == "darwin" else 1024
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * unit < 195_000_000
    done = command("--max-decompressed", "1GB", "eval", "bomb.gz", "some.run", "AP", cwd=tmp_path)
    assert "a zero byte at column 1" in done.err  # it was read
    assert os.environ[LIMIT] == "1GB"


def test_an_amount_that_is_none(tmp_path: Path, command: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    done = command("--max-decompressed", "much", "measures")
    says = "The size in --max-decompressed must be an amount such as 500MB or 1GB, at least 1KB. Got 'much' instead."
    assert (done.code, done.err) == (2, f"irmx: {says}\n")
    monkeypatch.setenv(LIMIT, "10")
    (tmp_path / "run.gz").write_bytes(gzip.compress(b"q"))
    with pytest.raises(
        irmx.UsageError, match=f"The environment variable {LIMIT} must be an amount .* Got '10' instead"
    ):
        irmx.content_of(tmp_path / "run.gz")


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_methods_of_zip_that_python_cannot_bound(method: int, tmp_path: Path) -> None:
    (tmp_path / "run.zip").write_bytes(zipped(b"q Q0 a 1 1.0 t\n", method))
    with pytest.raises(irmx.DataError, match=rf"method, {method}, is neither stored nor deflated. Extract it first"):
        irmx.read_run(tmp_path / "run.zip")


def test_a_zip_archive_that_declares_another_size(tmp_path: Path) -> None:
    for size in (3, 10**9):
        data = bytearray(zipped(b"q Q0 a 1 1.0 t\n" * 100))
        for magic, place in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
            start = data.index(magic) + place
            data[start : start + 4] = size.to_bytes(4, "little")
        (tmp_path / "run.zip").write_bytes(data)
        if size == 3:
            with pytest.raises(irmx.DataError, match="truncated or damaged"):
                irmx.content_of(tmp_path / "run.zip")
        else:
            assert len(irmx.content_of(tmp_path / "run.zip")) == 1500


def test_a_parquet_file_that_declares_far_more_than_its_size(tmp_path: Path) -> None:
    """Equal values take no place in it: 3 million rows, of 72 MB in memory, in some 30 KB."""
    rows = 3_000_000
    zeros = np.zeros(rows)
    ids = pa.DictionaryArray.from_arrays(pa.array(zeros.astype(np.int32)), ["a"])
    table = pa.table({"query_id": ids, "doc_id": ids, "score": zeros})
    (tmp_path / "runs").mkdir()
    for path in (tmp_path / "run.parquet", tmp_path / "runs" / "part.parquet"):
        parquet.write_table(table, path, compression="zstd")
        for size in (1_000_000, 100_000_000):
            with pytest.raises(irmx.DataError, match=r"The file has .*, and more than 64 MB when it is decompressed"):
                irmx.read_run(path if "runs" not in path.parts else path.parent)
            assert run_chunks(path, size) is None
    packed = tmp_path / "run.parquet.gz"
    packed.write_bytes(gzip.compress((tmp_path / "run.parquet").read_bytes()))
    with pytest.raises(irmx.DataError, match="more than 64 MB"):
        irmx.read_run(packed)
