"""Pictures of comparisons: what they are drawn from, and that what is drawn can be read."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import irmx
import irmx_study
from irmx.demo import SYSTEMS, qrels_path, run_path

mpl = pytest.importorskip("matplotlib")
mpl.use("agg")
plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def scores() -> irmx.Scores:
    return irmx.scores("AP RR", qrels_path(), {system: run_path(system) for system in SYSTEMS})


def made(systems: int, topics: int = 30, measures: str = "AP", names: Any = None) -> irmx.Scores:
    """Return made scores of systems that get worse."""
    parsed = tuple(irmx.toolkit.parse_measures(measures))
    values = np.random.default_rng(4).beta(2, 2 + np.arange(systems)[:, None] * 0.1, (topics, systems, len(parsed)))
    named = tuple(names or (f"system{j}" for j in range(systems)))
    return irmx.Scores(
        values, tuple(f"q{i}" for i in range(topics)), named, parsed, np.ones((topics, systems), dtype=bool)
    )


def drawn_names(ax: Any) -> list[Any]:
    """Return the names of the systems of a drawn panel, as texts of matplotlib."""
    return [label for label in ax.get_yticklabels() if label.get_text()]


def overlapping(texts: list[Any], figure: Any) -> bool:
    boxes = sorted((text.get_window_extent(figure.canvas.get_renderer()) for text in texts), key=lambda box: box.y0)
    return any(below.y1 > above.y0 + 0.5 for below, above in pairwise(boxes))


# -- intervals ---------------------------------------------------------------------------------------------


def test_the_picture_has_the_differences_and_intervals_of_the_table(scores: irmx.Scores) -> None:
    comparison = irmx_study.compare(scores)
    display = comparison.plot()
    assert display.systems == ("recent", "titles")  # without the baseline, from the best
    frame = comparison.frame().set_index(["measure", "a"])
    for panel in display.panels:
        [estimates] = panel.estimates
        rows = frame.loc[[(panel.measure, system) for system in display.systems]]
        assert estimates.values.tolist() == rows["difference"].tolist()
        assert estimates.low.tolist() == rows["low"].tolist()
        assert estimates.high.tolist() == rows["high"].tolist()
        assert estimates.significant.tolist() == (rows["p_corrected"] <= 0.05).tolist()
    assert len(display.ax_) == 2
    assert display.ax_[0].get_title() == "AP"
    assert display.figure_ is display.ax_[0].figure


def test_all_pairs_are_drawn_as_means_with_letters(scores: irmx.Scores) -> None:
    comparison = irmx_study.compare(scores, all_pairs=True)
    display = comparison.plot()
    means = comparison.summary().set_index(["measure", "system"])
    for panel, ax in zip(display.panels, display.ax_, strict=True):
        rows = means.loc[[(panel.measure, system) for system in display.systems]]
        assert panel.estimates[0].values.tolist() == rows["mean"].tolist()
        assert list(panel.letters) == rows["letters"].tolist()
        assert {text.get_text() for text in ax.texts} == set(rows["letters"])


def test_significant_differences_are_filled() -> None:
    scores = made(2)
    values = np.repeat(scores.values[:, :1], 3, axis=1)
    values[:, 1] -= 0.3 + 0.1 * scores.values[:, 1]
    values[:, 2] += np.tile([0.1, -0.1], 15)[:, None]
    scores = irmx.Scores(
        values, scores.topics, ("base", "worse", "same"), scores.measures, np.ones((30, 3), dtype=bool)
    )
    ax = irmx_study.compare(scores).plot().ax_
    filled = {(line.get_xdata()[0] < -0.1): line.get_markerfacecolor() for line in ax.lines if line.get_marker() == "o"}
    assert filled[False] == "white"
    assert filled[True] != "white"


def test_several_baselines_differ_in_marker_and_colour_and_are_named(scores: irmx.Scores) -> None:
    display = irmx_study.compare(scores.select(measures="AP"), ["bm25", "titles"]).plot()
    legend = display.ax_.get_legend()
    assert [text.get_text() for text in legend.get_texts()] == ["to bm25", "to titles"]
    markers = [(line.get_marker(), line.get_color()) for line in legend.get_lines()]
    assert len({marker for marker, _ in markers}) == len({colour for _, colour in markers}) == 2
    assert display.systems == ("recent", "titles")


@pytest.mark.parametrize("systems", [2, 3, 20, 129])
@pytest.mark.parametrize("all_pairs", [False, True])
def test_names_do_not_overlap(systems: int, all_pairs: bool) -> None:
    display = irmx_study.compare(made(systems), all_pairs=all_pairs).plot()
    figure = display.figure_
    figure.canvas.draw()
    texts = drawn_names(display.ax_)
    assert len(texts) == systems - (not all_pairs)
    assert not overlapping(texts, figure)
    inside = figure.bbox
    for text in (*texts, display.ax_.xaxis.label, display.ax_.title):
        box = text.get_window_extent(figure.canvas.get_renderer())
        assert inside.x0 <= box.x0
        assert box.x1 <= inside.x1
        assert inside.y0 <= box.y0
        assert box.y1 <= inside.y1


def test_names_are_texts_and_not_formulas() -> None:
    comparison = irmx_study.compare(made(2, names=("$x^$ a", "b$" + "y" * 80 + "\x1b")))
    for display in (comparison.plot(), comparison.plot_topics()):
        display.figure_.canvas.draw()  # a formula with an error would stop it


def test_a_display_is_drawn_on_the_given_axes(scores: irmx.Scores) -> None:
    figure, axes = plt.subplots(1, 2)
    display = irmx_study.compare(scores).plot(axes)
    assert display.figure_ is figure
    assert list(display.ax_) == list(axes)
    with pytest.raises(irmx.UsageError, match=r"The display has 2 panels. Got 1 axes"):
        irmx_study.compare(scores).plot(axes[0])


# -- topics ------------------------------------------------------------------------------------------------


def test_topics_are_sorted_by_difference(scores: irmx.Scores) -> None:
    display = irmx_study.compare(scores).plot_topics("recent", "titles", "RR")
    a, b = (scores.select(systems=[system])["RR"][:, 0] for system in ("recent", "titles"))
    by_topic = dict(zip(scores.topics, a - b, strict=True))
    assert display.differences.tolist() == sorted(by_topic.values(), reverse=True)
    assert [by_topic[topic] for topic in display.topics] == display.differences.tolist()
    assert display.ax_.get_ylabel() == "difference in RR"
    assert [label.get_text() for label in display.ax_.get_xticklabels()] == list(display.topics)


def test_the_title_has_the_result_of_the_test(scores: irmx.Scores) -> None:
    comparison = irmx_study.compare(scores)
    row = comparison.frame().iloc[1]
    assert (row["a"], row["b"], row["measure"]) == ("recent", "bm25", "AP")
    title = comparison.plot_topics("recent").ax_.get_title()
    assert f"mean {row['difference']:.4f} [{row['low']:.4f}, {row['high']:.4f}]" in title
    assert f"p = {row['p']:.4f}, corrected = {row['p_corrected']:.4f}" in title or row["p"] == row["p_corrected"]


def test_the_result_of_a_pair_the_other_way_round_is_turned(scores: irmx.Scores) -> None:
    comparison = irmx_study.compare(scores)
    result, turned = (comparison.plot_topics(*pair, "AP").result for pair in (("recent", "bm25"), ("bm25", "recent")))
    assert turned["difference"] == -result["difference"]
    assert (turned["low"], turned["high"]) == (-result["high"], -result["low"])
    assert (turned["wins"], turned["losses"]) == (result["losses"], result["wins"])
    assert turned["p"] == result["p"]


def test_a_pair_that_was_not_compared_is_tested_alone(scores: irmx.Scores) -> None:
    result = irmx_study.compare(scores).plot_topics("recent", "titles", "RR").result
    alone = irmx_study.compare(scores.select(systems=["titles", "recent"], measures="RR")).frame().iloc[0]
    assert result["p"] == result["p_corrected"] == alone["p"]
    assert result["difference"] == alone["difference"]


@pytest.mark.parametrize("topics", [2, 61, 300])
@pytest.mark.parametrize("sign", [-1, 1])
def test_texts_do_not_cover_the_bars_where_all_differences_have_one_sign(topics: int, sign: int) -> None:
    scores = made(2, topics)
    values = scores.values * 0.4
    values[:, 1] += sign * 0.5
    display = irmx_study.compare(
        irmx.Scores(values, scores.topics, scores.systems, scores.measures, scores.retrieved)
    ).plot_topics()
    figure = display.figure_
    figure.canvas.draw()
    zero = display.ax_.transData.transform((0, 0))[1]
    above, below = (text.get_window_extent(figure.canvas.get_renderer()) for text in display.ax_.texts)
    assert below.y1 < zero or sign < 0
    assert above.y0 > zero or sign > 0


def test_one_of_several_systems_has_to_be_named(scores: irmx.Scores) -> None:
    with pytest.raises(irmx.UsageError, match="Name the one to compare with bm25: titles, recent"):
        irmx_study.compare(scores).plot_topics()
    with pytest.raises(irmx.UsageError, match=r"The scores have no system 'titel'. Did you mean titles"):
        irmx_study.compare(scores).plot_topics("titel")
    with pytest.raises(irmx.UsageError, match=r"The scores have no measure .nDCG.. They have: "):
        irmx_study.compare(scores).plot_topics("titles", measure="nDCG")


# -- matplotlib is needed for drawing only -----------------------------------------------------------------


def test_without_matplotlib_the_message_says_how_to_install_it(
    scores: irmx.Scores, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    comparison = irmx_study.compare(scores)
    with pytest.raises(irmx.UsageError, match=r"pip install matplotlib"):
        comparison.plot()


def test_comparing_does_not_import_matplotlib() -> None:
    code = (
        "import sys, irmx, irmx_study\nfrom irmx.demo import *\n"
        "scores = irmx.scores('AP', qrels_path(), {s: run_path(s) for s in SYSTEMS})\n"
        "irmx_study.compare(scores).to_latex()\nassert 'matplotlib' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# -- the command -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("ending", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_the_command_writes_pictures(ending: str, start: bytes, command: Callable[..., Any], tmp_path: Path) -> None:
    pictures = [tmp_path / f"{name}.{ending}" for name in ("intervals", "topics")]
    runs = [run_path("bm25"), run_path("titles")]
    done = command("compare", qrels_path(), *runs, "AP", "RR", "--plot", pictures[0], "--plot-topics", pictures[1])
    assert done.code == 0
    assert all(picture.read_bytes().startswith(start) for picture in pictures)
    assert plt.get_fignums() == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--plot", "picture.gif"], "A picture is written to a file that ends in .png, .svg, .pdf. Got picture.gif"),
        (["--plot-topics", "nowhere/a.png"], "There is no folder nowhere"),
        (["--plot-topics", "a.png"], "--plot-topics draws the differences of two runs. There are 3"),
    ],
)
def test_the_command_refuses_what_it_cannot_draw(
    options: list[str], message: str, command: Callable[..., Any], tmp_path: Path
) -> None:
    done = command("compare", qrels_path(), *map(run_path, SYSTEMS), "AP", *options, cwd=tmp_path)
    assert done.code == 2
    assert message in done.err
    assert done.out == ""
