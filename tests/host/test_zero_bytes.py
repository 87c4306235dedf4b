"""Bytes that are not text are refused with their line wherever they are: beyond the start of a file, in a header, in an unread field."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import irmx
from irmx import DataError
from irmx.data.lines import check_text
from irmx.score.backends import ranked_run
from irmx.score.scored_runs import _PER_BYTE

ROWS = 300
"""So many lines are longer than the start of a file by which its format is recognised."""
HEADERS = {
    "run.csv": "query_id,doc_id,score,note\n",
    "run.tsv": "query_id\tdoc_id\tscore\tnote\n",
    "qrels.csv": "query_id,doc_id,relevance,note\n",
    "run.jsonl": "",
    "qrels.jsonl": "",
    "run.txt": "",
    "qrels.txt": "",
}
LINES = {
    "run.csv": "q,document{},1,note{}\n",
    "run.tsv": "q\tdocument{}\t1\tnote{}\n",
    "qrels.csv": "q,document{},1,note{}\n",
    "run.jsonl": '{{"query_id":"q","doc_id":"document{}","score":1,"note":"note{}"}}\n',
    "qrels.jsonl": '{{"query_id":"q","doc_id":"document{}","relevance":1,"note":"note{}"}}\n',
    "run.txt": "q Q0 document{} 1 1 tag{}\n",
    "qrels.txt": "q note{1} document{0} 1\n",
}
LOG = {"query_id": str, "doc_id": str}


def written(folder: Path, name: str, old: str = "", new: bytes = b"", encoding: str = "utf-8") -> Path:
    """Write many rows in the format that a name tells; ``old`` is replaced in the line that holds it."""
    text = HEADERS[name] + "".join(LINES[name].format(row, row) for row in range(ROWS))
    (folder / name).write_bytes(text.encode(encoding).replace(old.encode(encoding), new, 1 if old else 0))
    return folder / name


def refusals(path: Path) -> list[str]:
    """Return the messages of all functions that read a file of this kind."""
    readers = [irmx.read_run if path.name.startswith("run") else irmx.read_qrels]
    if path.suffix != ".txt":
        readers.append(lambda path: irmx.read_table(path, LOG))
    messages = []
    for reader in readers:
        with pytest.raises(DataError) as error:
            reader(path)
        messages.append(str(error.value))
    return messages


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("field", ["document250", "{}250"], ids=["id", "unread"])
@pytest.mark.parametrize(
    ("byte", "says"), [(b"\0", "a zero byte"), (b"\xff", "the byte 0xff"), (b"\xe9", "the byte 0xe9")], ids=["0", "ff", "e9"]
)  # fmt: skip
def test_a_byte_that_is_not_text_is_named(name: str, field: str, byte: bytes, says: str, tmp_path: Path) -> None:
    field = field.format("tag" if name == "run.txt" else "note")
    path = written(tmp_path, name, field, field[:-3].encode() + byte + b"250")
    line = 250 + (2 if HEADERS[name] else 1)
    for message in refusals(path):
        assert message.startswith(f"{path}, line {line}: {says} at column ")
        assert "UTF-8" in message


@pytest.mark.parametrize("name", ["run.csv", "run.tsv", "qrels.csv"])
def test_a_byte_that_is_not_text_in_a_header_is_named(name: str, tmp_path: Path) -> None:
    for message in refusals(written(tmp_path, name, "note\n", b"not\xff\n")):
        assert message.startswith(f"{tmp_path / name}, line 1: the byte 0xff at column ")
    for message in refusals(written(tmp_path, name, "note\n", b"note\0\n")):
        assert "line 1: a zero byte at column " in message


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_other_encodings_are_named(name: str, encoding: str, tmp_path: Path) -> None:
    says = "The file is UTF-16: save it as UTF-8." if encoding == "utf-16" else "UTF-16: save it as UTF-8."
    for message in refusals(written(tmp_path, name, encoding=encoding)):
        assert message.endswith(says)
        assert f"{tmp_path / name}, line 1: a zero byte at column " in message


def test_text_that_is_not_ascii_is_read(tmp_path: Path) -> None:
    for name in LINES:
        path = written(tmp_path, name, "document250", "größe\N{GREEK SMALL LETTER TAU}".encode())
        table = irmx.read_run(path) if name.startswith("run") else irmx.read_qrels(path)
        assert "größeτ" in next(iter(table.as_dict().values()))


@pytest.mark.parametrize(
    ("byte", "says"), [(b"\0", "a zero byte at column 12"), (b"\xff", "the byte 0xff at column 12")]
)
def test_a_byte_in_a_later_chunk_of_a_large_run(byte: bytes, says: str, tmp_path: Path) -> None:
    rows = [f"{topic} Q0 d{row} 1 1 tag\n".encode() for topic in range(10, 90) for row in range(10, 60)]
    rows[3000] = rows[3000].replace(b" 1 tag", byte + b" 1 tag")
    path = tmp_path / "large.run"
    path.write_bytes(b"".join(rows))
    evaluator = irmx.evaluator("AP", {str(topic): {"d10": 1} for topic in range(10, 90)})
    with pytest.raises(DataError, match=f"{path}, line 3001: {says}"):
        evaluator.scores(path, memory=len(b"".join(rows)) // 8 * _PER_BYTE)


def test_a_zero_byte_from_standard_input(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from irmx.data import content
    from irmx.data.pipes import Pipes

    for name in ("run.txt", "run.csv", "run.jsonl"):
        monkeypatch.setattr(content, "pipes", Pipes())
        with monkeypatch.context() as patched:
            file = written(tmp_path, name, "document250", b"doc\0")
            patched.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(file.read_bytes())))
            with pytest.raises(DataError, match=r"^standard input, line 25[12]: a zero byte at column "):
                irmx.read_run("-")


def test_ids_in_memory() -> None:
    """Those of a table are refused with their row; those of a dict at the latest before a tool written in C sees them."""
    ends = pa.py_buffer(np.array([0, 1, 2], np.int32))
    for doc_id, says in (
        (["a", "b\0"], r"holds 'b.x00', in which there is a zero byte. .*: row 1 "),
        (pa.array(["a", "b\0"]).dictionary_encode(), "zero byte"),
        (
            pa.Array.from_buffers(pa.string(), 2, [None, ends, pa.py_buffer(b"a\xff")]),
            r"xff', which is not UTF-8: row 1 ",
        ),
    ):
        table = pa.table({"query_id": ["q", "r"], "doc_id": doc_id, "score": [1.0, 2.0]})
        with pytest.raises(DataError, match=f"'doc_id' of the run .*{says}"):
            irmx.read_run(table)
        with pytest.raises(DataError, match=f"'query_id' of the run .*{says}"):
            irmx.read_run(table.rename_columns(["doc_id", "query_id", "score"]))
    for wrong, says in (("b\0", "a zero byte"), ("\ud800", "UTF-8 cannot encode")):
        with pytest.raises(DataError, match=f"'doc_id' of the qrels .*{says}"):
            irmx.read_qrels({"q": {"a": 1, wrong: 1}})
        with pytest.raises(DataError, match=f"'query_id' of the qrels .*{says}"):
            irmx.read_qrels({wrong: {"a": 1}})
        with pytest.raises(DataError, match=f"'doc_id' of the run .*{says}"):
            ranked_run(irmx.Join(irmx.read_run({"q": {"a": 1.0, wrong: 2.0}}), irmx.read_qrels({"q": {"a": 1}})))
        with pytest.raises(DataError, match=r"row 1 .*zero byte") if "\0" in wrong else contextlib.nullcontext():
            irmx.read_table({"x": ["a", wrong]}, {"x": str})


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_lines_are_counted_whatever_they_end_with(end: bytes) -> None:
    with pytest.raises(DataError, match=r"f, line 9: the byte 0xff at column 2 is not"):
        check_text("f", end.join([b"one", b"tw\xc3\xb6", b"x\xff"]) + end, 6)
