"""Samples of judgments: how many of which documents, nested, and the same whatever else is asked for."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irmx
from irmx import UsageError
from irmx_study.pooling.judgment_samples import JudgmentSamples
from irmx_study.pooling.percentages import exact_percentages, kept_of

LEVELS = (90, 70, 50, 30, 10)


def samples(keep: Any = LEVELS, number: int = 1, seed: int = 0, rel: float = 1) -> JudgmentSamples:
    return JudgmentSamples(exact_percentages(keep), number, seed, rel)


def topic(relevant: int, nonrelevant: int, grade: int = 1) -> dict[str, int]:
    return {f"r{i}": grade for i in range(relevant)} | {f"n{i}": 0 for i in range(nonrelevant)}


def kept_by_level(cuts: JudgmentSamples, judgments: irmx.Judgments) -> list[dict[str, dict[str, int]]]:
    return [judgments.where(mask).as_dict() for mask in cuts.masks(judgments)]


# -- how many --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ((25, 300), [(23, 270), (18, 210), (13, 150), (8, 90), (3, 30)]),
        ((3, 40), [(3, 36), (2, 28), (2, 20), (1, 12), (1, 10)]),
        ((1, 7), [(1, 7)] * 5),
        ((0, 20), [(0, 18), (0, 14), (0, 10), (0, 10), (0, 10)]),
    ],
)
def test_as_many_as_in_the_worked_sizes(sizes: tuple[int, int], expected: list[tuple[int, int]]) -> None:
    judgments = irmx.read_qrels({"q": topic(*sizes)})
    kept = [of["q"] for of in kept_by_level(samples(), judgments)]
    assert [(sum(g > 0 for g in of.values()), sum(g == 0 for g in of.values())) for of in kept] == expected


def test_every_grade_of_every_topic_is_a_stratum() -> None:
    qrels = {"q": topic(40, 100) | {f"h{i}": 2 for i in range(3)}, "p": topic(10, 20, grade=2)}
    [kept] = kept_by_level(samples(10), irmx.read_qrels(qrels))
    by_grade = {t: {g: list(docs.values()).count(g) for g in (0, 1, 2)} for t, docs in kept.items()}
    assert by_grade == {"q": {0: 10, 1: 4, 2: 1}, "p": {0: 10, 1: 0, 2: 1}}
    [kept] = kept_by_level(samples(10, rel=2), irmx.read_qrels(qrels))  # documents of grade 1 are not relevant
    assert [list(kept["q"].values()).count(g) for g in (0, 1, 2)] == [10, 10, 1]


def test_a_document_of_several_subtopics_is_one_document_of_its_largest_grade() -> None:
    rows = [("q", f"d{i}", int(i < 2 * (s == "s2")), s) for i in range(30) for s in ("s1", "s2")]
    table = irmx.read_qrels(_frame(rows))
    [mask] = samples(50).masks(table)
    kept = table.where(mask)
    assert sum(grade > 0 for grade in kept.grade) == 1
    assert len(kept) == 1 + 14
    assert len(list(kept)) == 2 * len(kept), "the rows of a document go and stay together"


def _frame(rows: list[tuple[Any, ...]]) -> Any:
    import pandas as pd

    return pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])


def test_documents_with_a_negative_grade_are_not_judged_and_stay() -> None:
    qrels = {"q": topic(10, 100) | {f"u{i}": -1 for i in range(50)}}
    for kept, relevant in zip(kept_by_level(samples((50, 10)), irmx.read_qrels(qrels)), (5, 1), strict=True):
        grades = list(kept["q"].values())
        assert (grades.count(-1), grades.count(1), grades.count(0)) == (50, relevant, 10 * relevant)


@given(size=st.integers(0, 10**6), tenths=st.integers(1, 1000), least=st.sampled_from([1, 10]))
def test_shares_are_computed_exactly(size: int, tenths: int, least: int) -> None:
    level = exact_percentages(tenths / 10)[0]
    assert level == Fraction(tenths, 10)
    whole, rest = divmod(tenths * size, 1000)
    assert kept_of(size, level, least) == min(size, max(least, whole + (rest >= 500)))


def test_halves_are_rounded_up_where_floats_would_not_do() -> None:
    assert 0.07 * 50 > 3.5  # 3.5000000000000004
    assert [kept_of(25, exact_percentages(p)[0], 1) for p in (10, "10", 10.0, 50, 12.5)] == [3, 3, 3, 13, 3]
    assert kept_of(1000, exact_percentages(0.15)[0], 1) == 2
    assert kept_of(4, exact_percentages("12.5")[0], 0) == 1


# -- which -----------------------------------------------------------------------------------------------


@given(
    relevant=st.integers(0, 30),
    nonrelevant=st.integers(0, 60),
    levels=st.lists(st.integers(1, 100), min_size=1, max_size=5, unique=True),
    seed=st.integers(0, 2**63 - 1),
)
def test_samples_are_nested(relevant: int, nonrelevant: int, levels: list[int], seed: int) -> None:
    judgments = irmx.read_qrels({"q": topic(relevant, nonrelevant), "p": topic(2, 12)})
    masks = np.array(list(samples(levels, 2, seed).masks(judgments))).reshape(2, len(levels), -1)
    in_order = masks[:, np.argsort(levels)]
    assert (in_order[:, :-1] <= in_order[:, 1:]).all()


@given(levels=st.permutations(LEVELS), some=st.integers(1, 5), number=st.integers(1, 3))
def test_a_sample_depends_on_its_number_alone(levels: list[int], some: int, number: int) -> None:
    judgments = irmx.read_qrels({"q": topic(20, 60), "p": topic(5, 30)})
    every = np.array(list(samples(LEVELS, 3).masks(judgments))).reshape(3, 5, -1)
    few = np.array(list(samples(levels[:some], number).masks(judgments))).reshape(number, some, -1)
    assert np.array_equal(few, every[:number][:, [LEVELS.index(level) for level in levels[:some]]])


def test_the_order_of_rows_and_topics_changes_nothing() -> None:
    qrels = {"q": topic(20, 60), "p": topic(5, 30)}
    other = {t: dict(sorted(docs.items(), reverse=True)) for t, docs in sorted(qrels.items())}
    kept = [kept_by_level(samples(number=2), irmx.read_qrels(of)) for of in (qrels, other, _table(qrels))]
    assert kept[0] == kept[1] == kept[2]


def _table(qrels: dict[str, dict[str, int]]) -> Any:
    rows = [(t, d, g, "0") for t, docs in qrels.items() for d, g in docs.items()]
    return _frame(rows[::-1])


def test_samples_and_seeds_differ_and_every_document_is_kept_as_often() -> None:
    judgments = irmx.read_qrels({"q": topic(10, 100)})
    masks = np.array(list(samples(50, 400).masks(judgments)))
    assert len({mask.tobytes() for mask in masks}) == 400
    assert np.abs(masks.mean(axis=0) - 0.5).max() < 0.12  # 5 standard deviations of a share of 400
    assert not np.array_equal(masks[:1], list(samples(50, 1, seed=1).masks(judgments)))


# -- percentages -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keep", "message"),
    [
        (0, "Got 0 instead"),
        ("100.5", "Got 100.5 instead"),
        ((90, -1), "Got -1 instead"),
        ("90,x", "Got x instead"),
        ("90,,50", "Got '' instead"),
        (float("nan"), "Got nan instead"),
        ("1e999999999", "Got 1e999999999 instead"),
        ("1e-999999999", "Got 1e-999999999 instead"),
        (True, "Got True instead"),
        ("50,90,50.0", "The percentage 50 is to be kept twice"),
        ((), "There is no percentage"),
    ],
)
def test_bad_percentages_are_refused(keep: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        exact_percentages(keep)
