"""JSON Lines on which Arrow's reader ends the process, which would end that of the tests: all of them in one other process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import irmx
from irmx import DataError
from irmx.data.json_records import DEPTH, check_json_lines

ROW = '{"query_id":"q","doc_id":"a","score":1}\n'
MANY = 100_000
REFUSED = {
    "null": ("null\n" + ROW, 1, "not a JSON object"),
    "null after blank lines": ("\n \n\tnull\n" + ROW, 3, "not a JSON object"),
    "null later": (ROW + "null\n", 2, "not a JSON object"),
    "null in a line": (ROW[:-1] + " null\n", 1, "not JSON: Extra data"),
    "two in a line": (ROW[:-1] + ROW, 1, "not JSON: Extra data"),
    "number": ("5\n" + ROW, 1, "not a JSON object"),
    "list": ("[" + ROW[:-1] + "]\n", 1, "not a JSON object"),
    "deep list": (ROW + '{"a":' + "[" * MANY + "]" * MANY + "}\n", 2, f"nested {MANY + 1} deep"),
    "deep object": ('{"a":' * MANY + "1" + "}" * MANY + "\n", 1, f"nested {MANY} deep"),
    "deep and open": (ROW + '{"a":' + "[" * MANY, 2, f"nested {MANY + 1} deep"),
    "deep beyond a block": (ROW * 30_000 + '{"a":' + "[" * MANY + "]" * MANY + "}\n", 30_001, f"nested {MANY + 1} deep"),
    "deep over lines": ('{"a":\n' * MANY + "1" + "}\n" * MANY, 1, "not JSON"),
    "deep over lines that look whole": ('{"a":"}","b":\n' * MANY + "1" + "}\n" * MANY, 1, "not JSON"),
    "over lines": ('{\n"query_id":"q","doc_id":"a","score":1}\n', 1, "not JSON"),
    "a line break in a text": (ROW + '{"query_id":"q\n","doc_id":"a","score":1}\n', 2, "not JSON"),
    "a key twice": (ROW + ROW.replace("doc_id", "query_id"), 2, "the key 'query_id' occurs twice"),
    "half a character": (ROW + ROW.replace('"a"', r'"\ud800"'), 2, r"half of a character, such as \ud800"),
    "a zero byte": (ROW + ROW.replace('"a"', r'"a\u0000b"'), 2, r"'a\x00b'"),
    "thousands of digits": (ROW + ROW.replace("1", "9" * 5000), 2, "too large for a 64-bit float"),
    "mixed types": (ROW + ROW.replace("1", '"x"'), 2, "another type than in line 1"),
}  # fmt: skip

READ = """
import sys, irmx
for path in sys.argv[1:]:
    for read in (irmx.read_run, irmx.read_qrels, lambda path: irmx.read_table(path, {"doc_id": str, "score": float})):
        try:
            read(path)
            print("read")
        except irmx.DataError as error:
            print(str(error).partition(path)[2][:300].replace("\\n", " "))
"""


def test_what_would_crash_is_refused_with_its_line(tmp_path: Path) -> None:
    paths = [tmp_path / f"{number}.jsonl" for number in range(len(REFUSED))]
    for path, (text, _, _) in zip(paths, REFUSED.values(), strict=True):
        path.write_text(text)
    done = subprocess.run([sys.executable, "-c", READ, *map(str, paths)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    messages = iter(done.stdout.splitlines())
    for name, (_, line, says) in REFUSED.items():
        of_run, of_qrels, of_table = next(messages), next(messages), next(messages)
        assert of_run.startswith(f", line {line}: "), (name, of_run)
        assert says in of_run, (name, of_run)
        assert of_qrels != "read", name
        if name == "mixed types":
            assert of_table == ", line 2: the score must be a number. Got 'x' instead.", of_table
        else:
            assert of_table.startswith(f", line {line}: "), (name, of_table)


def test_brackets_in_texts_are_not_nested(tmp_path: Path) -> None:
    note = "[" * MANY + r"\"{\\" + "{" * MANY
    path = tmp_path / "run.jsonl"
    path.write_text(ROW.replace("}", f', "note": "{note}"}}') + "\r\n  \n " + ROW.replace("a", "b"))
    assert irmx.read_run(path).as_dict() == {"q": {"a": 1, "b": 1}}
    assert len(irmx.read_table(path, {"doc_id": str})) == 2


def test_the_depth_that_is_read(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    for depth in (DEPTH - 1, DEPTH):
        path.write_text(ROW.replace("}", f', "note": {"[" * depth}1{"]" * depth}}}'))
        if depth < DEPTH:
            assert len(irmx.read_run(path)) == 1
        else:
            with pytest.raises(DataError, match=f"nested {DEPTH + 1} deep. At most {DEPTH}"):
                irmx.read_run(path)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\n\n", " \t\n"])
def test_objects_are_counted_whatever_lines_end_with(end: str) -> None:
    assert check_json_lines("f", (ROW[:-1] + end + ROW[:-1] + end + ROW[:-1]).encode()) == 3
