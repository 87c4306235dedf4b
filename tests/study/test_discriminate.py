"""Discriminative power and swap rates, against plain loops over pairs and splits."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import irmx
import irmx_study
from irmx.demo import SYSTEMS, qrels_path, run_path
from irmx.ragged import Floats
from irmx_study.discrimination.discriminative_power import difference_needed
from irmx_study.discrimination.swap_counts import count_swaps
from irmx_study.significance.random_draws import shuffled_systems


def scores_of(values: Floats, *measures: str) -> irmx.Scores:
    """Return scores of the shape (topics, systems) or (topics, systems, measures)."""
    block = values.reshape(*values.shape[:2], -1)
    names = [tuple(f"{kind}{i}" for i in range(count)) for kind, count in zip("qs", block.shape, strict=False)]
    known = tuple(map(irmx.parse_measure, measures or ["AP"]))
    return irmx.Scores(block, *names, known, np.ones(block.shape[:2], dtype=bool))


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
    asl = result.asl()
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
    assert ",".join(result.asl().columns) == "measure,rank,share,a,b,difference,p,p_corrected"
    assert ",".join(result.swaps().columns) == "measure,low,high,compared,tied,swapped,swap_rate"


# -- the difference needed -----------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.integers(-30, 30).map(lambda k: k / 100), st.booleans()), min_size=1, max_size=12))
def test_the_difference_needed_is_the_smallest_from_which_on_all_are_significant(
    pairs: list[tuple[float, bool]],
) -> None:
    known = [
        size
        for size in sorted({abs(difference) for difference, _ in pairs})
        if all(significant for difference, significant in pairs if abs(difference) >= size)
    ]
    needed = difference_needed(*(np.array(column) for column in zip(*pairs, strict=True)))
    np.testing.assert_equal(needed, known[0] if known else np.nan)


def test_differences_that_are_equal_in_decimals_are_equal() -> None:
    assert 0.3 - 0.2 < 0.2 - 0.1
    assert np.isnan(difference_needed(np.array([0.3 - 0.2, 0.2 - 0.1]), np.array([False, True])))


# -- swaps ---------------------------------------------------------------------------------------------------------------


def counted_by_a_loop(values: Floats, splits: int, seed: int, decimals: int) -> list[list[int]]:
    """Return the pairs and splits compared, tied and swapped, by bins of 0.01, of values with few decimals."""
    topics, systems = values.shape
    half, whole = topics // 2, np.rint(values * 10**decimals).astype(int)
    counts = [[0, 0, 0] for _ in range(21)]
    for orders in shuffled_systems(1, topics, splits, seed):
        for order in orders[:, 0]:
            one, other = whole[order[:half]].sum(axis=0), whole[order[half : 2 * half]].sum(axis=0)
            for a, b in combinations(range(systems), 2):
                first, second = int(one[a] - one[b]), int(other[a] - other[b])
                if first:
                    place = min(abs(first) * 100 // (half * 10**decimals), 20)
                    counts[place][0] += 1
                    counts[place][1] += second == 0
                    counts[place][2] += first * second < 0
    return counts


@pytest.mark.parametrize("topics", [4, 5, 11, 12])
def test_swaps_are_those_of_a_loop_over_pairs_and_splits(topics: int) -> None:
    values = made_up(topics, systems=5, seed=topics)[:, :, 0].round(1)
    table = count_swaps(values, splits=60, seed=2).table()
    assert table[["compared", "tied", "swapped"]].to_numpy().tolist() == counted_by_a_loop(values, 60, 2, 1)
    assert (table["tied"] > 0).any()


@given(st.integers(0, 100), st.sampled_from([0.5, 2.0, 1024.0]), st.integers(-5, 5))
def test_neither_an_offset_of_a_topic_nor_the_unit_changes_swaps(seed: int, unit: float, offset: int) -> None:
    values = made_up(6, systems=4, seed=seed)[:, :, 0].round(2)
    other = values * unit
    other[0] += offset
    known, moved = count_swaps(values, 20, 1), count_swaps(other, 20, 1, width=0.01 * unit)
    assert known.counts.tolist() == moved.counts.tolist()


def test_halves_are_disjoint_and_whole_so_that_systems_with_equal_means_always_swap() -> None:
    values = np.array(
        [[0.1, 0.2, 0.4], [0.2, 0.4, 0.1], [0.4, 0.1, 0.2], [0.4, 0.2, 0.1], [0.1, 0.4, 0.2], [0.2, 0.1, 0.4]]
    )
    swaps = count_swaps(values, splits=100, seed=0)
    assert swaps.compared.sum() > 0
    assert swaps.swap_rate == 1
    same_order = np.repeat([[0.1, 0.2, 0.3]], 6, axis=0)
    assert count_swaps(same_order, splits=50, seed=0).swap_rate == 0


def test_the_smallest_reliable_difference_is_the_first_bin_of_at_most_five_percent() -> None:
    result = irmx_study.discriminate(scores_of(made_up(30, systems=12)), splits=200)
    [swaps], table = result.swaps_by_measure, result.swaps()
    reliable = table[table["swap_rate"] <= 0.05]
    assert 0 < len(reliable) < len(table)
    assert swaps.reliable_difference == pytest.approx(reliable["low"].iloc[0])
    assert result.frame()["swap_rate"].item() == table["swapped"].sum() / table["compared"].sum()


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
    [swaps] = result.swaps_by_measure
    assert np.isnan(swaps.reliable_difference)
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
        (10, 4, {"level": 0}, irmx.UsageError, r"'level' .* range \(0, 1\). Got 0"),
        (10, 4, {"splits": -1}, irmx.UsageError, "'splits' parameter of discriminate .* Got -1"),
        (10, 4, {"bin_width": 0.0}, irmx.UsageError, "'bin_width' parameter of discriminate"),
        (10, 4, {"test": "u"}, irmx.UsageError, "u"),
        (10, 4, {"test": "tukey", "correction": "holm"}, irmx.UsageError, "already hold for all pairs"),
    ],
)
def test_bad_input_is_told_in_words(
    topics: int, systems: int, how: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        irmx_study.discriminate(scores_of(made_up(topics, systems)), **how)


def test_without_splits_fewer_topics_are_enough_and_swaps_are_refused() -> None:
    result = irmx_study.discriminate(scores_of(made_up(3, 4)), splits=0)
    assert np.isnan(result.frame()["swap_rate"].item())
    assert "swap_rate" not in result.summary()
    for refused in (result.swaps, result.plot_swaps):
        with pytest.raises(irmx.UsageError, match="number of splits was 0"):
            refused()


def test_a_table_of_pyterrier_is_accepted_and_something_else_refused() -> None:
    rows = [("q1", "a", "AP", 0.1)]
    with pytest.raises(irmx.UsageError, match=r"DataFrame\. Got list"):
        irmx_study.discriminate(rows)  # type: ignore[arg-type]
    values = made_up(6, 3)[:, :, 0]
    table = pd.DataFrame(
        [(f"q{t}", f"s{s}", "AP", values[t, s]) for t in range(6) for s in range(3)],
        columns=["query_id", "system", "measure", "value"],
    )
    of_table = irmx_study.discriminate(table, splits=5).frame()
    pd.testing.assert_frame_equal(of_table, irmx_study.discriminate(scores_of(values), splits=5).frame())


# -- order, facts and pictures ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def demo() -> irmx_study.Discrimination:
    runs = {system: run_path(system) for system in SYSTEMS}
    measures = [ir_measures.parse_measure(name) for name in ("RR", "P@3")]
    scores = irmx.scores([*measures, "MP(model=GL_AD_ID)", "AP"], qrels_path(), runs)
    return irmx_study.discriminate(scores, splits=50)


def test_the_table_for_reading_has_the_largest_power_first(demo: irmx_study.Discrimination) -> None:
    powers = demo.summary()["power"].tolist()
    assert powers == sorted(powers, reverse=True) != demo.frame()["power"].tolist()
    assert demo.frame()["measure"].tolist() == [str(measure) for measure in demo.scores.measures]


def test_facts_state_the_test_the_splits_and_the_seed(demo: irmx_study.Discrimination) -> None:
    facts = demo.facts()
    assert "t test" in facts["test"]
    assert (facts["correction"], facts["level"], facts["seed"], facts["systems"]) == ("none", "0.05", "0", "3")
    assert facts["splits"].startswith("50, of 30 topics")
    assert not {"intervals", "effect", "letters", "W/T/L"} & set(facts)
    assert facts["splits"].endswith("the same for all measures")
    assert "0.02" in irmx_study.discriminate(demo.scores, test="sign", tie_threshold=0.02, splits=0).facts()["ties"]
    assert "seed" not in irmx_study.discriminate(demo.scores, splits=0).facts()


@pytest.mark.parametrize("log", [False, True])
def test_curves_of_levels_one_per_measure(demo: irmx_study.Discrimination, log: bool) -> None:
    pytest.importorskip("matplotlib")
    from matplotlib import pyplot

    ax = pyplot.figure().subplots()
    display = demo.plot(ax, log=log)
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    lines = {line.get_label().partition(" (")[0]: line for line in ax.get_lines()}
    for measure, curve in demo.asl().groupby("measure"):
        x, y = lines[str(measure)].get_data()
        np.testing.assert_allclose(x, 100 * curve["share"])
        np.testing.assert_allclose(y, curve["p_corrected"], atol=1e-15)
    assert ax.get_yscale() == ("log" if log else "linear")
    pyplot.close(ax.figure)


def test_curves_of_swap_rates_leave_empty_bins_out(demo: irmx_study.Discrimination) -> None:
    pytest.importorskip("matplotlib")
    from matplotlib import pyplot

    display = demo.plot_swaps()
    lines = display.ax_.get_lines()
    for line, (_, curve) in zip(lines, demo.swaps().groupby("measure", sort=False), strict=False):
        np.testing.assert_allclose(line.get_ydata(), 100 * curve["swap_rate"].dropna())
    assert demo.swaps()["swap_rate"].isna().any()
    assert len({(str(line.get_color()), str(line.get_linestyle())) for line in lines}) == len(lines)
    pyplot.close(display.figure_)
