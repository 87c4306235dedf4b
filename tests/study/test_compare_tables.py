"""What a person sees of a comparison: tables for reading, facts, the table and the sentences of a paper."""

import html.parser
import io
import pickle
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import irmx
import irmx_study
from irmx.demo import SYSTEMS, qrels_path, run_path
from irmx_study.comparison.tables_for_reading import tables_for_reading, write_facts

HOSTILE = 'a_b & 50% $x$ {y} #1 ~^\\ <i>|\x1b[2J--"'
COMBINATIONS: list[dict[str, Any]] = [
    {},
    {"baseline": "recent"},
    {"baseline": ["titles", "bm25"]},
    {"baseline": list(SYSTEMS)},
    {"all_pairs": True},
    {"all_pairs": True, "family": "all"},
    {"correction": "none"},
    {"family": "all"},
]


@pytest.fixture(scope="module")
def scores() -> irmx.Scores:
    return irmx.scores("AP RR", qrels_path(), {system: run_path(system) for system in SYSTEMS})


def made(values: Any, systems: Any = None, measures: str = "AP") -> irmx.Scores:
    """Return scores of given values, (topics, systems)."""
    values = np.asarray(values, dtype=float)
    names = systems or [f"s{j}" for j in range(values.shape[1])]
    parsed = tuple(irmx.toolkit.parse_measures(measures))
    values = np.repeat(values[:, :, None], len(parsed), axis=2)
    retrieved = np.ones(values.shape[:2], dtype=bool)
    return irmx.Scores(values, tuple(map(str, range(len(values)))), tuple(names), parsed, retrieved)


@pytest.fixture
def hostile() -> irmx.Scores:
    """Scores of three systems; the names of two contain whatever is special somewhere."""
    values = np.random.default_rng(1).uniform(size=(30, 3)) * [1, 0.2, 0.9]
    return made(values, [HOSTILE, "[x*", "plain"])


# -- tables for reading ------------------------------------------------------------------------------------


@pytest.mark.parametrize("choices", COMBINATIONS)
@pytest.mark.parametrize("sort", [None, "mean", "p", "system"])
def test_the_tables_show_every_mean_once_and_every_comparison_once(
    scores: irmx.Scores, choices: dict[str, Any], sort: str | None
) -> None:
    comparison = irmx_study.compare(scores, **choices)
    if choices.get("all_pairs") and sort == "p":
        with pytest.raises(irmx.UsageError, match="cannot be sorted by p"):
            list(tables_for_reading(comparison, sort))
        return
    tables = list(tables_for_reading(comparison, sort))
    means = [(table.title, row["system"], row["mean"]) for table in tables for row in table.rows if "mean" in row]
    expected = {
        (str(measure), system): scores.means()[str(measure)][system]
        for measure in scores.measures
        for system in scores.systems
    }
    assert {(title, system): mean for title, system, mean in means} == pytest.approx(expected)
    assert len(means) == len(expected)
    differences = [row["diff"] for table in tables for row in table.rows if "diff" in row]
    assert sorted(differences) == pytest.approx(sorted(comparison.frame()["difference"]))


def test_the_tables_are_sorted(scores: irmx.Scores) -> None:
    [means, differences, *_] = tables_for_reading(irmx_study.compare(scores, "titles"), "difference")
    values = [row["diff"] for row in differences.rows]
    assert values == sorted(values, reverse=True)
    assert [row["system"] for row in means.rows] == ["titles", *(row["system"] for row in differences.rows)]


def test_a_corrected_p_value_is_shown_where_there_is_a_correction(scores: irmx.Scores) -> None:
    [_, corrected, *_] = tables_for_reading(irmx_study.compare(scores))
    [_, uncorrected, *_] = tables_for_reading(irmx_study.compare(scores, correction="none"))
    assert "p_corrected" in corrected.rows[0]
    assert "p_corrected" not in uncorrected.rows[0]


def test_a_single_pair_has_no_letters_and_no_family_to_explain(scores: irmx.Scores) -> None:
    pair = irmx_study.compare(scores.select(systems=["bm25", "titles"], measures="AP"))
    [means, _] = tables_for_reading(pair)
    assert "letters" not in means.rows[0] | pair.facts()
    assert pair.facts()["family"] == "1 comparison: titles with bm25"
    assert pair.facts()["intervals"] == "95% t intervals"
    [means, *_] = tables_for_reading(irmx_study.compare(scores))
    assert "letters" in means.rows[0]


def test_all_pairs_of_many_systems_are_shown_by_their_letters() -> None:
    values = np.random.default_rng(5).uniform(size=(25, 9))
    tables = list(tables_for_reading(irmx_study.compare(made(values), all_pairs=True)))
    assert [table.title for table in tables] == ["AP"]


def test_no_p_value_is_printed_as_zero() -> None:
    values = np.random.default_rng(2).uniform([0, 0.9], [0.01, 0.91], size=(30, 2))
    comparison = irmx_study.compare(made(values))
    assert 0 <= comparison.frame()["p"][0] < 1e-20
    assert r"| \<0.0001 |" in comparison.to_markdown()
    assert '<td style="text-align:right">&lt;0.0001</td>' in comparison._repr_html_()


def test_the_tables_fit_80_columns(scores: irmx.Scores) -> None:
    """On a terminal, of which this is one: a pseudo-terminal of 80 columns."""
    pty, os = pytest.importorskip("pty"), pytest.importorskip("os")
    fcntl, termios, struct = (pytest.importorskip(name) for name in ("fcntl", "termios", "struct"))
    code = (
        "import irmx, irmx_study, sys\nfrom irmx.demo import *\n"
        "from irmx_study.comparison.tables_for_reading import *\n"
        "s = irmx.scores('AP', qrels_path(), {f'{x}-model': run_path(x) for x in SYSTEMS})\n"
        "c = irmx_study.compare(s)\nwrite_tables(c, 'table', sys.stdout)\nwrite_facts(c, sys.stdout, 80)\n"
    )
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    environment = {**os.environ, "TERM": "xterm"} | {"NO_COLOR": "1"}
    environment.pop("COLUMNS", None)
    with subprocess.Popen([sys.executable, "-c", code], stdout=follower, env=environment) as process:
        os.close(follower)
        text = b""
        while True:
            try:
                part = os.read(leader, 65536)
            except OSError:  # how Linux tells the end
                break
            if not part:
                break
            text += part
    os.close(leader)
    assert process.returncode == 0
    lines = re.sub(r"\x1b\[[0-9;]*m", "", text.decode()).splitlines()
    assert max(map(len, lines)) <= 80
    assert any("titles-model" in line and "/" in line for line in lines)


# -- facts -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("choices", COMBINATIONS)
def test_the_facts_say_everything_that_is_needed_to_repeat_it(scores: irmx.Scores, choices: dict[str, Any]) -> None:
    comparison = irmx_study.compare(scores, **choices)
    facts = comparison.facts()
    needed = {
        "test",
        "family",
        "correction",
        "level",
        "intervals",
        "effect",
        "topics",
        "missing",
        "versions",
    }
    assert needed <= facts.keys()
    size = len(comparison.frame()) // (1 if choices.get("family") == "all" else 2)
    assert facts["family"].startswith(f"{size} comparisons ")
    assert facts["topics"] == "30"
    assert facts["test"].endswith("(two-sided)")
    assert f"irmx {irmx.__version__}" in facts["versions"]


def test_identical_systems_are_not_counted_in_the_family() -> None:
    values = np.random.default_rng(3).uniform(size=(25, 3))
    comparison = irmx_study.compare(made(values[:, [0, 1, 0, 2]]))
    assert comparison.facts()["family"] == "2 comparisons: each system with s0"
    assert any("s2 and s0 (AP)" in note for note in comparison.notes)
    assert "1 comparison of systems with identical values" in comparison.methods()


def test_systems_with_the_same_mean_are_not_identical() -> None:
    values = np.zeros((24, 2))
    values[:, 0] = np.tile([0.5, 0.25], 12)
    values[:, 1] = np.tile([0.25, 0.5], 12)
    comparison = irmx_study.compare(made(values), tie_threshold=0.3)
    assert comparison.facts()["family"] == "1 comparison: s1 with s0"
    assert not any("identical" in note for note in comparison.notes)


def test_missing_topics_are_counted(scores: irmx.Scores) -> None:
    retrieved = scores.retrieved.copy()
    retrieved[:2, 0] = retrieved[0, 1] = False
    lacking = irmx.Scores(scores.values, scores.topics, scores.systems, scores.measures, retrieved)
    comparison = irmx_study.compare(lacking)
    assert comparison.facts()["missing"].startswith("3 topics of 2 systems")
    assert irmx_study.compare(scores).facts()["missing"] == "none"
    assert "retrieved nothing" in comparison.methods()


def test_facts_are_folded_below_their_first_line(scores: irmx.Scores) -> None:
    out = io.StringIO()
    write_facts(irmx_study.compare(scores), out, 60)
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= 60
    assert any(line.startswith(" " * 10) for line in lines)


# -- Markdown and HTML -------------------------------------------------------------------------------------


class _Texts(html.parser.HTMLParser):
    """The elements of a document, and its texts."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []
        self.tags: set[str] = set()
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.opened.append(tag)
        self.tags.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.opened.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_html_is_well_formed_and_names_are_escaped(hostile: irmx.Scores) -> None:
    document = _Texts()
    document.feed(irmx_study.compare(hostile)._repr_html_())
    assert document.opened == []
    assert "i" not in document.tags
    assert irmx.toolkit.visible(HOSTILE) in document.texts
    assert "\x1b" not in "".join(document.texts)


def test_markdown_has_tables_of_even_rows_and_the_facts(hostile: irmx.Scores) -> None:
    text = irmx_study.compare(hostile).to_markdown()
    tables = [part.splitlines() for part in text.split("\n\n") if part.startswith("|")]
    assert len(tables) == 2
    for table in tables:
        assert len({len(re.findall(r"(?<!\\)\|", row)) for row in table}) == 1
    assert "\x1b" not in text
    assert "- test: Student's t test" in text


# -- LaTeX -------------------------------------------------------------------------------------------------


def check_latex(text: str) -> None:
    """Fail if environments or braces do not match, a row has another number of cells, or a special character stands alone."""
    bare = re.sub(r"(?m)^%.*\n", "", text)
    assert re.search(r"[\x00-\x09\x0b-\x1f]", bare) is None
    opened: list[str] = []
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", bare):
        if kind == "begin":
            opened.append(name)
        else:
            assert opened.pop() == name
    assert opened == []
    without = re.sub(r"\\\\|\\[&%$#_{}]", "", bare)
    depth = 0
    for character in without:
        depth += {"{": 1, "}": -1}.get(character, 0)
        assert depth >= 0
    assert depth == 0
    assert without.count("$") % 2 == 0
    outside = re.sub(r"\$[^$]*\$", "", without)
    assert not set('#_%^|<>"') & set(outside)
    columns = re.search(r"\\begin\{tabular\}\{([lcr]+)\}", bare)
    assert columns is not None
    rows = bare[columns.end() : bare.index(r"\end{tabular}")]
    for row in re.findall(r"(?m)^(?!\\).*\\\\$", rows):
        cells = re.split(r"(?<!\\)&", row)
        spans = [re.search(r"\\multicolumn\{(\d)\}", cell) for cell in cells]
        assert sum(int(span[1]) if span else 1 for span in spans) == len(columns[1])


def compiled(text: str, folder: Path) -> None:
    """Compile a table with tectonic or pdflatex, where there is one."""
    program = shutil.which("tectonic") or shutil.which("pdflatex")
    if program is None:
        return
    source = folder / "paper.tex"
    source.write_text(
        f"\\documentclass{{article}}\n\\usepackage{{booktabs}}\n\\begin{{document}}\n{text}\\end{{document}}\n"
    )
    options = [] if "tectonic" in program else ["-interaction=nonstopmode", "-halt-on-error"]
    done = subprocess.run([program, *options, source.name], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]


@pytest.mark.parametrize("choices", COMBINATIONS)
@pytest.mark.parametrize("intervals", [True, False])
def test_latex_is_correct(scores: irmx.Scores, choices: dict[str, Any], intervals: bool, tmp_path: Path) -> None:
    text = irmx_study.compare(scores, **choices).to_latex(intervals=intervals)
    check_latex(text)
    compiled(text, tmp_path)


def test_latex_of_names_with_special_characters_is_correct(hostile: irmx.Scores, tmp_path: Path) -> None:
    for choices in ({}, {"all_pairs": True}, {"baseline": [HOSTILE, "[x*"]}):
        text = irmx_study.compare(hostile, **choices).to_latex()
        check_latex(text)
        compiled(text, tmp_path)


def test_hyphens_and_quotes_of_names_are_no_dashes_and_need_no_encoding_of_fonts() -> None:
    values = [(s, t, "AP", v) for s, v in (("a--b---c", 0.5), ('a"b', 0.25)) for t in "12"]
    scores = pd.DataFrame(values, columns=["name", "qid", "measure", "value"])
    rows = [line.split(" & ")[0] for line in irmx_study.compare(scores).to_latex().splitlines()]
    assert {"a-{}-b-{}-{}-c", r"a{\char34}b"} <= set(rows)


def test_the_check_of_latex_finds_errors(scores: irmx.Scores) -> None:
    text = irmx_study.compare(scores).to_latex().removeprefix("% needs \\usepackage{booktabs}\n")
    check_latex(text)
    for part, wrong in ((r"\end{tabular}", ""), ("{", ""), ("\nbm25 & ", "\nbm25 "), ("bm25", "bm_25"), ("$", "")):
        with pytest.raises((AssertionError, ValueError, IndexError)):
            check_latex(text.replace(part, wrong, 1))


def test_latex_marks_significant_differences_and_the_best_mean(scores: irmx.Scores) -> None:
    comparison = irmx_study.compare(scores)
    text = comparison.to_latex()
    rows = {line.split(" & ")[0]: line for line in text.splitlines() if line.endswith(r"\\")}
    means = scores.means()["AP"]
    assert rf"\textbf{{{means['bm25']:.4f}}}" in rows["bm25"]
    assert rf"{means['titles']:.4f}$^{{\dagger}}$" in rows["titles"]
    assert r"Differs significantly from: $^{\dagger}$~bm25." in text
    assert "Student's t test" in text
    assert r"\dagger" not in irmx_study.compare(scores, level=1e-14).to_latex().split(r"\end{tabular}")[0]


def test_latex_marks_a_difference_between_two_baselines_on_both(scores: irmx.Scores) -> None:
    text = irmx_study.compare(scores, ["bm25", "titles"]).to_latex()
    rows = {line.split(" & ")[0]: line for line in text.splitlines() if line.endswith(r"\\")}
    assert r"$^{\ddagger}$" in rows["bm25"].split(" & ")[1]
    assert r"$^{\dagger}$" in rows["titles"].split(" & ")[1]


def test_latex_of_all_pairs_has_letters(scores: irmx.Scores) -> None:
    comparison = irmx_study.compare(scores, all_pairs=True)
    text = comparison.to_latex(caption="Mine", label="tab:mine")
    for letters in comparison.letters["AP"]:
        assert rf"$^{{\mathrm{{{letters}}}}}$" in text
    assert r"\caption{Mine}" in text
    assert r"\label{tab:mine}" in text


# -- sentences of a paper ----------------------------------------------------------------------------------


def test_the_sentences_say_what_was_compared_how(scores: irmx.Scores) -> None:
    text = irmx_study.compare(scores).methods()
    assert text.startswith(
        f"We compared 3 systems by AP and RR on 30 topics, each with the baseline bm25, using irmx {irmx.__version__}. "
        "Differences were tested with a two-sided paired t test, at the level 0.05. The p-values of the 2 comparisons of each "
        "measure were corrected for multiple testing by Holm's method. We report mean differences with 95% t intervals, not "
        "corrected for several comparisons; the effect size is the mean difference divided by the standard deviation of the "
        "differences."
    )
    for measure in scores.measures:
        assert all(paper.bibtex() in text for paper in irmx.toolkit.papers_of(measure))


@pytest.mark.parametrize(
    ("choices", "sentence"),
    [
        ({"all_pairs": True}, "We compared all pairs of 3 systems by AP and RR"),
        ({"baseline": ["bm25", "titles"]}, "each with each of the baselines bm25 and titles"),
        ({"family": "all"}, "of the 4 comparisons of all measures together were corrected"),
        ({"correction": "none"}, "of the 4 comparisons were not corrected"),
        (
            {"correction": "maxt"},
            "which replaces them by those of the largest t statistic.",
        ),
    ],
)
def test_the_sentences_fit_the_family(scores: irmx.Scores, choices: dict[str, Any], sentence: str) -> None:
    assert sentence in irmx_study.compare(scores, **choices).methods()


def test_the_parameters_of_a_test_are_stated(scores: irmx.Scores) -> None:
    for zeros in ("wilcox", "pratt"):
        comparison = irmx_study.compare(scores, test=f"wilcoxon(zeros='{zeros}')")
        stated = f"zeros='{zeros}', method='auto', continuity=True)"
        assert f"a two-sided Wilcoxon signed-rank test ({stated}, at the level" in comparison.methods()
        assert comparison.facts()["test"] == f"Wilcoxon's signed-rank test (two-sided, {stated}"


def test_a_single_comparison_needs_no_word_on_corrections(scores: irmx.Scores) -> None:
    text = irmx_study.compare(scores.select(systems=["bm25", "titles"], measures="AP")).methods()
    assert text.startswith("We compared titles with bm25 by AP on 30 topics")
    assert "correct" not in text.split("We report")[0]


@pytest.mark.parametrize(
    ("choices", "sentence"),
    [
        ({"test": "permutation"}, "The test used 500 random draws (seed 3)."),
        ({"correction": "maxt", "interval": "bca"}, "The correction and the intervals used 500 random draws (seed 3)."),
        ({"test": "tukey", "all_pairs": True}, "controls the family-wise error rate over all pairs of systems"),
    ],
)
def test_the_sentences_say_what_was_drawn(scores: irmx.Scores, choices: dict[str, Any], sentence: str) -> None:
    comparison = irmx_study.compare(scores, draws=500, seed=3, **choices)
    assert sentence in comparison.methods()
    assert comparison.facts().get("seed", "3") == "3"
    assert ("@article{Efron1987," in comparison.methods()) is ("interval" in choices)


def test_tukeys_intervals_and_correction_are_told_apart_from_those_of_the_t_test(scores: irmx.Scores) -> None:
    facts = irmx_study.compare(scores, all_pairs=True, test="tukey").facts()
    assert facts["intervals"] == "95% intervals of the test, simultaneous for all pairs"
    assert facts["correction"].startswith("none: the test controls")
    assert facts["effect"] == "mean difference / square root of the residual variance, topics x systems"


def test_no_name_can_control_a_terminal(hostile: irmx.Scores) -> None:
    comparison = irmx_study.compare(hostile)
    for text in (comparison.methods(), comparison.to_latex(), comparison.to_markdown(), comparison._repr_html_()):
        assert "\x1b" not in text


def test_every_test_and_correction_has_words_of_its_own(scores: irmx.Scores) -> None:
    """Whatever is registered, the sentences name it; those of a plugin by name and description."""
    from irmx_study.comparison.method_sentences import _CORRECTIONS, _TESTS

    symbols = irmx.registry().symbols
    for kind, words in (("significance test", _TESTS), ("correction of p-values", _CORRECTIONS)):
        for name in symbols(kind):
            assert name == "none" or name.replace("_", "-") in words


# -- the result --------------------------------------------------------------------------------------------


def test_a_comparison_can_be_pickled(scores: irmx.Scores) -> None:
    comparison = irmx_study.compare(scores)
    copy = pickle.loads(pickle.dumps(comparison))
    assert copy.frame().equals(comparison.frame())
    assert copy.to_latex() == comparison.to_latex()
    assert copy.methods() == comparison.methods()


def test_a_comparison_is_read_only(scores: irmx.Scores) -> None:
    comparison = irmx_study.compare(scores)
    frame = comparison.frame()
    frame["p"] = 0.5
    assert not (comparison.frame()["p"] == 0.5).any()
    with pytest.raises(AttributeError):
        comparison.baseline = ()  # type: ignore[misc]


# -- the command -------------------------------------------------------------------------------------------


def test_the_command_prints_what_the_result_returns(command: Any) -> None:
    runs = [str(run_path(system)) for system in SYSTEMS]
    arguments = ["compare", str(qrels_path()), *runs, "AP"]
    comparison = irmx_study.compare(irmx.scores("AP", qrels_path(), irmx.toolkit.named_runs(runs)))
    for options, expected in (
        (["-o", "latex"], comparison.to_latex()),
        (["-o", "markdown", "-p", "3"], comparison.to_markdown(places=3)),
        (["--methods"], comparison.methods() + "\n"),
    ):
        done = command(*arguments, *options)
        assert (done.code, done.out) == (0, expected)


def test_the_table_of_a_paper_needs_no_tests_of_all_pairs(scores: irmx.Scores, monkeypatch: pytest.MonkeyPatch) -> None:
    comparison = irmx_study.compare(scores)
    expected, summary = comparison.to_latex(), comparison.summary()
    again = irmx_study.compare(scores)
    monkeypatch.setattr("irmx_study.comparison.comparison.comparisons_of", None)
    assert again.to_latex() == expected
    assert again.estimates().equals(summary.drop(columns="letters"))
