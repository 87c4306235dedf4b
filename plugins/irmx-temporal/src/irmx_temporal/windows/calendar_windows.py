"""Time windows: from labels, or cut from dates by the calendar."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from irmx import Param, UsageError
from irmx.ragged import Floats, Ints
from irmx.toolkit import duration_text, seconds, value_repr

if TYPE_CHECKING:
    import pandas as pd

BURST = "burst"

FIRST = -62135596800.0 + 2 * 86400
"""The first second of the year 1 in every time zone; names of windows do not start earlier."""

_CALENDAR = {"d": "D", "w": "W", "mo": "M", "y": "Y"}
"""Calendar units, and the pandas aliases of their periods."""

_DAYS = {"d": 1, "w": 7, "mo": 31, "y": 366}
"""The maximum length of each unit."""

_LONGEST, _SHORTEST = 9999 * 366 * 86400.0, 1e-6
"""The range of years of dates, and the precision of dates, in seconds."""

_WRITTEN = re.compile(r"([0-9]{0,9})\s*(d|w|mo|y)")
_FORM = (
    "a period of the calendar such as '1d', '1w', '1mo' (a month; '1m' is a minute) or '1y', a duration such as '6h' or 3600 "
    "seconds, either of at most 9999 years"
)


class WindowParam(Param):
    """The parameter ``window``: how time windows are defined; None for the labels in the column ``window``."""

    def __init__(self, desc: str) -> None:
        super().__init__(str, desc, default=None)

    def expects(self) -> str:
        """Return a description of the allowed values."""
        return f"{_FORM}, 'burst', or None for the column window"

    def check(self, value: Any, name: str, owner: str) -> Any:
        """Return the canonical form: ``'1mo'``, ``'3600s'`` as ``'1h'``, ``'burst'`` or None."""
        if value is None or value == BURST:
            return value
        period = _period(value)
        if period is not None:
            count, unit = period
            length, text = count * _DAYS[unit] * 86400.0, f"{count}{unit}"
        else:
            try:
                length, text = seconds(value), duration_text(value)
            except UsageError:
                length, text = 0.0, ""
            if text[-1:] in _CALENDAR:
                text = f"{int(length)}s" if length.is_integer() else f"{length!r}s"
        if not _SHORTEST <= length <= _LONGEST:
            raise UsageError(
                f"The {name!r} parameter of {owner} must be {self.expects()}. Got {value_repr(value)} instead."
            )
        return text


def _period(value: Any) -> tuple[int, str] | None:
    """Return the number and the unit of a calendar period, or None for any other text."""
    written = _WRITTEN.fullmatch(value.strip()) if isinstance(value, str) else None
    return None if written is None else (int(written.group(1) or 1), written.group(2))


def cut(timestamps: Floats, window: str, tz: str) -> tuple[Ints, list[str]]:
    """Return the window of every date, numbered in the order of time, and the names of the windows.

    Parameters
    ----------
    timestamps : float array
        Seconds since 1970.
    window : str
        ``'1d'``, ``'1w'`` (weeks begin on Monday), ``'1mo'``, ``'1y'``, several of them such as ``'3mo'`` (counted from
        1970), or a duration such as ``'6h'``, counted from 1970 in UTC.
    tz : str
        The time zone in which days begin.

    Returns
    -------
    numbers : int array
    names : list of str
        The start of each window, by number, or the year 1 if that is later.

    Raises
    ------
    irmx.errors.UsageError
        For a window that is none of these.

    Examples
    --------
    >>> cut(np.array([0.0, 86400.0 * 40, 86400.0 * 45]), "1mo", "UTC")
    (array([0, 1, 1]), ['1970-01', '1970-02'])
    """
    import pandas as pd

    if window is None or window == BURST:
        raise UsageError(f"Windows are cut by {_FORM}. Got {value_repr(window)} instead.")
    period = _period(WindowParam("").check(window, "window", "cut"))
    if period is None:
        step = seconds(window)
        places = np.floor(timestamps / step)
        distinct, numbers = np.unique(places, return_inverse=True)
        return numbers, [text.replace("T", " ") for text in shown(np.maximum(distinct * step, FIRST), tz, "s")]
    count, unit = period[0], _CALENDAR[period[1]]
    periods, first = (_local(times, tz).to_period(unit) for times in (timestamps, np.array([FIRST])))
    places = (periods.astype("int64") // count).to_numpy()
    distinct, numbers = np.unique(places, return_inverse=True)
    starts = pd.PeriodIndex.from_ordinals(np.maximum(distinct * count, first.astype("int64")[0]), freq=periods.freq)
    names = [str(p.start_time.date()) if unit == "W" else str(p) for p in starts]
    return numbers, names


def _local(timestamps: Floats, tz: str) -> pd.DatetimeIndex:
    """Return the local time in a time zone."""
    from zoneinfo import ZoneInfo

    import pandas as pd

    moments = pd.DatetimeIndex((timestamps * 1e6).round().astype("datetime64[us]"), tz="UTC")
    return moments.tz_convert(ZoneInfo(tz)).tz_localize(None)


def shown(timestamps: Floats, tz: str, unit: Literal["s", "D"]) -> list[str]:
    """Return the local time in a time zone as text, to the second or the day.

    >>> shown(np.array([0.0]), "Asia/Tokyo", "s"), shown(np.array([0.0]), "America/New_York", "D")
    (['1970-01-01T09:00:00'], ['1969-12-31'])
    """
    texts: list[str] = np.datetime_as_string(_local(timestamps, tz).to_numpy().astype(f"datetime64[{unit}]")).tolist()
    return texts


def zone(value: str) -> str:
    """Return the name of a time zone, checked.

    >>> zone("Europe/Berlin")
    'Europe/Berlin'
    """
    from zoneinfo import ZoneInfo

    try:
        ZoneInfo(value)
    except Exception:
        raise UsageError(
            f"The 'tz' parameter must be the name of a time zone, such as 'UTC' or 'Europe/Berlin'. Got {value_repr(value)} instead."
        ) from None
    return value
