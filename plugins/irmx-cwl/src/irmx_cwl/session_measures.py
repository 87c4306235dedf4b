"""Measures whose value is a sum over all documents of a session: the gain of each, times a weight by query and rank."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from irmx import COMMON_PARAMS, Citation, Column, DataError, Formula, Measure, Param, Rankings
from irmx.ragged import Floats, Ints, position_in_segment, segment_of
from irmx_cwl.sessions import QUERY_NUMBER, Sessions

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
