"""``irmx settings``."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import irmx
import irmx_study
from irmx.demo import SYSTEMS, qrels_path, run_path

FILES = [qrels_path(), *(run_path(system) for system in SYSTEMS)]
NAMED = {f"{system}.run": run_path(system) for system in SYSTEMS}
RBP = "RBP(p=0.1:0.9:5,rel=1|2)"


@pytest.fixture(scope="module")
def scores() -> irmx.Scores:
    return irmx.scores(f"{RBP} AP", qrels_path(), NAMED)


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("settings") / "results.parquet"
    grid = {"law": "first,geometric(p=0.2)", "cutoff": "5,20"}
    irmx_study.sweep("NCP", grid, qrels_path(), NAMED, reference=["AP", "NCP(law=uniform)"], out=out, jobs=1)
    return out


def table_of(text: str) -> pd.DataFrame:
    return pd.read_csv(io.StringIO(text))


def test_it_prints_the_extremes_within_80_columns(command: Callable[..., Any], scores: irmx.Scores) -> None:
    done = command("settings", *FILES, RBP, "AP", "-r", "AP")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == "3 runs, 10 settings of RBP, against AP"
    assert max(map(len, lines)) <= 80
    values = [float(line.split()[2]) for line in lines if line.startswith(" tau")]
    expected = irmx_study.settings_agreement(scores, "AP").extremes()["value"]
    assert values == pytest.approx(expected.tolist(), abs=5e-5)


@pytest.mark.parametrize(
    ("options", "stated"),
    [
        (("-r", "AP"), ["tau", "tau_ap", "settings"]),
        (("-r", "AP", "--by-setting"), ["tau", "tau_ap"]),
        ((), ["rank", "settings"]),
    ],
)
def test_below_a_table_is_what_its_columns_are(
    command: Callable[..., Any], swept: Path, options: tuple[str, ...], stated: list[str]
) -> None:
    for arguments, versions in (((*FILES, RBP), ["versions"]), (("--sweep", swept), [])):
        below = command("settings", *arguments, *options).out.rpartition("  \n")[2]
        assert [line.split()[0] for line in below.splitlines()] == stated + versions
        aside = command("settings", *arguments, *options, "-o", "latex").err
        assert aside.endswith(below)


def test_a_reference_need_not_be_among_the_measures(command: Callable[..., Any]) -> None:
    one, other = (command("settings", *FILES, RBP, *words, "-r", "AP") for words in ((), ("AP",)))
    assert one.out == other.out != ""


def test_csv_has_one_row_per_setting(command: Callable[..., Any], scores: irmx.Scores) -> None:
    done = command("settings", *FILES, RBP, "-r", "AP", "-o", "csv")
    pd.testing.assert_frame_equal(table_of(done.out), irmx_study.rank_correlation_with(scores, "AP"), check_dtype=False)
    assert done.err.startswith("3 runs, 10 settings of RBP, against AP")
    assert "0.333" in command("settings", *FILES, RBP, "-r", "AP", "--by-setting", "-p", "3").out


def test_for_how_many_settings_a_conclusion_holds(command: Callable[..., Any], scores: irmx.Scores) -> None:
    done = command("settings", *FILES, RBP, "-r", "AP", "--holds", "tau < 0.9")
    found = irmx_study.conclusion(scores, "tau < 0.9", "AP")
    assert tuple(done.out.splitlines()[:2]) == found.sentences()
    done = command("settings", *FILES, RBP, "--holds", "rank recent.run <= 2", "-o", "csv")
    expected = irmx_study.conclusion(scores, "rank recent.run <= 2").frame()
    expected["holds"] = expected["holds"].map({True: "yes", False: "no"})
    pd.testing.assert_frame_equal(table_of(done.out), expected, check_dtype=False)


@pytest.mark.parametrize("options", [(), ("--best-settings", "-r", "AP")])
def test_the_best_settings(command: Callable[..., Any], scores: irmx.Scores, options: tuple[str, ...]) -> None:
    done = command("settings", *FILES, RBP, *options, "-o", "csv")
    pd.testing.assert_frame_equal(table_of(done.out), irmx_study.best_settings(scores), check_dtype=False)


def test_the_results_of_a_sweep(command: Callable[..., Any], swept: Path, tmp_path: Path) -> None:
    done = command("settings", "--sweep", swept, "-r", "NCP(law=uniform)", "-o", "csv")
    expected = irmx_study.rank_correlation_with(swept, "NCP(law=uniform)")
    pd.testing.assert_frame_equal(table_of(done.out), expected, check_dtype=False)
    assert len(expected) == 4  # the reference is none of the settings
    done = command("settings", "--sweep", swept, "-r", "NCP(law=uniform)", "--holds", "tau < 0.9")
    assert (done.code, done.err) == (0, "")
    assert "holds for" in done.out
    (tmp_path / "runs.txt").write_text("bm25\nrecent.run\n")
    options = ("--only", tmp_path / "runs.txt", "--label", "bm25.run=bm25", "-o", "csv")
    done = command("settings", "--sweep", swept, "--best-settings", *options)
    assert table_of(done.out)[["run", "rank"]].to_numpy().tolist() == [["bm25", 1], ["recent.run", 2]]


def test_means_are_rounded_first(command: Callable[..., Any], scores: irmx.Scores) -> None:
    done = command("settings", *FILES, RBP, "--best-settings", "--round", "0", "-o", "csv")
    expected = irmx_study.best_settings(scores, decimals=0)
    assert table_of(done.out)["rank"].tolist() == expected["rank"].tolist()
    assert expected["rank"].tolist() != irmx_study.best_settings(scores)["rank"].tolist()


def test_pictures_are_written(command: Callable[..., Any], tmp_path: Path) -> None:
    pictures = tmp_path / "tau.png", tmp_path / "scatter.svg"
    options = ("--plot", pictures[0], "--along", "p", "--scatter", pictures[1], "--setting", "RBP(p=0.1,rel=1)")
    done = command("settings", *FILES, RBP, "-r", "AP", *options)
    assert done.code == 0
    assert all(picture.stat().st_size > 1000 for picture in pictures)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((RBP, "--best-settings", "--by-setting"), "--best-settings has one row per run"),
        ((RBP, "--by-setting"), "--by-setting prints what --reference or --holds tell"),
        ((RBP, "--plot", "p.png"), "--plot draws the agreement with a reference. Name it with --reference"),
        ((RBP, "--scatter", "p.png"), "--scatter draws the agreement with a reference"),
        ((RBP, "-r", "AP", "--along", "p"), "--along chooses the parameters of --plot"),
        ((RBP, "-r", "AP", "--setting", "RBP"), "--setting chooses the settings of --scatter"),
        ((RBP, "-r", "APP"), "There is no measure APP"),
        (("AP", "-r", "RR"), "needs several settings of one measure, but there is only AP"),
        ((RBP, "NCP(law=first|uniform)"), "Several measures have several settings: RBP, NCP"),
        ((RBP, "--holds", "tau < 0.9"), "is about the correlation with a reference"),
        ((RBP, "--holds", "bm25 > titles.run"), "There is no run 'bm25'. Did you mean bm25.run?"),
        ((RBP, "--sweep"), "--sweep takes one results file"),
        ((RBP, "--sweep", "--every-topic"), "--every-topic needs runs"),
    ],
)
def test_mistakes_have_messages(command: Callable[..., Any], words: tuple[str, ...], said: str) -> None:
    done = command("settings", *FILES, *words)
    assert (done.code, done.out) == (2, "")
    assert said in " ".join(done.err.split())


def test_of_several_measures_one_is_chosen(command: Callable[..., Any]) -> None:
    done = command("settings", *FILES, RBP, "NCP(law=first|uniform)", "AP", "--of", "NCP", "-r", "AP")
    assert done.out.startswith("3 runs, 2 settings of NCP, against AP")


def test_results_that_are_not_there(command: Callable[..., Any]) -> None:
    done = command("settings", "--sweep", "nowhere.parquet", "-r", "AP")
    assert (done.code, done.err) == (1, "irmx: There are no results 'nowhere.parquet'.\n")
