"""The weight of a transition by the distance between two ranks, and sums of it."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Protocol

import numpy as np

from irmx.ragged import Floats


class TransitionWeights(Protocol):
    """Protocol of the models that the chain solvers accept: parameters by name, and weights.

    :class:`irmx_markov.MarkovModel` is one.
    """

    @property
    def offset(self) -> float:
        """The offset, with its default filled in."""

    @property
    def max_hop(self) -> int | None:
        """The longest transition, in positions of the list of states; None without a limit."""

    def __hash__(self) -> int:
        """Return the hash under which solutions for a model are cached."""

    def __getitem__(self, name: str, /) -> Any:
        """Return a parameter of the model, such as ``states``, ``distance`` or ``direction``."""

    def weight(self, distance: Any) -> Floats:
        """Return the weight of transitions over distances in ranks."""


def weight(form: str, distance: Any, offset: float, log_base: float) -> Floats:
    """Return w(distance), the weight of a move.

    Parameters
    ----------
    form : {"inverse", "log_inverse", "constant"}
        ``1 / (distance + offset)``, ``1 / log(distance + offset)``, or 1.
    distance : array_like
        Distances in ranks.
    offset, log_base : float
        The offset, and the base of the logarithm.

    Examples
    --------
    >>> weight("inverse", [1, 2, 3], 1, 10)
    array([0.5       , 0.33333333, 0.25      ])
    """
    distance = np.asarray(distance, dtype=float)
    if form == "inverse":
        return np.asarray(1 / (distance + offset))
    if form == "log_inverse":
        return np.asarray(np.log(log_base) / np.log1p((distance - 1) + offset))
    return np.ones_like(distance)


def table(form: str, offset: float, log_base: float, longest: int) -> tuple[Floats, Floats]:
    """Return 0 followed by w(1..n), and S(0..n) with S(n) = w(1) + ... + w(n), for some n >= ``longest``."""
    return _table(form, offset, log_base, 1 << max(10, int(longest).bit_length()))


@lru_cache(maxsize=64)
def _table(form: str, offset: float, log_base: float, size: int) -> tuple[Floats, Floats]:
    weights = np.zeros(size + 1)
    weights[1:] = weight(form, np.arange(1, size + 1), offset, log_base)
    sums = np.cumsum(weights.astype(np.longdouble)).astype(float)
    return weights, sums
