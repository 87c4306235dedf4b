"""D-nDCG and D#-nDCG: nDCG over the global gain of documents, alone and averaged with subtopic recall."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from irmx import Formula, Param, Rankings
from irmx.ragged import Floats
from irmx_temporal.cells.cell_arrays import Cells
from irmx_temporal.measures import cell_formulas
from irmx_temporal.measures.cell_tables import table_of_cells
from irmx_temporal.measures.diversity import INTENT_PARAMS, OF_SUBTOPIC, Diversity
from irmx_temporal.measures.subtopic_recall import SAKAI, of_subtopics

SUBTOPIC_ONLY_PARAMS: dict[str, Any] = {k: p for k, p in INTENT_PARAMS.items() if k != "cells"}


class DNDCG(Diversity):
    """D-nDCG: nDCG over the global gain of a document, the weighted sum of its gains for the subtopics.

    That the gain for a subtopic is the grade by default is a choice of irmx; the paper leaves the values open.

    References
    ----------
    Sakai, T., Song, R.: Evaluating Diversified Search Results Using Per-Intent Graded Relevance. SIGIR 2011.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> rows = [("q", "a", 1, "c1"), ("q", "b", 1, "c1"), ("q", "b", 1, "c2")]
    >>> qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])
    >>> for measure, value in irmx.calc_aggregate("D_nDCG@1 I_rec@1 Dsharp_nDCG@1", qrels, {"q": {"a": 2.0, "b": 1.0}}).items():
    ...     print(measure, value)
    D_nDCG@1 0.5
    I_rec@1 0.5
    Dsharp_nDCG@1 0.5
    """

    NAME = "D_nDCG"
    PRETTY_NAME = "D-nDCG"
    SHORT_DESC = (
        "nDCG whose gain is the sum of a document's gains for the subtopics, weighted by the subtopics' probabilities."
    )
    FORMULA = Formula(
        r"\text{D-nDCG@}k = \frac{\sum_{i=1}^{k} \mathrm{GG}(d_i) / \log(i+1)}{\sum_{i=1}^{k} \mathrm{GG}(d^{*}_i) / \log(i+1)}, "
        r"\qquad \mathrm{GG}(d) = \sum_{c} P(c \mid q)\,g_c(d)",
        {
            "k": "the cutoff; without one, all documents count",
            "i": "a rank",
            r"\mathrm{GG}(d)": "the global gain of a document $d$",
            "d_i": "the document at rank $i$",
            "d^{*}_i": "that with the $i$-th largest global gain of all relevant ones",
            **OF_SUBTOPIC,
            "g_c(d)": "the gain of $d$ for $c$: its grade, or $2^{g} - 1$ of the grade $g$ with gain='exponential'",
        },
        source="Sakai and Song (2011), who leave the values of the gain open",
    )
    SUPPORTED_PARAMS = {
        "gain": Param(
            str, "the gain of a document for a subtopic: its grade, or 2^grade - 1", default="linear",
            choices=("linear", "exponential"),
        ),
        **SUBTOPIC_ONLY_PARAMS,
    }  # fmt: skip
    CITATIONS = (SAKAI,)
    EXAMPLES: ClassVar[tuple[str, ...]] = ("D_nDCG@20",)

    def per_cell(self, cells: Cells, rankings: Rankings) -> Floats:
        return cell_formulas.global_ndcg(cells, self["gain"] == "exponential", self["cutoff"])


class DSharpNDCG(DNDCG):
    """D#-nDCG: the weighted mean of I-rec and D-nDCG.

    References
    ----------
    Sakai, T., Song, R.: Evaluating Diversified Search Results Using Per-Intent Graded Relevance. SIGIR 2011.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> rows = [("q", "a", 1, "c1"), ("q", "b", 1, "c1"), ("q", "b", 1, "c2")]
    >>> qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])
    >>> irmx.calc_aggregate("Dsharp_nDCG(gamma=0.25)@1", qrels, {"q": {"b": 2.0, "a": 1.0}})
    {Dsharp_nDCG(gamma=0.25)@1: 1.0}
    """

    NAME = "Dsharp_nDCG"
    PRETTY_NAME = "D#-nDCG"
    SHORT_DESC = "The mean of I-rec and D-nDCG."
    FORMULA = Formula(
        r"\mathrm{D}\sharp\text{-nDCG@}k = \gamma\,\text{I-rec@}k + (1 - \gamma)\,\text{D-nDCG@}k",
        {
            "k": "the cutoff",
            r"\gamma": "the weight of I-rec",
            r"\text{I-rec@}k": "the measure I_rec",
            r"\text{D-nDCG@}k": "the measure D_nDCG",
        },
        source="Sakai and Song (2011)",
    )
    SUPPORTED_PARAMS = {
        "gamma": Param(float, "weight of I-rec", default=0.5, low=0, high=1),
        **DNDCG.SUPPORTED_PARAMS,
    }
    EXAMPLES: ClassVar[tuple[str, ...]] = ("Dsharp_nDCG@20",)

    def of_cells(self, cells: Cells, rankings: Rankings) -> Floats:
        recall = np.bincount(cells.subtopics.topic, self.shares(cells), len(rankings))
        return np.asarray(recall + (1 - self["gamma"]) * super().of_cells(cells, rankings))

    def shares(self, cells: Cells) -> Floats:
        """Return the contribution of every subtopic to gamma I-rec."""
        topic = cells.subtopics.topic
        return np.asarray(self["gamma"] * cell_formulas.covered(of_subtopics(cells)) / np.bincount(topic)[topic])

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        cells = self.cells(rankings)
        of_gains = (1 - self["gamma"]) * cells.weight * self.per_cell(cells, rankings)
        return table_of_cells(cells, rankings, of_gains + self.shares(cells)[cells.layout.subtopic])


D_nDCG, Dsharp_nDCG = DNDCG(), DSharpNDCG()
