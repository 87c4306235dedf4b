"""AP, nDCG and other standard measures, over irmx's join of a run with the judgments; and why another tool's number differs."""

from .conventions import Convention, Tool
from .reconciling import Explanation, Reconciliation, Reconciliations, reconcile

__all__ = [
    "Convention",
    "Explanation",
    "Reconciliation",
    "Reconciliations",
    "Tool",
    "reconcile",
]
