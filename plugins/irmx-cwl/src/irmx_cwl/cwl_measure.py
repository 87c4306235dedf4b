"""C/W/L: what users gain and spend who go on, or stop, after each document."""

from __future__ import annotations

import contextlib
from typing import Any, ClassVar, NamedTuple

import numpy as np

from irmx import (
    COMMON_PARAMS,
    Citation,
    Column,
    DataError,
    Formula,
    Measure,
    Param,
    PluginError,
    Rankings,
    SampleValues,
    Symbol,
    UsageError,
    read_table,
)
from irmx.ragged import Floats, Ints

# -- users who go on to the next document with a probability: continuation functions of C/W/L ------------------------


KIND = "continuation function"
"""The kind of symbol that the ``user`` parameter of ``CWL`` takes; any plugin may register more.

Such a symbol has the method ``continuation(rank, gain, cost)`` of :class:`User`.
"""
_RANK = {"C(i)": "the probability that a user who is at rank $i$ goes on to the next one", "i": "a rank, from 1"}
_GAINS = {"G_i": "the gains of the documents up to rank $i$, added up"}
_COSTS = {"K_i": "their costs, added up"}


class User(Symbol):
    """A user who looks at the documents one after the other, and goes on after each with a probability.

    A plugin adds one by registering an :class:`irmx.Symbol` with ``KIND = "continuation function"`` and the method
    :meth:`continuation`; it need not derive from this class.
    """

    KIND = KIND
    ATTRIBUTE = False  # pages have an examination by rbp, too
    CLOSED = 0
    """The number of last ranks from which the user does not go on, unless ``closed`` of ``CWL`` is false."""

    def continuation(self, rank: Ints, gain: Floats, cost: Floats) -> Floats:
        """Return C(i), the probability to go on from each rank to the next one.

        Parameters
        ----------
        rank : int array, shape (ranks,)
            The ranks, 1, 2, ...
        gain, cost : float array, shape (topics, ranks)
            The gain of every document, from 0 to 1, and its cost, above 0; those of ranks without a document as well.

        Returns
        -------
        float array, shape (topics, ranks)
            From 0 to 1. An array that can be broadcast to this shape will do.
        """
        raise NotImplementedError


class RBP(User):
    """A user who goes on with the same probability after every document: rank-biased precision.

    References
    ----------
    Moffat, A., Zobel, J.: Rank-biased Precision for Measurement of Retrieval Effectiveness. TOIS 2008.
    """

    NAME = "rbp"
    SHORT_DESC = "goes on with the same probability after every document"
    FORMULA = Formula("C(i) = p", {**_RANK, "p": "the persistence"}, source="Moffat and Zobel (2008)")
    SUPPORTED_PARAMS = {"p": Param(float, "persistence, the probability to go on", default=0.8, above=0, below=1)}

    def continuation(self, rank: Ints, gain: Floats, cost: Floats) -> Floats:
        return np.full(rank.shape, float(self["p"]))


class Precision(User):
    """A user who looks at the first k documents: precision at k."""

    NAME = "precision"
    SHORT_DESC = "looks at the first k documents"
    FORMULA = Formula(
        r"C(i) = \begin{cases} 1 & \text{if } i < k \\ 0 & \text{otherwise} \end{cases}",
        {**_RANK, "k": "the number of documents"},
        source="Moffat et al. (2017)",
    )
    SUPPORTED_PARAMS = {"k": Param(int, "number of documents", default=10, low=1, unit="ranks")}

    def continuation(self, rank: Ints, gain: Floats, cost: Floats) -> Floats:
        return np.asarray(rank < self["k"], dtype=float)


class DCG(User):
    """A user whose attention to the first k documents falls as the discount of DCG: DCG divided by the sum of its discounts.

    References
    ----------
    Järvelin, K., Kekäläinen, J.: Cumulated Gain-based Evaluation of IR Techniques. TOIS 2002.
    """

    NAME = "dcg"
    SHORT_DESC = "looks at the first k documents with the discount of DCG"
    FORMULA = Formula(
        r"C(i) = \begin{cases} \frac{\log_2(i+1)}{\log_2(i+2)} & \text{if } i < k \\ 0 & \text{otherwise} \end{cases}",
        {**_RANK, "k": "the number of documents"},
        source="Moffat et al. (2017)",
    )
    SUPPORTED_PARAMS = Precision.SUPPORTED_PARAMS

    def continuation(self, rank: Ints, gain: Floats, cost: Floats) -> Floats:
        return np.asarray((rank < self["k"]) * np.log2(rank + 1) / np.log2(rank + 2))


class RR(User):
    """A user who stops at the first document that has a gain: reciprocal rank."""

    NAME = "rr"
    SHORT_DESC = "stops at the first document that has a gain"
    FORMULA = Formula(
        r"C(i) = \begin{cases} 1 & \text{if } G_i = 0 \\ 0 & \text{otherwise} \end{cases}",
        {**_RANK, **_GAINS},
        source="Moffat et al. (2017)",
    )

    def continuation(self, rank: Ints, gain: Floats, cost: Floats) -> Floats:
        return np.asarray(np.cumsum(gain, axis=1) == 0, dtype=float)


class AP(User):
    """A user who knows what is below: average precision over the relevant documents retrieved.

    References
    ----------
    Moffat, A., Thomas, P., Scholer, F.: Users versus Models: What Observation Tells Us About Effectiveness Metrics. CIKM 2013.
    """

    NAME = "ap"
    SHORT_DESC = "goes on for the share of the gains that are below"
    FORMULA = Formula(
        r"C(i) = \frac{\sum_{j > i} g_j / j}{\sum_{j \geq i} g_j / j}",
        {**_RANK, "j": "a rank", "g_j": "the gain of the document at rank $j$"},
        source="Moffat et al. (2013)",
    )

    def continuation(self, rank: Ints, gain: Floats, cost: Floats) -> Floats:
        from_here = np.cumsum((gain / rank)[:, ::-1], axis=1)[:, ::-1]
        below = np.append(from_here[:, 1:], np.zeros((len(gain), 1)), axis=1)
        return np.asarray(np.divide(below, from_here, out=np.zeros(gain.shape), where=below > 0))


class INSQ(User):
    """A user who expects T relevant documents, and is the more patient the more documents have been seen.

    References
    ----------
    Moffat, A., Scholer, F., Thomas, P.: Models and Metrics: IR Evaluation as a User Process. ADCS 2012.
    """

    NAME = "insq"
    SHORT_DESC = "expects T relevant documents, and grows patient"
    FORMULA = Formula(
        r"C(i) = \left(\frac{i + 2T - 1}{i + 2T}\right)^2",
        {**_RANK, "T": "the gain that the user expects"},
        source="Moffat et al. (2012)",
    )
    SUPPORTED_PARAMS = {"T": Param(float, "gain that the user expects", default=1.0, above=0)}

    def continuation(self, rank: Ints, gain: Floats, cost: Floats) -> Floats:
        i, T = rank, self["T"]  # noqa: N806
        return np.asarray(((i + 2 * T - 1) / (i + 2 * T)) ** 2)


class INST(User):
    """As ``insq``, but what has been found makes the user stop earlier.

    References
    ----------
    Moffat, A., Bailey, P., Scholer, F., Thomas, P.: INST: An Adaptive Metric for Information Retrieval Evaluation. ADCS 2015.
    """

    NAME = "inst"
    SHORT_DESC = "expects T relevant documents, and grows patient until they are found"
    FORMULA = Formula(
        r"C(i) = \left(\frac{i + T + T_i - 1}{i + T + T_i}\right)^2, \quad T_i = T - G_i",
        {**_RANK, "T": "the gain that the user expects", "T_i": "what of it has not been found", **_GAINS},
        source="Moffat et al. (2015)",
    )
    SUPPORTED_PARAMS = INSQ.SUPPORTED_PARAMS

    def continuation(self, rank: Ints, gain: Floats, cost: Floats) -> Floats:
        i, T = rank, self["T"]  # noqa: N806
        T_i = T - np.cumsum(gain, axis=1)  # noqa: N806
        return np.asarray(((i + T + T_i - 1) / (i + T + T_i)) ** 2)


class BPM(User):
    """A player who stops with a gain of T, or at a cost of K: the Bejeweled Player Model.

    With ``hb`` or ``hc`` the goal or the budget moves with every gain above or below ``median``: the dynamic model.

    References
    ----------
    Zhang, F., Liu, Y., Li, X., Zhang, M., Xu, Y., Ma, S.: Evaluating Web Search with a Bejeweled Player Model. SIGIR 2017.
    """

    NAME = "bpm"
    SHORT_DESC = "stops with enough gain, or at too large a cost"
    FORMULA = Formula(
        r"C(i) = \begin{cases} 1 & \text{if } G_i < T_i \text{ and } K_i < B_i \\ 0 & \text{otherwise} \end{cases}",
        {
            **_RANK,
            **_GAINS,
            "T_i": r"the goal: $T + h_b \sum_{j<i} (g_j - \mathrm{median})$",
            **_COSTS,
            "B_i": r"the budget: $K + h_c \sum_{j<i} (g_j - \mathrm{median})$",
        },
        source="Zhang et al. (2017)",
    )
    SUPPORTED_PARAMS = {
        "T": Param(float, "gain that is enough", default=1.0, above=0),
        "K": Param(float, "cost that is too large, in the unit of the costs", default=10.0, above=0),
        "hb": Param(float, "how far the goal moves with each gain", default=0.0, low=0),
        "hc": Param(float, "how far the budget moves with each gain", default=0.0, low=0),
        "median": Param(float, "gain that moves neither", default=0.5, low=0, high=1),
    }

    def continuation(self, rank: Ints, gain: Floats, cost: Floats) -> Floats:
        G, K = np.cumsum(gain, axis=1), np.cumsum(cost, axis=1)  # noqa: N806
        moved = G - gain - (rank - 1) * self["median"]
        goal, budget = self["T"] + self["hb"] * moved, self["K"] + self["hc"] * moved
        return np.asarray((goal > G) & (budget > K), dtype=float)


class IFT(User):
    """A forager who goes on towards a goal, and while the rate of gain is good enough: Information Foraging Theory.

    References
    ----------
    Azzopardi, L., Thomas, P., Craswell, N.: Measuring the Utility of Search Engine Result Pages. SIGIR 2018.
    """

    NAME = "ift"
    SHORT_DESC = "goes on towards a goal of gain, while the gain per cost is good enough"
    FORMULA = Formula(
        r"C(i) = \left(1 - \frac{1}{1 + b_1 e^{(T - G_i) R_1}}\right) \frac{1}{1 + b_2 e^{(A - G_i / K_i) R_2}}",
        {
            **_RANK,
            "b_1": "how strongly the goal acts; rules='goal' keeps this factor alone",
            "e": "Euler's number",
            "T": "the goal, a gain",
            **_GAINS,
            "R_1": "how sharply the user stops at the goal",
            "b_2": "how strongly the rate acts; rules='rate' keeps this factor alone",
            "A": "the rate of gain elsewhere",
            **_COSTS,
            "R_2": "how sharply the user stops at a low rate",
        },
        source="Azzopardi et al. (2018)",
    )
    SUPPORTED_PARAMS = {
        "rules": Param(str, "what the user follows", default="both", choices=("both", "goal", "rate")),
        "T": Param(float, "the goal, a gain", default=2.0, low=0),
        "b1": Param(float, "how strongly the goal acts", default=0.9, above=0),
        "R1": Param(float, "how sharply the user stops at the goal", default=1.0, low=0),
        "A": Param(float, "rate of gain per cost that the user expects elsewhere", default=0.2, low=0),
        "b2": Param(float, "how strongly the rate acts", default=0.9, above=0),
        "R2": Param(float, "how sharply the user stops at a low rate", default=10.0, low=0),
    }

    def continuation(self, rank: Ints, gain: Floats, cost: Floats) -> Floats:
        T, b1, R1, A, b2, R2 = (self[name] for name in ("T", "b1", "R1", "A", "b2", "R2"))  # noqa: N806
        G, K = np.cumsum(gain, axis=1), np.cumsum(cost, axis=1)  # noqa: N806
        with np.errstate(over="ignore"):
            goal = 1 - 1 / (1 + b1 * np.exp((T - G) * R1))
            rate = 1 / (1 + b2 * np.exp((A - G / K) * R2))
        return np.asarray({"goal": goal, "rate": rate, "both": goal * rate}[self["rules"]])


class ERR(User):
    """A user whom a document satisfies with a probability, its gain: expected reciprocal rank.

    References
    ----------
    Chapelle, O., Metzler, D., Zhang, Y., Grinspan, P.: Expected Reciprocal Rank for Graded Relevance. CIKM 2009.
    """

    NAME = "err"
    SHORT_DESC = "stops at a document with a probability, its gain"
    FORMULA = Formula(
        "C(i) = 1 - g_i", {**_RANK, "g_i": "the gain of the document at rank $i$"}, source="Chapelle et al. (2009)"
    )

    def continuation(self, rank: Ints, gain: Floats, cost: Floats) -> Floats:
        return 1 - gain


class FadingByTime(User):
    """A user who goes on for half of the documents while ``half_life`` passes: time-biased gain, normalised as in cwl_eval.

    The costs are seconds. As in cwl_eval, nobody goes on from the last rank; ``CWL(user=tbg,closed=False)`` is the endless user.

    References
    ----------
    Smucker, M. D., Clarke, C. L. A.: Time-based Calibration of Effectiveness Measures. SIGIR 2012.
    """

    NAME = "tbg"
    CLOSED = 1
    SHORT_DESC = "stops with the same probability in every second"
    FORMULA = Formula(
        "C(i) = 2^{-c_i / h}",
        {**_RANK, "c_i": "the cost of the document at rank $i$, in seconds", "h": "the half-life, in seconds"},
        source="Smucker and Clarke (2012), as in cwl_eval",
    )
    SUPPORTED_PARAMS = {
        "half_life": Param(float, "time after which half of the users have stopped", default=224.0, above=0, unit="s")
    }

    def continuation(self, rank: Ints, gain: Floats, cost: Floats) -> Floats:
        return np.asarray(0.5 ** (cost / self["half_life"]))


class FadingByText(User):
    """A user who stops anywhere in the first ``L`` characters with the same probability: U-measure, normalised as in cwl_eval.

    The costs are in the unit of ``L``. As in cwl_eval, nobody comes to the last rank, ``depth``; ``CWL(user=u,closed=False)`` is the
    endless user.

    References
    ----------
    Sakai, T., Dou, Z.: Summaries, Ranked Retrieval and Sessions: A Unified Framework for Information Access Evaluation. SIGIR 2013.
    """

    NAME = "u"
    CLOSED = 2
    SHORT_DESC = "stops anywhere before a cost of L, with the same probability"
    FORMULA = Formula(
        r"C(i) = \frac{\max(0, L - K_i)}{L - K_{i-1}}",
        {**_RANK, "L": "the cost at which every user has stopped", **_COSTS},
        source="Sakai and Dou (2013), as in cwl_eval",
    )
    SUPPORTED_PARAMS = {
        "L": Param(float, "cost at which every user has stopped, such as characters", default=132_000.0, above=0)
    }

    def continuation(self, rank: Ints, gain: Floats, cost: Floats) -> Floats:
        K = np.cumsum(cost, axis=1)  # noqa: N806
        below, here = np.maximum(0, self["L"] - K), np.maximum(0, self["L"] - (K - cost))
        return np.asarray(np.divide(below, here, out=np.zeros(cost.shape), where=here > below))


class ByRank(User):
    """A user who goes on with a probability of each rank, as a list or from a file.

    Parameters
    ----------
    probabilities : list of float
        The probability to go on from ranks 1, 2, ... to the next one; the last one holds for all ranks below.
    file : str
        Alternatively, a table file with the columns ``rank`` (1, 2, ...) and ``continuation``, as ``irmx cwl clicks`` writes it.

    Examples
    --------
    >>> ByRank(probabilities=[0.9, 0.5]).continuation(np.arange(1, 4), np.zeros((1, 3)), np.ones((1, 3)))
    array([0.9, 0.5, 0.5])
    """

    NAME = "by_rank"
    SHORT_DESC = "goes on with a probability of each rank: a list, or a file made from clicks"
    EXAMPLES = ("by_rank(probabilities=[0.9,0.7,0.5])",)
    FORMULA = Formula(
        r"C(i) = p_{\min(i, n)}",
        {**_RANK, "p": "the probabilities given, of ranks 1, 2, ...", "n": "how many these are"},
        source="the plugin irmx-cwl",
    )
    SUPPORTED_PARAMS = {
        "probabilities": Param(list, "probabilities to go on from ranks 1, 2, ...", default=None, low=0, high=1),
        "file": Param(str, "path of a table with the columns rank and continuation", default=None),
    }

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        if self["probabilities"] is not None and self["file"] is not None:
            raise UsageError("The user 'by_rank' takes either 'probabilities' or 'file', not both.")
        self._probabilities = self["probabilities"] if self["file"] is None else _read_by_rank(self["file"])

    def continuation(self, rank: Ints, gain: Floats, cost: Floats) -> Floats:
        if not self._probabilities:
            raise UsageError(
                "The user 'by_rank' needs probabilities: by_rank(probabilities=[0.9,0.7,0.5]) or by_rank(file='continuation.tsv')."
            )
        p = np.array(self._probabilities)
        return np.asarray(p[np.minimum(rank, len(p)) - 1])


def _read_by_rank(path: str) -> list[float]:
    """Return the probabilities of ranks 1, 2, ... in a table file."""
    columns = {
        "rank": Param(int, "the rank", low=1, required=True),
        "continuation": Param(
            float, "the probability to go on, as irmx cwl clicks writes it", low=0, high=1, required=True
        ),
    }
    table = read_table(path, columns, "table of continuation probabilities")
    for row, rank in enumerate(table["rank"].tolist()):
        if rank != row + 1:
            table.refuse(
                [row], f"the rank must be {row + 1}, as ranks are 1, 2, ... in this order. Got {rank} instead."
            )
    return [float(p) for p in table["continuation"]]


USERS: list[Symbol] = [
    RBP(), Precision(), DCG(), RR(), AP(), INSQ(), INST(), BPM(), IFT(), ERR(), FadingByTime(), FadingByText(), ByRank()
]  # fmt: skip


# -- C/W/L: what users gain and spend who go on, or stop, after each document ----------------------------------------


MOFFAT = Citation(
    "Moffat2017",
    "article",
    {
        "author": "Alistair Moffat and Peter Bailey and Falk Scholer and Paul Thomas",
        "title": "Incorporating User Expectations and Behavior into the Measurement of Search Effectiveness",
        "journal": "ACM Transactions on Information Systems",
        "volume": "35",
        "number": "3",
        "year": "2017",
        "doi": "10.1145/3052768",
    },
)
AZZOPARDI = Citation(
    "Azzopardi2019",
    "inproceedings",
    {
        "author": "Leif Azzopardi and Paul Thomas and Alistair Moffat",
        "title": "cwl\\_eval: An Evaluation Tool for Information Retrieval",
        "booktitle": "Proceedings of the 42nd International ACM SIGIR Conference (SIGIR 2019)",
        "year": "2019",
        "doi": "10.1145/3331184.3331398",
    },
)
LAST = 100_000
"""The largest depth."""
_DRAWN, _HARDLY = 40, 0.005
"""The most ranks in a picture, and the share of users who reach a rank that is not drawn."""
COST = Column(
    "run",
    "cost",
    "what looking at the document costs, above 0, such as seconds",
    how="give a run as a table with this column; without it, every document costs 1",
    optional=True,
    sample=SampleValues(range(1, 10), ("query_id", "doc_id")),
)


class Amounts(NamedTuple):
    """The gains and the costs of the documents of all topics, shape (topics, ranks)."""

    gain: Floats
    cost: Floats


class ContinuingUser(Measure):
    """What a user gains or spends who goes on to the next document with a probability, by the C/W/L framework.

    The user is a continuation function, the value one of five quantities: EU, the expected gain per document (rate); ETU, the
    expected total gain; EC and ETC, the same for costs; ED, the expected number of documents looked at. As in cwl_eval, the user may
    go on beyond the end of the ranking, down to rank ``depth``, where documents have no gain and the largest cost; an unjudged
    document has no gain. A topic that the run lacks has the value of a ranking without documents, each of which costs
    ``largest_cost``, or 1.

    References
    ----------
    Moffat, A., Bailey, P., Scholer, F., Thomas, P.: Incorporating User Expectations and Behavior into the Measurement of Search
    Effectiveness. TOIS 2017. Azzopardi, L., Thomas, P., Moffat, A.: cwl_eval: An Evaluation Tool for Information Retrieval. SIGIR 2019.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> qrels = {"q": {"a": 1, "b": 1}}
    >>> run = pd.DataFrame({"query_id": "q", "doc_id": ["a", "x", "b"], "score": [3, 2, 1], "cost": [1.0, 2.0, 3.0]})
    >>> values = irmx.calc_aggregate("CWL(user=rbp(p=0.5)) CWL(user=rr,value=ED) CWL(user=inst,value=ETC)", qrels, run)
    >>> {str(measure): round(value, 4) for measure, value in values.items()}
    {'CWL(user=rbp(p=0.5))': 0.625, "CWL(user=rr,value='ED')": 1.0, "CWL(user=inst,value='ETC')": 2.3572}
    """

    NAME = "CWL"
    PRETTY_NAME = "Gains and costs by C/W/L"
    SHORT_DESC = (
        "What a user gains or spends, per document or in total, who goes on after each document with a probability."
    )
    FORMULA = Formula(
        r"\mathrm{EU} = \sum_{i} W(i)\,g_i, \quad \mathrm{ETU} = \sum_{i} L(i) \sum_{j \leq i} g_j, \quad \mathrm{ED} = \frac{1}{W(1)}",
        {
            r"\mathrm{EU}": "the expected gain per document; EC is the same with costs",
            r"\mathrm{ETU}": "the expected total gain; ETC is the same with costs",
            r"\mathrm{ED}": "the expected number of documents looked at",
            "i": "a rank, down to depth",
            "W(i)": r"the share of attention: $\prod_{j<i} C(j)$, divided by its sum over all ranks, where $C(j)$ is the probability of the "
            "user to go on from rank $j$",
            "g_i": "the gain of its document: 1 if it is relevant, or its grade divided by max_grade",
            "L(i)": r"the probability that it is the last one: $(1 - C(i)) \prod_{j<i} C(j)$",
            "j": "a rank",
        },
        source="Moffat et al. (2017), with the end of the ranking as in cwl_eval",
    )
    SUPPORTED_PARAMS = {
        "user": Param(str, "who goes on or stops", kind=KIND, required=True),
        "value": Param(
            str,
            "gain per document (EU) or in total (ETU), cost per document (EC) or in total (ETC), or number of documents (ED)",
            default="EU",
            choices=("EU", "ETU", "EC", "ETC", "ED"),
        ),
        "max_grade": Param(
            float, "grade whose gain is 1: gains are grades divided by it; without it, relevance is binary", above=0
        ),
        "largest_cost": Param(
            float, "cost of documents below the end of the ranking; by default the largest of the ranking", above=0
        ),
        "depth": Param(int, "last rank that a user can come to", default=1000, low=1, high=LAST, unit="ranks"),
        "closed": Param(
            bool,
            "whether a user at the last rank stops there for sure; by default as in cwl_eval, where only tbg and u do",
        ),
        **{name: param for name, param in COMMON_PARAMS.items() if name != "cutoff"},
    }
    RANGE = (0.0, float("inf"))
    MONOTONE = False  # a relevant document may make the user stop
    RUN_COLUMNS: ClassVar[tuple[Column, ...]] = (COST,)
    CITATIONS = (MOFFAT, AZZOPARDI)
    EXAMPLES = ("CWL(user=rbp)", "CWL(user=inst(T=2.0),value='ETU')", "CWL(user=rr,value='ED')")

    @property
    def LESS_IS_BETTER(self) -> bool:  # type: ignore[override]  # noqa: N802
        """Whether the value is a cost."""
        return self["value"] in ("EC", "ETC", "ED")

    @property
    def DEFAULT(self) -> float:  # type: ignore[override]  # noqa: N802
        """The value of a ranking without documents."""
        if self["user"] is None:
            return 0.0
        shape = 1, self["depth"]
        weight, amount = self._weighted(Amounts(np.zeros(shape), np.full(shape, self["largest_cost"] or 1.0)))
        return float((weight * amount).sum())

    def score(self, rankings: Rankings) -> Floats:
        weight, amount = self._weighted(self._amounts(rankings))
        return np.asarray((weight * amount).sum(axis=1))

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        weight, amount = self._weighted(self._amounts(rankings))
        documents = rankings.ranked if self.LESS_IS_BETTER else rankings.relevant
        documents = documents.where(documents.rank <= self["depth"])
        at = documents.topic, documents.rank - 1
        columns = {"weight": weight[at], "contribution": (weight * amount)[at]}
        if not self.LESS_IS_BETTER:
            return {"documents": documents, "gain": amount[at], **columns}
        below = np.flatnonzero(rankings.depth < self["depth"])
        rest = (weight * amount).sum(axis=1) - documents.sum(columns["contribution"])
        return {
            "rank": np.append(documents.rank, rankings.depth[below] + 1),
            "doc_id": [*documents.doc_ids, *("(below)" for _ in below)],
            "weight": np.append(columns["weight"], np.full(len(below), np.nan)),
            "contribution": np.append(columns["contribution"], rest[below]),
        }

    def draw_user(self, rankings: Rankings, ax: Any) -> None:
        amounts = self._amounts(rankings)
        go_on = self._go_on(amounts)[0]
        reach = np.cumprod(np.append(1.0, go_on[:-1]))
        shown = int(np.clip(np.searchsorted(-reach, -_HARDLY), min(5, len(reach)), _DRAWN))
        rank = np.arange(1, shown + 1)
        ax.bar(rank, (reach / reach.sum())[:shown], width=0.8, color="C0", label="W(i), share of attention")
        ax.plot(rank, go_on[:shown], "o-", markersize=4, color="C2", label="C(i), goes on")
        ax.plot(rank, (reach * (1 - go_on))[:shown], "s--", markersize=4, color="C3", label="L(i), is the last")
        relevant = np.flatnonzero(amounts.gain[0, :shown]) + 1
        ax.plot(
            relevant, np.full(len(relevant), -0.035), "^", color="C1", markersize=5, clip_on=False,
            transform=ax.get_xaxis_transform(), label="relevant document",
        )  # fmt: skip
        ax.set_xlim(0.3, shown + 0.7)
        ax.set_ylim(0, 1.03)
        ax.xaxis.get_major_locator().set_params(integer=True, min_n_ticks=1)
        ax.tick_params(axis="x", pad=8)
        ax.set_xlabel("rank")
        ax.set_ylabel("probability")

    def _go_on(self, amounts: Amounts) -> Floats:
        """Return the probability to go on from every rank of every topic."""
        go_on = continuation(self["user"], amounts)
        closed = getattr(self["user"], "CLOSED", 0)
        if self["closed"] is not None:
            closed = max(1, closed) if self["closed"] else 0
        go_on[:, max(0, go_on.shape[1] - closed) :] = 0
        return go_on

    def _weighted(self, amounts: Amounts) -> tuple[Floats, Floats]:
        """Return the weights and the amounts of all ranks of every topic, whose product adds up to the value."""
        go_on = self._go_on(amounts)
        reach = np.cumprod(np.append(np.ones((len(go_on), 1)), go_on[:, :-1], axis=1), axis=1)
        amount = {"U": amounts.gain, "C": amounts.cost, "D": np.ones(go_on.shape)}[self["value"][-1]]
        if self["value"] == "ED":
            return reach, amount
        if self["value"] in ("EU", "EC"):
            return reach / reach.sum(axis=1, keepdims=True), amount
        last = reach * (1 - go_on)
        return np.cumsum(last[:, ::-1], axis=1)[
            :, ::-1
        ], amount  # sum_i L(i) sum_{j<=i} g_j = sum_j g_j sum_{i>=j} L(i)

    def _amounts(self, rankings: Rankings) -> Amounts:
        """Return the gains and the costs of all topics, computed once for all users."""
        parameters = tuple(self[name] for name in ("max_grade", "largest_cost", "depth"))
        return rankings.memo(("cwl", parameters), lambda: _amounts(rankings, *parameters))


def _amounts(rankings: Rankings, max_grade: float | None, largest_cost: float | None, depth: int) -> Amounts:
    """Return the gains and the costs of the documents, and of the ranks below down to a depth."""
    if max_grade is not None and rankings.largest_grade > max_grade:
        raise DataError(f"The qrels have the grade {rankings.largest_grade:g}, above max_grade={max_grade:g}.")
    ranked = rankings.ranked
    costs = ranked.column(COST) if ranked.has(COST) else np.ones(len(ranked))
    for i in np.flatnonzero(~(costs > 0))[:1].tolist():
        raise DataError(
            f"The run column 'cost' must be above 0. It is {costs[i]:g} for query {rankings.topics[ranked.topic[i]]}, document "
            f"{ranked.doc_ids[i]!r}."
        ).at(ranked.place([i]))
    relevant = ranked.grade >= rankings.rel
    gains = relevant * (1.0 if max_grade is None else np.maximum(np.nan_to_num(ranked.grade), 0) / max_grade)
    largest = np.where(rankings.depth > 0, 0.0, 1.0)
    np.maximum.at(largest, ranked.topic, costs)
    seen = ranked.rank <= depth
    at = ranked.topic[seen], ranked.rank[seen] - 1
    gain = np.zeros((len(rankings), depth))
    cost = np.repeat(
        (largest if largest_cost is None else np.full(len(rankings), largest_cost))[:, None], depth, axis=1
    )
    gain[at], cost[at] = gains[seen], costs[seen]
    return Amounts(gain, cost)


def continuation(user: Any, amounts: Amounts) -> Floats:
    """Return C(i) of a user, a symbol of any plugin, after checking that these are probabilities."""
    shape = amounts.gain.shape
    found = np.asarray(user.continuation(np.arange(1, shape[1] + 1), amounts.gain, amounts.cost), dtype=np.float64)
    go_on = np.full(shape, np.nan)
    with contextlib.suppress(ValueError):  # of another shape
        go_on[:] = found
    if not np.all((go_on >= 0) & (go_on <= 1)):
        raise PluginError(
            f"The continuation function {user!r} must give a probability for each of {shape[1]} ranks of {shape[0]} topics. It gave shape "
            f"{found.shape}, from {found.min(initial=np.inf):.9g} to {found.max(initial=-np.inf):.9g}."
        )
    return go_on


CWL = ContinuingUser()
