"""Which values of parameters, and which grades of the qrels, the tools behind measures of ir_measures compute with.

Outside of these, the tools abort, run for minutes, or answer with 0 or another wrong number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import ir_measures
import numpy as np

from irmx.data.judgments import Judgments
from irmx.declare.params import Param
from irmx.errors import DataError, UsageError

LARGEST_LEVEL = 10_000
"""For every topic, pytrec_eval counts the documents of each grade up to the largest, and for nDCG sorts these counts, which is
not felt at this grade and takes minutes at 10^9. With ``rel`` far beyond the grades, Bpref reads memory that is not its own."""


class Written(Param):
    """A float that a tool gets as text, of which it may read another number.

    Parameters
    ----------
    form : str
        How it must be written, for messages.
    read : callable
        Returns the number that the tool reads.
    low, high : float
        The closed range.
    """

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


def _without_exponent(value: float) -> float:
    return float(repr(value).partition("e")[0])


PARAMETERS: dict[str, dict[str, Param]] = {
    "": {"rel": Param(int, "", low=1), "p": Param(float, "", above=0, below=1)},
    "pytrec_eval": {
        "rel": Param(int, "", low=1, high=LARGEST_LEVEL),
        "gains": WholeGains(dict, "", low=0, high=LARGEST_LEVEL),
        "beta": Written("written without an exponent", _without_exponent, low=0),
        "recall": Written("with at most two decimals", lambda value: round(value, 2), low=0, high=1),
    },
    "cwl_eval": {
        "cutoff": Param(int, "", low=1, high=1000),  # it drops the documents after rank 1,000
        "T": Param(float, "", above=0),
        "min_rel": Param(int, "", low=0),  # it sets negative grades to 0
        "max_rel": Param(int, "", low=1),
    },
    "pyndeval": {
        "cutoff": Param(int, "", low=1, high=20, required=True),
        "rel": Param(int, ""),
        "alpha": Param(float, "", low=0, high=1),
        "beta": Param(float, "", above=0, below=1),
        "judged_only": Param(bool, "", choices=(False,)),  # it reads the run as a dict, which it is not
    },
    "msmarco": {"rel": Param(int, "")},
    "ranx": {"rel": Param(int, "")},
}
"""The values of parameters by provider; under the empty name those of all providers that have no entry of their own."""

GRADES = {"pytrec_eval": LARGEST_LEVEL, "gdeval": 4}
"""The largest grade by provider of those that compute with whole numbers; the others only compare or scale grades."""


def refuse_parameters(measure: ir_measures.Measure, provider: str) -> None:
    """Raise if a provider does not compute a measure with these values of its parameters.

    >>> refuse_parameters(ir_measures.AP(rel=0), "pytrec_eval")
    Traceback (most recent call last):
    ...
    irmx.errors.UsageError: The 'rel' parameter of AP(rel=0), which pytrec_eval computes, must be an int in the range [1, 10000]. ...
    """
    allowed = {**PARAMETERS[""], **PARAMETERS.get(provider, {})}
    for name in filter(allowed.__contains__, measure.SUPPORTED_PARAMS):
        if name in measure.params:
            allowed[name].check(measure.params[name], name, f"{measure}, which {provider} computes,")
        elif allowed[name].required:
            raise UsageError(
                f"ir_measures does not compute {measure} without a {name}. Give one, such as {measure}@10."
            )
    if {"min_rel", "max_rel"} <= measure.SUPPORTED_PARAMS.keys() and measure["min_rel"] >= measure["max_rel"]:
        raise UsageError(
            f"The 'max_rel' parameter of {measure} must be larger than 'min_rel': a document of grade min_rel has the gain 0, "
            f"and one of max_rel the gain 1. Got min_rel={measure['min_rel']} and max_rel={measure['max_rel']}."
        )


def refuse_grades(measures: Sequence[ir_measures.Measure], provider: str, judgments: Judgments) -> None:
    """Raise if the qrels have a grade with which the provider of some measures does not compute."""
    largest, grade = GRADES.get(provider), judgments.grade
    if largest is None:
        return
    fraction = grade % 1 != 0
    odd = np.flatnonzero(fraction | (grade > largest))
    if not len(odd):
        return
    first = int(odd[0])
    topic = judgments.topics[int(np.searchsorted(judgments.offsets, first, side="right")) - 1]
    raise refusal(
        measures,
        provider,
        f"grades that are whole numbers up to {largest}. Found the grade {grade[first]:.17g} of document "
        f"{judgments.docs[first]!r} for query {str(topic)!r} in {named(judgments)}",
        f"Write the grades as 0 to {largest}"
        if not fraction[first]
        else "Write whole numbers, use a measure of an irmx plugin, which takes fractions (with rel=0.5, for instance)",
    )


def named(judgments: Judgments) -> str:
    """Return the qrels, with their file, for a message."""
    return f"the qrels {judgments.origin.source}".rstrip()


def refusal(measures: Sequence[ir_measures.Measure], provider: str, reads_and_found: str, remedy: str) -> DataError:
    """Return the error about data that the provider of some measures does not read, or misreads."""
    one = len(measures) == 1
    names = ", ".join(map(str, measures))
    return DataError(
        f"{names} {'is' if one else 'are'} computed by {provider}, which reads only {reads_and_found}. "
        f"{remedy}, or leave {'this measure' if one else 'these measures'} out."
    )
