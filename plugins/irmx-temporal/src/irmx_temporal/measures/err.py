"""Intent-aware expected reciprocal rank, over subtopics alone (IA) and over subtopics and time windows (TIA)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from irmx import Formula, Param, Rankings
from irmx.ragged import Floats
from irmx_temporal.cells.cell_arrays import Cells, renormalised
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

STOP = Param(
    str,
    "R, the probability that a relevant document satisfies the user: 1 ('one', as in the paper), or (2^grade - 1)/2^max "
    "('graded'), where max is the largest grade in the qrels of all topics",
    default="one",
    choices=("one", "graded"),
)
ERR = Param(
    str,
    "the paper's definitions: that of its table, which weighs windows and subtopics by P(t|q) P(c|q); that of its text, with "
    "P(c|q,t), the weights P(c|q) of the subtopics in the window scaled to add up to 1, and relevance in any window; or the "
    "weights of the text with the relevance of the table ('mixed')",
    default="table",
    choices=("table", "text", "mixed"),
)


class IntentAwareERR(Diversity):
    """Intent-aware expected reciprocal rank: the expected 1/rank of the document that satisfies a user of a subtopic.

    References
    ----------
    Singh, J., Nejdl, W., Anand, A.: History by Diversity. CHIIR 2016.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> rows = [("q", "a", 1, "c1"), ("q", "b", 1, "c2")]
    >>> qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])
    >>> irmx.calc_aggregate("IA_ERR@5", qrels, {"q": {"a": 2.0, "b": 1.0}})
    {IA_ERR@5: 0.75}
    """

    NAME = "IA_ERR"
    PRETTY_NAME = "Intent-Aware Expected Reciprocal Rank"
    SHORT_DESC = "The expected reciprocal rank for each subtopic, weighted by the subtopics' probabilities."
    FORMULA = Formula(
        r"\text{IA-ERR} = \sum_{r=1}^{k} \frac{1}{r} \sum_{c} P(c \mid q)\,R(r \mid c) \prod_{i<r} (1 - R(i \mid c))",
        {
            "r": "a rank",
            "k": "the cutoff, or the number of documents retrieved",
            **OF_SUBTOPIC,
            r"R(r \mid c)": (
                "the probability that the document at rank $r$ satisfies a user of $c$: 1 if it is relevant, else 0; "
                "with stop='graded', $(2^{g} - 1)/2^{m}$ of the grade $g$ and the largest grade $m$"
            ),
            "i": "each rank above $r$",
        },
        source="Singh, Nejdl and Anand (2016)",
    )
    SUPPORTED_PARAMS = {"stop": STOP, **INTENT_PARAMS}
    EXAMPLES: ClassVar[tuple[str, ...]] = ("IA_ERR@20",)

    def per_cell(self, cells: Cells, rankings: Rankings) -> Floats:
        return cell_formulas.err(self.stop(cells.grade, rankings), cells.rank, cells.cell, len(cells))

    def stop(self, grade: Floats, rankings: Rankings) -> Floats:
        """Return R for the grades of relevant documents."""
        if self["stop"] == "one":
            return np.ones(len(grade))
        largest = rankings.largest_grade
        return np.asarray(2.0 ** (grade - largest) - 2.0**-largest)


class TimeAwareERR(IntentAwareERR):
    """Time- and intent-aware expected reciprocal rank.

    The formula is that of the table of the paper. Its text has P(c|q,t) instead of P(c|q), and relevance to the subtopic in any window in R: ``err='text'``. A third formula,
    commented out in the paper, has P(c|q,t) and R(r|c,t): ``err='mixed'``. The paper does not say what P(c|q,t) is; here it
    is P(c|q), scaled to add up to 1 over the subtopics with a relevant document in the window.

    References
    ----------
    Singh, J., Nejdl, W., Anand, A.: History by Diversity. CHIIR 2016.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> rows = [("q", "a", 1, "c1", "t1"), ("q", "b", 1, "c1", "t2"), ("q", "c", 1, "c2", "t2")]
    >>> qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration", "window"])
    >>> run = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    >>> for measure, value in irmx.calc_aggregate("TIA_ERR TIA_ERR(err='text') TIA_ERR(err='mixed')", qrels, run).items():
    ...     print(measure, round(value, 6))
    TIA_ERR 0.444444
    TIA_ERR(err='text') 0.777778
    TIA_ERR(err='mixed') 0.611111
    """

    NAME = "TIA_ERR"
    PRETTY_NAME = "Time-Aware Intent-Aware Expected Reciprocal Rank"
    SHORT_DESC = (
        "The expected reciprocal rank for each pair of a time window and a subtopic, weighted by their probabilities."
    )
    FORMULA = Formula(
        r"\text{TIA-ERR} = \sum_{r=1}^{k} \frac{1}{r} \sum_{t} P(t \mid q) \sum_{c} P(c \mid q)\,R(r \mid c,t) "
        r"\prod_{i<r} (1 - R(i \mid c,t))",
        {
            "r": "a rank",
            "k": "the cutoff, or the number of documents retrieved",
            **OF_WINDOW,
            **OF_SUBTOPIC,
            r"R(r \mid c,t)": (
                "the probability that the document at rank $r$ satisfies a user of $c$ in $t$: 1 if it is relevant, "
                "else 0; with stop='graded', $(2^{g} - 1)/2^{m}$ of the grade $g$ and the largest grade $m$"
            ),
            "i": "each rank above $r$",
        },
        source="the table of Singh, Nejdl and Anand (2016); err='text' and err='mixed' are two other formulas of theirs",
    )
    SUPPORTED_PARAMS = {"err": ERR, "stop": STOP, **TIME_PARAMS}
    TEMPORAL = True
    QREL_COLUMNS = WINDOW_COLUMNS
    CITATIONS = (SINGH,)
    EXAMPLES = ("TIA_ERR@20", "TIA_ERR(window='1y')@20")

    def cells(self, rankings: Rankings) -> Cells:
        cells = super().cells(rankings)
        if self["err"] == "table":
            return cells
        layout = cells.layout
        of_subtopic = cells.subtopics.weight[layout.subtopic]
        in_window = renormalised(of_subtopic, layout.window, len(cells.windows.topic))  # P(c|q,t)
        weight = cells.windows.weight[layout.window] * in_window
        if self["cells"] == "nonempty":
            weight = renormalised(weight, layout.topic, layout.topics)
        return cells.weighing(weight)

    def per_cell(self, cells: Cells, rankings: Rankings) -> Floats:
        if self["err"] != "text":
            return super().per_cell(cells, rankings)
        by_subtopic = self.by_subtopic(rankings)
        of_subtopic = np.zeros(len(cells.subtopics.topic))
        of_subtopic[by_subtopic.layout.subtopic] = super().per_cell(by_subtopic, rankings)
        return of_subtopic[cells.layout.subtopic]


IA_ERR, TIA_ERR = IntentAwareERR(), TimeAwareERR()
