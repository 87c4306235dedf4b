"""Parameters of simulated users come back within their intervals; what a log cannot tell is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize

import irmx
from irmx_pages import ExaminationLog, Pages, examination_log_likelihoods, fit_examination, read_examinations

Array = np.ndarray[Any, np.dtype[Any]]


def table(
    seed: int, model: Any, detection: float, sessions: int = 1500, size: int = 8, **columns: Array
) -> pd.DataFrame:
    """Blocks that users of a model were seen to examine; the columns ``visual`` and ``gain`` are (sessions, size)."""
    session, position = np.divmod(np.arange(sessions * size), size)
    log = pd.DataFrame({"session": session, "position": position + 1, "examined": 0})
    for name, values in columns.items():
        log[name] = values.ravel()
    data = read_examinations(log)
    chance = detection * model.probabilities(data.pages, data.gain)
    log["examined"] = (np.random.default_rng(seed).random(len(log)) < chance).astype(int)
    return log


def visual(seed: int, share: float, sessions: int = 1500, size: int = 8) -> Array:
    return (np.random.default_rng(1000 + seed).random((sessions, size)) < share).astype(int)


class Satisfied(irmx.Symbol):
    """A user who stops at a block with a probability of ``often`` times its gain."""

    NAME, KIND, SHORT_DESC = "satisfied", "examination model", "stops where a block satisfies often enough"
    SUPPORTED_PARAMS = {"often": irmx.Param(float, "how often a gain of 1 satisfies", default=0.5, low=0, high=1)}

    def probabilities(self, pages: Pages, gain: Array) -> Array:
        stay = np.log1p(-np.minimum(self["often"] * gain, 1 - 1e-12))
        before = np.cumsum(stay) - stay
        return np.exp(before - before[pages.offsets[:-1]][pages.page])


# -- recovery ------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_beta_of_rbp_comes_back() -> None:
    held = 0
    for seed in range(20):
        fit = fit_examination(table(seed, irmx.rbp(beta=0.8), 0.7), "rbp", "beta", resamples=200)
        assert fit.interval is not None
        assert fit.detection_interval is not None
        held += fit.interval[0] <= 0.8 <= fit.interval[1]
        held += fit.detection_interval[0] <= 0.7 <= fit.detection_interval[1]
        assert fit.model == irmx.rbp(beta=fit.value)
    assert held >= 33  # of 40 at 95%


@pytest.mark.slow
def test_beta_of_att_comes_back_where_pages_have_images() -> None:
    held = 0
    for seed in range(10):
        log = table(seed, irmx.att(beta=0.4), 0.9, visual=visual(seed, 0.15))
        fit = fit_examination(log, irmx.att, "beta", resamples=100)
        assert fit.interval is not None
        held += fit.interval[0] <= 0.4 <= fit.interval[1]
    assert held >= 7  # of 10 at 95%


@pytest.mark.slow
def test_how_often_a_block_satisfies_comes_back() -> None:
    held = 0
    for seed in range(10):
        log = table(seed, Satisfied(often=0.6), 0.8, gain=visual(seed, 0.3))
        fit = fit_examination(log, Satisfied(), "often", resamples=100)
        assert fit.interval is not None
        held += fit.interval[0] <= 0.6 <= fit.interval[1]
    assert held >= 7


def test_users_who_read_down_and_stop() -> None:
    """The blocks of a session are not independent: a user who goes on with beta has seen all blocks above."""
    held = 0
    for seed in range(20):
        generator = np.random.default_rng(seed)
        depth = generator.geometric(0.3, 1200)
        read = np.arange(1, 9) <= depth[:, None]
        session, position = np.divmod(np.arange(1200 * 8), 8)
        log = pd.DataFrame({"session": session, "position": position + 1, "examined": read.ravel().astype(int)})
        fit = fit_examination(log, "rbp", "beta", detection=1, resamples=200)
        assert fit.interval is not None
        held += fit.interval[0] <= 0.7 <= fit.interval[1]
    assert held >= 16


def test_the_true_model_fits_best() -> None:
    log = read_examinations(table(3, irmx.rbp(beta=0.7), 0.8))
    fits = {"rbp": fit_examination(log, "rbp", "beta"), "dcg": fit_examination(log, "dcg")}
    assert fits["rbp"].log_likelihood > fits["dcg"].log_likelihood + 100
    assert fits["rbp"].squared_error < 0.1 * fits["dcg"].squared_error
    assert fits["dcg"].value is None
    assert fits["dcg"].interval is None


# -- the likelihood ------------------------------------------------------------------------------------------


def test_the_fit_is_the_most_likely_by_another_route() -> None:
    log = read_examinations(table(1, irmx.att(beta=0.4), 0.8, sessions=300, visual=visual(1, 0.2, 300)))

    def loss(point: Array) -> float:
        return -float(examination_log_likelihoods(log, irmx.att(beta=float(point[0])), float(point[1])).sum())

    found = minimize(
        loss, [0.5, 0.5], bounds=[(0.01, 0.99), (0.01, 0.999)], method="Nelder-Mead", options={"xatol": 1e-6}
    )
    fit = fit_examination(log, irmx.att, "beta")
    assert [fit.value, fit.detection] == pytest.approx(found.x.tolist(), abs=1e-3)
    assert fit.log_likelihood == pytest.approx(-found.fun, abs=1e-3)


def test_detection_alone_is_a_ratio_of_sums_where_nothing_is_certain() -> None:
    """With one position c is the share that was seen."""
    log = pd.DataFrame({"session": range(50), "position": 1, "examined": [1] * 30 + [0] * 20})
    fit = fit_examination(log, "dcg")
    assert fit.detection == pytest.approx(0.6, abs=1e-9)
    assert fit.log_likelihood == pytest.approx(30 * np.log(0.6) + 20 * np.log(0.4))


def test_what_a_model_excludes_is_infinitely_unlikely() -> None:
    log = pd.DataFrame({"session": [*"aabb"], "position": [1, 2, 1, 2], "examined": 1, "gain": 1})
    assert fit_examination(log, "err").log_likelihood == -np.inf
    assert examination_log_likelihoods(log, "err").tolist() == [-np.inf, -np.inf]
    assert fit_examination(log, "rbp", "beta").value == 1


def test_sessions_of_one_user_are_drawn_together() -> None:
    one = table(5, irmx.rbp(beta=0.8), 0.7, sessions=100)
    twenty = pd.concat([one.assign(session=one["session"] + 100 * i, user=one["session"]) for i in range(20)])
    fits = [fit_examination(log, "rbp", "beta") for log in (one, twenty, twenty.drop(columns="user"))]
    widths = [fit.interval[1] - fit.interval[0] for fit in fits if fit.interval is not None]
    assert [fit.value for fit in fits] == pytest.approx([fits[0].value] * 3, abs=1e-9)
    assert widths[1] == pytest.approx(widths[0], rel=1e-9)
    assert widths[2] < widths[0] / 3
    assert [(fit.sessions, fit.clusters) for fit in fits] == [(100, 100), (2000, 100), (2000, 2000)]


def test_pages_of_different_lengths() -> None:
    log = table(6, irmx.rbp(beta=0.8), 0.7)
    shorter = log[log["position"] <= 2 + log["session"] % 7]
    fit = fit_examination(shorter, "rbp", "beta")
    assert fit.interval is not None
    assert fit.interval[0] < 0.8 < fit.interval[1]
    assert len(fit.observed) == len(fit.expected) == 8


# -- what a log does not tell --------------------------------------------------------------------------------


def test_beta_of_att_needs_an_image() -> None:
    log = table(0, irmx.dcg, 0.8)
    with pytest.raises(
        irmx.DataError, match=r"'att' needs to know which blocks contain an image or a video.*column 'visual'"
    ):
        fit_examination(log, "att", "beta")
    with pytest.raises(
        irmx.DataError, match=r"'beta' of the examination model 'att'.*equally likely.*none of its blocks contains an"
    ):
        fit_examination(log.assign(visual=0), "att", "beta")
    with pytest.raises(irmx.DataError, match="does not identify 'beta'"):
        fit_examination(log.assign(visual=1), "att", "beta")


def test_shares_of_unknown_images_give_any_beta_the_same_curve() -> None:
    """With one image on a share of the pages there are shares, for every beta, that give one and the same curve."""
    size, attention = 10, 0.1
    place = np.arange(size)
    curves = []
    for beta in (0.1, 0.5, 0.8):
        reach = beta ** np.abs(place[:, None] - place)
        shares = np.linalg.solve(reach, np.full(size, attention))
        assert shares.min() > 0
        assert shares.sum() <= 1
        pages = read_examinations(
            pd.DataFrame(
                {
                    "session": np.repeat(place, size),
                    "position": np.tile(place + 1, size),
                    "examined": 1,
                    "visual": np.eye(size, dtype=int).ravel(),
                }
            )
        )
        exam = irmx.att(beta=beta).probabilities(pages.pages, pages.gain).reshape(size, size)
        curves.append(shares @ exam + (1 - shares.sum()) / np.log2(place + 2))
    assert curves[0] == pytest.approx(curves[1], abs=1e-12)
    assert curves[0] == pytest.approx(curves[2], abs=1e-12)


def test_a_cascade_needs_gains() -> None:
    with pytest.raises(irmx.DataError, match=r"'err' needs to know the gain of each block.*column 'gain'"):
        fit_examination(table(0, irmx.dcg, 0.8), "err")


def test_nothing_was_examined() -> None:
    with pytest.raises(irmx.DataError, match="No block in the log was observed to be examined"):
        fit_examination(pd.DataFrame({"session": [1], "position": [1], "examined": [0]}), "dcg")


# -- reading -------------------------------------------------------------------------------------------------


def test_a_file_gives_what_the_frame_gives(tmp_path: Path) -> None:
    log = table(2, irmx.rbp(beta=0.8), 0.7, sessions=50).sample(frac=1, random_state=0)
    log.to_csv(tmp_path / "log.tsv", sep="\t", index=False)
    one, other = read_examinations(log), read_examinations(tmp_path / "log.tsv")
    assert isinstance(one, ExaminationLog)
    assert one.sessions == other.sessions
    assert (one.examined == other.examined).all()
    assert read_examinations(one) is one


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ("session,position\na,1\n", "lacks the column 'examined'"),
        ("session,position,examined\na,1,1\na,3,0\n", "line 3: the positions of the session 'a' must be 1, 2, ... 2"),
        ("session,position,examined\na,1,1\na,1,0\n", "line 3: the positions of the session 'a'.*Found 1"),
        (
            "session,position,examined\na,0,1\n",
            r"line 2: the position must be a whole number in the range \[1, inf\). Got '0'",
        ),
        ("session,position,examined\na,1,2\n", "line 2: the examined must be 1 or 0. Got '2'"),
        ("session,position,examined\n,1,1\n", "line 2: the session is missing"),
        ("session,position,examined,visual\na,1,1,\n", "line 2: the visual is missing. It must be 1 or 0"),
        (
            "session,position,examined,gain\na,1,1,1.5\n",
            r"line 2: the gain must be a number in the range \[0, 1\]. Got '1.5'",
        ),
        (
            "session,position,examined,user\na,1,1,x\na,2,1,y\n",
            "line 3: the session 'a' belongs to another user in an earlier row",
        ),
    ],
)
def test_bad_logs(tmp_path: Path, rows: str, found: str) -> None:
    path = tmp_path / "log.csv"
    path.write_text(rows, encoding="utf-8")
    with pytest.raises(irmx.DataError, match=found):
        read_examinations(path)


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({"model": "cascade"}, "must be an? examination model"),
        ({"model": "rbp", "parameter": "p"}, "'rbp' has no parameter 'p'. It has: beta"),
        ({"model": "rbp", "parameter": "beta", "bounds": (1, 0)}, "smallest and largest value"),
        ({"model": "rbp", "parameter": "beta", "bounds": (0, 2)}, "'beta' parameter of rbp"),
        ({"model": "rbp", "detection": 0}, r"detection must be a number in the range \(0, 1\]"),
        ({"model": "rbp", "resamples": 0}, "'resamples' must be an int"),
    ],
)
def test_bad_options(options: dict[str, Any], found: str) -> None:
    with pytest.raises(irmx.UsageError, match=found):
        fit_examination(pd.DataFrame({"session": [1], "position": [1], "examined": [1]}), **options)


def test_a_model_that_gives_no_probabilities_is_refused() -> None:
    class Wrong(irmx.Symbol):
        NAME, KIND, SHORT_DESC = "wrong", "examination model", "gives 2"

        def probabilities(self, pages: Pages, gain: Array) -> Array:
            return np.full(len(gain), 2.0)

    with pytest.raises(irmx.DataError, match="gives 2, which is not a probability"):
        fit_examination(pd.DataFrame({"session": [1], "position": [1], "examined": [1]}), Wrong())


def test_one_session_has_no_interval() -> None:
    log = pd.DataFrame({"session": "a", "position": [1, 2, 3, 4], "examined": [1, 1, 0, 0]})
    with pytest.warns(irmx.DataWarning, match="All blocks belong to one user or session"):
        fit = fit_examination(log, "rbp", "beta", resamples=2)
    assert fit.clusters == 1
    assert np.isnan([*fit.interval, *fit.detection_interval]).all()
    assert fit.value == pytest.approx(0.5, abs=0.1)
