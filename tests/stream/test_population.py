"""Populations: log-normal means with the mean and spread asked for, the same users whatever is asked of them."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

from irmx import UsageError
from irmx_stream import Population

SAMPLINGS = ("random", "sobol")


def test_durations_are_texts_or_seconds_and_the_defaults_are_reasonable_users() -> None:
    assert Population(MA="3h", SA="1.5h", MD="2m", SD="1m") == Population() == Population(10800, 5400, 120, 60)


@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_mean_and_deviation_are_those_asked_for(sampling: str) -> None:
    users = Population(MA="6h", SA="2h", MD="5m", SD="10m").draw(2**16, seed=3, sampling=sampling)
    assert users.away.mean() == pytest.approx(21600, rel=0.01)
    assert users.away.std() == pytest.approx(7200, rel=0.02)
    assert users.session.mean() == pytest.approx(300, rel=0.03)
    assert users.session.std() == pytest.approx(600, rel=0.1)
    assert 60 * users.speed.mean() == pytest.approx(255, rel=0.01)
    assert stats.kstest(np.log(users.speed), stats.norm(1.29, 0.558).cdf).pvalue > 0.01


@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_more_users_leave_the_first_ones_as_they_are(sampling: str) -> None:
    population = Population()
    many = population.draw(1000, seed=11, sampling=sampling)
    for count in (1, 2, 3, 100, 128, 999):
        few = population.draw(count, seed=11, sampling=sampling)
        for name in ("away", "session", "speed"):
            assert np.array_equal(getattr(few, name), getattr(many, name)[:count])


@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_parameters_move_the_same_users(sampling: str) -> None:
    here = Population().draw(50, seed=4, sampling=sampling)
    there = Population(MA="6h", SA="3h", MD="1m", SD="2m").draw(50, seed=4, sampling=sampling)
    assert there.away == pytest.approx(2 * here.away, rel=1e-12)
    assert np.array_equal(np.argsort(there.session), np.argsort(here.session))
    assert np.array_equal(there.speed, here.speed)


def test_draws_are_the_documented_ones() -> None:
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(9, spawn_key=(1,))))
    z = rng.standard_normal((5, 3))
    users = Population().draw(5, seed=9)
    sigma = np.sqrt(np.log(1.25))
    mu = np.log([10800, 120]) - sigma**2 / 2
    assert users.away == pytest.approx(np.exp(mu[0] + sigma * z[:, 0]), rel=1e-12)
    assert users.session == pytest.approx(np.exp(mu[1] + sigma * z[:, 1]), rel=1e-12)
    assert users.speed == pytest.approx(np.exp(1.29 + 0.558 * z[:, 2]), rel=1e-12)


@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_seeds_differ(sampling: str) -> None:
    first, second = (Population().draw(10, seed=seed, sampling=sampling).away for seed in (0, 1))
    assert not np.any(first == second)


def test_without_spread_every_user_has_the_mean() -> None:
    users = Population(MA="1h", SA=0, MD=90.1, SD=0, speed_sigma=0).draw(4)
    assert users.away.tolist() == [3600.0] * 4
    assert users.session.tolist() == [90.1] * 4
    assert len(set(users.speed.tolist())) == 1


def test_sobol_points_lower_the_error_of_the_mean() -> None:
    def error(sampling: str) -> float:
        means = [Population().draw(1024, seed=s, sampling=sampling).away.mean() for s in range(20)]
        return float(np.sqrt(np.mean((np.array(means) - 10800) ** 2)))

    assert error("sobol") < error("random") / 4


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Population(MA="3 parsecs"), "'parsecs' is not a unit of time"),
        (lambda: Population(MA=0), "MA, the mean time away of a population, must be more than 0 seconds. Got 0"),
        (lambda: Population(MD=-5), "MD, the mean duration of a session of a population, must be more than 0"),
        (lambda: Population(SA=-1), "SA, the standard deviation of the time away, must be from 0"),
        (lambda: Population(MD=1, SD="30d"), "SD, .* to 1e.06 times MD = 1 seconds. Got 2.592e.06"),
        (lambda: Population(speed_sigma=-0.1), r"speed_sigma, .* in the range \[0, 10\]. Got -0.1"),
        (lambda: Population(speed_mu=float("nan")), "speed_mu, .* Got nan"),
        (lambda: Population().draw(0), "'users' must be a whole number of at least 1. Got 0"),
        (lambda: Population().draw(1.5), "'users' must be a whole number of at least 1. Got 1.5"),  # type: ignore[arg-type]
        (lambda: Population().draw(5, seed=-1), "'seed' must be a whole number of at least 0. Got -1"),
        (lambda: Population().draw(5, sampling="halton"), "'random' or by 'sobol' sampling. Got 'halton'"),
    ],
)
def test_bad_parameters(make: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        make()
