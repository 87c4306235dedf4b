"""The parameters that several measures of ir_measures have, with their domains."""

from irmx import COMMON_PARAMS, Param, number

REL = Param(number, COMMON_PARAMS["rel"].desc, default=1, above=0, high=COMMON_PARAMS["rel"].high)
CUTOFF, JUDGED_ONLY = COMMON_PARAMS["cutoff"], COMMON_PARAMS["judged_only"]
REQUIRED_CUTOFF = Param(int, CUTOFF.desc, required=True, low=1, unit=CUTOFF.unit)

RECALL_BASE = "the recall base: the number of relevant documents in the judgments"
ON_TOP = "the number of relevant documents at the ranks up to $k$"
