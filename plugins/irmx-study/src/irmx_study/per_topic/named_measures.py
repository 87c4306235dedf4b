"""The names of measures in results of other tools."""

from __future__ import annotations

import ir_measures

from irmx import UsageError, parse_measure


class NamedMeasure(ir_measures.Measure):
    """A measure of which nothing but the name is known, because another tool computed its values.

    It prints as its name. Its mean is the plain mean over topics, and its default is 0.

    Examples
    --------
    >>> NamedMeasure("ndcg@5"), NamedMeasure("ndcg@5") == NamedMeasure("ndcg@5")
    (ndcg@5, True)
    """

    def __init__(self, name: str) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.NAME = self.__name__ = name


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
        """Return the measure of irmx, ir_measures or trec_eval with a name, otherwise a :class:`NamedMeasure`."""
        if name not in self._measures:
            try:
                self._measures[name] = parse_measure(name)
            except UsageError:
                self._measures[name] = NamedMeasure(name)
        return self._measures[name]

    def __contains__(self, name: str) -> bool:
        """Tell whether irmx knows the measure."""
        return not isinstance(self[name], NamedMeasure)
