"""The command ``irmx discriminate``: what it prints, draws, refuses and says about its input."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import irmx
import irmx_study
from irmx.demo import SYSTEMS, qrels_path, run_path

Command = Callable[..., Any]

DISCRIMINATE = ("discriminate", "demo.qrels", "bm25.run", "titles.run", "recent.run", "RR", "AP")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(qrels_path(), tmp_path / "demo.qrels")
    for system in SYSTEMS:
        shutil.copy(run_path(system), tmp_path / f"{system}.run")
    return tmp_path


@pytest.fixture(scope="module")
def result() -> irmx_study.Discrimination:
    runs = {f"{system}.run": run_path(system) for system in SYSTEMS}
    return irmx_study.discriminate(irmx.scores("RR AP", qrels_path(), runs))


def rows(out: str) -> list[dict[str, str]]:
    return list(csv.DictReader(out.splitlines()))


@pytest.mark.parametrize(("option", "table"), [("", "frame"), ("--asl", "asl"), ("--swaps", "swaps")])
def test_csv_has_every_digit_of_the_tables(
    command: Command, folder: Path, result: irmx_study.Discrimination, option: str, table: str
) -> None:
    done = command(*DISCRIMINATE, *[option] * bool(option), "-o", "csv", cwd=folder)
    assert done.code == 0
    known = getattr(result, table)()
    printed = rows(done.out)
    assert list(printed[0]) == list(known.columns)
    for name in known.columns:
        if known[name].dtype == float:
            numbers = [float(row[name] or "nan") for row in printed]
            assert numbers == pytest.approx(known[name].tolist(), abs=0, nan_ok=True)
        else:
            assert [row[name] for row in printed] == known[name].astype(str).tolist()
    assert "swap rate" not in done.out
    assert "share of pairs and splits" in done.err


def test_the_table_fits_a_terminal_and_states_how(command: Command, folder: Path) -> None:
    done = command(*DISCRIMINATE, "MP(model=GL_AD_ID)", "--test", "randomised-tukey", "--draws", "500", cwd=folder)
    assert done.code == 0
    table, _, facts = done.out.partition("\ntest ")
    assert max(map(len, table.splitlines())) <= 80
    for words in ("randomised Tukey", "level       0.05", "500 (test)", "1,000, of 30 topics", "seed        0"):
        assert words in facts


@pytest.mark.parametrize("test", ["t", "randomised-tukey"])
def test_levels_without_a_correction_are_p_values_for_readers(command: Command, folder: Path, test: str) -> None:
    asl = (*DISCRIMINATE, "--asl", "--test", test, "--draws", "500")
    lines = [line.split() for line in command(*asl, cwd=folder).out.splitlines()]
    assert ["measure", "rank", "a", "b", "difference", "p"] in lines
    corrected = rows(command(*asl, "-o", "csv", cwd=folder).out)[0]["p_corrected"]
    assert next(line for line in lines if line[:2] == ["AP", "1"])[-1] in (f"{float(corrected):.4f}", "<0.0001")


def test_filters_and_labels_choose_the_runs(command: Command, folder: Path) -> None:
    shutil.copy(folder / "bm25.run", folder / "again.run")
    (folder / "names.txt").write_text("bm25.run\ntitles.run\nNew\n")
    runs = ("discriminate", "demo.qrels", "*.run", "AP", "--label", "recent.run=New", "-o", "csv")
    every = command(*runs, cwd=folder)
    chosen = command(*runs, "--only", "names.txt", "--asl", cwd=folder)
    assert rows(every.out)[0]["pairs"] == "6"
    assert "again.run" in every.err  # identical with another
    assert {name for row in rows(chosen.out) for name in (row["a"], row["b"])} == {"bm25.run", "titles.run", "New"}
    best = command(*runs, "--best", "75", cwd=folder)
    assert rows(best.out)[0]["pairs"] == "3"


def test_results_of_other_tools_are_discriminated_too(command: Command, folder: Path) -> None:
    values = [f"{t},{t % 3 / 10},{t % 4 / 10 + 0.2},{t % 2 / 10 + 0.5}" for t in range(12)]
    (folder / "table.csv").write_text("\n".join(["query_id,a,b,c", *values]) + "\n")
    done = command("discriminate", "--scores", "table.csv", "--measure", "AP", "-o", "csv", cwd=folder)
    assert done.code == 0
    assert [(row["measure"], row["pairs"]) for row in rows(done.out)] == [("AP", "3")]


@pytest.mark.parametrize("option", ["--plot", "--plot-swaps"])
def test_pictures_are_written(command: Command, folder: Path, option: str) -> None:
    pytest.importorskip("matplotlib")
    done = command(*DISCRIMINATE, option, "picture.svg", "--splits", "20", cwd=folder)
    assert done.code == 0
    assert "</svg>" in (folder / "picture.svg").read_text()


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("--asl", "--swaps"), 2, "--asl and --swaps print different tables"),
        (("--splits", "0", "--swaps"), 2, "--swaps shows swap rates. They need --splits of at least 1"),
        (("--splits", "0", "--plot-swaps", "a.png"), 2, "--plot-swaps shows swap rates"),
        (("--log",), 2, "--log is about the picture of --plot FILE"),
        (("--level", "1"), 2, "'level' parameter"),
        (("--best", "60"), 2, "at least 3 systems. Got 2"),
        (("--plot", "picture.gif"), 2, ".png, .svg, .pdf"),
        (("--test", "tukey", "--correction", "holm"), 2, "already hold for all pairs"),
    ],
    ids=str,
)
def test_bad_input_is_told_in_words(
    command: Command, folder: Path, words: tuple[str, ...], code: int, message: str
) -> None:
    done = command(*DISCRIMINATE, *words, cwd=folder)
    assert (done.code, done.out) == (code, "")
    assert message in done.err
    assert "Traceback" not in done.err


def test_too_few_topics_for_halves_are_told_with_what_to_do(command: Command, folder: Path) -> None:
    (folder / "table.csv").write_text("query_id,a,b,c\n1,0.1,0.2,0.3\n2,0.2,0.3,0.1\n3,0.3,0.1,0.1\n")
    few = ("discriminate", "--scores", "table.csv", "--measure", "AP")
    done = command(*few, cwd=folder)
    assert (done.code, done.out) == (1, "")
    assert "4 topics" in done.err
    assert "splits 0" in done.err
    without = command(*few, "--splits", "0", "-o", "csv", cwd=folder)
    assert without.code == 0
    assert rows(without.out)[0]["swap_rate"] == ""


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--draws", "500"), "--draws changes nothing"),
        (("--splits", "0", "--seed", "3"), "--seed changes nothing"),
        (("--splits", "0", "--bin-width", "1"), "--bin-width changes nothing"),
        (("--seed", "3"), ""),
        (("--test", "permutation", "--draws", "500", "--splits", "0", "--seed", "3"), ""),
    ],
    ids=str,
)
def test_options_that_change_nothing_are_told(
    command: Command, folder: Path, words: tuple[str, ...], told: str
) -> None:
    done = command(*DISCRIMINATE, *words, cwd=folder)
    assert done.code == 0
    assert ("nothing" in done.err) == bool(told)
    assert told in done.err
