"""Measures of a file of the user's, from the shell: ``irmx --load FILE.py``."""

import re
import sys

import pandas as pd
import pytest

MINE = '''
import irmx


@irmx.measure
def Enough(ranking: irmx.Ranking, *, k: int = 1) -> float:
    """Whether at least k relevant documents are retrieved."""
    return len(ranking.relevant) >= k
'''


@pytest.fixture
def files(tmp_path):
    """A folder with qrels, a run and a file of measures."""
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "some.qrels").write_text("q 0 a 1\nq 0 b 1\n")
    (tmp_path / "some.run").write_text("q Q0 a 1 3.0 t\nq Q0 x 2 2.0 t\nq Q0 b 3 1.0 t\n")
    return tmp_path


def test_a_file_of_measures_is_loaded(shell, files):
    done = shell("--load", "mine.py", "eval", "some.qrels", "some.run", "Enough(k=2)@2", "Enough(k=2)", "AP", cwd=files)
    assert done.out == "Enough(k=2)@2\t0.0000\nEnough(k=2)\t1.0000\nAP\t0.8333\n", done.err
    assert "Whether at least k" in shell("--load", files / "mine.py", "measures", "Enough").out
    out = files / "out.csv"
    done = shell("--load", "mine.py", "sweep", "some.qrels", "some.run", "-m", "Enough", "-g", "k=1,2,3", "--out", out, "-j", "2", cwd=files)  # fmt: skip
    assert pd.read_csv(out)["value"].tolist() == [1, 1, 0], done.err


@pytest.mark.parametrize(
    ("name", "text", "code", "message"),
    [
        ("none.py", None, 2, "There is no file own/none.py"),
        ("mine.txt", "", 2, "--load takes a Python file. Got own/mine.txt"),
        ("my-own.py", "", 2, "'my-own' is not a valid module name. Rename own/my-own.py"),
        ("numpy.py", "", 2, "there is already a module 'numpy'. Rename own/numpy.py"),
        ("bad.py", "\n1 / 0\n", 1, "bad.py, line 2: ZeroDivisionError: division by zero"),
        ("bad.py", "\ndef f(:\n", 1, "bad.py, line 2: SyntaxError"),
        ("bad.py", "import irmx\ndef AP(ranking): ...\nirmx.measure(AP)\n", 2, "bad.py, line 3: The measure AP of bad.AP is refused"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_loaded_says_why(command, monkeypatch, files, name, text, code, message):
    monkeypatch.setattr("sys.path", [*sys.path])  # to which the folder of the file is added
    (files / "own").mkdir()
    if text is not None:
        (files / "own" / name).write_text(text)
    done = command("--load", f"own/{name}", "measures", cwd=files)
    assert done.code == code
    assert message in done.err
    assert "Traceback" not in done.err


FAILS = '''
import irmx
import numpy as np


@irmx.measure
def ZFails(ranking: irmx.Ranking) -> float:
    """Fail in a library."""
    return float(np.concatenate([np.ones(2)], axis=2)[0])
'''


def test_an_error_in_a_measure_names_the_line_of_the_file(command, monkeypatch, files):
    monkeypatch.setattr("sys.path", [*sys.path])
    monkeypatch.setenv("IRMX_TRACEBACK", "")
    (files / "zfails.py").write_text(FAILS)
    line = ("--load", "zfails.py", "eval", "some.qrels", "some.run", "ZFails")
    done = command(*line, cwd=files)
    assert done.code == 1
    told = r"irmx: The measure ZFails failed for query q with AxisError: .* \(zfails\.py, line 9\)\nirmx: 'irmx --traceback COMMAND \.\.\.' shows .*\n"
    assert re.fullmatch(told, done.err)
    whole = command("--traceback", *line, cwd=files)
    assert (whole.code, whole.out) == (1, "")
    assert whole.err.startswith("Traceback")
    assert 'zfails.py", line 9' in whole.err
    assert whole.err.endswith(done.err)
