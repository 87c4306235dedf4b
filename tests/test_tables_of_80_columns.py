"""Tables of few columns fit a terminal of 80, and break no word, no number and no name of a run; wider ones are not cut."""

import re
import sys
from pathlib import Path

import pytest

from irmx.demo import judgments_path, run_path
from irmx_pages.example import main

QRELS, RUNS = str(judgments_path()), str(run_path("bm25").parent / "*.run")
FEW = ["AP", "MP(model=GL_AD_ID)"]
LINES = [
    ["plugins", "-o", "table"],
    ["eval", QRELS, RUNS, *FEW, "nDCG@10", "NCP(law=uniform)", "-o", "table"],
    ["explain", QRELS, str(run_path("bm25")), "MP(model=GL_AD_ID)", "-t", "1"],
    ["explain", QRELS, str(run_path("bm25")), "IA_nDCG@10", "-t", "1"],
    ["compare", QRELS, RUNS, *FEW],
    ["correlate", QRELS, RUNS, *FEW, "P@10"],
    ["discriminate", QRELS, RUNS, *FEW],
    ["power", QRELS, RUNS, *FEW],
    ["compare", QRELS, RUNS, "MP(model=*)"],
    ["correlate", QRELS, RUNS, "MP(model=*)", "AP", "--reference", "AP"],
]


@pytest.fixture
def printed(command, monkeypatch):
    """A function that returns the lines that a command prints, in a file or on a terminal of 80 columns."""

    def lines(line: list[str], terminal: bool) -> list[str]:
        environ = monkeypatch.setenv
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(monkeypatch, "setenv", lambda name, value: environ(name, "80"))
            patch.setenv("NO_COLOR", "1")
            patch.setattr(sys.stdout, "isatty", lambda: terminal)
            done = command(*line)
        assert done.code == 0, done.err
        return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", done.out).splitlines()

    return lines


def check(line: list[str], printed) -> None:
    """Check that no line is wider than the terminal, and that every word on it stands whole in the table of a file."""
    shown, whole = printed(line, True), printed(line, False)
    assert [text for text in shown if len(text) > 80 and text.startswith(" ")] == []
    words, known = ({word for text in lines for word in re.split(r"[\s(,=|_]+", text)} for lines in (shown, whole))
    assert {word for word in words - known if "─" not in word} == set()


@pytest.mark.parametrize("line", LINES, ids=" ".join)
def test_tables_fit_a_terminal_and_break_no_word(line: list[str], printed) -> None:
    check(line, printed)


def test_tables_of_pages_fit_a_terminal_and_break_no_word(printed, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    main()
    made = ["-i", "bm25.csv", "-i", "tfidf.csv", "-v", "redde.csv", "-v", "cori.csv", "--out", "pages.jsonl"]
    printed(["pages", "simulate", "vertical-qrels.csv", *made], False)
    check(["pages", "score", "pages.jsonl", "AS_RBP", "AS_ATT", "nDCG@10", "--qrels", "vertical-qrels.csv"], printed)
