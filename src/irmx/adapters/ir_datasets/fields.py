"""Fields of documents that provide columns of qrels; plugins declare them for the columns that they read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from irmx.adapters.ir_datasets.dates_in_texts import FORMS, Parsed
from irmx.errors import PluginError
from irmx.ragged import short_repr
from irmx.registry import registry


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
