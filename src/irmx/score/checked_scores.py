"""The one place through which the values of measures pass: their type, shape and range are checked there."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from irmx.declare.declared import bounds
from irmx.declare.measure_failures import in_full, is_number
from irmx.declare.measures import Measure
from irmx.errors import PluginError, counted, value_repr
from irmx.ragged import Array, Floats
from irmx.score.topic_scores import TopicScores

ROUNDING = 1e-9
"""How far beyond its range a value may be, relative to the bound, or to 1 near 0: that much is regarded as rounding."""


def checked(measure: Measure, topics: Sequence[Any], scores: Any) -> TopicScores:
    """Return the scores of a measure as float arrays.

    A value that is beyond the range of its measure by no more than rounding stays as it is.

    Parameters
    ----------
    measure : Measure
        The measure.
    topics : sequence
        The topics that it was to score.
    scores : array or TopicScores
        What it returned.

    Raises
    ------
    irmx.errors.PluginError
        Unless there is one real, finite number per topic, within the range of the measure. The message names the first topic
        with another value.
    """
    given = scores if isinstance(scores, TopicScores) else TopicScores(scores)
    if not isinstance(given.fields, Mapping):
        raise PluginError(
            f"{in_full(measure)} returned fields of type {type(given.fields).__name__}; a dict is expected."
        )
    shape = (len(topics),)
    values = _numbers(measure, "", given.values, shape)
    _refuse_outside(measure, topics, values)
    fields = {name: _numbers(measure, str(name), array, shape) for name, array in given.fields.items()}
    if given.covariance is None:
        return TopicScores(values, fields)
    return TopicScores(values, fields, _numbers(measure, "a covariance", given.covariance, 2 * shape))


def _numbers(measure: Measure, what: str, values: Any, shape: tuple[int, ...]) -> Floats:
    """Return what a measure returned as an array of floats of a shape."""
    if type(values) is np.ndarray and values.dtype == np.float64 and values.shape == shape:
        return values
    try:
        array = np.asarray(values)
    except Exception as error:  # such as rows of different lengths
        raise _refusal(measure, what, f"{value_repr(values)}, which is no array ({error})", shape) from error
    if array.shape != shape:
        how = (
            f"an array of shape {array.shape}" if isinstance(values, (np.ndarray, list, tuple)) else value_repr(values)
        )
        raise _refusal(measure, what, how, shape)
    if array.dtype.kind == "O" and all(map(is_number, array.flat)):
        try:
            array = array.astype(np.float64)
        except OverflowError:
            raise _refusal(measure, what, "a number that is too large for a 64-bit float", shape) from None
    if array.dtype.kind not in "biuf":
        how = next((one for one in array.flat if not is_number(one)), values)
        raise _refusal(measure, what, f"{value_repr(how)}, which is not a real number,", shape)
    if isinstance(values, np.ma.MaskedArray) and np.ma.getmaskarray(values).any():
        raise _refusal(measure, what, "a masked array, in which numbers are missing,", shape)
    return array.astype(np.float64, copy=False)


def _refusal(measure: Measure, what: str, found: str, shape: tuple[int, ...]) -> PluginError:
    """Return the error about an array that a measure returned, empty for its values."""
    topics = counted(shape[0], "topic")
    expected = "one number per topic" if len(shape) == 1 else "one number per pair of topics"
    of_what = f" as {what}" if what else ""
    return PluginError(f"{in_full(measure)} returned {found}{of_what} for {topics}; {expected} is expected.")


def _refuse_outside(measure: Measure, topics: Sequence[Any], values: Floats) -> None:
    """Raise for a value that is not finite, or not in the range of its measure."""
    if not len(values):
        return
    low, high = bounds(measure.RANGE)
    least, most = float(np.minimum.reduce(values)), float(np.maximum.reduce(values))  # of values with NaN, NaN
    beyond_low, beyond_high = low - ROUNDING * max(1.0, abs(low)), high + ROUNDING * max(1.0, abs(high))
    if beyond_low <= least and most <= beyond_high and -math.inf < least and most < math.inf:
        return
    finite = np.isfinite(values)
    if not finite.all():
        raise PluginError(f"{in_full(measure)} has no finite value for query {_first(topics, ~finite)}.")
    outside = (values < beyond_low) | (values > beyond_high)
    value = float(values[outside.argmax()])
    raise PluginError(
        f"{in_full(measure)} has the value {value!r} for query {_first(topics, outside)}, outside its range "
        f"[{low:g}, {high:g}]. Correct the score, or the range that it declares (RANGE, or range= of @irmx.measure)."
    )


def _first(topics: Sequence[Any], where: Array) -> Any:
    return topics[int(where.argmax())]


def checked_mean(measure: Any, values: Floats, mean: Any) -> float:
    """Return what the aggregator of a measure made of its values; raise if it is no number, or NaN without a reason."""
    if is_number(mean) and (math.isfinite(mean) or not len(values) or not np.isfinite(values).all()):
        return float(mean)
    raise PluginError(
        f"{in_full(measure)} has an aggregator whose result is {value_repr(mean)}; a finite number is expected."
    )
