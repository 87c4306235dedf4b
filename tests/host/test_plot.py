"""``irmx plot`` and :func:`irmx.plot`: the users of measures on one topic."""

import sys
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pytest
from matplotlib import pyplot

import irmx
from irmx.demo import judgments_path, qrels_path, run_path

MADE = {"q": {"a": 1, "b": 1, "c": 1}}, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}}


def heights(display: Any, label: str) -> dict[float, float]:
    """The bars with a label: by the middle of each, its height."""
    [bars] = [c for c in display.ax_.containers if c.get_label() == label]
    return {round(bar.get_x() + bar.get_width() / 2, 6): bar.get_height() for bar in bars}


@pytest.mark.parametrize("measure", ["AP", "RBP", "nDCG@10", "NCP(law=uniform)"])
def test_bars_are_the_contributions_that_explain_shows(measure: str) -> None:
    explained = irmx.explain(measure, qrels_path(), run_path("bm25"), "1")
    display = irmx.plot(measure, qrels_path(), run_path("bm25"), "1")
    drawn = heights(display, "contribution")
    assert list(drawn) == explained.columns["rank"]
    assert list(drawn.values()) == explained.columns["contribution"]
    assert sum(drawn.values()) == pytest.approx(explained.value)
    assert display.panels[0].value == explained.value
    assert f"{explained.value:.4f}" in display.ax_.get_title(loc="left")
    [marks] = [line for line in display.ax_.lines if line.get_label() == "relevant document"]
    relevant = irmx.rankings(qrels_path(), run_path("bm25"), cutoff=10 if "@" in measure else None).relevant
    assert marks.get_xdata().tolist() == relevant.rank[relevant.topic == 0].tolist()


def test_many_ranks_have_lines_with_the_same_numbers() -> None:
    docs = {f"d{i:03d}": 200.0 - i for i in range(200)}
    qrels = {"q": {"d000": 1, "d050": 1, "d199": 1}}
    display = irmx.plot("AP", qrels, {"q": docs}, "q")
    explained = irmx.explain("AP", qrels, {"q": docs}, "q")
    [tops] = [line for line in display.ax_.lines if line.get_label() == "contribution"]
    assert display.ax_.get_xscale() == "log"
    assert tops.get_xdata().tolist() == [1, 51, 200]
    assert tops.get_ydata().tolist() == explained.columns["contribution"]


def test_a_table_that_is_not_over_ranks_is_a_list() -> None:
    measure = "TIA_P(window='1mo')@10"
    explained = irmx.explain(measure, judgments_path(), run_path("bm25"), "1")
    display = irmx.plot(measure, judgments_path(), run_path("bm25"), "1")
    widths = [bar.get_width() for bar in display.ax_.patches]
    assert widths == sorted(explained.columns["contribution"], reverse=True)
    assert sum(widths) == pytest.approx(explained.value)


def test_a_long_list_ends_with_all_others_together() -> None:
    class Parts(irmx.Measure):
        NAME = "Parts"
        RANGE = (0.0, float("inf"))

        def contributions(self, rankings: irmx.Rankings) -> dict[str, Any]:
            names = [f"part {i}" for i in range(40)]
            return {"doc_id": names, "contribution": np.arange(40.0)}

        def score(self, rankings: irmx.Rankings) -> Any:
            return np.array([780.0])

    display = irmx.plot(Parts(), *MADE, "q")
    widths = [bar.get_width() for bar in display.ax_.patches]
    assert widths == [*range(39, 14, -1), sum(range(15))]
    assert display.ax_.get_yticklabels()[-1].get_text() == "15 others together"


def test_runs_of_one_measure_have_one_scale() -> None:
    runs = {name: run_path(name) for name in ("bm25", "titles")}
    display = irmx.plot(["AP", "RR"], qrels_path(), runs, "1")
    assert [(str(p.measure), p.run) for p in display.panels] == [
        ("AP", "bm25"), ("RR", "bm25"), ("AP", "titles"), ("RR", "titles")
    ]  # fmt: skip
    assert display.ax_[0].get_ylim() == display.ax_[2].get_ylim() != display.ax_[1].get_ylim()
    figure, axes = pyplot.subplots(1, 4)
    assert irmx.plot(["AP", "RR"], qrels_path(), runs, "1", ax=axes).figure_ is figure
    with pytest.raises(irmx.UsageError, match=r"The display has 4 panels\. Got 1 axes"):
        irmx.plot(["AP", "RR"], qrels_path(), runs, "1", ax=axes[0])


@pytest.mark.parametrize(
    ("run", "names"),
    [
        (MADE[1], [""]),
        ([ir_measures.ScoredDoc("q", "a", 1.0)], [""]),
        ({"one": MADE[1], "two": MADE[1]}, ["one", "two"]),
    ],
)
def test_one_run_or_several(run: Any, names: list[str]) -> None:
    assert [panel.run for panel in irmx.plot("AP", MADE[0], run, "q").panels] == names


def test_hostile_names_are_text() -> None:
    name, topic, doc = r"$\frac{a}{$.run", "$t$", "<b>\x1b[2J</b>"

    class Named(irmx.Measure):
        NAME = "Named"

        def contributions(self, rankings: irmx.Rankings) -> dict[str, Any]:
            return {"doc_id": [doc, "$x"], "contribution": np.array([0.5, 0.25])}

        def score(self, rankings: irmx.Rankings) -> Any:
            return np.array([0.75])

    display = irmx.plot(Named(), {topic: {"d": 1}}, {name: {topic: {"d": 1.0}}, "b": {topic: {"d": 1.0}}}, topic)
    texts = [t.get_text() for t in display.figure_.findobj(pyplot.Text)]
    assert not any("\x1b" in text for text in texts)
    assert any(r"topic \$t\$, \$\frac{a}{\$.run" in text for text in texts)
    picture = irmx.toolkit.picture_bytes(display.figure_)
    assert b"<b>" not in picture
    assert b"\x1b" not in picture


@pytest.mark.parametrize("kind", ["svg", "pdf", "png"])
def test_the_same_input_is_the_same_file(kind: str, tmp_path: Path) -> None:
    def drawn() -> bytes:
        return irmx.toolkit.picture_bytes(irmx.plot("AP", *MADE, "q").figure_, kind)

    first = drawn()
    assert drawn() == first
    path = tmp_path / f"picture.{kind}"
    irmx.toolkit.write_picture(irmx.plot("AP", *MADE, "q").figure_, path)
    assert path.read_bytes() == first


def files(folder: Path) -> list[str]:
    """Qrels and a run as files."""
    (folder / "qrels.txt").write_text("q 0 a 1\nq 0 b 1\nq 0 c 1\n")
    (folder / "a.run").write_text("q Q0 a 1 3 r\nq Q0 x 2 2 r\nq Q0 b 3 1 r\n")
    return [str(folder / "qrels.txt"), str(folder / "a.run")]


def test_a_panel_without_contributions_is_drawn_beside_others() -> None:
    run = {"q": {"x": 3.0, "a": 2.0}}
    axes = irmx.plot(["AP", "AP@1"], {"q": {"a": 1}}, run, "q").ax_
    assert [bool(on.patches) for on in axes] == [True, False]
    assert [text.get_text() for text in axes[1].texts] == ["no document contributes"]


def test_errors(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    class Whole(irmx.Measure):
        NAME = "Whole"

        def score_topic(self, ranking: irmx.Ranking) -> float:
            return 1.0

    for arguments, kind, message in (
        (("AP", *MADE, "z"), irmx.DataError, "Topic 'z' is not in the qrels"),
        ((Whole(), *MADE, "q"), irmx.UsageError, "Whole does not break its score down"),
        (("AP", {"q": {"a": 1}}, {"q": {"x": 1.0}}, "q"), irmx.DataError, "nothing to draw for topic 'q'"),
    ):
        with pytest.raises(kind, match=message):
            irmx.plot(*arguments)
    assert pyplot.get_fignums() == []
    figure = pyplot.figure()
    with pytest.raises(irmx.UsageError, match=r"ends in .png, .svg, .pdf. Got user.gif instead"):
        irmx.toolkit.write_picture(figure, "user.gif")
    with pytest.raises(irmx.UsageError, match=r"There is no folder"):
        irmx.toolkit.write_picture(figure, tmp_path / "none" / "user.svg")
    (tmp_path / "folder.svg").mkdir()
    with pytest.raises(irmx.UsageError, match="is a folder"):
        irmx.toolkit.write_picture(figure, tmp_path / "folder.svg")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(irmx.UsageError, match="pip install matplotlib"):
        irmx.plot("AP", *MADE, "q")


def test_the_command(tmp_path: Path, command: Any) -> None:
    qrels, run = files(tmp_path)
    out = tmp_path / "user.svg"
    done = command("plot", qrels, run, "AP", "--topic", "q", "-o", str(out))
    assert (done.code, done.err) == (0, "")
    assert out.read_bytes() == irmx.toolkit.picture_bytes(irmx.plot("AP", qrels, run, "q").figure_)
    done = command("plot", qrels, run, "AP", "--topic", "q", "-o", str(tmp_path / "user.gif"))
    assert (done.code, "ends in .png, .svg, .pdf" in " ".join(done.err.split())) == (2, True)
    command("plot", qrels, run, "AP", "--topic", "z", "-o", str(out)).assert_refused(1, "Topic 'z' is not in the qrels")


def test_pictures_of_a_style() -> None:
    before = dict(pyplot.rcParams)
    with irmx.toolkit.picture_style() as plt:
        _, ax = plt.subplots()
        [line] = ax.plot([0, 1], [0, 1])
    assert line.get_color() == irmx.toolkit.COLOURS[0]
    assert dict(pyplot.rcParams) == before


def test_the_smallest_text_is_readable() -> None:
    display = irmx.plot("AP", *MADE, "q")
    sizes = {t.get_fontsize() for t in display.figure_.findobj(pyplot.Text) if t.get_text().strip()}
    assert min(sizes) >= 7


def test_characters_that_the_font_lacks_are_told_once() -> None:
    display = irmx.plot("AP", {"日本語": {"a": 1}}, {"日本語": {"a": 1.0}}, "日本語")
    with pytest.warns(irmx.DataWarning, match="drawn as boxes") as caught:
        assert irmx.toolkit.picture_bytes(display.figure_, "png")
    assert len(caught) == 1
