"""``irmx correlate``: its tables, files and messages."""

import io
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import irmx
import irmx_study
from irmx.demo import SYSTEMS, qrels_path, run_path

RUNS = {f"{system}.run": run_path(system) for system in SYSTEMS}
FILES = [qrels_path(), *RUNS.values()]
MEASURES = ("AP", "P@5", "RR", "nDCG@10")


@pytest.fixture(scope="module")
def agreement() -> irmx_study.Agreement:
    return irmx_study.correlate(irmx.scores(" ".join(MEASURES), qrels_path(), RUNS))


def read(text: str) -> pd.DataFrame:
    return pd.read_csv(io.StringIO(text), dtype={"query_id": str})


def table(text: str) -> list[list[str]]:
    """The cells of the lines of a printed table."""
    return [line.split() for line in text.splitlines()]


def test_the_reference_is_the_views_with_a_value_of_a_parameter(command: Any) -> None:
    words = ("correlate", *FILES, "AP", "RBP(p=0.5:0.9:3)@10|20", "-o", "csv", "--reference")
    done = command(*words, "RBP.p=0.5")
    assert done.code == 0
    assert read(done.out)[["a", "b"]].values.tolist() == [
        [f"RBP(p=0.5)@{k}", f"RBP(p={p})@{k}"] for k, p in ((10, 0.7), (20, 0.7), (10, 0.9), (20, 0.9))
    ]
    for wrong in ("RBP.p=0.6", "RBP.q=0.5", "p=0.5"):
        assert command(*words, wrong).code == 2


@pytest.mark.parametrize("table_name", ["pairs", "stability", "rbo", "per_topic", "topics"])
def test_csv_has_every_digit_of_the_tables(table_name: str, command: Any, agreement: irmx_study.Agreement) -> None:
    done = command("correlate", *FILES, *MEASURES, "--table", table_name, "-o", "csv")
    assert done.code == 0
    pd.testing.assert_frame_equal(read(done.out), agreement.frame(table_name), check_dtype=False)
    assert "3, by their means over 30 topics" in done.err


@pytest.mark.parametrize("table_name", ["stability", "rbo", "topics"])
def test_what_all_rows_of_a_table_for_reading_share_stands_below_it(table_name: str, command: Any) -> None:
    out = command("correlate", *FILES, *MEASURES, "--table", table_name, "--rbo-p", "0.8").out
    shown, _, below = out.partition("\nsystems ")
    assert "systems" not in shown
    assert "p = 0.8" in below
    assert "nan" not in out
    assert max(map(len, shown.splitlines())) <= 80


def test_the_matrix_has_every_pair_once_with_marks_or_both_directions_without(command: Any, agreement: Any) -> None:
    lines = table(command("correlate", *FILES, *MEASURES, "-p", "2").out)
    assert ["AP", "P@5", "RR"] in lines
    assert ["nDCG@10", "0.33", "1.00**", "1.00**"] in lines
    assert agreement.matrix().loc["nDCG@10", ["AP", "P@5", "RR"]].round(2).tolist() == [0.33, 1.0, 1.0]
    assert ["AP", "nDCG@10", "0.33", "0.33", "to", "1.00"] in lines
    done = command("correlate", *FILES, *MEASURES, "--coefficient", "tau_ap", "-p", "2")
    assert "*" not in done.out.partition("\nsystems ")[0]
    cells = [f"{value:.2f}" for value in agreement.matrix("tau_ap").loc["RR", ["AP", "P@5", "nDCG@10"]]]
    assert ["RR", *cells] in table(done.out)


@pytest.mark.parametrize(
    ("measures", "numbered", "legend"),
    [(("AP", "RR", "P@5"), False, False),
     (("AP", "RR", "P@5", "P@10", "nDCG@10", "nDCG@20", "Rprec", "Bpref"), False, False),
     (("MP(model=GL_AD_ID)", "MP(model=GL_AD_LID)", "MP(model=LO_AD_ID)", "AP"), True, False),
     (("NCP(law=first)", "NCP(law=uniform)", "MP(model=*)"), True, True)],
)  # fmt: skip
def test_matrices_fit_80_columns(measures: tuple[str, ...], numbered: bool, legend: bool, command: Any) -> None:
    out = command("correlate", *FILES, *measures, "--resamples", "0").out
    matrix, _, below = out.partition("\nmeasures\n") if legend else out.partition("\nsystems ")
    if not legend:  # as many measures are too wide
        assert max(map(len, matrix.splitlines())) <= 80
    names = {str(m) for m in irmx.toolkit.parse_measures(" ".join(measures))}
    assert below
    assert all(name in (below if legend else matrix) for name in names)
    assert (table(matrix)[2][:2] == ["1", "2"]) == numbered


def test_a_reference_has_a_row_per_measure_with_all_coefficients(command: Any, agreement: irmx_study.Agreement) -> None:
    done = command("correlate", *FILES, *MEASURES, "--reference", "RR", "--coefficient", "tau_ap_b", "-p", "3")
    assert done.out.startswith("agreement with RR\n")
    assert ["measure", "tau", "stability", "tau_ap", "tau_ap_b", "rbo", "spearman", "pearson"] in table(done.out)
    with_rr = irmx_study.correlate(agreement.scores, reference="RR").frame().set_index("b").loc["AP"]
    numbers = [f"{with_rr[name]:.3f}" for name in ("tau_ap", "tau_ap_b", "rbo", "spearman", "pearson")]
    assert ["AP", f"{with_rr['tau']:.3f}", "0.333", "to", "0.333", *numbers] in table(done.out)


def test_markdown_and_latex(command: Any) -> None:
    done = command("correlate", *FILES, "AP", "RR", "P@5", "-o", "markdown")
    assert done.out.startswith("**Kendall's tau-b**\n\n|  | AP | RR |\n")
    assert "tabular" in command("correlate", *FILES, "AP", "RR", "P@5", "-o", "latex", "--resamples", "0").out


def test_options_reach_the_correlation(command: Any, agreement: irmx_study.Agreement) -> None:
    done = command("correlate", *FILES, *MEASURES, "--rbo-p", "0.5", "--rbo-ties", "w", "--round", "1", "-o", "csv")
    expected = irmx_study.correlate(agreement.scores, decimals=1, rbo_p=0.5, rbo_ties="w").frame()
    pd.testing.assert_frame_equal(read(done.out), expected)
    assert "p = 0.5, ties w" in done.err
    options = ("--table", "stability", "--seed", "7", "--resamples", "200", "--level", "0.5", "-o", "csv")
    expected = irmx_study.correlate(agreement.scores, seed=7, resamples=200, level=0.5).frame("stability")
    found = read(command("correlate", *FILES, *MEASURES, *options).out)
    pd.testing.assert_frame_equal(found, expected, check_dtype=False)


def test_results_of_other_tools_and_chosen_runs(command: Any, tmp_path: Path, agreement: irmx_study.Agreement) -> None:
    files = []
    for system, run in RUNS.items():
        path = tmp_path / f"{system}.csv"
        path.write_text(command("eval", qrels_path(), run, *MEASURES, "-q", "-n", "-o", "csv", "-p", "-1").out)
        files.append(path)
    done = command("correlate", "--scores", *files, "-o", "csv")
    pd.testing.assert_frame_equal(read(done.out), agreement.frame())
    only = tmp_path / "only.txt"
    only.write_text("bm25.run\ntitles.run\n")
    command("correlate", *FILES, *MEASURES, "--only", only).assert_refused(2, "at least 3 systems. The scores have 2")


@pytest.mark.parametrize("moved", [True, False])
def test_pictures_are_written(moved: bool, command: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not moved:  # names may then overlap
        monkeypatch.setitem(sys.modules, "adjustText", None)
    heat, scatter = tmp_path / "heat.png", tmp_path / "scatter.svg"
    options = ("--plot", heat, "--order", "similar", "--plot", f"scatter={scatter}")
    assert command("correlate", *FILES, *MEASURES, *options).code == 0
    assert heat.read_bytes().startswith(b"\x89PNG")
    assert "<svg" in scatter.read_text()
    for measures, named in (("AP P@10", set(SYSTEMS)), ("AP P@10 nDCG", set())):
        runs = {system: run_path(system) for system in SYSTEMS}
        figure = irmx_study.correlate(measures, qrels_path(), runs, resamples=0).plot("scatter").figure
        assert {text.get_text() for on in figure.axes for text in on.texts} - {""} == named


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("--coefficient", "kendall"), 2, "There is no coefficient 'kendall'"),
        (("-r", "P@x"), 2, "P@x"),
        (("-r", "judgments=llm"), 2, "no column 'judgments'"),
        (("--table", "per-topic"), 2, "per_topic"),
        (("--table", "views"), 2, "views"),
        (("--plot", "x.png", "--order", "best"), 2, "one of listed, similar. Got 'best'"),
        (("--plot", "x.bmp"), 2, "ends in .png, .svg, .pdf"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_what_is_refused(words: tuple[str, ...], code: int, message: str, command: Any, tmp_path: Path) -> None:
    command("correlate", *FILES, "AP", "RR", *words).assert_refused(code, message)
    assert not list(tmp_path.iterdir())


def test_measures_that_do_not_rank_the_runs_are_named(command: Any) -> None:
    done = command("correlate", *FILES, "AP", "RR", "NumQ", "NumRel")
    assert done.code == 0
    assert "left out, because it gives all systems the same mean: NumQ, NumRel" in done.out
    command("correlate", *FILES, "AP", "NumQ").assert_refused(
        1, "at least two measures that rank the systems. There is one, AP. Left out"
    )
