"""Pages of real engines, a user study and sessions of a search engine: what the result pages say, by other routes."""

from __future__ import annotations

import importlib
import math
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau, spearmanr

import irmx
from irmx_pages import (
    AS,
    Page,
    agreement,
    by_position,
    examination_log_likelihoods,
    examination_of_clicks,
    fit_effort,
    fit_examination,
    page_pairs,
    page_runs,
    score_pages,
)

pytestmark = pytest.mark.real

RESULTS = Path(__file__).parent.parent.parent / "docs" / "results"
MODELS = ("AS_DCG", "AS_RBP", "AS_ERR", "AS_ATT")


def data(name: str) -> Path:
    return Path(os.environ["IRMX_DATA"]).resolve() / name


@cache
def script(name: str) -> ModuleType:
    """The program that makes a page of results."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(RESULTS)  # for other programs, which it imports
        return importlib.import_module(name)


def written(name: str) -> str:
    return (RESULTS / f"{name}.md").read_text(encoding="utf-8")


# -- pages of engines ----------------------------------------------------------------------------------------


@cache
def engines() -> tuple[Any, Any, pd.DataFrame]:
    """The track, the simulated pages, and the measures of every page."""
    page = script("fedweb13_pages")
    found = page.track(data("fedweb13"))
    pages = page.simulated(found)
    return found, pages, page.scores(found, pages)


def test_what_is_read_of_the_track() -> None:
    found, pages, _ = engines()
    assert len(found.results) == 32_096
    assert found.results["query_id"].nunique() == 50
    assert found.results["relevance"].value_counts().to_dict() == {0: 26_441, 1: 2_436, 3: 1_906, 7: 1_313}
    assert found.results.groupby(["query_id", "engine"])["rank"].apply(lambda ranks: ranks.is_unique).all()
    assert len(pages.pages) == 50 * 36


def test_the_rule_for_engines_of_several_verticals() -> None:
    vertical_of = script("fedweb13_pages").vertical_of
    official = pd.read_csv(data("fedweb13") / "engines_verticals.tsv", sep="\t")
    found = {name: vertical_of(text) for name, text in zip(official["name"], official["vertical"], strict=True)}
    assert (found["YouTube"], found["Flickr"], found["PubMed"], found["Baidu"]) == (
        "Video",
        "Photo/Pictures",
        "Academic",
        "web",
    )


def test_orientation_is_that_of_the_derived_file_where_engines_count_in_all_their_verticals() -> None:
    found, _, _ = engines()
    official = pd.read_csv(data("fedweb13") / "engines_verticals.tsv", sep="\t")
    official["vertical"] = official["vertical"].str.split(",")
    lists = found.results.groupby(["query_id", "engine"])["weight"].sum().div(10).rename("precision").reset_index()
    best = (
        lists.merge(official.explode("vertical")[["engine", "vertical"]])
        .groupby(["query_id", "vertical"])["precision"]
        .max()
    )
    derived = pd.read_csv(data("fedweb13") / "derived_vertical_orientation.tsv", sep="\t", dtype={"topic": str})
    theirs = derived.set_index(["topic", "vertical"])["max_graded_precision"]
    assert len(theirs) == 1_050
    assert best.reindex(theirs.index).to_numpy() == pytest.approx(theirs.to_numpy(), abs=1e-9)
    one = found.orientation.set_index(["query_id", "vertical"])["orientation"].drop("web", level="vertical")
    alone = set(one.index.get_level_values("vertical")) - {"Audio", "Video", "Photo/Pictures", "Books", "Q&A", "Kids"}
    alone -= {"Academic", "Health", "Entertainment", "Sports", "News", "Tech"}
    assert len(alone) > 5
    for topic, vertical in one.index[one.index.get_level_values("vertical").isin(alone)]:
        assert one[topic, vertical] == pytest.approx(theirs[topic, vertical], abs=1e-9)


def plain_utility(page: Page, relevance: dict[str, float], orientation: dict[str, float], model: str) -> float:
    """Util(P) block by block, as the paper says it, with alpha = 10 (g is the identity) and beta .8 or .5; relevance in [0, 1]."""
    effort = {"text": 3.0, "image": 1.0, "video": 6.0}
    media = [{"Video": "video", "Photo/Pictures": "image"}.get(b.vertical, "text") for b in page.blocks]
    attracts = [i for i, m in enumerate(media) if m != "text"]
    gained = spent = 0.0
    satisfied_by_none = 1.0
    for i, block in enumerate(page.blocks):
        relevant = sum(relevance.get(item, 0.0) for item in block.items)
        gain = (0.5 if block.vertical == "web" else orientation[block.vertical]) * relevant
        phi = 1 / math.log2(i + 2)
        nearest = min((abs(i - j) for j in attracts), default=None)
        exam = {
            "AS_DCG": phi,
            "AS_RBP": 0.8**i,
            "AS_ERR": satisfied_by_none,
            "AS_ATT": phi if nearest is None else phi + (1 - phi) * 0.5**nearest,
        }[model]
        gained += exam * gain
        spent += exam * effort[media[i]] * len(block.items)
        satisfied_by_none *= 1 - gain / len(block.items)
    return gained / spent


GRADINGS = {
    "": lambda grade: 1.0,
    ",max_grade=7.0": lambda grade: (2**grade - 1) / 2**7,
    ",max_grade=7.0,gain='linear'": lambda grade: grade / 7,
}
"""Parameters, and the relevance of a grade from 1 on: those of the track are 1, 3 and 7."""


@pytest.mark.parametrize("grading", GRADINGS)
def test_utilities_by_a_plain_route(grading: str) -> None:
    found, pages, _ = engines()
    runs = page_runs(pages.pages)
    relevant = found.results[found.results["relevance"] >= 1]
    relevance = {
        q: dict(zip(r["doc_id"], map(GRADINGS[grading], r["relevance"].tolist()), strict=True))
        for q, r in relevant.groupby("query_id")
    }
    orientation = {
        q: dict(zip(r["vertical"], r["orientation"], strict=True)) for q, r in found.orientation.groupby("query_id")
    }
    by_name = {(p.query_id, p.page_id): p for p in pages.pages}
    evaluator = irmx.evaluator([f"{m}(normalise=None{grading})" for m in MODELS], found.qrels)
    for name in ("perfect-merged-bad", "other topics-best engine-random"):
        for metric in evaluator.iter_calc(runs[name]):
            page = by_name[metric.query_id, name]
            model = str(metric.measure).split("(")[0]
            q = metric.query_id
            expected = plain_utility(page, relevance.get(q, {}), orientation[q], model)
            assert metric.value == pytest.approx(expected, rel=1e-12)


def test_flat_measures_are_those_of_ir_measures_on_the_items() -> None:
    found, pages, table = engines()
    qrels = found.qrels[["query_id", "doc_id", "relevance"]]
    name = "first results-best engine-random"
    run = page_runs(pages.pages)[name].to_pandas()[["query_id", "doc_id", "score"]]
    for metric in ir_measures.iter_calc([ir_measures.nDCG @ 10, ir_measures.P @ 10], qrels, run):
        assert table.loc[(metric.query_id, name), str(metric.measure)] == pytest.approx(metric.value, abs=1e-9)


def test_the_simulated_perfect_page_is_the_papers_ideal_page() -> None:
    """nUtil is 1, exactly, on every topic."""
    _, _, table = engines()
    perfect = table.xs("perfect-perfect-perfect", level="page_id")[list(MODELS)]
    assert perfect.shape == (50, 4)
    assert (perfect == 1).all(axis=None)


@pytest.mark.parametrize("gain", ["exponential", "linear"])
def test_the_simulated_perfect_page_is_the_ideal_of_graded_relevance_too(gain: str) -> None:
    found, pages, table = engines()
    names = [f"{m}(max_grade=7.0,gain='{gain}')" for m in MODELS]
    perfect = [page for page in pages.pages if page.page_id == "perfect-perfect-perfect"]
    assert score_pages(perfect, found.qrels, names)["value"].tolist() == [1.0] * 200
    graded = score_pages(pages.pages, found.qrels, names[2]).groupby("page_id")["value"].mean()
    binary = table["AS_ERR"].groupby("page_id").mean().reindex(graded.index)
    assert 0.4 < kendalltau(binary, graded)[0] < 0.95


def test_no_page_is_better_than_the_exact_ideal_and_some_are_better_than_the_others() -> None:
    found, pages, table = engines()
    relevant = found.qrels[found.qrels["relevance"] >= 1]
    wanted = relevant[relevant["orientation"] > 0.5].groupby("query_id")["vertical"].nunique().clip(upper=3)
    web = relevant[relevant["vertical"] == "web"].groupby("query_id").size().clip(upper=10)
    ideal = wanted.add(web, fill_value=0)
    blocks = pd.Series({(p.query_id, p.page_id): len(p.blocks) for p in pages.pages}).reindex(table.index)
    longer = blocks > blocks.index.get_level_values(0).map(ideal).to_numpy()
    for model in MODELS:
        greedy, exact = table[f"{model}(ideal='greedy')"], table[f"{model}(ideal='exact')"]
        assert exact.max() <= 1 + 1e-9
        assert not (greedy < exact - 1e-9)[~longer].any()
        for ideal, values in (("paper", table[model]), ("greedy", greedy)):
            above = int((values > 1 + 1e-12).sum())
            assert 30 < above < 250
            assert f"| `{model}` | {ideal} | {above} of 1,800 |" in written("pages")


def test_utility_prefers_better_pages() -> None:
    """Of systems that differ in one part alone, those with the perfect part are better in the mean."""
    _, pages, table = engines()
    joined = pages.quality.merge(table.reset_index(), on=["query_id", "page_id"])
    for model in (*MODELS, "nDCG@10"):
        for part in ("selection", "presentation"):
            means = joined.groupby(part)[model].mean()
            assert means["perfect"] > means["bad"] + 0.05
        assert joined.groupby("items")[model].mean().idxmax() == "perfect"


def test_correlations_of_systems_are_those_of_scipy() -> None:
    _, _, table = engines()
    systems = table.groupby("page_id").mean()
    tau = kendalltau(systems["AS_RBP"], systems["nDCG@10"])[0]
    assert 0.8 < tau < 0.95
    assert kendalltau(systems["AS_DCG"], systems["AS_ATT"])[0] > kendalltau(systems["AS_DCG"], systems["AS_ERR"])[0]
    assert f"| `AS_RBP` | {tau:.3f} |" in written("pages")


# -- simulated preferences between pages of engines -------------------------------------------------------------


@cache
def preferences() -> tuple[ModuleType, Any, Any]:
    """The program, its study, and the votes of the users who choose by utility."""
    script("fedweb13_pages")
    program = script("fedweb13_preferences")
    study = program.Study.of(data("fedweb13"))
    return program, study, study.votes(program.users()[program.UTILITY])


def test_every_pair_of_pages_has_the_votes_of_four_users() -> None:
    program, study, votes = preferences()
    assert len(study.pairs) == 50 * 6 * 8
    assert (votes.counts.sum(axis=1) == 4).all()
    assert len(votes.assessors) == 20
    assert min(program.weights()) >= 0.15
    assert max(program.weights()) <= 0.4
    assert np.mean(program.weights()) == pytest.approx(0.23, abs=0.005)


def test_nothing_on_the_wrong_page_of_a_trap_is_relevant() -> None:
    found, pages, _ = engines()
    pairs = page_pairs(pages, traps=2)
    traps = pairs[pairs["trap"] != ""]
    assert traps.groupby("query_id").size().tolist() == [2] * 50
    relevant = set(zip(*found.qrels[found.qrels["relevance"] >= 1][["query_id", "doc_id"]].T.to_numpy(), strict=True))
    by_name = {(p.query_id, p.page_id): p for p in pages.pages}
    own = foreign = 0
    for row in traps.itertuples():
        right, wrong = (row.page_a, row.page_b)[:: 1 if row.trap == "a" else -1]
        own += sum((row.query_id, item) in relevant for item in by_name[row.query_id, right].items)
        foreign += sum((row.query_id, item) in relevant for item in by_name[tuple(wrong.split(":", 1))].items)
    assert own > 500
    assert foreign == 0


def test_the_agreement_that_is_written_is_counted_pair_by_pair() -> None:
    """Majorities by a group-by of the votes, preferences by the values of pages: no code of the table's."""
    program, study, votes = preferences()
    rows = votes.frame()
    keys = ["query_id", "page_a", "page_b"]
    shares = rows.groupby(keys)["choice"].agg(a=lambda c: (c == "a").mean(), b=lambda c: (c == "b").mean())
    values = score_pages(study.pages, study.qrels, list(program.MEASURES)).pivot(
        index=["query_id", "page_id"], columns="measure", values="value"
    )
    bins = pd.read_csv(RESULTS / "fedweb13_preferences_bins.csv")
    for level, name in ((0.75, "3/4"), (1.0, "4/4")):
        decided = shares[(shares >= level).any(axis=1)]
        topic, a, b = (decided.index.get_level_values(key) for key in keys)
        won = np.where(decided["a"] >= level, 1, -1)
        found = bins[(bins["majority"] == name) & (bins["bins"] == "all")].set_index("measure")["agreement"]
        for measure in program.MEASURES:
            column = values[measure]
            difference = (
                column.loc[list(zip(topic, a, strict=True))].to_numpy()
                - column.loc[list(zip(topic, b, strict=True))].to_numpy()
            )
            prefers = np.where(np.abs(difference) < 1e-9, 0, np.sign(difference))
            agreed = ((1 + prefers * won) / 2).mean()
            assert found[measure] == float(f"{agreed:.3f}")


def test_users_agree_most_with_the_measure_they_choose_by() -> None:
    text = written("pages").partition("### Other users, other winners")[2].partition("\n### ")[0]
    rows = [line.split("|")[1:-1] for line in text.splitlines() if line.startswith("| `")]
    best = {row[0].strip(): [i for i, cell in enumerate(row[1:]) if "**" in cell] for row in rows}
    assert {name: columns for name, columns in best.items() if columns} == {
        "`AS_RBP`": [0],
        "`AS_ATT`": [1],
        "`nDCG@10`": [2, 3],
    }


def test_most_is_gained_where_the_model_is_wrong_and_little_where_it_is_right() -> None:
    text = written("pages")
    rows = pd.read_csv(RESULTS / "fedweb13_preferences_held_out.csv", dtype=str).to_numpy().tolist()
    for column in (3, 6):  # by agreement, by likelihood
        gains = {(users, measure): float(cells[column].split()[0]) for users, measure, *cells in rows}
        assert len(gains) == 7
        assert max(gains, key=gains.__getitem__) == ("attention", "`AS_RBP`")
    _, study, votes = preferences()
    truth = "AS_RBP(alpha=7,beta=0.85,personal=0.23)"
    best = agreement(study.pages, votes, study.qrels, truth, [0.75]).query("bin_pair == 'all'")["agreement"].iloc[0]
    assert f"`{truth}`, the agreement is {best:.3f}." in text
    [given] = [float(cells[1]) for users, measure, *cells in rows if (users, measure) == ("utility", "`AS_RBP`")]
    assert 0 < best - given < gains["attention", "`AS_RBP`"]


def test_likelihood_recovers_the_parameters_of_the_users() -> None:
    text = written("pages").partition("Do the votes recover")[2]
    for name, true, tolerance in (("`alpha`", 7, 1.0), ("`beta`", 0.85, 0.01), ("l, mean of users", 0.23, 0.05)):
        [row] = [line.split("|")[1:-1] for line in text.splitlines() if line.startswith(f"| {name} |")]
        assert float(row[1]) == true
        assert float(row[4]) == pytest.approx(true, abs=tolerance)
        low, high = map(float, row[5].split(" to "))
        assert low <= true <= high


# -- the user study ------------------------------------------------------------------------------------------


@cache
def cards() -> tuple[pd.DataFrame, pd.DataFrame]:
    read: Callable[[Path], tuple[pd.DataFrame, pd.DataFrame]] = script("chiir24_satisfaction").read
    return read(data("serp_user_study_chiir24"))


@cache
def study() -> Any:
    return script("chiir24_satisfaction").study(*cards())


def test_what_is_read_of_the_study() -> None:
    found = study()
    assert (len(cards()[0]), len(cards()[1])) == (21_765, 1_372)
    assert (len(found.pages), int(found.pages["complete"].sum()), found.pages["user"].nunique()) == (1_168, 547, 165)
    assert not found.cards.duplicated(["page", "rank"]).any()
    assert (found.cards.groupby("page")["rank"].diff().dropna() > 0).all()


def test_the_ndcg_of_the_study_is_of_graded_judgments() -> None:
    queries = pd.read_csv(data("serp_user_study_chiir24") / "topic_queries.csv.gz")
    ideal = 2 * (1 / np.log2(np.arange(2, 12))).sum()
    assert (queries["dcg_10"] / queries["ndcg_10"]).to_numpy() == pytest.approx(np.full(len(queries), ideal), rel=1e-4)
    assert set(cards()[0]["actual_qrel_value"]) == {0, 1}


def test_the_measures_give_what_the_arrays_give() -> None:
    """AS_* on a run with an own table of efforts, without a column that says which pages are the study's."""
    page = script("chiir24_satisfaction")
    found = study()
    effort = dict(zip(page.CARDS.values(), (1.0, 1.7, 1.3, 2.2), strict=True))
    shown = found.cards.assign(query_id=found.cards["page"].astype(str), score=-found.cards["rank"].astype(float))
    run = shown[["query_id", "doc_id", "score", "media"]].assign(vertical="web")
    qrels = shown[["query_id", "doc_id"]].assign(relevance=shown["actual_qrel_value"], vertical="web", orientation=0.5)
    measures = [f"{m}(effort={effort!r},normalise=None)@10" for m in ("AS_DCG", "AS_RBP", "AS_ERR")]
    values = page.utilities(page.pages_of(found, effort))
    for metric in irmx.iter_calc(measures, qrels, run):
        expected = values[str(metric.measure).split("(")[0]][int(metric.query_id)]
        assert metric.value == pytest.approx(expected, rel=1e-12)


def test_correlations_with_the_rating() -> None:
    page = script("chiir24_satisfaction")
    found = study()
    rating, user = found.pages["rating"].to_numpy(dtype=float), found.pages["user"].to_numpy()
    values = page.flat(found) | page.utilities(page.pages_of(found, dict.fromkeys(page.CARDS.values(), 1.0)))
    seen = page.correlations(values, rating, user)
    for name, column in values.items():
        column = np.round(column, 12)
        assert seen.rho[name][0] == pytest.approx(spearmanr(column, rating)[0], abs=1e-5)
        assert seen.tau[name][0] == pytest.approx(kendalltau(column, rating)[0], abs=1e-5)
    for name in MODELS:
        low, high = np.quantile(seen.rho[name][1:], [0.025, 0.975])
        assert 0.1 < low < seen.rho[name][0] < high < 0.3
        low, high = np.quantile(seen.rho[name][1:] - seen.rho["nDCG@10"][1:], [0.025, 0.975])
        assert low < 0 < high
    assert f"| nDCG@10 | {seen.text('nDCG@10')} |" in written("clicks_and_sessions")


def test_samples_of_users_are_those_of_rows() -> None:
    """The matrix form of a sample is what scipy says of its rows."""
    page = script("chiir24_satisfaction")
    found = study()
    rating, user = found.pages["rating"].to_numpy(dtype=float), found.pages["user"].to_numpy()
    ndcg = page.flat(found)["nDCG@10"]
    seen = page.correlations({"nDCG@10": ndcg}, rating, user)
    number = np.unique(user, return_inverse=True)[1]
    users = int(number.max()) + 1
    drawn = np.random.default_rng(0).multinomial(users, np.full(users, 1 / users), size=page.RESAMPLES)
    for sample in (0, 7):
        rows = np.repeat(np.arange(len(user)), drawn[sample][number])
        assert seen.rho["nDCG@10"][sample + 1] == pytest.approx(spearmanr(ndcg[rows], rating[rows])[0], abs=1e-5)
        assert seen.tau["nDCG@10"][sample + 1] == pytest.approx(kendalltau(ndcg[rows], rating[rows])[0], abs=1e-5)


def test_efforts_of_cards() -> None:
    """Between users a card with an image is no dearer than a title; for users who saw all types it is."""
    page = script("chiir24_satisfaction")
    tables = page.efforts(cards()[0])
    assert tables["one card type each", "mean"].effort["title, image"] < 1
    for statistic in ("mean", "median", "within_users"):
        fit = tables["random cards", statistic]
        assert fit.users == 30
        assert fit.intervals["title, image"][0] > 1.2
    times = cards()[0].rename(columns={"time_spent": "time"})
    all_users = fit_effort(times, "title", longest=60)
    assert (all_users.not_seen, all_users.too_long) == (7_057, 17)
    seen = times[(times["time"] > 0) & (times["time"] <= 60)].groupby("media")["time"].mean()
    assert all_users.effort["title, image, summary"] == pytest.approx(seen["title, image, summary"] / seen["title"])


# -- sessions of a search engine -----------------------------------------------------------------------------


def test_beta_of_rbp_in_the_sessions() -> None:
    page = script("sogou_examination")
    training, held_out = (page.log(*page.sessions(f"{name}_data.tsv.gz"), 0.001) for name in ("train", "test"))
    assert (len(training), len(held_out)) == (7_018, 1_791)
    rbp, dcg = fit_examination(training, "rbp", "beta"), fit_examination(training, "dcg")
    assert rbp.interval is not None
    assert 0.75 < rbp.interval[0] < rbp.value < rbp.interval[1] < 0.762
    seen = training.observed
    ranks = np.arange(10)

    def plain(beta: float, c: float) -> float:
        expected = c * beta**ranks
        return len(training) * float((seen * np.log(expected) + (1 - seen) * np.log(1 - expected)).sum())

    best = plain(rbp.value, rbp.detection)
    assert rbp.log_likelihood == pytest.approx(best, rel=1e-9)
    for beta, c in ((1.002, 1), (0.998, 1), (1, 1.002), (1, 0.998)):
        assert plain(beta * rbp.value, c * rbp.detection) < best
    worse = examination_log_likelihoods(held_out, dcg.model, dcg.detection)
    assert (examination_log_likelihoods(held_out, rbp.model, rbp.detection) - worse).mean() > 0.4
    name = page.TYPESET["beta^(i - 1), `rbp`"]
    assert f"| {name} | {page.estimate(rbp.value, rbp.interval)} |" in written("clicks_and_sessions")


def test_examination_by_clicks_on_pages_of_engines() -> None:
    """By the lowest click of 5,000 sessions; then a measure of pages by a plain route."""
    clicked, _ = script("sogou_examination").sessions("train_data.tsv.gz")
    session, place = np.nonzero(clicked)
    log = pd.DataFrame({"session": session, "rank": place + 1, "time": 0.0})
    learned = examination_of_clicks(log)
    lowest = [max(i + 1 for i, hit in enumerate(row) if hit) for row in clicked.tolist() if any(row)]
    assert learned["examination"].tolist() == [
        pytest.approx(sum(at >= i for at in lowest) / len(lowest), abs=1e-12) for i in range(1, 11)
    ]
    assert learned["examination"].is_monotonic_decreasing
    exam = learned["examination"].tolist()
    found, pages, _ = engines()
    relevance = dict(
        zip(zip(found.qrels["query_id"], found.qrels["doc_id"], strict=True), found.qrels["relevance"], strict=True)
    )
    orientation = {
        q: dict(zip(r["vertical"], r["orientation"], strict=True)) for q, r in found.orientation.groupby("query_id")
    }
    by_name = {(p.query_id, p.page_id): p for p in pages.pages}
    name = "other topics-best engine-random"
    measure = AS(examination=by_position(probabilities=exam), normalise=None)
    for metric in irmx.evaluator(measure, found.qrels).iter_calc(page_runs(pages.pages)[name]):
        page, q = by_name[metric.query_id, name], metric.query_id
        gained = spent = 0.0
        for p, block in zip([*exam, *[0.0] * len(page.blocks)], page.blocks, strict=False):
            each = {"Video": 6.0, "Photo/Pictures": 1.0}.get(block.vertical, 3.0)
            wanted = 0.5 if block.vertical == "web" else orientation[q][block.vertical]
            gained += p * wanted * sum(relevance.get((q, item), 0) >= 1 for item in block.items)
            spent += p * each * len(block.items)
        assert metric.value == pytest.approx(gained / spent, rel=1e-12)


def test_a_cascade_over_clicks_fits_worse_than_positions() -> None:
    page = script("sogou_examination")
    log = page.log(*page.sessions("test_data.tsv.gz"), 0.001)
    fits = {
        "rbp": fit_examination(log, "rbp", "beta", resamples=50),
        "1/i": fit_examination(log, page.Satisfied(discount="rank"), "often", resamples=50),
        "dcg": fit_examination(log, "dcg", resamples=50),
        "cascade": fit_examination(log, page.Satisfied(), "often", resamples=50),
        "constant": fit_examination(log, by_position(probabilities=[1] * 10), resamples=50),
    }
    likelihoods = [fit.log_likelihood for fit in fits.values()]
    assert likelihoods == sorted(likelihoods, reverse=True)
    assert fits["1/i"].value == 0
    assert fits["constant"].detection == pytest.approx(log.examined.mean())
    assert fits["cascade"].log_likelihood - fits["constant"].log_likelihood < 0.1 * (likelihoods[0] - likelihoods[-1])


def test_beta_of_att_is_not_in_the_sessions() -> None:
    page = script("sogou_examination")
    log = page.log(*page.sessions("test_data.tsv.gz"), 0.001)
    assert "which the log does not record" in page.refusal(log)
    assert "every value from 0 to 1 is equally likely" in page.refusal(log, visual=0)
    curves = page.same_curve()
    assert len({beta for beta, _, _ in curves}) == 3
    for _, shares, curve in curves:
        assert shares.min() > 0
        assert shares.sum() < 1
        assert curve == pytest.approx(curves[0][2], abs=1e-12)
