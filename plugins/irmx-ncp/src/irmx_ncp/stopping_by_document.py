"""The stopping law by document: every relevant document has its own probability, the same in every run."""

from __future__ import annotations

import numpy as np

from irmx import Column, DataError, Formula, Param, Rankings, Rows, SampleValues, Symbol
from irmx.ragged import Floats, Ints, segment_sum
from irmx_ncp.stopping_laws import KIND

STOP_PROBABILITY = Column(
    "qrels",
    "stop_probability",
    "probability that a user is satisfied at this document; required for relevant documents, may be empty for others",
    how="give the qrels as a table with this column, or use a law by ordinal, such as law=geometric",
    sample=SampleValues(range(1, 5), ("query_id", "doc_id"), shares=True),
)

_ROUNDING = 1e-6


class ByDocument(Symbol):
    """The probability of a document comes from the qrels and does not depend on where, or whether, a run retrieves the document.

    A relevant document that is not retrieved has precision 0 and keeps its probability. With equal probabilities NCP
    is average precision.

    Parameters
    ----------
    scale : bool
        By default the values are weights, divided by their sum over the topic's relevant documents, as in the other laws;
        which documents are relevant depends on ``rel``. With False they are probabilities, and it is an error if they do
        not add up to 1 to within 0.000001.

    Raises
    ------
    irmx.DataError
        If a relevant document has no value, two values or a negative one, or all values of a topic are 0.

    References
    ----------
    Robertson, S.: A New Interpretation of Average Precision. SIGIR 2008.

    Examples
    --------
    >>> import irmx
    >>> import pandas as pd
    >>> qrels = pd.DataFrame({"query_id": "q", "doc_id": ["a", "b", "c"], "relevance": 1, "stop_probability": [0.5, 0.3, 0.2]})
    >>> run = {"q": {"a": 3.0, "x": 2.0, "b": 1.0}}
    >>> round(irmx.NCP(law=ByDocument()).calc_aggregate(qrels, run), 6)  # .5 * 1 + .3 * 2/3
    0.7
    """

    NAME = "by_document"
    KIND = KIND
    SHORT_DESC = "each relevant document has its own probability, from the qrels column 'stop_probability'"
    FORMULA = Formula(
        r"p_s(d) = \frac{w_d}{\sum_{e \in D} w_e}",
        {
            "p_s(d)": "the probability that the user is satisfied by the relevant document $d$",
            "w_d": "the value of $d$ in the qrels column stop_probability",
            "e": "each relevant document",
            "D": "the relevant documents of the topic, retrieved or not",
        },
        source="Robertson (2008); that values are scaled is a choice of irmx",
    )
    SUPPORTED_PARAMS = {
        "scale": Param(
            bool,
            "whether the values are scaled to add up to 1 over the topic's relevant documents, or refused if "
            "they do not",
            default=True,
        )
    }

    def document_probabilities(self, rankings: Rankings) -> Floats:
        """Return p_s of every relevant document retrieved, over ``rankings.relevant``."""
        p = rankings.qrels_memo((self, rankings.rel), lambda: self._of_judged(rankings))
        return p[rankings.relevant.doc]

    def qrel_columns(self) -> tuple[Column, ...]:
        """Return the qrels column read."""
        return (STOP_PROBABILITY,)

    def _of_judged(self, rankings: Rankings) -> Floats:
        """Return p_s by the number of a document in the judgments; 0 for documents that are not relevant."""
        rows = rankings.qrels_rows
        row = _rows_of_relevant(rows, rankings.rel)
        values = _values(rankings, row)
        first = np.unique(rows.doc[row], return_index=True)[1]
        doc, topic, weight = rows.doc[row][first], rows.topic[row][first], values[first]
        total = segment_sum(weight, topic, len(rankings))
        relevant = rankings.recall_base > 0
        wrong = relevant & ((total == 0) if self["scale"] else (np.abs(total - 1) > _ROUNDING))
        for i in np.flatnonzero(wrong)[:1].tolist():
            over = f"the {rankings.recall_base[i]} relevant documents of query {rankings.topics[i]}"
            raise DataError(
                f"the qrels column 'stop_probability' is 0 for all of {over}; at least one value must be above 0."
                if self["scale"]
                else f"the qrels column 'stop_probability' adds up to {total[i]:.9g}, not 1, over {over}. "
                "Leave out scale=False to get it scaled."
            )
        p = np.zeros(int(rows.doc.max(initial=-1)) + 1)
        p[doc] = weight / total[topic]
        return p


def _rows_of_relevant(rows: Rows, rel: float) -> Ints:
    """Return the rows of relevant documents, those whose largest grade is at least ``rel``."""
    grade = np.full(int(rows.doc.max(initial=-1)) + 1, -np.inf)
    held = np.flatnonzero(~rows.declares)
    np.maximum.at(grade, rows.doc[held], rows.grade[held])
    return held[grade[rows.doc[held]] >= rel]


def _values(rankings: Rankings, row: Ints) -> Floats:
    """Return the value of the document of every row; a row may omit a value that another row of the document has."""
    rows = rankings.qrels_rows
    column, doc = rows.column(STOP_PROBABILITY, missing_ok=True)[row], rows.doc[row]
    known = ~np.isnan(column)
    of_document = np.full(int(doc.max(initial=-1)) + 1, np.nan)
    of_document[doc[known]] = column[known]
    values = of_document[doc]
    wrong = ~(values >= 0) | (known & (column != values))
    for i in np.flatnonzero(wrong)[:1].tolist():
        conflicting = " and ".join(f"{v:g}" for v in np.unique(column[known & (doc == doc[i])])) or "no value"
        raise DataError(
            f"the qrels column 'stop_probability' has {conflicting} for query {rankings.topics[rows.topic[row[i]]]}, relevant "
            f"document {rows.doc_ids[row[i]]!r}. Every relevant document needs exactly one number, at least 0."
        ).at(rows.place([int(row[i])]))
    return np.asarray(values)


BY_DOCUMENT = ByDocument()
