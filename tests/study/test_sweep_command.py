"""The command ``irmx sweep``."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import irmx_study
from irmx.demo import SYSTEMS

Command = Callable[..., Any]
SWEEP = ("sweep", "demo.qrels", "*.run", "-m", "NCP", "-g", "law=uniform,geometric(p=0.3)", "-j", "1")


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_it_writes_what_the_function_returns_and_knows_it_again(command: Command, folder: Path, ending: str) -> None:
    out = ("-g", "cutoff=5,10", "-r", "AP", "-r", "P@5 RR", "--out", f"results.{ending}")
    done = command(*SWEEP, *out)
    assert (done.code, done.out, done.err) == (0, "", f"irmx: results.{ending}: 4 settings of 3 runs\n")
    grid = {"law": ["uniform", "geometric(p=0.3)"], "cutoff": [5, 10]}
    runs = {f"{s}.run": folder / f"{s}.run" for s in sorted(SYSTEMS)}
    expected = irmx_study.sweep("NCP", grid, folder / "demo.qrels", runs, reference=["AP", "P@5", "RR"], jobs=1)
    there = irmx_study.read_per_topic(folder / f"results.{ending}")
    assert (there.names, there.systems, there.topics) == (expected.names, expected.systems, expected.topics)
    np.testing.assert_array_equal(there.values, expected.values)
    done = command(*SWEEP, *out)
    assert (done.code, done.err) == (0, f"irmx: results.{ending} is complete: 4 settings of 3 runs\n")
    done = command("correlate", "--scores", f"results.{ending}", "-r", "AP", "--table", "views", "-o", "csv")
    settings = {"parquet": 4, "csv": 6}[ending]  # csv does not say which views are references
    assert (done.code, len(done.out.splitlines())) == (0, 1 + settings)


def test_a_population_is_swept_and_topics_that_a_run_lacks_are_noted(command: Command, folder: Path) -> None:
    lines = (folder / "recent.run").read_text().splitlines(keepends=True)
    (folder / "recent.run").write_text("".join(line for line in lines if not line.startswith("1 ")))
    (folder / "users.csv").write_text("law,weight\nfirst,3\nuniform,1\n")
    done = command(*SWEEP[:5], "--population", "users.csv", "-j", "1", "--out", "results.csv")
    assert done.code == 0
    assert "irmx: recent.run: no results for 1 of 30 topics (1); they count with the measures' defaults\n" in done.err
    assert irmx_study.read_per_topic(folder / "results.csv").marks["weight"] == (0.75, 0.25)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--out", "results.xls"), 2, "The results 'results.xls' must end in .parquet, .csv or .tsv"),
        (("--out", "nowhere/results.csv"), 1, "There is no folder nowhere for the results"),
        (("--out", "r.csv", "-g", "law=first"), 2, "The grid has the parameter 'law' twice"),
        (("--out", "r.csv", "-g", "cutof=5"), 2, "NCP has no parameter 'cutof'. Did you mean cutoff?"),
        (("--out", "r.csv", "-g", "cutoff="), 2, "The grid has no value for 'cutoff'"),
        (("--out", "r.csv", "-g", "cutoff=5,", "10"), 2, "an empty value of 'cutoff'"),
        (("--out", "r.csv", "--population", "users.csv"), 2, "a grid, or a population"),
        (("--out", "r.csv", "-r", "AP", "P@5"), 2, "P@5 is a measure, and no run file has this name"),
        (("--out", "r.csv", "*.ruin"), 1, "No file matches the pattern '*.ruin'."),
        ((), 2, "Missing option '--out'"),
    ],
)
def test_mistakes_have_messages_and_exit_codes(command: Any, folder: Path, words: Any, code: int, said: str) -> None:
    done = command(*SWEEP, *words)
    assert done.code == code
    assert said in " ".join(done.err.split())
    assert "Traceback" not in done.err
    assert sorted(p.name for p in folder.iterdir()) == ["bm25.run", "demo.qrels", "recent.run", "titles.run"]
