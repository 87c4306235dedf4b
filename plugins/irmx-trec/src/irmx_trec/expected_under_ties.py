"""Expected values of AP, nDCG, P, R and RR where documents have equal scores: the mean over all orders of these documents."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from irmx import COMMON_PARAMS, Citation, Formula, Measure, Param, Rankings, Rows, UsageError
from irmx.ragged import Bools, Floats, Ints, offsets_of, position_in_segment, segment_cumsum, segment_of, segment_sum
from irmx_trec.classics import DiscountedGain, logarithms

MCSHERRY = Citation(
    "McSherryNajork2008",
    "inproceedings",
    {
        "author": "Frank McSherry and Marc Najork",
        "title": "Computing Information Retrieval Performance Measures Efficiently in the Presence of Tied Scores",
        "booktitle": "Advances in Information Retrieval, 30th European Conference on IR Research (ECIR 2008)",
        "year": "2008",
        "doi": "10.1007/978-3-540-78646-7_38",
    },
)


class _Groups(NamedTuple):
    """The groups of documents with equal scores; a document that is not tied is a group of its own.

    ``first`` is the first ranked document of every group, ``size`` the number of its documents, and ``of_rank`` the group of every
    ranked document.
    """

    first: Ints
    size: Ints
    of_rank: Ints

    def sum(self, values: Any) -> Floats:
        """Return the sum of values, one per ranked document, over every group."""
        return segment_sum(values, self.of_rank, len(self.size))


def _groups(ranked: Rows) -> _Groups:
    """Return the groups of ranked documents whose scores are equal in 32 bits."""
    with np.errstate(over="ignore"):
        score = ranked.score.astype(np.float32)
    is_first = ranked.rank == 1
    is_first[1:] |= score[1:] != score[:-1]
    first = np.flatnonzero(is_first)
    return _Groups(first, np.diff(np.append(first, len(score))), np.cumsum(is_first) - 1)


class ExpectedValue(Measure):
    """The mean of a measure over all orders in which documents with equal scores can stand, each as probable as the others.

    Scores are compared in 32 bits, as in trec_eval. Where no scores are equal, the value is that of the measure itself. It is computed
    by a formula, not from samples, and depends on nothing but scores and grades: neither on the ids nor on the lines of a run.

    References
    ----------
    McSherry, F., Najork, M.: Computing Information Retrieval Performance Measures Efficiently in the Presence of Tied Scores. ECIR 2008.

    Examples
    --------
    >>> import irmx
    >>> qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0, "c": 1.0}}
    >>> irmx.calc_aggregate("RR Expected(measure='RR') Expected(measure='P')@1", qrels, run)
    {RR: 0.33333..., Expected(measure='RR'): 0.61111..., Expected(measure='P')@1: 0.33333...}
    """

    NAME = "Expected"
    PRETTY_NAME = "Expected value under ties"
    SHORT_DESC = "The mean of AP, nDCG, P, R or RR over all orders of documents with equal scores."
    FORMULA = Formula(
        r"\mathrm{E}[M] = \frac{1}{|\Pi|} \sum_{\pi \in \Pi} M(\pi)",
        {
            r"\mathrm{E}[M]": "the value",
            "M": "the measure: AP, nDCG, P, R or RR, with its cutoff",
            r"\pi": "a ranking",
            r"\Pi": "the rankings of the documents by descending score, with those of equal scores in all orders",
        },
        source="McSherry and Najork (2008), who give the sums for each measure",
    )
    SUPPORTED_PARAMS = {
        "measure": Param(str, "the measure", required=True, choices=("AP", "nDCG", "P", "R", "RR")),
        "dcg": DiscountedGain.SUPPORTED_PARAMS["dcg"],
        **{name: param for name, param in COMMON_PARAMS.items() if name != "ties"},
    }
    CITATIONS = (MCSHERRY,)
    EXAMPLES = (
        "Expected(measure='AP')",
        "Expected(measure='nDCG')@10",
        "Expected(measure='P')@5",
        "Expected(measure='R')@100",
        "Expected(measure='RR')@10",
    )

    def validate_params(self) -> None:
        super().validate_params()
        if self["measure"] in ("P", "R") and self["cutoff"] is None:
            raise UsageError(
                f"{self} needs a cutoff, as {self['measure']} itself, such as Expected(measure='{self['measure']}')@10."
            )
        if self["measure"] != "nDCG" and self["dcg"] != "log2":
            raise UsageError(f"The 'dcg' parameter of {self} is one of nDCG alone. Leave it out.")

    def score(self, rankings: Rankings) -> Floats:
        ranked, expected = self._at_ranks(rankings)
        return ranked.sum(expected)

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        ranked, expected = self._at_ranks(rankings)
        return {"documents": ranked.where(expected > 0), "contribution": expected[expected > 0]}

    def _at_ranks(self, rankings: Rankings) -> tuple[Rows, Floats]:
        """Return the ranked documents, and the mean of what the measure adds at the rank of each."""
        name, k = self["measure"], self["cutoff"]
        divisor: Floats | Ints
        uncut = rankings.with_parameters(cutoff=None)  # a cutoff may divide a group
        ranked, groups = uncut.ranked, uncut.memo(("irmx-trec", "groups"), lambda: _groups(uncut.ranked))
        if name == "nDCG":
            plain = DiscountedGain(**{p: self[p] for p in ("dcg", "judged_only", "cutoff") if p in self.params})
            gain = groups.sum(plain.gains_of(np.fmax(ranked.grade, 0))) / groups.size
            expected, divisor = gain[groups.of_rank] / logarithms(ranked.rank), plain.ideal(rankings)
        else:
            is_relevant = ranked.grade >= rankings.rel
            found = groups.sum(is_relevant)
            if name == "AP":
                expected, divisor = _precision(ranked, groups, is_relevant, found), rankings.recall_base
            elif name == "RR":
                expected, divisor = _reciprocal_rank(ranked, groups, found), np.ones(len(rankings))
            else:
                expected = (found / groups.size)[groups.of_rank]
                divisor = rankings.recall_base if name == "R" else np.full(len(rankings), k)
        expected = np.where(ranked.rank <= (k or np.inf), expected, 0)
        return ranked, np.divide(expected, divisor[ranked.topic], out=np.zeros(len(ranked)), where=expected > 0)


def _precision(ranked: Rows, groups: _Groups, is_relevant: Bools, found: Floats) -> Floats:
    """Return, for every rank, the probability that its document is relevant, times the precision that is expected if it is."""
    above = (segment_cumsum(is_relevant.astype(np.float64), ranked.offsets) - is_relevant)[groups.first]
    of_others = (found - 1) / np.maximum(groups.size - 1, 1)
    place = np.arange(len(ranked)) - groups.first[groups.of_rank]
    precision = (above[groups.of_rank] + 1 + place * of_others[groups.of_rank]) / ranked.rank
    return np.asarray((found / groups.size)[groups.of_rank] * precision)


def _reciprocal_rank(ranked: Rows, groups: _Groups, found: Floats) -> Floats:
    """Return, for every rank, its reciprocal times the probability that the first relevant document is there."""
    topic = ranked.topic[groups.first]
    has_relevant = np.flatnonzero(found > 0)
    decisive = has_relevant[
        np.diff(topic[has_relevant], prepend=-1) > 0
    ]  # the first group of a topic with a relevant document
    offsets = offsets_of(groups.size[decisive])
    place = position_in_segment(offsets)
    row = groups.first[decisive][segment_of(offsets)] + place
    # of the documents of the group at this rank and below, where none above is relevant, all relevant ones are among them
    left = groups.size[groups.of_rank[row]] - place
    here = np.minimum(found[groups.of_rank[row]] / left, 1)
    with np.errstate(divide="ignore"):
        not_there = np.log1p(-here)
    none_above = segment_cumsum(np.where(place > 0, np.roll(not_there, 1), 0.0), offsets)
    expected = np.zeros(len(ranked))
    expected[row] = np.exp(none_above) * here / ranked.rank[row]
    return expected
