"""``irmx sensitivity``: tables, settings from elsewhere, and wrong arguments."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import irmx
import irmx_study
from irmx.demo import SYSTEMS, qrels_path, run_path

FILES = [qrels_path(), run_path("titles"), run_path("recent")]
RUNS = {system: run_path(system) for system in SYSTEMS}


def sensitivity(measures: str, **options: Any) -> Any:
    return irmx_study.sensitivity(irmx.scores(measures, qrels_path(), RUNS), **options)


# -- the command -----------------------------------------------------------------------------------------


def test_two_runs_have_a_sentence_and_a_row_per_setting(command: Callable[..., Any]) -> None:
    done = command("sensitivity", *FILES, "RBP(p=0.3|0.6|0.86|0.95)", "AP")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == "By RBP, recent.run is better for 1 of 4 users, titles.run for 2; undecided for 1"
    assert [line.split()[0] for line in lines if line.startswith((" 0.", "  0."))] == [
        "0.3000",
        "0.6000",
        "0.8600",
        "0.9500",
    ]
    assert "4 settings of RBP by p, each with the same share; p-values not corrected over them" in done.out
    assert "effect" not in done.out


def test_csv_has_one_row_per_setting_and_run(command: Callable[..., Any]) -> None:
    done = command("sensitivity", *FILES, run_path("bm25"), "NCP(law=first|uniform)", "-o", "csv", "--family", "all")
    table = pd.read_csv(io.StringIO(done.out), keep_default_na=False)
    expected = sensitivity("NCP(law=first|uniform)", b="titles", a=["recent", "bm25"], family="all").frame()
    renamed = expected.replace({name: f"{name}.run" for name in SYSTEMS})
    pd.testing.assert_frame_equal(table, renamed, check_dtype=False)
    assert done.err.startswith("By NCP, recent.run is better for")


@pytest.mark.parametrize(("option", "method"), [("--rank-bands", "rank_bands"), ("--border", "border")])
def test_other_tables(option: str, method: str, command: Callable[..., Any]) -> None:
    done = command("sensitivity", *FILES, "RBP(p=0.3:0.95:4)", option, "-o", "csv")
    runs = {"titles.run": run_path("titles"), "recent.run": run_path("recent")}
    result = irmx_study.sensitivity(irmx.scores("RBP(p=0.3:0.95:4)", qrels_path(), runs))
    expected = getattr(result, method)().replace({True: "yes", False: "no"})
    table = pd.read_csv(io.StringIO(done.out), keep_default_na=False)
    pd.testing.assert_frame_equal(table, expected, check_dtype=False)


def test_settings_from_a_grid_a_population_and_a_sweep(command: Callable[..., Any], tmp_path: Path) -> None:
    pattern = command("sensitivity", *FILES, "NCP(law=first|uniform)@5|20", "-o", "csv").out
    assert (
        command("sensitivity", *FILES, "NCP", "-g", "law=first,uniform", "-g", "cutoff=5,20", "-o", "csv").out
        == pattern
    )
    users = tmp_path / "users.csv"
    users.write_text("law,cutoff\nfirst,5\nfirst,20\nuniform,5\nuniform,20\n", encoding="utf-8")
    assert command("sensitivity", *FILES, "NCP", "--population", users, "-o", "csv").out == pattern
    users.write_text("law,cutoff,weight\nfirst,5,3\nuniform,20,1\n", encoding="utf-8")
    weighted = command("sensitivity", *FILES, "NCP", "--population", users).out
    assert "of the users" in weighted.splitlines()[0]
    assert "weighted by the shares of a population" in weighted
    results = tmp_path / "results.parquet"
    irmx_study.sweep(
        "NCP", {"law": ["first", "uniform"], "cutoff": [5, 20]}, qrels_path(), FILES[1:], out=results, jobs=1
    )
    swept = command("sensitivity", "--sweep", results, "-o", "csv")
    assert (swept.code, swept.out) == (0, pattern)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([*FILES, "AP"], "needs several settings of one measure"),
        ([*FILES, "P@5|10", "--b", "title.run"], "Did you mean titles.run?"),
        ([*FILES, "P@5|10", "--level", "2"], "'level'"),
        ([*FILES, "P@5|10", "--rank-bands", "--border"], "Give one of the two"),
        ([*FILES, "RBP(p=*)"], "Give the values: p=A|B|C or p=LOW:HIGH:NUMBER"),
        (["--sweep", *FILES], "--sweep takes one results file"),
        (["--sweep", FILES[0], "-g", "p=1,2"], "--grid goes with runs to score"),
        (["--sweep", FILES[0], "--population", "u.csv"], "--population has the settings"),
        ([*FILES, "NCP", "-g", "law=frist"], "Did you mean first?"),
    ],
)
def test_wrong_arguments(arguments: list[Any], message: str, command: Callable[..., Any]) -> None:
    done = command("sensitivity", *arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
