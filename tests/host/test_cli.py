"""The commands: ``irmx eval`` beside the stock command of ir_measures, and what the others show."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import irmx
from irmx.cli.commands import COMMANDS
from irmx.demo import SYSTEMS, qrels_path, run_path

TOP = Path(__file__).parent.parent.parent
QRELS = str(qrels_path())
RUN = str(run_path("recent"))
STOCK = ["AP", "nDCG@10", "P@5"] if sys.version_info < (3, 14) else ["AP", "Rprec", "RR"]
"""The command of ir_measures 0.4.3 parses no parameter on Python 3.14."""


def stock(*arguments: str) -> list[str]:
    """Return the lines that the command of ir_measures prints."""
    command = [sys.executable, "-m", "ir_measures", *arguments]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout.splitlines()


def rounded(line: str) -> str:
    """A line with its numbers rounded by some bits: the mean of ir_measures depends on the order of topics."""
    return re.sub(r"\d\.\d{13,}(e-\d+)?", lambda number: f"{float(number[0]):.14g}", line)


@pytest.mark.parametrize("options", [[], ["-p", "2"], ["-p", "-1"], ["-q"], ["-q", "-n"], ["-o", "jsonl"], ["-q", "-o", "jsonl"]],
                         ids=" ".join)  # fmt: skip
def test_eval_prints_what_the_stock_command_prints(options: list[str], command: Callable[..., Any]) -> None:
    ours = command("eval", QRELS, RUN, *STOCK, *options).out.splitlines()
    theirs = stock(QRELS, RUN, *STOCK, *options)
    if "jsonl" in options:
        assert [set(json.loads(line)) for line in ours] == [set(json.loads(line)) for line in theirs]
        theirs, ours = ([json.dumps(json.loads(x), sort_keys=True) for x in lines] for lines in (theirs, ours))
    assert sorted(map(rounded, ours)) == sorted(map(rounded, theirs))
    assert len(ours) == 3 * (1 + 30 * ("-q" in options) - ("-n" in options))


def measures_of(lines: str) -> list[str]:
    return [line.split("\t")[-2] for line in lines.splitlines()]


def test_the_measures_are_in_the_order_asked(command: Callable[..., Any]) -> None:
    asked = ["nDCG@10", "NCP(law=uniform)", "AP", "MP(model=GL_AD_ID)", "P@5", "RBP(rel=1)"]
    assert measures_of(command("eval", QRELS, RUN, *asked).out) == asked
    assert measures_of(command("eval", QRELS, RUN, *reversed(asked)).out) == asked[::-1]
    assert measures_of(command("eval", QRELS, RUN, *asked, "-q").out) == asked * 31


def test_several_measures_in_one_argument(command: Callable[..., Any]) -> None:
    one = command("eval", QRELS, RUN, "AP  NCP(law=table(p=[2, 1]), rel=2)@10", "P @ 5 AP").out
    assert one == command("eval", QRELS, RUN, "AP", "NCP(law=table(p=[2,1]),rel=2)@10", "P@5").out
    assert measures_of(one) == ["AP", "NCP(law=table(p=[2,1]),rel=2)@10", "P@5"]


def test_the_values_are_those_of_the_library(command: Callable[..., Any]) -> None:
    asked = "MP(model=GL_AD_LID,rescale='recall') NCP(law=first) AP"
    lines = [line.split("\t") for line in command("eval", QRELS, RUN, asked, "-p", "-1").out.splitlines()]
    assert {m: float(v) for m, v in lines} == {str(m): v for m, v in irmx.calc_aggregate(asked, QRELS, RUN).items()}


def test_several_runs_make_a_row_a_run(command: Callable[..., Any]) -> None:
    files = [str(run_path(s)) for s in SYSTEMS]
    pattern = str(Path(QRELS).parent / "*.run")
    lines = command("eval", QRELS, *files, "AP", "MP(model=GL_AD_ID)").out.splitlines()
    assert lines[0] == "run\tAP\tMP(model=GL_AD_ID)"
    assert [line.split("\t")[0] for line in lines[1:]] == [f"{s}.run" for s in SYSTEMS]
    for system, line in zip(SYSTEMS, lines[1:], strict=True):
        alone = command("eval", QRELS, run_path(system), "AP", "MP(model=GL_AD_ID)").out
        assert line.split("\t")[1:] == [x.split("\t")[1] for x in alone.splitlines()]
    globbed = command("eval", QRELS, pattern, "AP", "MP(model=GL_AD_ID)").out.splitlines()
    assert globbed[0] == lines[0]
    assert globbed[1:] == sorted(lines[1:])
    assert command("eval", QRELS, pattern, files[0], "AP").out.count("\n") == 4


def test_several_runs_in_the_other_formats(command: Callable[..., Any]) -> None:
    pattern = str(Path(QRELS).parent / "*.run")
    objects = [
        json.loads(line) for line in command("eval", QRELS, pattern, "AP", "P@5", "-o", "jsonl").out.splitlines()
    ]
    assert [(o["run"], o["measure"]) for o in objects] == [
        (f"{s}.run", m) for s in sorted(SYSTEMS) for m in ("AP", "P@5")
    ]
    by_query = command("eval", QRELS, pattern, "AP", "-q", "-n").out.splitlines()
    assert len(by_query) == 3 * 30
    assert {len(line.split("\t")) for line in by_query} == {4}
    table = command("eval", QRELS, pattern, "AP", "P@5", "-o", "table").out
    for row in [["run", "AP", "P@5"], *[[f"{s}.run"] for s in SYSTEMS]]:
        assert re.search(r"\s+".join(map(re.escape, row)), table)


def test_a_table_for_one_run(command: Callable[..., Any]) -> None:
    table = command("eval", QRELS, RUN, "AP", "NCP(law=uniform)", "-o", "table", "-q", "-p", "2").out
    lines = [line.split() for line in table.splitlines() if line.strip() and "─" not in line]
    assert lines[0] == ["query_id", "AP", "NCP(law=uniform)"]
    assert [line[0] for line in lines[1:]] == [*map(str, range(1, 31)), "all"]
    assert all(re.fullmatch(r"0\.\d\d", cell) for line in lines[1:] for cell in line[1:])
    assert all(line[1] == line[2] for line in lines[1:])


def test_one_provider(command: Callable[..., Any]) -> None:
    assert command("eval", QRELS, RUN, "AP", "--provider", "pytrec_eval").out == command("eval", QRELS, RUN, "AP").out
    own = command("eval", QRELS, RUN, "NCP(law=uniform)", "--provider", "irmx")
    assert own.out == command("eval", QRELS, RUN, "NCP(law=uniform)").out
    assert command("eval", QRELS, RUN, "infAP", "--provider", "irmx").code == 2


def test_a_provider_is_asked_instead_of_a_scorer(command: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q 0 a 1\nq 0 b 0.5\n")
    (tmp_path / "run").write_text("q Q0 a 1 2.0 r\n")
    files = (tmp_path / "qrels", tmp_path / "run", "AP(rel=0.5)")
    assert command("eval", *files).out == "AP(rel=0.5)\t0.5000\n"
    assert command("eval", *files, "--provider", "irmx").out == "AP(rel=0.5)\t0.5000\n"
    done = command("eval", *files, "--provider", "pytrec_eval")
    assert (done.code, done.out) == (2, "")
    assert "AP(rel=0.5)" in done.err


def test_topics_that_a_run_lacks_count_and_are_told(command: Callable[..., Any], tmp_path: Path) -> None:
    part = tmp_path / "part.run"
    part.write_text("".join(x for x in Path(RUN).read_text().splitlines(keepends=True) if x.startswith("1 ")))
    done = command("eval", QRELS, part, "AP", "NCP(law=uniform)", "-p", "-1")
    assert (
        done.err
        == f"irmx: {part}: no results for 29 of 30 topics (2, 3, 4, ...); they count with the measures' defaults\n"
    )
    ap, ncp = (float(line.split("\t")[1]) for line in done.out.splitlines())
    alone = irmx.calc_aggregate("AP", {"1": irmx.read_qrels(QRELS).as_dict()["1"]}, RUN)
    assert ap == pytest.approx(ncp, abs=1e-12)
    assert ap == pytest.approx(next(iter(alone.values())) / 30, abs=1e-12)


def test_explain_adds_up(command: Callable[..., Any]) -> None:
    for measure in ("MP(model=GL_AD_ID)", "MP(model=LO_OR_LID,rescale='recall')", "NCP(law=geometric)@20"):
        lines = command("explain", QRELS, RUN, measure, "-t", "3", "-o", "tsv", "-p", "-1").out.splitlines()
        header, rows = lines[0].split("\t"), [line.split("\t") for line in lines[1:]]
        assert header == ["rank", "doc_id", "grade", "precision", "weight", "contribution"]
        value = {m.query_id: m.value for m in irmx.iter_calc(measure, QRELS, RUN)}["3"]
        assert sum(float(row[-1]) for row in rows) == pytest.approx(value, abs=1e-12)
        everything = command(
            "explain", QRELS, RUN, measure, "-t", "3", "-o", "tsv", "-p", "-1", "--all"
        ).out.splitlines()
        assert len(everything) - 1 == (20 if "@20" in measure else 31)
        assert set(lines) <= set(everything)
        shown = command("explain", QRELS, RUN, measure, "--topic", "3")
        assert f"{measure}  topic 3  value {value:.6f}" in shown.out


def test_measures_lists_everything(command: Callable[..., Any]) -> None:
    shown = command("measures").out
    for name in [*irmx.registry().measures(), *(s.NAME for s in irmx.registry().all_symbols()), "nDCG", "RBP", "Bpref"]:
        assert re.search(rf"^  {re.escape(name)}\s", shown, re.M), name


@pytest.mark.parametrize("name", ["MP", "NCP"])
def test_a_measure_is_described_from_its_declarations(name: str, command: Callable[..., Any]) -> None:
    shown = command("measures", name).out
    measure = irmx.registry().measures()[name]
    assert measure.PRETTY_NAME in shown
    for key, param in measure.SUPPORTED_PARAMS.items():
        assert f"{key}: {param.desc}" in " ".join(shown.split())
    assert all(c.doi in shown for c in measure.CITATIONS)
    assert "0 to 1" in shown


def test_symbols_and_stock_measures_are_described(command: Callable[..., Any]) -> None:
    assert "max_hop: longest transition" in command("measures", "GL_AD_ID").out
    shown = command("measures", "nDCG").out
    assert "cutoff" in shown
    assert "Kalervo Järvelin and Jaana Kekäläinen. Cumulated gain-based evaluation of IR techniques." in shown


def test_a_measure_is_described_as_what_computes_it_does(command: Callable[..., Any]) -> None:
    assert "without rel, its grade divided by the largest grade" in " ".join(command("measures", "RBP").out.split())
    for name in ("RBP", "alpha_nDCG", "Bpref", "SetF"):
        assert ".. " not in command("measures", name).out  # directives of Sphinx


@pytest.mark.parametrize("name", ["MPcont", "TIA_ERR", "ELG", "nDCG", "ERR", "GL_AD_ID"])
def test_what_is_described_fits_80_columns_but_for_examples(
    name: str, command: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.get_terminal_size", lambda *_, **__: os.terminal_size((80, 24)))
    about, _, rest = command("measures", name).out.partition("\n>>> ")
    lines = [*about.split("\n"), *rest[rest.find("\n\nParameters") :].split("\n")]
    assert [line for line in lines if len(line) > 80] == []


def test_a_measure_shows_its_formula_as_text_and_in_latex(command: Callable[..., Any]) -> None:
    shown = command("measures", "MP").out
    assert "Formula\n  MP = Σ_{n ∈ R} π_n Prec(n)\n    n        a rank\n" in shown
    assert "  LaTeX: \\mathrm{MP} = \\sum_{n \\in R} \\pi_n\\,\\mathrm{Prec}(n)\n" in shown


@pytest.mark.parametrize("name", ["MP", "nDCG", "ERR"])
def test_the_page_of_a_measure_for_authors_of_plugins(name: str, command: Callable[..., Any]) -> None:
    page = command("measures", name, "-o", "markdown").out
    assert page.startswith(f"# {name}\n\n**")
    titles = re.findall("^## (.+)$", page, re.M)
    own = ["Formula", "Definition", "Parameters", "Columns", "Values", "Citation"]
    assert titles == {"MP": own, "nDCG": [*own[:3], "Citation"], "ERR": [*own[1:3], "Citation"]}[name]
    assert re.search(r"^\| `cutoff` \| ", page, re.M)
    cited = page.partition("## Citation")[2]
    assert "{" not in re.sub(r"```bibtex.*?```", "", cited, flags=re.S)
    assert ("\n$$\n\\mathrm{" in page) == (name != "ERR")


def test_the_page_of_a_named_object_and_html(command: Callable[..., Any]) -> None:
    page = command("measures", "geometric", "-o", "markdown").out
    assert re.findall("^#+ (.+)$", page, re.M) == ["geometric", "Formula", "Parameters"]
    assert command("measures", "geometric", "-o", "html").out.startswith("<div><p><code>geometric</code>")
    assert "<math " in command("measures", "AP", "-o", "html").out
    refused = command("measures", "AP", "-o", "latex")
    assert (refused.code, "one is printed as table, markdown, html" in refused.err) == (2, True)


def test_cite_gives_every_entry_once(command: Callable[..., Any]) -> None:
    done = command("cite", "MP(model=GL_AD_ID) MP(model=LO_AD_ID)", "NCP(law=first)", "AP", "Rprec", "NumRet")
    keys = re.findall(r"^@\w+\{(\w+),", done.out, re.M)
    assert keys == ["FerranteFerroMaistro2014", "Robertson2008", "BuckleyVoorhees2005", "MacAvaneyMacdonaldOunis2022"]
    assert done.err == "irmx: NumRet: no paper to cite but that of ir_measures\n"


def test_plugins_shows_what_each_offers(command: Callable[..., Any]) -> None:
    shown = command("plugins").out
    assert f"irmx (host) {irmx.__version__}" in shown
    assert "ncp (irmx-ncp)" in shown
    assert "markov (irmx-markov)" in shown
    assert "measures: NCP" in shown


@pytest.mark.parametrize("name", sorted(irmx.registry().commands()))
def test_every_command_has_help(name: str, command: Callable[..., Any]) -> None:
    for flag in ("--help", "-h"):
        done = command(*name.split(), flag)
        assert done.code == 0
        assert f" {name} [OPTIONS]" in done.out
    *group, last = name.split()
    of_host = not group and name in {one.NAME for one in COMMANDS}
    plugin = next(p.name for p in irmx.registry().plugins.values() if name in p.offers.get("commands", ()) or of_host)
    listing = command(*(group or ([] if of_host else [plugin])), "--help").out
    assert re.search(rf"^  {last}\s+\S", listing, re.M)


def test_version_and_no_arguments(command: Callable[..., Any]) -> None:
    assert command("--version").out == f"irmx {irmx.__version__}\n"
    assert "Commands" in "".join(command().__dict__[k] for k in ("out", "err"))


# -- what users mistype, and where output goes -------------------------------------------------------------


@pytest.mark.parametrize(
    ("measures", "told"),
    [
        ([""], "the text is empty"),
        (["AP", " "], "the text is empty"),
        (["AP", QRELS], "runs come before the measures"),
        (["AP", "runs/none.run"], "there is no such file"),
        (["MP(model=GL_AD_ID,", "rel=2)"], "must be quoted as a whole"),
        (["AP,nDCG@10"], "not by commas"),
        (["gm_map"], "ir_measures does not compute it"),
        (["nDCG@10@20"], "The cutoff is given twice"),
    ],
)
def test_what_is_no_measure_gets_advice(measures: list[str], told: str, command: Callable[..., Any]) -> None:
    done = command("eval", QRELS, RUN, *measures)
    assert (done.code, done.out) == (2, "")
    assert told in done.err


def test_runs_of_one_name_in_two_folders_keep_their_rows(command: Callable[..., Any], tmp_path: Path) -> None:
    paths = []
    for system in SYSTEMS[:2]:
        path = tmp_path / system / "my.run"
        path.parent.mkdir()
        path.write_text(run_path(system).read_text())
        paths.append(str(path))
    for output in ("tsv", "table"):
        shown = command("eval", QRELS, *paths, "AP", "-o", output).out
        assert [line.split()[0] for line in shown.splitlines() if "my.run" in line] == paths


@pytest.mark.parametrize("wanted", ["MP(model=GL_AD_ID)", "nDCG@10"])
def test_a_measure_is_described_from_an_expression_too(wanted: str, command: Callable[..., Any]) -> None:
    assert command("measures", wanted).out == command("measures", re.split(r"[(@]", wanted)[0]).out


def test_an_encoding_that_lacks_a_character_is_an_error(shell: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "q").write_text("größe 0 a 1\n", encoding="utf-8")
    (tmp_path / "r").write_text("größe Q0 a 1 1.0 x\n", encoding="utf-8")
    done = shell("eval", "q", "r", "AP", "-q", cwd=tmp_path, PYTHONIOENCODING="ascii")
    assert done.code == 1
    assert "Traceback" not in done.err
    assert "PYTHONIOENCODING=utf-8" in done.err


@pytest.mark.skipif(os.name == "nt", reason="no such pipes and signals there")
def test_a_reader_that_has_enough_is_no_error() -> None:
    command = [sys.executable, "-c", "from irmx.cli import main; main()", "measures"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    told = process.stderr.read()
    process.stderr.close()
    assert (process.wait(), told) == (0, b"")


@pytest.mark.skipif(os.name == "nt", reason="no such pipes and signals there")
def test_ctrl_c_stops_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "run")
    program = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from irmx.cli import main; main()"
    )
    command = [sys.executable, "-c", program, "eval", QRELS, str(tmp_path / "run"), "AP"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with open(tmp_path / "run", "w"):  # opens when the command reads the run, so that it is in the middle
        process.send_signal(signal.SIGINT)
        out, told = process.communicate(timeout=60)
    assert (process.returncode, out, told) == (130, b"", b"irmx: stopped\n")
