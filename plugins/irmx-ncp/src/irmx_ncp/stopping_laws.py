"""Stopping laws by ordinal: the probability that a user is satisfied at the j-th relevant document met."""

from __future__ import annotations

from typing import Any

import numpy as np

from irmx import Formula, Param, Symbol, UsageError
from irmx.ragged import Floats

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
