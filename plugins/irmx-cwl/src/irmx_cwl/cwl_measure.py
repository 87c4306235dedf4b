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
)
from irmx.ragged import Floats
from irmx_cwl.continuation import KIND

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


class _Amounts(NamedTuple):
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
        weight, amount = self._weighted(_Amounts(np.zeros(shape), np.full(shape, self["largest_cost"] or 1.0)))
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

    def _go_on(self, amounts: _Amounts) -> Floats:
        """Return the probability to go on from every rank of every topic."""
        go_on = continuation(self["user"], amounts)
        closed = getattr(self["user"], "CLOSED", 0)
        if self["closed"] is not None:
            closed = max(1, closed) if self["closed"] else 0
        go_on[:, max(0, go_on.shape[1] - closed) :] = 0
        return go_on

    def _weighted(self, amounts: _Amounts) -> tuple[Floats, Floats]:
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

    def _amounts(self, rankings: Rankings) -> _Amounts:
        """Return the gains and the costs of all topics, computed once for all users."""
        parameters = tuple(self[name] for name in ("max_grade", "largest_cost", "depth"))
        return rankings.memo(("cwl", parameters), lambda: _amounts(rankings, *parameters))


def _amounts(rankings: Rankings, max_grade: float | None, largest_cost: float | None, depth: int) -> _Amounts:
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
    return _Amounts(gain, cost)


def continuation(user: Any, amounts: _Amounts) -> Floats:
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
