"""``irmx_study.compare``: its table against scipy and statsmodels, and what must not change it."""

import itertools
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats
from statsmodels.stats.multitest import multipletests

import irmx
import irmx_study
from irmx.demo import qrels_path, run_path

from .made_scores import made

METHODS = {"holm": "holm", "bonferroni": "bonferroni", "hommel": "hommel", "bh": "fdr_bh"}
"""The corrections by closed formulas, and their names in statsmodels."""
COLUMNS = "measure,a,b,topics,mean_a,mean_b,difference,low,high,effect,statistic,p,p_corrected,wins,ties,losses,missing"


@pytest.fixture(scope="module")
def random() -> irmx.Scores:
    """Thirty topics, five systems, two measures."""
    return made(np.random.default_rng(14).beta(1, 2, (30, 5, 2)), "AP RR")


# -- the table -------------------------------------------------------------------------------------------------------


def test_every_column_against_scipy(random: irmx.Scores) -> None:
    frame = irmx_study.compare(random, baseline="c", level=0.1, tie_threshold=0.05).frame()
    assert ",".join(frame.columns) == COLUMNS
    assert frame[["measure", "a", "b"]].to_numpy().tolist() == [[m, a, "c"] for m in ("AP", "RR") for a in "abde"]
    for row in frame.itertuples():
        values = random[row.measure]
        a, b = values[:, random.systems.index(row.a)], values[:, 2]
        known = stats.ttest_rel(a, b)
        interval = known.confidence_interval(0.9)
        expected = (30, a.mean(), b.mean(), a.mean() - b.mean(), interval.low, interval.high)
        assert row[4:10] == pytest.approx(expected, rel=1e-12, abs=1e-15)
        assert row.effect == pytest.approx((a - b).mean() / (a - b).std(ddof=1), rel=1e-12)
        assert (row.statistic, row.p) == pytest.approx((known.statistic, known.pvalue), rel=1e-12)
        assert row.wins == (a - b > 0.05).sum() > 0
        assert row.losses == (b - a > 0.05).sum() > 0
        assert row.wins + row.ties + row.losses == 30
        assert row.ties > 0
    for _, of_measure in frame.groupby("measure"):
        assert of_measure["p_corrected"].to_numpy() == pytest.approx(multipletests(of_measure["p"], method="holm")[1])


@pytest.mark.parametrize(("correction", "method"), METHODS.items())
@pytest.mark.parametrize("all_pairs", [False, True])
def test_the_family_is_a_measure_or_all(random: irmx.Scores, correction: str, method: str, all_pairs: bool) -> None:
    how: dict[str, Any] = {"correction": correction, "all_pairs": all_pairs}
    each = irmx_study.compare(random, **how).frame()
    for _, rows in each.groupby("measure"):
        assert rows["p_corrected"].to_numpy() == pytest.approx(multipletests(rows["p"], method=method)[1], rel=1e-12)
    both = irmx_study.compare(random, family="all", **how)
    rows = both.frame()
    assert rows["p_corrected"].to_numpy() == pytest.approx(multipletests(rows["p"], method=method)[1], rel=1e-12)
    assert (rows["p_corrected"] != each["p_corrected"]).any()
    assert both.facts()["family"].startswith(f"{20 if all_pairs else 8} comparisons by all measures together")


def test_no_correction_and_a_single_comparison_leave_p_as_it_is(random: irmx.Scores) -> None:
    assert irmx_study.compare(random, correction="none").frame().eval("p == p_corrected").all()
    pair = random.select(systems=["a", "b"])
    single = irmx_study.compare(pair)
    assert single.frame().eval("p == p_corrected").all()
    assert single.facts()["correction"] == "none"
    together = irmx_study.compare(pair, family="all")  # two measures, so two comparisons
    assert together.choices.correction.NAME == "holm"
    assert irmx_study.compare(random).choices.correction.NAME == "holm"


def test_several_baselines_are_one_family_without_a_pair_twice(random: irmx.Scores) -> None:
    ap = random.select(measures="AP")
    comparison = irmx_study.compare(ap, baseline=["b", "d", "b"])
    frame = comparison.frame()
    pairs = [a + b for a, b in zip(frame["a"], frame["b"], strict=True)]
    assert pairs == ["ab", "cb", "db", "eb", "ad", "cd", "ed"]
    assert frame["p_corrected"].to_numpy() == pytest.approx(multipletests(frame["p"], method="holm")[1], rel=1e-12)
    assert comparison.baseline == ("b", "d")
    assert comparison.facts()["family"].startswith("7 comparisons")


def test_by_default_the_baseline_is_the_first_of_two_and_of_more_the_best(random: irmx.Scores) -> None:
    best = random.means()["AP"].idxmax()
    assert best != "a"
    assert irmx_study.compare(random).baseline == (best,)
    assert "the best of 5 by AP" in irmx_study.compare(random).facts()["baseline"]
    assert irmx_study.compare(random.select(systems=["d", "a"])).baseline == ("d",)
    assert "baseline" not in irmx_study.compare(random, baseline="a").facts()


def test_all_pairs(random: irmx.Scores) -> None:
    frame = irmx_study.compare(random, all_pairs=True).frame()
    pairs = [{a, b} for a, b in zip(frame["a"], frame["b"], strict=True)]
    assert pairs == 2 * [set(pair) for pair in itertools.combinations("abcde", 2)]
    with_first = frame[frame["b"] == "a"].drop(columns="p_corrected").reset_index(drop=True)
    baseline = irmx_study.compare(random, baseline="a").frame().drop(columns="p_corrected")
    pd.testing.assert_frame_equal(with_first, baseline)


def test_identical_systems_are_left_out_of_the_family(random: irmx.Scores) -> None:
    values = random.values[:, :, :1][:, [0, 1, 0, 3]]
    comparison = irmx_study.compare(made(values), all_pairs=True)
    frame = comparison.frame().set_index(["a", "b"])
    assert frame.loc["c", "a"].loc["difference":"losses"].tolist() == [0, 0, 0, 0, 0, 1, 1, 0, 30, 0]
    others = frame.drop(index=("c", "a"))
    assert others["p_corrected"].to_numpy() == pytest.approx(multipletests(others["p"], method="holm")[1], rel=1e-12)
    assert comparison.notes == ("identical on every topic, and not counted in the family: c and a (AP)",)
    assert comparison.letters["AP"][0] == comparison.letters["AP"][2]


def test_a_pair_that_several_measures_cannot_tell_apart_is_noted_once() -> None:
    runs = {"a": run_path("bm25"), "b": run_path("titles"), "c": run_path("bm25")}
    comparison = irmx_study.compare(irmx.scores("AP RR P@5", qrels_path(), runs), all_pairs=True)
    assert comparison.notes == ("identical on every topic, and not counted in the family: c and a (AP, RR, P@5)",)


def test_differences_within_the_threshold_that_cancel_out_are_not_called_identical() -> None:
    values = np.full((20, 2), 0.5)
    values[:, 0] += np.tile([0.25, -0.25], 10)
    comparison = irmx_study.compare(made(values), tie_threshold=0.5)
    assert comparison.frame()[["difference", "p", "ties"]].to_numpy().tolist() == [[0, 1, 20]]
    assert comparison.notes == ()


def test_all_systems_identical() -> None:
    frame = irmx_study.compare(made(np.tile(np.arange(20)[:, None] / 20, 4)), all_pairs=True).frame()
    assert frame[["p", "p_corrected"]].eq(1).all(axis=None)


@pytest.mark.parametrize(("scale", "difference"), [(1, 1e-5), (10, 1e-4), (1000, 0.01)])
def test_a_constant_difference_is_one_however_floats_round_it(scale: float, difference: float) -> None:
    values = np.random.default_rng(0).uniform(0.5, 0.9, 30).round(2) * scale
    comparison = irmx_study.compare(made(np.stack([values + difference, values], axis=1)), baseline="b")
    [row] = comparison.frame().itertuples()
    assert (row.effect, row.statistic, row.p) == (np.inf, np.inf, 2.0**-29)
    assert row.low == row.high == pytest.approx(difference)
    [note] = comparison.notes
    assert note == "the same difference on every topic, so that p is the probability of equal signs: a and b (AP)"


# -- what must not matter ----------------------------------------------------------------------------------------------

VALUES = arrays(float, st.tuples(st.integers(3, 12), st.integers(2, 5)), elements=st.sampled_from(np.arange(9) / 8))
"""Values in exact steps, so that ties and identical systems occur, and sums are exact."""


def rows_of(scores: irmx.Scores, **how: Any) -> pd.DataFrame:
    return irmx_study.compare(scores, all_pairs=True, **how).frame().set_index(["a", "b"]).loc[:, "mean_a":"losses"]


@pytest.mark.parametrize("interval", ["t", "bca"])
@given(values=VALUES)
def test_swapping_two_systems_mirrors_everything(values: np.ndarray, interval: str) -> None:
    scores = made(np.tile(values[:, :2], (5, 1)))  # BCa intervals need 10 topics
    how: dict[str, Any] = {"interval": interval, "draws": 100}
    [row] = irmx_study.compare(scores, baseline="a", **how).frame().to_dict("records")
    [mirrored] = irmx_study.compare(scores, baseline="b", **how).frame().to_dict("records")
    one = ["a", "mean_a", "wins", "p", "p_corrected", "ties"]
    other = ["b", "mean_b", "losses", "p", "p_corrected", "ties"]
    assert [mirrored[name] for name in one + other] == [row[name] for name in other + one]
    rounding = 1e-12 if interval == "bca" else 0
    expected = [-row[name] for name in ["difference", "high", "low", "effect", "statistic"]]
    found = [mirrored[name] for name in ["difference", "low", "high", "effect", "statistic"]]
    assert found == pytest.approx(expected, rel=rounding, abs=rounding)


@given(VALUES, st.randoms(use_true_random=False))
def test_the_order_of_topics_and_systems_does_not_matter(values: np.ndarray, random: Any) -> None:
    scores = made(values)
    topics, systems = list(scores.topics), list(scores.systems)
    random.shuffle(topics)
    expected = rows_of(scores)
    pd.testing.assert_frame_equal(rows_of(scores.select(topics=topics)), expected, rtol=1e-12, atol=1e-12)
    random.shuffle(systems)
    for (a, b), row in rows_of(scores.select(systems=systems)).iterrows():
        other = expected.loc[(a, b) if (a, b) in expected.index else (b, a)]
        same = ["p", "p_corrected", "ties"]
        assert row[same].tolist() == pytest.approx(other[same].tolist(), rel=1e-12)
        assert abs(row["difference"]) == pytest.approx(abs(other["difference"]), rel=1e-12)


@pytest.mark.parametrize("test", ["t", "permutation", "bootstrap", "wilcoxon", "sign", "tukey", "randomised-tukey"])
@given(values=VALUES)
@settings(max_examples=12)  # each takes long
def test_p_values_of_every_test_are_in_0_to_1_and_1_for_identical_systems(values: np.ndarray, test: str) -> None:
    several = np.tile(values, (3, 1)) if test == "bootstrap" else values  # it needs 5 topics
    scores = made(np.column_stack([several, several[:, 0]]))
    frame = irmx_study.compare(scores, all_pairs=True, test=test, draws=100).frame()
    assert frame[["p", "p_corrected"]].map(lambda p: 0 <= p <= 1).all(axis=None)
    assert (frame["p_corrected"] >= frame["p"]).all()
    last = scores.systems[-1]
    assert frame.set_index(["a", "b"]).loc[(last, "a"), ["p", "p_corrected"]].tolist() == [1, 1]
    if test in ("permutation", "bootstrap", "randomised-tukey"):
        assert (frame["p"] > 0).all()


@given(VALUES, st.integers(1, 4))
def test_a_constant_added_to_all_values_changes_the_means_only(values: np.ndarray, constant: int) -> None:
    before, after = rows_of(made(values)), rows_of(made(values + constant))
    means = ["mean_a", "mean_b"]
    assert (after[means] - before[means]).to_numpy() == pytest.approx(constant)
    pd.testing.assert_frame_equal(after.drop(columns=means), before.drop(columns=means), rtol=1e-9, atol=1e-12)


@given(VALUES)
def test_the_t_interval_excludes_zero_if_and_only_if_the_uncorrected_p_is_below_the_level(values: np.ndarray) -> None:
    for row in rows_of(made(values), correction="none", level=0.2).itertuples():
        assert (row.low > 0 or row.high < 0) == (row.p < 0.2)
        if np.isnan(row.low):  # three equal differences show nothing
            assert (row.statistic, row.p) == (np.copysign(np.inf, row.difference), 0.25)
            continue
        assert row.low - 1e-12 <= row.difference <= row.high + 1e-12
        assert row.wins + row.ties + row.losses == len(values)


# -- draws ---------------------------------------------------------------------------------------------------------------

DRAWN: list[dict[str, Any]] = [
    {"test": "permutation"},
    {"test": "bootstrap"},
    {"test": "randomised-tukey"},
    {"correction": "maxt"},
    {"interval": "bca"},
]
"""Everything that draws at random."""


@pytest.mark.parametrize("how", DRAWN, ids=lambda how: "".join(how.values()))
def test_one_seed_one_table(random: irmx.Scores, how: dict[str, Any]) -> None:
    how = {"all_pairs": True, "draws": 500, **how}
    first, again, other = (irmx_study.compare(random, seed=seed, **how) for seed in (3, 3, 4))
    pd.testing.assert_frame_equal(first.frame(), again.frame(), check_exact=True)
    assert not first.frame().equals(other.frame())
    assert first.choices.resampled
    assert (first.facts()["draws"].split()[0], first.facts()["seed"]) == ("500", "3")


def test_progress_of_long_work_is_shown_when_asked(random: irmx.Scores, capsys: pytest.CaptureFixture[str]) -> None:
    irmx_study.compare(random, test="permutation", draws=1000, progress=True)
    shown = capsys.readouterr().err
    assert "Comparing" in shown
    assert "2000/2000" in shown
    irmx_study.compare(random, test="permutation", draws=1000)
    irmx_study.compare(random, progress=True)
    assert capsys.readouterr().err == ""


# -- what a comparison says about its data -------------------------------------------------------------------------------


def test_few_and_many_topics_are_noted() -> None:
    values = np.random.default_rng(1).random((1001, 2))
    assert irmx_study.compare(made(values[:20])).notes == ()
    assert irmx_study.compare(made(values[:1000])).notes == ()
    [few] = irmx_study.compare(made(values[:19])).notes
    assert few.startswith("with 19 topics, only large differences can be found")
    [many] = irmx_study.compare(made(values)).notes
    assert many.startswith("with 1,001 topics, tiny differences are significant")


def test_topics_on_which_a_system_has_no_value_are_left_out_for_all() -> None:
    values = np.random.default_rng(1).random((25, 3))
    gaps = values.copy()
    gaps[4, 1] = gaps[9, 2] = np.nan
    comparison = irmx_study.compare(made(gaps), missing="both")
    kept = np.delete(values, [4, 9], axis=0)
    pd.testing.assert_frame_equal(comparison.frame(), irmx_study.compare(made(kept)).frame())
    assert comparison.notes == ("AP: 2 topics left out, on which a system has no value; means are over the others",)
    assert comparison.facts()["topics"] == "23 of 25"


def test_topics_on_which_a_system_has_no_value_count_with_the_default() -> None:
    values = np.random.default_rng(1).random((25, 3))
    gaps = values.copy()
    gaps[4, 1] = gaps[9, 2] = np.nan
    values[4, 1] = values[9, 2] = 0
    found, expected = (irmx_study.compare(made(of), baseline="a").frame() for of in (gaps, values))
    assert found["missing"].tolist() == [1, 1]
    pd.testing.assert_frame_equal(found.drop(columns="missing"), expected.drop(columns="missing"))


def test_sums_are_compared_as_means_which_is_said() -> None:
    counts = np.random.default_rng(1).integers(0, 9, (20, 2, 2))
    comparison = irmx_study.compare(made(counts, "NumRel AP"))
    assert comparison.frame()["mean_b"].tolist() == counts.mean(axis=0)[0].tolist()
    [note] = comparison.notes
    assert note == "NumRel: means over topics are compared; irmx eval prints another aggregate, such as the sum"


def test_of_few_topics_all_changes_of_signs_are_stated_instead_of_draws() -> None:
    scores = made(np.random.default_rng(0).random((10, 3)))
    for how, user in (({"test": "permutation"}, "test"), ({"correction": "maxt"}, "correction")):
        comparison = irmx_study.compare(scores, interval="bca", **how)  # type: ignore[arg-type]
        assert comparison.facts()["draws"] == f"all 1,024 changes of signs ({user}), 10,000 (interval)"
        said = f"The {user} used all 1,024 changes of signs. The intervals used 10,000 random draws"
        assert said in comparison.methods()
    assert irmx_study.compare(scores, test="bootstrap").facts()["draws"] == "10,000 (test)"
    assert irmx_study.compare(scores, test="permutation", draws=1023).facts()["draws"] == "1,023 (test)"


# -- bad input -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"baseline": ["a", 0]}, "A baseline is the name of a system, such as 'a'. Got 0 instead."),
        ({"seed": 2**70}, "'seed' parameter of a comparison must be an int in the range [0, 9007199254740992]. Got 118059162"),
        ({"draws": 10**12}, "'draws' parameter of a comparison must be an int in the range [100, 1e+09]. Got 1000000000000 "),
        ({"baseline": []}, "There is no baseline. Name a system, or compare all pairs."),
        ({"level": 0}, "The 'level' parameter of a comparison must be a float in the range (0, 1). Got 0 instead."),
        ({"test": "permutaton"}, "Did you mean permutation? Known: t, permutation, bootstrap, wilcoxon, sign, tukey"),
        ({"test": "randomised-tukey", "family": "all"}, "hold for all pairs of systems by one measure; they are not corrected"),
        ({"test": "tukey", "interval": "bca"}, "The test tukey has intervals of its own, which hold for all pairs of systems"),
        ({"test": "holm"}, "Unknown name holm; a comparison takes a significance test for 'test'."),
    ],
)  # fmt: skip
def test_illegal_choices(random: irmx.Scores, how: dict[str, Any], message: str) -> None:
    with pytest.raises(irmx.UsageError) as error:
        irmx_study.compare(random, **how)
    assert message in str(error.value)


def test_something_else_than_scores() -> None:
    with pytest.raises(irmx.UsageError, match="Got dict instead"):
        irmx_study.compare({"a": {"q": 0.5}})  # type: ignore[arg-type]
    with pytest.raises(irmx.DataError, match="Scores need the column 'query_id'"):
        irmx_study.compare(pd.DataFrame({"topic": [1]}))


def test_a_measure_without_values_names_the_system_that_has_none() -> None:
    values = np.random.default_rng(1).random((20, 3, 2))
    values[:, 1, 1] = np.nan
    values[0, 2, 1] = np.nan
    message = "b has no results of RR for 20 of 20 topics"
    with pytest.raises(irmx.DataError, match=message):
        irmx_study.compare(made(values, "AP RR"))
    values[3, 2, 0], values[:, 1, 1] = np.inf, 0.5
    with pytest.raises(irmx.DataError, match="AP of c is infinite for topic q3"):
        irmx_study.compare(made(values, "AP RR"))


@pytest.mark.parametrize(("unit", "told"), [(1e308, "large"), (1e-310, "small")])
def test_values_whose_squares_are_no_floats(unit: float, told: str) -> None:
    values = np.random.default_rng(1).random((20, 3, 1)) * unit
    with pytest.raises(irmx.DataError, match=rf"AP of [abc] is .*e[+-]3.*squares of values, which are too {told} here"):
        irmx_study.discriminate(made(values), splits=10)


# -- systems that lack topics ------------------------------------------------------------------------------


def lacking(topics: int) -> irmx.Scores:
    """Scores of three systems on 10 topics, of which one retrieved nothing for some."""
    qrels = {str(q): {"a": 1, "b": 1} for q in range(10)}
    runs = {
        "one": {q: {"a": 2.0, "x": 1.0} for q in qrels},
        "two": {q: {"x": 2.0, "a": 1.0, "b": 0.5} if int(q) % 2 else {"b": 1.0} for q in qrels},
        "part": {q: {"b": 1.0, "a": 0.5} for q in list(qrels)[topics:]},
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", irmx.DataWarning)
        return irmx.scores("AP RR", qrels, runs)


@pytest.mark.parametrize("topics", [0, 1, 5])
def test_topics_that_systems_lack_are_counted(topics: int) -> None:
    comparison = irmx_study.compare(lacking(topics), baseline="one")
    assert comparison.frame()["missing"].tolist() == [0, topics, 0, topics]
    assert any("part" in note and f"{topics} of 10" in note for note in comparison.notes) == (topics > 0)


@pytest.mark.parametrize("function", [irmx_study.compare, irmx_study.report])
def test_a_system_that_lacks_more_than_half_of_the_topics_is_refused_unless_they_count_as_zero(function: Any) -> None:
    with pytest.raises(irmx.DataError, match="part has no results of AP for 6 of 10 topics"):
        function(lacking(6))
    assert function(lacking(6), missing="zero") is not None
    with pytest.raises(irmx.UsageError, match="refuse, zero"):
        function(lacking(6), missing="none")
    complete = lacking(6).select(systems=["one", "two"])
    assert function(complete) is not None


@pytest.mark.parametrize("moved", [2, 7, 30])
@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign", "permutation"])
def test_what_rounding_alone_tells_apart_is_equal(moved: int, test: str) -> None:
    old = np.random.default_rng(0).random(30)
    new = old.copy()
    new[:moved] = np.nextafter(old[:moved], 2)
    scores = made(np.stack([old, new], axis=1))
    [found] = irmx_study.compare(scores, test=test).frame().to_dict("records")
    assert (found["difference"], found["p"], found["ties"]) == (0, 1, 30)
    verdict = irmx_study.verdict(scores)
    assert (verdict.outcome, verdict.tested.p) == ("not shown", 1)
    third = np.random.default_rng(1).random(30)
    pd.testing.assert_frame_equal(
        irmx_study.discriminate(made(np.stack([old, new, third], axis=1)), test=test).frame(),
        irmx_study.discriminate(made(np.stack([old, old, third], axis=1)), test=test).frame(),
    )
