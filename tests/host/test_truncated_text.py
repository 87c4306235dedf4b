"""A file that ends in the middle of a line is told as cut; see also the guide on inputs, which says what cannot be told."""

from __future__ import annotations

from pathlib import Path

import pytest

import irmx
from irmx import DataError

CUT = "The file ends in the middle of this line, without an end of line: it is probably truncated"
RUN, QRELS = "q Q0 a 1 2.5 tag\nq Q0 b 2 1.5 tag\n", "q 0 a 1\nq 0 b 2\n"
TABLE = 'query_id,doc_id,score,note\nq,a,2.5,"one, two"\nq,b,1.5,note\n'
JSON = '{"query_id": "q", "doc_id": "a", "score": 2.5}\n{"query_id": "q", "doc_id": "b", "score": 1.5}\n'
COLUMNS = {"query_id": str, "doc_id": str, "score": float}


def message(read: object, path: Path) -> str:
    """Return what a function says about a file, nothing if it reads it."""
    try:
        read(path)  # type: ignore[operator]
    except DataError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("name", "whole", "line", "last_field"),
    [("run.txt", RUN, 2, "tag"), ("qrels.txt", QRELS, 2, "2"), ("run.csv", TABLE, 3, "note"),
     ("run.tsv", TABLE.replace("one, two", "one two").replace(",", "\t"), 3, "note"), ("run.jsonl", JSON, 2, "}")],
)  # fmt: skip
def test_a_file_cut_at_any_byte_of_its_last_line(
    name: str, whole: str, line: int, last_field: str, tmp_path: Path
) -> None:
    """From the first field on that is missing as a whole, it is told; a cut inside the last field cannot be told."""
    path, start = tmp_path / name, whole[:-1].rindex("\n") + 1
    readers = [irmx.read_qrels] if name == "qrels.txt" else [irmx.read_run]
    if not name.endswith(".txt"):
        readers.append(lambda path: irmx.read_table(path, COLUMNS))
    last = whole.rindex(last_field)
    for read in readers:
        for end in range(start + 1, len(whole) + 1):
            path.write_text(whole[:end])
            says = message(read, path)
            if end < last:
                assert says.startswith(f"{path}, line {line}: "), (end, says)
                assert CUT in says, (end, says)
            elif end > last:
                assert says == "", (end, says)


def test_a_short_line_elsewhere_was_not_cut(tmp_path: Path) -> None:
    path = tmp_path / "some.run"
    for text in ("q Q0 a 1 2\n", "q Q0 a 1 2\nq Q0 b 2 1.5 tag", RUN + "q Q0 c\n", RUN + "q Q0 c\n ", "q Q0 a 1 2"):
        path.write_text(text)
        says = message(irmx.read_run, path)
        assert "too few fields" in says
        assert CUT not in says


def test_a_large_run_that_was_cut(tmp_path: Path) -> None:
    from irmx.score.scored_runs import _PER_BYTE

    rows = [f"{topic} Q0 d{row} 1 1 tag" for topic in range(10, 30) for row in range(50)]
    path = tmp_path / "large.run"
    path.write_text("\n".join(rows)[: -len(" tag")])
    evaluator = irmx.evaluator("AP", {str(topic): {"d1": 1} for topic in range(10, 30)})
    with pytest.raises(DataError, match=rf"{path}, line {len(rows)}: too few fields: 5 .*{CUT}"):
        evaluator.scores(path, memory=4000 * _PER_BYTE)
