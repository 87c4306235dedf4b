"""Parameters of simulated users come back within their intervals; what a log cannot tell is said."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import minimize

import irmx
from irmx_pages import (
    Pages,
    PositionTable,
    by_position,
    examination_log_likelihoods,
    examination_of_clicks,
    fit_effort,
    fit_examination,
    read_examinations,
)

Array = np.ndarray[Any, np.dtype[Any]]


def held(truth: float, interval: Any) -> bool:
    low, high = interval
    return bool(low <= truth <= high)


# -- examination by position, from clicks ------------------------------------------------------------------------------

CLICKS = "session,rank,time\na,3,0\na,1,9\nb,1,0\nc,2,0\n"


@given(st.lists(st.lists(st.integers(1, 12), min_size=1, max_size=4), min_size=1, max_size=20))
def test_examination_by_counting(sessions: list[list[int]]) -> None:
    log = pd.DataFrame([(i, rank, float(t)) for i, ranks in enumerate(sessions) for t, rank in enumerate(ranks)])
    found = examination_of_clicks(log.set_axis(["session", "rank", "time"], axis=1))
    assert found["position"].tolist() == [*range(1, max(map(max, sessions)) + 1)]
    for position, reached, share, low, high in found.itertuples(index=False):
        assert reached == sum(max(ranks) >= position for ranks in sessions)
        assert share == reached / len(sessions)
        ends = stats.binomtest(reached, len(sessions)).proportion_ci(0.95, "wilson")
        assert [low, high] == pytest.approx(list(ends), abs=1e-12)


def test_the_command_writes_what_by_position_reads(tmp_path: Path, command: Any, plain: Any) -> None:
    """Of three users all examine the first block, two the second, one the third, none the fourth."""
    (tmp_path / "log.csv").write_text(CLICKS)
    done = command("pages", "clicks", tmp_path / "log.csv")
    assert (done.code, done.err) == (0, "")
    out = tmp_path / "examination.tsv"
    out.write_text(done.out)
    blocks = [("web", 0.5, (1,)), ("image", 0.75, (1, 1, 0)), ("video", 0.6, (0, 1, 0)), ("web", 0.5, (1,))]
    pool = {"web": (0.5, 2, 0), "image": (0.75, 3, 1), "video": (0.6, 3, 2)}
    run, qrels = plain.as_tables([plain.Block(*b) for b in blocks], pool)
    given = (
        f"file='{out}'",
        "probabilities=[1,0.6666666666666666,0.3333333333333333]",
        "probabilities=[0.9,0.6,0.3,0]",
    )
    measures = " ".join(f"AS(examination=by_position({of}),normalise=None)" for of in given)
    values = irmx.calc_aggregate(measures, qrels, run)
    assert list(values.values()) == pytest.approx([(0.5 + 2 / 3 * 1.5 + 0.6 / 3) / (3 + 2 + 6)] * 3, rel=1e-12)


@given(st.lists(st.floats(0.01, 1), min_size=1, max_size=4))
def test_with_the_probabilities_of_a_model_it_is_the_model(plain: Any, p: list[float]) -> None:
    blocks = [("web", 0.5, (1,)), ("image", 0.75, (1, 0, 0)), ("web", 0.5, (0,))]
    run, qrels = plain.as_tables([plain.Block(*b) for b in blocks], {"web": (0.5, 2, 1), "image": (0.75, 3, 2)})
    listed = by_position(probabilities=[p[0] * 0.8**i for i in range(13)])
    for ideal in ("paper", "greedy", "exact"):
        (a, b) = irmx.calc_aggregate(
            [irmx.AS(examination=listed, ideal=ideal), irmx.AS_RBP(ideal=ideal)], qrels, run
        ).values()
        assert a == pytest.approx(b, rel=1e-9)


@pytest.mark.parametrize(
    ("content", "where"),
    [
        ("position,examination\n1,1\n3,0.2\n", "line 3"),
        ("position,examination\n2,0.5\n", "line 2"),
        ("position,examination\n1,1.5\n", "line 2"),
        ("position,p\n1,0.5\n", "examination"),
    ],
)
def test_files_without_examination_by_position(tmp_path: Path, content: str, where: str) -> None:
    (tmp_path / "p.csv").write_text(content)
    with pytest.raises(irmx.DataError, match=where):
        PositionTable(file=str(tmp_path / "p.csv"))


def test_positions_without_probabilities() -> None:
    with pytest.raises(irmx.UsageError):
        PositionTable(file="p.csv", probabilities=[0.5])
    qrels = pd.DataFrame(
        {"query_id": ["q"], "doc_id": ["a"], "relevance": [1], "vertical": ["web"], "orientation": [0.5]}
    )
    run = pd.DataFrame({"query_id": ["q"], "doc_id": ["a"], "score": [1.0], "vertical": ["web"]})
    with pytest.raises(irmx.UsageError):
        irmx.calc_aggregate("AS(examination=by_position)", qrels, run)
    with pytest.raises(irmx.DataError, match="the expected effort"):
        irmx.calc_aggregate("AS(examination=by_position(probabilities=[0]),normalise=None)", qrels, run)
    for rank, said in (([], "no clicks"), ([200_000], "200,000")):
        log = pd.DataFrame({"session": ["a"] * len(rank), "rank": rank, "time": [0.0] * len(rank)})
        with pytest.raises(irmx.DataError, match=said):
            examination_of_clicks(log)


# -- examination -----------------------------------------------------------------------------------------------------


def table(
    seed: int, model: Any, detection: float, sessions: int = 1500, size: int = 8, **columns: Array
) -> pd.DataFrame:
    """Blocks that users of a model were seen to examine; the columns ``visual`` and ``gain`` are (sessions, size)."""
    session, position = np.divmod(np.arange(sessions * size), size)
    log = pd.DataFrame({"session": session, "position": position + 1, "examined": 0})
    log = log.assign(**{name: values.ravel() for name, values in columns.items()})
    data = read_examinations(log)
    chance = detection * model.probabilities(data.pages, data.gain)
    return log.assign(examined=(np.random.default_rng(seed).random(len(log)) < chance).astype(int))


def marked(seed: int, share: float, sessions: int = 1500, size: int = 8) -> Array:
    return (np.random.default_rng(1000 + seed).random((sessions, size)) < share).astype(int)


class Satisfied(irmx.Symbol):
    """A user who stops at a block with a probability of ``often`` times its gain."""

    NAME, KIND, SHORT_DESC = "satisfied", "examination model", "stops where a block satisfies often enough"
    SUPPORTED_PARAMS = {"often": irmx.Param(float, "how often a gain of 1 satisfies", default=0.5, low=0, high=1)}

    def probabilities(self, pages: Pages, gain: Array) -> Array:
        stay = np.log1p(-np.minimum(self["often"] * gain, 1 - 1e-12))
        before = np.cumsum(stay) - stay
        return np.exp(before - before[pages.offsets[:-1]][pages.page])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "parameter", "truth", "detection", "column", "share"),
    [
        (irmx.rbp, "beta", 0.8, 0.7, "", 0),
        (irmx.att, "beta", 0.4, 0.9, "visual", 0.15),
        (Satisfied(), "often", 0.6, 0.8, "gain", 0.3),
    ],
)
def test_parameters_come_back(
    model: Any, parameter: str, truth: float, detection: float, column: str, share: float
) -> None:
    count = 0
    for seed in range(6):
        columns = {column: marked(seed, share)} if column else {}
        log = table(seed, model(**{parameter: truth}), detection, **columns)
        fit = fit_examination(log, model, parameter, resamples=100)
        count += held(truth, fit.interval) + held(detection, fit.detection_interval)
        assert fit.model == model(**{parameter: fit.value})
    assert count >= 10  # of 12 at 95%


def test_users_who_read_down_and_stop() -> None:
    """The blocks of a session are not independent: a user who goes on with beta has seen all blocks above."""
    count = 0
    for seed in range(10):
        read = np.arange(1, 9) <= np.random.default_rng(seed).geometric(0.3, 1200)[:, None]
        session, position = np.divmod(np.arange(1200 * 8), 8)
        log = pd.DataFrame({"session": session, "position": position + 1, "examined": read.ravel().astype(int)})
        fit = fit_examination(log, "rbp", "beta", detection=1, resamples=200)
        count += held(0.7, fit.interval)
    assert count >= 8


def test_the_true_model_fits_best() -> None:
    log = read_examinations(table(3, irmx.rbp(beta=0.7), 0.8))
    rbp, dcg = fit_examination(log, "rbp", "beta"), fit_examination(log, "dcg")
    assert rbp.log_likelihood > dcg.log_likelihood + 100
    assert rbp.squared_error < 0.1 * dcg.squared_error
    assert (dcg.value, dcg.interval) == (None, None)


def test_the_fit_is_the_most_likely_by_another_route() -> None:
    log = read_examinations(table(1, irmx.att(beta=0.4), 0.8, sessions=300, visual=marked(1, 0.2, 300)))

    def loss(point: Array) -> float:
        return -float(examination_log_likelihoods(log, irmx.att(beta=float(point[0])), float(point[1])).sum())

    bounds = [(0.01, 0.99), (0.01, 0.999)]
    found = minimize(loss, [0.5, 0.5], bounds=bounds, method="Nelder-Mead", options={"xatol": 1e-6})
    fit = fit_examination(log, irmx.att, "beta")
    assert [fit.value, fit.detection] == pytest.approx(found.x.tolist(), abs=1e-3)
    assert fit.log_likelihood == pytest.approx(-found.fun, abs=1e-3)


def test_the_most_likely_value_is_found_between_the_last_two_steps_too() -> None:
    log = read_examinations(table(1, irmx.rbp(beta=0.6), 0.8, sessions=300))
    value = fit_examination(log, "rbp", "beta", detection=0.8, resamples=2).value
    assert value is not None
    for steps in (1.4, 198.6):  # of 200, from the lower bound
        bounds = (value - 0.001 * steps, value + 0.001 * (200 - steps))
        found = fit_examination(log, "rbp", "beta", bounds=bounds, detection=0.8, resamples=2)
        assert found.value == pytest.approx(value, abs=1e-4)


def test_detection_alone() -> None:
    """With one position c is the share that was seen; what a model excludes is infinitely unlikely."""
    log = pd.DataFrame({"session": range(50), "position": 1, "examined": [1] * 30 + [0] * 20})
    fit = fit_examination(log, "dcg")
    assert fit.detection == pytest.approx(0.6, abs=1e-9)
    assert fit.log_likelihood == pytest.approx(30 * np.log(0.6) + 20 * np.log(0.4))
    certain = pd.DataFrame({"session": np.repeat(range(10), 2), "position": [1, 2] * 10, "examined": 1, "gain": 1})
    assert examination_log_likelihoods(certain, "err").tolist() == [-np.inf] * 10
    assert fit_examination(certain, "err").log_likelihood == -np.inf
    assert (fit_examination(certain, "rbp", "beta").value, fit_examination(certain, "rbp", "beta").detection) == (1, 1)


@pytest.mark.slow
def test_sessions_of_one_user_are_drawn_together() -> None:
    one = table(5, irmx.rbp(beta=0.8), 0.7, sessions=100)
    twenty = pd.concat([one.assign(session=one["session"] + 100 * i, user=one["session"]) for i in range(20)])
    fits = [fit_examination(log, "rbp", "beta") for log in (one, twenty, twenty.drop(columns="user"))]
    widths = [fit.interval[1] - fit.interval[0] for fit in fits]  # type: ignore[index]
    assert [fit.value for fit in fits] == pytest.approx([fits[0].value] * 3, abs=1e-9)
    assert widths[1] == pytest.approx(widths[0], rel=1e-9)
    assert widths[2] < widths[0] / 3
    assert [(fit.sessions, fit.clusters) for fit in fits] == [(100, 100), (2000, 100), (2000, 2000)]


def test_pages_of_different_lengths_in_a_file_in_any_order(tmp_path: Path) -> None:
    log = table(6, irmx.rbp(beta=0.8), 0.7)
    log[log["position"] <= 2 + log["session"] % 7].sample(frac=1, random_state=0).to_csv(tmp_path / "log.csv")
    fit = fit_examination(tmp_path / "log.csv", "rbp", "beta")
    assert held(0.8, fit.interval)
    assert len(fit.observed) == len(fit.expected) == 8


class Wrong(irmx.Symbol):
    NAME, KIND, SHORT_DESC = "wrong", "examination model", "gives 2"

    def probabilities(self, pages: Pages, gain: Array) -> Array:
        return np.full(len(gain), 2.0)


ONE = pd.DataFrame({"session": [1], "position": [1], "examined": [1]})
LOG = pd.DataFrame({"session": [*"aabbcc"], "position": [1, 2] * 3, "examined": [1, 0, 1, 1, 0, 0]})


@pytest.mark.parametrize(
    ("log", "arguments", "options", "error", "said"),
    [
        (LOG, ("att", "beta"), {}, irmx.DataError, "'att' needs to know which blocks contain an image or a video.*column 'visual'"),
        (LOG.assign(visual=0), ("att", "beta"), {}, irmx.DataError, "'beta' of the examination model 'att'.*equally likely.*none of its"),
        (LOG.assign(visual=1), ("att", "beta"), {}, irmx.DataError, "does not identify 'beta'"),
        (LOG, ("err",), {}, irmx.DataError, "'err' needs to know the gain of each block.*column 'gain'"),
        (LOG.assign(examined=0), ("dcg",), {}, irmx.DataError, "No block in the log was observed to be examined"),
        (ONE, (Wrong(),), {}, irmx.DataError, "gives 2, which is not a probability"),
        (ONE, ("cascade",), {}, irmx.UsageError, "must be an? examination model"),
        (ONE, ("rbp", "p"), {}, irmx.UsageError, "'rbp' has no parameter 'p'. It has: beta"),
        (ONE, ("rbp", "beta"), {"bounds": (1, 0)}, irmx.UsageError, "smallest and largest value"),
        (ONE, ("rbp", "beta"), {"bounds": (0, 2)}, irmx.UsageError, "'beta' parameter of rbp"),
        (ONE, ("rbp",), {"detection": 0}, irmx.UsageError, r"detection must be a number in the range \(0, 1\]"),
        (ONE, ("rbp",), {"resamples": 0}, irmx.UsageError, "'resamples' parameter .* must be an int"),
    ],
)  # fmt: skip
def test_what_cannot_be_fitted(log: Any, arguments: Any, options: dict[str, Any], error: Any, said: str) -> None:
    with pytest.raises(error, match=said):
        fit_examination(log, *arguments, **options)


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ("session,position\na,1\n", "lacks the column 'examined'"),
        ("session,position,examined\na,1,1\na,3,0\n", "line 3: the positions of the session 'a' must be 1, 2, ... 2"),
        ("session,position,examined\na,1,1\na,1,0\n", "line 3: the positions of the session 'a'.*Found 1"),
        ("session,position,examined\na,0,1\n", r"line 2: the position must be a whole number in the range \[1, inf\). Got '0'"),
        ("session,position,examined\na,1,2\n", "line 2: the examined must be 1 or 0. Got '2'"),
        ("session,position,examined\n,1,1\n", "line 2: the session is missing"),
        ("session,position,examined,visual\na,1,1,\n", "line 2: the visual is missing. It must be 1 or 0"),
        ("session,position,examined,gain\na,1,1,1.5\n", r"line 2: the gain must be a number in the range \[0, 1\]. Got '1.5'"),
        ("session,position,examined,user\na,1,1,x\na,2,1,y\n", "line 3: the session 'a' belongs to another user in an earlier row"),
    ],
)  # fmt: skip
def test_bad_logs(tmp_path: Path, rows: str, found: str) -> None:
    (tmp_path / "log.csv").write_text(rows, encoding="utf-8")
    with pytest.raises(irmx.DataError, match=found):
        read_examinations(tmp_path / "log.csv")


# -- efforts ---------------------------------------------------------------------------------------------------------

TRUE = {"text": 3.0, "image": 1.0, "video": 6.0}


def times(users: int, items: int, seed: int, alone: bool = False) -> pd.DataFrame:
    """What users spent on items. ``alone``: each saw one type, and those who saw another one are slower or quicker."""
    generator = np.random.default_rng(seed)
    user = np.repeat(np.arange(users), items)
    pace = generator.lognormal(0, 0.5, users)[user]
    kind = user % 3 if alone else generator.integers(0, 3, len(user))
    seconds = np.array(list(TRUE.values()))[kind] * pace * generator.lognormal(0, 0.8, len(user))
    return pd.DataFrame({"user": user, "media": np.array(list(TRUE))[kind], "time": seconds})


@pytest.mark.parametrize("statistic", ["mean", "median", "within_users"])
def test_intervals_hold_the_truth(statistic: str) -> None:
    count = 0
    for seed in range(20):
        fit = fit_effort(times(60, 20, seed), "image", statistic=statistic, resamples=200)
        count += sum(held(TRUE[name], fit.intervals[name]) for name in ("text", "video"))
        assert (fit.effort["image"], fit.intervals["image"]) == (1, (1, 1))
    assert count >= 33  # of 40 at 95%


def test_samples_of_users_are_wider_than_samples_of_times() -> None:
    log = times(60, 20, 1, alone=True)
    (a, b), (c, d) = (fit_effort(x, "image").intervals["video"] for x in (log, log.drop(columns="user")))
    assert math.log(b / a) > 1.5 * math.log(d / c)


def test_within_users_pace_does_not_matter() -> None:
    """Users who are ten times slower, and who saw videos more often, move a mean and not a comparison within users."""
    generator = np.random.default_rng(3)
    user = np.repeat(np.arange(80), 30)
    slow = user % 2 == 1
    kind = np.where(generator.random(len(user)) < np.where(slow, 0.8, 0.2), "video", "image")
    seconds = np.where(kind == "video", 2.0, 1.0) * np.where(slow, 10, 1) * generator.lognormal(0, 0.3, len(user))
    log = pd.DataFrame({"user": user, "media": kind, "time": seconds})
    within = fit_effort(log, "image", statistic="within_users")
    assert within.effort["video"] == pytest.approx(2, rel=0.03)
    assert held(2, within.intervals["video"])
    assert fit_effort(log, "image").intervals["video"][0] > 3


def test_estimates_are_those_of_numpy(tmp_path: Path) -> None:
    log = times(10, 7, 2)
    log.to_csv(tmp_path / "times.csv", index=False)
    by_type = {name: rows["time"].to_numpy() for name, rows in log.groupby("media")}
    for statistic, of in (("mean", np.mean), ("median", np.median)):
        fit = fit_effort(tmp_path / "times.csv", "text", statistic=statistic)
        for name, values in by_type.items():
            assert fit.seconds[name] == pytest.approx(of(values))
            assert fit.effort[name] == pytest.approx(of(values) / of(by_type["text"]))
            assert fit.times[name] == len(values)
    design = np.column_stack([pd.get_dummies(log["user"]), log["media"] == "image", log["media"] == "video"])
    slopes = np.linalg.lstsq(design.astype(float), np.log(log["time"].to_numpy()), rcond=None)[0][-2:]
    effort = fit_effort(log, "text", statistic="within_users").effort
    assert [effort["image"], effort["video"]] == pytest.approx(np.exp(slopes).tolist(), rel=1e-10)


def test_what_is_left_out_is_counted_and_the_seed_settles_the_intervals() -> None:
    log = times(30, 20, 6)
    more = pd.DataFrame({"user": 0, "media": "text", "time": [0.0, 0.0, 0.01, 700.0]})
    fit = fit_effort(pd.concat([log, more]), "image", shortest=0.01, longest=600)
    assert (fit.not_seen, fit.too_long, fit.users) == (3, 1, 30)
    assert fit.effort == fit_effort(log, "image").effort
    assert fit_effort(pd.concat([log, more]), "image").not_seen == 2
    up_to_all = fit_effort(log, "image", longest=log["time"].max())
    assert (up_to_all.effort, up_to_all.too_long) == (fit_effort(log, "image").effort, 0)
    assert fit_effort(log, "image", seed=1) == fit_effort(log, "image", seed=1)
    assert fit_effort(log, "image", seed=1).intervals != fit_effort(log, "image", seed=2).intervals


@pytest.mark.parametrize(
    ("rows", "options", "error", "found"),
    [
        ("user,media\n1,text\n", {}, irmx.DataError, "lacks the column 'time'"),
        ("user,media,time\n1,image,2\n1,,2\n", {}, irmx.DataError, "line 3: the media is missing"),
        ("user,media,time\n1,image,2\n,text,2\n", {}, irmx.DataError, "line 3: the user is missing"),
        *((f"user,media,time\n1,image,2\n2,text,{x}\n", {}, irmx.DataError, f"line 3: the time must be a number .* Got '{x}'")
          for x in ("-1", "inf", "soon")),
        ("user,media,time\n1,text,2\n2,text,3\n", {}, irmx.DataError, "no times for the reference 'image'. The media types are text"),
        ("user,media,time\n1,image,2\n2,text,0\n", {}, irmx.DataError, "no times for 'text' above 0 seconds"),
        ("user,media,time\n1,image,2\n2,image,2\n1,text,2\n", {}, irmx.DataError, "Too few users saw 'text'"),
        ("user,media,time\n1,image,2\n2,image,2\n", {}, irmx.DataError, "All times are for the reference 'image'"),
        ("user,media,time\n1,image,2\n2,text,2\n", {"statistic": "within_users"}, irmx.DataError, "No comparison within users.*Use 'mean'"),
        *(("user,media,time\n" + "".join(f"{u},image,{x}\n{u},text,{y}\n" for u in range(4)), {"statistic": how}, irmx.DataError,
           "the times are too far apart for floating-point numbers")
          for how in ("mean", "median", "within_users") for x, y in (("1.7e308", "1e-300"), ("5e-324", "1e300"))),
        ("user,media,time\n1,image,2\n", {"statistic": "mode"}, irmx.UsageError, "'statistic' must be one of 'mean', 'median', 'within_users'"),
        ("user,media,time\n1,image,2\n", {"shortest": -1}, irmx.UsageError, "'shortest' must be at least 0 and below 'longest'"),
        ("user,media,time\n1,image,2\n", {"shortest": 5, "longest": 5}, irmx.UsageError, "shortest=5 and longest=5"),
        ("user,media,time\n1,image,2\n2,text,2\n", {"resamples": 1}, irmx.UsageError, "'resamples' parameter .* must be an int"),
        ("user,media,time\n1,image,2\n2,text,2\n", {"seed": -1}, irmx.UsageError, "'seed' parameter .* must be an int"),
    ],
)  # fmt: skip
def test_bad_times(tmp_path: Path, rows: str, options: dict[str, Any], error: Any, found: str) -> None:
    (tmp_path / "times.csv").write_text(rows, encoding="utf-8")
    with pytest.raises(error, match=found):
        fit_effort(tmp_path / "times.csv", "image", **options)


def test_one_user_has_no_interval() -> None:
    log = times(1, 40, 3)
    with pytest.warns(irmx.DataWarning, match="All times belong to one user or session"):
        fit = fit_effort(log, "image")
    assert all(math.isnan(end) for interval in fit.intervals.values() for end in interval)
    of_each = pd.DataFrame({"user": "a", "media": ["image", "video"], "time": [2.0, 5.0]})
    with pytest.warns(irmx.DataWarning, match="All times belong to one user or session"):
        assert fit_effort(of_each, "image", statistic="median").effort == {"image": 1, "video": 2.5}
    one = pd.DataFrame({"session": "a", "position": [1, 2, 3, 4], "examined": [1, 1, 0, 0]})
    with pytest.warns(irmx.DataWarning, match="All blocks belong to one user or session"):
        found = fit_examination(one, "rbp", "beta", resamples=2)
    assert np.isnan([*found.interval, *found.detection_interval]).all()  # type: ignore[misc]
    assert (fit.users, found.clusters, found.value) == (1, 1, pytest.approx(0.5, abs=0.1))


@pytest.mark.parametrize(("users", "has_one"), [(2, False), (9, False), (10, True)])
def test_few_users_have_no_interval(users: int, has_one: bool, recwarn: Any) -> None:
    """Two equal sessions would have an interval without width."""
    fit = fit_effort(times(users, 40, 3), "image")
    session = np.repeat(np.arange(users), 4)
    log = pd.DataFrame({"session": session, "position": [1, 2, 3, 4] * users, "examined": [1, 1, 0, 0] * users})
    found = fit_examination(log, "rbp", "beta", resamples=2)
    ends = [*found.interval, *found.detection_interval, *fit.intervals["video"]]  # type: ignore[misc]
    assert np.isfinite(ends).tolist() == [has_one] * 6
    assert [one.category for one in recwarn] == [irmx.DataWarning] * (0 if has_one else 2)


# -- the commands ------------------------------------------------------------------------------------------------------


def test_the_commands_print_what_the_functions_return(tmp_path: Path, command: Any) -> None:
    log, seen = tmp_path / "log.csv", tmp_path / "times.csv"
    table(6, irmx.rbp(beta=0.8), 0.7, sessions=200).to_csv(log, index=False)
    times(60, 20, 0).to_csv(seen, index=False)
    given = ("--resamples", "100", "--seed", "3", "-o", "jsonl")
    done = command("pages", "fit-examination", log, "rbp", "beta", "--bounds", "0.5:1", *given)
    fit = fit_examination(log, "rbp", "beta", bounds=(0.5, 1), resamples=100, seed=3)
    rows = [json.loads(line) for line in done.out.splitlines()]
    assert [(r["value"], r["low"], r["high"]) for r in rows if r["table"] == "estimates"] == [
        (fit.value, *fit.interval),  # type: ignore[misc]
        (fit.detection, *fit.detection_interval),  # type: ignore[misc]
    ]
    shares = [(r["observed"], r["expected"]) for r in rows if r["table"] == "positions"]
    assert shares == list(zip(fit.observed.tolist(), fit.expected.tolist(), strict=True))
    done = command("pages", "fit-examination", log, "rbp(beta=0.8)", "--detection", "0.7", "-o", "csv")
    assert [line.split(",")[0] for line in done.out.splitlines()[:3]] == ["estimate", "detection", ""]
    done = command("pages", "fit-effort", seen, "image", "--statistic", "median", "--longest", "60", *given)
    effort = fit_effort(seen, "image", statistic="median", longest=60, resamples=100, seed=3)
    rows = [json.loads(line) for line in done.out.splitlines()]
    assert {r["media"]: (r["effort"], (r["low"], r["high"]), r["seconds"], r["times"]) for r in rows} == {
        media: (effort.effort[media], effort.intervals[media], effort.seconds[media], effort.times[media])
        for media in effort.effort
    }
    assert irmx.parse_measure(f"AS_DCG({done.err.split()[-1]})")["effort"] == pytest.approx(effort.effort, rel=1e-3)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("fit-examination", "log.csv", "nope"), 2, "nope"),
        (("fit-examination", "log.csv", "rbp", "p"), 2, "'p'"),
        (("fit-examination", "log.csv", "rbp", "beta", "--bounds", "1"), 2, "'1'"),
        (("fit-examination", "log.csv", "err"), 1, "gain"),
        (("fit-examination", "nowhere.csv", "rbp"), 1, "nowhere.csv"),
        (("fit-effort", "log.csv", "image"), 1, "'media'"),
        (("clicks", "log.csv"), 1, "'rank'"),
    ],
)
def test_what_the_commands_refuse(
    tmp_path: Path, command: Any, monkeypatch: pytest.MonkeyPatch, arguments: Any, code: int, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    LOG.to_csv("log.csv", index=False)
    command("pages", *arguments).assert_refused(code, said)
