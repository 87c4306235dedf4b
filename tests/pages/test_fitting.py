"""What is learned from preferences: known users come back, held-out agreement grows, and what cannot be told is said."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import chi2

import irmx
from irmx_pages import (
    AS,
    AS_RBP,
    Preferences,
    agreement,
    att,
    fit_preferences,
    page_pairs,
    score_pages,
    simulate_pages,
    simulate_preferences,
    vRecall,
)
from irmx_pages.example import Example, example
from irmx_pages.fit.choice_likelihood import personal_interval
from irmx_pages.fit.choice_likelihood import Votes, fit_weights
from irmx_pages.fit.scores_of_settings import parameter_grid
from irmx_pages.fit.scores_of_settings import PageScorer, with_values

GRID = {"alpha": "1.5:100:12", "beta": "0.5:1:11"}


@pytest.fixture(scope="module")
def collection() -> Example:
    return example(8)


@pytest.fixture(scope="module")
def simulated(collection: Example) -> Any:
    return simulate_pages(collection.qrels, collection.items, collection.verticals, threshold=0.5)


def chosen(collection: Example, simulated: Any, users: dict[str, str], **options: Any) -> Preferences:
    return simulate_preferences(simulated.pages, page_pairs(simulated), collection.qrels, users, **options)


# -- values of many pages in many settings -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "AS_RBP",
        "AS_DCG",
        "AS_ERR",
        "AS_ATT",
        "AS_RBP(normalise=None)@4",
        "AS_ERR(ideal='exact')@3",
        "AS(examination=att,effort={'image':2,'text':3,'video':9},g='literal')",
    ],
)
def test_values_are_those_of_the_measures(collection: Example, simulated: Any, text: str) -> None:
    measure = irmx.parse_measure(text)
    pages = simulated.pages[5:80:3]
    scorer = PageScorer(measure, pages, irmx.read_qrels(collection.qrels))
    setting = with_values(measure, {"alpha": 3.0})
    expected = score_pages(pages, collection.qrels, [setting])["value"].to_numpy()
    np.testing.assert_allclose(scorer.values(setting), expected, rtol=1e-12)
    of_recall = vRecall if measure["cutoff"] is None else vRecall(cutoff=measure["cutoff"])
    recall = score_pages(pages, collection.qrels, [of_recall])["value"].to_numpy()
    np.testing.assert_allclose(scorer.recall, recall, rtol=1e-12)


@pytest.mark.parametrize("text", ["AS_RBP", "AS_ATT", "AS_ERR", "AS_RBP(ideal='exact')@3", "AS_RBP(normalise=None)"])
def test_the_grid_orders_pages_as_the_measures_do(collection: Example, simulated: Any, text: str) -> None:
    measure = irmx.parse_measure(text)
    pages = simulated.pages[:60:7]
    names = {"alpha": "2,20", **({} if "ERR" in text else {"beta": "0.3,0.9"})}
    settings = parameter_grid(measure, names).settings
    scorer = PageScorer(measure, pages, irmx.read_qrels(collection.qrels))
    seen = []
    for places, values in scorer.over_grid(settings):
        for place, column in zip(places, values.T, strict=True):
            one_by_one = scorer.values(with_values(measure, settings[place]))
            for topic in set(scorer.topic.tolist()):
                here = scorer.topic == topic
                divisor = column[here].sum() / one_by_one[here].sum()
                np.testing.assert_allclose(column[here], divisor * one_by_one[here], rtol=1e-9)
        seen += places
    assert sorted(seen) == list(range(len(settings)))


# -- the model of choices ------------------------------------------------------------------------------------------------


def test_weights_are_the_most_likely_ones() -> None:
    from scipy.optimize import minimize

    rng = np.random.default_rng(3)
    for trial in range(12):
        pairs, assessors = int(rng.integers(5, 300)), int(rng.integers(1, 4))
        utility, recall = rng.normal(size=pairs) * 0.1, rng.choice([-0.4, 0, 0.2], pairs)
        pair, who = np.tile(np.arange(pairs), assessors), np.repeat(np.arange(assessors), pairs)
        strength = (
            rng.choice([-5, 0, 20], assessors)[who] * utility[pair] + rng.choice([0, 4], assessors)[who] * recall[pair]
        )
        won = np.where(rng.random(len(pair)) < 0.1, 0.5, rng.random(len(pair)) < 1 / (1 + np.exp(-strength)))
        found = fit_weights(Votes(pair, who, won, assessors), utility, recall)
        least = 0.0
        for k in range(assessors):
            x, w = np.stack([utility * 10, recall])[:, pair[who == k]], won[who == k]

            def loss(c: Any, x: Any = x, w: Any = w) -> Any:
                return (np.logaddexp(0, c @ x) - w * (c @ x)).sum()

            least += minimize(loss, [1, 1], bounds=[(0, 1e3)] * 2, options={"ftol": 1e-12}).fun
        assert (found.utility >= 0).all()
        assert (found.recall >= 0).all()
        assert -found.log_likelihood == pytest.approx(least, abs=1e-4), trial


def test_choices_without_noise_have_finite_weights() -> None:
    votes = Votes(np.arange(4), np.zeros(4, dtype=int), np.array([1.0, 0, 1, 0]), 1)
    found = fit_weights(votes, np.array([0.1, -0.2, 0.3, -0.1]))
    assert np.isfinite(found.utility).all()
    assert found.log_likelihood == pytest.approx(0, abs=1e-3)


def test_l_cannot_be_told_where_pages_show_the_same_verticals() -> None:
    rng = np.random.default_rng(5)
    utility = rng.normal(size=80)
    won = (rng.random(80) < 1 / (1 + np.exp(-2 * utility))).astype(float)
    votes = Votes(np.arange(80), np.zeros(80, dtype=int), won, 1)
    found = fit_weights(votes, utility, np.zeros(80))
    assert found.recall.tolist() == [0]
    assert found.utility == pytest.approx(fit_weights(votes, utility).utility)
    low, high = personal_interval(votes, 0, utility, np.zeros(80))
    assert low == 0
    assert high > 0.98  # l = 1 is a user who cannot choose at all


# -- recovery ------------------------------------------------------------------------------------------------------------

PERSONAL = {"u1": 0.15, "u2": 0.2, "u3": 0.25, "u4": 0.4}


@pytest.fixture(scope="module")
def known(collection: Example, simulated: Any) -> Any:
    users = {name: f"AS_RBP(alpha=4,beta=0.9,personal={value})" for name, value in PERSONAL.items()}
    preferences = chosen(collection, simulated, users, scale=25.0, seed=1)
    return fit_preferences(simulated.pages, preferences, collection.qrels, "AS_RBP", GRID)


@pytest.mark.slow
def test_known_users_are_recovered_within_intervals(known: Any) -> None:
    of = known.parameters.set_index("parameter")
    assert of.loc["alpha", "low"] <= 4 <= of.loc["alpha", "high"] < 10
    assert of.loc["beta", "low"] <= 0.9 <= of.loc["beta", "high"] < of.loc["beta", "low"] + 0.06
    assert (of["note"] == "").all()
    for row in known.assessors.itertuples():
        assert row.low <= PERSONAL[row.assessor] <= row.high < row.low + 0.25


@pytest.mark.slow
def test_what_is_learned_agrees_better_on_held_out_pairs_than_the_default(known: Any) -> None:
    of = known.held_out.set_index("fitted")
    assert of.loc["by likelihood", "agreement"] > of.loc["as given", "agreement"]
    tests = irmx.compare(known.scores, baseline="as given").frame().set_index("a")
    assert tests.loc["by likelihood", "low"] > 0
    assert tests.loc["by likelihood", "p"] < 0.05


@pytest.mark.slow
def test_held_out_agreement_is_that_of_values_learned_without_the_topic(
    known: Any, collection: Example, simulated: Any
) -> None:
    given_row = known.held_out.set_index("fitted").loc["as given"]
    users = {name: f"AS_RBP(alpha=4,beta=0.9,personal={value})" for name, value in PERSONAL.items()}
    preferences = chosen(collection, simulated, users, scale=25.0, seed=1)
    row = agreement(simulated.pages, preferences, collection.qrels, "AS_RBP", levels=[0.75]).iloc[0]
    for name in ("pairs", "ties", "agreement"):
        assert given_row[name] == row[name]


def test_learning_by_agreement_finds_users_without_noise(collection: Example, simulated: Any) -> None:
    preferences = chosen(collection, simulated, {"u": "AS_RBP(alpha=4,beta=0.9)"}, scale=1e6)
    grid = {"alpha": "2,4,10,50", "beta": "0.5,0.7,0.9"}
    found = fit_preferences(simulated.pages, preferences, collection.qrels, "AS_RBP", grid, folds=4, personal=False)
    assert found.by_agreement == AS_RBP(alpha=4, beta=0.9)
    assert found.parameters["fold_low"].tolist() == found.parameters["fold_high"].tolist() == [4, 0.9]
    row = found.held_out.set_index("fitted").loc["by agreement"]
    assert row["agreement"] == 1 - row["ties"] / 2 / row["pairs"] > 0.99
    assert found.assessors.empty


@pytest.mark.slow
def test_nothing_is_learned_from_votes_by_chance(collection: Example, simulated: Any) -> None:
    preferences = chosen(collection, simulated, {"u": "AS_RBP"}, scale=1e-9, seed=2)
    found = fit_preferences(simulated.pages, preferences, collection.qrels, "AS_RBP", GRID, folds=4)
    assert found.scores.means()["agreement@0.75"].to_numpy() == pytest.approx([0.5] * 3, abs=0.1)
    assert (found.parameters["note"] != "").any()


def test_votes_that_both_pages_are_bad_do_not_move_what_is_learned(collection: Example, simulated: Any) -> None:
    """Users who refuse to choose between two poor pages choose between others as before; the truth comes back."""
    users = {name: f"AS_RBP(alpha=4,beta=0.9,personal={value})" for name, value in PERSONAL.items()}
    plain = chosen(collection, simulated, users, scale=25.0, seed=1)
    given = chosen(collection, simulated, users, scale=25.0, seed=1, bad_below=0.6)
    share = given.both_bad.mean()
    assert 0.05 < share < 0.8
    assert given.counts.sum() == plain.counts.sum()
    assert (given.answer[~given.both_bad] == plain.answer[~given.both_bad]).all()
    grid = {"beta": "0.5:1:11"}
    found = fit_preferences(simulated.pages, given, collection.qrels, "AS_RBP(alpha=4)", grid, folds=2)
    low, high = found.parameters.loc[0, ["low", "high"]]
    assert low <= 0.9 <= high < low + 0.08
    for row in found.assessors.itertuples():
        assert row.low <= PERSONAL[row.assessor] <= row.high < row.low + 0.3
        assert row.votes + row.both_bad == len(given)
    assert found.assessors["both_bad"].sum() == given.both_bad.sum()
    majority = given.majority(0.75)
    assert found.held_out["pairs"].tolist() == [int((majority != 0).sum())] * 3
    assert (majority[given.majority_both_bad(0.75)] == 0).all()


def test_the_l_of_active_assessors_is_found_by_agreement(collection: Example, simulated: Any) -> None:
    users = {"none": 0.0, "some": 0.25, "much": 0.6, "seldom": 0.9}
    measures = {name: f"AS_RBP(beta=0.9,personal={value})" for name, value in users.items()}
    table = chosen(collection, simulated, measures, scale=1e6).frame()
    table = table[(table["assessor"] != "seldom") | (table.index % 3 == 0)]
    found = fit_preferences(
        *(simulated.pages, table, collection.qrels, "AS_RBP(beta=0.9)", {"alpha": "8,10,12"}),
        folds=2,
        active=3,
        personal_grid="0:1:101",
    )
    assert found.active["assessor"].tolist() == ["none", "some", "much"]
    assert "seldom" in found.assessors["assessor"].tolist()
    for row in found.active.itertuples():
        assert row.l == pytest.approx(users[row.assessor], abs=0.03)
        assert row.fold_low <= row.l + 0.03
        assert row.fold_high >= row.l - 0.03
        assert row.own > 0.97
        assert row.difference == pytest.approx(row.own - row.without)
    by_name = found.active.set_index("assessor")
    assert by_name.loc["much", "difference"] > 0.05
    assert abs(by_name.loc["none", "difference"]) < 0.02


def test_l_by_agreement_is_not_told_where_pages_show_the_same_verticals() -> None:
    made = example(4)
    pages = [p for p in simulate_pages(made.qrels, made.items, made.verticals).pages if p.page_id.startswith("perfect")]
    names = sorted({p.page_id for p in pages})
    rows = [(t, a, b) for t in sorted({p.query_id for p in pages}) for a, b in itertools.combinations(names, 2)]
    pairs = pd.DataFrame(rows, columns=["query_id", "page_a", "page_b"])
    votes = simulate_preferences(pages, pairs, made.qrels, {"u": "AS_RBP"}, scale=1e6)
    found = fit_preferences(
        pages, votes, made.qrels, "AS_RBP", {"beta": "0.7,0.8,0.9"}, folds=2, personal_grid="0,.5,.9"
    )
    [row] = found.active.itertuples()
    assert np.isnan([row.l, row.fold_low, row.fold_high]).all()
    assert row.own == row.without
    assert row.difference == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"personal_grid": "0:2"}, r"The 'l' parameter of the fit must be a float in the range \[0, 1\]. Got 2"),
        ({"personal_grid": "x"}, r"The 'l' parameter of the fit must be a float in the range \[0, 1\]. Got 'x'"),
        ({"active": -1}, r"'active' must be an int in the range \[0, inf\)"),
        ({"failed_traps": 1.5}, "'failed_traps' must be an int"),
    ],
)
def test_options_that_are_wrong(collection: Example, simulated: Any, options: dict[str, Any], said: str) -> None:
    preferences = chosen(collection, simulated, {"u": "AS_RBP"})
    with pytest.raises(irmx.UsageError, match=said):
        fit_preferences(simulated.pages, preferences, collection.qrels, "AS_RBP", GRID, **options)


def test_a_fit_shows_its_progress_on_standard_error_where_asked_for(
    collection: Example, simulated: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    preferences = chosen(collection, simulated, {"u": "AS_RBP"})
    arguments = (simulated.pages, preferences, collection.qrels, "AS_RBP", {"beta": "0.7,0.8,0.9"})
    fit_preferences(*arguments, folds=2, personal=False)
    assert capfd.readouterr() == ("", "")
    fit_preferences(*arguments, folds=2, personal=False, progress=True)
    out, err = capfd.readouterr()
    assert out == ""
    assert "Fitting AS_RBP" in err
    assert "7/7" in err


def test_alpha_cannot_be_told_where_all_verticals_are_as_good_as_the_web() -> None:
    made = example(4, orientation=0.5)
    pages = simulate_pages(made.qrels, made.items, made.verticals, threshold=0.4)
    votes = simulate_preferences(pages.pages, page_pairs(pages), made.qrels, {"u": "AS_RBP(alpha=4,beta=0.9)"})
    grid = {"alpha": "1.5:100:5", "beta": "0.5:1:5"}
    found = fit_preferences(
        pages.pages, votes, made.qrels, "AS_RBP(ideal_threshold=0.4)", grid, folds=2, personal=False
    )
    of = found.parameters.set_index("parameter")
    assert of.loc["alpha", ["low", "high"]].tolist() == [1.5, 100]
    assert of.loc["alpha", "note"] == "not identified within the range"
    assert of.loc["beta", "low"] > 0.5


def test_the_model_of_a_general_measure_is_fitted(collection: Example, simulated: Any) -> None:
    preferences = chosen(collection, simulated, {"u": "AS_ATT(beta=0.8)"}, scale=1e6)
    found = fit_preferences(
        simulated.pages,
        preferences,
        collection.qrels,
        AS(examination=att),
        {"beta": [0.2, 0.5, 0.8]},
        folds=2,
        personal=False,
    )
    assert found.by_agreement == AS(examination=att(beta=0.8))


# -- intervals -----------------------------------------------------------------------------------------------------------


def most_likely(difference: Any, won: Any) -> float:
    """The log-likelihood of choices between pages whose values differ so much, at the best decisiveness."""
    return -minimize_scalar(
        lambda s: (np.logaddexp(0, s * difference) - won * s * difference).sum(),
        bounds=(0, 500),
        method="bounded",
        options={"xatol": 1e-9},
    ).fun


def test_intervals_end_where_the_likelihood_has_fallen_by_half_a_quantile_of_chi_squared(
    collection: Example, simulated: Any
) -> None:
    preferences = chosen(collection, simulated, {"u": "AS_RBP(beta=0.8,personal=0.3)"}, scale=12.0)
    arguments = (simulated.pages, preferences, collection.qrels, "AS_RBP", {"beta": "0.3:1:15"})
    found = fit_preferences(*arguments, folds=2, personal=False).parameters.iloc[0]
    l_of = fit_preferences(*arguments[:3], "AS_RBP(alpha=10)", {"beta": "0.7999,0.8001"}, folds=2).assessors.iloc[0]
    votes = preferences.frame()
    won = (votes["choice"] == "a").to_numpy()

    def lost(measure: str) -> float:
        table = score_pages(simulated.pages, collection.qrels, measure).set_index(["query_id", "page_id"])["value"]
        a, b = (table[list(zip(votes["query_id"], votes[p], strict=True))].to_numpy() for p in ("page_a", "page_b"))
        return most_likely(a - b, won)

    fall = chi2.ppf(0.95, 1) / 2
    best = lost(f"AS_RBP(beta={found['by_likelihood']})")
    for end in ("low", "high"):
        assert best - lost(f"AS_RBP(beta={found[end]})") == pytest.approx(fall, abs=0.05)
    best = lost(f"AS_RBP(personal={l_of['l']})")
    for end in ("low", "high"):
        assert best - lost(f"AS_RBP(personal={l_of[end]})") == pytest.approx(fall, abs=0.01)


# -- requests that cannot be fulfilled -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("measure", "grid", "said"),
    [
        (
            "nDCG@10",
            {"alpha": "2:3"},
            "nDCG@10 cannot be fitted. The measures that can be are the page utilities AS_DCG",
        ),
        ("AS_RBP(personal=0.2)", {"alpha": "2:3"}, "already has a value of 'personal'"),
        ("AS_RBP(beta=0.7)", {"beta": "0.5:1"}, "already has a value of 'beta'"),
        ("AS(examination=rbp(beta=0.7))", {"beta": "0.5:1"}, "already has a value of 'beta'"),
        ("AS_RBP", {"gamma": "0:1"}, "'gamma' of AS_RBP cannot be fitted. The parameters that can be: alpha, beta"),
        ("AS_RBP", {"personal": "0:1"}, "'personal' of AS_RBP is fitted separately for every assessor"),
        ("AS_RBP", {}, "The grid is empty"),
        ("AS_RBP", {"alpha": "1:100"}, "The 'alpha' parameter of AS_RBP must be a number in the range"),
        ("AS_RBP", {"beta": "0.5:1.5"}, "The 'beta' parameter of AS_RBP must be a float in the range"),
        ("AS_RBP", {"alpha": "7"}, "only one value of 'alpha', 7"),
        ("AS_RBP", {"alpha": "9:2"}, "'9:2' is not a range of 'alpha'"),
        ("AS_RBP", {"alpha": "2:9:1"}, "'2:9:1' is not a range of 'alpha'"),
        ("AS_RBP", {"alpha": "2:9:3:4"}, "'2:9:3:4' is not a range of 'alpha'"),
        ("AS_RBP", {"alpha": "2:9:2.5"}, "'2:9:2.5' is not a range of 'alpha'"),
        ("AS_RBP", {"alpha": "2,ten"}, "The 'alpha' parameter of AS_RBP must be a number .* Got 'ten'"),
        ("AS_RBP", {"alpha": "2,"}, "AS_RBP has an empty value of 'alpha'"),
        ("AS_RBP", {"alpha": "2:inf"}, "The 'alpha' parameter of AS_RBP must be a number .* Got 'inf'"),
        ("AS_RBP", {"alpha": "2,3*beta"}, "The grid value 3\\*beta of 'alpha' is not a number; each parameter"),
    ],
)
def test_what_cannot_be_fitted(
    collection: Example, simulated: Any, measure: str, grid: dict[str, str], said: str
) -> None:
    preferences = chosen(collection, simulated, {"u": "P@1"})
    with pytest.raises(irmx.UsageError, match=said):
        fit_preferences(simulated.pages, preferences, collection.qrels, measure, grid)


def test_folds_and_majorities_that_are_not_there(collection: Example, simulated: Any) -> None:
    preferences = chosen(collection, simulated, {"u": "AS_RBP"})
    for folds in (1, 9, 2.5, True):
        with pytest.raises(irmx.UsageError, match=r"folds must be an int from 2 to 8, the number of topics .*. Got"):
            fit_preferences(simulated.pages, preferences, collection.qrels, "AS_RBP", GRID, folds=folds)  # type: ignore[arg-type]
    table = preferences.frame().assign(choice="tie")
    table.loc[table["query_id"] == "t1", "choice"] = "a"
    with pytest.raises(irmx.DataError, match=r"In [1-5] of 5 folds no pair has a majority of 0.75"):
        fit_preferences(simulated.pages, table, collection.qrels, "AS_RBP", GRID)
    with pytest.raises(irmx.DataError, match="no page 'elsewhere'"):
        fit_preferences(simulated.pages, table.replace("bad-bm25-bad", "elsewhere"), collection.qrels, "AS_RBP", GRID)
