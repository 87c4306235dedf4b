"""Intent-aware precision, over subtopics alone (IA) and over subtopics and time windows (TIA)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from irmx import Formula, Rankings
from irmx.ragged import Floats
from irmx_temporal.cells.cell_arrays import Cells
from irmx_temporal.measures import cell_formulas
from irmx_temporal.measures.diversity import (
    INTENT_PARAMS,
    OF_SUBTOPIC,
    OF_WINDOW,
    SINGH,
    TIME_PARAMS,
    WINDOW_COLUMNS,
    Diversity,
)


class IntentAwarePrecision(Diversity):
    """Intent-aware precision: the weighted mean over subtopics of the precision for each.

    In the paper all subtopics have the same probability.

    References
    ----------
    Agrawal, R., Gollapudi, S., Halverson, A., Ieong, S.: Diversifying Search Results. WSDM 2009.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> rows = [("q", "a", 1, "c1"), ("q", "b", 1, "c2")]
    >>> qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])
    >>> irmx.calc_aggregate("IA_P@5", qrels, {"q": {"a": 2.0, "b": 1.0}})
    {IA_P@5: 0.2}
    """

    NAME = "IA_P"
    PRETTY_NAME = "Intent-Aware Precision"
    SHORT_DESC = "The precision for each subtopic, weighted by the subtopics' probabilities."
    FORMULA = Formula(
        r"\text{IA-P@}k = \sum_{c} P(c \mid q)\,\frac{1}{k} \sum_{j=1}^{k} \mathrm{rel}(j \mid c)",
        {
            "k": "the cutoff; without one, the number of documents retrieved",
            **OF_SUBTOPIC,
            "j": "a rank",
            r"\mathrm{rel}(j \mid c)": "1 if the document at rank $j$ is relevant to $c$, else 0",
        },
        source="Singh, Nejdl and Anand (2016)",
    )
    SUPPORTED_PARAMS = INTENT_PARAMS
    EXAMPLES: ClassVar[tuple[str, ...]] = ("IA_P@20",)

    def per_cell(self, cells: Cells, rankings: Rankings) -> Floats:
        cutoff = rankings.depth if self["cutoff"] is None else np.full(len(rankings), self["cutoff"])
        return cell_formulas.precision(cells, cutoff)


class TimeAwarePrecision(IntentAwarePrecision):
    """Time- and intent-aware precision.

    In the paper all subtopics have the same probability.

    References
    ----------
    Singh, J., Nejdl, W., Anand, A.: History by Diversity. CHIIR 2016.
    """

    NAME = "TIA_P"
    PRETTY_NAME = "Time-Aware Intent-Aware Precision"
    SHORT_DESC = "The precision for each pair of a time window and a subtopic, weighted by their probabilities."
    FORMULA = Formula(
        r"\text{TIA-P@}k = \sum_{t} P(t \mid q) \sum_{c} P(c \mid q)\,\frac{1}{k} \sum_{j=1}^{k} \mathrm{rel}(j "
        r"\mid c,t)",
        {
            "k": "the cutoff; without one, the number of documents retrieved",
            **OF_WINDOW,
            **OF_SUBTOPIC,
            "j": "a rank",
            r"\mathrm{rel}(j \mid c,t)": "1 if the document at rank $j$ is relevant to $c$ and in $t$, else 0",
        },
        source="Singh, Nejdl and Anand (2016)",
    )
    SUPPORTED_PARAMS = TIME_PARAMS
    TEMPORAL = True
    QREL_COLUMNS = WINDOW_COLUMNS
    CITATIONS = (SINGH,)
    EXAMPLES = ("TIA_P@20", "TIA_P(window='1mo')@20")


IA_P, TIA_P = IntentAwarePrecision(), TimeAwarePrecision()
