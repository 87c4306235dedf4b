"""``irmx sensitivity``, and its pictures."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import irmx
import irmx_study
from irmx import UsageError
from irmx.demo import SYSTEMS, qrels_path, run_path
from irmx_study.users.sensitivity import lines_on_users

FILES = [qrels_path(), run_path("titles"), run_path("recent")]
RUNS = {system: run_path(system) for system in SYSTEMS}


def sensitivity(measures: str, **options: Any) -> Any:
    return irmx_study.sensitivity(irmx.scores(measures, qrels_path(), RUNS), **options)


# -- the command -----------------------------------------------------------------------------------------


def test_two_runs_have_a_sentence_and_a_row_per_setting(command: Callable[..., Any]) -> None:
    done = command("sensitivity", *FILES, "RBP(p=0.3|0.6|0.86|0.95)", "AP")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == "By RBP, recent.run is better for 1 of 4 users, titles.run for 2; undecided for 1"
    assert [line.split()[0] for line in lines if line.startswith((" 0.", "  0."))] == [
        "0.3000",
        "0.6000",
        "0.8600",
        "0.9500",
    ]
    assert "4 settings of RBP by p, each with the same share; p-values not corrected over them" in done.out
    assert "effect" not in done.out


def test_csv_has_one_row_per_setting_and_run(command: Callable[..., Any]) -> None:
    done = command("sensitivity", *FILES, run_path("bm25"), "NCP(law=first|uniform)", "-o", "csv", "--family", "all")
    table = pd.read_csv(io.StringIO(done.out), keep_default_na=False)
    expected = sensitivity("NCP(law=first|uniform)", b="titles", a=["recent", "bm25"], family="all").frame()
    renamed = expected.replace({name: f"{name}.run" for name in SYSTEMS})
    pd.testing.assert_frame_equal(table, renamed, check_dtype=False)
    assert done.err.startswith("By NCP, recent.run is better for")


@pytest.mark.parametrize(("option", "method"), [("--rank-bands", "rank_bands"), ("--border", "border")])
def test_other_tables(option: str, method: str, command: Callable[..., Any]) -> None:
    done = command("sensitivity", *FILES, "RBP(p=0.3:0.95:4)", option, "-o", "csv")
    runs = {"titles.run": run_path("titles"), "recent.run": run_path("recent")}
    result = irmx_study.sensitivity(irmx.scores("RBP(p=0.3:0.95:4)", qrels_path(), runs))
    expected = getattr(result, method)().replace({True: "yes", False: "no"})
    table = pd.read_csv(io.StringIO(done.out), keep_default_na=False)
    pd.testing.assert_frame_equal(table, expected, check_dtype=False)


def test_corrected_p_values_are_shown_where_there_is_a_correction(command: Callable[..., Any]) -> None:
    assert "p_corrected" not in command("sensitivity", *FILES, "RBP(p=0.1:0.3:3)").out
    assert (
        "p_corrected"
        in command("sensitivity", *FILES, "RBP(p=0.1:0.3:3)", "--family", "all", "--correction", "holm").out
    )


def test_no_border_is_told_in_words(command: Callable[..., Any]) -> None:
    done = command("sensitivity", *FILES, "RBP(p=0.1:0.3:3)", "--border")
    assert "There is no border" in done.out
    assert "better_lower" not in done.out
    assert command("sensitivity", *FILES, "RBP(p=0.1:0.3:3)", "--border", "-o", "csv").out.count("\n") == 1


def test_runs_are_named_by_file_or_label(command: Callable[..., Any]) -> None:
    words = (
        "sensitivity",
        qrels_path(),
        *map(run_path, SYSTEMS),
        "P@5|10",
        "-o",
        "csv",
        "--label",
        "titles.run=Titles",
    )
    tables = [
        command(*words, "--system", system, "--baseline", baseline).out
        for system, baseline in (("Titles", "recent.run"), ("titles.run", "recent.run"))
    ]
    assert tables[0] == tables[1]
    assert set(pd.read_csv(io.StringIO(tables[0]))["a"]) == {"Titles"}
    assert "mean Titles" in command(*words[:-4], *words[-2:], "--system", "Titles", "--baseline", "recent.run").out


def test_a_comparison_by_settings_says_for_how_many_users(command: Callable[..., Any]) -> None:
    sentence = command("sensitivity", *FILES, "MP(model=*)").out.splitlines()[0]
    compared = command("compare", *FILES, "AP", "MP(model=*)")
    assert compared.code == 0
    assert sentence.startswith("By MP, recent.run is better for 0 of 9 users, titles.run for 9")
    assert sentence in compared.out.splitlines()
    assert sentence in command("compare", *FILES, "MP(model=*)", "-o", "csv").err.splitlines()
    assert "users" not in command("compare", *FILES, "AP", "P@5").out


def test_of_many_pairs_a_comparison_says_where_to_see_users() -> None:
    values = np.random.default_rng(0).random((6, 8, 2))
    measures = tuple(irmx.toolkit.parse_measures("P@5|10"))
    scores = irmx.Scores(values, tuple("uvwxyz"), tuple("ABCDEFGH"), measures, np.ones((6, 8), dtype=bool))
    lines = lines_on_users(irmx_study.compare(scores))
    assert lines == ["P has 2 settings: irmx sensitivity tells for how many of these users which run is better"]


def test_settings_from_a_grid_a_population_and_a_sweep(command: Callable[..., Any], tmp_path: Path) -> None:
    pattern = command("sensitivity", *FILES, "NCP(law=first|uniform)@5|20", "-o", "csv").out
    assert (
        command("sensitivity", *FILES, "NCP", "-g", "law=first,uniform", "-g", "cutoff=5,20", "-o", "csv").out
        == pattern
    )
    users = tmp_path / "users.csv"
    users.write_text("law,cutoff\nfirst,5\nfirst,20\nuniform,5\nuniform,20\n", encoding="utf-8")
    assert command("sensitivity", *FILES, "NCP", "--population", users, "-o", "csv").out == pattern
    users.write_text("law,cutoff,weight\nfirst,5,3\nuniform,20,1\n", encoding="utf-8")
    weighted = command("sensitivity", *FILES, "NCP", "--population", users).out
    assert "of the users" in weighted.splitlines()[0]
    assert "weighted by the shares of a population" in weighted
    results = tmp_path / "results.parquet"
    irmx_study.sweep(
        "NCP", {"law": ["first", "uniform"], "cutoff": [5, 20]}, qrels_path(), FILES[1:], out=results, jobs=1
    )
    swept = command("sensitivity", "--sweep", results, "-o", "csv")
    assert (swept.code, swept.out) == (0, pattern)


def test_a_picture_is_written(command: Callable[..., Any], tmp_path: Path) -> None:
    for name, options in (("one.png", []), ("ranks.pdf", ["--rank-bands"])):
        assert command("sensitivity", *FILES, "P@5|10|20", "--plot", tmp_path / name, *options).code == 0
        assert (tmp_path / name).stat().st_size > 2000
    done = command("sensitivity", *FILES, "P@5|10", "--plot", tmp_path / "one.xyz")
    assert (done.code, "ends in .png, .svg, .pdf" in done.err, done.out) == (2, True, "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([*FILES, "AP"], "needs several settings of one measure"),
        ([*FILES, "P@5|10", "--baseline", "title.run"], "Did you mean titles.run?"),
        ([*FILES, "P@5|10", "--level", "2"], "'level'"),
        ([*FILES, "P@5|10", "--rank-bands", "--border"], "Give one of the two"),
        ([*FILES, "RBP(p=*)"], "Give the values: p=A|B|C or p=LOW:HIGH:NUMBER"),
        (["--sweep", *FILES], "--sweep takes one results file"),
        (["--sweep", FILES[0], "-g", "p=1,2"], "--grid goes with runs to score"),
        (["--sweep", FILES[0], "--population", "u.csv"], "--population has the settings"),
        ([*FILES, "NCP", "-g", "law=frist"], "Did you mean first?"),
    ],
)
def test_wrong_arguments(arguments: list[Any], message: str, command: Callable[..., Any]) -> None:
    done = command("sensitivity", *arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


# -- the pictures ----------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def closed_figures() -> Any:
    import matplotlib.pyplot as plt

    plt.switch_backend("agg")
    yield
    plt.close("all")


def test_the_line_of_one_ordered_parameter() -> None:
    result = sensitivity("RBP(p=0.95|0.3|0.6)", a="recent", b="titles")
    display = result.plot()
    line = display.ax_.lines[0]
    rows = result.frame().sort_values("p_")
    assert line.get_xdata().tolist() == rows["p_"].tolist() == [0.3, 0.6, 0.95]
    assert line.get_ydata().tolist() == rows["difference"].tolist()
    filled = [one for one in display.ax_.lines if one.get_marker() == "o" and one.get_markerfacecolor() != "white"]
    assert [len(one.get_xdata()) for one in filled] == [int((rows["better"] != "").sum())]
    assert display.ax_.get_xlabel() == "p"


def test_the_dots_of_one_parameter_without_an_order() -> None:
    display = sensitivity("MP(model=*)", a="titles").plot()
    models = [measure["model"].NAME for measure in irmx.toolkit.parse_measures("MP(model=*)")]
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == models


def test_the_heat_map_has_the_border_and_hatches_what_is_not_significant() -> None:
    result = sensitivity("RBP(p=0.1:0.95:6,rel=1|2)", a="titles", b="recent")
    display = result.plot()
    mesh, hatched = display.ax_.collections[:2]
    rows = result.frame().sort_values(["rel", "p_"])
    assert np.ravel(mesh.get_array()).tolist() == rows["difference"].tolist()
    assert len(hatched.get_paths()) == (rows["better"] == "").sum()
    assert len(display.ax_.lines) == result.border()["sign"].sum() > 0
    assert display.figure_ is display.ax_.figure


def test_three_parameters_have_panels_and_four_no_picture() -> None:
    result = sensitivity("NCP(law=geometric(p=0.2|0.5|0.8),rel=1|2)@5|10|20|40", a="titles")
    axes = result.plot().ax_
    assert [axis.get_title() for axis in np.ravel(axes)] == ["rel=1", "rel=2"]
    with pytest.raises(UsageError, match="leave ax out"):
        result.plot(np.ravel(axes)[0])
    with pytest.raises(UsageError, match=r"law\.p, rel, cutoff, judged_only vary"):
        sensitivity("NCP(law=geometric(p=0.2|0.5),rel=1|2,judged_only=*)@5|10", a="titles").plot()


def test_bars_of_several_systems_are_shares_of_users() -> None:
    result = sensitivity("MP(model=*) AP")
    display = result.plot()
    widths = [[bar.get_width() for bar in bars] for bars in display.ax_.containers]
    table = result.summary().sort_values("share_worse")
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == table["a"].tolist() == ["titles", "recent"]
    assert widths == [(100 * table[f"share_{name}"]).tolist() for name in ("better", "undecided", "worse")]


def test_the_bands_of_ranks_have_the_best_system_on_top() -> None:
    import matplotlib.pyplot as plt

    result = sensitivity("RBP(p=0.1:0.95:6)")
    _, ax = plt.subplots()
    display = result.plot_rank_bands(ax)
    bands = result.rank_bands().set_index("system")
    names = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert display.ax_ is ax
    assert bands.loc[names, "median"].is_monotonic_increasing
    assert display.ax_.lines[0].get_xdata().tolist() == bands.loc[names, "median"].tolist()
    assert [segment[:, 0].tolist() for segment in ax.collections[0].get_segments()] == bands.loc[
        names, ["best", "worst"]
    ].to_numpy().tolist()
