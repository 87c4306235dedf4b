"""Discriminative power, the difference needed and swap rates, against plain loops over pairs and splits; the command."""

import shutil
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib import pyplot
from scipy import stats

import irmx
import irmx_study
from irmx.demo import SYSTEMS, qrels_path, run_path
from irmx.ragged import Floats

Command = Callable[..., Any]
DISCRIMINATE = ("discriminate", "demo.qrels", "bm25.run", "titles.run", "recent.run", "RR", "AP")
RUNS = {f"{system}.run": run_path(system) for system in SYSTEMS}


def scores_of(values: Floats, *measures: str) -> irmx.Scores:
    """Return scores of the shape (topics, systems) or (topics, systems, measures)."""
    block = values.reshape(*values.shape[:2], -1)
    names = [tuple(f"{kind}{i}" for i in range(count)) for kind, count in zip("qs", block.shape, strict=False)]
    known = tuple(map(irmx.parse_measure, measures or ["AP"]))
    return irmx.Scores(block, *names, known)


def made_up(topics: int = 20, systems: int = 7, measures: int = 1, seed: int = 0) -> Floats:
    rng = np.random.default_rng(seed)
    values = rng.normal(0, 0.1, (topics, systems, measures)) + np.linspace(0, 0.15, systems)[:, None]
    return np.asarray(values + rng.uniform(0, 0.5, (topics, 1, measures)))


# -- discriminative power ------------------------------------------------------------------------------------------------


def test_power_by_t_is_that_of_a_loop_over_pairs_with_scipy() -> None:
    values = made_up(measures=2)
    frame = irmx_study.discriminate(scores_of(values, "AP", "RR"), splits=0).frame()
    for m, row in enumerate(frame.itertuples()):
        p = [stats.ttest_rel(values[:, a, m], values[:, b, m]).pvalue for a, b in combinations(range(7), 2)]
        assert 0 < row.significant < row.pairs == len(p) == 21
        assert row.significant == np.count_nonzero(np.array(p) <= 0.05)
        assert row.power == row.significant / row.pairs


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"correction": "holm", "level": 0.1},
        {"test": "randomised-tukey", "draws": 200},
        {"test": "tukey"},
        {"test": "permutation", "draws": 200, "seed": 3},
        {"test": "bootstrap", "draws": 200, "correction": "bh"},
        {"test": "wilcoxon", "correction": "bonferroni"},
        {"test": "sign", "tie_threshold": 0.05},
        {"correction": "maxt", "draws": 200},
    ],
    ids=str,
)
def test_every_test_and_correction_is_that_of_compare(how: dict[str, Any]) -> None:
    scores = scores_of(made_up())
    result = irmx_study.discriminate(scores, splits=0, **how)
    compared = irmx_study.compare(scores, all_pairs=True, **{"correction": "none", **how}).frame()
    [row] = result.frame().itertuples()
    level = how.get("level", 0.05)
    assert row.significant == (compared["p_corrected"] <= level).sum()
    assert (row.test, row.correction, row.level) == (how.get("test", "t"), how.get("correction", "none"), level)
    asl = result.frame("asl")
    assert asl["p_corrected"].tolist() == sorted(compared["p_corrected"])
    assert asl["rank"].tolist() == list(range(1, 22))
    both = asl.merge(compared, on=["a", "b"], suffixes=("", "_known"))
    assert len(both) == 21
    assert (both["p"] == both["p_known"]).all()
    assert (both["difference"] == both["difference_known"]).all()


def test_the_test_is_named_as_it_is_typed_with_its_parameters() -> None:
    scores = scores_of(made_up())
    for test in ("randomised-tukey", "wilcoxon(method='asymptotic',decimals=3)"):
        [named] = irmx_study.discriminate(scores, test=test, draws=100, splits=0).frame()["test"]
        again = irmx_study.discriminate(scores, test=named, draws=100, splits=0)
        assert named.split("(")[0] == test.split("(")[0]
        assert str(again.choices.test) == str(
            irmx_study.discriminate(scores, test=test, draws=100, splits=0).choices.test
        )


def test_the_columns_of_the_tables() -> None:
    result = irmx_study.discriminate(scores_of(made_up()), splits=10)
    columns = "measure,test,correction,level,pairs,significant,power,difference_needed,swap_rate"
    assert ",".join(result.frame().columns) == columns
    assert ",".join(result.frame("asl").columns) == "measure,rank,share,a,b,difference,p,p_corrected"
    assert ",".join(result.frame("swaps").columns) == "measure,low,high,compared,tied,swapped,swap_rate"


# -- the difference needed ---------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
def test_the_difference_needed_is_the_smallest_from_which_on_all_are_significant(seed: int) -> None:
    scores = scores_of(made_up(8, 5, seed=seed).round(1))
    pairs = irmx_study.compare(scores, all_pairs=True, correction="none").frame()
    sizes, significant = pairs["difference"].abs().round(9), pairs["p"] <= 0.05
    known = [size for size in sorted(set(sizes)) if significant[sizes >= size].all()]
    needed = irmx_study.discriminate(scores, splits=0).frame()["difference_needed"].item()
    assert needed == pytest.approx(known[0] if known else np.nan, nan_ok=True)


def test_differences_that_are_equal_in_decimals_are_equal() -> None:
    """Of 0.3 - 0.2 < 0.2 - 0.1 only the smaller is significant: then no difference is large enough."""
    zigzag = np.array([0.05, -0.05] * 6)
    values = np.stack([np.full(12, 0.2), np.full(12, 0.3), np.full(12, 0.1) + zigzag * 8, np.full(12, 0.2)], axis=1)
    frame = irmx_study.discriminate(scores_of(values[:, :3]), splits=0).frame()
    assert np.isnan(frame["difference_needed"].item()) == (frame["significant"].item() < 3)


# -- swaps -------------------------------------------------------------------------------------------------


def expected_swaps(values: Floats) -> Floats:
    """Of all ways to halve the topics: the pairs of systems compared, tied and swapped, by bins of .01, per split."""
    topics, systems = values.shape
    whole, half, counts, ways = np.rint(values * 10).astype(int), topics // 2, np.zeros((21, 3)), 0
    for left in combinations(range(topics), half):
        for right in combinations([t for t in range(topics) if t not in left], half):
            ways += 1
            one, other = whole[list(left)].sum(axis=0), whole[list(right)].sum(axis=0)
            for a, b in combinations(range(systems), 2):
                first, second = int(one[a] - one[b]), int(other[a] - other[b])
                if first:
                    place = min(abs(first) * 100 // (half * 10), 20)
                    counts[place] += [1, second == 0, first * second < 0]
    return counts / ways


@pytest.mark.parametrize("topics", [4, 5, 7])
def test_swaps_are_those_of_all_halves_on_average(topics: int) -> None:
    values, splits = made_up(topics, systems=5, seed=topics)[:, :, 0].round(1), 20_000
    table = irmx_study.discriminate(scores_of(values), splits=splits).frame("swaps")
    found = table[["compared", "tied", "swapped"]].to_numpy() / splits
    expected = expected_swaps(values)
    assert expected[:, 1].any()
    assert expected[:, 2].any()
    np.testing.assert_allclose(found, expected, atol=4 * 0.5 * np.sqrt(10 / splits))
    assert not found[expected == 0].any()


@pytest.mark.parametrize(("unit", "offset", "seed"), [(0.5, 3, 0), (2.0, -1, 1), (1024.0, 5, 2)])
def test_neither_an_offset_of_a_topic_nor_the_unit_changes_swaps(unit: float, offset: int, seed: int) -> None:
    values = made_up(6, systems=4, seed=seed)[:, :, 0].round(2)
    other = values * unit
    other[0] += offset
    tables = [
        irmx_study.discriminate(scores_of(of), splits=20, seed=1, bin_width=width).frame("swaps")
        for of, width in ((values, 0.01), (other, 0.01 * unit))
    ]
    counted = ["compared", "tied", "swapped"]
    assert tables[0][counted].equals(tables[1][counted])


def test_halves_are_disjoint_and_whole_so_that_systems_with_equal_means_always_swap() -> None:
    orders = [[1, 2, 4], [2, 4, 1], [4, 1, 2], [4, 2, 1], [1, 4, 2], [2, 1, 4]]
    values = np.array(orders) / 10
    assert irmx_study.discriminate(scores_of(values), splits=100).frame()["swap_rate"].item() == 1
    same_order = np.repeat([[0.1, 0.2, 0.3]], 6, axis=0)
    assert irmx_study.discriminate(scores_of(same_order), splits=50).frame()["swap_rate"].item() == 0


def test_the_swap_rate_is_that_of_all_bins_and_the_first_reliable_bin_is_told() -> None:
    result = irmx_study.discriminate(scores_of(made_up(30, systems=12)), splits=200)
    table = result.frame("swaps")
    reliable = table[table["swap_rate"] <= 0.05]
    assert 0 < len(reliable) < len(table)
    assert result.frame()["swap_rate"].item() == table["swapped"].sum() / table["compared"].sum()
    texts = (*result.facts().values(), *result.notes, str(result.summary()))
    assert any(f"{reliable['low'].iloc[0]:g}" in text for text in texts)


def test_all_measures_have_the_same_splits_and_the_seed_is_theirs() -> None:
    values = np.repeat(made_up(), 2, axis=2)
    rates = irmx_study.discriminate(scores_of(values, "AP", "RR"), splits=50).frame()["swap_rate"]
    assert rates[0] == rates[1]
    other = irmx_study.discriminate(scores_of(values[:, :, :1]), splits=50, seed=1).frame()["swap_rate"]
    assert other[0] != rates[0]


# -- what is told, and refused ---------------------------------------------------------------------------------------------


def test_a_measure_with_all_values_equal_has_no_power_and_is_named() -> None:
    values = np.concatenate([made_up(), np.full((20, 7, 1), 0.4)], axis=2)
    result = irmx_study.discriminate(scores_of(values, "AP", "RR"), splits=20)
    row = result.frame().iloc[1]
    assert (row["significant"], row["power"]) == (0, 0)
    assert np.isnan([row["difference_needed"], row["swap_rate"]]).all()
    [note] = [note for note in result.notes if note.startswith("all systems have the same values")]
    assert note.endswith(": RR")
    assert not any("no difference needed" in note for note in result.notes)


def test_missing_numbers_are_never_silent() -> None:
    values = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.2, 0.1, 0.3], [0.1, 0.3, 0.2]])
    result = irmx_study.discriminate(scores_of(values), splits=50)
    [row] = result.frame().itertuples()
    assert np.isnan(row.difference_needed)
    assert any(note.startswith("no difference needed") and note.endswith(": AP") for note in result.notes)
    assert any(note.startswith("no bin of differences") for note in result.notes)


def test_bins_that_are_too_narrow_or_too_wide_are_noted() -> None:
    scores = scores_of(100 * made_up(systems=4))
    notes = {width: irmx_study.discriminate(scores, splits=20, bin_width=width).notes for width in (0.01, 1, 100)}
    told = {width: [note for note in notes[width] if "ones tell them apart: AP" in note] for width in notes}
    assert told[1] == []
    assert [note.partition(";")[0] for note in told[0.01]] == ["nearly all differences are in the last bin"]
    assert [note.partition(";")[0] for note in told[100]] == ["nearly all differences are in the first bin"]


@pytest.mark.parametrize(
    ("topics", "systems", "how", "error", "words"),
    [
        (10, 2, {}, irmx.UsageError, "at least 3 systems. Got 2: s0, s1"),
        (3, 4, {}, irmx.DataError, "two topics in each half, 4 topics .* of AP. There are 3"),
        (10, 4, {"splits": -1}, irmx.UsageError, "'splits' parameter of discriminate .* Got -1"),
        (10, 4, {"bin_width": 0.0}, irmx.UsageError, "'bin_width' parameter of discriminate"),
    ],
)
def test_bad_input_is_told_in_words(topics: int, systems: int, how: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        irmx_study.discriminate(scores_of(made_up(topics, systems)), **how)


def test_without_splits_fewer_topics_are_enough_and_swaps_are_refused() -> None:
    result = irmx_study.discriminate(scores_of(made_up(3, 4)), splits=0)
    assert np.isnan(result.frame()["swap_rate"].item())
    assert "swap_rate" not in result.summary()
    assert "swaps" not in result.tables
    with pytest.raises(irmx.UsageError, match="swaps"):
        result.frame("swaps")


# -- order, facts and pictures -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def demo() -> irmx_study.Result:
    return irmx_study.discriminate("RR P@3 MP(model=GL_AD_ID) AP", qrels_path(), RUNS, splits=50)


def test_the_table_for_reading_has_the_largest_power_first(demo: irmx_study.Result) -> None:
    powers = demo.summary()["power"].tolist()
    assert powers == sorted(powers, reverse=True) != demo.frame()["power"].tolist()
    assert demo.frame()["measure"].tolist() == list(demo.scores.names)


@pytest.mark.parametrize("kind", ["levels", "log"])
def test_curves_of_levels_one_per_measure(demo: irmx_study.Result, kind: str) -> None:
    ax = pyplot.figure().subplots()
    assert demo.plot(kind, ax=ax) is ax
    lines = {line.get_label().partition(" (")[0]: line for line in ax.get_lines()}
    for measure, curve in demo.frame("asl").groupby("measure"):
        x, y = lines[str(measure)].get_data()
        np.testing.assert_allclose(x, 100 * curve["share"])
        np.testing.assert_allclose(y, curve["p_corrected"], atol=1e-15)
    assert ax.get_yscale() == ("log" if kind == "log" else "linear")


def test_curves_of_swap_rates_leave_empty_bins_out(demo: irmx_study.Result) -> None:
    ax = demo.plot("swaps")
    lines = ax.get_lines()
    for line, (_, curve) in zip(lines, demo.frame("swaps").groupby("measure", sort=False), strict=False):
        np.testing.assert_allclose(line.get_ydata(), 100 * curve["swap_rate"].dropna())
    assert demo.frame("swaps")["swap_rate"].isna().any()
    assert len({(str(line.get_color()), str(line.get_linestyle())) for line in lines}) == len(lines)


# -- the command -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", ["measures", "asl", "swaps"])
def test_csv_has_every_digit_of_the_tables(command: Command, folder: Path, table: str) -> None:
    done = command(*DISCRIMINATE, "--table", table, "-o", "csv")
    assert done.code == 0
    known, printed = irmx_study.discriminate("RR AP", qrels_path(), RUNS).frame(table), done.rows
    assert list(printed[0]) == list(known.columns)
    for name in known.columns:
        if known[name].dtype == float:
            numbers = [float(row[name] or "nan") for row in printed]
            assert numbers == pytest.approx(known[name].tolist(), abs=0, nan_ok=True)
        else:
            assert [row[name] for row in printed] == known[name].astype(str).tolist()
    assert "share of pairs and splits" in done.err


def test_the_table_fits_a_terminal_and_states_how(command: Command, folder: Path) -> None:
    done = command(*DISCRIMINATE, "MP(model=GL_AD_ID)", "--test", "randomised-tukey", "--draws", "500")
    assert done.code == 0
    table, _, facts = done.out.partition("\ntest ")
    assert max(map(len, table.splitlines())) <= 80
    assert all(words in facts for words in ("randomised Tukey", "0.05", "500 (test)", "1,000, of 30 topics"))


def test_filters_and_labels_choose_the_runs(command: Command, folder: Path) -> None:
    shutil.copy(folder / "bm25.run", folder / "again.run")
    (folder / "names.txt").write_text("bm25.run\ntitles.run\nNew\n")
    runs = ("discriminate", "demo.qrels", "*.run", "AP", "--label", "recent.run=New", "-o", "csv")
    every = command(*runs)
    chosen = command(*runs, "--only", "names.txt", "--table", "asl")
    assert every.rows[0]["pairs"] == "6"
    assert "again.run" in every.err  # identical with another
    assert {name for row in chosen.rows for name in (row["a"], row["b"])} == {"bm25.run", "titles.run", "New"}
    assert command(*runs, "--best", "75").rows[0]["pairs"] == "3"


def test_pictures_are_written(command: Command, folder: Path) -> None:
    plots = ("--plot", "levels.svg", "--plot", "swaps=swaps.png", "--splits", "20")
    assert command(*DISCRIMINATE, *plots).code == 0
    assert "</svg>" in (folder / "levels.svg").read_text()
    assert (folder / "swaps.png").read_bytes()[1:4] == b"PNG"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--table", "swap"), "swaps"),
        (("--splits", "0", "--table", "swaps"), "--splits of at least 1"),
        (("--splits", "0", "--plot", "swaps=a.png"), "--splits of at least 1"),
        (("--level", "1"), "'level' parameter"),
        (("--best", "60"), "at least 3 systems. Got 2"),
        (("--plot", "picture.gif"), ".png, .svg, .pdf"),
        (("--plot", "curve=a.svg"), "levels"),
    ],
    ids=str,
)
def test_what_is_typed_wrong_is_told(command: Command, folder: Path, words: tuple[str, ...], message: str) -> None:
    command(*DISCRIMINATE, *words).assert_refused(2, message)


def test_too_few_topics_for_halves_are_told_with_what_to_do(command: Command, folder: Path) -> None:
    (folder / "table.csv").write_text("query_id,a,b,c\n1,0.1,0.2,0.3\n2,0.2,0.3,0.1\n3,0.3,0.1,0.1\n")
    few = ("discriminate", "--scores", "table.csv", "--measure", "AP")
    done = command(*few)
    done.assert_refused(1, "4 topics")
    assert "splits 0" in done.err
    without = command(*few, "--splits", "0", "-o", "csv")
    assert [(row["measure"], row["pairs"], row["swap_rate"]) for row in without.rows] == [("AP", "3", "")]
