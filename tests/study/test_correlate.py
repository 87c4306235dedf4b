"""The agreement of measures: its tables against the correlations of two rankings, resamples, topics, and what is refused."""

import warnings
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import irmx
from irmx import DataError, Scores, UsageError
from irmx.demo import SYSTEMS, qrels_path, run_path
from irmx_study import comparable_means, correlate, kendall_tau, rbo, tau_ap, tied_groups

COLUMNS = ["a", "b", "systems", "tau", "tau_ap", "tau_ap_b", "rbo", "spearman", "pearson"]
MEASURES = "AP P@10 RR nDCG@10"


def made(topics: int = 12, systems: int = 7, measures: str = MEASURES, seed: int = 3) -> Scores:
    """Scores of systems that differ little, in steps of a tenth, so that some means are tied."""
    parsed = tuple(irmx.toolkit.parse_measures(measures))
    rng = np.random.default_rng(seed)
    base = rng.integers(0, 2, (topics, 1, 1)) + np.arange(systems)[:, None] // 4
    values = np.round(base + rng.integers(0, 4, (topics, systems, len(parsed)))) / 10
    names = tuple(f"s{i}" for i in range(systems))
    return Scores(values, tuple(f"q{i}" for i in range(topics)), names, parsed)


def changed(scores: Scores, measure: int, values: Any) -> Scores:
    """Scores with other values of one measure."""
    new = scores.values.copy()
    new[:, :, measure] = values
    return Scores(new, scores.topics, scores.systems, scores.measures)


def test_the_table_has_every_coefficient_of_every_pair() -> None:
    scores = made()
    frame = correlate(scores).frame()
    assert list(frame.columns) == COLUMNS
    assert frame[["a", "b"]].to_numpy().tolist() == [
        ["AP", "P@10"], ["AP", "RR"], ["AP", "nDCG@10"], ["P@10", "RR"], ["P@10", "nDCG@10"], ["RR", "nDCG@10"],
    ]  # fmt: skip
    means = pd.DataFrame(comparable_means(scores), columns=list(map(str, scores.measures)))
    assert any(means[name].duplicated().any() for name in means), "the test needs ties"
    for row in frame.itertuples():
        x, y = means[row.a].to_numpy(), means[row.b].to_numpy()
        assert row.systems == 7
        assert row.tau == pytest.approx(kendall_tau(x, y))
        for ties, name in (("a", "tau_ap"), ("b", "tau_ap_b")):
            assert getattr(row, name) == pytest.approx(tau_ap(x, y, ties))
        assert row.rbo == pytest.approx(rbo(tied_groups(x), tied_groups(y)).extrapolated)
        assert row.spearman == pytest.approx(stats.spearmanr(x, y).statistic)
        assert row.pearson == pytest.approx(stats.pearsonr(x, y).statistic)


def test_a_reference_is_a_of_every_row_and_a_row_of_the_matrix() -> None:
    scores = made()
    agreement = correlate(scores, reference="RR")
    frame = agreement.frame()
    assert frame["a"].tolist() == ["RR"] * 3
    assert frame["b"].tolist() == ["AP", "P@10", "nDCG@10"]
    for coefficient in COLUMNS[3:]:
        matrix = agreement.matrix(coefficient)
        assert matrix.loc["RR", frame["b"]].tolist() == frame[coefficient].tolist()
        assert matrix.shape == (4, 4)
        is_symmetric = np.allclose(matrix, matrix.T, rtol=0, atol=1e-12)
        assert is_symmetric == (coefficient != "tau_ap")


def test_means_are_rounded_when_asked() -> None:
    scores = made()
    rounded = correlate(scores, decimals=1)
    assert rounded.means.tolist() == np.round(scores.means().to_numpy(), 1).tolist()
    assert rounded.frame()["tau"].tolist() != correlate(scores).frame()["tau"].tolist()


def test_the_order_of_systems_and_topics_changes_nothing() -> None:
    scores = made()
    turned = scores.select(topics=scores.topics[::-1], systems=scores.systems[::-1])
    pd.testing.assert_frame_equal(correlate(scores).frame()[COLUMNS], correlate(turned).frame()[COLUMNS], rtol=1e-12)


def test_rbo_has_all_treatments_and_estimates() -> None:
    scores = made()
    agreement = correlate(scores, reference="AP", rbo_p=0.7, rbo_ties="w")
    rows = agreement.frame("rbo")
    assert list(rows.columns) == ["a", "b", "systems", "p", "ties", "extrapolated", "minimum", "maximum", "residual"]
    assert rows["ties"].tolist() == ["w", "a", "b"] * 3
    assert agreement.frame()["rbo"].tolist() == rows[rows["ties"] == "w"]["extrapolated"].tolist()
    means = pd.DataFrame(agreement.means, columns=agreement.measures)
    for row in rows.itertuples():
        overlap = rbo(tied_groups(means[row.a]), tied_groups(means[row.b]), 0.7, row.ties)
        assert [row.extrapolated, row.minimum, row.maximum, row.residual] == pytest.approx(list(overlap))


# -- topics -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", [False, True])
def test_stability_is_that_of_all_resamples_of_few_topics(missing: bool) -> None:
    """Of four topics there are 256 resamples, of which the quantiles are known; topics without a value are left out of means."""
    scores = made(topics=4, measures="AP P@10 RR")
    if missing:
        values = scores.values[:, :, 1].copy()
        values[2] = np.nan
        scores = changed(scores, 1, values)
    rows = correlate(scores, resamples=20_000, seed=5, level=0.23).frame("stability")
    names = list(map(str, scores.measures))
    for row in rows.itertuples():
        taus = []
        for drawn in product(range(4), repeat=4):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)  # the mean of no value
                means = [np.nanmean(scores[name][list(drawn)], axis=0).round(9) for name in (row.a, row.b)]
            taus.append(stats.kendalltau(*means).statistic if not np.isnan(means).any() else np.nan)
        known = np.array(taus)
        for share, value in ((0.115, row.low), (0.5, row.median), (0.885, row.high)):
            around = np.nanquantile(known, [share - 0.015, share + 0.015])
            assert around[0] - 1e-9 <= value <= around[1] + 1e-9
        assert row.without / 20_000 == pytest.approx(np.isnan(known).mean(), abs=0.015)
        both = comparable_means(scores)[:, [names.index(row.a), names.index(row.b)]]
        assert row.tau == pytest.approx(kendall_tau(*both.T))
    assert set(rows["topics"]) == {4}


def test_the_same_seed_gives_the_same_resamples() -> None:
    found = [correlate(made(), resamples=150, seed=seed).frame("stability") for seed in (1, 1, 2)]
    assert found[0].equals(found[1])
    assert not found[0].equals(found[2])
    of_all = correlate(made(), resamples=150, seed=1, reference="AP").frame("stability")
    assert of_all.to_dict("records") == found[0][found[0]["a"] == "AP"].to_dict("records")


def test_resamples_without_a_tau_are_counted() -> None:
    scores = made(topics=3, measures="AP P@10")
    values = np.zeros((3, 7))
    values[0, :3] = 1  # only the first topic tells the systems apart
    rows = correlate(changed(scores, 1, values), resamples=20_000).frame("stability")
    assert rows["without"].item() / 20_000 == pytest.approx(8 / 27, abs=0.015)
    assert rows[["low", "high"]].notna().all(axis=None)


def test_agreement_topic_by_topic() -> None:
    scores = changed(made(), 1, made().values[:, :, 1])
    values = scores.values.copy()
    values[4, :, 0] = 0.3  # AP gives all systems the same value on this topic
    scores = Scores(values, scores.topics, scores.systems, scores.measures)
    agreement = correlate(scores, reference="AP")
    rows = agreement.frame("per_topic")
    assert list(rows.columns) == ["a", "b", "query_id", "systems", "tau"]
    assert len(rows) == 3 * 12
    for row in rows.itertuples():
        x, y = (scores[name][scores.topics.index(row.query_id)] for name in (row.a, row.b))
        np.testing.assert_allclose(row.tau, stats.kendalltau(x, y).statistic, atol=1e-12)
    summary = agreement.frame("topics")
    assert summary["without"].tolist() == [1, 1, 1]
    assert summary["topics"].tolist() == [11, 11, 11]
    taus = rows["tau"].to_numpy().reshape(3, 12)
    np.testing.assert_allclose(summary["mean"], np.nanmean(taus, axis=1))
    quartiles = np.nanquantile(taus, [0, 0.25, 0.5, 0.75, 1], axis=1).T
    np.testing.assert_allclose(summary[["smallest", "q1", "median", "q3", "largest"]], quartiles)


# -- several views of a measure ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def settings() -> Scores:
    return irmx.scores("AP RBP(p=.5|.8|.95)", qrels_path(), {system: run_path(system) for system in SYSTEMS})


def test_settings_are_correlated_with_a_reference(settings: Scores) -> None:
    agreement = correlate(settings, reference="AP")
    views = agreement.frame("views")
    assert views["RBP.p"].tolist() == [0.5, 0.8, 0.95]
    means = settings.means()
    for row, name in zip(views.to_dict("records"), settings.names[1:], strict=True):
        known = stats.kendalltau(means["AP"], means[name])
        assert (row["tau"], row["p_value"]) == pytest.approx((known.statistic, known.pvalue))
        assert row["tau_ap"] == pytest.approx(tau_ap(means["AP"].to_numpy(), means[name].to_numpy()))
    extremes = agreement.frame("extremes")
    for coefficient, of in extremes.groupby("correlation"):
        values = views[coefficient]
        at = {"lowest": values.min(), "median": sorted(values)[1], "highest": values.max()}
        for row in of.to_dict("records"):
            assert row["value"] == pytest.approx(at[row["which"]])
            assert row["view"] == settings.names[1:][int(np.flatnonzero(np.isclose(values, row["value"]))[0])]
            assert row["views"] == np.isclose(values, row["value"]).sum()


def test_judges_are_correlated_measure_by_measure_and_a_reference_may_be_values_of_systems() -> None:
    runs = {system: run_path(system) for system in SYSTEMS}
    human = irmx.read_qrels(qrels_path()).as_dict()
    strict = {topic: {doc: int(grade > 1) for doc, grade in docs.items()} for topic, docs in human.items()}
    scores = irmx.scores("AP P@5", {"human": human, "strict": strict}, runs)
    frame = correlate(scores, reference={"judgments": "human"}).frame()
    assert len(frame) == 2
    for a, b in zip(frame["a"], frame["b"], strict=True):
        assert a.split()[0] == b.split()[0]
        assert ("human" in a, "strict" in b) == (True, True)
    given = {"bm25": 2.0, "recent": 3.0, "titles": 1.0}
    taus = correlate(scores, reference=given).frame().set_index("b")["tau"]
    means = scores.means()
    order = [given[system] for system in scores.systems]
    assert taus.to_dict() == pytest.approx({name: kendall_tau(order, means[name]) for name in scores.names})
    for name in scores.names:  # of one view there is no other pair
        assert correlate(scores.select(views=[name]), reference=given).frame()["tau"].tolist() == [taus[name]]
    assert not {"stability", "per_topic", "topics", "rbo"} & set(correlate(scores, reference=given).tables)
    with pytest.raises(DataError, match="no value for the run 'titles'"):
        correlate(scores, reference={"bm25": 1.0, "recent": 2.0})
    with pytest.raises(UsageError, match="No view has"):
        correlate(scores, reference={"judgments": "llm"})


# -- what is left out or refused ----------------------------------------------------------------------------


def test_a_measure_that_does_not_rank_the_systems_is_left_out_with_a_note() -> None:
    scores = changed(changed(made(), 1, 0.25), 3, np.nan)
    agreement = correlate(scores)
    assert agreement.measures == ("AP", "RR")
    assert agreement.frame()[["a", "b"]].to_numpy().tolist() == [["AP", "RR"]]
    assert agreement.notes[:2] == (
        "left out, because no system has a value of it on any topic: nDCG@10",
        "left out, because it gives all systems the same mean: P@10",
    )


def test_a_measure_may_rank_the_systems_only_before_rounding() -> None:
    scores = changed(made(), 1, 0.5 + np.arange(7) / 1000)
    assert correlate(scores).left_out == ()
    note = "left out, because it gives all systems the same mean, rounded to 1 decimal place: P@10"
    assert correlate(scores, decimals=1).left_out == (note,)


def test_missing_topics_and_few_topics_are_noted() -> None:
    scores = made()
    states = scores.states.copy()
    states[:2, 3] = irmx.State.DEFAULT
    agreement = correlate(Scores(scores.values, scores.topics, scores.systems, scores.measures, states))
    assert agreement.notes == (
        "topics without results, which count with the measures' defaults: s3 (2 of 12)",
        "with 12 topics, resamples of topics are much alike",
    )
    assert correlate(made(topics=30)).notes == ()


@pytest.mark.parametrize(
    ("scores", "how", "error", "message"),
    [
        (made(systems=2), {}, UsageError, "at least 3 systems. The scores have 2"),
        (made(measures="AP"), {}, UsageError, "at least two measures. There is one, AP"),
        (made(), {"reference": "AP@5"}, UsageError, "AP@5"),
        (changed(made(), 0, 1.0), {"reference": "AP"}, DataError, "The reference AP does not rank the systems"),
        (changed(made(measures="AP"), 0, 1.0), {}, DataError, "No measure ranks the systems: left out, .* AP"),
        (made(measures="AP P@10").select(measures=["AP", "AP"]), {}, UsageError, "the measure AP twice"),
        (made(), {"resamples": 99}, UsageError, "at least 100 resamples of the topics, or 0 for none. Got 99"),
        (made(), {"resamples": -1}, UsageError, r"in the range \[0, 1e\+06\]. Got -1"),
        (made(), {"seed": -1}, UsageError, "'seed' parameter of correlate must be .* Got -1"),
        (made(), {"level": 1.0}, UsageError, r"in \(0, 1\). Got 1.0"),
        (made(), {"decimals": -1}, UsageError, r"decimal places in the range \[0, 15\]. Got -1"),
        (made(), {"rbo_p": 1.5}, UsageError, r"persistence p .* in the range \(0, 1\). Got 1.5"),
        (made(), {"rbo_ties": "z"}, UsageError, "one of w, a, b. Got 'z'"),
    ],
    ids=lambda value: str(value)[:30] if isinstance(value, (dict, str)) else None,
)
def test_what_cannot_be_correlated_is_told(scores: Scores, how: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        correlate(scores, **how)


def test_a_picture_of_views_needs_several() -> None:
    with pytest.raises(UsageError):
        correlate(made(measures="AP RR"), reference="AP").plot("views")


def test_unknown_coefficients_and_no_resamples_are_told() -> None:
    agreement = correlate(made(), resamples=0)
    with pytest.raises(UsageError, match="no coefficient 'tau_b'"):
        agreement.matrix("tau_b")
    assert "stability" not in agreement.tables
    with pytest.raises(UsageError, match="stability"):
        agreement.frame("stability")
    assert "stability" not in agreement.facts()
    assert repr(agreement) == "<Agreement of all pairs: 4 measures, 7 systems>"
