"""``irmx eval`` beside the stock command of ir_measures, what ``measures``, ``explain`` and ``cite`` show; globs, ``--load``."""

import contextlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from rich.cells import cell_len

import irmx
from irmx.cli.app import run
from irmx.demo import SYSTEMS, qrels_path, run_path

QRELS = str(qrels_path())
RUN = str(run_path("recent"))
PATTERN = str(Path(QRELS).parent / "*.run")
STOCK = ["AP", "nDCG@10", "P@5"] if sys.version_info < (3, 14) else ["AP", "Rprec", "RR"]
"""The command of ir_measures 0.4.3 parses no parameter on Python 3.14."""


def rounded(line: str) -> str:
    """A line with its numbers rounded by some bits: the mean of ir_measures depends on the order of topics."""
    return re.sub(r"\d\.\d{13,}(e-\d+)?", lambda number: f"{float(number[0]):.14g}", line)


@pytest.mark.parametrize(
    "options", [[], ["-p", "2"], ["-p", "-1"], ["-q"], ["-q", "-n"], ["-q", "-o", "jsonl"]], ids=" ".join
)
def test_eval_prints_what_the_stock_command_prints(options: list[str], command: Any) -> None:
    ours = command("eval", QRELS, RUN, *STOCK, *options).out.splitlines()
    stock = [sys.executable, "-m", "ir_measures", QRELS, RUN, *STOCK, *options]
    theirs = subprocess.run(stock, capture_output=True, encoding="utf-8", check=True).stdout.splitlines()
    if "jsonl" in options:
        theirs, ours = ([json.dumps(json.loads(x), sort_keys=True) for x in lines] for lines in (theirs, ours))
    assert sorted(map(rounded, ours)) == sorted(map(rounded, theirs))
    assert len(ours) == 3 * (1 + 30 * ("-q" in options) - ("-n" in options))


def measures_of(lines: str) -> list[str]:
    return [line.split("\t")[-2] for line in lines.splitlines()]


def test_the_measures_are_in_the_order_asked_with_the_values_of_the_library(command: Any) -> None:
    asked = ["nDCG@10", "NCP(law=uniform)", "AP", "MP(model=GL_AD_LID,rescale='recall')", "P@5", "RBP(rel=1)"]
    done = command("eval", QRELS, RUN, *asked, "-p", "-1")
    assert measures_of(done.out) == asked
    found = {m: float(v) for m, v in (line.split("\t") for line in done.out.splitlines())}
    assert found == {str(m): v for m, v in irmx.calc_aggregate(asked, QRELS, RUN).items()}
    assert measures_of(command("eval", QRELS, RUN, *asked[::-1]).out) == asked[::-1]
    assert measures_of(command("eval", QRELS, RUN, *asked, "-q").out) == asked * 31


def test_several_measures_in_one_argument_and_both_spellings_of_options(command: Any) -> None:
    words = ("AP  NCP(law=table(p=[2, 1]), rel=2)@10", "P @ 5 AP", "--by_query", "--no-summary")
    one = command("eval", QRELS, RUN, *words)
    other = command("eval", QRELS, RUN, "AP", "NCP(law=table(p=[2,1]),rel=2)@10", "P@5", "--by-query", "--no_summary")
    assert (one.code, one.out) == (0, other.out)
    assert measures_of(one.out) == ["AP", "NCP(law=table(p=[2,1]),rel=2)@10", "P@5"] * 30


def test_several_runs_make_a_row_a_run(command: Any, tmp_path: Path) -> None:
    files = [str(run_path(s)) for s in SYSTEMS]
    lines = command("eval", QRELS, *files, "AP", "MP(model=GL_AD_ID)").out.splitlines()
    assert lines[0] == "run\tAP\tMP(model=GL_AD_ID)"
    for system, line in zip(SYSTEMS, lines[1:], strict=True):
        alone = command("eval", QRELS, run_path(system), "AP", "MP(model=GL_AD_ID)").out
        assert line.split("\t") == [f"{system}.run", *(x.split("\t")[1] for x in alone.splitlines())]
    globbed = command("eval", QRELS, PATTERN, files[0], "AP", "MP(model=GL_AD_ID)").out.splitlines()
    assert globbed == [lines[0], *sorted(lines[1:])]
    objects = [json.loads(x) for x in command("eval", QRELS, PATTERN, "AP", "P@5", "-o", "jsonl").out.splitlines()]
    names = [(o["run"], o["measure"]) for o in objects]
    assert names == [(f"{s}.run", m) for s in sorted(SYSTEMS) for m in ("AP", "P@5")]
    by_query = command("eval", QRELS, PATTERN, "AP", "-q", "-n").out.splitlines()
    assert (len(by_query), {len(line.split("\t")) for line in by_query}) == (3 * 30, {4})
    table = command("eval", QRELS, PATTERN, "AP", "P@5", "-o", "table").out
    for row in [["run", "AP", "P@5"], *[[f"{s}.run"] for s in SYSTEMS]]:
        assert re.search(r"\s+".join(map(re.escape, row)), table)
    paths = [tmp_path / system / "my.run" for system in SYSTEMS[:2]]
    for path in paths:  # runs of one name in two folders keep their rows
        path.parent.mkdir()
        shutil.copy(RUN, path)
    shown = command("eval", QRELS, *paths, "AP").out
    assert [line.split()[0] for line in shown.splitlines()[1:]] == list(map(str, paths))


def test_one_provider(command: Any, tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q 0 a 1\nq 0 b 0.5\n")
    (tmp_path / "run").write_text("q Q0 a 1 2.0 r\n")
    files = (tmp_path / "qrels", tmp_path / "run", "AP(rel=0.5)")
    assert command("eval", *files).out == "AP(rel=0.5)\t0.5000\n"
    assert command("eval", *files, "--provider", "irmx").out == "AP(rel=0.5)\t0.5000\n"
    command("eval", *files, "--provider", "pytrec_eval").assert_refused(2, "AP(rel=0.5)")
    assert command("eval", QRELS, RUN, "AP", "--provider", "pytrec_eval").out == command("eval", QRELS, RUN, "AP").out
    assert command("eval", QRELS, RUN, "Accuracy", "--provider", "irmx").code == 2


def test_topics_that_a_run_lacks_count_and_are_told(command: Any, tmp_path: Path) -> None:
    part = tmp_path / "part.run"
    part.write_text("".join(x for x in Path(RUN).read_text().splitlines(keepends=True) if x.startswith("1 ")))
    done = command("eval", QRELS, part, "AP", "NCP(law=uniform)", "-p", "-1")
    told = "no results for 29 of 30 topics (2, 3, 4, ...); they count with the measures' defaults"
    assert done.err == f"irmx: {part}: {told}\n"
    ap, ncp = (float(line.split("\t")[1]) for line in done.out.splitlines())
    (alone,) = irmx.calc_aggregate("AP", {"1": irmx.read_qrels(QRELS).as_dict()["1"]}, RUN).values()
    assert (ap, ncp) == pytest.approx((alone / 30, alone / 30), abs=1e-12)


@pytest.mark.parametrize(
    "measure", ["MP(model=GL_AD_ID)", "MP(model=LO_OR_LID,rescale='recall')", "NCP(law=geometric)@20"]
)
def test_explain_adds_up(measure: str, command: Any) -> None:
    line = ("explain", QRELS, RUN, measure, "-t", "3")
    lines = command(*line, "-o", "tsv", "-p", "-1").out.splitlines()
    assert lines[0].split("\t") == ["rank", "doc_id", "grade", "precision", "weight", "contribution"]
    value = {m.query_id: m.value for m in irmx.iter_calc(measure, QRELS, RUN)}["3"]
    assert sum(float(row.split("\t")[-1]) for row in lines[1:]) == pytest.approx(value, abs=1e-12)
    everything = command(*line, "-o", "tsv", "-p", "-1", "--all").out.splitlines()
    assert len(everything) - 1 == (20 if "@20" in measure else 31)
    assert set(lines) <= set(everything)
    assert f"{measure}  topic 3  value {value:.6f}" in command(*line).out


# -- measures, cite, plugins -------------------------------------------------------------------------------


def test_measures_lists_everything(command: Any) -> None:
    shown = command("measures").out
    models = irmx.registry().symbols("Markov model")
    for name in [*irmx.registry().measures(), *models, "nDCG", "RBP", "Bpref"]:
        assert re.search(rf"^  {re.escape(name)}\s", shown, re.M), name
    assert not re.search(r"^  (holm|tukey)\s", shown, re.M)  # values of options, not of measures
    of_one = command("measures", "ncp").out
    assert of_one.startswith(f"ncp (irmx-ncp {irmx.__version__})\n  NCP ")
    assert of_one == command("measures", "irmx-ncp").out
    assert of_one in shown


def test_a_plugin_without_measures_says_so(command: Any) -> None:
    shown = command("measures", "study")
    assert (shown.code, shown.out) == (0, "")
    assert "no measures" in shown.err
    assert command("measures", "study", "-o", "csv").out == "plugin,kind,name,description\n"


@pytest.mark.parametrize("given", ["MP(model=nothing)", "nDCG@0", "MP(", "NCP(law=first,law=first)"])
def test_the_parameters_of_what_is_described_are_checked(given: str, command: Any) -> None:
    assert (command("measures", given).code, command("measures", given).out) == (2, "")


@pytest.mark.parametrize("name", ["MP", "NCP"])
def test_a_measure_is_described_from_its_declarations(name: str, command: Any) -> None:
    shown = command("measures", name).out
    measure = irmx.registry().measures()[name]
    assert measure.PRETTY_NAME in shown
    for key, param in measure.SUPPORTED_PARAMS.items():
        assert f"- **{key}:** {param.desc}." in shown
    assert all(c.doi in shown for c in measure.CITATIONS)
    assert "From 0 to 1." in shown


@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        ("GL_AD_ID", "- **max_hop:** longest transition"),
        ("nDCG@10", "Kalervo Järvelin and Jaana Kekäläinen. Cumulated gain-based evaluation of IR techniques."),
        ("RBP", "without rel, its grade divided by the largest grade"),
        ("MP(model=GL_AD_ID)", "\\mathrm{Prec}(n)\n  n                 a rank\n"),
        ("MP", "\\mathrm{MP} = \\sum_{n \\in R} \\pi_n\\,\\mathrm{Prec}(n)\n"),
        ("alpha_nDCG", ""),
        ("MPcont", ""),
        ("TIA_ERR", ""),
    ],
)
def test_what_is_described(wanted: str, told: str, command: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = command("measures", wanted).out
    assert told in shown
    assert not re.search(r"\.\. \w+::", shown)  # directives of Sphinx
    assert shown == command("measures", re.split(r"[(@]", wanted)[0]).out
    environ = monkeypatch.setenv
    monkeypatch.setattr(monkeypatch, "setenv", lambda name, value: environ(name, "80"))
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    on_a_terminal = re.sub(r"\x1b\[[0-9;]*m", "", command("measures", wanted).out)
    assert max(map(cell_len, on_a_terminal.splitlines())) <= 80
    assert re.split(r"[(@]", wanted)[0] in on_a_terminal


@pytest.mark.parametrize(
    ("name", "titles"),
    [
        ("MP", ["Formula", "Definition", "Parameters", "Columns", "Values", "Citation"]),
        ("nDCG", ["Formula", "Definition", "Parameters", "Computed by", "Citation"]),
        ("Accuracy", ["Definition", "Parameters", "Computed by", "Citation"]),
        ("geometric", ["Formula", "Parameters"]),
    ],
)
def test_the_page_of_a_measure_for_authors_of_plugins(name: str, titles: list[str], command: Any) -> None:
    page = command("measures", name, "-o", "markdown").out
    assert re.findall("^##? (.+)$", page, re.M) == [name, *titles]
    assert "{" not in re.sub(r"```bibtex.*?```", "", page.partition("## Citation")[2], flags=re.S)
    assert ("\n$$\n" in page) == ("Formula" in titles)
    html = command("measures", name, "-o", "html").out
    assert (html.startswith("<div>"), "<math " in html) == (True, "Formula" in titles)
    assert command("measures", name, "-o", "latex").code == 2


def test_plugins_shows_what_each_offers(command: Any) -> None:
    shown = command("plugins").out
    fields = f"  fields: {', '.join(f.NAME for f in irmx.registry().fields())}\n"
    for part in (f"irmx (host) {irmx.__version__}", "ncp (irmx-ncp)", "markov (irmx-markov)", "measures: NCP", fields):
        assert part in shown


# -- what users mistype, and where output goes -------------------------------------------------------------


def test_an_encoding_that_lacks_a_character_is_an_error(shell: Any, tmp_path: Path) -> None:
    (tmp_path / "q").write_text("größe 0 a 1\n", encoding="utf-8")
    (tmp_path / "r").write_text("größe Q0 a 1 1.0 x\n", encoding="utf-8")
    done = shell("eval", "q", "r", "AP", "-q", cwd=tmp_path, PYTHONIOENCODING="ascii")
    assert (done.code, "Traceback" in done.err) == (1, False)
    assert "PYTHONIOENCODING=utf-8" in done.err


@pytest.mark.skipif(os.name == "nt", reason="no such pipes and signals there")
def test_a_reader_that_has_enough_is_no_error() -> None:
    command = [sys.executable, "-c", "from irmx.cli import main; main()", "measures"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        told = process.stderr.read()
    assert (process.wait(), told) == (0, b"")


@pytest.mark.skipif(os.name == "nt", reason="no such pipes and signals there")
def test_a_gate_says_no_though_nobody_reads_its_warnings(tmp_path: Path) -> None:
    (tmp_path / "q").write_text("1 0 a 1\n1 0 a 0\n")  # which contradict each other
    (tmp_path / "r").write_text("1 Q0 a 1 nan x\n")
    command = [sys.executable, "-c", "from irmx.cli import main; main()", "eval", "q", "r", "AP"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        assert process.stderr is not None
        process.stderr.close()
    assert process.returncode == 1


def test_a_command_prints_to_what_stands_for_standard_output() -> None:
    """As in a notebook, or where a test captures it."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), pytest.raises(SystemExit):
        run(["--version"])
    assert out.getvalue() == f"irmx {irmx.__version__}\n"


# -- quoted globs ------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the demo collection, three runs by name."""
    shutil.copy(qrels_path(), tmp_path / "demo.qrels")
    for name in SYSTEMS:
        shutil.copy(run_path(name), tmp_path / f"{name}.run")
    return tmp_path


def test_csv_has_all_places_and_what_is_read_four(command: Any) -> None:
    value = irmx.calc_aggregate("AP", qrels_path(), run_path("bm25"))[irmx.parse_measure("AP")]
    words = ["eval", qrels_path(), run_path("bm25"), "AP"]
    assert command(*words, "-o", "csv").out.split()[-1] == f"AP,{value!r}"
    assert command(*words, "-o", "csv", "-p", "3").out.split()[-1] == f"AP,{value:.3f}"
    assert command(*words).out == f"AP\t{value:.4f}\n"
    [first, *_] = irmx.calc("AP", qrels_path(), run_path("bm25")).per_query
    assert command(*words, "-q", "-o", "csv").out.splitlines()[1] == f"{first.query_id},AP,{first.value!r}"


@pytest.mark.parametrize("runs", ["*.run", "trec:*.run", "b*.run [rt]*.run", "bm25.run trec:recent.run trec:t*.run"])
def test_globs_of_runs(runs: str, folder: Path, command: Any) -> None:
    done = command("eval", "demo.qrels", *runs.split(), "AP")
    names = [line.partition("\t")[0].removeprefix("trec:") for line in done.out.splitlines()]
    assert (done.code, names, done.err) == (0, ["run", "bm25.run", "recent.run", "titles.run"], "")


def test_globs_in_the_other_commands(folder: Path, command: Any) -> None:
    for out, runs in {"1.tsv": ["*.run"], "3.tsv": ["bm25.run", "recent.run", "titles.run"]}.items():
        assert command("markov", "best-retrieved", "demo.qrels", *runs, "--out", out).code == 0
    assert (folder / "1.tsv").read_bytes() == (folder / "3.tsv").read_bytes()
    command("sweep", "demo.qrels", "*.run", "-m", "NCP", "-g", "law=first,uniform", "--out", "s.tsv")
    assert set(pd.read_csv(folder / "s.tsv", sep="\t")["system"]) == {"bm25.run", "recent.run", "titles.run"}
    of_one, all_three, none = (
        command("explain", "demo.qrels", run, "NCP(law=first)", "-t", "1") for run in ("bm*.run", "*.run", "*.ruin")
    )
    assert of_one == command("explain", "demo.qrels", "bm25.run", "NCP(law=first)", "-t", "1")
    assert (of_one.code, all_three.code, all_three.out, none.code) == (0, 2, "", 1)
    assert all_three.err == "irmx: '*.run' matches 3 files: bm25.run, recent.run, titles.run. One is expected here.\n"
    for words in (("pages", "score", "*.run", "AS_RBP"), ("pages", "agreement", "*.run", "none.csv", "AS_RBP")):
        assert command(*words, "--qrels", "demo.qrels").err == all_three.err
    assert command("stream", "score", "demo.qrels", "*.run", "--users", "log.tsv").err == all_three.err


# -- measures of a file of the user's ----------------------------------------------------------------------

MINE = '''
import irmx
import numpy as np


@irmx.measure
def Enough(ranking: irmx.Ranking, *, k: int = 1) -> float:
    """Whether at least k relevant documents are retrieved."""
    if k == 9:
        np.concatenate([np.ones(2)], axis=2)
    return len(ranking.relevant) >= k
'''


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder with qrels, a run and a file of measures."""
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "some.qrels").write_text("q 0 a 1\nq 0 b 1\n")
    (tmp_path / "some.run").write_text("q Q0 a 1 3.0 t\nq Q0 x 2 2.0 t\nq Q0 b 3 1.0 t\n")
    return tmp_path


@pytest.mark.slow
def test_a_file_of_measures_is_loaded(shell: Any, files: Path) -> None:
    loaded, data = ("--load", "mine.py"), ("some.qrels", "some.run")
    done = shell(*loaded, "eval", *data, "Enough(k=2)@2", "Enough(k=2)", "AP", cwd=files)
    assert done.out == "Enough(k=2)@2\t0.0000\nEnough(k=2)\t1.0000\nAP\t0.8333\n", done.err
    assert "Whether at least k" in shell("--load", files / "mine.py", "measures", "Enough").out
    sweep = ("sweep", *data, "-m", "Enough", "-g", "k=1,2,3", "--out", files / "out.csv", "-j", "2")
    assert shell(*loaded, *sweep, cwd=files).code == 0
    assert pd.read_csv(files / "out.csv")["value"].tolist() == [1, 1, 0]
    done = shell(*loaded, "eval", *data, "Enough(k=9)", cwd=files)
    assert done.code == 1
    assert re.fullmatch(
        r"irmx: The measure Enough\(k=9\) failed for query q with AxisError: .* \(mine\.py, line 10\)\nirmx: .*\n",
        done.err,
    )
    whole = shell("--traceback", *loaded, "eval", *data, "Enough(k=9)", cwd=files)
    assert (whole.code, whole.out) == (1, "")
    assert re.fullmatch(f"Traceback.*{re.escape(done.err)}", whole.err, re.S)


@pytest.mark.parametrize(
    ("name", "text", "code", "message"),
    [
        ("none.py", None, 2, "There is no file own/none.py"),
        ("mine.txt", "", 2, "--load takes a Python file. Got own/mine.txt"),
        ("my-own.py", "", 2, "'my-own' is not a valid module name. Rename own/my-own.py"),
        ("numpy.py", "", 2, "there is already a module 'numpy'. Rename own/numpy.py"),
        ("bad.py", "\n1 / 0\n", 1, "bad.py, line 2: ZeroDivisionError: division by zero"),
        ("bad.py", "\ndef f(:\n", 1, "bad.py, line 2: SyntaxError"),
        ("bad.py", "raise SystemExit(0)", 1, "bad.py, line 1: SystemExit: 0"),
        ("bad.py", "x = 1\nraise BaseException('b')", 1, "bad.py, line 2: BaseException: b"),
        ("bad.py", "raise GeneratorExit", 1, "bad.py, line 1: GeneratorExit"),
        ("bad.py", "\0", 1, "null bytes"),
        ("bad.py", "import irmx\ndef AP(ranking): ...\nirmx.measure(AP)\n", 2, "bad.py, line 3: The measure AP of bad.AP is refused"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_loaded_says_why(
    name: str, text: str | None, code: int, message: str, command: Any, monkeypatch: pytest.MonkeyPatch, files: Path
) -> None:
    monkeypatch.setattr("sys.path", [*sys.path])  # to which the folder of the file is added
    (files / "own").mkdir()
    if text is not None:
        (files / "own" / name).write_text(text)
    done = command("--load", f"own/{name}", "measures")
    assert (done.code, message in done.err, "Traceback" in done.err) == (code, True, False)


def test_a_switch_is_not_both_on_and_off(command: Any) -> None:
    words = ["pages", "fit", "p.jsonl", "v.csv", "AS_RBP", "--grid", "beta=0:1", "--qrels", "q"]
    command(*words, "--personal", "--no-personal").assert_refused(2)


def test_measures_are_found_by_words_of_their_descriptions(command: Any) -> None:
    names = {row["name"] for row in command("measures", "aggregated search", "-o", "csv").rows}
    assert {"AS_RBP", "AS_D_nDCG"} <= names
    assert not names & {"MP", "AP"}
    assert "MSU" in command("measures", "Stream UTIL").out.split()
    command("measures", "nDGC").assert_refused(2, "nDCG")


def test_values_go_into_a_file_with_all_places_and_their_states(command: Any, tmp_path: Path) -> None:
    run = Path(run_path("bm25")).read_text().splitlines()
    (tmp_path / "short.run").write_text("".join(f"{line}\n" for line in run if not line.startswith("1 ")))
    done = command("eval", qrels_path(), "short.run", run_path("titles"), "AP nDCG@10", "--out", "s.parquet")
    assert (done.code, done.out) == (0, "")
    runs = {"short.run": tmp_path / "short.run", Path(run_path("titles")).name: run_path("titles")}
    with pytest.warns(irmx.DataWarning):
        expected = irmx.scores("AP nDCG@10", qrels_path(), runs)
    found = irmx.Scores.read_parquet(tmp_path / "s.parquet")
    assert (found.values == expected.values).all()
    assert (found.states == expected.states).all()
    assert found.missing.any()
    for words in (("--out", "s.csv"), ("--out", "nowhere/s.parquet"), ("--out", "s.parquet", "-q")):
        assert command("eval", qrels_path(), "short.run", "AP", *words).code == 2


REPLACING = """
import io, sys, irmx

@irmx.measure
def Replaces(ranking: irmx.Ranking) -> float:
    sys.stdout = io.StringIO()
    return 0.5
"""


def test_results_that_a_plugin_keeps_from_standard_output_are_not_lost_without_a_word(shell: Any, files: Path) -> None:
    (files / "replacing.py").write_text(REPLACING)
    shell("--load", "replacing.py", "eval", "some.qrels", "some.run", "Replaces", "AP", cwd=files).assert_refused(1)
