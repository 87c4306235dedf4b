"""What is learned from preferences: known users come back, held-out agreement grows, and what cannot be told is said."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize, minimize_scalar
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
)
from irmx_pages.example import Example, example

GRID = {"alpha": "1.5:100:12", "beta": "0.5:1:11"}
PERSONAL = {"u1": 0.15, "u2": 0.2, "u3": 0.25, "u4": 0.4}
USERS = {name: f"AS_RBP(alpha=4,beta=0.9,personal={value})" for name, value in PERSONAL.items()}


@pytest.fixture(scope="module")
def collection() -> Example:
    return example(8)


@pytest.fixture(scope="module")
def simulated(collection: Example) -> Any:
    return simulate_pages(collection.qrels, collection.items, collection.verticals, threshold=0.5)


def chosen(collection: Example, simulated: Any, users: dict[str, str], **options: Any) -> Preferences:
    return simulate_preferences(simulated.pages, page_pairs(simulated), collection.qrels, users, **options)


@pytest.fixture(scope="module")
def known(collection: Example, simulated: Any) -> tuple[Preferences, Any]:
    """The votes of users with known parameters, and the fit to them."""
    preferences = chosen(collection, simulated, USERS, scale=25.0, seed=1)
    return preferences, fit_preferences(simulated.pages, preferences, collection.qrels, "AS_RBP", GRID)


@pytest.mark.slow
def test_known_users_are_recovered_within_intervals(known: Any) -> None:
    of = known[1].parameters.set_index("parameter")
    assert of.loc["alpha", "low"] <= 4 <= of.loc["alpha", "high"] < 10
    assert of.loc["beta", "low"] <= 0.9 <= of.loc["beta", "high"] < of.loc["beta", "low"] + 0.06
    assert (of["note"] == "").all()
    for row in known[1].assessors.itertuples():
        assert row.low <= PERSONAL[row.assessor] <= row.high < row.low + 0.25


@pytest.mark.slow
def test_what_is_learned_agrees_better_on_held_out_pairs(known: Any, collection: Example, simulated: Any) -> None:
    preferences, fit = known
    of = fit.held_out.set_index("fitted")
    row = agreement(simulated.pages, preferences, collection.qrels, "AS_RBP", levels=[0.75]).iloc[0]
    names = ["pairs", "ties", "agreement"]
    assert of.loc["as given", names].tolist() == row[names].tolist()
    gained = of["agreement"] - of.loc["as given", "agreement"]
    assert of["difference"].tolist()[1:] == pytest.approx(gained.tolist()[1:])
    tests = irmx.compare(fit.scores, baseline="as given").frame().set_index("a")
    assert tests.loc["by likelihood", "low"] > 0
    assert tests.loc["by likelihood", "p"] < 0.05


@pytest.mark.slow
def test_learning_by_agreement_finds_users_without_noise(collection: Example, simulated: Any) -> None:
    preferences = chosen(collection, simulated, {"u": "AS_RBP(alpha=4,beta=0.9)"}, scale=1e6)
    grid = {"alpha": "2,4,10,50", "beta": "0.5,0.7,0.9"}
    found = fit_preferences(simulated.pages, preferences, collection.qrels, "AS_RBP", grid, folds=4, personal=False)
    assert found.by_agreement == AS_RBP(alpha=4, beta=0.9)
    assert found.parameters["fold_low"].tolist() == found.parameters["fold_high"].tolist() == [4, 0.9]
    row = found.held_out.set_index("fitted").loc["by agreement"]
    assert row["agreement"] == 1 - row["ties"] / 2 / row["pairs"] > 0.99
    assert found.assessors.empty
    assert found.active.empty


@pytest.mark.parametrize(
    ("truth", "measure", "grid"),
    [
        ("AS_ATT(beta=0.8)", AS(examination=att), {"beta": [0.2, 0.5, 0.8]}),
        ("AS_ERR(alpha=3)", "AS_ERR(normalise=None)", {"alpha": "3,10,40"}),
        ("AS_ERR(alpha=3,max_grade=1.0)", "AS_ERR(max_grade=1.0)", {"alpha": "3,10,40"}),
        ("AS_DCG(alpha=3,ideal='exact')@3", "AS_DCG(ideal='exact')@3", {"alpha": "3,40"}),
        ("AS_RBP(beta=0.9)", "AS_RBP", {"beta": ".5:.9:3"}),
    ],
)
def test_every_kind_of_measure_is_fitted(
    collection: Example, simulated: Any, truth: str, measure: Any, grid: dict[str, Any]
) -> None:
    few = [page for page in simulated.pages if page.query_id in ("t1", "t2", "t3")]
    pairs = page_pairs(simulated).query("query_id in ('t1', 't2', 't3')")
    preferences = simulate_preferences(few, pairs, collection.qrels, {"u": truth}, scale=1e6)
    found = fit_preferences(few, preferences, collection.qrels, measure, grid, folds=2, personal=False)
    [name] = grid
    true = irmx.parse_measure(truth)[name]
    assert found.parameters["by_agreement"].tolist() == [true]
    ends = found.parameters[["low", "high"]].iloc[0]
    assert ends["low"] - 0.02 * true <= true <= ends["high"] + 0.02 * true


@pytest.mark.slow
def test_nothing_is_learned_from_votes_by_chance(collection: Example, simulated: Any) -> None:
    preferences = chosen(collection, simulated, {"u": "AS_RBP"}, scale=1e-9, seed=2)
    found = fit_preferences(simulated.pages, preferences, collection.qrels, "AS_RBP", GRID, folds=4)
    assert found.scores.means()["agreement@0.75"].to_numpy() == pytest.approx([0.5] * 3, abs=0.1)
    assert (found.parameters["note"] != "").any()


def test_votes_that_both_pages_are_bad_do_not_move_what_is_learned(collection: Example, simulated: Any) -> None:
    """Users who refuse to choose between two poor pages choose between others as before; the truth comes back."""
    plain = chosen(collection, simulated, USERS, scale=25.0, seed=1)
    given = chosen(collection, simulated, USERS, scale=25.0, seed=1, bad_below=0.6)
    assert 0.05 < given.both_bad.mean() < 0.8
    assert (given.answer[~given.both_bad] == plain.answer[~given.both_bad]).all()
    grid = {"beta": "0.5:1:11"}
    found = fit_preferences(simulated.pages, given, collection.qrels, "AS_RBP(alpha=4)", grid, folds=2)
    low, high = found.parameters.loc[0, ["low", "high"]]
    assert low <= 0.9 <= high < low + 0.08
    for row in found.assessors.itertuples():
        assert row.low <= PERSONAL[row.assessor] <= row.high < row.low + 0.3
        assert row.votes + row.both_bad == len(given)
    assert found.assessors["both_bad"].sum() == given.both_bad.sum()
    assert found.held_out["pairs"].tolist() == [int((given.majority(0.75) != 0).sum())] * 3


@pytest.mark.slow
def test_the_l_of_active_assessors_is_found_by_agreement(collection: Example, simulated: Any) -> None:
    users = {"none": 0.0, "some": 0.25, "much": 0.6, "seldom": 0.9}
    measures = {name: f"AS_RBP(beta=0.9,personal={value})" for name, value in users.items()}
    table = chosen(collection, simulated, measures, scale=1e6).frame()
    table = table[(table["assessor"] != "seldom") | (table.index % 3 == 0)]
    arguments = (simulated.pages, table, collection.qrels, "AS_RBP(beta=0.9)", {"alpha": "8,10,12"})
    found = fit_preferences(*arguments, folds=2, active=3, personal_grid="0:1:101")
    assert found.active["assessor"].tolist() == ["none", "some", "much"]
    assert "seldom" in found.assessors["assessor"].tolist()
    for row in found.active.itertuples():
        assert row.l == pytest.approx(users[row.assessor], abs=0.03)
        assert row.fold_low - 0.03 <= row.l <= row.fold_high + 0.03
        assert row.own > 0.97
        assert row.difference == pytest.approx(row.own - row.without)
    differences = found.active.set_index("assessor")["difference"]
    assert differences["much"] > 0.05
    assert abs(differences["none"]) < 0.02


def test_the_l_of_an_active_assessor_is_learned_without_noise(collection: Example, simulated: Any) -> None:
    preferences = chosen(collection, simulated, {"u": "AS_RBP(beta=0.9,personal=0.5)"}, scale=1e6)
    arguments = (simulated.pages, preferences, collection.qrels, "AS_RBP(beta=0.9)", {"alpha": "9,11"})
    [row] = fit_preferences(*arguments, folds=2, active=1, personal_grid="0,.5,1").active.itertuples()
    assert (row.l, row.fold_low, row.fold_high) == (0.5, 0.5, 0.5)
    assert row.own > 0.97
    assert row.difference == pytest.approx(row.own - row.without)


# -- likelihood and its intervals, by another route --------------------------------------------------------------------


def test_the_likelihood_is_that_of_scipy_and_has_fallen_by_half_a_quantile_of_chi_squared_at_the_ends(
    collection: Example, simulated: Any
) -> None:
    preferences = chosen(collection, simulated, {"u": "AS_RBP(beta=0.8,personal=0.3)"}, scale=12.0)
    arguments = (simulated.pages, preferences, collection.qrels)
    found = fit_preferences(*arguments, "AS_RBP", {"beta": "0.3:1:15"}, folds=2, personal=False).parameters.iloc[0]
    nearly = {"beta": "0.7999,0.8001"}  # so that l is fitted at a known beta
    of_l = fit_preferences(*arguments, "AS_RBP", nearly, folds=2).assessors.iloc[0]
    votes = preferences.frame()
    won = (votes["choice"] == "a").to_numpy()

    def difference(measure: str) -> Any:
        table = score_pages(simulated.pages, collection.qrels, measure).set_index(["query_id", "page_id"])["value"]
        a, b = (table[list(zip(votes["query_id"], votes[p], strict=True))].to_numpy() for p in ("page_a", "page_b"))
        return a - b

    def loss(strength: Any) -> float:
        return float((np.logaddexp(0, strength) - won * strength).sum())

    def profile(measure: str) -> float:
        d = difference(measure)
        return minimize_scalar(lambda s: loss(s * d), bounds=(0, 500), method="bounded", options={"xatol": 1e-9}).fun

    fall, least = chi2.ppf(0.95, 1) / 2, profile(f"AS_RBP(beta={found['by_likelihood']})")
    for beta in np.linspace(0.4, 0.95, 12):
        assert profile(f"AS_RBP(beta={beta})") >= least - 1e-6
    for end in ("low", "high"):
        assert profile(f"AS_RBP(beta={found[end]})") - least == pytest.approx(fall, abs=0.05)
    columns = np.stack([difference("AS_RBP"), difference("AS_RBP(personal=1)")])
    best = minimize(lambda w: loss(10 * w @ columns), [1, 1], bounds=[(0, None)] * 2, options={"ftol": 1e-14})
    assert of_l["l"] == pytest.approx(best.x[1] / best.x.sum(), abs=2e-3)
    for end in ("low", "high"):
        assert profile(f"AS_RBP(personal={of_l[end]})") - best.fun == pytest.approx(fall, abs=0.01)


def test_l_is_known_unless_votes_go_against_both_utility_and_recall(collection: Example, simulated: Any) -> None:
    """At weights of 0 the likelihood rises with a weight if votes for the larger value outweigh those against it."""
    users = {f"u{k}": "AS_RBP" for k in range(25)}
    votes = chosen(collection, simulated, users, scale=1e-9).frame().groupby("assessor").sample(15, random_state=2)
    nearly = {"beta": "0.7999,0.8001"}
    found = fit_preferences(simulated.pages, votes, collection.qrels, "AS_RBP", nearly, folds=2, active=0).assessors
    rises = np.zeros(len(votes), dtype=bool)
    for measure in ("AS_RBP", "AS_RBP(personal=1)"):
        of = score_pages(simulated.pages, collection.qrels, measure).set_index(["query_id", "page_id"])["value"]
        a, b = (of[list(zip(votes["query_id"], votes[p], strict=True))].to_numpy() for p in ("page_a", "page_b"))
        signed = (a - b) * np.where(votes["choice"] == "a", 1, -1)
        rises |= pd.Series(signed).groupby(votes["assessor"].to_numpy()).transform("sum").to_numpy() > 0
    known = dict(zip(votes["assessor"], rises.tolist(), strict=True))
    assert 5 < sum(known.values()) < 20
    assert dict(zip(found["assessor"], found["l"].notna().tolist(), strict=True)) == known


def test_choices_without_noise_have_finite_estimates(collection: Example, simulated: Any) -> None:
    preferences = chosen(collection, simulated, {"u": "AS_RBP", "v": "AS_RBP(beta=0.3)"}, scale=1e9)
    found = fit_preferences(simulated.pages, preferences, collection.qrels, "AS_RBP", {"beta": "0.2,0.8"}, folds=2)
    assert np.isfinite(found.assessors[["l", "low", "high"]].to_numpy()).all()
    assert found.assessors["own"].iloc[0] > 0.9


# -- what preferences do not tell --------------------------------------------------------------------------------------


def test_l_is_not_told_where_pages_show_the_same_verticals() -> None:
    made = example(4)
    pages = [p for p in simulate_pages(made.qrels, made.items, made.verticals).pages if p.page_id.startswith("perfect")]
    names = sorted({p.page_id for p in pages})
    rows = [(t, a, b) for t in sorted({p.query_id for p in pages}) for a, b in itertools.combinations(names, 2)]
    pairs = pd.DataFrame(rows, columns=["query_id", "page_a", "page_b"])
    votes = simulate_preferences(pages, pairs, made.qrels, {"u": "AS_RBP"})
    grid = {"beta": "0.7,0.8,0.9"}
    found = fit_preferences(pages, votes, made.qrels, "AS_RBP", grid, folds=2, personal_grid="0,.5,.9")
    [row], [of_likelihood] = found.active.itertuples(), found.assessors.itertuples()
    assert np.isnan([row.l, row.fold_low, row.fold_high]).all()
    assert (row.own, row.difference) == (row.without, 0)
    assert of_likelihood.l == of_likelihood.low == 0
    assert of_likelihood.high > 0.9  # l = 1 is a user who cannot choose at all


def test_alpha_cannot_be_told_where_all_verticals_are_as_good_as_the_web() -> None:
    made = example(4, orientation=0.5)
    pages = simulate_pages(made.qrels, made.items, made.verticals, threshold=0.4)
    votes = simulate_preferences(pages.pages, page_pairs(pages), made.qrels, {"u": "AS_RBP(alpha=4,beta=0.9)"})
    grid = {"alpha": "1.5:100:5", "beta": "0.5:1:5"}
    arguments = (pages.pages, votes, made.qrels, "AS_RBP(ideal_threshold=0.4)", grid)
    of = fit_preferences(*arguments, folds=2, personal=False).parameters.set_index("parameter")
    assert of.loc["alpha", ["low", "high", "note"]].tolist() == [1.5, 100, "not identified within the range"]
    assert of.loc["alpha", "by_agreement"] == pytest.approx(50.75)  # the middle of settings that agree equally often
    assert of.loc["beta", "low"] > 0.5


# -- requests that cannot be fulfilled ---------------------------------------------------------------------------------

FEW = {"alpha": "2,9"}


@pytest.mark.parametrize(
    ("measure", "grid", "options", "said"),
    [
        ("nDCG@10", FEW, {}, "nDCG@10 cannot be fitted. The measures that can be are the page utilities AS_DCG"),
        ("AS_RBP(personal=0.2)", FEW, {}, "already has a value of 'personal'"),
        ("AS_RBP(beta=0.7)", {"beta": "0.5:1"}, {}, "already has a value of 'beta'"),
        ("AS(examination=rbp(beta=0.7))", {"beta": "0.5:1"}, {}, "already has a value of 'beta'"),
        ("AS_RBP", {"gamma": "0:1"}, {}, "'gamma' of AS_RBP cannot be fitted. The parameters that can be: alpha, beta"),
        ("AS_RBP", {"personal": "0:1"}, {}, "'personal' of AS_RBP is fitted separately for every assessor"),
        ("AS_RBP", {"alpha": "1:100"}, {}, "Begin a grid at 1.01, or take g='literal'"),
        ("AS_RBP", {"beta": "0.5:1.5"}, {}, "The 'beta' parameter of AS_RBP must be a float in the range"),
        ("AS_RBP", {"alpha": "7"}, {}, "only one value of 'alpha', 7"),
        ("AS_RBP", {"alpha": "9:2"}, {}, "'9:2' is not a range of 'alpha'"),
        ("AS_RBP", {"alpha": "2,3*beta"}, {}, "The grid value 3\\*beta of 'alpha' is not a number; each parameter"),
        ("AS_RBP", FEW, {"personal_grid": "0:2"}, r"'l' parameter of the fit must be .* in the range \[0, 1\]. Got 2"),
        ("AS_RBP", FEW, {"active": -1}, r"'active' parameter .* must be an int in the range \[0, inf\)"),
        ("AS_RBP", FEW, {"failed_traps": 1.5}, "'failed_traps' parameter .* must be an int"),
        *(("AS_RBP", FEW, {"folds": k}, r"'folds' parameter .* must be an int in the range \[2, 8\]. Got")
          for k in (1, 9)),
    ],
)  # fmt: skip
def test_what_cannot_be_fitted(
    collection: Example, simulated: Any, measure: str, grid: Any, options: dict[str, Any], said: str
) -> None:
    preferences = chosen(collection, simulated, {"u": "P@1"})
    with pytest.raises(irmx.UsageError, match=said):
        fit_preferences(simulated.pages, preferences, collection.qrels, measure, grid, **options)


def test_preferences_on_one_topic_are_not_fitted(collection: Example, simulated: Any) -> None:
    table = chosen(collection, simulated, {"u": "P@1"}).frame()
    with pytest.raises(irmx.UsageError, match="at least two topics"):
        fit_preferences(simulated.pages, table[table["query_id"] == "t1"], collection.qrels, "AS_RBP", FEW)


def test_folds_and_pages_that_are_not_there(collection: Example, simulated: Any) -> None:
    table = chosen(collection, simulated, {"u": "AS_RBP"}).frame()
    ties = table.assign(choice=table["choice"].where(table["query_id"] == "t1", "tie"))
    for votes, said in (
        (ties, r"In [1-5] of 5 folds no pair has a majority of 0.75"),
        (table.replace("bad-bm25-bad", "elsewhere"), "no page 'elsewhere'"),
    ):
        with pytest.raises(irmx.DataError, match=said):
            fit_preferences(simulated.pages, votes, collection.qrels, "AS_RBP", GRID)


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


@pytest.mark.slow
def test_careful_users_are_recovered_from_among_careless_ones() -> None:
    """Of six simulated assessors three toss coins; with traps the fit is that of the other three alone."""
    made = example(4)
    simulated = simulate_pages(made.qrels, made.items, made.verticals)
    careful = {f"u{i}": "AS_RBP(alpha=4,beta=0.9)" for i in range(3)}
    pairs = page_pairs(simulated)
    table = simulate_preferences(simulated.pages, pairs, made.qrels, careful, scale=1e6).frame().assign(trap="")
    coins = pd.concat([table.query("assessor == 'u0'").assign(assessor=f"coin{i}") for i in range(3)])
    coins["choice"] = np.random.default_rng(4).choice(["a", "b"], len(coins))
    people = [*careful, "coin0", "coin1", "coin2"]
    rows = [
        ("t1", f"good{i}", "poor", who, "a" if who in careful else "ab"[i % 2], "a") for who in people for i in range(8)
    ]
    traps = pd.DataFrame(rows, columns=["query_id", "page_a", "page_b", "assessor", "choice", "trap"])
    arguments = (made.qrels, "AS_RBP", {"alpha": "2,4,10,50", "beta": "0.5,0.7,0.9"})
    options: dict[str, Any] = {"folds": 2, "personal": False, "level": 1}
    with pytest.warns(irmx.DataWarning, match="3 of 6 assessors"):
        found = fit_preferences(simulated.pages, pd.concat([table, coins, traps]), *arguments, **options)
    alone = fit_preferences(simulated.pages, table, *arguments, **options)
    assert found.by_agreement.params == {"alpha": 4, "beta": 0.9}
    assert found.parameters.equals(alone.parameters)
    assert found.held_out.equals(alone.held_out)
