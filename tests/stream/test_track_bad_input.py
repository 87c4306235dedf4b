"""The measures of the Temporal Summarization track name what is wrong in judgments and runs."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import ModuleType

import numpy as np
import pandas as pd
import pytest

import irmx
from irmx import DataError, DataWarning, UsageError


def test_updates_without_a_time_are_left_out_and_counted(example: ModuleType) -> None:
    run = example.run_of(("u1", 0), ("u2", math.nan), ("u3", 30000))
    with pytest.warns(DataWarning, match="1 of 3 updates have no timestamp; they are left out"):
        found = example.values(" ".join(example.NAMES), run=run)
    assert found == example.values(" ".join(example.NAMES), run=example.run_of(("u1", 0), ("u3", 30000)))


def test_pooled_updates_without_a_length_are_counted(example: ModuleType) -> None:
    bare = example.EXAMPLE.drop(columns="length")
    with pytest.warns(DataWarning, match="3 of 3 pooled updates have no length; 30 words are assumed"):
        assert example.values("TS_Verbosity", bare) == [round((1 + 26 / 5 + 1 + 24 / 5 + 7) / 3, 6)]
    with pytest.warns(DataWarning, match="3 of 3 pooled updates have no length; 10 words"):
        assert example.values("TS_Verbosity(default_length=10)", bare) == [round((2.2 + 1.8 + 3) / 3, 6)]


def test_matches_without_a_place_are_counted(example: ModuleType) -> None:
    with pytest.warns(DataWarning, match="1 of 2 matches have no position"):
        assert example.values("TS_Verbosity", example.EXAMPLE.assign(match_start=[np.nan, 0, 0])) == [
            round((3 + 1 + 4) / 3, 6)
        ]


WRONG: list[tuple[str, Callable[[pd.DataFrame], pd.DataFrame], str]] = [
    ("LC", lambda q: q.drop(columns="importance"), "LC cannot be computed: the qrels column 'importance'"),
    ("ELG", lambda q: q.drop(columns="nugget_length"), "'nugget_length', length of the nugget .words., is missing"),
    ("LC", lambda q: q.assign(importance=[4, 1, None]), "importance of the nugget 'n1' of query q is 4. It must be 0 to 3"),
    ("LC", lambda q: q.assign(importance=[-1, 1, None]), "importance of the nugget 'n1' of query q is -1"),
    ("LC", lambda q: q.assign(importance=["high", "low", "low"]), "'importance' must hold numbers. Found 'high'"),
    ("LC", lambda q: q.assign(timestamp=[0, None, None]), "'timestamp' has no value for the nugget 'n2' of query q"),
    ("LC", lambda q: q.assign(iteration=["n1", "n1", ""]), "'importance' has two values for the nugget 'n1' of query q: 3 and 1"),
    ("ELG", lambda q: q.assign(nugget_length=[0, 0, None]), "The nuggets of query q have no words"),
    ("ELG", lambda q: q.assign(nugget_length=[-1, 6, None]), "length of the nugget 'n1' of query q is -1"),
    ("ELG", lambda q: q.assign(length=[-5, 6, 15]), "length of the update 'u1' of query q is -5"),
    ("ELG", lambda q: q.assign(match_end=[np.inf, 6, None]), "'match_end' must hold finite numbers. Found inf"),
    ("LC", lambda q: q.assign(timestamp=[np.inf, 0, None]), "qrels column 'timestamp' must hold finite numbers"),
    ("ELG", lambda q: q.assign(match_start=[5, 0, None]), "match in the update 'u1' goes from word 5 to 4"),
    ("ELG", lambda q: q.assign(match_start=[-1, 0, None]), "match in the update 'u1' goes from word -1 to 4"),
]  # fmt: skip


@pytest.mark.parametrize(("measure", "spoil", "text"), WRONG)
def test_wrong_judgments_are_named(
    example: ModuleType, measure: str, spoil: Callable[[pd.DataFrame], pd.DataFrame], text: str
) -> None:
    with pytest.raises(DataError, match=text):
        example.values(measure, spoil(example.EXAMPLE))


def test_wrong_runs_are_named(example: ModuleType) -> None:
    with pytest.raises(
        DataError, match="LC cannot be computed: the run column 'timestamp', time at which the update was emitted"
    ):
        example.values("LC", run={"q": {"u1": 1.0}})
    with pytest.raises(DataError, match=r"The run column 'timestamp' must hold numbers\. Found 'noon'"):
        example.values("LC", run=example.STREAM.assign(timestamp=["noon", "one", "two"]))
    with pytest.raises(DataError, match="length of the update 'u3' of query q is -1"):
        example.values("ELG", run=example.STREAM.assign(length=[10, 6, -1]))
    with pytest.raises(DataError, match=r"run column 'length' must hold finite numbers\. Found inf"):
        example.values("ELG", run=example.STREAM.assign(length=[10, 6, np.inf]))


def test_a_year_without_rules_of_its_own_is_refused() -> None:
    with pytest.raises(UsageError, match="must be one of '2014', '2013'"):
        irmx.parse_measure("ELG(track='2015')")
