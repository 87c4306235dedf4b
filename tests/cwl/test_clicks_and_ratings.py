"""Users estimated from clicks, and measures fitted to ratings: worked by hand, against scipy, and what is refused."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import irmx
from irmx_cwl import ByRank, continuation_of_clicks, fit_to_ratings

LOG = "session,rank,time\na,3,0\na,1,9\nb,1,0\nc,2,0\n"


def test_the_deepest_click_is_where_a_user_stops(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text(LOG)
    table = continuation_of_clicks(path)
    assert table[["rank", "sessions", "went_on"]].values.tolist() == [[1, 3, 2], [2, 2, 1], [3, 1, 0]]
    assert table["continuation"].tolist() == [2 / 3, 0.5, 0]


@given(st.lists(st.lists(st.integers(1, 12), min_size=1, max_size=4), min_size=1, max_size=20))
def test_continuation_by_counting(sessions):
    log = pd.DataFrame([(i, rank, t) for i, ranks in enumerate(sessions) for t, rank in enumerate(ranks)])
    table = continuation_of_clicks(log.set_axis(["session", "rank", "time"], axis=1).astype({"time": float}))
    for rank, reached, went_on in table[["rank", "sessions", "went_on"]].itertuples(index=False):
        assert reached == sum(max(ranks) >= rank for ranks in sessions)
        assert went_on == sum(max(ranks) > rank for ranks in sessions)
        ends = stats.binomtest(went_on, reached).proportion_ci(0.95, "wilson")
        assert table.loc[rank - 1, ["low", "high"]].tolist() == pytest.approx(list(ends), abs=1e-12)
    assert len(table) == max(map(max, sessions))


def test_a_click_far_down():
    table = continuation_of_clicks(pd.DataFrame({"session": ["a", "b"], "rank": [100_000, 2], "time": [0.0, 0.0]}))
    assert table["continuation"].tolist() == [1.0, 0.5, *[1.0] * 99_997, 0.0]


def test_the_command_writes_what_by_rank_reads(tmp_path, command):
    log, out = tmp_path / "log.csv", tmp_path / "continuation.tsv"
    log.write_text(LOG)
    done = command("cwl", "clicks", log)
    assert done.code == 0
    out.write_text(done.out)
    qrels, run = {"q": {"a": 1, "b": 1}}, {"q": {"x": 3.0, "a": 2.0, "b": 1.0}}
    [of_file] = irmx.evaluator(f"CWL(user=by_rank(file='{out}'))", qrels).values(run).values()
    [of_list] = (
        irmx.evaluator("CWL(user=by_rank(probabilities=[0.6666666666666666,0.5,0]))", qrels).values(run).values()
    )
    weights = np.array([1, 2 / 3, 1 / 3])
    assert of_file == of_list == pytest.approx({"q": weights[1:].sum() / weights.sum()})


def test_the_last_probability_holds_below():
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.0}}
    values = irmx.calc_aggregate("CWL(user=by_rank(probabilities=[0.8])) CWL(user=rbp(p=0.8))", qrels, run)
    assert len(set(values.values())) == 1


@pytest.mark.parametrize(
    ("content", "where"),
    [
        ("rank,continuation\n1,0.5\n3,0.2\n", "line 3"),
        ("rank,continuation\n2,0.5\n", "line 2"),
        ("rank,continuation\n1,1.5\n", "line 2"),
        ("rank,continuation\n1,\n", "line 2"),
        ("rank,p\n1,0.5\n", "continuation"),
    ],
)
def test_files_that_are_no_continuation(tmp_path, content, where):
    path = tmp_path / "c.csv"
    path.write_text(content)
    with pytest.raises(irmx.DataError, match=where):
        ByRank(file=str(path))


def test_users_that_are_not_defined():
    with pytest.raises(irmx.UsageError):
        ByRank(file="c.csv", probabilities=[0.5])
    with pytest.raises(irmx.UsageError):
        irmx.calc_aggregate("CWL(user=by_rank)", {"q": {"a": 1}}, {"q": {"a": 1.0}})
    with pytest.raises(irmx.DataError, match="no clicks"):
        continuation_of_clicks(pd.DataFrame({"session": [], "rank": [], "time": []}))
    with pytest.raises(irmx.DataError, match="200,000"):
        continuation_of_clicks(pd.DataFrame({"session": ["a"], "rank": [200_000], "time": [0.0]}))


# -- ratings -----------------------------------------------------------------------------------------------

RANDOM = np.random.default_rng(3)
TOPICS = [f"t{i}" for i in range(40)]
QRELS = {topic: {"a": 1, "b": 1} for topic in TOPICS}
RUN = {
    topic: {doc: float(score) for doc, score in zip("abcdef", RANDOM.permutation(6), strict=True)} for topic in TOPICS
}
SAID = RANDOM.integers(1, 6, len(TOPICS)).astype(float)
RATINGS = pd.DataFrame({"query_id": TOPICS, "rating": SAID})
EXPRESSION = "RBP(p=0.3|0.5|0.7)"


def of(measure):
    [values] = irmx.evaluator(measure, QRELS).values(RUN).values()
    return np.round([values[topic] for topic in TOPICS], 12)


PEERS = {
    "kendall": lambda a, b: stats.kendalltau(a, b).statistic,
    "spearman": lambda a, b: stats.spearmanr(a, b).statistic,
    "pearson": lambda a, b: stats.pearsonr(a, b).statistic,
}


@pytest.mark.parametrize("name", PEERS)
@pytest.mark.parametrize("less_is_better", [False, True])
@pytest.mark.filterwarnings("ignore:.*same, best correlation")
def test_the_best_setting_by_scipy(name, less_is_better):
    peers = {p: PEERS[name](of(f"RBP(p={p})"), SAID) for p in (0.3, 0.5, 0.7)}
    best = (min if less_is_better else max)(peers, key=peers.__getitem__)
    found = fit_to_ratings(EXPRESSION, QRELS, RUN, RATINGS, correlation=name, less_is_better=less_is_better)
    [row] = found.measures.to_dict("records")
    assert row["measure"] == f"RBP(p={best})"
    assert row["correlation"] == pytest.approx(peers[best], abs=1e-12)
    assert (row["settings"], row["sessions"]) == (3, 40)
    [parameter] = found.parameters.to_dict("records")
    assert (parameter["parameter"], parameter["value"]) == ("p", best)
    assert 0.3 <= parameter["low"] <= parameter["high"] <= 0.7


@pytest.mark.parametrize("name", PEERS)
def test_the_interval_and_the_folds_by_scipy(name):
    """Another route: samples and parts are drawn as documented, and each is given to scipy as rows that are repeated."""
    values, peer = of("RBP(p=0.5)"), PEERS[name]
    [row] = fit_to_ratings(
        "RBP(p=0.5)", QRELS, RUN, RATINGS, correlation=name, folds=4, repeats=2, resamples=100, seed=5
    ).measures.to_dict("records")
    random = np.random.default_rng(5)
    parts = [random.permutation(40) % 4 for _ in range(2)]
    held_out = [peer(values[part == k], SAID[part == k]) for part in parts for k in range(4)]
    assert row["cross_validated"] == pytest.approx(np.mean(held_out), abs=1e-12)
    drawn = random.multinomial(40, np.full(40, 1 / 40), 100)
    resampled = [peer(np.repeat(values, times), np.repeat(SAID, times)) for times in drawn]
    assert (row["low"], row["high"]) == pytest.approx(tuple(np.quantile(resampled, [0.025, 0.975])), abs=1e-12)


def test_parameters_are_chosen_without_the_part_they_are_tried_on():
    values = {p: of(f"RBP(p={p})") for p in (0.3, 0.5, 0.7)}
    random = np.random.default_rng(0)
    held_out = []
    for part in [random.permutation(40) % 5 for _ in range(10)]:
        for k in range(5):
            best = max(values, key=lambda p: PEERS["kendall"](values[p][part != k], SAID[part != k]))
            held_out.append(PEERS["kendall"](values[best][part == k], SAID[part == k]))
    [row] = fit_to_ratings(EXPRESSION, QRELS, RUN, RATINGS).measures.to_dict("records")
    assert row["cross_validated"] == pytest.approx(np.nanmean(held_out), abs=1e-12)


def test_a_cost_should_fall_with_ratings():
    found = fit_to_ratings("CWL(user=inst(T=1|3),value=ED)", QRELS, RUN, RATINGS, correlation="pearson")
    peers = {T: PEERS["pearson"](of(f"CWL(user=inst(T={T}),value=ED)"), SAID) for T in (1, 3)}
    assert found.measures["correlation"].tolist() == pytest.approx([min(peers.values())], abs=1e-9)
    assert found.parameters["parameter"].tolist() == ["user.T"]


def test_the_command(tmp_path, command):
    files = {name: tmp_path / name for name in ("qrels.txt", "run.txt", "ratings.csv")}
    files["qrels.txt"].write_text("".join(f"{t} 0 {d} {g}\n" for t, docs in QRELS.items() for d, g in docs.items()))
    files["run.txt"].write_text("".join(f"{t} Q0 {d} 1 {s} r\n" for t, docs in RUN.items() for d, s in docs.items()))
    RATINGS.rename(columns={"rating": "satisfied"}).to_csv(files["ratings.csv"], index=False)
    words = ["cwl", "fit", str(files["qrels.txt"]), str(files["run.txt"]), "nDCG", EXPRESSION]
    options = ["--ratings", str(files["ratings.csv"]), "--rating", "satisfied", "-o", "jsonl"]
    done = command(*words, *options)
    assert done.code == 0
    tables = [json.loads(line)["table"] for line in done.out.splitlines()]
    assert tables == ["measures", "measures", "parameters"]
    assert command(*words, "--ratings", "none.csv").code == 1
    assert command(*words, *options, "--correlation", "cosine").code == 2


@pytest.mark.parametrize(
    ("ratings", "error"),
    [
        (RATINGS.iloc[:9], irmx.DataError),
        (pd.concat([RATINGS, RATINGS.iloc[:1]]), irmx.DataError),
        (RATINGS.assign(rating=3.0), irmx.DataError),
        (RATINGS.assign(rating="good"), irmx.DataError),
        (RATINGS.drop(columns="rating"), irmx.DataError),
    ],
)
def test_ratings_that_are_refused(ratings, error):
    with pytest.raises(error):
        fit_to_ratings(EXPRESSION, QRELS, RUN, ratings)


def test_what_else_is_refused():
    with pytest.raises(irmx.UsageError):
        fit_to_ratings([], QRELS, RUN, RATINGS)
    with pytest.raises(irmx.UsageError):
        fit_to_ratings(EXPRESSION, QRELS, RUN, RATINGS, folds=1)
    with pytest.raises(irmx.DataError, match="same value"):
        fit_to_ratings("P@6", QRELS, RUN, RATINGS)
    more = pd.concat([RATINGS, pd.DataFrame({"query_id": ["strange"], "rating": [1.0]})])
    with pytest.warns(irmx.DataWarning, match="1 rated session"):
        found = fit_to_ratings(EXPRESSION, QRELS, RUN, more)
    assert found.measures["sessions"].tolist() == [40]


@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_sizes_change_nothing(size):
    ratings = RATINGS.assign(rating=SAID * size)
    [row] = fit_to_ratings("RBP(p=0.5)", QRELS, RUN, ratings, correlation="pearson").measures.to_dict("records")
    assert row["correlation"] == pytest.approx(PEERS["pearson"](of("RBP(p=0.5)"), SAID), abs=1e-9)
    small = fit_to_ratings("CWL(user=rbp,max_grade=1e16)", QRELS, RUN, RATINGS).measures["correlation"]
    assert small.tolist() == fit_to_ratings("CWL(user=rbp)", QRELS, RUN, RATINGS).measures["correlation"].tolist()


def test_of_settings_that_correlate_equally_the_first_is_reported():
    with pytest.warns(irmx.DataWarning, match=r"2 settings .* P\(rel=0.5\)@1, P@1"):
        found = fit_to_ratings("P(rel=0.5|1)@1", QRELS, RUN, RATINGS)
    assert found.measures["measure"].tolist() == ["P(rel=0.5)@1"]


def test_measures_of_one_text_are_fitted_separately():
    found = fit_to_ratings("AP RBP(p=0.3|0.9)", QRELS, RUN, RATINGS).measures
    assert found["settings"].tolist() == [1, 2]
    with pytest.raises(irmx.UsageError):
        fit_to_ratings("", QRELS, RUN, RATINGS)


def test_ids_that_are_numbers():
    qrels, run = (
        pd.DataFrame([(i, d, v) for i, t in enumerate(TOPICS) for d, v in of[t].items()]) for of in (QRELS, RUN)
    )
    qrels.columns, run.columns = ["query_id", "doc_id", "relevance"], ["query_id", "doc_id", "score"]
    ratings = RATINGS.assign(query_id=range(len(TOPICS)))
    numbers, texts = (fit_to_ratings("AP", *given).measures for given in ((qrels, run, ratings), (QRELS, RUN, RATINGS)))
    pd.testing.assert_frame_equal(numbers, texts)
    with pytest.raises(irmx.DataError, match="No rated session"):
        fit_to_ratings("AP", qrels, run, RATINGS)


def test_a_session_without_a_value_is_refused():
    qrels = {**QRELS, "t7": {"a": 0}}
    for measure in ("CWL(user=rbp,no_relevant='nan')", "CWL(user=rbp,no_relevant='default'|'nan')"):
        with pytest.raises(irmx.DataError, match="session t7"):
            fit_to_ratings(measure, qrels, RUN, RATINGS)


def test_a_run_without_most_sessions_is_refused():
    with pytest.warns(irmx.DataWarning), pytest.raises(irmx.DataError, match="21 of 40 rated sessions"):
        fit_to_ratings("AP", QRELS, {topic: RUN[topic] for topic in TOPICS[:19]}, RATINGS)
