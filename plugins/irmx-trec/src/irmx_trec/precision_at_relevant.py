"""Average precision."""

from __future__ import annotations

from typing import Any

import numpy as np

from irmx import COMMON_PARAMS, Measure, Rankings


class AveragePrecision(Measure):
    """The mean of the precision at the rank of each relevant document, 0 for those not retrieved.

    Examples
    --------
    >>> import irmx
    >>> irmx.calc_aggregate("AP", {"q": {"a": 1, "b": 1}}, {"q": {"x": 3.0, "a": 2.0, "b": 1.0}}, provider="irmx")
    {AP: 0.58333...}
    """

    NAME = "AP"
    SHORT_DESC = "The mean of the precision at the rank of each relevant document."
    SUPPORTED_PARAMS = {name: COMMON_PARAMS[name] for name in ("rel", "cutoff", "judged_only")}

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        recall_base = rankings.recall_base[rankings.relevant.topic]
        return {"contribution": rankings.precision / np.maximum(recall_base, 1)}
