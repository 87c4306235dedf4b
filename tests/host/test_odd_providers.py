"""What a provider of ir_measures returns or raises is never taken for a value unless it is one."""

import sys
from collections.abc import Callable
from typing import Any

import ir_measures
import pytest
from ir_measures import Metric, nDCG

import irmx
from irmx import DataError
from irmx.score.backends import Provided

AP = irmx.parse_measure("AP")
QRELS, RUN = {"q": {"a": 1}, "r": {"a": 1}}, {"q": {"a": 1.0}, "r": {"a": 1.0}}


class Odd:
    """A provider that returns what it is told to; this may be a function that raises."""

    NAME = "odd"

    def __init__(self, answer: Any) -> None:
        self._answer = answer

    def evaluator(self, measures: Any, qrels: Any) -> Any:
        return self

    def iter_calc(self, run: Any) -> Any:
        return self._answer() if callable(self._answer) else self._answer

    def install_instructions(self) -> str:
        return ""


class Mute(RuntimeError):
    def __str__(self) -> str:
        raise ZeroDivisionError


def raising(error: BaseException) -> Callable[[], Any]:
    def call() -> None:
        raise error

    return call


def values_of(answer: Any) -> list[float]:
    provided = Provided(Odd(answer), [AP], irmx.read_qrels(QRELS))
    return provided.score(irmx.Join(irmx.read_run(RUN), irmx.read_qrels(QRELS)))[AP].values.tolist()


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ([Metric("q", AP, 1j)], "returned 1j, which is not a real number, for query 'q'"),
        ([Metric("q", AP, "0.5")], "returned '0.5', which is not a real number, for query 'q'"),
        ([Metric("q", AP, None)], "returned None, which is not a real number, for query 'q'"),
        ([Metric("q", AP, float("nan"))], "returned nan for query 'q', which is usually one without"),
        ([Metric("q", AP, 0.5), Metric("r", AP, 0.5), Metric("q", AP, 0.7)], "returned 0.5 and 0.7 for query 'q'"),
        ([Metric("q", nDCG, 0.5)], "which is no value of such a measure"),
        ([("q", 0.5)], r"returned \('q', 0.5\), which is no value of such a measure"),
        (None, "failed with TypeError"),
        (lambda: sys.exit(0), "failed with SystemExit: 0"),
        (raising(GeneratorExit()), "failed with GeneratorExit"),
        (raising(Mute()), "failed with Mute, whose text raises ZeroDivisionError"),
    ],
    ids=["complex", "text", "none", "nan", "twice", "another measure", "tuple", "nothing", "exit", "closing", "mute"],
)
def test_what_is_no_value_is_refused_with_the_provider(answer: Any, told: str) -> None:
    with pytest.raises(DataError, match=rf"AP cannot be computed: .*provider odd .*{told}"):
        values_of(answer)


def test_ctrl_c_in_a_provider_is_raised() -> None:
    with pytest.raises(KeyboardInterrupt):
        values_of(raising(KeyboardInterrupt()))


def test_values_are_taken_however_they_are_ordered_or_repeated() -> None:
    metrics = [Metric("r", AP, 1), Metric("q", AP, 0.5), Metric("other", AP, 0.25), Metric("q", AP, 0.5)]
    assert values_of(metrics) == [0.5, 1.0]
    assert isinstance(AP, ir_measures.Measure)
