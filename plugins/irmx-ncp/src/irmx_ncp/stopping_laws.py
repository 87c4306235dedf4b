"""Stopping laws by ordinal: the probability that a user is satisfied at the j-th relevant document met."""

from __future__ import annotations

from typing import Any

import numpy as np

from irmx import Column, DataError, Formula, Param, Rankings, Rows, SampleValues, Symbol, UsageError
from irmx.ragged import Floats, Ints, segment_sum

# -- stopping laws by ordinal ----------------------------------------------------------------------------------------


_OF_PLACE = {
    "p_s(j)": "the probability that the user is satisfied by the $j$-th relevant document met",
    "j": "the place of a document among the relevant ones, in ranked order",
}
_RECALL_BASE = {r"\mathrm{RB}": "the number of relevant documents in the judgments"}
_CHOICE = "a choice of irmx; the paper leaves the law open"


KIND = "stopping law"
"""The kind of symbol that the ``law`` parameter of ``NCP`` takes; any plugin may register more.

Such a symbol has the method ``probabilities(recall_base)`` of :class:`Law`. One with a separate probability for each
document has ``document_probabilities(rankings)`` instead: p_s over ``rankings.relevant``, which adds up to at most 1 within a
topic, because documents that were not retrieved keep theirs; and ``qrel_columns()``, the qrels columns it reads.
"""


class Law(Symbol):
    """A probability law over the relevant documents of a topic in the order in which a user meets them.

    A plugin adds one by registering an :class:`irmx.Symbol` with ``KIND = "stopping law"`` and the method
    :meth:`probabilities`; it need not derive from this class.
    """

    KIND = KIND

    def probabilities(self, recall_base: int) -> Floats:
        """Return p_s(j) for j = 1..RB.

        Parameters
        ----------
        recall_base : int
            RB, the number of relevant documents of the topic, at least 1.

        Returns
        -------
        array of float, shape (recall_base,)
            Non-negative, adding up to 1.
        """
        raise NotImplementedError


class Uniform(Law):
    """Every relevant document has the same probability; NCP is average precision.

    >>> UNIFORM.probabilities(4)
    array([0.25, 0.25, 0.25, 0.25])
    """

    NAME = "uniform"
    SHORT_DESC = "each relevant document satisfies with the same probability 1/RB: NCP is AP"
    FORMULA = Formula(
        r"p_s(j) = \frac{1}{\mathrm{RB}}",
        {**_OF_PLACE, **_RECALL_BASE},
        source="Robertson (2008)",
    )

    def probabilities(self, recall_base: int) -> Floats:
        return np.full(recall_base, 1 / recall_base)


class First(Law):
    """The first relevant document satisfies; NCP is the reciprocal rank.

    >>> FIRST.probabilities(3)
    array([1., 0., 0.])
    """

    NAME = "first"
    SHORT_DESC = "the first relevant document satisfies: NCP is RR"
    FORMULA = Formula(
        r"p_s(j) = \begin{cases} 1 & \text{if } j = 1 \\ 0 & \text{otherwise} \end{cases}",
        _OF_PLACE,
        source="the definition of NCP",
    )

    def probabilities(self, recall_base: int) -> Floats:
        out = np.zeros(recall_base)
        out[0] = 1.0
        return out


class Geometric(Law):
    """Each relevant document met satisfies with the same probability, if the user comes to it.

    The paper leaves the law open; ``p`` has no published value, and its default of 0.5 is a choice of irmx.

    >>> GEOMETRIC(p=0.5).probabilities(2).round(6)
    array([0.666667, 0.333333])
    """

    NAME = "geometric"
    SHORT_DESC = "each relevant document met satisfies with probability p"
    FORMULA = Formula(
        r"p_s(j) = \frac{p(1-p)^{j-1}}{\sum_{i=1}^{\mathrm{RB}} p(1-p)^{i-1}}",
        {
            **_OF_PLACE,
            "p": "the probability of being satisfied at each relevant document met",
            "i": "each place of a relevant document",
            **_RECALL_BASE,
        },
        source=_CHOICE,
    )
    SUPPORTED_PARAMS = {
        "p": Param(float, "probability of being satisfied at each relevant document met", default=0.5, above=0, high=1)
    }

    def probabilities(self, recall_base: int) -> Floats:
        p = self["p"]
        weights = p * (1 - p) ** np.arange(recall_base)
        return np.asarray(weights / weights.sum())


class Zipf(Law):
    """The probability falls with the place of the document, as in Zipf's law.

    >>> ZIPF.probabilities(2).round(6)
    array([0.666667, 0.333333])
    """

    NAME = "zipf"
    SHORT_DESC = "the j-th relevant document satisfies with a probability proportional to 1/j^s"
    FORMULA = Formula(
        r"p_s(j) = \frac{j^{-s}}{\sum_{i=1}^{\mathrm{RB}} i^{-s}}",
        {
            **_OF_PLACE,
            "s": "the exponent, with which the probability falls",
            "i": "each place of a relevant document",
            **_RECALL_BASE,
        },
        source=_CHOICE,
    )
    SUPPORTED_PARAMS = {"s": Param(float, "exponent; 0 is the uniform law", default=1.0, low=0)}

    def probabilities(self, recall_base: int) -> Floats:
        weights = np.arange(1, recall_base + 1, dtype=float) ** -self["s"]
        return np.asarray(weights / weights.sum())


class Table(Law):
    """The probabilities come from a table of weights; documents beyond its end have probability 0.

    For a topic with fewer relevant documents than the table has entries, the entries that apply are
    scaled to add up to 1.

    >>> TABLE(p=[0.5, 0.3, 0.2]).probabilities(2)
    array([0.625, 0.375])
    """

    NAME = "table"
    EXAMPLES = ("table(p=[0.5,0.3,0.2])",)
    SHORT_DESC = "explicit probabilities of being satisfied at the 1st, 2nd, ... relevant document met"
    FORMULA = Formula(
        r"p_s(j) = \frac{p_j}{\sum_{i=1}^{\mathrm{RB}} p_i}",
        {
            **_OF_PLACE,
            "p_j": "the $j$-th weight of the table; 0 beyond its end",
            "i": "each place of a relevant document",
            **_RECALL_BASE,
        },
        source=_CHOICE,
    )
    SUPPORTED_PARAMS = {"p": Param(list, "weights of the 1st, 2nd, ... relevant document met", required=True, low=0)}

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        if "p" in self.params and not (self.params["p"] and self.params["p"][0] > 0):
            raise UsageError(
                f"The 'p' parameter of table must start with a weight above 0, otherwise a topic with one relevant "
                f"document would have no law. Got {self.params['p']} instead."
            )

    def probabilities(self, recall_base: int) -> Floats:
        if "p" not in self.params:
            raise UsageError("The law 'table' needs its weights: table(p=[0.5,0.3,0.2]).")
        weights = np.zeros(recall_base)
        used = self.params["p"][:recall_base]
        weights[: len(used)] = used
        return np.asarray(weights / weights.sum())


UNIFORM, FIRST, GEOMETRIC, ZIPF, TABLE = Uniform(), First(), Geometric(), Zipf(), Table()


# -- the stopping law by document ------------------------------------------------------------------------------------


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
