"""AP, nDCG and other standard measures, over irmx's join of a run with the judgments; and why another tool's number differs."""

from .conventions import Convention, Tool
from .reconciling import Explanation, Reconciliation, Reconciliations, reconcile
from .relevance_evaluator import (
    RelevanceEvaluator,
    compute_aggregated_measure,
    parse_qrel,
    parse_run,
    supported_measures,
    supported_nicknames,
)

__all__ = [
    "Convention",
    "Explanation",
    "Reconciliation",
    "Reconciliations",
    "RelevanceEvaluator",
    "Tool",
    "compute_aggregated_measure",
    "parse_qrel",
    "parse_run",
    "reconcile",
    "supported_measures",
    "supported_nicknames",
]
