"""Expected reciprocal rank: a user goes down the ranking until a document satisfies."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from irmx import COMMON_PARAMS, Formula, Measure, Rankings, Rows
from irmx.ragged import Floats

LEAST_MAX_GRADE = 4
"""The largest grade that gdeval assumes."""


class ExpectedReciprocalRank(Measure):
    """The expected reciprocal of the rank at which a user stops, who is satisfied by a document according to its grade.

    The grade at which a document satisfies almost surely is 4, or the largest grade of the qrels if that is larger, so that values are
    those of gdeval wherever it has one. Grades may be fractions; those of 0 and less satisfy nobody. The measure ``Effort`` of irmx-cwl
    takes another largest grade: ``Effort(measure='ERR',effort=[1],max_grade=2)@10``.

    Examples
    --------
    >>> import irmx
    >>> qrels, run = {"q": {"a": 2, "b": 1}}, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}}
    >>> irmx.calc_aggregate("ERR@1 ERR@10", qrels, run)
    {ERR@1: 0.1875, ERR@10: 0.20442...}
    """

    NAME = "ERR"
    PRETTY_NAME = "Expected reciprocal rank"
    SHORT_DESC = "The expected reciprocal of the rank at which a user is satisfied, with a probability that grows with the grade."
    FORMULA = Formula(
        r"\mathrm{ERR@}k = \sum_{i=1}^{k} \frac{1}{i} R_i \prod_{j=1}^{i-1} (1 - R_j), \qquad R_i = \frac{2^{g_i} - 1}{2^{g_{\max}}}",
        {
            "k": "the cutoff; without one, all documents count",
            "i": "a rank",
            "j": "a rank above $i$",
            "R_i": "the probability that the document at rank $i$ satisfies",
            "g_i": "its grade; 0 if it is not judged or the grade is negative",
            r"g_{\max}": "4, or the largest grade of the qrels, of any topic, if that is larger",
        },
    )
    SUPPORTED_PARAMS = {"cutoff": COMMON_PARAMS["cutoff"]}
    EXAMPLES = ("ERR", "ERR@20")

    def score(self, rankings: Rankings) -> Floats:
        documents, contribution = self._contributions(rankings)
        return documents.sum(contribution)

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        documents, contribution = self._contributions(rankings)
        return {"documents": documents, "satisfies": self._satisfies(documents, rankings), "contribution": contribution}

    def _contributions(self, rankings: Rankings) -> tuple[Rows, Floats]:
        """Return the documents that may satisfy, and of each the probability that the user stops there, divided by its rank."""
        documents = rankings.judged.where(rankings.judged.grade > 0)
        satisfies = self._satisfies(documents, rankings)
        reached = np.ones(len(documents))
        for start, end in pairwise(documents.offsets.tolist()):
            reached[start + 1 : end] = np.cumprod(1 - satisfies[start:end])[:-1]
        return documents, reached * satisfies / documents.rank

    def _satisfies(self, documents: Rows, rankings: Rankings) -> Floats:
        largest = max(LEAST_MAX_GRADE, rankings.largest_grade)
        return np.asarray(np.exp2(documents.grade - largest) - 2.0**-largest)  # finite, however large the grades are
