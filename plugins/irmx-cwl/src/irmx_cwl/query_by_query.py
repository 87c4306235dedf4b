"""Any measure of each query of a session, aggregated."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any, ClassVar

import ir_measures
import numpy as np

from irmx import (
    Column,
    DataError,
    Formula,
    Join,
    Measure,
    Param,
    Rankings,
    UsageError,
    parse_measure,
    read_qrels,
    read_run,
    score_joined,
)
from irmx.ragged import Array, Floats, Ints, offsets_of, position_in_segment, segment_of
from irmx.toolkit import value_repr
from irmx_cwl.session_measures import JIANG
from irmx_cwl.sessions import QUERY_NUMBER, Sessions

SUBTOPIC = Column("qrels", "iteration", "subtopic or nugget id", dtype="str", optional=True)


class _MeasureParam(Param):
    """A parameter that takes a measure of rankings, or its text; the text is stored."""

    def expects(self) -> str:
        return "a measure of a ranking, such as 'nDCG@10'"

    def check(self, value: Any, name: str, owner: str) -> Any:
        is_measure = isinstance(value, (str, ir_measures.Measure))
        measure = parse_measure(value) if is_measure else None
        if measure is None or (isinstance(measure, Measure) and QUERY_NUMBER in measure.run_columns()):
            raise UsageError(
                f"The {name!r} parameter of {owner} must be {self.expects()}. Got {value_repr(value)} instead."
            )
        return str(measure)


class SessionAggregate(Measure):
    """Any measure of each query of a session, aggregated: their mean, sum, maximum or minimum, the first or the last.

    The measure is one of ir_measures or of any plugin. All queries are judged by the judgments of the session; one that returned
    nothing has the value of a topic that a run lacks, mostly 0, and so has a session that the run lacks.

    References
    ----------
    Jiang, J., Allan, J.: Correlation Between System and User Metrics in a Session. CHIIR 2016.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> run = pd.DataFrame({"query_id": "s", "query_number": [1, 1, 2], "doc_id": ["x", "a", "a"], "score": [2.0, 1.0, 1.0]})
    >>> irmx.calc_aggregate("Session(measure='AP') Session(measure='AP',over='last')", {"s": {"a": 1}}, run)
    {Session(measure='AP'): 0.75, Session(measure='AP',over='last'): 1.0}
    """

    NAME = "Session"
    PRETTY_NAME = "A measure over the queries of a session"
    SHORT_DESC = "Any measure, computed for each query of a session and aggregated."
    FORMULA = Formula(
        r"\mathrm{Session} = \frac{1}{M} \sum_{m=1}^{M} \mu_m",
        {
            "M": "the number of queries of the session",
            "m": "a query; with over, the sum, the maximum, the minimum, the first or the last instead of the mean",
            r"\mu_m": "the value of the measure for query $m$",
        },
        source="Jiang and Allan (2016)",
    )
    SUPPORTED_PARAMS = {
        "measure": _MeasureParam(str, "the measure of each query", required=True),
        "over": Param(
            str,
            "how the values of the queries are put together",
            default="mean",
            choices=("mean", "sum", "max", "min", "first", "last"),
        ),
    }
    RANGE = (None, None)
    MONOTONE = False  # like the measure of the queries
    DOCS_MAY_REPEAT = True
    RUN_COLUMNS: ClassVar[tuple[Column, ...]] = (QUERY_NUMBER,)
    CITATIONS = (JIANG,)
    EXAMPLES = ("Session(measure='nDCG@10')", "Session(measure='RBP(rel=1)',over='max')")

    @property
    def of_query(self) -> ir_measures.Measure:
        """The measure of each query."""
        return parse_measure(self["measure"])

    def validate_params(self) -> None:
        super().validate_params()
        try:
            self.of_query.validate_params()
        except AssertionError as error:
            raise UsageError(f"Session cannot compute {self['measure']}, a measure of ir_measures: {error}.") from None

    @property
    def LESS_IS_BETTER(self) -> bool:  # type: ignore[override]  # noqa: N802
        """Whether smaller values of the measure are better."""
        return self["measure"] is not None and getattr(self.of_query, "LESS_IS_BETTER", False)

    @property
    def DEFAULT(self) -> float:  # type: ignore[override]  # noqa: N802
        """The value of a session that the run lacks: that of a query that returned nothing."""
        return 0.0 if self["measure"] is None else float(getattr(self.of_query, "DEFAULT", 0.0))

    def run_columns(self) -> tuple[Column, ...]:
        of_query = None if self["measure"] is None else self.of_query
        return (*self.RUN_COLUMNS, *(of_query.run_columns() if isinstance(of_query, Measure) else ()))

    def qrel_columns(self) -> tuple[Column, ...]:
        of_query = None if self["measure"] is None else self.of_query
        return of_query.qrel_columns() if isinstance(of_query, Measure) else ()

    def score(self, rankings: Rankings) -> Floats:
        first, value = self._values(rankings)
        return np.add.reduceat(self._weights(first, value) * value, first[:-1])

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        first, value = self._values(rankings)
        seen, weight = Sessions.of(rankings), self._weights(first, value)
        best = seen.up_to(1)
        doc_id = np.full(len(value), "", dtype=object)
        doc_id[first[best.session] + best.query - 1] = [rankings.run_rows.doc_ids[i] for i in best.row.tolist()]
        return {
            "query_number": position_in_segment(first) + 1,
            "doc_id": doc_id,
            "value": value,
            "weight": weight,
            "contribution": weight * value,
        }

    def _weights(self, first: Ints, value: Floats) -> Floats:
        """Return the weight of each query in the value of its session; ``first`` has the first query of each session."""
        queries = np.diff(first)
        if self["over"] in ("mean", "sum"):
            return np.repeat(1 / queries if self["over"] == "mean" else np.ones(len(queries)), queries)
        weight = np.zeros(len(value))
        for a, b in pairwise(first.tolist()):
            of_session = value[a:b]
            places = {"first": 0, "last": b - a - 1, "max": int(of_session.argmax()), "min": int(of_session.argmin())}
            weight[a + places[self["over"]]] = 1
        return weight

    def _values(self, rankings: Rankings) -> tuple[Ints, Floats]:
        """Return the offsets of the sessions among all queries, and the value of each query."""
        return rankings.memo(("session", self["measure"]), lambda: self._computed(rankings))

    def _computed(self, rankings: Rankings) -> tuple[Ints, Floats]:
        """Score all queries as topics of their own, each with the judgments of its session."""
        seen, run, qrels = Sessions.of(rankings), rankings.run_rows, rankings.qrels_rows
        first = offsets_of(seen.queries)
        sessions, numbers = segment_of(first).tolist(), (position_in_segment(first) + 1).tolist()
        names = _objects([f"{rankings.topics[s]}, query {m}" for s, m in zip(sessions, numbers, strict=True)])
        rows = np.sort(seen.row)
        number = run.column(QUERY_NUMBER, missing_ok=True)[rows].astype(np.int64)
        judged = [np.arange(*qrels.offsets[s : s + 2]) for s in sessions]
        at = np.concatenate([np.empty(0, dtype=np.int64), *judged])
        run_table = {
            "query_id": names[first[run.topic[rows]] + number - 1],
            "doc_id": _objects(run.doc_ids)[rows],
            "score": run.score[rows],
        }
        qrels_table = {
            "query_id": np.repeat(names, [len(of_query) for of_query in judged]),
            "doc_id": _objects(qrels.doc_ids)[at],
            "relevance": qrels.grade[at],
        }
        run_table |= {c.name: _cells(run, c)[rows] for c in self.run_columns() if c != QUERY_NUMBER and run.has(c)}
        qrels_table |= {c.name: _cells(qrels, c)[at] for c in {*self.qrel_columns(), SUBTOPIC} if qrels.has(c)}
        [[scores]] = score_joined([Join(read_run(_table(run_table)), read_qrels(_table(qrels_table)))], [self.of_query])
        for i in np.flatnonzero(np.isnan(scores.values))[:1].tolist():
            raise DataError(f"{self.of_query} has no value for session {names[i]}.")
        return first, scores.values


def _objects(values: Any) -> Array:
    return np.array(values, dtype=object)


def _cells(rows: Any, column: Column) -> Array:
    """Return a column of rows; None where there is no value."""
    if column.dtype == "float":
        values = rows.column(column, missing_ok=True)
        return _objects([None if math.isnan(value) else value for value in values.tolist()])
    number, names = rows.labels(column, missing_ok=True)
    return _objects([None if i < 0 else names[i] for i in number.tolist()])


def _table(columns: dict[str, Array]) -> Any:
    import pyarrow as pa

    return pa.table({name: pa.array(values.tolist()) for name, values in columns.items()})


SESSION = SessionAggregate()
