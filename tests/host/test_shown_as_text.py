"""Whatever the files and the words of a command contain, nothing but text is printed."""

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

import irmx
from irmx.text import INVISIBLE

HOSTILE = "q\x1b[2J\x9b31m\x1b]52;c;YQ==\x07\x7f\x08\u202e\u2066\u200b\u2028=$x$<b>"
"""Escapes of a terminal, also one that writes to the clipboard, a reversed writing direction, and marks of other languages."""

NOT_TEXT = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u2028\u202e\u2066]")
FORMATS = sorted(irmx.registry().output_formats())


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A folder with judgments and two runs, in which every id, and the name of one run, is hostile."""
    doc, topic = f"d{HOSTILE}", f"t{HOSTILE}"
    rows = [(topic, f"{doc}{i}", i % 2, f"s{HOSTILE}") for i in range(4)] + [("2", "a", 1, "s"), ("2", "b", 0, "s")]
    lines = [f'"{q}","{d}",{grade},"{s}"\n' for q, d, grade, s in rows]
    (tmp_path / "qrels.csv").write_text("query_id,doc_id,relevance,subtopic\n" + "".join(lines), encoding="utf-8")
    for name, sign in (("plain", 1), (f"r{HOSTILE.replace('/', '')}", -1)):
        lines = [f'"{q}","{d}",{sign * i}\n' for i, (q, d, *_) in enumerate(rows)]
        (tmp_path / f"{name}.csv").write_text("query_id,doc_id,score\n" + "".join(lines), encoding="utf-8")
    return tmp_path


def asked(folder: Path) -> dict[str, list[Any]]:
    """The arguments of commands that print names or ids, without their output format."""
    qrels, plain = folder / "qrels.csv", folder / "plain.csv"
    [other] = folder.glob("r*.csv")
    topic, measures = f"t{HOSTILE}", ["AP", "RR"]
    return {
        "eval": ["eval", qrels, plain, other, *measures],
        "by topic": ["eval", "-q", qrels, other, *measures],
        "explain": ["explain", qrels, other, "AP", "-t", topic],
        "compare": ["compare", qrels, plain, other, *measures, "--draws", 100],
        "topics": ["topics", qrels, plain, other, "AP"],
        "correlate": ["correlate", qrels, plain, other, *measures],
        "sweep": ["sweep", qrels, plain, other, "NCP", "--grid", "law=uniform,first"],
        "measures": ["measures"],
        "plugins": ["plugins"],
    }


def assert_is_text(printed: str) -> None:
    found = NOT_TEXT.search(printed)
    assert found is None, (found, printed[max(found.start() - 60, 0) : found.start()])


@pytest.mark.parametrize("output_format", FORMATS)
def test_no_command_prints_control_characters(command: Any, hostile: Path, output_format: str) -> None:
    for name, arguments in asked(hostile).items():
        done = command(*arguments, "-o", output_format)
        assert_is_text(done.out + done.err)
        assert done.code in (0, 1, 2)
        assert done.out or done.code, name


MISTAKES: dict[str, list[str]] = {
    "word": [HOSTILE],
    "option": ["eval", f"--{HOSTILE}"],
    "value of an option": ["eval", "-o", HOSTILE],
    "number": ["eval", "-p", HOSTILE],
    "file": ["eval", HOSTILE, HOSTILE, "AP"],
    "measure": ["cite", HOSTILE],
    "name": ["measures", HOSTILE],
    "help": ["measures", HOSTILE, "--help"],
    "plugin": ["study", HOSTILE],
    "long": ["cite", "X" * 10**5],
    "long option": ["eval", "-p", "1" * 10**5],
    "demo": ["demo", "--into", f"{HOSTILE}/{HOSTILE}/x"],
    "dataset": ["datasets", HOSTILE],
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_messages_about_mistakes_are_text(command: Any, mistake: str) -> None:
    done = command(*MISTAKES[mistake])
    assert_is_text(done.out + done.err)
    assert len(done.err) < 6000


def test_errors_and_warnings_are_text_in_python() -> None:
    for kind in (irmx.UsageError, irmx.DataError, irmx.PluginError, irmx.DataWarning, irmx.PluginWarning):
        text = str(kind(f"no {HOSTILE} of\n{'x' * 10**6}"))
        assert_is_text(text)
        assert text.count("\n") == 1
        assert len(text) < 1000


def test_a_note_is_text(capsys: pytest.CaptureFixture[str]) -> None:
    irmx.toolkit.note(HOSTILE)
    assert_is_text(capsys.readouterr().err)


EVERY = "".join(map(chr, range(0x110000)))
UNSEEN = "".join(one for one in INVISIBLE.findall(EVERY) if not "\ud800" <= one < "\ue000")


def test_json_lines_give_back_every_name_and_id() -> None:
    """Also those above U+FFFF, which JSON writes as two halves."""
    rows = [{"ids": [*UNSEEN], "of": {UNSEEN: '"\\u'}}, {UNSEEN: UNSEEN}]
    printed = io.StringIO()
    irmx.toolkit.print_rows(rows, "jsonl", file=printed)
    assert_is_text(printed.getvalue())
    assert [json.loads(line) for line in printed.getvalue().split("\n")[:-1]] == rows


def test_half_of_a_character_in_the_name_of_a_run_is_escaped() -> None:
    """Python reads a byte that is not UTF-8 as one, and neither pandas nor a file can hold it."""
    scores = irmx.scores("AP", {"q": {"d": 1}}, {"caf\udce9": {"q": {"d": 1.0}}})
    assert scores.frame()["system"].tolist() == [r"caf\udce9"]
