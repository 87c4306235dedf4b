"""Packed files, and standard input in place of one."""

import bz2
import gzip
import io
import lzma
import os
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import irmx
from irmx.data import content
from irmx.data.pipes import Pipes

QRELS, RUN = "q 0 a 1\nr 0 b 2\n", "q Q0 x 1 2.0 t\nq Q0 a 2 1.0 t\nr Q0 b 1 1.0 t\n"
VALUES = "NCP(law=first)\t0.7500\nAP\t0.7500\n"
MEASURES = ("NCP(law=first)", "AP")
BEIR = "query-id\tcorpus-id\tscore\nq\ta\t1\nr\tb\t2\n"


def zipped(files: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return made.getvalue()


def zstd(data: bytes) -> bytes:
    packed: bytes = pa.Codec("zstd").compress(data, asbytes=True)
    return packed


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstd,
    "zst of two frames": lambda data: zstd(data[:9]) + zstd(data[9:]),
    "zip": lambda data: zipped({"folder/": b"", "folder/some.run": data}),
    "zip of macOS": lambda data: zipped({"some.run": data, "__MACOSX/._some.run": b"\0"}),
}  # fmt: skip


@pytest.fixture(autouse=True)
def _unread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content, "pipes", Pipes())


def given(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


@pytest.mark.parametrize("packer", PACKERS)
def test_packed_files(packer: str, tmp_path: Path) -> None:
    for text, read in ((QRELS, irmx.read_qrels), (BEIR, irmx.read_qrels), (RUN, irmx.read_run)):
        path = tmp_path / "some"
        path.write_bytes(PACKERS[packer](b"\xef\xbb\xbf" + text.encode()))
        assert irmx.content_of(path) == text.encode()
        assert irmx.content_of(path, size=4) == text.encode()[:1]
        expected = {"q": {"x": 2.0, "a": 1.0}, "r": {"b": 1.0}} if text == RUN else {"q": {"a": 1}, "r": {"b": 2}}
        assert read(path).as_dict() == expected


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (zstd(RUN.encode() * 50)[:-9], "truncated or damaged"),
        (zipped({"run": RUN.encode() * 50})[:-9], "truncated or damaged"),
        (
            zipped(dict.fromkeys("abcd", b"1")),
            "bad: A zip archive of one file .* It holds 4: a, b, c, .... Extract it first",
        ),
        (zipped({}), "It holds none"),
    ],
    ids=["zst", "zip", "zip of several", "empty zip"],
)
def test_packed_files_that_are_not_sound(data: bytes, says: str, tmp_path: Path) -> None:
    (tmp_path / "bad").write_bytes(data)
    with pytest.raises(irmx.DataError, match=says):
        irmx.read_run(tmp_path / "bad")


def test_a_zip_archive_with_a_password(tmp_path: Path) -> None:
    data = bytearray(zipped({"run": RUN.encode()}))
    for magic, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(magic) + flags] |= 1
    (tmp_path / "some.zip").write_bytes(data)
    with pytest.raises(irmx.DataError, match=r"cannot be extracted: .*password"):
        irmx.read_run(tmp_path / "some.zip")


@pytest.mark.parametrize("packer", ["plain", "gz", "zst", "zip"])
def test_standard_input(
    packer: str, tmp_path: Path, command: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "some.qrels").write_text(QRELS)
    (tmp_path / "some.run").write_text(RUN)
    for data, arguments in ((QRELS, ("-", "some.run")), (RUN, ("some.qrels", "-")), (RUN, ("some.qrels", "trec:-"))):
        given(monkeypatch, PACKERS[packer](data.encode()))
        monkeypatch.setattr(content, "pipes", Pipes())
        done = command("eval", *arguments, *MEASURES, cwd=tmp_path)
        assert (done.code, done.out, done.err) == (0, VALUES, "")


def test_standard_input_among_several_runs(tmp_path: Path, shell: Callable[..., Any]) -> None:
    (tmp_path / "some.qrels").write_text(QRELS)
    (tmp_path / "some.run").write_text(RUN)
    code = [sys.executable, "-c", "from irmx.cli import main; main()", "eval", "some.qrels", "some.run", "-", "AP"]
    done = subprocess.run(code, input=RUN, capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "run\tAP\nsome.run\t0.7500\n-\t0.7500\n", "")


def test_standard_input_is_read_once(
    tmp_path: Path, command: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    given(monkeypatch, QRELS.encode())
    done = command("eval", "-", "-", "AP", cwd=tmp_path)
    says = "Standard input is already read as the qrels, and can be read once. Give the run as a file."
    assert (done.code, done.out) == (2, "")
    assert says in done.err


def test_an_error_in_standard_input_has_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    given(monkeypatch, (RUN + "q Q0 a 2 1.0 t\n").encode())
    with pytest.raises(irmx.DataError, match=r"standard input, lines 2 and 4: The run has the document 'a' more"):
        irmx.calc_aggregate("NumRet NCP(law=first)", {"q": {"a": 1}}, "-")
    monkeypatch.setattr(content, "pipes", Pipes())
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(irmx.DataError, match="standard input: This process has no standard input"):
        irmx.read_run("-")


def test_a_frame_to_be_skipped_stands_before(tmp_path: Path) -> None:
    """pzstd writes one before each frame."""
    data = b"q 0 a 1\n"
    frame = b"\x50\x2a\x4d\x18\x04\x00\x00\x00" + b"size"
    packed = frame + pa.compress(data, "zstd", asbytes=True)
    (tmp_path / "qrels.zst").write_bytes(packed)
    assert irmx.read_qrels(tmp_path / "qrels.zst").as_dict() == {"q": {"a": 1}}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no named pipes")
def test_the_lines_of_a_pipe_are_named_without_reading_it_again(tmp_path: Path, command: Callable[..., Any]) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "some.run").write_text("q Q0 a 1 1.0 t\n")
    writer = threading.Thread(target=lambda: (tmp_path / "pipe").write_text("q 0 a 1\nq 0 b 1\nq 0 a 0\n"))
    writer.start()
    done = command("eval", "pipe", "some.run", "NCP(law=first)", cwd=tmp_path)
    writer.join()
    assert (done.code, done.out) == (0, "NCP(law=first)\t1.0000\n")
    assert "pipe, lines 1 and 3: the grades 1 and 0 of document 'a'" in done.err
