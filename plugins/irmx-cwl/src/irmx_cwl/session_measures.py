"""Measures whose value is a sum over all documents of a session: the gain of each, times a weight by query and rank."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any, ClassVar

import ir_measures
import numpy as np

from irmx import (
    COMMON_PARAMS,
    Citation,
    Column,
    DataError,
    Formula,
    Join,
    Measure,
    Param,
    Rankings,
    SampleValues,
    UsageError,
    parse_measure,
    read_qrels,
    read_run,
    score_joined,
)
from irmx.ragged import Array, Floats, Ints, offsets_of, position_in_segment, segment_of, segment_sum
from irmx.toolkit import IRMX, value_repr
from irmx_cwl.sessions import QUERY_NUMBER, Sessions

# -- measures whose value is a sum over all documents of a session ---------------------------------------------------


JARVELIN = Citation(
    "Jarvelin2008",
    "inproceedings",
    {
        "author": 'Kalervo J{\\"a}rvelin and Susan L. Price and Lois M. L. Delcambre and Marianne Lykke Nielsen',
        "title": "Discounted Cumulated Gain Based Evaluation of Multiple-Query {IR} Sessions",
        "booktitle": "Advances in Information Retrieval, 30th European Conference on IR Research (ECIR 2008)",
        "year": "2008",
        "pages": "4--15",
        "doi": "10.1007/978-3-540-78646-7_4",
    },
)
KANOULAS = Citation(
    "Kanoulas2011",
    "inproceedings",
    {
        "author": "Evangelos Kanoulas and Ben Carterette and Paul D. Clough and Mark Sanderson",
        "title": "Evaluating Multi-Query Sessions",
        "booktitle": "Proceedings of the 34th International ACM SIGIR Conference (SIGIR 2011)",
        "year": "2011",
        "pages": "1053--1062",
        "doi": "10.1145/2009916.2010056",
    },
)
JIANG = Citation(
    "Jiang2016",
    "inproceedings",
    {
        "author": "Jiepu Jiang and James Allan",
        "title": "Correlation Between System and User Metrics in a Session",
        "booktitle": "Proceedings of the 2016 ACM Conference on Human Information Interaction and Retrieval (CHIIR 2016)",
        "year": "2016",
    },
)
LIPANI = Citation(
    "Lipani2019",
    "inproceedings",
    {
        "author": "Aldo Lipani and Ben Carterette and Emine Yilmaz",
        "title": "From a User Model for Query Sessions to Session Rank Biased Precision ({sRBP})",
        "booktitle": "Proceedings of the 2019 ACM SIGIR International Conference on Theory of Information Retrieval (ICTIR 2019)",
        "year": "2019",
        "pages": "109--116",
        "doi": "10.1145/3341981.3344216",
    },
)

_LARGEST_EXPONENT = 1000
"""The largest grade of which 2^grade, times any weight, is a float."""

CUTOFF = Param(int, "number of documents from the top of each query that are scored", low=1, unit="ranks of each query")
GAIN = Param(
    str,
    "gain of a relevant document: 2^grade - 1, its grade, or 1",
    default="exponential",
    choices=("exponential", "linear", "binary"),
)
DUPLICATES = Param(
    str,
    "whether a document that comes again in a later query gains each time, or once, the first time",
    default="each",
    choices=("each", "once"),
)
SESSION_PARAMS = {
    "duplicates": DUPLICATES,
    "rel": COMMON_PARAMS["rel"],
    "cutoff": CUTOFF,
    "ties": COMMON_PARAMS["ties"],
    "no_relevant": COMMON_PARAMS["no_relevant"],
}
SYMBOLS = {
    "m": "a query of the session",
    "M": "their number",
    "n": "a rank in the query, down to the cutoff",
    "g_{mn}": r"the gain of its document: $2^{\mathrm{grade}} - 1$, or as gain says; 0 below rel",
}
LOGARITHMS = {"b": "the base of the discount by rank", "b_q": "the base of the discount by query"}


class SessionMeasure(Measure):
    """Base class: the sum of gain times weight over the documents of a session, whatever the query."""

    RANGE = (0.0, float("inf"))
    DOCS_MAY_REPEAT = True
    RUN_COLUMNS: ClassVar[tuple[Column, ...]] = (QUERY_NUMBER,)

    def weights(self, seen: Sessions, rankings: Rankings) -> Floats:
        """Return the weight of each document."""
        raise NotImplementedError

    def ideal(self, queries: Ints, rankings: Rankings) -> Floats:
        """Return what the sum of each session, of so many queries, is divided by."""
        return np.ones(len(queries))

    def score(self, rankings: Rankings) -> Floats:
        seen, gain, weight = self._terms(rankings)
        total, ideal = seen.sum(gain * weight), self.ideal(seen.queries, rankings)
        return np.divide(total, ideal, out=np.zeros(len(ideal)), where=ideal > 0)

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        seen, gain, weight = self._terms(rankings)
        ideal = self.ideal(seen.queries, rankings)[seen.session]
        weight = np.divide(weight, ideal, out=np.zeros(len(ideal)), where=ideal > 0)
        shown = np.flatnonzero(seen.grade >= rankings.rel)
        return {
            "query_number": seen.query[shown],
            "rank": seen.rank[shown],
            "doc_id": [rankings.run_rows.doc_ids[i] for i in seen.row[shown].tolist()],
            "grade": seen.grade[shown],
            "gain": gain[shown],
            "weight": weight[shown],
            "contribution": (gain * weight)[shown],
        }

    def _terms(self, rankings: Rankings) -> tuple[Sessions, Floats, Floats]:
        seen = Sessions.of(rankings).up_to(self["cutoff"])
        gain = self.gains(seen.grade, rankings)
        return seen, gain * self.counted(seen), self.weights(seen, rankings)

    def counted(self, seen: Sessions) -> Floats:
        """Return 1 for each document that counts, 0 for one that came before if duplicates count once."""
        return (seen.first_time if self["duplicates"] == "once" else np.ones(len(seen.doc))).astype(float)

    def gains(self, grade: Floats, rankings: Rankings) -> Floats:
        """Return the gains of documents by their grades."""
        if self["gain"] == "exponential" and rankings.largest_grade > _LARGEST_EXPONENT:
            raise DataError(f"2^{rankings.largest_grade:g} - 1 is more than a float holds. Use gain='linear'.")
        if self["gain"] == "binary":
            return (grade >= rankings.rel).astype(float)
        relevant = np.where(grade >= rankings.rel, np.maximum(grade, 0), 0)
        return np.asarray(np.exp2(relevant) - 1 if self["gain"] == "exponential" else relevant)

    def ideal_gains(self, rankings: Rankings) -> tuple[Ints, Ints, Floats]:
        """Return the gains of all judged documents of the sessions, largest first: their session, their position from 1, the gains."""
        offsets, grade = rankings.judged_grades
        return segment_of(offsets), position_in_segment(offsets) + 1, self.gains(grade, rankings)


class SessionDCG(SessionMeasure):
    """Session discounted cumulated gain: DCG of every query, discounted by its position in the session.

    References
    ----------
    Järvelin, K., Price, S. L., Delcambre, L. M. L., Nielsen, M. L.: Discounted Cumulated Gain Based Evaluation of Multiple-Query IR
    Sessions. ECIR 2008. Kanoulas, E., Carterette, B., Clough, P. D., Sanderson, M.: Evaluating Multi-Query Sessions. SIGIR 2011.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> run = pd.DataFrame({"query_id": "s", "query_number": [1, 1, 1, 2, 2, 2], "doc_id": list("axbycz"), "score": [3, 2, 1, 3, 2, 1]})
    >>> irmx.calc_aggregate("sDCG sDCG_q sDCG(discount_queries=False)", {"s": {"a": 1, "b": 1, "c": 1}}, run)
    {sDCG: 2.04345..., sDCG_q: 1.02172..., sDCG(discount_queries=False): 2.13092...}
    """

    NAME = "sDCG"
    PRETTY_NAME = "Session discounted cumulated gain"
    SHORT_DESC = "The gains of all documents of a session, discounted by rank and by query."
    FORMULA = Formula(
        r"\mathrm{sDCG} = \sum_{m=1}^{M} \frac{1}{\log_{b_q}(m-1+b_q)} \sum_{n} \frac{g_{mn}}{\log_{b}(n-1+b)}",
        {**SYMBOLS, **LOGARITHMS},
        source="Järvelin et al. (2008), as in Kanoulas et al. (2011)",
    )
    SUPPORTED_PARAMS = {
        "b": Param(float, "base of the logarithm that discounts ranks", default=2.0, above=1),
        "bq": Param(float, "base of the logarithm that discounts queries", default=4.0, above=1),
        "discount_queries": Param(bool, "whether later queries are discounted", default=True),
        "gain": GAIN,
        **SESSION_PARAMS,
    }
    CITATIONS: ClassVar[tuple[Citation | str, ...]] = (JARVELIN,)
    EXAMPLES: ClassVar[tuple[str, ...]] = ("sDCG", "sDCG(bq=10.0)@10")

    def weights(self, seen: Sessions, rankings: Rankings) -> Floats:
        return self.of_query(seen.query) * self.of_rank(seen.rank)

    def of_query(self, m: Ints) -> Floats:
        """Return 1/log_bq(m - 1 + bq)."""
        bq = self["bq"]
        return np.log(bq) / np.log(m - 1 + bq) if self["discount_queries"] else np.ones(len(m))

    def of_rank(self, n: Ints) -> Floats:
        """Return 1/log_b(n - 1 + b)."""
        b = self["b"]
        return np.asarray(np.log(b) / np.log(n - 1 + b))


class SessionDCGPerQuery(SessionDCG):
    """Session discounted cumulated gain per query: sDCG divided by the number of queries, those that returned nothing included.

    References
    ----------
    Jiang, J., Allan, J.: Correlation Between System and User Metrics in a Session. CHIIR 2016.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> run = pd.DataFrame({"query_id": "s", "query_number": [1, 2], "doc_id": ["a", ""], "score": [1, None]})
    >>> irmx.calc_aggregate("sDCG sDCG_q", {"s": {"a": 1}}, run)
    {sDCG: 1.0, sDCG_q: 0.5}
    """

    NAME = "sDCG_q"
    PRETTY_NAME = "Session discounted cumulated gain per query"
    SHORT_DESC = "sDCG divided by the number of queries of the session."
    FORMULA = Formula(
        r"\mathrm{sDCG/q} = \frac{\mathrm{sDCG}}{M}",
        {r"\mathrm{sDCG}": "session discounted cumulated gain", "M": "the number of queries of the session"},
        source="Jiang and Allan (2016)",
    )
    CITATIONS = (JARVELIN, JIANG)
    EXAMPLES = ("sDCG_q", "sDCG_q(discount_queries=False)@10")

    def weights(self, seen: Sessions, rankings: Rankings) -> Floats:
        return super().weights(seen, rankings) / seen.queries[seen.session]


class NormalisedSessionDCG(SessionDCG):
    """Normalised session discounted cumulated gain: sDCG divided by that of an ideal session.

    Every query of the ideal session returns all judged documents of the session, best first. With ``duplicates='once'`` its
    documents differ: the largest gain has the largest weight of all ranks and queries, and so on.

    References
    ----------
    Kanoulas, E., Carterette, B., Clough, P. D., Sanderson, M.: Evaluating Multi-Query Sessions. SIGIR 2011.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> run = pd.DataFrame({"query_id": "s", "query_number": [1, 2], "doc_id": ["a", "b"], "score": 1.0})
    >>> irmx.calc_aggregate("nsDCG@1 nsDCG(duplicates='once')@1", {"s": {"a": 2, "b": 1}}, run)
    {nsDCG@1: 0.69149..., nsDCG(duplicates='once')@1: 1.0}
    """

    NAME = "nsDCG"
    PRETTY_NAME = "Normalised session discounted cumulated gain"
    SHORT_DESC = "sDCG relative to a session whose every query returns all relevant documents, best first."
    FORMULA = Formula(
        r"\mathrm{nsDCG} = \frac{\mathrm{sDCG}}{\sum_{m=1}^{M} \frac{1}{\log_{b_q}(m-1+b_q)} \sum_{n} \frac{g^{*}_{n}}{\log_{b}(n-1+b)}}",
        {
            r"\mathrm{sDCG}": "session discounted cumulated gain",
            "m": "a query of the session",
            "M": "their number",
            "n": "a rank, down to the cutoff",
            "g^{*}_{n}": "the $n$-th largest gain of the judged documents of the session",
            **LOGARITHMS,
        },
        source="Kanoulas et al. (2011); the ideal with duplicates='once' is a choice of irmx",
    )
    RANGE = (0.0, 1.0)
    CITATIONS = (JARVELIN, KANOULAS)
    EXAMPLES = ("nsDCG", "nsDCG(discount_queries=False)@10")

    def ideal(self, queries: Ints, rankings: Rankings) -> Floats:
        session, position, gain = self.ideal_gains(rankings)
        of_queries = [self.of_query(np.arange(1, count + 1)) for count in queries.tolist()]
        cutoff = self["cutoff"] or position.max(initial=0)
        if self["duplicates"] == "each":
            top = position <= cutoff
            dcg = np.bincount(session[top], (gain * self.of_rank(position))[top], minlength=len(queries))
            return np.asarray(dcg * [of_query.sum() for of_query in of_queries])
        of_ranks = self.of_rank(np.arange(1, cutoff + 1))
        ideal = np.zeros(len(queries))
        for i, of_query in enumerate(of_queries):
            gains = gain[session == i]
            weights = np.sort(np.outer(of_query, of_ranks[: len(gains)]), axis=None)[::-1][: len(gains)]
            ideal[i] = gains[: len(weights)] @ weights
        return ideal


class SessionRBP(SessionMeasure):
    """Session rank-biased precision: the expected gain of a user who goes on with probability p, to the next document or query.

    After a document the user goes on with probability p: to the next document with probability b, or else to the next query. The
    weights add up to 1 over an endless session; with b = 1 it is RBP of the first query.

    References
    ----------
    Lipani, A., Carterette, B., Yilmaz, E.: From a User Model for Query Sessions to Session Rank Biased Precision (sRBP). ICTIR 2019.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> run = pd.DataFrame({"query_id": "s", "query_number": [1, 1, 1, 2, 2, 2], "doc_id": list("axbycz"), "score": [3, 2, 1, 3, 2, 1]})
    >>> irmx.calc_aggregate("sRBP sRBP(p=0.5,b=1.0)", {"s": {"a": 1, "b": 1, "c": 1}}, run)
    {sRBP: 0.28533..., sRBP(p=0.5,b=1.0): 0.625}
    """

    NAME = "sRBP"
    PRETTY_NAME = "Session rank-biased precision"
    SHORT_DESC = "The expected gain of a user who goes on to the next document, or to the next query."
    FORMULA = Formula(
        r"\mathrm{sRBP} = (1-p) \sum_{m=1}^{M} \left(\frac{p-bp}{1-bp}\right)^{m-1} \sum_{n} (bp)^{n-1} g_{mn}",
        {
            **SYMBOLS,
            "g_{mn}": "the gain of its document: 1 if it is relevant, or its grade divided by max_grade",
            "p": "the persistence: the probability to go on after a document",
            "b": "the balance: the probability that a user who goes on stays with the query",
        },
        source="Lipani et al. (2019)",
    )
    SUPPORTED_PARAMS = {
        "p": Param(float, "persistence, the probability to go on after a document", default=0.8, above=0, below=1),
        "b": Param(float, "balance, the share of those going on who stay with the query", default=0.5, low=0, high=1),
        "max_grade": Param(
            float, "grade whose gain is 1: gains are grades divided by it; without it, relevance is binary", above=0
        ),
        **SESSION_PARAMS,
    }
    RANGE = (0.0, 1.0)
    CITATIONS = (LIPANI,)
    EXAMPLES = ("sRBP", "sRBP(p=0.9,b=0.7)@10")

    def weights(self, seen: Sessions, rankings: Rankings) -> Floats:
        p, b = self["p"], self["b"]
        m, n = seen.query, seen.rank
        return np.asarray((1 - p) * ((p - b * p) / (1 - b * p)) ** (m - 1) * (b * p) ** (n - 1))

    def gains(self, grade: Floats, rankings: Rankings) -> Floats:
        largest = self["max_grade"]
        if largest is None:
            return (grade >= rankings.rel).astype(float)
        if rankings.largest_grade > largest:
            raise DataError(f"The qrels have the grade {rankings.largest_grade:g}, above max_grade={largest:g}.")
        return np.asarray(np.where(grade >= rankings.rel, np.maximum(grade, 0), 0) / largest)


SDCG, SDCG_Q, NSDCG, SRBP = SessionDCG(), SessionDCGPerQuery(), NormalisedSessionDCG(), SessionRBP()


# -- any measure of each query of a session, aggregated --------------------------------------------------------------


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


# -- what a session costs --------------------------------------------------------------------------------------------


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


# -- nDCG of the documents that a user of a session sees -------------------------------------------------------------


class ExpectedSessionNDCG(SessionMeasure):
    """Expected session nDCG: nDCG of the documents that a user sees, in expectation over all paths through the session.

    In each query the user sees the first document, and goes on to the next one with probability ``pdown``; having left the
    list, or reached its end, the user goes on to the next query with probability ``pref``. The path is the list of documents seen in
    this order; the ideal path of the same length has the judged documents, best first. The expectation is exact, where the paper's
    software samples paths. As repeated documents gain each time, a value can be above 1; with ``duplicates='once'`` a
    document gains the first time that it is on a path.

    References
    ----------
    Kanoulas, E., Carterette, B., Clough, P. D., Sanderson, M.: Evaluating Multi-Query Sessions. SIGIR 2011. The probabilities are of
    Jiang, J., Allan, J.: Correlation Between System and User Metrics in a Session. CHIIR 2016.

    Examples
    --------
    The path is x with probability .5, x and a otherwise; nDCG of these is 0 and .6309.

    >>> import irmx, pandas as pd
    >>> run = pd.DataFrame({"query_id": "s", "query_number": [1, 2], "doc_id": ["x", "a"], "score": 1.0})
    >>> irmx.calc_aggregate("esNDCG(pref=0.5) esNCG(pref=0.5)", {"s": {"a": 1}}, run)
    {esNDCG(pref=0.5): 0.31546..., esNCG(pref=0.5): 0.5}
    """

    NAME = "esNDCG"
    PRETTY_NAME = "Expected session nDCG"
    SHORT_DESC = "The expected nDCG of the documents that a user sees who goes down each list and then may reformulate."
    FORMULA = Formula(
        r"\mathrm{esNDCG} = \sum_{\omega} P(\omega) \frac{\sum_{i=1}^{|\omega|} g_{\omega i} / \log_2(i+1)}{\sum_{i=1}^{|\omega|} g^{*}_i / \log_2(i+1)}",
        {
            r"\omega": "a path: the documents seen, the first ones of each query up to the last query of the user",
            r"P(\omega)": (
                "its probability: in each query the user goes on to the next document with pdown, after the query to the next one "
                "with pref; nobody goes on at the end of a list or of the session"
            ),
            "i": "a position in the path",
            r"g_{\omega i}": r"the gain of its document: $2^{\mathrm{grade}} - 1$, or as gain says",
            "g^{*}_i": "the $i$-th largest gain of the judged documents of the session",
        },
        source="Kanoulas et al. (2011), with the paths of the software of Jiang and Allan (2016)",
    )
    SUPPORTED_PARAMS = {
        "pref": Param(float, "probability to go on to the next query after one", default=0.9, low=0, high=1),
        "pdown": Param(float, "probability to go on to the next document of a query", default=0.7, low=0, high=1),
        "gain": GAIN,
        **SESSION_PARAMS,
    }
    CITATIONS = (KANOULAS, JIANG)
    EXAMPLES = ("esNDCG", "esNDCG(pref=0.5,pdown=0.8)@10")

    def discount(self, i: Ints) -> Floats:
        """Return the discount of positions in a path."""
        return np.asarray(1 / np.log2(i + 1))

    def counted(self, seen: Sessions) -> Floats:
        return np.ones(len(seen.doc))  # whether a document came before depends on the path

    def weights(self, seen: Sessions, rankings: Rankings) -> Floats:
        session, position, gain = self.ideal_gains(rankings)
        discounted = gain * self.discount(position)
        starts = np.searchsorted(seen.session, np.arange(len(rankings) + 1))
        weight = np.zeros(len(seen.doc))
        for i, (a, b) in enumerate(pairwise(starts.tolist())):
            ideal = np.cumsum(discounted[session == i])
            if len(ideal) and ideal[-1] > 0:
                sizes = np.bincount(seen.query[a:b] - 1, minlength=int(seen.queries[i]))
                weight[a:b] = self._of_session(sizes, seen.doc[a:b], ideal)
        return weight

    def _of_session(self, sizes: Ints, doc: Ints, ideal: Floats) -> Floats:
        """Return, for each document of a session, the expectation of its discount over the ideal's DCG of the path.

        F(t) is the probability to reach a query with t documents seen, before[t]; B(t) the expectation of 1/ideal(length of the path),
        if t have been seen after it, after[m][t]. A document at rank n of the query, where k are seen, has
        sum_t F(t) discount(t + n) sum_{k >= n} P(k) B(t + k).
        """
        seen = [self._numbers_seen(size) for size in sizes.tolist()]
        lengths = np.arange(sizes.sum() + 1)
        inverse = np.append(0.0, 1 / ideal[np.minimum(lengths[1:], len(ideal)) - 1])
        after = [inverse]
        for p in seen[:0:-1]:
            longer = np.convolve(after[0], p[::-1])[len(p) - 1 :]  # sum_k P(k) B(t + k)
            after.insert(0, (1 - self["pref"]) * inverse + self["pref"] * longer)
        weight, before = [], np.ones(1)
        ranks_of: dict[int, dict[int, int]] = {}
        for m, p in enumerate(seen):
            t, n = np.arange(len(before))[:, None], np.arange(1, len(p))
            at_or_below = np.cumsum((p * after[m][t + np.arange(len(p))])[:, :0:-1], axis=1)[:, ::-1]
            of_rank = self.discount(t + n) * at_or_below
            weight.append(before @ of_rank)
            for rank, d in enumerate(np.split(doc, np.cumsum(sizes))[m].tolist(), start=1):
                if self["duplicates"] == "once" and d in ranks_of:
                    weight[m][rank - 1] = self._before(seen[:m], ranks_of[d]) @ of_rank[:, rank - 1]
                ranks_of.setdefault(d, {})[m] = rank
            before = self["pref"] * np.convolve(before, p)
        return np.concatenate(weight)

    def _before(self, seen: list[Floats], unseen: dict[int, int]) -> Floats:
        """Return F, where in some queries the document at a rank has not been seen."""
        before = np.ones(1)
        for m, p in enumerate(seen):
            reached = np.where(np.arange(len(p)) < unseen.get(m, len(p)), p, 0.0)
            before = self["pref"] * np.convolve(before, reached)
        return before

    def _numbers_seen(self, size: int) -> Floats:
        """Return the probability to see k = 0, 1, ..., size documents of a query of this size."""
        if size == 0:
            return np.ones(1)
        p = (1 - self["pdown"]) * self["pdown"] ** np.arange(size)
        p[-1] = self["pdown"] ** (size - 1)
        return np.append(0.0, p)


class ExpectedSessionNCG(ExpectedSessionNDCG):
    """Expected session nCG: as esNDCG, without a discount by the position in the path.

    References
    ----------
    Jiang, J., Allan, J.: Correlation Between System and User Metrics in a Session. CHIIR 2016.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> run = pd.DataFrame({"query_id": "s", "query_number": [1, 2], "doc_id": ["a", "a"], "score": 1.0})
    >>> irmx.calc_aggregate("esNCG esNCG(duplicates='once')", {"s": {"a": 1}}, run)
    {esNCG: 1.8, esNCG(duplicates='once'): 1.0}
    """

    NAME = "esNCG"
    PRETTY_NAME = "Expected session nCG"
    SHORT_DESC = "The expected cumulated gain of the documents that a user of a session sees, relative to the ideal's."
    FORMULA = Formula(
        r"\mathrm{esNCG} = \sum_{\omega} P(\omega) \frac{\sum_{i=1}^{|\omega|} g_{\omega i}}{\sum_{i=1}^{|\omega|} g^{*}_i}",
        ExpectedSessionNDCG.FORMULA.symbols,
        source="the software of Jiang and Allan (2016)",
    )
    SUPPORTED_PARAMS = {
        **ExpectedSessionNDCG.SUPPORTED_PARAMS,
        "pref": Param(float, "probability to go on to the next query after one", default=0.8, low=0, high=1),
    }
    EXAMPLES = ("esNCG", "esNCG(pref=0.5,pdown=0.8)@10")

    def discount(self, i: Ints) -> Floats:
        return np.ones(i.shape)


ESNDCG, ESNCG = ExpectedSessionNDCG(), ExpectedSessionNCG()
