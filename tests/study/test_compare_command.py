"""The command ``irmx compare``: what it prints, refuses and says about its input."""

import io
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import irmx
import irmx_study
from irmx.demo import SYSTEMS, qrels_path, run_path

Command = Callable[..., Any]


COMPARE = ("compare", "demo.qrels", "bm25.run", "titles.run", "recent.run", "AP")


def without_topics(run: Path, *topics: str) -> None:
    """Remove topics from a run."""
    lines = run.read_text().splitlines(keepends=True)
    run.write_text("".join(line for line in lines if line.split()[0] not in topics))


# -- what it prints ---------------------------------------------------------------------------------------------------


def test_the_best_run_is_the_baseline_and_globs_repeat_no_run(command: Command, folder: Path) -> None:
    done = command("compare", "demo.qrels", "recent.run", "*.run", "AP", "-o", "csv")
    assert done.code == 0
    assert [(row["a"], row["b"]) for row in done.rows] == [("recent.run", "bm25.run"), ("titles.run", "bm25.run")]
    assert "the best of 3 by AP" in done.err


@pytest.mark.parametrize("output", ["table", "csv", "tsv", "jsonl", "markdown", "latex"])
def test_family_correction_level_and_test_are_stated_in_every_format(command: Any, folder: Path, output: str) -> None:
    done = command(*COMPARE, "-o", output, "--level", "0.01")
    assert done.code == 0
    stated = done.out if output in ("table", "markdown") else done.err
    lines = {re.split(r"  |: ", line.removeprefix("- "))[0]: line for line in stated.splitlines()}
    assert lines["family"].endswith("2 comparisons: each other system with bm25.run")
    assert "Holm" in lines["correction"]
    assert lines["level"].endswith(" 0.01")
    assert "t test" in lines["test"]
    if output in ("csv", "tsv", "jsonl"):
        assert "family" not in done.out


def test_labels_are_also_names_of_baselines(command: Command, folder: Path) -> None:
    labels = ("--label", "recent.run=Recent", "--label", "bm25.run=BM25", "-o", "csv")
    by_label = command(*COMPARE, "--baseline", "Recent", *labels)
    by_run = command(*COMPARE, "--baseline", "recent.run", *labels)
    assert by_label.out == by_run.out
    by_path = ("--label", "./recent.run=Recent", "--label", f"{folder}/bm25.run=BM25", "-o", "csv")
    assert command(*COMPARE, "--baseline", "Recent", *by_path).out == by_label.out
    assert [(row["a"], row["b"]) for row in by_run.rows] == [("BM25", "Recent"), ("titles.run", "Recent")]


def test_several_baselines_and_all_pairs(command: Command, folder: Path) -> None:
    two = command(*COMPARE, "--baseline", "bm25.run", "--baseline", "titles.run", "-o", "csv")
    pairs = [(row["a"], row["b"]) for row in two.rows]
    assert pairs == [("titles.run", "bm25.run"), ("recent.run", "bm25.run"), ("recent.run", "titles.run")]
    every = command(*COMPARE, "--all-pairs", "-o", "csv")
    assert every.rows == two.rows
    assert "3 comparisons: all pairs" in every.err


def test_places(command: Command, folder: Path) -> None:
    [row, _] = command(*COMPARE, "-o", "csv", "-p", "2").rows
    assert row["mean_b"] == "0.50"


def test_means_are_those_of_irmx_eval(command: Command, folder: Path) -> None:
    measures = ("AP", "nDCG@10", "infAP", "NCP(law=first)", "MP(model=GL_AD_ID,no_relevant='nan')")
    compared = command(*COMPARE[:-1], *measures, "-o", "csv")
    printed = command("eval", *COMPARE[1:-1], *measures, "-o", "csv", "-p", "-1")
    means = {row["run"]: row for row in printed.rows}
    compared_rows = compared.rows
    assert len(compared_rows) == 10
    for row in compared_rows:
        for system, mean in ((row["a"], row["mean_a"]), (row["b"], row["mean_b"])):
            assert float(mean) == pytest.approx(float(means[system][row["measure"]]), rel=1e-12)


def test_topics_that_a_run_lacks_are_counted_once(command: Command, folder: Path) -> None:
    without_topics(folder / "titles.run", "1", "2")
    without_topics(folder / "recent.run", "7")
    done = command(*COMPARE)
    note = "note        topics without results, which count with the measures' defaults: titles.run (2 of 30), recent.run (1 of 30)"
    assert note in done.out.splitlines()
    assert done.err == ""


@pytest.mark.parametrize("copy", ["copy.run", "./bm25.run"])
def test_the_same_run_twice_is_told_as_identical(command: Command, folder: Path, copy: str) -> None:
    if copy == "copy.run":
        shutil.copy(folder / "bm25.run", folder / copy)
    done = command("compare", "demo.qrels", "bm25.run", copy, "titles.run", "AP", "-o", "csv")
    first, second = done.rows
    assert (first["p"], first["p_corrected"], first["ties"]) == ("1.0", "1.0", "30")
    assert second["p"] == second["p_corrected"]
    assert f"identical on every topic, and not counted in the family: {copy} and bm25.run (AP)" in done.err


# -- what it refuses --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--baseline", "bm25"), "There is no system 'bm25' to be the baseline. Did you mean bm25.run? The systems: bm25.run"),
        (("--baseline", "bm25.run", "--all-pairs"), "A comparison is of all pairs, or with a baseline. Give one of the two."),
        (("--level", "1"), "The 'level' parameter of a comparison must be a float in the range (0, 1). Got 1.0 instead."),
        (("--draws", "99"), "The 'draws' parameter of a comparison must be an int in the range [100, 1e+09]. Got 99 instead."),
        (("--correction", "holmes"), "Did you mean holm?"),
        (("--family", "al"), "There is no family 'al'. Did you mean all?"),
        (("--interval", "normal"), "The 'interval' parameter of a comparison must be one of 't', 'bca', 'simultaneous'. Got 'normal' instead."),
        (("--tie-threshold", "-1"), "The 'tie_threshold' parameter of a comparison must be a float in the range [0, inf)."),
        (("--sort", "means"), "A summary cannot be sorted by 'means'. Did you mean mean? Known: mean, difference"),
        (("--sort", "mean", "-o", "csv"), "--sort orders the table of runs for reading"),
        (("--sort", "p", "--all-pairs"), "A comparison of all pairs cannot be sorted by p. Sort it by mean or system."),
        (("--label", "bm25=B"), "No run has the name 'bm25'. Did you mean bm25.run? The runs: bm25.run, titles.run"),
        (("--label", "bm25.run"), "A label is written RUN=NAME, such as bm25.run=BM25. Got 'bm25.run' instead."),
        (("--label", "bm25.run=titles.run"), "Two runs have the name 'titles.run'. Choose another label."),
        (("--label", "bm25.run=A", "--label", "bm25.run=B"), "The run bm25.run has two labels, 'A' and 'B'. Give it one."),
        (("-o", "csw"), "There is no output format 'csw'. Did you mean csv?"),
        (("--measure", "AP"), "--measure goes with --scores; otherwise the measures follow the runs."),
    ],
)  # fmt: skip
def test_mistaken_options(command: Command, folder: Path, words: tuple[str, ...], message: str) -> None:
    command(*COMPARE, *words).assert_refused(2, message)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("demo.qrels",), "irmx compare needs qrels, runs and measures: irmx compare QRELS RUN... MEASURE..."),
        (("demo.qrels", "bm25.run", "titles.run"), "No measure is given: irmx compare QRELS RUN... MEASURE..."),
        (("demo.qrels", "bm25.run", "AP"), "A comparison needs two systems. There is one: bm25.run."),
        (("demo.qrels", "bm25.run", "bm25.run", "AP"), "A comparison needs two systems. There is one: bm25.run."),
        (("demo.qrels", "bm25.run", "title.run", "AP"), "If 'title.run' is meant to be a run: there is no such file."),
    ],
)
def test_mistaken_arguments(command: Command, folder: Path, words: tuple[str, ...], message: str) -> None:
    command("compare", *words).assert_refused(2, message)


def test_a_mistaken_option_is_refused_before_runs_are_read(command: Command, folder: Path) -> None:
    (folder / "titles.run").write_text("no run\n")
    done = command(*COMPARE, "--level", "2")
    assert (done.code, done.err.count("level")) == (2, 1)
    assert command(*COMPARE).code == 1


def test_one_topic(command: Command, folder: Path) -> None:
    lines = (folder / "demo.qrels").read_text().splitlines(keepends=True)
    (folder / "demo.qrels").write_text("".join(line for line in lines if line.startswith("1 ")))
    command(*COMPARE).assert_refused(
        1, "A comparison needs two topics for which every system has a value of AP. There is 1, of 1."
    )


# -- per-topic results --------------------------------------------------------------------------------------------------


def test_results_of_irmx_eval_are_compared_as_the_runs_are(command: Command, folder: Path) -> None:
    for system in SYSTEMS:
        done = command("eval", "demo.qrels", f"{system}.run", "AP", "-q", "-p", "-1")
        (folder / f"{system}.txt").write_text(done.out)
    done = command("compare", "--scores", *(f"{s}.txt" for s in SYSTEMS), "-o", "csv")
    assert done.out.replace(".txt", ".run") == command(*COMPARE, "-o", "csv").out


def test_topics_that_results_lack_are_counted_once(command: Command, tmp_path: Path) -> None:
    (tmp_path / "one").write_text("".join(f"map\t{t}\t{t / 40}\n" for t in range(20)))
    (tmp_path / "two").write_text("".join(f"map\t{t}\t{t / 30}\n" for t in range(1, 20)))
    done = command("compare", "--scores", "one", "two")
    assert (done.code, done.err.count("two: no results for 1 of 20 topics")) == (0, 1)
    assert done.out.count("topics without results, which count with the measures' defaults: two (1 of 20)") == 1


# -- Python and the command are one ------------------------------------------------------------------------


@pytest.mark.parametrize("table", ["comparisons", "systems", "views", "over", "border", "ranks"])
def test_the_command_gives_what_the_function_gives(command: Command, folder: Path, table: str) -> None:
    runs = {f"{system}.run": folder / f"{system}.run" for system in SYSTEMS}
    how: dict[str, Any] = {"correction": "bonferroni", "family": "all", "level": 0.1, "tie_threshold": 0.02}
    measures = ("AP", "RBP(p=.5|.8|.95)")
    expected = irmx_study.compare(" ".join(measures), folder / "demo.qrels", runs, baseline="titles.run", **how)
    words = ("--correction", "bonferroni", "--family", "all", "--level", "0.1", "--tie-threshold", "0.02")
    options = ("--baseline", "titles.run", *words, "--table", table, "-o", "csv")
    done = command(*COMPARE[:-1], *measures, *options)
    assert done.code == 0
    known = expected.frame(table)
    found = pd.read_csv(io.StringIO(done.out))
    assert list(found.columns) == list(known.columns)
    for name in known:
        if known[name].dtype == bool:
            assert found[name].eq("yes").tolist() == known[name].tolist()
        elif known[name].dtype.kind in "fi":
            assert found[name].to_numpy() == pytest.approx(known[name].to_numpy(), rel=1e-15, nan_ok=True)
        else:
            assert found[name].fillna("").astype(str).tolist() == known[name].fillna("").astype(str).tolist()


def test_what_is_printed_is_what_the_command_prints(command: Command, folder: Path) -> None:
    runs = {f"{system}.run": folder / f"{system}.run" for system in SYSTEMS}
    done = command(*COMPARE[:-1], "AP", "RBP(p=.5|.8|.95)", "--baseline", "bm25.run")
    found = irmx_study.compare("AP RBP(p=.5|.8|.95)", folder / "demo.qrels", runs, baseline="bm25.run")
    assert [line for line in done.out.splitlines() if line not in str(found).splitlines()] == []
    assert str(found) == str(found).strip()


def test_shares_of_all_users_are_one(folder: Path) -> None:
    runs = {f"{system}.run": folder / f"{system}.run" for system in ("bm25", "recent")}
    found = irmx_study.compare("RBP(p=.05:.95:10)", folder / "demo.qrels", runs, baseline="bm25.run")
    shares = found.frame("over")[["share_better", "share_worse", "share_undecided"]].to_numpy()
    assert sorted(shares.ravel().tolist()) == [0.0, 0.0, 1.0]


def test_papers_and_pictures(command: Command, folder: Path) -> None:
    runs = {f"{system}.run": folder / f"{system}.run" for system in SYSTEMS}
    comparison = irmx_study.compare("AP RR", folder / "demo.qrels", runs)
    both = (*COMPARE, "RR")
    assert command(*both, "-o", "latex").out == comparison.to_latex()
    paper = ("-o", "latex", "--intervals", "--methods", "m.tex", "--bib", "m.bib")
    assert command(*both, *paper).out == comparison.to_latex(intervals=True)
    assert (folder / "m.tex").read_text() == comparison.methods() + "\n"
    assert (folder / "m.bib").read_text() == comparison.bibtex() + "\n"
    plots = [f"--plot={kind}" for kind in ("a.png", "topics=b.svg", "p=c.pdf", "groups=d.svg")]
    done = command(*both, *plots)
    assert done.code == 0
    starts = {"a.png": b"\x89PNG", "b.svg": b"<?xml", "c.pdf": b"%PDF", "d.svg": b"<?xml"}
    assert all((folder / name).read_bytes().startswith(start) for name, start in starts.items())


@pytest.mark.parametrize(
    ("plot", "message"),
    [
        ("a.gif", ".png, .svg, .pdf"),
        ("nowhere/a.png", "no folder nowhere"),
        ("bars=a.png", "differences, topics"),
        ("views=a.png", "views"),
    ],
)
def test_what_cannot_be_drawn(command: Command, folder: Path, plot: str, message: str) -> None:
    command(*COMPARE, "--plot", plot).assert_refused(2, message)
    assert not list(folder.glob("*.png"))


def test_a_terminal_shows_the_best_20_systems_and_the_baseline(command: Any, tmp_path: Path) -> None:
    for i in range(25):
        lines = [f"{q} Q0 d{(q + i) % 25} 1 1 x" for q in range(9)]
        (tmp_path / f"r{i:02}.run").write_text("\n".join(lines) + "\n")
    (tmp_path / "qrels").write_text("".join(f"{q} 0 d{d} {int(d < q + 4)}\n" for q in range(9) for d in range(25)))
    shown = {
        how: re.findall(r"^\W*(r\d\d)\.run ", command("compare", "qrels", "r*.run", "P@1", *how.split()).out, re.M)
        for how in ("", "--baseline r16.run", "-o markdown")
    }
    assert [len(rows) for rows in shown.values()] == [20, 21, 25]
    assert shown["--baseline r16.run"][-1] == "r16"
    assert shown["-o markdown"][:20] == shown[""]


# -- headers of runs --------------------------------------------------------------------------------------------------

HEADER = """# ir_metadata.start
# schema-version: 0.1
# tag: mine
# actor:
#   team: Robin's & Kim_1
# method:
#   retrieval:
#     - name: bm25
#     - name: reranker
# date: 2026-01-02
# ir_metadata.end
"""


def test_the_header_of_a_run_is_kept_and_cited(command: Command, folder: Path) -> None:
    run = folder / "bm25.run"
    plain = command(*COMPARE, "-o", "csv").out
    run.write_text(HEADER + run.read_text())
    assert command(*COMPARE, "-o", "csv").out == plain
    assert command(*COMPARE, "--methods", "m.tex").code == 0
    assert r"of Robin's \& Kim\_1 and is by bm25 and reranker" in (folder / "m.tex").read_text()
    scores = irmx.scores("AP", folder / "demo.qrels", {"bm25": run, "titles": folder / "titles.run"})
    assert scores.made_by["metadata"]["bm25"]["date"] == "2026-01-02"
    scores.to_parquet(folder / "scores.parquet")
    assert irmx.Scores.read_parquet(folder / "scores.parquet").made_by == scores.made_by


@pytest.mark.parametrize(
    "header",
    [
        "# ir_metadata.start\n# tag: [\n# ir_metadata.end\n",
        "# ir_metadata.start\n# tag: mine\n",
        "# ir_metadata.start\n# - mine\n# ir_metadata.end\n",
        "# ir_metadata.start\n# a: &a [1, 1]\n# b: *a\n# ir_metadata.end\n",
        "# ir_metadata.start\n# a: !!python/object/apply:os.system ['true']\n# ir_metadata.end\n",
        "# ir_metadata.start\n# a: " + "[" * 1000 + "\n# ir_metadata.end\n",
    ],
)
def test_a_header_that_cannot_be_read_is_left_out_with_a_warning(header: str, folder: Path) -> None:
    run = folder / "bm25.run"
    run.write_text(header + run.read_text())
    with pytest.warns(irmx.DataWarning, match="ir_metadata"):
        scores = irmx.scores("AP", folder / "demo.qrels", {"bm25": run})
    assert "metadata" not in scores.made_by


def test_an_encoding_without_our_lines_and_signs_gets_others() -> None:
    words = ["compare", str(qrels_path()), str(run_path("titles")), str(run_path("bm25")), "AP", "RR"]
    done = subprocess.run(
        [sys.executable, "-c", "import irmx.cli; irmx.cli.main()", *words],
        env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}, capture_output=True, text=True, encoding="ascii",
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert "<0.0001 ^" in done.stdout
