"""The small simulated collection that ships with irmx, for ``irmx demo`` and examples.

It was made for irmx by a program in its documentation folder; no real document, topic or judgment is in it.
"""

from __future__ import annotations

from pathlib import Path

import ir_measures

from irmx.expressions import parse_measure
from irmx.measures import Measure
from irmx.plugins import registry

SYSTEMS = ("precise", "steady", "late")
"""The names of the three simulated systems."""

_EXISTING = ("AP", "nDCG@10", "P@10", "RBP(rel=1)")


def qrels_path() -> Path:
    """Return the path of the qrels.

    >>> import irmx
    >>> irmx.calc_aggregate("NumQ", str(qrels_path()), str(run_path("steady")))
    {NumQ: 12.0}
    """
    return Path(__file__).with_name("demo.qrels")


def run_path(system: str) -> Path:
    """Return the path of the run of one of :data:`SYSTEMS`."""
    return Path(__file__).with_name(f"{system}.run")


def demo_measures() -> list[ir_measures.Measure]:
    """Return the measures of the demo: existing ones, then the examples of installed plugins that run on it."""
    new = [parse_measure(e) for m in registry().measures().values() for e in m.EXAMPLES]
    plain = [m for m in new if isinstance(m, Measure) and not m.run_columns() and not m.qrel_columns()]
    return [parse_measure(e) for e in _EXISTING] + plain
