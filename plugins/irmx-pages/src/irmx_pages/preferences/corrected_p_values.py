"""Corrections of p-values for several comparisons."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from irmx import UsageError
from irmx.ragged import Floats
from irmx.toolkit import suggest


def holm(p: Floats) -> Floats:
    """Return p-values by Holm's step-down correction, which controls the probability of any false discovery.

    The smallest of n p-values is multiplied by n, the next by n - 1, and so on; none becomes smaller than the one before.

    >>> holm(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.06, 0.06])
    """
    order = np.argsort(p)
    corrected = np.empty(len(p))
    corrected[order] = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return np.minimum(corrected, 1)


def bonferroni(p: Floats) -> Floats:
    """Return p-values times their number, which controls the probability of any false discovery.

    >>> bonferroni(np.array([0.01, 0.04, 0.5]))
    array([0.03, 0.12, 1.  ])
    """
    return np.minimum(p * len(p), 1)


def benjamini_hochberg(p: Floats) -> Floats:
    """Return p-values by the correction of Benjamini and Hochberg, which controls the expected share of false discoveries.

    >>> benjamini_hochberg(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.04, 0.04])
    """
    from scipy.stats import false_discovery_control

    return np.asarray(false_discovery_control(p))


CORRECTIONS: dict[str, Callable[[Floats], Floats]] = {
    "holm": holm,
    "bonferroni": bonferroni,
    "bh": benjamini_hochberg,
    "none": np.copy,
}
"""The corrections by name."""


def check_correction(correction: str) -> None:
    """Raise if a correction is unknown."""
    if correction not in CORRECTIONS:
        known = ", ".join(map(repr, CORRECTIONS))
        raise UsageError(f"There is no correction {correction!r}. Known: {known}.{suggest(correction, CORRECTIONS)}")


def corrected_p_values(p: Floats, correction: str) -> Floats:
    """Return corrected p-values; those that are NaN stay NaN and are not counted.

    >>> corrected_p_values(np.array([0.01, np.nan, 0.04]), "bonferroni")
    array([0.02,  nan, 0.08])
    """
    tested = ~np.isnan(p)
    corrected = np.full(len(p), np.nan)
    if tested.any():
        corrected[tested] = CORRECTIONS[correction](p[tested])
    return corrected
