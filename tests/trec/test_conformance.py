"""Scorers pass the conformance kit; what is expected to fail stands here, with the reason."""

from collections.abc import Mapping
from typing import Any

import irmx
from irmx.testing import parametrize_with_checks
from irmx_trec.plugin import irmx_scorers

SCORERS = {scorer.NAME: scorer for scorer in irmx_scorers()}
SETTINGS = (
    *SCORERS.values(),
    SCORERS["AP"](rel=2, judged_only=True) @ 3,
    SCORERS["nDCG"](dcg="exp-log2", judged_only=True) @ 2,
    SCORERS["nDCG"](gains={-1: 2, 1: 0.5}),
    SCORERS["RBP"](rel=2, p=0.5) @ 3,
    SCORERS["NumRet"](rel=2),
    SCORERS["SetP"](relative=True, judged_only=True),
    SCORERS["SetF"](beta=3.0),
    SCORERS["Compat"](p=0.5, normalize=False),
)

CITED_BY_NAME = "what to cite for a measure of ir_measures is known by its name, whoever computes it"
PARSED_AS_THE_OTHER = "its text is that of the measure of ir_measures, which is what it parses to"
TAKEN_BY_NAME = "providers of ir_measures go by the name, and do not know optional parameters that are None"
NO_LEVEL = "rel has no default in ir_measures: without it all documents count, or relevance is graded"
LARGEST_OF_ALL = "the gain is relative to the largest grade of all topics of the qrels"


def expected_failures(measure: irmx.Measure) -> Mapping[str, str]:
    """Return the checks that a scorer is expected to fail, with the reasons."""
    failures = {"citation": CITED_BY_NAME, "expression": PARSED_AS_THE_OTHER}
    if measure.NAME in ("AP", "nDCG", "Judged", "NumRet", "ERR"):
        failures["ir_measures"] = TAKEN_BY_NAME
    if measure.NAME in ("NumRet", "RBP"):
        failures["metadata"] = NO_LEVEL
    if measure.NAME == "ERR" or (measure.NAME == "RBP" and measure["rel"] is None):
        failures["topics"] = LARGEST_OF_ALL
    return failures


@parametrize_with_checks(
    [m @ (0.5 if m.NAME == "IPrec" else 2) if m.missing_params() else m for m in SETTINGS],
    expected_failures=expected_failures,
    examples=8,
)
def test_scorers(measure: irmx.Measure, check: Any) -> None:
    check(measure)
