"""Running of a property on generated data, and values of measures on it."""

from __future__ import annotations

import math
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, TypeVar
from unittest import mock
from weakref import WeakKeyDictionary

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Flaky
from hypothesis.internal.conjecture import providers

from irmx.data.reading import read_qrels, read_run
from irmx.declare.measures import Measure
from irmx.errors import DataError, DataWarning
from irmx.score.evaluator import evaluator
from irmx.testing import strategies
from irmx.testing.strategies import Sample

T = TypeVar("T")

Values = dict[str, float]

EXAMPLES = 15
"""The default number of samples per check; all checks of a fast measure then take a second or two."""


_MOST_SHOWN = 300
"""The number of judgments up to which a failure shows the data."""


class CheckError(AssertionError):
    """A measure does not have the property that a check asks for; the text says what was asked, found, and on which data."""


def failure(measure: Any, asked: str, found: str, *samples: Sample) -> CheckError:
    """Return the failure of a measure on samples."""
    text = f"{measure!s}: {asked} {found}"
    for i, sample in enumerate(samples):
        which = "To see it again:" if i == 0 else "And the other:"
        if len(sample.qrels) > _MOST_SHOWN:
            text += f"\n\nThe data have {len(sample.qrels)} judgments; irmx.testing.strategies.deep makes them."
            break
        text += f"\n\n{which}\n" + "\n".join(f"    {line}" for line in sample.code(measure).splitlines())
    return CheckError(text)


@dataclass(frozen=True)
class Data:
    """The options of the data on which a measure is checked."""

    adapt: Callable[[Sample], Sample] | None = None
    examples: int = EXAMPLES
    shrink: bool = True

    def samples(self, measure: Measure, **options: Any) -> st.SearchStrategy[Sample]:
        """Return samples for a measure; the options are those of :func:`irmx.testing.strategies.samples`."""
        return strategies.samples(measure, adapt=self.adapt, **options)

    def deep(self, measure: Measure) -> Sample:
        """Return a long ranking with many judgments, among them large grades unless the measure refuses these, always the same."""
        sample = strategies.deep(measure, self.adapt)
        try:
            values(measure, sample)
        except CheckError as error:  # any other is told by the check that asked for the sample
            if isinstance(error.__cause__, DataError):
                return strategies.deep(measure, self.adapt, large_grades=False)
        return sample

    def some(self, measure: Measure, **options: Any) -> Sample:
        """Return a sample with several topics and documents, always the same."""
        found: list[Sample] = []
        for_all(self.samples(measure, **options), found.append, self)
        return max(found, key=lambda s: (len(s.topics) > 1, len(s.run) + len(s.qrels)))


def for_all(strategy: st.SearchStrategy[T], holds: Callable[[T], None], data: Data, share: float = 1.0) -> None:
    """Call a function on values of a strategy, always the same ones; raise the failure of the smallest that fails.

    A failure that the same data does not reproduce is raised as it first occurred.
    """
    count = max(1, round(data.examples * share))
    for value in _drawn(strategy, count):
        try:
            holds(value)
        except CheckError as found:
            if data.shrink:
                _raise_smallest(strategy, holds, count, found)
            raise


_DRAWN: WeakKeyDictionary[Any, list[Any]] = WeakKeyDictionary()


def _drawn(strategy: st.SearchStrategy[T], count: int) -> list[T]:
    """Return what a strategy gives; it is drawn once, as many checks and measures look at the same data."""
    if len(_DRAWN.get(strategy, ())) < count:
        drawn: list[T] = []
        _run(strategy, drawn.append, count, Phase.generate)
        _DRAWN[strategy] = drawn
    return _DRAWN[strategy][:count]


def _raise_smallest(strategy: st.SearchStrategy[T], holds: Callable[[T], None], count: int, first: CheckError) -> None:
    """Raise the failure of the smallest value that fails, or the first one where it does not come again."""
    cause: BaseException | None = first.__cause__
    try:
        _run(strategy, holds, count, Phase.generate, Phase.shrink)
    except CheckError as found:
        raise CheckError(*found.args) from found.__cause__
    except Flaky as error:
        cause = cause or error
    raise CheckError(f"{_NOT_AGAIN}{first}") from cause


def _run(strategy: st.SearchStrategy[T], function: Callable[[T], object], count: int, *phases: Phase) -> None:
    """Call a function on what a strategy gives, always the same."""

    @settings(
        max_examples=count,
        derandomize=True,
        database=None,
        deadline=None,
        report_multiple_bugs=False,
        phases=phases,
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def call(value: T) -> None:
        function(value)

    with _same_data_everywhere():
        call()


def for_all_large(measure: Measure, holds: Callable[[Sample], None], data: Data) -> None:
    """Call a function on a few large samples for a measure; if it fails, on every topic of the sample separately.

    Large samples take long to be made smaller; a single topic is small enough to be read.
    """

    def holds_of_topics_too(sample: Sample) -> None:
        try:
            holds(sample)
        except CheckError:
            for topic in sample.topics:
                holds(sample.only([topic]))
            raise

    for_all(data.samples(measure, large=True), holds_of_topics_too, replace(data, shrink=False), share=0.2)


_NOT_AGAIN = "The same data must fail, or pass, every time. This failed once, and then did not: "


_one_at_a_time = threading.RLock()


@contextmanager
def _same_data_everywhere() -> Iterator[None]:
    """Keep Hypothesis from mixing in constants that it finds in the modules of the project that uses the kit.

    With them the data would depend on which modules are loaded, and a folder ``.hypothesis`` would stay behind.
    """
    provider: Any = providers.HypothesisProvider
    with _one_at_a_time, mock.patch.object(provider, "_maybe_draw_constant", _no_constant, create=True):
        yield


def _no_constant(*_: Any, **__: Any) -> None:
    """Stand for a draw among constants that finds none."""


def values(measure: Measure, sample: Sample, qrels: Any = None, run: Any = None) -> Values:
    """Return the value of every topic, of the qrels and run of the sample or of these in another form.

    Those of the sample are computed once.
    """

    def computed() -> Values:
        judgments = qrels
        if qrels is None:  # a copy has nothing that other measures, or the same one before, have left there
            judgments = copy(sample.once("judgments", lambda: read_qrels(sample.qrels_table)))
        rankings = sample.once("rankings", lambda: read_run(sample.run_table)) if run is None else run
        return evaluator([measure], judgments).values(rankings)[measure]

    with must_work(measure, HAS_VALUE, sample):
        if qrels is not None or run is not None:
            return computed()
        return sample.once(("values", id(measure)), lambda: (computed(), measure))[0]  # no other is given its id


HAS_VALUE = "It must have a value."


@contextmanager
def silent() -> Iterator[None]:
    """Suppress warnings, which a separate check examines."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@contextmanager
def must_work(measure: Any, asked: str, *samples: Sample) -> Iterator[None]:
    """Turn whatever a block raises into the failure of a measure, on samples if there are some; warnings are suppressed."""
    try:
        with silent():
            yield
    except CheckError:
        raise
    except Exception as error:
        raise failure(measure, asked, f"It raised {type(error).__name__}: {error}", *samples) from error


def text_of_refusal(measure: Any, asked: str, kind: type[Exception], call: Callable[[], Any], *samples: Sample) -> str:
    """Return the text of the error that a call must raise; anything else is the failure of a measure."""
    with must_work(measure, asked, *samples):
        try:
            found = call()
        except kind as error:
            return str(error)
    raise failure(measure, asked, f"It gave {found!r}.", *samples)


def values_quietly(measure: Measure, sample: Sample) -> Values:
    """Return the value of every topic; what is no ``DataWarning`` is a failure."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", DataWarning)
            return evaluator([measure], sample.qrels_table).values(sample.run_table)[measure]
    except Exception as error:
        asked = "Scoring must warn of nothing but the data."
        raise failure(measure, asked, f"It raised {type(error).__name__}: {error}", sample) from error


def same(a: float, b: float) -> bool:
    """Tell whether two values are equal but for rounding; NaN equals NaN."""
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12) or (math.isnan(a) and math.isnan(b))


def require_same(
    measure: Measure, asked: str, one: Values, other: Values, what: str, sample: Sample, *others: Sample
) -> None:
    """Raise if the values of a topic differ."""
    for topic, value in one.items():
        if topic not in other or not same(value, other[topic]):
            there = f"{other[topic]:.12g}" if topic in other else "no value"
            raise failure(measure, asked, f"Query {topic} has {value:.12g}; {what}, {there}.", sample, *others)
