"""AP, nDCG and other standard measures, over irmx's join of a run with the judgments; and why another tool's number differs."""

from .conventions import CONVENTIONS, TOOLS, Convention, Tool
from .reconciling import Explanation, Reconciliation, Reconciliations, reconcile

__all__ = [
    "CONVENTIONS",
    "TOOLS",
    "Convention",
    "Explanation",
    "Reconciliation",
    "Reconciliations",
    "Tool",
    "reconcile",
]
