"""Efforts of simulated users come back within their intervals; bad tables are refused."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import irmx
from irmx_pages import fit_effort

TRUE = {"text": 3.0, "image": 1.0, "video": 6.0}


def times(
    users: int, items: int, seed: int, alone: bool = False, spread: float = 0.5, effort: dict[str, float] | None = None
) -> pd.DataFrame:
    """What users spent on items. ``alone``: each saw one type, and those who saw another one are slower or quicker."""
    effort = effort or TRUE
    generator = np.random.default_rng(seed)
    user = np.repeat(np.arange(users), items)
    pace = generator.lognormal(0, spread, users)[user]
    kind = user % 3 if alone else generator.integers(0, 3, len(user))
    seconds = np.array(list(effort.values()))[kind] * pace * generator.lognormal(0, 0.8, len(user))
    return pd.DataFrame({"user": user, "media": np.array(list(effort))[kind], "time": seconds})


@pytest.mark.parametrize("statistic", ["mean", "median", "within_users"])
def test_intervals_hold_the_truth(statistic: str) -> None:
    held = 0
    for seed in range(20):
        fit = fit_effort(times(60, 20, seed), "image", statistic=statistic, resamples=200)
        held += sum(fit.intervals[name][0] <= TRUE[name] <= fit.intervals[name][1] for name in ("text", "video"))
        assert fit.effort["image"] == 1
        assert fit.intervals["image"] == (1, 1)
    assert held >= 33  # of 40 at 95%


def test_samples_of_users_are_wider_than_samples_of_times() -> None:
    log = times(60, 20, 1, alone=True)
    by_user = fit_effort(log, "image").intervals["video"]
    by_time = fit_effort(log.drop(columns="user"), "image").intervals["video"]
    assert math.log(by_user[1] / by_user[0]) > 1.5 * math.log(by_time[1] / by_time[0])


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
    assert within.intervals["video"][0] < 2 < within.intervals["video"][1]
    assert fit_effort(log, "image").intervals["video"][0] > 3


def test_within_users_is_the_least_squares_fit() -> None:
    log = times(7, 9, 5)
    design = np.column_stack(
        [
            pd.get_dummies(log["user"]).to_numpy(float),
            (log["media"] == "text").to_numpy(float),
            (log["media"] == "video").to_numpy(float),
        ]
    )
    found = np.exp(np.linalg.lstsq(design, np.log(log["time"].to_numpy()), rcond=None)[0][-2:])
    effort = fit_effort(log, "image", statistic="within_users").effort
    assert [effort["text"], effort["video"]] == pytest.approx(found.tolist(), rel=1e-10)


def test_means_and_medians_are_those_of_numpy() -> None:
    log = times(9, 7, 2)
    by_type = {name: rows["time"].to_numpy() for name, rows in log.groupby("media")}
    for statistic, of in (("mean", np.mean), ("median", np.median)):
        fit = fit_effort(log, "text", statistic=statistic)
        for name, values in by_type.items():
            assert fit.seconds[name] == pytest.approx(of(values))
            assert fit.effort[name] == pytest.approx(of(values) / of(by_type["text"]))
            assert fit.times[name] == len(values)


def test_another_reference_is_another_unit() -> None:
    log = times(30, 20, 4)
    one, other = fit_effort(log, "image"), fit_effort(log, "text")
    for name in TRUE:
        assert one.effort[name] == pytest.approx(other.effort[name] / other.effort["image"])


def test_what_is_left_out_is_counted() -> None:
    log = times(30, 20, 6)
    more = pd.DataFrame({"user": 0, "media": "text", "time": [0.0, 0.0, 0.01, 700.0]})
    with_more = fit_effort(pd.concat([log, more]), "image", shortest=0.01, longest=600)
    assert (with_more.not_seen, with_more.too_long, with_more.users) == (3, 1, 30)
    assert with_more.effort == fit_effort(log, "image").effort
    assert fit_effort(pd.concat([log, more]), "image").not_seen == 2


def test_the_seed_settles_the_intervals() -> None:
    log = times(30, 10, 7)
    assert fit_effort(log, "image", seed=1) == fit_effort(log, "image", seed=1)
    assert fit_effort(log, "image", seed=1).intervals != fit_effort(log, "image", seed=2).intervals


def test_a_file_gives_what_the_frame_gives(tmp_path: Path) -> None:
    log = times(20, 10, 8)
    log.to_csv(tmp_path / "times.csv", index=False)
    one, other = fit_effort(log, "image"), fit_effort(tmp_path / "times.csv", "image")
    assert list(other.effort.values()) == pytest.approx(list(one.effort.values()))
    assert other.users == 20


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ("user,media\n1,text\n", "lacks the column 'time'"),
        ("user,media,time\n1,image,2\n1,,2\n", "line 3: the media is missing"),
        ("user,media,time\n1,image,2\n,text,2\n", "line 3: the user is missing"),
        (
            "user,media,time\n1,image,2\n2,text,-1\n",
            r"line 3: the time must be a number in the range \[0, inf\). Got '-1'",
        ),
        ("user,media,time\n1,image,2\n2,text,inf\n", "line 3: the time must be a number .* Got 'inf'"),
        ("user,media,time\n1,image,2\n2,text,soon\n", "line 3: the time must be a number .* Got 'soon'"),
        ("user,media,time\n1,text,2\n2,text,3\n", "no times for the reference 'image'. The media types are text"),
        ("user,media,time\n1,image,2\n2,text,0\n", "no times for 'text' above 0 seconds"),
        ("user,media,time\n1,image,2\n2,image,2\n1,text,2\n", "Too few users saw 'text'"),
    ],
)
def test_bad_tables(tmp_path: Path, rows: str, found: str) -> None:
    path = tmp_path / "times.csv"
    path.write_text(rows, encoding="utf-8")
    with pytest.raises(irmx.DataError, match=found.replace("(", r"\(")):
        fit_effort(path, "image")


def test_within_users_needs_users_who_saw_both() -> None:
    with pytest.raises(irmx.DataError, match=r"No comparison within users.*Use 'mean' or 'median'"):
        fit_effort(times(30, 10, 9, alone=True), "image", statistic="within_users")


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({"statistic": "mode"}, "'statistic' must be one of 'mean', 'median', 'within_users'"),
        ({"shortest": -1}, "'shortest' must be at least 0 and below 'longest'"),
        ({"shortest": 5, "longest": 5}, "shortest=5 and longest=5"),
        ({"resamples": 1}, "'resamples' must be an int"),
        ({"seed": -1}, "'seed' must be an int"),
    ],
)
def test_bad_options(options: dict[str, object], found: str) -> None:
    with pytest.raises(irmx.UsageError, match=found):
        fit_effort(times(10, 10, 0), "image", **options)  # type: ignore[arg-type]


def test_one_user_has_no_interval() -> None:
    log = times(1, 40, 3)
    with pytest.warns(irmx.DataWarning, match="All times belong to one user or session"):
        fit = fit_effort(log, "image")
    assert fit.users == 1
    assert all(math.isnan(end) for interval in fit.intervals.values() for end in interval)
    seconds = log.groupby("media")["time"].mean()
    assert fit.effort["video"] == pytest.approx(seconds["video"] / seconds["image"])


@pytest.mark.parametrize("statistic", ["mean", "median", "within_users"])
def test_one_media_type_is_nothing_to_compare(statistic: str) -> None:
    log = times(5, 9, 3)
    with pytest.raises(irmx.DataError, match="All times are for the reference 'image'"):
        fit_effort(log[log["media"] == "image"], "image", statistic=statistic)
