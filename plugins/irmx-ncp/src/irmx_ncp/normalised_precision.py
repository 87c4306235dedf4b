"""The measure NCP."""

from __future__ import annotations

from typing import Any

from irmx import COMMON_PARAMS, Citation, Column, Formula, Measure, Param, Rankings
from irmx.ragged import Floats
from irmx_ncp.stopping_laws import KIND, STOP_PROBABILITY, law_weights

ROBERTSON = Citation(
    "Robertson2008",
    "inproceedings",
    {
        "author": "Stephen Robertson",
        "title": "A New Interpretation of Average Precision",
        "booktitle": "Proceedings of the 31st Annual International ACM SIGIR Conference (SIGIR 2008)",
        "year": "2008",
        "pages": "689--690",
        "doi": "10.1145/1390334.1390453",
    },
)


class NormalisedCumulativePrecision(Measure):
    """Normalised Cumulative Precision: the expected precision at the point where a satisfied user stops.

    The stopping law gives a probability to each of the topic's relevant documents: in the order in which the user meets them, or,
    with ``by_document``, fixed for each document and the same in every run. Relevant documents that were not retrieved have
    precision 0. The uniform law gives exactly AP, the law of the first document exactly RR.

    References
    ----------
    Robertson, S.: A New Interpretation of Average Precision. SIGIR 2008.

    Examples
    --------
    >>> import irmx
    >>> qrels = {"q": {"a": 1, "b": 1, "c": 1}}
    >>> run = {"q": {"x": 3.0, "a": 2.0, "b": 1.0}}
    >>> irmx.calc_aggregate("NCP(law=uniform) AP NCP(law=first) RR", qrels, run)
    {NCP(law=uniform): 0.38888888888888884, AP: 0.38888888888888884, NCP(law=first): 0.5, RR: 0.5}
    """

    NAME = "NCP"
    PRETTY_NAME = "Normalised Cumulative Precision"
    SHORT_DESC = "The expected precision at the relevant document where the user stops, given a stopping law."
    FORMULA = Formula(
        r"\mathrm{NCP} = \sum_{n \in R} p_s(n)\,\mathrm{Prec}(n)",
        {
            "n": "a rank",
            "R": "the ranks of the relevant documents retrieved",
            "p_s(n)": (
                "the probability that the user is satisfied by the relevant document at rank $n$, and stops there, "
                "as the stopping law gives it; over all relevant documents, retrieved or not, these add up to 1"
            ),
            r"\mathrm{Prec}(n)": (
                "the precision at rank $n$: the number of relevant documents at the ranks up to $n$, divided by $n$"
            ),
        },
        source="Robertson (2008)",
    )
    SUPPORTED_PARAMS = {
        "law": Param(str, "the user's stopping law", kind=KIND, required=True),
        **COMMON_PARAMS,
    }
    QREL_COLUMNS = (STOP_PROBABILITY,)
    CITATIONS = (ROBERTSON,)
    EXAMPLES = ("NCP(law=uniform)", "NCP(law=first)")

    @property
    def UNJUDGED(self) -> str:  # type: ignore[override]  # noqa: N802
        """What grades of unjudged documents can do: the first relevant document is RR."""
        return "bounded" if getattr(self["law"], "NAME", "") == "first" else ""

    def weights(self, rankings: Rankings) -> Floats:
        """Return p_s of every relevant document retrieved."""
        return law_weights(self["law"], rankings)

    def qrel_columns(self) -> tuple[Column, ...]:
        law = self["law"]
        columns: tuple[Column, ...] = law.qrel_columns() if hasattr(law, "qrel_columns") else ()
        return columns

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        weight = self.weights(rankings)
        return {"weight": weight, "contribution": weight * rankings.precision}


NCP = NormalisedCumulativePrecision()
