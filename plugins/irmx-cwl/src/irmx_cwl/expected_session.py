"""nDCG of the documents that a user of a session sees, in expectation over the ways through the session."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from irmx import Formula, Param, Rankings
from irmx.ragged import Floats, Ints
from irmx_cwl.session_measures import GAIN, JIANG, KANOULAS, SESSION_PARAMS, SessionMeasure
from irmx_cwl.sessions import Sessions


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
