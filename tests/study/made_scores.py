"""Scores made of given values, to test comparisons with."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import irmx

Floats = np.ndarray[Any, np.dtype[np.float64]]


def made(values: Any, measures: str = "AP", systems: Sequence[str] = (), **more: Any) -> irmx.Scores:
    """Return scores of values, topics x systems, or topics x systems x measures; the systems are a, b, c, ..."""
    block = np.asarray(values, dtype=float)
    block = block[:, :, None] if block.ndim == 2 else block
    topics = tuple(f"q{t}" for t in range(len(block)))
    names = tuple(systems or (chr(ord("a") + s) if s < 26 else f"s{s}" for s in range(block.shape[1])))
    parsed = tuple(map(irmx.parse_measure, measures.split()))
    return irmx.Scores(block, topics, names, parsed, **more)


def measured(topics: int, systems: int, seed: int = 0) -> Floats:
    """Return values as measures have them: topics differ in difficulty, systems a little, and some values are equal."""
    rng = np.random.default_rng(seed)
    values = rng.beta(2, 3, (topics, 1)) + rng.normal(0, 0.1, (topics, systems)) + np.linspace(0, 0.1, systems)
    values[: topics // 5] = values[: topics // 5].round(1)
    return np.asarray(values.clip(0, 1))


def blocks(least: int = 2, most: int = 10, systems: int = 4) -> st.SearchStrategy[Floats]:
    """Return a strategy for blocks of values in [0, 1], with many ties: multiples of 1/64, which floats hold exactly."""
    return st.tuples(st.integers(least, most), st.integers(2, systems)).flatmap(
        lambda shape: arrays(float, shape, elements=st.integers(0, 64).map(lambda k: k / 64))
    )
