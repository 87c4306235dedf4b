"""The names of measures in results of other tools."""

from __future__ import annotations

import ir_measures

from irmx.toolkit import NamedMeasure, measure_named


class MeasureNames:
    """The measures that names stand for; each name is looked up once.

    Examples
    --------
    >>> names = MeasureNames()
    >>> [names["map"], names["P_10"], names["ndcg@5"]], "ndcg@5" in names
    ([AP, P@10, ndcg@5], False)
    """

    def __init__(self) -> None:
        self._measures: dict[str, ir_measures.Measure] = {}

    def __getitem__(self, name: str) -> ir_measures.Measure:
        """Return the measure of irmx, ir_measures or trec_eval with a name, otherwise one that has only the name."""
        if name not in self._measures:
            self._measures[name] = measure_named(name)
        return self._measures[name]

    def __contains__(self, name: str) -> bool:
        """Tell whether irmx knows the measure."""
        return not isinstance(self[name], NamedMeasure)
