"""The systems that studies of measures leave out."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import AP, RR

from irmx import DataError, Scores, UsageError
from irmx.demo import SYSTEMS, qrels_path, run_path
from irmx_study import choose_systems, comparable_means
from irmx_study.filters.chosen_systems import listed_names


def made(means: list[float], retrieved: list[bool] | None = None) -> Scores:
    systems = tuple(f"s{i}" for i in range(len(means)))
    values = np.array([means, means], dtype=float)[:, :, None]
    there = np.ones((2, len(means)), dtype=bool)
    there[1] = True if retrieved is None else retrieved
    return Scores(values, ("1", "2"), systems, (AP,), there)


def test_all_are_kept_by_default() -> None:
    scores = made([0.3, 0.2, 0.1])
    assert choose_systems(scores) is scores


def test_runs_that_lack_a_topic_are_left_out() -> None:
    assert choose_systems(made([0.3, 0.2, 0.1], [True, False, True]), every_topic=True).systems == ("s0", "s2")


def test_listed_runs_keep_their_order() -> None:
    assert choose_systems(made([0.3, 0.2, 0.1]), only=["s2", "s0"]).systems == ("s0", "s2")


def test_the_best_are_of_those_that_meet_the_other_conditions() -> None:
    scores = made([0.9, 0.8, 0.7, 0.6, 0.5], [False, True, True, True, True])
    assert choose_systems(scores, every_topic=True, best=50).systems == ("s1", "s2")
    assert choose_systems(scores, best=50).systems == ("s0", "s1", "s2")  # 2.5 of 5, rounded up


def test_equal_systems_are_kept_or_left_out_together() -> None:
    assert choose_systems(made([0.1 + 0.2, 0.3, 0.1, 0.4]), best=50).systems == ("s0", "s1", "s3")


def test_the_measure_of_the_best_can_be_named() -> None:
    values = np.array([[[0.1, 0.9], [0.2, 0.8]]])
    scores = Scores(values, ("1",), ("x", "y"), (AP, RR), np.ones((1, 2), dtype=bool))
    assert choose_systems(scores, best=50).systems == ("y",)
    assert choose_systems(scores, best=50, by="RR").systems == ("x",)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=12), st.floats(0.01, 100))
def test_at_least_the_share_is_kept_and_none_that_is_worse_than_one_left_out(means: list[int], best: float) -> None:
    scores = made([float(mean) for mean in means])
    kept = choose_systems(scores, best=best).systems
    assert len(kept) >= max(1, int(best / 100 * len(means)))
    worst = min(comparable_means(scores.select(systems=kept)).ravel())
    out = [name for name in scores.systems if name not in kept]
    assert not out or max(comparable_means(scores.select(systems=out)).ravel()) < worst


@pytest.mark.parametrize("best", [0, -1, 100.5, float("nan")])
def test_a_percentage_outside_its_range_is_refused(best: float) -> None:
    with pytest.raises(UsageError, match=r"percentage in the range \(0, 100\]. Got"):
        choose_systems(made([0.1, 0.2]), best=best)


def test_an_unknown_run_in_the_list_is_named() -> None:
    with pytest.raises(UsageError, match=r"has 's11', which is no run here\. Did you mean s1\?"):
        choose_systems(made([0.1, 0.2]), only=["s0", "s11"])


def test_several_unknown_runs_in_the_list_are_counted() -> None:
    with pytest.raises(UsageError, match=r"has 'x1' and 2 other names, which are no runs here\. The runs: s0, s1"):
        choose_systems(made([0.1, 0.2]), only=["x2", "s0", "x1", "x3"])


def test_no_run_left_is_told() -> None:
    with pytest.raises(DataError, match="All of 2 runs retrieve nothing for at least one of 2 topics"):
        choose_systems(made([0.1, 0.2], [False, False]), every_topic=True)


def test_a_list_of_names_is_read(tmp_path: Path) -> None:
    path = tmp_path / "automatic.txt"
    path.write_text("\ufeff# automatic runs\nmy run\r\n\n  b \n", encoding="utf-8")
    assert listed_names(path) == ["my run", "b"]
    path.write_text("# nothing\n")
    with pytest.raises(DataError, match="names no run"):
        listed_names(path)
    path.write_bytes(b"caf\xe9")
    with pytest.raises(DataError, match="not UTF-8"):
        listed_names(path)


def test_a_system_without_a_mean_has_no_rank() -> None:
    scores = Scores(np.array([[[np.nan], [0.5]]]), ("1",), ("x", "y"), (AP,), np.ones((1, 2), dtype=bool))
    with pytest.raises(DataError, match="x has no value of AP, so that it has no rank"):
        comparable_means(scores)


@given(st.lists(st.integers(-10_000, 10_000), min_size=1, max_size=30), st.sampled_from([1e-3, 1.0, 1e3]))
def test_equal_means_stay_equal_in_any_order_of_the_topics(values: list[int], unit: float) -> None:
    one = np.array(values) / 10_000 * unit
    both = np.stack([one, one[::-1], np.sort(one)], axis=1)[:, :, None]
    names = tuple(map(str, range(len(values))))
    scores = Scores(both, names, ("x", "y", "z"), (AP,), np.ones(both.shape[:2], dtype=bool))
    means = comparable_means(scores).ravel()
    assert means[0] == means[1] == means[2]
    np.testing.assert_allclose(means, one.mean(), rtol=1e-9, atol=1e-11 * unit)


def test_decimals_round_as_printed_values() -> None:
    assert comparable_means(made([0.12344, 0.12341, 0.2]), decimals=4).ravel().tolist() == [0.1234, 0.1234, 0.2]


@pytest.mark.parametrize("name", ["correlate", "discriminate", "settings"])
@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--only", "names.txt", "names.txt has 'bm25' and 1 other name, which are no runs here"),
        ("--best", "200", "(0, 100]. Got 200.0"),
    ],
)
def test_commands_refuse_filters_before_they_score(
    command: Callable[..., Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    option: str,
    value: str,
    message: str,
) -> None:
    def never(*_: Any) -> None:
        raise AssertionError("scored")

    monkeypatch.setattr("irmx_study.commands.scored.scores", never)
    (tmp_path / "names.txt").write_text("recent.run\nbm25\ntitles\n")
    for system in SYSTEMS:
        (tmp_path / f"{system}.run").write_bytes(run_path(system).read_bytes())
    done = command(name, qrels_path(), "*.run", "AP", "RBP(p=0.5:0.9:3)", option, value, cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


def test_a_list_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="There is no run list file"):
        listed_names(tmp_path / "none.txt")
