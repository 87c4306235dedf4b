"""Measures of other tools, of which only the name is known."""

from __future__ import annotations

import ir_measures

from irmx.declare.expressions import parse_measure
from irmx.errors import UsageError


class NamedMeasure(ir_measures.Measure):
    """A measure of which nothing but the name is known, because another tool computed its values.

    It prints as its name. Its mean is the plain mean over topics, and its default is 0.

    Examples
    --------
    >>> NamedMeasure("ndcg@5"), NamedMeasure("ndcg@5") == NamedMeasure("ndcg@5")
    (ndcg@5, True)
    """

    def __init__(self, name: str) -> None:
        super().__init__()
        self.NAME = name
        self.__name__ = name

    def __reduce__(self) -> tuple[type[NamedMeasure], tuple[str]]:
        """Return what makes it again; ir_measures would look for the name among its own measures."""
        return NamedMeasure, (str(self.NAME),)


def measure_named(name: str) -> ir_measures.Measure:
    """Return the measure of irmx, ir_measures or trec_eval with a name, otherwise a :class:`NamedMeasure`.

    For results that are there already; to compute one, :func:`irmx.parse_measure` must know it.

    >>> measure_named("P_10"), measure_named("my own")
    (P@10, my own)
    """
    try:
        return parse_measure(name)
    except UsageError:
        return NamedMeasure(name)
