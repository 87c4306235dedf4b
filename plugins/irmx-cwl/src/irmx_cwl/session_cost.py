"""What a session costs: its queries, the documents returned, or a run column such as the tokens of each search."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from irmx import Column, DataError, Formula, Measure, Param, Rankings, SampleValues
from irmx.ragged import Floats, Ints, segment_sum
from irmx.toolkit import IRMX
from irmx_cwl.sessions import QUERY_NUMBER, Sessions

_EACH = "the {} of a search, the same in every row of it"
COSTS = {
    name: Column(
        "run",
        name,
        _EACH.format(text),
        how="give a run as a table with this column, or traces of agents, which have it",
        sample=SampleValues((7.0,)),
    )
    for name, text in (("tokens", "tokens"), ("time", "seconds"), ("price", "price"))
}
"""The run columns that hold a cost of each query."""


class SessionCost(Measure):
    """What a session costs, of which less is better: tokens, seconds, a price, or the number of queries or documents.

    ``tokens``, ``time`` and ``price`` are run columns that traces of agents have: the value of a search stands in each of its rows. They
    are added up over the queries of the session. The column ``cost`` of ``CWL`` is another one: what each document costs. A session that the run lacks has cost ``missing``.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> run = pd.DataFrame({"query_id": "s", "query_number": [1, 1, 2], "doc_id": ["x", "a", ""], "score": [2.0, 1.0, None],
    ...     "tokens": [800, 800, 150]})
    >>> irmx.calc_aggregate("SessionCost(of='tokens') SessionCost(of='queries')", {"s": {"a": 1}}, run)
    {SessionCost(of='tokens'): 950.0, SessionCost(of='queries'): 2.0}
    """

    NAME = "SessionCost"
    PRETTY_NAME = "Cost of a session"
    SHORT_DESC = "What the queries of a session cost together: tokens, seconds, or their number."
    FORMULA = Formula(
        r"\mathrm{SessionCost} = \sum_{m=1}^{M} c_m",
        {
            "M": "the number of queries of the session",
            "m": "a query",
            "c_m": "its cost, as of says: its tokens, seconds or price, the number of its documents, or 1",
        },
        source="the plugin irmx-cwl",
    )
    SUPPORTED_PARAMS = {
        "of": Param(
            str,
            "what is added up: the run columns tokens, time (in seconds) or price of each query, or queries or documents, which are counted",
            required=True,
            choices=(*COSTS, "queries", "documents"),
        ),
        "missing": Param(float, "cost of a session that the run lacks", default=0.0, low=0),
    }
    RANGE = (0.0, float("inf"))
    LESS_IS_BETTER = True
    DOCS_MAY_REPEAT = True
    RUN_COLUMNS: ClassVar[tuple[Column, ...]] = (QUERY_NUMBER,)
    CITATIONS = (IRMX,)
    EXAMPLES = ("SessionCost(of='tokens')", "SessionCost(of='queries')")

    @property
    def DEFAULT(self) -> float:  # type: ignore[override]  # noqa: N802
        """The cost of a session that the run lacks."""
        return float(self["missing"])

    def run_columns(self) -> tuple[Column, ...]:
        return (*self.RUN_COLUMNS, *(column for name, column in COSTS.items() if name == self["of"]))

    def score(self, rankings: Rankings) -> Floats:
        session, _, cost = self._costs(rankings)
        return segment_sum(cost, session, len(rankings))

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        session, number, cost = self._costs(rankings)
        seen, doc_id = Sessions.of(rankings), np.full(len(cost), "", dtype=object)
        best = seen.up_to(1)
        first = np.searchsorted(session, best.session) + best.query - 1
        doc_id[first] = [rankings.run_rows.doc_ids[row] for row in best.row.tolist()]
        return {"query_number": number, "doc_id": doc_id, "contribution": cost}

    def _costs(self, rankings: Rankings) -> tuple[Ints, Ints, Floats]:
        """Return the session, the number and the cost of every query, in this order."""
        rows = rankings.run_rows
        seen = Sessions.of(rankings)
        number = rows.column(QUERY_NUMBER, missing_ok=True)
        query = np.stack([rows.topic, number])
        found, first, of_row = np.unique(query, axis=1, return_index=True, return_inverse=True)
        session, number = found[0].astype(np.int64), found[1].astype(np.int64)
        if self["of"] == "queries":
            return session, number, np.ones(len(session))
        if self["of"] == "documents":
            return session, number, np.bincount(of_row.ravel()[seen.row], minlength=len(session)).astype(float)
        cost = rows.column(COSTS[self["of"]], missing_ok=True)
        of_query = cost[first]
        if len(missing := np.flatnonzero(np.isnan(of_query))):
            of = self["of"]
            raise DataError(
                f"{len(missing)} of {len(of_query)} queries have no value in the run column {of!r}, first query "
                f"{number[missing[0]]} of session {rankings.topics[session[missing[0]]]}, so that it is not known what their "
                f"sessions cost. Record {of} for every query, or leave these sessions out of the judgments."
            ).at(rows.place([first[missing[0]]]))
        for i in np.flatnonzero((cost < 0) | (cost != of_query[of_row.ravel()]))[:1].tolist():
            shown = "no value" if np.isnan(cost[i]) else f"{cost[i]:g}"
            where = f"query {number[of_row.ravel()[i]]} of session {rankings.topics[rows.topic[i]]}"
            same = f"{of_query[of_row.ravel()[i]]:g}, as in the first row of this query"
            what = "0 or more" if cost[i] < 0 else same
            raise DataError(f"The run column {self['of']!r} must be {what}. It has {shown} for {where}.").at(
                rows.place([i])
            )
        return session, number, of_query


SESSION_COST = SessionCost()
