"""The systems that studies of measures leave out, and the means by which they are ranked."""

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


def made(means: list[float], retrieved: list[bool] | None = None) -> Scores:
    systems = tuple(f"s{i}" for i in range(len(means)))
    values = np.array([means, means], dtype=float)[:, :, None]
    there = np.ones((2, len(means)), dtype=bool)
    there[1] = True if retrieved is None else retrieved
    return Scores.of_runs(values, there, ("1", "2"), systems, (AP,))


@pytest.mark.parametrize(
    ("means", "retrieved", "choices", "kept"),
    [
        ([0.3, 0.2, 0.1], None, {}, "s0 s1 s2"),
        ([0.3, 0.2, 0.1], [True, False, True], {"every_topic": True}, "s0 s2"),
        ([0.3, 0.2, 0.1], None, {"only": ["s2", "s0"]}, "s0 s2"),
        ([0.9, 0.8, 0.7, 0.6, 0.5], [False, True, True, True, True], {"every_topic": True, "best": 50}, "s1 s2"),
        ([0.9, 0.8, 0.7, 0.6, 0.5], None, {"best": 50}, "s0 s1 s2"),  # 2.5 of 5, rounded up
        ([0.1 + 0.2, 0.3, 0.1, 0.4], None, {"best": 50}, "s0 s1 s3"),  # equal ones together
    ],
)
def test_which_are_kept(means: list[float], retrieved: list[bool] | None, choices: Any, kept: str) -> None:
    assert choose_systems(made(means, retrieved), **choices).systems == tuple(kept.split())


def test_the_measure_of_the_best_can_be_named() -> None:
    values = np.array([[[0.1, 0.9], [0.2, 0.8]]])
    scores = Scores(values, ("1",), ("x", "y"), (AP, RR))
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


@pytest.mark.parametrize(
    ("choices", "kind", "said"),
    [
        *(({"best": best}, UsageError, r"percentage in the range \(0, 100\]. Got") for best in (0, -1, 100.5, np.nan)),
        ({"only": ["s0", "s11"]}, UsageError, r"has 's11', which is no run here\. Did you mean s1\?"),
        ({"only": ["x2", "s0", "x1", "x3"]}, UsageError, r"has 'x1' and 2 other names, which are no runs here\. The runs: s0, s1"),
        ({"every_topic": True}, DataError, "All of 2 runs retrieve nothing for at least one of 2 topics"),
    ],
)  # fmt: skip
def test_choices_that_leave_nothing_or_make_no_sense(choices: Any, kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=said):
        choose_systems(made([0.1, 0.2], [False, False]), **choices)


def test_a_system_without_a_mean_has_no_rank() -> None:
    scores = Scores.of_runs(np.array([[[np.nan], [0.5]]]), np.ones((1, 2), dtype=bool), ("1",), ("x", "y"), (AP,))
    with pytest.raises(DataError, match="x has no value of AP, so that it has no rank"):
        comparable_means(scores)


@given(st.lists(st.integers(-10_000, 10_000), min_size=1, max_size=30), st.sampled_from([1e-3, 1.0, 1e3]))
def test_equal_means_stay_equal_in_any_order_of_the_topics(values: list[int], unit: float) -> None:
    one = np.array(values) / 10_000 * unit
    both = np.stack([one, one[::-1], np.sort(one)], axis=1)[:, :, None]
    names = tuple(map(str, range(len(values))))
    scores = Scores(both, names, ("x", "y", "z"), (AP,))
    means = comparable_means(scores).ravel()
    assert means[0] == means[1] == means[2]
    np.testing.assert_allclose(means, one.mean(), rtol=1e-9, atol=1e-11 * unit)


def test_decimals_round_as_printed_values() -> None:
    assert comparable_means(made([0.12344, 0.12341, 0.2]), decimals=4).ravel().tolist() == [0.1234, 0.1234, 0.2]


@pytest.mark.parametrize(
    ("content", "words", "code", "message"),
    [
        (b"recent.run\nbm25\ntitles\n", (), 2, "names.txt has 'bm25' and 1 other name, which are no runs here"),
        (b"# nothing\n", (), 1, "names.txt names no run"),
        (b"caf\xe9", (), 1, "not UTF-8"),
        (None, (), 1, "There is no run list file"),
        (b"bm25.run\n", ("--best", "200"), 2, "(0, 100]. Got 200.0"),
    ],
)
def test_commands_refuse_filters_before_they_score(
    command: Any, tmp_path: Path, content: bytes | None, words: Any, code: int, message: str
) -> None:
    """The runs lack what the measure reads, which scoring would say."""
    if content is not None:
        (tmp_path / "names.txt").write_bytes(content)
    for system in SYSTEMS:
        (tmp_path / f"{system}.run").write_bytes(run_path(system).read_bytes())
    given = (qrels_path(), "*.run", "MPcont(model=GL_AD_ID)", "AP", "--only", "names.txt", *words)
    for name in ("correlate", "discriminate"):
        command(name, *given).assert_refused(code, message)


def test_a_list_of_names_may_have_comments_and_blank_lines(command: Any, tmp_path: Path) -> None:
    names = "\ufeff# automatic runs\nrecent.run\r\n\n  my run \nbm25.run\n"
    (tmp_path / "names.txt").write_text(names, encoding="utf-8")
    for system, to in (("bm25", "bm25.run"), ("recent", "recent.run"), ("titles", "my run"), ("titles", "other")):
        (tmp_path / to).write_bytes(run_path(system).read_bytes())
    runs = ("bm25.run", "recent.run", "my run", "other")
    words = (qrels_path(), *runs, "AP", "RR", "--only", "names.txt", "--resamples", "0", "-o", "csv")
    done = command("correlate", *words)
    assert (done.code, done.out.splitlines()[1].split(",")[2]) == (0, "3")
