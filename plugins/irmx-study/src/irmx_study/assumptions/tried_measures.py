"""What grades of unjudged documents do to a measure, found by trying all of them on short rankings."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import ir_measures
import numpy as np

from irmx import IrmxError
from irmx.ragged import Floats
from irmx.toolkit import Evaluator

_RANKING = "abcdef"
_UNJUDGED = "abde"
"""The unjudged documents of the ranking, at ranks 1, 2, 4 and 5. Of the others, c is relevant or not, and f is not."""
_NOT_RETRIEVED = 1000
_ROUNDING = 1e-9


class Effects(NamedTuple):
    """What grades of unjudged documents do to a measure.

    Attributes
    ----------
    bounded : bool
        Whether no grades give a value below that with all documents non-relevant, or above that with all of the grade assumed.
    additive : bool
        Whether every document of that or a larger grade adds a number that depends on its rank alone, and is the smaller the
        larger the rank.
    """

    bounded: bool
    additive: bool


UNKNOWN = Effects(False, False)


def effects_on(measure: ir_measures.Measure, grade: float, largest_grade: float) -> Effects:
    """Return what grades of unjudged documents do to a measure.

    The measure scores rankings of six documents, of which four are unjudged, under all assignments of "unjudged", 0, the grade
    assumed and the largest grade to these, with and without a relevant document that was judged. Some of them are scored again
    with a thousand further relevant documents that are not retrieved, which a measure with a recall base, or an ideal ranking,
    notices.

    Parameters
    ----------
    measure : Measure
        The measure.
    grade : float
        The grade of documents that are assumed to be relevant.
    largest_grade : float
        The largest grade of the judgments, which a document may have as well, and by which some measures divide.

    Examples
    --------
    >>> import irmx
    >>> for text in ("RBP(p=0.5)", "RR", "AP"):
    ...     print(text, effects_on(irmx.parse_measure(text), grade=1, largest_grade=1))
    RBP(p=0.5) Effects(bounded=True, additive=True)
    RR Effects(bounded=True, additive=False)
    AP Effects(bounded=False, additive=False)
    >>> effects_on(irmx.parse_measure("P(rel=2)@10"), grade=1, largest_grade=2)  # a document of grade 1 is not relevant
    Effects(bounded=False, additive=False)
    """
    if measure.params.get("judged_only"):  # ranks in a condensed list depend on what is judged, at any depth
        return UNKNOWN
    grades = [grade, largest_grade] if grade < largest_grade else [grade]
    states = list(product((None, 0, *grades), repeat=len(_UNJUDGED)))
    all_zero, all_relevant = (states.index((g,) * len(_UNJUDGED)) for g in (0, grade))
    again = [0, all_zero, all_relevant, states.index((grade, 0, 0, 0))]
    qrels = {str(i): docs for i, docs in enumerate(_qrels(states, grade, largest_grade), start=1)}
    not_retrieved = {f"z{i}": grade for i in range(_NOT_RETRIEVED)}
    few = [1 + i + offset for offset in (0, len(states)) for i in again]
    more = {str(len(qrels) + 1 + i): qrels[str(topic)] | not_retrieved for i, topic in enumerate(few)}
    alone, values = _values(measure, {"1": qrels["1"]}), _values(measure, qrels | more)
    if alone is None or values is None or not np.isfinite(values).all():
        return UNKNOWN
    by_state, with_more = values[: len(qrels)].reshape(2, len(states)), values[len(qrels) :].reshape(2, len(again))
    # neither grades of other topics nor documents that are not retrieved may change a value
    if not _close(alone, values[:1]) or not _close(by_state[:, again], with_more):
        return UNKNOWN
    lowest, highest = by_state[:, [all_zero]], by_state[:, [all_relevant]]
    bounded = bool(np.all((lowest - _ROUNDING <= by_state) & (by_state <= highest + _ROUNDING)))
    shorter = _values(measure, qrels, _RANKING[:-1])  # by whose length SetP divides
    by_rank_alone = _in_order(measure) and shorter is not None and _close(values[: len(qrels)], shorter)
    return Effects(bounded, by_rank_alone and _is_additive(by_state, np.isin(np.array(states, dtype=float), grades)))


def _qrels(states: list[tuple[float | None, ...]], grade: float, largest_grade: float) -> Iterator[dict[str, float]]:
    """Yield the judgments of a topic for each state, first with a relevant document, retrieved and not, then without."""
    for judged in ({"c": largest_grade, "f": 0.0, "y": 1.0}, {"c": 0.0, "f": 0.0}):
        for grades in states:
            yield judged | {doc: of_doc for doc, of_doc in zip(_UNJUDGED, grades, strict=True) if of_doc is not None}


def _values(measure: ir_measures.Measure, qrels: dict[str, dict[str, float]], ranking: str = _RANKING) -> Floats | None:
    """Return the values of the topics of qrels for the same ranking; None if the measure needs more than grades."""
    run = {topic: {doc: -float(rank) for rank, doc in enumerate(ranking)} for topic in qrels}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return Evaluator(measure, qrels).scores(run)[measure].values
    except IrmxError:
        return None


def _is_additive(by_state: Floats, relevant: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> bool:
    """Tell whether values are sums of what each relevant document adds, of which those at smaller ranks add more."""
    number = relevant.sum(axis=1)
    none = by_state[:, [int(np.argmax(number == 0))]]
    of_one = [int(np.argmax(relevant[:, i] & (number == 1))) for i in range(relevant.shape[1])]
    weights = by_state[:, of_one] - none
    return _close(none + weights @ relevant.T.astype(float), by_state) and bool(
        np.all(np.diff(weights, axis=1, append=0) <= _ROUNDING)
    )


def _in_order(measure: ir_measures.Measure) -> bool:
    """Tell whether a measure breaks ties as trec_eval does, in whose order ranks are counted."""
    return bool(measure.params.get("ties", "trec") == "trec")


def _close(one: Floats, other: Floats) -> bool:
    return bool(np.allclose(one, other, rtol=0, atol=_ROUNDING))
