"""Blocks of values to test significance tests with."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from irmx.ragged import Floats
from irmx_study.significance.paired_values import PairedValues


def all_pairs(values: Floats, **options: object) -> PairedValues:
    """Return all pairs of the systems of a block, the earlier one first."""
    first, second = np.triu_indices(values.shape[1], 1)
    return PairedValues(values, first, second, **options)  # type: ignore[arg-type]


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
