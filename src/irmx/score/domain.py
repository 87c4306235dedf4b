"""What the tools behind the providers of ir_measures compute with: outside of it they abort, run for minutes, or answer wrongly."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import ir_measures
import numpy as np

from irmx.data.judgments import Judgments
from irmx.declare.params import LARGEST_GRADE, Param
from irmx.errors import DataError, UsageError
from irmx.registry import registry


class Written(Param):
    """A float that a tool gets as text, of which it may read another number."""

    def __init__(self, form: str, read: Callable[[float], float], low: float, high: float | None = None) -> None:
        super().__init__(float, "", low=low, high=high)
        self.form, self.read = form, read

    def expects(self) -> str:
        return f"{super().expects()}, {self.form}"

    def _in_range(self, value: Any) -> bool:
        return super()._in_range(value) and self.read(value) == value


class WholeGains(Param):
    """Gains that take the place of grades, which are whole numbers."""

    def expects(self) -> str:
        return super().expects().replace("numbers", "ints")

    def _in_range(self, value: Any) -> bool:
        return super()._in_range(value) and all(isinstance(gain, int) for gain in value.values())


class Domain(NamedTuple):
    """What a provider computes with.

    ``parameters`` are those of which it takes only some values, ``largest_grade`` is that of a provider whose grades are whole
    numbers, and measures that differ in the parameters ``apart`` need an evaluator each.
    """

    parameters: Mapping[str, Param] = {}
    largest_grade: int | None = None
    apart: tuple[str, ...] = ()


_ALL = {"rel": Param(int, "", low=1, high=LARGEST_GRADE), "p": Param(float, "", above=0, below=1)}
_ANY_REL = Param(int, "", low=-LARGEST_GRADE, high=LARGEST_GRADE)
_LARGEST_LEVEL = 10_000
"""For every topic, pytrec_eval counts the documents of each grade up to the largest, and for nDCG sorts these counts, which is
not felt at this grade and takes minutes at 10^9. With ``rel`` far beyond the grades, Bpref reads memory that is not its own."""

DOMAINS: dict[str, Domain] = {
    "pytrec_eval": Domain(
        {
            "rel": Param(int, "", low=1, high=_LARGEST_LEVEL),
            "gains": WholeGains(dict, "", low=0, high=_LARGEST_LEVEL),
            "beta": Written("written without an exponent", lambda beta: float(repr(beta).partition("e")[0]), low=0),
            "recall": Written("with at most two decimals", lambda recall: round(recall, 2), low=0, high=1),
        },
        largest_grade=_LARGEST_LEVEL,
        # it may apply gains to plain nDCG and return zeros for nDCG with gains; beside judged_only, NumRet counts judged documents
        apart=("gains", "judged_only"),
    ),
    "cwl_eval": Domain(
        {
            "cutoff": Param(int, "", low=1, high=1000),  # it drops the documents after rank 1,000
            "T": Param(float, "", above=0),
            "min_rel": Param(int, "", low=0, high=LARGEST_GRADE),  # it sets negative grades to 0
            "max_rel": Param(int, "", low=1, high=LARGEST_GRADE),
        }
    ),
    "pyndeval": Domain(
        {
            "cutoff": Param(int, "", low=1, high=20, required=True),
            "rel": _ANY_REL,
            "alpha": Param(float, "", low=0, high=1),
            "beta": Param(float, "", above=0, below=1),
            "judged_only": Param(bool, "", choices=(False,)),  # it reads the run as a dict, which it is not
        },
        apart=("rel", "alpha", "beta"),  # it exhausts the run for the first setting and returns zeros for the others
    ),
    "gdeval": Domain(largest_grade=4),
    "msmarco": Domain({"rel": _ANY_REL}),
    "ranx": Domain({"rel": _ANY_REL}),
    "compat": Domain(),
    "judged": Domain(),
    "accuracy": Domain(),
    "trectools": Domain(),
}
"""The providers that use scores only to rank documents. Others, such as that of ``ir_measures.define``, may compute with scores."""


def domain_of(provider: str) -> Domain:
    """Return what a provider computes with; nothing is known about one that is not in the table."""
    return DOMAINS.get(provider, Domain())


def refuse_parameters(measure: ir_measures.Measure, provider: str) -> None:
    """Raise if a provider does not compute a measure with these values of its parameters.

    >>> refuse_parameters(ir_measures.AP(rel=0), "pytrec_eval")
    Traceback (most recent call last):
    ...
    irmx.errors.UsageError: The 'rel' parameter of AP(rel=0), which pytrec_eval computes, must be an int in the range [1, 10000]. ...
    """
    for name, param in {**_ALL, **domain_of(provider).parameters}.items():
        if name not in measure.SUPPORTED_PARAMS:
            continue
        if name in measure.params:
            param.check(measure.params[name], name, f"{measure}, which {provider} computes,")
        elif param.required:
            raise UsageError(
                f"ir_measures does not compute {measure} without a {name}. Give one, such as {measure}@10."
            )
    if {"min_rel", "max_rel"} <= measure.SUPPORTED_PARAMS.keys() and measure["min_rel"] >= measure["max_rel"]:
        raise UsageError(
            f"The 'max_rel' parameter of {measure} must be larger than 'min_rel': a document of grade min_rel has the gain 0, "
            f"and one of max_rel the gain 1. Got min_rel={measure['min_rel']} and max_rel={measure['max_rel']}."
        )


def refuse_qrels(measures: Sequence[ir_measures.Measure], provider: str, judgments: Judgments) -> None:
    """Raise if the provider of some measures does not read the qrels, or misreads them."""
    largest, grade = domain_of(provider).largest_grade, judgments.grade
    where = f"the qrels {judgments.source.path}".rstrip()
    odd = np.empty(0) if largest is None else np.flatnonzero((grade % 1 != 0) | (grade > largest))
    if len(odd):
        first = int(odd[0])
        topic = judgments.topics[int(np.searchsorted(judgments.offsets, first, side="right")) - 1]
        refusal = _refusal(
            measures,
            provider,
            f"grades that are whole numbers up to {largest}. Found the grade {grade[first]:.17g} of document "
            f"{judgments.docs[first]!r} for query {str(topic)!r} in {where}",
            "Write whole numbers, use a measure of an irmx plugin, which takes fractions (with rel=0.5, for instance)"
            if grade[first] % 1
            else f"Write the grades as 0 to {largest}",
        )
        raise refusal.of(f"{refusal}{without_gdeval(measures, grade.max())}") if provider == "gdeval" else refusal
    if provider == "gdeval":
        try:
            _refuse_topics_of_gdeval(measures, judgments.index, where)
            _refuse_ids_of_gdeval(measures, judgments.docs, where)
        except DataError as refusal:
            largest_grade = max(1.0, grade.max(initial=1))
            raise refusal.of(f"{refusal}{without_gdeval(measures, largest_grade)}") from None


def refuse_run(measures: Sequence[ir_measures.Measure], provider: str, run: Mapping[str, Iterable[str]]) -> None:
    """Raise if the provider of some measures would misread a run."""
    if provider == "gdeval":
        for docs in run.values():
            _refuse_ids_of_gdeval(measures, docs, "the run")


def _refuse_topics_of_gdeval(measures: Sequence[ir_measures.Measure], topics: Iterable[str], where: str) -> None:
    """Raise for other topics than numbers: of ``301-2`` gdeval reads what is after the hyphen; ``7`` and ``07`` are one."""
    seen: dict[int, str] = {}
    for topic in topics:
        found = ""
        if not re.fullmatch("[0-9]{1,19}", topic):  # which perl compares as 64-bit integers, and more digits as floats
            found = f"topics that are whole numbers, in at most 19 digits. Found the topic {topic!r} in {where}"
        elif (same := seen.setdefault(int(topic), topic)) != topic:
            found = f"topics that differ as numbers. Found the topics {same!r} and {topic!r} in {where}"
        if found:
            raise _refusal(measures, "gdeval", found, "Number the topics, in the qrels and in the run")


def _refuse_ids_of_gdeval(measures: Sequence[ir_measures.Measure], docs: Iterable[str], where: str) -> None:
    """Raise for an id that gdeval would read as several columns."""
    word = re.compile(r"\S+", re.ASCII)
    odd = next((doc for doc in docs if not word.fullmatch(doc)), None)
    if odd is not None:
        raise _refusal(
            measures,
            "gdeval",
            f"ids of documents without white space. Found the document {odd!r} in {where}",
            "Replace the white space in the ids, in the qrels and in the run",
        )


def without_gdeval(measures: Iterable[ir_measures.Measure], largest: float = 4) -> str:
    """Return the sentence that says how ERR is computed without gdeval, whose largest grade is always 4; empty for other measures."""
    cutoffs = dict.fromkeys(measure.params.get("cutoff") for measure in measures if measure.NAME == "ERR")
    if not cutoffs or "Effort" not in registry().measures():
        return ""
    named = " ".join(
        f"Effort(measure='ERR',effort=[1],max_grade={largest:g}){'' if k is None else f'@{k}'}" for k in cutoffs
    )
    return f" ERR with grades up to {largest:g} is also computed by {named}."


def _refusal(measures: Sequence[ir_measures.Measure], provider: str, reads_and_found: str, remedy: str) -> DataError:
    are, these = ("is", "this measure") if len(measures) == 1 else ("are", "these measures")
    return DataError(
        f"{', '.join(map(str, measures))} {are} computed by {provider}, which reads only {reads_and_found}. {remedy}, or leave "
        f"{these} out."
    )
