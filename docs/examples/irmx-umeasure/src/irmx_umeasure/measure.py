"""The measure U, computed for all topics at once."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from irmx import COMMON_PARAMS, Citation, Column, DataError, Measure, Param, Rankings, SampleValues, number
from irmx.ragged import Floats
from irmx_umeasure.trailtext import positions

LENGTH = Column(
    "run",
    "length",
    "length of the text of the document",
    unit="characters",
    how="use a run table with this column, such as a CSV file",
    sample=SampleValues(range(8, 61), ("query_id", "doc_id")),
)

SAKAI_DOU = Citation(
    "SakaiDou2013",
    "inproceedings",
    {
        "author": "Tetsuya Sakai and Zhicheng Dou",
        "title": "Summaries, Ranked Retrieval and Sessions: A Unified Framework for Information Access Evaluation",
        "booktitle": "Proceedings of the 36th International ACM SIGIR Conference (SIGIR 2013)",
        "year": "2013",
        "pages": "473--482",
        "doi": "10.1145/2484028.2484031",
    },
)


class UMeasure(Measure):
    """U-measure of a ranked list: the gains of the relevant documents, discounted by the text the user has read so far.

    U = 1/N sum over pos of g(pos) D(pos), with D(pos) = max(0, 1 - pos/L), over the positions, in characters, of the
    trailtext, the concatenation of everything the user reads. For a ranked list it consists of the snippet of every document
    and, after that of a relevant one, the first share F of its text. The gain of a relevant document of grade l,
    (2^l - 1) / 2^H, is at the end of that part.

    Documents with grades below ``rel``, including unjudged ones, are not clicked; this is a choice of this plugin. H is the
    largest grade of the scale or, without ``max_grade``, the largest grade in the qrels. The defaults of L, F and the length
    of snippets are those of the paper for ad hoc search. The paper leaves N open, and uses 1.

    If a relevant document replaces a non-relevant one, its text is read too, so all gains below it come later and the value
    may fall.

    References
    ----------
    Sakai, T. and Dou, Z.: Summaries, Ranked Retrieval and Sessions: A Unified Framework for Information Access Evaluation.
    SIGIR 2013, Sections 3 and 4.

    Examples
    --------
    Relevant documents of 1000 and 3000 characters, of the grades 1 and 2, at ranks 1 and 3. The user finishes the first at
    200 + 0.2 * 1000 = 400 characters, and the second at 400 + 2 * 200 + 0.2 * 3000 = 1400. With H = 2 and L = 10000 the
    value is (2^1 - 1)/2^2 (1 - 0.04) + (2^2 - 1)/2^2 (1 - 0.14) = 0.24 + 0.645:

    >>> import irmx, pandas as pd
    >>> run = pd.DataFrame({"query_id": "q", "doc_id": ["a", "x", "b"], "score": [3, 2, 1], "length": [1000, 8000, 3000]})
    >>> irmx.calc_aggregate("U(L=10000,max_grade=2)", {"q": {"a": 1, "b": 2}}, run)
    {U(L=10000.0,max_grade=2): 0.885}
    """

    NAME = "U"
    PRETTY_NAME = "U-measure"
    SHORT_DESC = "The gains of the relevant documents, discounted by the number of characters the user has read so far."
    SUPPORTED_PARAMS = {
        "L": Param(float, "the amount of text after which documents are worth nothing", default=132000.0, above=0, unit="characters"),
        "snippet": Param(float, "length of the snippet read for every document", default=200.0, low=0, unit="characters"),
        "F": Param(float, "share of a relevant document's text that is read", default=0.2, low=0, high=1),
        "max_grade": Param(
            number, "H, the largest grade of the scale; None: the largest grade in the qrels", default=None, above=0, high=1000
        ),
        "N": Param(float, "what the sum is divided by", default=1.0, above=0),
        **COMMON_PARAMS,
    }  # fmt: skip
    RUN_COLUMNS = (LENGTH,)
    RANGE = (0.0, math.inf)
    MONOTONE = False
    CITATIONS = (SAKAI_DOU,)
    EXAMPLES = ("U(max_grade=4)", "U(L=20000.0,max_grade=4)@10")

    def gain(self, rankings: Rankings) -> Floats:
        """Return (2^l - 1) / 2^H of every relevant document retrieved, with grades below 0 treated as 0."""
        grade = np.maximum(rankings.relevant.grade, 0)
        highest = self["max_grade"] or rankings.largest_grade
        above = np.flatnonzero(grade > highest)
        if len(above):
            i = int(above[0])
            raise DataError(
                f"Document {rankings.relevant.doc_ids[i]!r} of query {rankings.topics[rankings.relevant.topic[i]]} "
                f"has the grade {grade[i]:g}, but the largest of the scale is {highest:g} (max_grade)."
            )
        return np.asarray(2.0 ** (grade - highest) - 2.0**-highest)

    def lengths(self, rankings: Rankings) -> Floats:
        """Return the length of every relevant document retrieved."""
        length = rankings.relevant.column(LENGTH)
        negative = np.flatnonzero(length < 0)
        if len(negative):
            i = int(negative[0])
            raise DataError(
                f"The run column 'length' of query {rankings.topics[rankings.relevant.topic[i]]}, document "
                f"{rankings.relevant.doc_ids[i]!r}, is {length[i]:g}; a length cannot be negative."
            )
        return length

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        relevant = rankings.relevant
        position = positions(relevant.rank, self.lengths(rankings), relevant.offsets, self["snippet"], self["F"])
        gain, discount = self.gain(rankings), np.maximum(0, 1 - position / self["L"])
        return {"position": position, "gain": gain, "discount": discount, "contribution": gain * discount / self["N"]}


U = UMeasure()
