"""Intent-aware average precision, over subtopics alone (IA) and over subtopics and time windows (TIA)."""

from __future__ import annotations

from typing import ClassVar

from irmx import Formula, Rankings
from irmx.ragged import Floats
from irmx_temporal.cells.cell_arrays import Cells
from irmx_temporal.measures import cell_formulas
from irmx_temporal.measures.diversity import INTENT_PARAMS, SINGH, TIME_PARAMS, WINDOW_COLUMNS, Diversity


class IntentAwareAP(Diversity):
    """Intent-aware average precision: the mean of IA-P at the ranks of documents relevant to any subtopic.

    It is not the mean over subtopics of AP, which ndeval calls MAP-IA; that is ``IntentAware(measure='AP')``.

    References
    ----------
    Singh, J., Nejdl, W., Anand, A.: History by Diversity. CHIIR 2016.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> rows = [("q", "a", 1, "c1"), ("q", "b", 1, "c2")]
    >>> qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])
    >>> irmx.calc_aggregate("IA_AP IntentAware(measure='AP')", qrels, {"q": {"a": 2.0, "b": 1.0}})
    {IA_AP: 0.5, IntentAware(measure='AP'): 0.75}
    """

    NAME = "IA_AP"
    PRETTY_NAME = "Intent-Aware Average Precision"
    SHORT_DESC = "The mean of the intent-aware precision at the ranks of relevant documents."
    FORMULA = Formula(
        r"\text{IA-AP} = \frac{1}{\mathrm{RB}} \sum_{n \in R} \text{IA-P@}n",
        {
            r"\mathrm{RB}": "the number of documents relevant to any subtopic in the judgments",
            "n": "a rank",
            "R": "the ranks of the documents retrieved that are relevant to any subtopic, up to the cutoff if there is one",
            r"\text{IA-P@}n": "the measure IA_P with the cutoff $n$",
        },
        source="Singh, Nejdl and Anand (2016)",
    )
    SUPPORTED_PARAMS = INTENT_PARAMS
    EXAMPLES: ClassVar[tuple[str, ...]] = ("IA_AP",)

    def per_cell(self, cells: Cells, rankings: Rankings) -> Floats:
        return cell_formulas.average_precision(cells)


class TimeAwareAP(IntentAwareAP):
    """Time- and intent-aware average precision; its mean over topics is TIA-MAP.

    References
    ----------
    Singh, J., Nejdl, W., Anand, A.: History by Diversity. CHIIR 2016.
    """

    NAME = "TIA_AP"
    ALIASES = ("TIA_MAP",)
    PRETTY_NAME = "Time-Aware Intent-Aware Average Precision"
    SHORT_DESC = "The mean of the time- and intent-aware precision at the ranks of relevant documents."
    FORMULA = Formula(
        r"\text{TIA-AP} = \frac{1}{\mathrm{RB}} \sum_{n \in R} \text{TIA-P@}n",
        {
            r"\mathrm{RB}": "the number of documents relevant to any subtopic in any window, in the judgments",
            "n": "a rank",
            "R": (
                "the ranks of the documents retrieved that are relevant to any subtopic in any window, up to the cutoff if there "
                "is one"
            ),
            r"\text{TIA-P@}n": "the measure TIA_P with the cutoff $n$",
        },
        source="Singh, Nejdl and Anand (2016)",
    )
    SUPPORTED_PARAMS = TIME_PARAMS
    TEMPORAL = True
    QREL_COLUMNS = WINDOW_COLUMNS
    CITATIONS = (SINGH,)
    EXAMPLES = ("TIA_AP", "TIA_AP(window='1mo')")


IA_AP, TIA_AP = IntentAwareAP(), TimeAwareAP()
