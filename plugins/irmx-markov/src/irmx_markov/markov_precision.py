"""The measure MP."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

import irmx
from irmx import COMMON_PARAMS, Citation, Column, DataError, Formula, Measure, Param, Rankings, SampleValues, UsageError
from irmx.ragged import Floats
from irmx_markov.finite_chains import STARTS, weights_of_steps
from irmx_markov.markov_models import KIND

if TYPE_CHECKING:
    import pandas as pd


# -- the measure MP --------------------------------------------------------------------------------------------------


VISITS = (
    "how often the user visits rank $n$ in the long run, among the visits to $R$: the invariant distribution of the chain "
    "watched on $R$"
)
PRECISION = "the precision at rank $n$: the number of relevant documents at the ranks up to $n$, divided by $n$"
RESCALED = "With rescale the sum is multiplied by recall, or relative recall"


FERRANTE = Citation(
    "FerranteFerroMaistro2014",
    "inproceedings",
    {
        "author": "Marco Ferrante and Nicola Ferro and Maria Maistro",
        "title": "Injecting User Models and Time into Precision via {Markov} Chains",
        "booktitle": "Proceedings of the 37th International ACM SIGIR Conference (SIGIR 2014)",
        "year": "2014",
        "pages": "597--606",
    },
)

BEST_RETRIEVED = Column(
    "qrels",
    "best_retrieved",
    "largest number of relevant documents that any run of a set retrieves for the topic",
    "documents",
    how="run 'irmx markov best-retrieved QRELS RUN...' on the runs to be compared",
    sample=SampleValues(range(40, 51), ("query_id",)),
)

STEPS = Param(
    int,
    "number of visits to relevant documents over which precision is averaged; None: the limit of infinitely many",
    default=None,
    low=1,
    unit="visits",
)
START = Param(
    list,
    "where users of finite steps or time start: 'uniform', at each relevant document retrieved with the same probability; 'first', "
    "at the first in the ranking; 'invariant', in the invariant distribution; 'top', at rank 1; a list, weights of the ranks 1, 2, "
    "... From a rank that is not relevant, the user first moves to a relevant one. It makes no difference in the limit",
    default="uniform",
    low=0,
    words=STARTS,
)


RESCALE = Param(
    str,
    "times recall: 'recall' by r/RB, 'relative_recall' by r over the most that any run of a set retrieves",
    default=None,
    choices=("recall", "relative_recall"),
)


class MarkovMeasure(Measure):
    """Base class of MP and MPcont: precision weighted by the user's position, and the rescaling by recall."""

    MONOTONE = False  # an additional relevant document takes weight from those above it
    CITATIONS = (FERRANTE,)

    def weights(self, rankings: Rankings) -> Floats:
        """Return the weight of every relevant document retrieved; they add up to 1 within a topic."""
        raise NotImplementedError

    def score(self, rankings: Rankings) -> Floats:
        mp = rankings.relevant.sum(self.weights(rankings) * rankings.precision)
        return mp if self["rescale"] is None else mp * self._recall(rankings)

    def _recall(self, rankings: Rankings) -> Floats:
        """Return r/RB, or r over the largest r of a set of runs; r counts the relevant documents at ranks that the chain has."""
        ranks = getattr(self["model"], "ranks", None)
        r = rankings.relevant.count if ranks is None else rankings.relevant.sum(1.0 * (rankings.relevant.rank <= ranks))
        if self["rescale"] == "recall":
            return np.asarray(r / np.maximum(rankings.recall_base, 1))
        best = rankings.topic_column(BEST_RETRIEVED)
        wrong = np.flatnonzero(~(best >= np.maximum(r, 0)))
        if len(wrong):
            i = int(wrong[0])
            raise DataError(
                f"the qrels column 'best_retrieved' is {best[i]:g} for query {rankings.topics[i]}, but this run retrieves {r[i]} "
                "relevant documents. Compute it on a set of runs that includes this one, with the same rel and cutoff."
            )
        return np.asarray(r / np.maximum(best, 1))

    def invariant(self, rankings: Rankings) -> Floats:
        """Return the invariant distribution of the model, computed once per model and rankings."""
        model = self["model"]
        found: Floats = rankings.memo(("invariant", model), lambda: model.invariant(rankings))
        return found

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        start = self["start"]
        if isinstance(start, list) and not sum(start) > 0:
            raise UsageError(f"The 'start' parameter of {self.NAME} must have a weight above 0. Got {start} instead.")

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        weight = self.weights(rankings)
        scale = np.ones(len(rankings)) if self["rescale"] is None else self._recall(rankings)
        return {"weight": weight, "contribution": weight * rankings.precision * scale[rankings.relevant.topic]}

    def draw_user(self, rankings: Rankings, ax: Any) -> None:
        """Draw the probability that the user is at each relevant document retrieved, and the precision there."""
        super().draw_user(rankings, ax)
        names = {
            "weight": "probability of the user",
            "contribution": "times precision" + " and recall" * bool(self["rescale"]),
        }
        for drawn in [*ax.containers, *ax.lines]:
            drawn.set_label(names.get(drawn.get_label(), drawn.get_label()))
        ax.set_ylabel("probability of being at the document")

    def qrel_columns(self) -> tuple[Column, ...]:
        return (BEST_RETRIEVED,) if self["rescale"] == "relative_recall" else ()


class MarkovPrecision(MarkovMeasure):
    """Markov Precision: precision as seen by a user who moves over the ranking as a Markov chain.

    ``rescale="recall"`` multiplies the value by the recall; with the model ``constant`` that is exactly AP. Of a chain with N ranks,
    the recall is that of the first N, as the user sees no others.

    With ``steps=n`` the user visits n relevant documents, the first drawn from the ``start`` law lambda, and MP is the mean
    of their precisions: the weights are (1/n) sum_{k=0..n-1} lambda P~^k, where P~ is the watched chain, instead of its
    invariant distribution. With more steps the value approaches MP for any start (Theorem 1 of the paper); a start drawn from
    the invariant distribution gives MP for any number of steps. If the start is a law over ranks, as in the paper (section 4), lambda is
    that of the first relevant document to which the user comes from there.

    A topic without a relevant document retrieved scores 0. With a single state its weight is 1.

    References
    ----------
    Ferrante, Ferro, Maistro: Injecting User Models and Time into Precision via Markov Chains. SIGIR 2014.

    Examples
    --------
    >>> import irmx
    >>> from irmx_markov import GL_AD_ID, MP
    >>> qrels = {"q": {"a": 1, "c": 1, "d": 1, "y": 1, "z": 1}}
    >>> run = {"q": {"a": 6.0, "b": 5.0, "c": 4.0, "d": 3.0, "e": 2.0, "f": 1.0}}
    >>> round(MP(model=GL_AD_ID).calc_aggregate(qrels, run), 6)
    0.788381
    >>> irmx.calc_aggregate("MP(model=constant,rescale='recall') AP", qrels, run)
    {MP(model=constant,rescale='recall'): 0.48333333333333334, AP: 0.4833333333333333}
    >>> round(MP(model=GL_AD_ID, steps=10, start="first").calc_aggregate(qrels, run), 6)
    0.806866

    From rank 1, which is not relevant, one of the relevant documents at ranks 3, 4 and 10 is reached with .4044, .3646, .2310:

    >>> qrels = {"q": {"d03": 1, "d04": 1, "d10": 1}}
    >>> run = {"q": {f"d{rank:02}": -rank for rank in range(1, 11)}}
    >>> round(MP(model=GL_AD_ID, steps=1, start="top").calc_aggregate(qrels, run), 4)
    0.3864
    """

    NAME = "MP"
    PRETTY_NAME = "Markov Precision"
    SHORT_DESC = (
        "Precision at the relevant documents, weighted by how often a user who moves as a Markov chain visits them."
    )
    FORMULA = Formula(
        r"\mathrm{MP} = \sum_{n \in R} \pi_n\,\mathrm{Prec}(n)",
        {
            "n": "a rank",
            "R": "the ranks of the relevant documents retrieved",
            r"\pi_n": f"{VISITS}; with steps, the mean over the first visits instead",
            r"\mathrm{Prec}(n)": f"{PRECISION}. {RESCALED}",
        },
        source="Ferrante, Ferro and Maistro (2014)",
    )
    SUPPORTED_PARAMS = {
        "model": Param(str, "the user's Markov chain", kind=KIND, required=True),
        "steps": STEPS,
        "start": START,
        "rescale": RESCALE,
        **COMMON_PARAMS,
    }
    QREL_COLUMNS = (BEST_RETRIEVED,)
    EXAMPLES = ("MP(model=GL_AD_ID)", "MP(model=GL_AD_LID,rescale='recall')")

    def weights(self, rankings: Rankings) -> Floats:
        if self["steps"] is None:
            return self.invariant(rankings)
        key = ("steps", self["model"], str(self["start"]), self["steps"])
        return rankings.memo(key, lambda: weights_of_steps(self["model"], rankings, self["start"], self["steps"]))


MP = MarkovPrecision()


# -- relative recall -------------------------------------------------------------------------------------------------


def add_best_retrieved(qrels: Any, runs: Iterable[Any], rel: float = 1, cutoff: int | None = None) -> pd.DataFrame:
    """Return qrels with the column ``best_retrieved``, which ``rescale='relative_recall'`` reads.

    Parameters
    ----------
    qrels : any
        Whatever :func:`irmx.read_qrels` takes.
    runs : iterable
        The runs to be compared, each whatever :func:`irmx.read_run` takes.
    rel : float
        The smallest grade that counts as relevant.
    cutoff : int, optional
        Number of documents at the top of each run to consider.

    Returns
    -------
    DataFrame
        The columns ``query_id``, ``doc_id``, ``relevance``, ``iteration`` and ``best_retrieved``.

    Examples
    --------
    >>> qrels = {"q": {"a": 1, "b": 1, "c": 1}}
    >>> runs = [{"q": {"a": 2.0, "x": 1.0}}, {"q": {"a": 3.0, "b": 2.0}}]
    >>> table = add_best_retrieved(qrels, runs)
    >>> irmx.calc_aggregate("MP(model=constant,rescale='relative_recall')", table, runs[0])
    {MP(model=constant,rescale='relative_recall'): 0.5}
    """
    import pandas as pd

    judgments = irmx.read_qrels(qrels)
    best = dict.fromkeys(judgments.index, 0)
    common: dict[str, Any] = {"rel": rel} if cutoff is None else {"rel": rel, "cutoff": cutoff}
    for run in runs:
        rankings = irmx.rankings(judgments, run, **common)
        for topic, r in zip(rankings.topics, rankings.relevant.count.tolist(), strict=True):
            best[str(topic)] = max(best[str(topic)], r)
    table = pd.DataFrame(list(judgments), columns=["query_id", "doc_id", "relevance", "iteration"])
    return table.assign(best_retrieved=np.array([best[str(q)] for q in table["query_id"]], dtype=np.int64))
