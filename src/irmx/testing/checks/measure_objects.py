"""Checks of measures as objects: written and parsed back, compared, copied, sent to other processes."""

from __future__ import annotations

import copy
import pickle
from functools import partial
from typing import Any

import ir_measures

from irmx.declare.expressions import parse_measure
from irmx.declare.measures import Measure
from irmx.testing.checks.parameters import settings
from irmx.testing.sample import Sample
from irmx.testing.trying import Data, Values, failure, require_same, values


def check_expression(measure: Measure, data: Data) -> None:
    """The text of a measure, in other settings too, parses back to an equal measure, by the ``parse_measure`` of irmx and of ir_measures."""
    for one in settings(measure):
        _require_parsed(one)


def _require_parsed(measure: Measure) -> None:
    asked = f"Its text {str(measure)!r}, of the parameters {measure.params}, must parse back to an equal measure."
    for parse in (parse_measure, ir_measures.parse_measure):
        try:
            found = parse(str(measure))
        except Exception as error:
            raise failure(measure, asked, f"It raised {type(error).__name__}: {error}") from error
        if type(found) is not type(measure) or repr(found) != repr(measure) or not _same_parameters(found, measure):
            raise failure(
                measure, asked, f"It is {found!r} of {type(found).__name__}, with the parameters {found.params}."
            )


def check_equality(measure: Measure, data: Data) -> None:
    """Measures are equal, with equal hashes, exactly if their parameters are."""
    again = type(measure)(**measure.params)
    if again != measure or hash(again) != hash(measure):
        raise failure(
            measure, "Made with the same parameters it must be equal, and have the same hash.", f"It is {again!r}."
        )
    others: list[Any] = [str(measure), None, *(m for m in settings(measure) if not _same_parameters(m, measure))]
    for other in others:
        if measure == other:
            found = f"It equals {other!r} of the parameters {getattr(other, 'params', None)}."
            raise failure(measure, "It must differ from other objects and settings.", found)


def _same_parameters(one: Measure, other: Measure) -> bool:
    """Tell whether two measures of one class have the same parameters, given or by default."""
    return all(one[name] == other[name] for name in other.SUPPORTED_PARAMS)


def check_copies(measure: Measure, data: Data) -> None:
    """A copy, a deep copy and a pickle of every protocol are equal, in other settings too, and give the same values."""
    sample = data.some(measure)
    expected = values(measure, sample)
    ways: dict[str, Any] = {"copy.copy": copy.copy, "copy.deepcopy": copy.deepcopy}
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        ways[f"pickle of protocol {protocol}"] = partial(_through_pickle, protocol=protocol)
    for name, way in ways.items():
        try:
            found = way(measure)
        except Exception as error:
            raise failure(measure, f"{name} must work.", f"It raised {type(error).__name__}: {error}") from error
        _require_equal(measure, name, found)
        asked = f"{name} must give a measure with the same values."
        require_same(measure, asked, expected, values(found, sample), name, sample)
    for one in settings(measure):
        _require_equal(one, "A pickle", _through_pickle(one))


def _through_pickle(measure: Measure, protocol: int | None = None) -> Measure:
    """Return what a pickle of a measure gives back; it was made here, in this process, and never comes from a file or a user."""
    found: Measure = pickle.loads(pickle.dumps(measure, protocol))  # noqa: S301
    return found


def _require_equal(measure: Measure, name: str, found: Measure) -> None:
    if found != measure or hash(found) != hash(measure) or not _same_parameters(found, measure):
        asked = f"{name} must give an equal measure."
        raise failure(measure, asked, f"It gave {found!r} for one of the parameters {measure.params}.")


def check_joblib(measure: Measure, data: Data) -> None:
    """It scores in another process, as in a sweep: joblib with loky."""
    from joblib import Parallel, delayed

    sample = data.some(measure)
    plain = Sample(sample.qrels, sample.run)
    try:
        [(found, there)] = Parallel(n_jobs=2, backend="loky")([delayed(_elsewhere)(measure, plain)])
    except Exception as error:
        asked = "It must score in another process, where its class must be importable."
        raise failure(measure, asked, f"joblib raised {type(error).__name__}: {error}") from error
    if there != repr(measure):
        raise failure(measure, "It must be an equal measure in another process.", f"It is {there} there.")
    asked = "Another process must give the same values."
    require_same(measure, asked, values(measure, sample), found, "in another process", sample)


def _elsewhere(measure: Measure, sample: Sample) -> tuple[Values, str]:
    """Return the values that another process computes, and what the measure is there."""
    return values(measure, sample), repr(measure)
