"""Stopping laws by ordinal: the probability that a user is satisfied at the j-th relevant document met."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from irmx import Column, DataError, Formula, Param, PluginError, Rankings, Rows, SampleValues, Symbol, UsageError
from irmx.ragged import Floats, Ints, offsets_of, segment_sum
from irmx.toolkit import parse_value, value_repr

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


class Share(Law):
    """The share of all relevant documents that a user wants follows a table; recall requirements differ between people.

    A user who wants the share x is satisfied by the first relevant document with which at least this share is met. The k-th of K
    weights is for the users who want k/K. With ``within='even'`` what they want is spread evenly from (k-1)/K to k/K; equal weights
    then give AP.

    References
    ----------
    Robertson, S.: A New Interpretation of Average Precision. SIGIR 2008. Its stopping points stand for a population whose
    requirements of recall vary; the table is a choice of irmx.

    Examples
    --------
    >>> SHARE(p=[0.5, 0.5]).probabilities(4)  # a half of the users want a half, the others all
    array([0. , 0.5, 0. , 0.5])
    >>> SHARE(p=[0.5, 0.5], within="even").probabilities(4)
    array([0.25, 0.25, 0.25, 0.25])
    """

    NAME = "share"
    EXAMPLES = ("share(p=[0.5,0.3,0.2])",)
    SHORT_DESC = "users want a share of the relevant documents, and are satisfied when they have met it"
    FORMULA = Formula(
        r"p_s(j) = F\left(\frac{j}{\mathrm{RB}}\right) - F\left(\frac{j-1}{\mathrm{RB}}\right), \qquad "
        r"F\left(\frac{k}{K}\right) = \frac{\sum_{i=1}^{k} p_i}{\sum_{i=1}^{K} p_i}",
        {
            **_OF_PLACE,
            **_RECALL_BASE,
            "F": "which part of the users want at most a share; between two multiples of $1/K$ it stays, or with within='even' grows evenly",
            "k": "the number of a weight",
            "K": "the number of weights",
            "p_i": "the $i$-th weight",
            "i": "the number of each weight",
        },
        source=_CHOICE,
    )
    SUPPORTED_PARAMS = {
        "p": Param(
            list, "weights of the users who want 1/K, 2/K, ..., all of the relevant documents", required=True, low=0
        ),
        "within": Param(
            str,
            "what the users of the k-th weight want: 'end', the share k/K; 'even', shares spread evenly from (k-1)/K to k/K",
            default="end",
            choices=("end", "even"),
        ),
    }

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        if "p" in self.params and not sum(self.params["p"]) > 0:
            raise UsageError(f"The 'p' parameter of share must have a weight above 0. Got {self.params['p']} instead.")

    def probabilities(self, recall_base: int) -> Floats:
        if "p" not in self.params:
            raise UsageError("The law 'share' needs its weights: share(p=[0.5,0.3,0.2]).")
        at_most = np.append(0.0, np.cumsum(self.params["p"])) / sum(self.params["p"])
        classes, j = len(at_most) - 1, np.arange(recall_base + 1)
        if self["within"] == "even":
            return np.diff(np.interp(j * classes / recall_base, np.arange(classes + 1), at_most))
        return np.diff(at_most[j * classes // recall_base])


UNIFORM, FIRST, GEOMETRIC, ZIPF, TABLE, SHARE = Uniform(), First(), Geometric(), Zipf(), Table(), Share()


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


# -- a population of users with different laws -----------------------------------------------------------------------


def law_weights(law: Any, rankings: Rankings) -> Floats:
    """Return p_s of a law over the relevant documents retrieved."""
    if hasattr(law, "document_probabilities"):
        return _by_document(law, rankings)
    j, recall_base = rankings.relevant.ordinal, rankings.recall_base[rankings.relevant.topic]
    sizes, which = np.unique(recall_base, return_inverse=True)
    starts = offsets_of(sizes)
    table = np.concatenate([*(_probabilities(law, n) for n in sizes.tolist()), np.empty(0)])
    return np.asarray(table[starts[which] + j - 1])


@lru_cache(maxsize=4096)
def _probabilities(law: Symbol, recall_base: int) -> Floats:
    """Return p_s(1..RB) of a law, after checking that it is a probability law."""
    any_law: Any = law  # a symbol of any plugin; the kind requires the method
    p = np.asarray(any_law.probabilities(recall_base), dtype=np.float64)
    if p.shape != (recall_base,) or not np.all(p >= 0) or abs(p.sum() - 1) > 1e-9:
        raise PluginError(
            f"The stopping law {law!r} must give {recall_base} probabilities that add up to 1 for a topic with "
            f"{recall_base} relevant documents. It gave shape {p.shape} with the sum {p.sum():.9g}."
        )
    return p


def _by_document(law: Any, rankings: Rankings) -> Floats:
    """Return p_s of a law by document over the relevant documents retrieved, after checking that it is a probability law."""
    p = np.asarray(law.document_probabilities(rankings), dtype=np.float64)
    count = len(rankings.relevant.rank)
    sums = segment_sum(p, rankings.relevant.topic, len(rankings)) if p.shape == (count,) else np.empty(0)
    if p.shape != (count,) or not np.all(p >= 0) or np.any(sums > 1 + 1e-9):
        raise PluginError(
            f"The stopping law {law!r} must give {count} probabilities, one per relevant document retrieved, that add up to "
            f"at most 1 within a topic. It gave shape {p.shape}, the largest sum {sums.max(initial=0):.9g}."
        )
    return p


class _Laws(Param):
    """A list of stopping laws; its canonical form is their expressions, which parse back."""

    def expects(self) -> str:
        return "a list of stopping laws, such as ['first','geometric(p=0.3)']"

    def check(self, value: Any, name: str, owner: str) -> list[str]:
        if isinstance(value, str) or not hasattr(value, "__iter__") or not (laws := list(value)):
            raise UsageError(
                f"The {name!r} parameter of {owner} must be {self.expects()}. Got {value_repr(value)} instead."
            )
        return [repr(_law(one)) for one in laws]


class _OneLaw:
    """What a text in the list stands for."""

    NAME = "mixture"
    SUPPORTED_PARAMS = {"laws": Param(str, "a law of some users", kind=KIND)}


def _law(one: Any) -> Any:
    """Return a stopping law from a list, where it may be an expression."""
    if isinstance(one, str):
        return parse_value(one, _OneLaw, "laws")
    return _OneLaw.SUPPORTED_PARAMS["laws"].check(one, "laws", _OneLaw.NAME)


class Mixture(Symbol):
    """A population in which a part of the users follows each of several stopping laws.

    NCP of the mixture is the mean of NCP by the laws, with the same weights.

    Parameters
    ----------
    laws : list of str or of stopping laws
        The laws, as expressions: ``['first', 'geometric(p=0.3)']``. In Python they may be the objects.
    weights : list of float, optional
        The part of the users with each law, at least 0; they are divided by their sum. By default all are equal.

    Raises
    ------
    irmx.UsageError
        For a law that is none, or if there are not as many weights as laws or none is above 0.

    References
    ----------
    Robertson, S.: A New Interpretation of Average Precision. SIGIR 2008. Its conclusion speaks of a mix of behaviours.

    Examples
    --------
    >>> import irmx
    >>> qrels = {"q": {"a": 1, "b": 1, "c": 1}}
    >>> run = {"q": {"x": 3.0, "a": 2.0, "b": 1.0}}
    >>> measure = irmx.parse_measure("NCP(law=mixture(laws=['first','uniform'],weights=[3,1]))")
    >>> round(measure.calc_aggregate(qrels, run), 6)  # .75 * 1/2 + .25 * (1/2 + 2/3) / 3
    0.472222
    """

    NAME = "mixture"
    KIND = KIND
    EXAMPLES = ("mixture(laws=['first','uniform'],weights=[0.3,0.7])",)
    SHORT_DESC = "a part of the users follows each of several laws"
    FORMULA = Formula(
        r"p_s(d) = \frac{\sum_{m=1}^{M} w_m\,p_m(d)}{\sum_{m=1}^{M} w_m}",
        {
            "p_s(d)": "the probability that the user is satisfied by the relevant document $d$",
            "m": "the number of a law",
            "M": "the number of laws",
            "w_m": "the weight of the $m$-th law",
            "p_m(d)": "the probability of the same by the $m$-th law",
        },
        source="Robertson (2008), the conclusion; that weights are scaled is a choice of irmx",
    )
    SUPPORTED_PARAMS = {
        "laws": _Laws(object, "the laws, as expressions", required=True),
        "weights": Param(
            list, "the part of the users with each law, scaled to add up to 1; by default equal", default=None, low=0
        ),
    }

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self._laws = tuple(_law(one) for one in params.get("laws") or ())
        weights = self["weights"]
        if weights is not None and (len(weights) != len(self._laws) or not sum(weights) > 0):
            raise UsageError(
                f"The 'weights' parameter of mixture must have a number for each of the {len(self._laws)} laws, and one above 0. "
                f"Got {weights} instead."
            )

    def document_probabilities(self, rankings: Rankings) -> Floats:
        """Return p_s of every relevant document retrieved, over ``rankings.relevant``."""
        if not self._laws:
            raise UsageError(f"The law 'mixture' needs its laws: {self.EXAMPLES[0]}.")
        weights = np.ones(len(self._laws)) if self["weights"] is None else np.array(self["weights"], dtype=float)
        by_law = np.array([law_weights(law, rankings) for law in self._laws])
        return np.asarray(weights / weights.sum() @ by_law)

    def qrel_columns(self) -> tuple[Column, ...]:
        """Return the qrels columns that the laws read."""
        read = (column for law in self._laws if hasattr(law, "qrel_columns") for column in law.qrel_columns())
        return tuple(dict.fromkeys(read))


MIXTURE = Mixture()
