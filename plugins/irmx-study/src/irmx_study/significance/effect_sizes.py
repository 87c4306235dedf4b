"""Sizes of effects: differences in units of a standard deviation."""

from __future__ import annotations

import numpy as np

from irmx.ragged import Floats


def paired_effects(differences: Floats) -> Floats:
    """Return the mean of the differences over their standard deviation, per pair; 0 where all are 0."""
    mean, deviation = differences.mean(axis=0), differences.std(axis=0, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(mean == 0, 0.0, mean / deviation)


def residual_variance(values: Floats) -> float:
    """Return the residual variance of a two-way analysis of variance without replication, topics x systems."""
    topics, systems = values.shape
    residuals = values - values.mean(axis=0) - values.mean(axis=1, keepdims=True) + values.mean()
    return float((residuals**2).sum() / ((topics - 1) * (systems - 1)))
