"""Runs of the Temporal Summarization track, known by their content."""

import gzip
import re
from pathlib import Path
from typing import Any

import pytest

import irmx
from irmx import DataError
from irmx_stream import read_tst_runs

RUN = "1 team a 100-aa 1 1000 0.5\n1 team a 300-cc 3 23600 2\nTS99.2 team a 500-ee 1 5000 1e-3\n"
ROWS = [("1", "100-aa-1", 0.5, 1000.0), ("1", "300-cc-3", 2.0, 23600.0), ("2", "500-ee-1", 0.001, 5000.0)]


def run_rows(run: Any) -> list[tuple[Any, ...]]:
    found = irmx.read_run(run)
    time = found.column("timestamp")
    assert time is not None
    docs = [(t, doc) for i, t in enumerate(found.topics) for doc in found.docs(i)]
    return [(*doc, s, t) for doc, s, t in zip(docs, found.score.tolist(), time.tolist(), strict=True)]


@pytest.mark.parametrize(
    "text",
    [RUN, RUN.replace(" ", "\t"), RUN.replace(" ", "\t", 4), RUN.replace(" ", "  "), RUN.replace("\n", " \r\n"), "\n" + RUN, RUN.rstrip()],
)  # fmt: skip
def test_a_run_by_its_content(tmp_path: Path, text: str) -> None:
    for name, pack in (("run.txt", bytes), ("run.gz", gzip.compress)):
        (tmp_path / name).write_bytes(pack(text.encode()))
        assert run_rows(tmp_path / name) == ROWS
        assert run_rows(f"tst:{tmp_path / name}") == ROWS


def test_an_update_may_be_emitted_twice(tmp_path: Path) -> None:
    (tmp_path / "run.txt").write_text(RUN + RUN, encoding="utf-8")
    assert sorted(run_rows(tmp_path / "run.txt")) == sorted([*ROWS, *ROWS])


OTHERS = [
    "q1 Q0 d1 1 2.5 tag\nq1 Q0 d2 2 1.5 tag\n",
    "query_id\tdoc_id\tscore\ttimestamp\tlength\tvertical\tmedia\n1\td\t2.5\t1\t3\tweb\ttext\n",
    "query_id\tdoc_id\tscore\tvertical\tmedia\tlength\ttimestamp\n" + "1\td\t2.5\tweb\ttext\t3\t1\n" * 5,
    "q1 Q0 d1 1 2.5 tag 2\nq1 Q0 d2 2 1.5 tag 2\n",
    "q1 0 d1 1 2.5 tag 2\nq1 0 d2 2 1.5 tag 2\n",
    '{ "query_id": "1", "doc_id": "d", "score": 5 }\n',
    "query_id,doc_id,score\n1,d,2\n",
]


@pytest.mark.parametrize("text", OTHERS)
def test_runs_of_other_formats_stay_theirs(tmp_path: Path, text: str) -> None:
    (tmp_path / "run").write_text(text, encoding="utf-8")
    assert irmx.read_run(tmp_path / "run").score.tolist()[0] in (2.5, 5, 2)


def test_several_runs_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "runs.txt"
    path.write_text(RUN + RUN.replace("team a", "team b") + RUN.replace("team a", "other b"), encoding="utf-8")
    with pytest.raises(DataError, match=r"holds 3 runs: a, team.b, other.b.*tst\(run="):
        irmx.read_run(path)
    with pytest.raises(DataError, match="holds 3 runs"):
        irmx.read_run(f"tst(run=c):{path}")
    chosen, named = irmx.read_run(f"tst(run='other.b'):{path}"), irmx.read_run(read_tst_runs(path)["other.b"])
    assert (chosen.as_dict(), chosen.column("timestamp").tolist()) == (
        named.as_dict(),
        named.column("timestamp").tolist(),
    )
    assert list(irmx.scores("NumRet", {"1": {"x": 1}, "2": {"x": 1}}, path).systems) == ["a", "team.b", "other.b"]
    found = read_tst_runs(path)
    assert list(found) == ["a", "team.b", "other.b"]
    assert all(run_rows(run) == ROWS for run in found.values())


def test_many_runs_in_blocks_of_a_large_file(tmp_path: Path) -> None:
    """Arrow reads a large file in blocks with dictionaries of their own."""
    path = tmp_path / "runs.txt"
    names = ["b", "a", "c"]
    lines = [f"{i % 7} team {name} {i}-x {i} {i} {i}\n" for name in names for i in range(30_000)]
    path.write_text("".join(lines), encoding="utf-8")
    found = read_tst_runs(path)
    assert list(found) == names
    assert [run.num_rows for run in found.values()] == [30_000] * 3
    assert found["c"].slice(29_999).to_pylist() == [
        {"query_id": str(29_999 % 7), "doc_id": "29999-x-29999", "score": 29_999.0, "timestamp": 29_999.0}
    ]


BAD = [
    ("23600 2", "23600 high", "line 2: the confidence 'high' of update 300-cc-3 is not a finite number"),
    ("23600 2", "23600 nan", "line 2: the confidence 'nan' of update 300-cc-3 is not a finite number"),
    ("23600 2", "noon 2", "line 2: the time 'noon' of update 300-cc-3 is not a finite number"),
    ("23600 2", "1326510000000 2", "line 2: the time 1326510000000 is not in seconds"),
    ("23600 2", "23600", "line 2: too few fields: 6 where a line of a run of the track has 7 (topic team run"),
    ("23600 2", "23600 2 3", "line 2: too many fields: 8"),
    ("300-cc 3", " 3", "line 2: too few fields: 6"),
]


@pytest.mark.parametrize(("old", "new", "text"), BAD)
@pytest.mark.parametrize("blank", [" ", "\t"])
def test_a_wrong_line_of_a_run_is_named(tmp_path: Path, old: str, new: str, text: str, blank: str) -> None:
    (tmp_path / "run").write_text(RUN.replace(old, new).replace(" ", blank), encoding="utf-8")
    with pytest.raises(DataError, match=re.escape(f"run, {text}")):
        irmx.read_run(tmp_path / "run")


def test_a_run_that_is_empty_or_no_text(tmp_path: Path) -> None:
    (tmp_path / "run").write_bytes(RUN.encode().replace(b"500-ee", b"500-\xe9"))
    with pytest.raises(DataError, match="run, line 3: the byte 0xe9 is not UTF-8"):
        irmx.read_run(tmp_path / "run")
    (tmp_path / "run").write_bytes(b"\n")
    with pytest.raises(DataError, match="run is empty: it has no lines of a run"):
        irmx.read_run(f"tst:{tmp_path / 'run'}")
