"""Tables and sentences for papers: LaTeX that compiles in a paper of two columns, in which nothing overflows."""

import re
import shutil
import subprocess
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.text import Text

import irmx
import irmx_study
from irmx.demo import SYSTEMS, qrels_path, run_path

from .made_scores import made

HOSTILE = 'a_b & 50% $x$ {y} #1 ~^\\ <i>|\x1b[2J--"'
MEASURES = "AP nDCG@10 P@10 RBP RR nDCG@20 Rprec Bpref"
PAPER = r"""\documentclass[twocolumn]{article}
\usepackage[T1]{fontenc}
\usepackage{booktabs,longtable}
\begin{document}
%s
\end{document}
"""


def compiled(text: str, folder: Path) -> str:
    """Compile a text in a paper of two columns, and return the log."""
    program = shutil.which("pdflatex")
    if program is None:
        pytest.skip("pdflatex is not installed")
    (folder / "paper.tex").write_text(PAPER % text)
    words = [program, "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False, errors="replace")
    assert done.returncode == 0, done.stdout[-2000:]
    return done.stdout + (folder / "paper.log").read_text(errors="replace")


def words_lost(text: str, folder: Path, compile_first: bool = False) -> set[str]:
    """Return the words and numbers of a text that the page lacks, whatever became of signs, hyphens and ligatures."""
    program = shutil.which("pdftotext")
    if program is None:
        pytest.skip("pdftotext is not installed")
    if compile_first:
        compiled(text, folder)
    words = [program, "-layout", "paper.pdf", "-"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True)
    page = re.sub(r"[\s-]", "", done.stdout)
    plain = re.sub(
        r"%.*|~?\\(cite|label|begin|end|setlength|cmidrule|usepackage)\b(\([lr]+\))?(\{[^{}]*\})*",
        " ",
        re.sub(r"\\%", " ", text),
    )
    plain = re.sub(r"\\(rlap|textbf|caption|multicolumn)\b", " ", plain)
    words = re.findall(r"[A-Za-z]{3,}|\d+\.\d+", re.sub(r"\\[a-z]+", " ", plain))
    return {word for word in words if not _is_on(page, word)}


def _is_on(page: str, word: str) -> bool:
    """Whether a word is on a page, of which ligatures such as ff have no letters."""
    return re.search(re.sub("[fil]{2,3}", ".{1,3}", word), page) is not None


def scores_of(systems: int, measures: int, names: Any = ()) -> irmx.Scores:
    values = np.random.default_rng(3).beta(2, 2 + np.arange(systems)[:, None] / 3, (40, systems, measures))
    named = names or [f"CL99XTopt{i}" for i in range(systems)]
    return made(values, " ".join(MEASURES.split()[:measures]), named)


@pytest.mark.parametrize(
    "how",
    [{}, {"all_pairs": True}, {"baseline": ["CL99XTopt0", "CL99XTopt1"]}],
    ids=["one", "all pairs", "two baselines"],
)
@pytest.mark.parametrize("intervals", [False, True])
def test_no_table_overflows_a_paper(intervals: bool, how: Any, tmp_path: Path) -> None:
    sizes = [*product((2, 10), (1, 2, 3, 5)), (5, 4), (12, 3), (4, 8)]
    comparisons = [irmx_study.compare(scores_of(*size), **how) for size in sizes]
    text = "\n\\clearpage\n".join(comparison.to_latex(intervals=intervals) for comparison in comparisons)
    log = compiled(text, tmp_path)
    assert "Overfull" not in log
    assert "Missing" not in log
    assert words_lost(text, tmp_path) == set()


def test_the_table_and_the_sentences_of_the_command_compile_together(command: Any, tmp_path: Path) -> None:
    files = [qrels_path(), *map(run_path, SYSTEMS)]
    out = [f"--methods={tmp_path / 'methods.tex'}", f"--bib={tmp_path / 'paper.bib'}"]
    done = command("compare", *files, "AP", "nDCG@10", "MP(model=GL_AD_ID)", "-o", "latex", *out)
    assert done.code == 0
    text = done.out + (tmp_path / "methods.tex").read_text()
    assert words_lost(text, tmp_path, compile_first=True) == set()
    cited = {key for keys in re.findall(r"\\cite\{([^}]*)\}", text) for key in keys.split(",")}
    assert cited <= set(re.findall(r"@\w+\{(\w+),", (tmp_path / "paper.bib").read_text()))
    assert "Overfull" not in compiled(text, tmp_path)


def test_entries_have_types_of_plain_bst(tmp_path: Path) -> None:
    program = shutil.which("bibtex")
    if program is None:
        pytest.skip("bibtex is not installed")
    every = [
        f"{name}(p=0.5)" if name == "RBP" else name
        for name in ("AP", "RBP", "nDCG@10", "MP(model=GL_AD_ID)", "NCP(law=first)")
    ]
    comparison = irmx_study.compare(
        irmx.scores(every, qrels_path(), {s: run_path(s) for s in SYSTEMS}), correction="maxt"
    )
    (tmp_path / "paper.bib").write_text(comparison.bibtex())
    compiled(r"\nocite{*}\bibliographystyle{plain}\bibliography{paper}", tmp_path)
    done = subprocess.run([program, "paper"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, "Warning" in done.stdout) == (0, False), done.stdout


def test_three_measures_fit_a_column_and_heads_tell_settings_apart() -> None:
    runs = {system: run_path(system) for system in SYSTEMS}
    comparison = irmx_study.compare(irmx.scores("AP nDCG@10 MP(model=GL_AD_ID)", qrels_path(), runs))
    assert r"\begin{table}" in comparison.to_latex()
    assert r"\begin{table*}" in comparison.to_latex(column=100)
    assert r"system & AP & nDCG@10 & MP \\" in comparison.to_latex()
    settings = irmx_study.compare(irmx.scores("AP MP(model=GL_AD_ID) MP(model=LO_AD_ID)", qrels_path(), runs))
    assert r"system & AP & MP(GL\_AD\_ID) & MP(LO\_AD\_ID) \\" in settings.to_latex()
    heads = {"MP(model=GL_AD_ID)": "a", "MP(model=LO_AD_ID)": "b"}
    assert r"system & AP & a & b \\" in settings.to_latex(heads=heads)
    for wrong in ({"heads": {"APP": "a"}}, {"column": -1}):
        with pytest.raises(irmx.UsageError):
            settings.to_latex(**wrong)  # type: ignore[arg-type]


def test_the_command_names_measures(command: Any) -> None:
    files = [qrels_path(), *map(run_path, SYSTEMS)]
    done = command(
        "compare", *files, "AP", "MP(model=GL_AD_ID)", "-o", "latex", "--label", "MP(model='GL_AD_ID')=Markov"
    )
    assert "system & AP & Markov" in done.out
    for words in (
        ("--label", "AP=a"),
        ("--column", "200"),
        ("--intervals",),
        ("--label", "AP=", "-o", "latex"),
        ("--width", "3"),
    ):
        refused = command("compare", *files, "AP", *words)
        assert (refused.code, refused.out) == (2, ""), words


def test_large_means_have_as_many_digits_as_small_ones() -> None:
    values = np.random.default_rng(1).normal([3000, 4000], 20, (9, 2))
    rows = rows_of(irmx_study.compare(made(values, "TS_Verbosity")).to_latex())
    assert re.search(r"\d{4}\.\d\b", rows["a"])
    assert not re.search(r"\d\.\d{2}", rows["a"])


def test_of_many_systems_the_best_are_shown_and_all_in_a_long_table(tmp_path: Path) -> None:
    comparison = irmx_study.compare(scores_of(129, 3), baseline="CL99XTopt100")
    few = rows_of(comparison.to_latex())
    assert len(few) == 1 + 20 + 1  # the head, the best, and the baseline
    assert "CL99XTopt100" in few
    every = comparison.to_latex(most=None)
    assert len(rows_of(every)) >= 130
    text = r"\onecolumn" + every
    log = compiled(text, tmp_path)
    assert "too large" not in log
    assert "Overfull" not in log


@pytest.mark.parametrize("measures", ["AP", "AP nDCG@10", MEASURES, "MP(model=*)"])
def test_the_means_of_irmx_eval_fit_a_paper(command: Any, measures: str, tmp_path: Path) -> None:
    done = command("eval", qrels_path(), *map(run_path, SYSTEMS), *measures.split(), "-o", "latex")
    assert "Overfull" not in compiled(done.out, tmp_path)
    assert words_lost(done.out, tmp_path) == set()


@pytest.mark.parametrize("how", [{}, {"all_pairs": True}, {"baseline": [HOSTILE, "[x*"]}])
def test_names_with_special_characters_compile(how: Any, tmp_path: Path) -> None:
    text = irmx_study.compare(scores_of(3, 2, [HOSTILE, "[x*", "plain"]), **how).to_latex()
    assert "\x1b" not in text
    compiled(text, tmp_path)


def test_hyphens_and_quotes_of_names_are_no_dashes() -> None:
    text = irmx_study.compare(scores_of(2, 1, ["a--b---c", 'a"b'])).to_latex()
    assert {"a-{}-b-{}-{}-c", r"a{\char34}b"} <= {line.split(" & ")[0] for line in text.splitlines()}


# -- what the table says -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def scores() -> irmx.Scores:
    return irmx.scores("AP RR", qrels_path(), {system: run_path(system) for system in SYSTEMS})


def rows_of(text: str) -> dict[str, str]:
    return {line.split(" & ")[0]: line for line in text.splitlines() if line.endswith(r"\\")}


def test_significant_differences_are_marked_and_the_best_mean_is_bold(scores: irmx.Scores) -> None:
    text = irmx_study.compare(scores).to_latex()
    rows, means = rows_of(text), scores.means()["AP"]
    assert list(rows)[1:] == list(means.sort_values(ascending=False).index)
    assert rf"\textbf{{{means['bm25']:.4f}}}" in rows["bm25"]
    assert rf"{means['titles']:.4f}\rlap{{$^{{\dagger}}$}}" in rows["titles"]
    assert r"\dagger" not in irmx_study.compare(scores, level=1e-14).to_latex().split(r"\end{tabular}")[0]
    by_rr = rows_of(irmx_study.compare(scores).to_latex(sort="system"))
    assert list(by_rr)[1:] == sorted(SYSTEMS)


def test_a_difference_between_two_baselines_is_marked_on_both(scores: irmx.Scores) -> None:
    rows = rows_of(irmx_study.compare(scores, baseline=["bm25", "titles"]).to_latex())
    assert r"\ddagger" in rows["bm25"].split(" & ")[1]
    assert r"{\dagger}" in rows["titles"].split(" & ")[1]


def test_all_pairs_have_letters_and_the_caption_is_chosen(scores: irmx.Scores) -> None:
    comparison = irmx_study.compare(scores, all_pairs=True)
    text = comparison.to_latex(caption="Mine", label="tab:mine")
    assert all(letters in text for letters in comparison.letters["AP"])
    assert r"\caption{Mine}" in text
    assert r"\label{tab:mine}" in text


def test_where_less_is_better_the_smallest_mean_is_bold() -> None:
    values = np.random.default_rng(1).normal([6, 2], 0.2, (9, 2))
    rows = rows_of(irmx_study.compare(made(values, "TS_Verbosity", ["slow", "fast"])).to_latex())
    assert [name for name in ("slow", "fast") if r"\textbf" in rows[name]] == ["fast"]


# -- pictures ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["differences", "topics", "views"])
@pytest.mark.parametrize("width", [3.35, 7])
def test_pictures_are_as_wide_as_they_are_printed(kind: str, width: float) -> None:
    runs = {system: run_path(system) for system in SYSTEMS}
    by_users = irmx_study.compare(irmx.scores("MP(model=*)" if kind == "views" else "AP RR P@10", qrels_path(), runs))
    figure = by_users.plot(kind, width=width).figure
    figure.canvas.draw()
    assert figure.get_figwidth() == width
    assert {one.get_fontsize() for one in figure.findobj(Text)} == {8}
    inner = figure.bbox.padded(1)
    for legend in (*figure.legends, *(ax.get_legend() for ax in figure.axes if ax.get_legend() is not None)):
        box = legend.get_window_extent()
        assert inner.x0 <= box.x0 <= box.x1 <= inner.x1
    assert all(ax.get_position().width * width > 1.5 for ax in figure.axes)


def test_the_command_draws_for_a_column(command: Any, tmp_path: Path) -> None:
    files = [qrels_path(), *map(run_path, SYSTEMS)]
    done = command("compare", *files, "AP", "--plot", f"topics={tmp_path / 'a.svg'}", "--width", "3.35")
    assert done.code == 0
    assert f'width="{3.35 * 72:g}pt"' in (tmp_path / "a.svg").read_text()
    assert command("compare", *files, "AP", "--plot", "a.svg", "--width", "0.1").code == 2


# -- sentences ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({}, ["We compared 2 systems with the baseline bm25 by AP", "the 2 comparisons by each measure", "Holm's method"]),
        ({"all_pairs": True}, ["all pairs of 3 systems", "the 3 comparisons by each measure"]),
        ({"baseline": ["bm25", "titles"]}, ["the baselines bm25 and titles"]),
        ({"family": "all"}, ["the 4 comparisons by all measures together were corrected"]),
        ({"correction": "none"}, ["Each of the 2 comparisons by each measure was tested on its own", "without a correction"]),
        ({"correction": "maxt", "draws": 500}, ["those of the largest t statistic", "500 random draws"]),
        ({"test": "permutation", "draws": 500, "seed": 3}, ["The test used 500 random draws (seed 3)."]),
        ({"test": "tukey", "all_pairs": True}, ["controls the family-wise error rate over all pairs of systems"]),
        ({"test": "wilcoxon"}, ["a two-sided Wilcoxon signed-rank test", "continuity=False"]),
        ({"interval": "bca", "draws": 500}, ["The intervals used 500 random draws"]),
    ],
)  # fmt: skip
def test_sentences_say_what_was_compared_and_how(scores: irmx.Scores, how: Any, words: list[str]) -> None:
    comparison = irmx_study.compare(scores, **how)
    text = comparison.methods()
    assert all(word in text for word in words)
    always = ("30 topics", f"irmx {irmx.__version__}", "unjudged documents counted as not relevant")
    assert all(word in text for word in always)
    cited = {key for keys in re.findall(r"\\cite\{([^}]*)\}", text) for key in keys.split(",")}
    assert {"irmx", "MacAvaneyMacdonaldOunis2022"} < cited
    assert cited <= set(re.findall(r"@\w+\{(\w+),", comparison.bibtex()))
