"""The worked example of Markov Precision: T = 6, R = {1, 3, 4}, RB = 5."""

import pytest

QRELS = {"q": {"a": 1, "c": 1, "d": 1, "y": 1, "z": 1}}
RUN = {"q": {"a": 6.0, "b": 5.0, "c": 4.0, "d": 3.0, "e": 2.0, "f": 1.0}}


@pytest.fixture
def qrels() -> dict[str, dict[str, int]]:
    return QRELS


@pytest.fixture
def run() -> dict[str, dict[str, float]]:
    return RUN
