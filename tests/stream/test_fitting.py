"""The population behind a log of visits is found again."""

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from irmx import DataError, UsageError
from irmx_stream import Population, PopulationFit, Recorded, fit_population, simulate
from irmx_stream.population_fit import log_likelihood

DAY = 86400.0
NAMES = ("MA", "SA", "MD", "SD", "speed_mu", "speed_sigma")


def recorded(population: Population, users: int, days: float, seed: int) -> Recorded:
    drawn = population.draw(users, seed=seed)
    return Recorded([str(u) for u in range(users)], simulate(drawn, days * DAY, seed), drawn.speed)


def frame(log: Recorded) -> pd.DataFrame:
    return pd.DataFrame({"user": log.traces.user, "start": log.traces.start, "duration": log.traces.duration})


def brute_force(mu: float, sigma: float, n: int, total: float) -> float:
    """The logarithm of the integral over a fine grid of z."""
    z = np.linspace(-40, 40, 800_001)
    values = -(z**2) / 2 - n * (mu + sigma * z) - total * np.exp(np.minimum(-(mu + sigma * z), 600))
    top = values.max()
    return float(top + math.log(np.exp(values - top).sum() * (z[1] - z[0]) / math.sqrt(2 * math.pi)))


@pytest.mark.parametrize(
    ("mu", "sigma", "n", "total"),
    [
        (0.0, 1.0, 2, 3.0),
        (1.0, 0.3, 1, 0.01),
        (0.0, 2.0, 5, 0.001),
        (0.0, 3.0, 1, 100.0),
        (-1.0, 0.05, 50, 20.0),
        (0.0, 1.2, 0, 4.0),
        (0.5, 1.0, 3, 0.0),
        (0.0, 2.0, 400, 500.0),
    ],
)
def test_the_likelihood_is_the_integral(mu: float, sigma: float, n: int, total: float) -> None:
    found = log_likelihood(mu, sigma, np.array([n]), np.array([total]))
    assert found == pytest.approx(brute_force(mu, sigma, n, total), abs=1e-7)


def test_the_likelihood_of_users_adds_up_and_of_no_spread_is_the_limit() -> None:
    n, total = np.array([3, 0, 7]), np.array([2.5, 0.4, 9.0])
    parts = [log_likelihood(0.2, 0.8, n[i : i + 1], total[i : i + 1]) for i in range(3)]
    assert log_likelihood(0.2, 0.8, n, total) == pytest.approx(sum(parts), rel=1e-12)
    assert log_likelihood(0.2, 1e-4, n, total) == pytest.approx(log_likelihood(0.2, 0.0, n, total), abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(
    "population", [Population(MA="5h", SA="4h", MD=100, SD=120), Population(MA="30m", SA="10m", MD="5m", SD="2m")]
)
def test_recovery(population: Population) -> None:
    """Of 8 logs with 6 intervals each, those of 95% hold the truth but for a few."""
    held = 0
    for seed in range(8):
        fit = fit_population(recorded(population, 120, 6, seed), end=6 * DAY)
        held += sum(fit.intervals[name][0] <= getattr(population, name) <= fit.intervals[name][1] for name in NAMES)
        for name in NAMES:
            assert fit.intervals[name][0] <= getattr(fit.population, name) <= fit.intervals[name][1]
    assert held >= 42


@pytest.mark.slow
def test_more_users_give_narrower_intervals() -> None:
    def width(users: int) -> float:
        low, high = fit_population(recorded(Population(), users, 5, 0), end=5 * DAY).intervals["SA"]
        return math.log(high / low)

    assert width(400) == pytest.approx(width(100) / 2, rel=0.3)


def test_the_fit_is_the_most_likely_population() -> None:
    log = recorded(Population(), 60, 5, 2)
    traces = log.traces
    n = np.bincount(traces.user, minlength=60)
    total = np.bincount(traces.user, traces.duration, 60)

    def of_durations(mean: float, spread: float) -> float:
        variance = math.log1p((spread / mean) ** 2)
        return log_likelihood(math.log(mean) - variance / 2, math.sqrt(variance), n, total)

    fit = fit_population(log).population
    best = of_durations(fit.MD, fit.SD)
    for a, b in ((1.01, 1), (0.99, 1), (1, 1.02), (1, 0.98)):
        assert of_durations(a * fit.MD, b * fit.SD) < best


def test_the_log_likelihood_is_that_of_times_in_seconds() -> None:
    log = pd.DataFrame({"user": list("aabb"), "start": [0, 50, 0, 50], "duration": [10, 10, 10, 10]})
    fit = fit_population(log)
    durations, away = -4 * math.log(10) - 4, -2 * math.log(40) - 2
    assert fit.log_likelihood == pytest.approx(durations + away, rel=1e-12)


def test_a_frame_and_a_file_give_what_the_traces_give(tmp_path: Path) -> None:
    log = recorded(Population(), 30, 4, 1)
    frame(log).to_csv(tmp_path / "log.csv", index=False)
    fits = [fit_population(source, end=4 * DAY) for source in (log, frame(log), tmp_path / "log.csv")]
    assert [fit.population.MA for fit in fits] == pytest.approx([fits[0].population.MA] * 3, rel=1e-9)
    sessions = len(log.traces.start)
    assert [(fit.users, fit.sessions, fit.times_away) for fit in fits] == [(30, sessions, sessions - 30)] * 3
    assert (fits[1].population.speed_mu, fits[1].population.speed_sigma) == (1.29, 0.558)
    assert "speed_mu" not in fits[1].intervals


def test_speeds_are_fitted_in_closed_form() -> None:
    log = recorded(Population(), 50, 4, 1)
    fit = fit_population(log).population
    assert log.speeds is not None
    assert fit.speed_mu == pytest.approx(np.mean(np.log(log.speeds)))
    assert fit.speed_sigma == pytest.approx(np.std(np.log(log.speeds)))


@pytest.mark.slow
def test_the_end_of_the_recording_removes_the_bias_of_long_times_away() -> None:
    population = Population(MA="1d", SA="1d")
    log = recorded(population, 400, 5, 3)
    with_end, without = fit_population(log, end=5 * DAY), fit_population(log)
    low, high = with_end.intervals["MA"]
    assert low <= population.MA <= high
    assert without.intervals["MA"][1] < population.MA


def alike(users: int, sessions: int) -> pd.DataFrame:
    start = np.tile(100.0 * np.arange(sessions), users)
    return pd.DataFrame({"user": np.repeat(np.arange(users), sessions), "start": start, "duration": 60.0})


def test_users_who_are_all_the_same_have_no_spread() -> None:
    fit = fit_population(alike(10, 20))
    assert (fit.population.MD, fit.population.SD, fit.population.MA, fit.population.SA) == (60, 0, 40, 0)
    low, high = fit.intervals["SD"]
    assert low == 0
    assert 0 < high < 60
    factor = math.exp(1.96 / math.sqrt(200))
    assert fit.intervals["MD"] == pytest.approx((60 / factor, 60 * factor), 1e-4)


@pytest.mark.slow
def test_a_spread_that_is_not_significant_has_an_interval_from_0() -> None:
    insignificant = 0
    for seed in range(6):
        fit: PopulationFit = fit_population(recorded(Population(SD=0, MD=120), 40, 3, seed))
        low, high = fit.intervals["SD"]
        assert 0 <= low <= fit.population.SD < high < 120
        insignificant += low == 0
    assert insignificant >= 4


def test_too_little_to_tell_a_spread_reaches_to_infinity() -> None:
    log = pd.DataFrame({"user": list("aabb"), "start": [0, 50, 0, 5000], "duration": [10, 10, 10, 10]})
    assert fit_population(log).intervals["SA"] == (0.0, math.inf)


@pytest.mark.parametrize(
    ("log", "said"),
    [
        (alike(1, 5), "at least two users with a time away .between two sessions.. The log has 1"),
        (alike(5, 1), "at least two users with a time away .between two sessions.. The log has 0"),
        (alike(3, 4).assign(duration=0.0), "All 12 times in the log are 0"),
        (alike(3, 4).assign(duration=100.0), "All 9 times in the log are 0"),
    ],
)
def test_logs_that_tell_no_population(log: pd.DataFrame, said: str) -> None:
    with pytest.raises(DataError, match=said):
        fit_population(log)


def test_users_who_differ_beyond_all_bounds() -> None:
    log = pd.DataFrame({"user": np.repeat(np.arange(4), 30), "start": np.tile(np.arange(30) * 1e13, 4)})
    with pytest.raises(DataError, match="differ by more than those of a log-normal population"):
        fit_population(log.assign(duration=np.repeat([1e-9, 1e-3, 1e6, 1e12], 30)))


def test_the_recording_cannot_end_before_a_session() -> None:
    with pytest.raises(UsageError, match="a session of the user '0' ends at 460"):
        fit_population(alike(2, 5), end=400)
