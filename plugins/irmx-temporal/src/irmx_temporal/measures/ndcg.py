"""Intent-aware nDCG, over subtopics alone (IA) and over subtopics and time windows (TIA)."""

from __future__ import annotations

from typing import ClassVar

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


class IntentAwareNDCG(Diversity):
    """Intent-aware nDCG: the weighted mean over subtopics of the nDCG for each.

    References
    ----------
    Agrawal, R., Gollapudi, S., Halverson, A., Ieong, S.: Diversifying Search Results. WSDM 2009.
    Singh, J., Nejdl, W., Anand, A.: History by Diversity. CHIIR 2016.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> rows = [("q", "d1", 1, "c1"), ("q", "d2", 1, "c1"), ("q", "d3", 1, "c2"), ("q", "d4", 1, "c2")]
    >>> qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])
    >>> run = {"q": {"d1": 4.0, "x": 3.0, "d4": 2.0, "d3": 1.0}}
    >>> round(irmx.calc_aggregate("IA_nDCG@4", qrels, run)[irmx.IA_nDCG @ 4], 6)
    0.591894
    """

    NAME = "IA_nDCG"
    PRETTY_NAME = "Intent-Aware nDCG"
    SHORT_DESC = "The nDCG for each subtopic, weighted by the subtopics' probabilities."
    FORMULA = Formula(
        r"\text{IA-nDCG} = \sum_{c} P(c \mid q)\,\mathrm{nDCG}(\cdot \mid c)",
        {
            **OF_SUBTOPIC,
            r"\mathrm{nDCG}(\cdot \mid c)": (
                "nDCG of the ranking for $c$ alone at the cutoff, with the gain $2^{g} - 1$ of the grade $g$ and the "
                "discount of the logarithm of the rank + 1"
            ),
        },
        source="Singh, Nejdl and Anand (2016)",
    )
    SUPPORTED_PARAMS = INTENT_PARAMS
    EXAMPLES: ClassVar[tuple[str, ...]] = ("IA_nDCG@20",)

    def per_cell(self, cells: Cells, rankings: Rankings) -> Floats:
        return cell_formulas.ndcg(cells, self["cutoff"])


class TimeAwareNDCG(IntentAwareNDCG):
    """Time- and intent-aware nDCG: the weighted mean of the nDCG for each pair of a time window and a subtopic.

    The probability of a window is its share of the topic's relevant documents,
    unless weights are given. A pair without a relevant document counts 0.

    References
    ----------
    Singh, J., Nejdl, W., Anand, A.: History by Diversity. CHIIR 2016.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> rows = [("q", "d1", 1, "c1", "t1"), ("q", "d2", 1, "c1", "t1"), ("q", "d3", 1, "c2", "t1"), ("q", "d4", 1, "c2", "t2")]
    >>> qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration", "window"])
    >>> run = {"q": {"d1": 4.0, "x": 3.0, "d4": 2.0, "d3": 1.0}}
    >>> for measure, value in irmx.calc_aggregate("TIA_nDCG@4 TIA_ERR@4 TIA_P@4 TIA_AP@4", qrels, run).items():
    ...     print(measure, round(value, 6))
    TIA_nDCG@4 0.453934
    TIA_ERR@4 0.510417
    TIA_P@4 0.21875
    TIA_AP@4 0.190104
    """

    NAME = "TIA_nDCG"
    PRETTY_NAME = "Time-Aware Intent-Aware nDCG"
    SHORT_DESC = "The nDCG for each pair of a time window and a subtopic, weighted by their probabilities."
    FORMULA = Formula(
        r"\text{TIA-nDCG} = \sum_{t} P(t \mid q) \sum_{c} P(c \mid q)\,\mathrm{nDCG}(\cdot \mid c,t)",
        {
            **OF_WINDOW,
            **OF_SUBTOPIC,
            r"\mathrm{nDCG}(\cdot \mid c,t)": (
                "nDCG of the ranking for the documents of $c$ in $t$ alone at the cutoff, with the gain $2^{g} - 1$ "
                "of the grade $g$ and the discount of the logarithm of the rank + 1"
            ),
        },
        source="Singh, Nejdl and Anand (2016)",
    )
    SUPPORTED_PARAMS = TIME_PARAMS
    TEMPORAL = True
    QREL_COLUMNS = WINDOW_COLUMNS
    CITATIONS = (SINGH,)
    EXAMPLES = ("TIA_nDCG@20", "TIA_nDCG(window='1mo')@20")


IA_nDCG, TIA_nDCG = IntentAwareNDCG(), TimeAwareNDCG()
