"""Fields of documents that provide columns of qrels, and the forms of dates in them; plugins declare them for the columns that they read."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone
from numbers import Real
from typing import Any

from irmx.errors import PluginError
from irmx.ragged import short_repr
from irmx.registry import registry

# -- fields of documents that provide columns of qrels ---------------------------------------------------------------


Parsed = float | str | tuple[float | str, str] | None
"""A value, None for a document without one, or a value with the rule that it follows from."""

FIRST_DAY = "a date without a day, taken as the first one of its month or year"
EARLIEST = "several dates, of which the earliest is taken"

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_ISO = re.compile(
    r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(?:[.,](\d+))?\s?(Z|[+-]\d\d:?\d\d)?)?)?)?", re.ASCII
)
_DAY_OF_YEAR = re.compile(r"(\d{4})-(\d\d)-(\d{2,3})(T.+)", re.ASCII)
_TWITTER = re.compile(r"\w{3} (\w{3}) (\d\d) (\d\d:\d\d:\d\d) ([+-]\d{4}) (\d{4})", re.ASCII)
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def iso(value: Any) -> Parsed:
    """Return the seconds since 1970 of a date such as ``2020-07-16``, ``2019-04-25T12:57:54Z`` or ``2020``.

    Examples
    --------
    >>> iso("2019-04-25T12:57:54Z"), iso("2019-04-25 14:57:54.5+02:00"), iso("")
    (1556197074.0, 1556197074.5, None)
    >>> iso("2020")
    (1577836800.0, 'a date without a day, taken as the first one of its month or year')
    """
    if isinstance(value, datetime):
        return _seconds(value)
    if isinstance(value, date):
        return _seconds(datetime(value.year, value.month, value.day))
    text = _text(value)
    if not text:
        return None
    found = _ISO.fullmatch(text)
    if found is None:
        raise ValueError("it is not of the form 2020-07-16 or 2020-07-16T12:30:00Z")
    year, month, day, time, fraction, zone = found.groups()
    zone = "+0000" if zone in (None, "Z") else zone.replace(":", "")
    moment = datetime.fromisoformat(f"{year}-{month or '01'}-{day or '01'}T{time or '00:00'}{zone[:3]}:{zone[3:]}")
    seconds = _seconds(moment) + float(f"0.{fraction or 0}")
    return seconds if day else (seconds, FIRST_DAY)


def warc(value: Any) -> Parsed:
    """Return the seconds since 1970 of the date of a WARC record.

    Records of ClueWeb09 have the day of the year in the place of the day of the month.

    Examples
    --------
    >>> warc("2012-02-10T21:49:45Z"), warc("2009-03-65T08:43:07-0800") == iso("2009-03-06T08:43:07-0800")
    (1328910585.0, True)
    """
    text = _text(value)
    found = _DAY_OF_YEAR.fullmatch(text)
    if found is None or int(found[3]) <= 31:
        return iso(text)
    day = date(int(found[1]), 1, 1) + timedelta(days=int(found[3]) - 1)
    if day.month != int(found[2]):
        raise ValueError(f"day {int(found[3])} of the year {found[1]} is not in month {found[2]}")
    return iso(f"{day}{found[4]}")


def twitter(value: Any) -> Parsed:
    """Return the seconds since 1970 of a date as Twitter writes it.

    Examples
    --------
    >>> twitter("Fri Feb 01 12:00:00 +0000 2013")
    1359720000.0
    """
    text = _text(value)
    if not text:
        return None
    found = _TWITTER.fullmatch(text)
    if found is None or found[1] not in _MONTHS:
        raise ValueError("it is not of the form Fri Feb 01 12:00:00 +0000 2013")
    return iso(f"{found[5]}-{_MONTHS.index(found[1]) + 1:02}-{found[2]}T{found[3]}{found[4]}")


def seconds(value: Any) -> Parsed:
    """Return a number of seconds since 1970; of a list of them the earliest.

    Examples
    --------
    >>> seconds(1640160479), seconds([1640160479, 1640160479]), seconds([]), seconds([20, 10])
    (1640160479.0, 1640160479.0, None, (10.0, 'several dates, of which the earliest is taken'))
    """
    if isinstance(value, (list, tuple)):
        distinct = sorted({_number(v) for v in value})
        return None if not distinct else distinct[0] if len(distinct) == 1 else (distinct[0], EARLIEST)
    return None if value is None else _number(value)


def milliseconds(value: Any) -> Parsed:
    """Return a number of milliseconds since 1970 as seconds.

    Examples
    --------
    >>> milliseconds(1325376562000)
    1325376562.0
    """
    return None if value is None else _number(value) / 1000


def date_or_seconds(value: Any) -> Parsed:
    """Return the seconds since 1970 of a date as :func:`iso` reads it, and a number as it is.

    Examples
    --------
    >>> date_or_seconds(1714564800), date_or_seconds("2024-05-01T12:00:00Z")
    (1714564800.0, 1714564800.0)
    """
    return float(value) if isinstance(value, Real) else iso(value)


FORMS: dict[str, Callable[[Any], Parsed]] = {
    "iso": iso,
    "date": date_or_seconds,
    "warc": warc,
    "twitter": twitter,
    "seconds": seconds,
    "milliseconds": milliseconds,
}
"""The forms of dates by the names that a field may give in the place of a function."""


def _seconds(moment: datetime) -> float:
    aware = moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)
    return (aware - _EPOCH).total_seconds()


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        value = value.decode()
    if value is not None and not isinstance(value, str):
        raise ValueError(f"it is of the type {type(value).__name__}, and a text is expected")
    return (value or "").strip()


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < float("inf"):
        raise ValueError("it is no finite number")
    return float(value)


@dataclass(frozen=True)
class Field:
    """A field of documents that provides a column of the qrels; a plugin returns instances from ``irmx_fields``.

    Attributes
    ----------
    NAME : str
        The id of a dataset; it also covers all its subsets. If several cover an id, the longest applies.
    column : str
        The column of the qrels that measures read.
    field : str
        The field of the documents.
    parse : str or callable
        The format of dates: ``"iso"`` (2020-07-16, 2019-04-25T12:57:54Z, and Python dates; a year or a month alone is read as
        its first day, and counted in a warning), ``"date"`` (the same, or seconds), ``"seconds"`` and ``"milliseconds"``
        since 1970, ``"twitter"``, ``"warc"``. Or a function that takes the value of the field and returns a number or a
        string, None if the document has no value, or a pair of the value and the rule by which it was derived, which is
        counted in a warning. It raises ``ValueError``, with the reason, for a value that it cannot read. Dates become seconds
        since 1970; those without a time zone are in UTC.

    Examples
    --------
    >>> import irmx
    >>> irmx.Field("my-news", "published", "date").value("2020-07-16T02:00:00+02:00")
    (1594857600.0, '')
    >>> irmx.Field("my-news", "genre", "section", str.lower).value("Sports")
    ('sports', '')
    """

    NAME: str
    column: str
    field: str
    parse: str | Callable[[Any], Parsed] = "iso"

    __repr__ = short_repr

    def __post_init__(self) -> None:
        if not callable(self.parse) and self.parse not in FORMS:
            raise PluginError(
                f"The field {self.field!r} of {self.NAME!r} has the unknown form {self.parse!r}. Known: {', '.join(FORMS)}; "
                "or a function."
            )

    def value(self, given: Any) -> tuple[float | str | None, str]:
        """Return the value of a document's field, None if missing, and the rule by which it was derived, empty if none.

        Raises
        ------
        ValueError
            If it cannot be read.
        """
        parse = self.parse if callable(self.parse) else FORMS[self.parse]
        found = parse(given)
        value, rule = found if isinstance(found, tuple) else (found, "")
        return (value if value is None or isinstance(value, str) else float(value)), rule

    @property
    def form(self) -> str:
        """The name of the form, or of the function."""
        return self.parse if isinstance(self.parse, str) else getattr(self.parse, "__qualname__", repr(self.parse))

    def covers(self, dataset_id: str) -> bool:
        """Tell whether an id is that of the dataset or of a part of it.

        >>> Field("wapo", "published", "published_date").covers("wapo/v2/trec-core-2018")
        True
        """
        return dataset_id == self.NAME or dataset_id.startswith(f"{self.NAME}/")


def declared(dataset_id: str, column: str) -> Field | None:
    """Return the field that provides a column of a dataset, None if none is declared."""
    candidates = [f for f in registry().fields() if f.column == column and f.covers(dataset_id)]
    return max(candidates, key=lambda f: len(f.NAME), default=None)


def is_declared(column: str) -> bool:
    """Tell whether some dataset has a field that gives a column."""
    return any(f.column == column for f in registry().fields())
