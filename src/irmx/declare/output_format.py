"""What an output format of ``irmx eval`` is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TextIO

import ir_measures

SUMMARY = "all"
"""The query id under which a mean over topics stands."""


@dataclass(frozen=True)
class Result:
    """One number to report: of a run, a topic (or :data:`SUMMARY`) and a measure; and what goes with it."""

    run: str
    query_id: str
    measure: ir_measures.Measure
    value: float
    fields: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Layout:
    """What was asked for.

    Attributes
    ----------
    measures : sequence of Measure
        In the order asked.
    by_query : bool
        Whether topics are shown.
    several_runs : bool
        Whether there is more than one run.
    places : int
        Decimal places; -1 for all.
    """

    measures: Sequence[ir_measures.Measure]
    by_query: bool
    several_runs: bool
    places: int

    def number(self, value: Any) -> str:
        """Return a value as text."""
        return repr(value) if self.places == -1 else f"{value:.{self.places}f}"


class Report(ABC):
    """An output format; a plugin registers instances through ``irmx_reports``.

    Attributes
    ----------
    NAME : str
        What ``irmx eval -o NAME`` calls it.
    DESCRIPTION : str
        One sentence.
    """

    NAME: ClassVar[str]
    DESCRIPTION: ClassVar[str] = ""

    @abstractmethod
    def write(self, results: Iterable[Result], layout: Layout, out: TextIO) -> None:
        """Write results, run by run, as they come."""
