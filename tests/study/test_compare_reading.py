"""What a person sees of a comparison: tables for reading, facts, Markdown, HTML and pictures."""

import pickle
import re
import subprocess
import sys
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from matplotlib import pyplot

import irmx
import irmx_study
from irmx.demo import SYSTEMS, qrels_path, run_path

from .made_scores import made

HOSTILE = 'a_b & 50% $x$ {y} #1 ~^\\ <i>|\x1b[2J--"'
COMBINATIONS: list[dict[str, Any]] = [
    {},
    {"baseline": "recent"},
    {"baseline": ["titles", "bm25"]},
    {"baseline": list(SYSTEMS)},
    {"all_pairs": True},
    {"all_pairs": True, "family": "all"},
    {"correction": "none"},
]


@pytest.fixture(scope="module")
def scores() -> irmx.Scores:
    return irmx.scores("AP RR", qrels_path(), {system: run_path(system) for system in SYSTEMS})


def worse_and_worse(systems: int, topics: int = 30, names: Any = ()) -> irmx.Scores:
    values = np.random.default_rng(4).beta(2, 2 + np.arange(systems) * 0.1, (topics, systems))
    return made(values, systems=names or [f"system{j}" for j in range(systems)])


def printed(result: Any, capsys: pytest.CaptureFixture[str], **options: Any) -> str:
    capsys.readouterr()
    result.show(**options)
    return capsys.readouterr().out


# -- tables for reading ------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", COMBINATIONS)
def test_one_table_has_every_mean_and_every_difference(scores: irmx.Scores, how: Any, capsys: Any) -> None:
    comparison = irmx_study.compare(scores, **how)
    out = printed(comparison, capsys).partition("\nfamily")[0]
    means = scores.means()
    for system in SYSTEMS:
        [line] = [line for line in out.splitlines() if line.split()[:1] == [system]][:1]
        assert all(f"{means[measure][system]:.4f}" in line for measure in ("AP", "RR"))
    if len(comparison.baseline) <= 1:
        for difference in comparison.frame()["difference"]:
            assert f"{difference:.4f}" in out
    assert max(map(len, out.splitlines())) <= 80


def test_systems_are_sorted_by_their_means_or_as_asked(scores: irmx.Scores, capsys: pytest.CaptureFixture[str]) -> None:
    def order(**options: Any) -> list[str]:
        out = printed(irmx_study.compare(scores, baseline="titles"), capsys, **options)
        return [line.split()[0] for line in out.splitlines() if line.split()[:1] and line.split()[0] in SYSTEMS]

    assert order() == ["bm25", "recent", "titles"]
    assert order(sort="system") == ["bm25", "recent", "titles"]
    assert order(sort="difference") == ["titles", "bm25", "recent"]
    with pytest.raises(irmx.UsageError, match="Did you mean mean"):
        order(sort="means")
    with pytest.raises(irmx.UsageError, match="all pairs cannot be sorted by p"):
        irmx_study.compare(scores, all_pairs=True).show(sort="p")


def test_two_systems_have_a_row_per_measure(scores: irmx.Scores, capsys: pytest.CaptureFixture[str]) -> None:
    comparison = irmx_study.compare(scores.select(systems=["bm25", "titles"]))
    out = printed(comparison, capsys)
    for row in comparison.frame().to_dict("records"):
        [line] = [line for line in out.splitlines() if line.split()[:1] == [row["measure"]]]
        numbers = [f"{row[name]:.4f}" for name in ("mean_a", "mean_b", "difference")]
        assert line.split()[1:4] == numbers
        assert f"[{row['low']:.4f}, {row['high']:.4f}]" in line
        assert f"{row['wins']}/{row['ties']}/{row['losses']}" in line
        assert ("▼" in line) == (row["p_corrected"] <= 0.05)


def test_many_systems_have_groups_instead_of_letters_and_a_common_prefix_is_left_out(capsys: Any) -> None:
    names = [f"input.run{j:02}" for j in range(40)]
    comparison = irmx_study.compare(worse_and_worse(40, names=names), all_pairs=True)
    out = printed(comparison, capsys)
    rows = [line.split() for line in out.splitlines() if re.match(r" run\d", line)]
    assert len(rows) == 40
    assert all(re.fullmatch(r"\d+(-\d+)?(, \d+(-\d+)?)*", row[-1]) for row in rows)
    assert "input." not in out.partition("\nnames")[0]
    assert "'input.'" in out


def test_no_p_value_is_printed_as_zero(capsys: pytest.CaptureFixture[str]) -> None:
    values = np.random.default_rng(2).uniform([0, 0.9], [0.01, 0.91], size=(30, 2))
    comparison = irmx_study.compare(made(values))
    assert 0 <= comparison.frame()["p"][0] < 1e-20
    assert "<0.0001" in printed(comparison, capsys)
    assert r"\<0.0001" in comparison.to_markdown()
    assert "&lt;0.0001" in comparison._repr_html_()


@pytest.mark.parametrize("how", COMBINATIONS)
def test_the_facts_say_everything_that_is_needed_to_repeat_it(scores: irmx.Scores, how: Any) -> None:
    comparison = irmx_study.compare(scores, **how)
    facts = comparison.facts()
    assert {"test", "family", "correction", "level", "intervals", "topics", "missing", "versions"} <= facts.keys()
    size = len(comparison.frame()) // (1 if how.get("family") == "all" else 2)
    assert facts["family"].startswith(f"{size} comparisons ")
    assert (facts["topics"], facts["missing"]) == ("30", "none")
    assert f"irmx {irmx.__version__}" in facts["versions"]


# -- Markdown and HTML -------------------------------------------------------------------------------------


def test_hostile_names_are_text_in_every_form(capsys: pytest.CaptureFixture[str]) -> None:
    comparison = irmx_study.compare(worse_and_worse(3, names=[HOSTILE, "[x*", "plain"]))
    markdown = comparison.to_markdown()
    for part in markdown.split("\n\n"):
        if part.startswith("|"):
            assert len({len(re.findall(r"(?<!\\)\|", row)) for row in part.splitlines()}) == 1
    assert not any("\x1b" in text for text in (printed(comparison, capsys), markdown, comparison.methods()))
    for kind in comparison.pictures:
        comparison.plot(kind).figure.canvas.draw()  # a formula with an error would stop it


def test_a_comparison_is_pickled_and_its_tables_are_copies(scores: irmx.Scores) -> None:
    comparison = irmx_study.compare(scores)
    copy = pickle.loads(pickle.dumps(comparison))
    assert copy.frame().equals(comparison.frame())
    assert (copy.to_latex(), copy.methods()) == (comparison.to_latex(), comparison.methods())
    frame = comparison.frame()
    frame["p"] = 0.5
    assert not (comparison.frame()["p"] == 0.5).any()


# -- pictures ----------------------------------------------------------------------------------------------


def markers(ax: Any) -> dict[float, float]:
    """The markers on an axes: their x by their y."""
    return {y: x for line in ax.lines if line.get_marker() == "o" for x, y in zip(*line.get_data(), strict=True)}


def test_the_picture_has_the_differences_and_intervals_of_the_table(scores: irmx.Scores) -> None:
    comparison = irmx_study.compare(scores)
    axes = comparison.plot().figure.axes
    assert [ax.get_title() for ax in axes] == ["AP", "RR"]
    frame = comparison.frame().set_index(["measure", "a"])
    for ax in axes:
        rows = frame.loc[[(ax.get_title(), system) for system in ("recent", "titles")]]  # without the baseline
        assert list(dict(sorted(markers(ax).items())).values()) == rows["difference"].tolist()
        [lines] = ax.collections
        ends = [segment[:, 0].tolist() for segment in lines.get_segments()]
        assert ends == rows[["low", "high"]].to_numpy().tolist()


def test_significant_differences_are_filled() -> None:
    base = worse_and_worse(1).values[:, 0, 0]
    values = np.stack([base, base * 0.9 - 0.3, base + np.tile([0.1, -0.1], 15)], axis=1)
    ax = irmx_study.compare(made(values, systems=["base", "worse", "same"]), baseline="base").plot()
    points = [line for line in ax.lines if line.get_marker() == "o" and len(line.get_xdata())]
    filled = {line.get_xdata()[0] < -0.1: line.get_markerfacecolor() for line in points}
    assert filled[False] == "white"
    assert filled[True] != "white"


def test_all_pairs_are_drawn_as_means_with_letters(scores: irmx.Scores) -> None:
    comparison = irmx_study.compare(scores, all_pairs=True)
    means = comparison.frame("systems").set_index(["measure", "system"])
    for ax in comparison.plot().figure.axes:
        rows = means.loc[ax.get_title()]
        assert set(markers(ax).values()) == set(rows["mean"])
        assert {text.get_text() for text in ax.texts} == set(rows["letters"])


def test_several_baselines_differ_in_marker_and_colour_and_are_named(scores: irmx.Scores) -> None:
    ax = irmx_study.compare(scores.select(measures="AP"), baseline=["bm25", "titles"]).plot()
    legend = ax.get_legend()
    assert [text.get_text() for text in legend.get_texts()] == ["to bm25", "to titles"]
    assert len({(line.get_marker(), line.get_color()) for line in legend.get_lines()}) == 2


@pytest.mark.parametrize("systems", [2, 3, 20, 129])
@pytest.mark.parametrize("all_pairs", [False, True])
def test_names_do_not_overlap(systems: int, all_pairs: bool) -> None:
    ax = irmx_study.compare(worse_and_worse(systems), all_pairs=all_pairs).plot()
    figure = ax.figure
    figure.canvas.draw()
    texts = [label for label in ax.get_yticklabels() if label.get_text()]
    assert len(texts) == systems - (not all_pairs)
    renderer = figure.canvas.get_renderer()
    boxes = sorted((text.get_window_extent(renderer) for text in texts), key=lambda box: box.y0)
    assert not any(below.y1 > above.y0 + 0.5 for below, above in pairwise(boxes))
    for box in (*boxes, ax.xaxis.label.get_window_extent(renderer), ax.title.get_window_extent(renderer)):
        assert figure.bbox.x0 <= box.x0
        assert box.x1 <= figure.bbox.x1


def test_topics_are_sorted_by_difference_with_the_result_of_the_test(scores: irmx.Scores) -> None:
    comparison = irmx_study.compare(scores)
    ax = comparison.plot("topics", a="recent", b="titles", view="RR")
    a, b = (scores.select(systems=[system])["RR"][:, 0] for system in ("recent", "titles"))
    by_topic = dict(zip(scores.topics, a - b, strict=True))
    names = [label.get_text() for label in ax.get_xticklabels()]
    assert [by_topic[name] for name in names] == sorted(by_topic.values(), reverse=True)
    bars = {round(bar.get_x() + bar.get_width() / 2): bar.get_height() for bar in ax.patches if bar.get_width() < 1}
    assert all(by_topic[names[place]] == height for place, height in bars.items())
    row = comparison.frame().iloc[1]
    title = comparison.plot("topics", a=row["a"], b=row["b"], view="AP").get_title()
    assert f"mean {row['difference']:.4f} [{row['low']:.4f}, {row['high']:.4f}]" in title
    turned = comparison.plot("topics", a=row["b"], b=row["a"], view="AP").get_title()
    assert f"mean {-row['difference']:.4f} [{-row['high']:.4f}, {-row['low']:.4f}]" in turned
    with pytest.raises(irmx.UsageError, match="Did you mean titles"):
        comparison.plot("topics", a="titel")


def test_groups_and_p_values_have_every_system(scores: irmx.Scores) -> None:
    comparison = irmx_study.compare(scores)
    texts = " ".join(text.get_text() for text in comparison.plot("groups").texts)
    assert all(f"{scores.means()['AP'][system]:.3f}" in texts for system in SYSTEMS)
    ax = comparison.plot("p")
    assert {label.get_text() for label in ax.get_yticklabels()} == set(SYSTEMS)
    [image] = ax.images
    pairs = irmx_study.compare(scores, all_pairs=True).frame().query("measure == 'AP'")
    classes = [sum(p <= border for border in (0.05, 0.01, 0.001)) for p in pairs["p_corrected"]]
    shown = np.ma.filled(image.get_array(), np.nan)
    assert sorted(shown[np.triu_indices(3, 1)].tolist()) == sorted(classes)


def test_a_picture_is_drawn_on_the_given_axes_and_matplotlib_is_needed_for_drawing_only(
    scores: irmx.Scores, monkeypatch: pytest.MonkeyPatch
) -> None:
    figure, axes = pyplot.subplots(1, 2)
    assert irmx_study.compare(scores).plot(ax=axes) is axes[0]
    assert axes[0].figure is figure
    with pytest.raises(irmx.UsageError, match="2"):
        irmx_study.compare(scores).plot(ax=axes[0])
    with pytest.raises(irmx.UsageError, match=r"no picture 'topic'.* Did you mean topics"):
        irmx_study.compare(scores).plot("topic")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(irmx.UsageError, match="pip install matplotlib"):
        irmx_study.compare(scores).plot()
    code = (
        "import sys, irmx, irmx_study\nfrom irmx.demo import *\n"
        "scores = irmx.scores('AP', qrels_path(), {s: run_path(s) for s in SYSTEMS})\n"
        "irmx_study.compare(scores).to_latex()\nassert 'matplotlib' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_measures_of_trec_eval_are_side_by_side_and_no_users() -> None:
    measures = (
        "NumRet NumRet(rel=1) AP IPrec@0.0 IPrec@0.5 P@5 P@10 P@15 P@20 P@30 P@100 nDCG@5 nDCG@10 nDCG@20 nDCG@100"
    )
    runs = {name: run_path(name) for name in ("bm25", "recent")}
    text = irmx_study.compare(irmx.scores(measures, qrels_path(), runs)).to_markdown()
    rows = [line.split("|")[1].strip() for line in text.splitlines() if line.startswith("|")]
    assert rows[2:] == measures.split()
    alone = irmx_study.compare(irmx.scores("P@5 P@10 P@15 P@20 P@30", qrels_path(), runs))
    assert alone.frame("over")[["views", "better"]].values.tolist() == [[5, 0]]


def test_screen_and_paper_mark_the_same_systems_with_several_baselines() -> None:
    """A baseline that is worse than another one is marked as every other system is."""
    runs = {system: run_path(system) for system in SYSTEMS}
    comparison = irmx_study.compare("AP", qrels_path(), runs, baseline=["titles", "bm25"])
    [(_, rows)] = comparison.tables_for_reading()
    marks = {row["system"]: re.sub(r"[\d.]+ ", "", row["AP"], count=1) for row in rows}
    assert marks == {"bm25": "▲ ", "recent": "▲▼", "titles": " ▼"}
    latex = dict(re.findall(r"^(\w+) & .*?(?:\\rlap\{\$\^\{(.*?)\}\$\})? \\\\$", comparison.to_latex(), re.MULTILINE))
    assert {name: latex[name].count("\\") for name in marks} == {name: len(of.strip()) for name, of in marks.items()}
