"""``irmx judges --calibrate``: few labels of people and many of a machine."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import irmx
import irmx_study
from irmx_study import prediction_powered


def drawn(n: int, further: int, columns: int = 3, seed: int = 0, rho: float = 0.8) -> tuple[Any, Any, Any]:
    """Return values by people and by a machine, correlated by rho, and values by the machine alone; the mean is 0."""
    rng = np.random.default_rng(seed)
    machine = rng.normal(size=(n + further, columns))
    human = rho * machine[:n] + np.sqrt(1 - rho**2) * rng.normal(size=(n, columns))
    return human, machine[:n] + 0.3, machine[n:] + 0.3


def test_estimates_are_those_of_ppi_python() -> None:
    ppi = pytest.importorskip("ppi_py", exc_type=ImportError)
    human, machine, further = drawn(400, 2000)
    found = prediction_powered(human, machine, further, 0.1)
    for c in range(human.shape[1]):
        of = human[:, c], machine[:, c], further[:, c]
        weight = float(found.weight[c])
        assert found.mean[c] == pytest.approx(np.squeeze(ppi.ppi_mean_pointestimate(*of, lam=weight)))
        low, high = np.squeeze(ppi.ppi_mean_ci(*of, alpha=0.1, lam=weight))
        # which takes normal quantiles, and divides by n in place of n - 1
        ratio = stats.t.ppf(0.95, 398) / stats.norm.ppf(0.95) * np.sqrt(400 / 399)
        assert found.high[c] - found.low[c] == pytest.approx((high - low) * ratio, rel=1e-3)
        own = np.squeeze(ppi.ppi_mean_pointestimate(*of))  # with its own weight
        assert found.mean[c] == pytest.approx(own, abs=1e-3)


def test_a_machine_that_says_nothing_gains_nothing_and_one_that_knows_gains_all_topics() -> None:
    rng = np.random.default_rng(1)
    human, further = rng.random((200, 1)), rng.random((800, 1))
    useless = prediction_powered(human, np.full((200, 1), 0.5), np.full((800, 1), 0.5))
    assert (useless.weight[0], useless.topics_gained[0]) == (0, pytest.approx(0))
    assert useless.mean[0] == pytest.approx(human.mean())
    assert useless.human_low[0] == pytest.approx(stats.ttest_1samp(human[:, 0], 0).confidence_interval().low)
    perfect = prediction_powered(human, human, further)
    both = np.concatenate([human, further])
    weight = 0.8 * human.var(ddof=1) / both.var(ddof=1)  # 1 / (1 + n/N), but for the variance
    assert perfect.weight[0] == pytest.approx(weight)
    assert perfect.mean[0] == pytest.approx(weight * further.mean() + (1 - weight) * human.mean())
    assert perfect.topics_gained[0] == pytest.approx(800, rel=0.15)


@pytest.mark.parametrize("n", [10, 30])
@pytest.mark.parametrize("rho", [0.0, 0.6, 0.95])
def test_intervals_cover_the_mean_as_often_as_they_say(n: int, rho: float) -> None:
    found = prediction_powered(*drawn(n, 100, 4000, seed=n, rho=rho))
    assert 0.925 <= ((found.low <= 0) & (found.high >= 0)).mean() <= 0.965


def judged(human_topics: int = 12, topics: int = 40) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Return the qrels of a person who judged some topics and of a machine that judged all and errs, the truth, and runs."""
    rng = np.random.default_rng(3)
    grades = rng.choice(3, (topics, 20), p=(0.6, 0.2, 0.2))
    wrong = np.where(rng.random(grades.shape) < 0.2, rng.integers(0, 3, grades.shape), grades)
    truth, machine = (
        {f"q{t}": {f"d{d}": int(g) for d, g in enumerate(row)} for t, row in enumerate(of)} for of in (grades, wrong)
    )
    runs = {}
    for s in range(4):
        scores = grades + rng.normal(0, 0.6 + 0.5 * s, grades.shape)
        runs[f"run{s}"] = {f"q{t}": {f"d{d}": float(x) for d, x in enumerate(row)} for t, row in enumerate(scores)}
    few = {topic: truth[topic] for topic in list(truth)[:human_topics]}
    return {"human": few, "machine": machine}, truth, runs


def test_means_and_differences_of_systems_are_calibrated() -> None:
    judges, _, runs = judged()
    result = irmx_study.judges(judges, runs=runs, measures="nDCG@10", calibrate="human")
    table = result.frame("calibrated")
    assert table[["topics", "further"]].drop_duplicates().to_numpy().tolist() == [[12, 28]]
    means = table[table["baseline"] == ""].set_index("system")
    people = irmx.scores("nDCG@10", judges["human"], runs)["nDCG@10"]
    assert means["mean_human"].tolist() == pytest.approx(people.mean(axis=0).tolist())
    f = irmx.scores("nDCG@10", judges["machine"], runs)["nDCG@10"]
    one = prediction_powered(people, f[:12], f[12:])
    for name in ("weight", "mean", "low", "high", "topics_gained"):
        assert means[name].tolist() == pytest.approx(getattr(one, name).tolist())
    best = means.index[int(people.mean(axis=0).argmax())]
    differences = table[table["baseline"] != ""]
    assert set(differences["baseline"]) == {best}
    assert len(differences) == 3
    assert (differences["needed"] >= 2).all()
    how: Any = {"runs": runs, "measures": "nDCG@10", "calibrate": "human"}
    named = irmx_study.judges(judges, **how, baseline="run3").frame("calibrated")
    rows = named[named["baseline"] == "run3"].set_index("system")
    at = people[:, 0] - people[:, 3]
    g = f[:, 0] - f[:, 3]
    expected = prediction_powered(at[:, None], g[:12, None], g[12:, None]).mean[0]
    assert rows.loc["run0", "mean"] == pytest.approx(expected)


def test_topics_that_no_run_answers_do_not_count() -> None:
    judges, _, runs = judged()
    more = {**judges["machine"], "elsewhere": {"d0": 1}}
    result = irmx_study.judges({**judges, "machine": more}, runs=runs, measures="AP", calibrate="human")
    found = result.frame("calibrated")
    assert set(found["further"]) == {28}


@pytest.mark.parametrize(
    ("choose", "error", "message"),
    [
        ({"calibrate": "person"}, irmx.UsageError, "no judge 'person'"),
        ({"calibrate": "machine"}, irmx.DataError, "and 2 that human judged alone. There are 12 and 0"),
        ({"calibrate": "human", "runs": None, "measures": None}, irmx.UsageError, "about runs"),
        ({"baseline": "run0"}, irmx.UsageError, "belongs to calibrate"),
        ({"calibrate": "human", "baseline": "run9"}, irmx.UsageError, "run9"),
    ],
)
def test_what_is_refused(choose: dict[str, Any], error: type[Exception], message: str) -> None:
    judges, _, runs = judged()
    with pytest.raises(error, match=message):
        irmx_study.judges(judges, **{"runs": runs, "measures": "AP", **choose}).frame("calibrated")


def test_the_command(command: Any, tmp_path: Path) -> None:
    judges, _, runs = judged()
    for name, qrels in judges.items():
        lines = [f"{t} 0 {d} {g}\n" for t, of in qrels.items() for d, g in of.items()]
        (tmp_path / f"{name}.qrels").write_text("".join(lines))
    for name, run in runs.items():
        lines = [f"{t} Q0 {d} 0 {x} r\n" for t, of in run.items() for d, x in of.items()]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    words = ("judges", "human.qrels", "machine.qrels", "--runs", "*.run", "--measures", "AP", "--calibrate", "human")
    done = command(*words, "--table", "calibrated", "-o", "csv")
    assert done.code == 0, done.err
    rows = done.rows
    assert [row["baseline"] for row in rows] == [""] * 4 + [rows[-1]["baseline"]] * 3
    assert "random sample" in done.err
    shown = command(*words).out
    assert "12 topics of human, 28 more of machine" in shown
    assert "nan" not in shown
