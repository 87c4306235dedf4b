"""Letters of systems: two systems share one if and only if they cannot be told apart."""

import re
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irmx.ragged import Bools
from irmx_study.comparison.letters import letters_of


def symmetric(systems: int, pairs: list[bool]) -> Bools:
    """Return which systems differ, from one truth value per pair."""
    differ = np.zeros((systems, systems), dtype=bool)
    for (a, b), differs in zip(combinations(range(systems), 2), pairs, strict=True):
        differ[a, b] = differ[b, a] = differs
    return differ


def as_set(letters: str) -> set[str]:
    return set(re.findall(r"[a-zA-Z]\d*", letters))


@st.composite
def differences(draw: st.DrawFn) -> tuple[Bools, list[int]]:
    systems = draw(st.integers(1, 9))
    pairs = systems * (systems - 1) // 2
    differ = symmetric(systems, draw(st.lists(st.booleans(), min_size=pairs, max_size=pairs)))
    return differ, draw(st.permutations(range(systems)))


@given(differences())
def test_two_systems_share_a_letter_if_and_only_if_they_cannot_be_told_apart(case: tuple[Bools, list[int]]) -> None:
    differ, order = case
    letters = [as_set(text) for text in letters_of(differ, order)]
    assert all(letters)
    for a, b in combinations(range(len(differ)), 2):
        assert bool(letters[a] & letters[b]) is not bool(differ[a, b])


@given(differences())
def test_no_letter_can_be_left_out(case: tuple[Bools, list[int]]) -> None:
    differ, order = case
    letters = [as_set(text) for text in letters_of(differ, order)]
    for letter in set.union(*letters):
        rest = [of_system - {letter} for of_system in letters]
        alike = [(a, b) for a, b in combinations(range(len(differ)), 2) if not differ[a, b]]
        assert not all(rest) or any(not rest[a] & rest[b] for a, b in alike)


@given(differences())
def test_the_best_system_has_the_first_letter(case: tuple[Bools, list[int]]) -> None:
    differ, order = case
    assert "a" in as_set(letters_of(differ, order)[order[0]])


@pytest.mark.parametrize("noise", [0.0, 0.15])
def test_many_systems_get_few_letters(noise: float) -> None:
    """Of systems whose means differ, as by Tukey's test, and with noise, as by t tests with Holm's correction."""
    rng = np.random.default_rng(7)
    means = np.sort(rng.uniform(0, 0.4, 129))[::-1]
    differ = np.abs(means[:, None] - means) > 0.1
    flipped = np.triu(rng.uniform(size=differ.shape) < noise, 1)
    differ ^= flipped | flipped.T
    letters = letters_of(differ, range(129))
    assert len(set.union(*map(as_set, letters))) < (129 if noise == 0 else 2000)
    assert max(len(as_set(text)) for text in letters) < 129


def test_after_26_letters_come_capitals_and_numbers() -> None:
    letters = letters_of(symmetric(60, [True] * (60 * 59 // 2)), range(60))
    assert (letters[25], letters[26], letters[51], letters[52], letters[59]) == ("z", "A", "Z", "a1", "h1")
