"""The interface of pytrec_eval over the measures of irmx: the names of trec_eval in, dicts of floats out.

A program that imports :mod:`pytrec_eval` gets the same values after ``import irmx_trec as pytrec_eval``. Grades may be fractions.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import ir_measures
import numpy as np

import irmx
from irmx import DataError, DataWarning, Rankings, UsageError
from irmx.ragged import Floats
from irmx.toolkit import Evaluator, list_some, suggest
from irmx_trec.trec_eval_measures import (
    MULTIPLES,
    RECALL_LEVELS,
    SINGLE,
    mean_precision_at_recall,
    precision_at_multiple,
    precision_at_recall,
    relative_precision,
    set_f,
)

_PLAIN = {"map": "AP", "ndcg": "nDCG", "Rprec": "Rprec", "bpref": "Bpref", "recip_rank": "RR"}
_WITH_CUTOFF = {"map_cut": "AP", "ndcg_cut": "nDCG", "P": "P", "recall": "R", "success": "Success"}
_CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_AT = {**dict.fromkeys([*_WITH_CUTOFF, "relative_P"], _CUTOFFS), "success": (1, 5, 10)}
_AT_LEVELS = {"iprec_at_recall": (precision_at_recall, RECALL_LEVELS), "Rprec_mult": (precision_at_multiple, MULTIPLES)}
_TEXTS = ("runid", "relstring")
"""What trec_eval prints as texts; pytrec_eval has a number in their place, which means nothing and is 0 here."""

supported_measures = {*_PLAIN, *_AT, *_AT_LEVELS, *SINGLE, *_TEXTS, "11pt_avg", "set_F"}
"""The names of the measures, without cutoffs."""

supported_nicknames = {
    "all_trec": set(supported_measures),
    "official": {
        *("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank"),
        *("iprec_at_recall", "P"),
    },
    "set": {
        *("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "utility", "set_P", "set_relative_P", "set_recall"),
        *("set_map", "set_F"),
    },
}
"""Names that stand for several measures."""

Scored = Callable[[Rankings], Floats]
"""Computes the values of the topics of rankings."""


class RelevanceEvaluator:
    """Scores runs against one set of judgments, as the class of this name in pytrec_eval does.

    The values are those of pytrec_eval to the last bit. Beyond it, grades may be fractions, a topic may have only negative grades, and
    a mistake is an error in words.

    Parameters
    ----------
    query_relevance : dict of str to dict of str to number
        The grade of each judged document of each topic; also anything else that :func:`irmx.read_qrels` reads.
    measures : iterable of str
        Names of trec_eval or nicknames, with or without cutoffs: ``"map"``, ``"ndcg_cut"``, ``"ndcg_cut_10"``, ``"P.5,10"``.
    relevance_level : number
        The smallest grade of a relevant document.
    judged_docs_only_flag : bool
        Whether to remove documents that are not judged from the run.

    Raises
    ------
    irmx.UsageError
        For a name that is not supported; it is a ValueError, too.

    Examples
    --------
    >>> evaluator = RelevanceEvaluator({"q1": {"d1": 0, "d2": 1}, "q2": {"d2": 0.5}}, {"map", "ndcg_cut_3"})
    >>> evaluator.evaluate({"q1": {"d1": 1.5, "d2": 1.0}})
    {'q1': {'map': 0.5, 'ndcg_cut_3': 0.6309297535714575}}
    """

    def __init__(
        self,
        query_relevance: Any,
        measures: Iterable[str],
        relevance_level: float = 1,
        judged_docs_only_flag: bool = False,
    ) -> None:
        is_number = isinstance(relevance_level, (int, float)) and not isinstance(relevance_level, bool)
        if not is_number or not 0 < relevance_level < math.inf:
            raise UsageError(f"relevance_level must be a number larger than 0. Got {relevance_level!r} instead.")
        self._common = {"rel": relevance_level, "judged_only": bool(judged_docs_only_flag)}
        self._measures: dict[str, ir_measures.Measure] = {}
        self._functions: dict[str, Scored] = {}
        for base, numbers in _numbers_by_measure(measures).items():
            if base in _PLAIN or base in _WITH_CUTOFF:
                self._measures |= _of_ir_measures(base, numbers, self._common)
            else:
                self._functions |= _of_rankings(base, numbers)
        if isinstance(query_relevance, Mapping):  # a topic without judgments has no values
            query_relevance = {topic: docs for topic, docs in query_relevance.items() if docs or docs is None}
        self._evaluator = Evaluator(list(self._measures.values()), query_relevance)

    def __repr__(self) -> str:
        return f"<RelevanceEvaluator: {list_some([*self._measures, *self._functions])}; {self._evaluator.judgments!r}>"

    def evaluate(self, scores: Any) -> dict[str, dict[str, float]]:
        """Return the values of a run, by topic and name of the measure.

        Parameters
        ----------
        scores : dict of str to dict of str to float
            The score of each retrieved document of each topic; also anything else that :func:`irmx.read_run` reads.

        Returns
        -------
        dict of str to dict of str to float
            The topics are those of the run that are judged.
        """
        run, judgments = irmx.read_run(scores), self._evaluator.judgments
        topics = [topic for topic in run.topics if topic in judgments.index]
        if run.topics and not topics:
            text = f"No topic of the run is in the qrels. The run has {list_some(run.topics)}; the qrels have {list_some(judgments.index)}."
            warnings.warn(text, DataWarning, stacklevel=2)
        join = irmx.Join(run, judgments)
        columns = [scores.values for scores in self._evaluator.of_join(join).values()]
        columns += [self._over_topics(name, function, join) for name, function in self._functions.items()]
        rows = np.array(columns).T[[judgments.index[topic] for topic in topics]].tolist() if columns else []
        names = [*self._measures, *self._functions]
        return {topic: dict(zip(names, row, strict=True)) for topic, row in zip(topics, rows, strict=True)}

    def _over_topics(self, name: str, function: Scored, join: irmx.Join) -> Floats:
        """Return the values over the topics of the judgments; 0 for one without documents."""
        values = np.full(len(join.judgments.topics), float(name == "num_q"))
        if join.pairs:
            values[join.in_judgments] = function(Rankings.of(join, **self._common))
        return values


# -- the names of measures ---------------------------------------------------------------------------------------------


def _numbers_by_measure(measures: Iterable[str]) -> dict[str, set[str]]:
    """Return the numbers that are given for each measure, none for its default ones."""
    if isinstance(measures, str) or not isinstance(measures, Iterable):
        raise UsageError(
            f"Measures are given as a set of names, such as {{'map', 'ndcg_cut_10'}}. Got {measures!r} instead."
        )
    numbers: dict[str, set[str]] = {}
    for name in (name for measure in measures for name in supported_nicknames.get(measure, (measure,))):
        base, written = (name, "") if name in supported_measures else _parts(name)
        numbers.setdefault(base, set()).update(filter(None, written.split(",")))
    # bpref first, which needs all judged documents, so that the run is searched once; an order of their own, whatever that of a set
    return dict(sorted(numbers.items(), key=lambda item: (item[0] != "bpref", item[0])))


def _parts(name: Any) -> tuple[str, str]:
    """Return a measure and its numbers, of names such as ``P_5`` and ``P.5,10``."""
    number = r"[0-9]+(?:\.[0-9]+)?"
    parts = re.fullmatch(rf"(\w+?)[._]({number}(?:,{number})*)", name) if isinstance(name, str) else None
    if parts is None or parts[1] not in supported_measures:
        known = [*sorted(supported_measures), *supported_nicknames]
        raise UsageError(f"There is no measure {name!r}.{suggest(str(name), known)} Known: {', '.join(known)}.")
    return parts[1], parts[2]


def _of_ir_measures(base: str, numbers: set[str], common: Mapping[str, Any]) -> dict[str, ir_measures.Measure]:
    """Return the measures of ir_measures that a name stands for, by their names in trec_eval."""
    measure = getattr(ir_measures, {**_PLAIN, **_WITH_CUTOFF}[base])
    measure = measure(
        **{
            k: v
            for k, v in common.items()
            if k in measure.SUPPORTED_PARAMS and v != measure.SUPPORTED_PARAMS[k].default
        }
    )
    if base in _PLAIN:
        _refuse_numbers(base, numbers)
        return {base: measure}
    return {f"{base}_{k}": measure @ k for k in _cutoffs(base, numbers)}


def _of_rankings(base: str, numbers: set[str]) -> dict[str, Scored]:
    """Return the functions that a name stands for, by their names in trec_eval."""
    values = sorted(map(float, numbers))
    if base in _AT_LEVELS:
        function, usual = _AT_LEVELS[base]
        return {f"{base}_{value:.2f}": partial(_at, function, value) for value in values or usual}
    if base == "11pt_avg":
        return {base: partial(_at, mean_precision_at_recall, values or RECALL_LEVELS)}
    if base == "set_F":
        if len(values) > 1:
            raise UsageError(
                f"set_F takes one number, the weight of recall, as in set_F.0.5. Got {', '.join(sorted(numbers))}."
            )
        return {base: partial(_at, set_f, values[0] if values else 1.0)}
    if base == "relative_P":
        return {f"{base}_{k}": partial(_at, relative_precision, k) for k in _cutoffs(base, numbers)}
    _refuse_numbers(base, numbers)
    return {base: SINGLE.get(base, lambda rankings: np.zeros(len(rankings)))}


def _at(function: Callable[[Rankings, Any], Floats], number: Any, rankings: Rankings) -> Floats:
    return function(rankings, number)


def _cutoffs(base: str, numbers: set[str]) -> Sequence[int]:
    odd = [number for number in numbers if not number.isdigit() or int(number) < 1]
    if odd:
        raise UsageError(f"A cutoff of {base} is a whole number of 1 or more, as in {base}_10. Got {odd[0]}.")
    return sorted(map(int, numbers)) or _AT[base]


def _refuse_numbers(base: str, numbers: set[str]) -> None:
    if numbers:
        with_cutoff = f" {base}_cut_{min(numbers)} has a cutoff." if f"{base}_cut" in supported_measures else ""
        raise UsageError(f"The measure {base} takes no number. Got {', '.join(sorted(numbers))}.{with_cutoff}")


# -- reading and aggregating, as pytrec_eval does ------------------------------------------------------------------------


def compute_aggregated_measure(measure: str, values: Sequence[float]) -> float:
    """Return the sum of values of a measure named ``num_...``, the geometric mean for ``gm_...``, the mean for all others.

    >>> compute_aggregated_measure("map", [0.5, 0.25]), compute_aggregated_measure("num_ret", [10.0, 20.0])
    (0.375, 30.0)
    """
    if not len(values):
        raise DataError(f"There is no value of {measure} to aggregate. The run may have no topic that is judged.")
    if measure.startswith("num_"):
        return float(np.sum(values))
    return float(np.exp(np.sum(values) / len(values)) if measure.startswith("gm_") else np.mean(values))


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """Return the scores in the lines of a run of TREC, by topic and document.

    >>> parse_run(["q1 Q0 d1 1 2.5 bm25", "q1 Q0 d2 2 1.5 bm25"])
    {'q1': {'d1': 2.5, 'd2': 1.5}}
    """
    return _parsed("run", f_run, 6, 4, float)


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, float]]:
    """Return the grades in the lines of qrels of TREC, by topic and document; whole numbers are ints.

    >>> parse_qrel(["q1 0 d1 1", "q1 0 d2 0.5"])
    {'q1': {'d1': 1, 'd2': 0.5}}
    """
    return _parsed("qrels", f_qrel, 4, 3, lambda text: int(text) if re.fullmatch("[+-]?[0-9]+", text) else float(text))


def _parsed(
    what: str, lines: Iterable[str], columns: int, at: int, number: Callable[[str], float]
) -> dict[str, dict[str, float]]:
    if isinstance(lines, str):
        raise UsageError(
            f"The {what} are given as lines, or as an open file. To read a path, use open({lines[:60]!r})."
        )
    out: dict[str, dict[str, float]] = {}
    for line, text in enumerate(lines, start=1):
        cells = text.split()
        if len(cells) != columns:
            raise DataError(
                f"Line {line} of the {what} has {len(cells)} columns, where {columns} are expected: {text.strip()[:80]!r}."
            )
        docs = out.setdefault(cells[0], {})
        if cells[2] in docs:
            raise DataError(f"Line {line} of the {what} has document {cells[2]!r} of query {cells[0]!r} a second time.")
        try:
            docs[cells[2]] = number(cells[at])
            sound = math.isfinite(docs[cells[2]])
        except ValueError:
            sound = False
        if not sound:
            raise DataError(f"Line {line} of the {what} has {cells[at]!r} where a finite number is expected.")
    return out
