"""Datasets of ir_datasets, of plugins, and of packages that register theirs; and the fields of documents that give columns of qrels."""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import os
import re
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta, timezone
from importlib import import_module
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from irmx.adapters.ir_measures import also, is_installed
from irmx.data.judgments import Judgments
from irmx.data.reading import as_table
from irmx.data.table import Source, Table, encoded, from_ints
from irmx.declare.columns import REQUIRED, canonical_names
from irmx.errors import DataError, DataWarning, IrmxError, PluginError, PluginWarning
from irmx.parallel import progress_bar
from irmx.ragged import short_repr
from irmx.registry import registry
from irmx.text import suggest

if TYPE_CHECKING:
    import sqlite3

    import pyarrow as pa


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


# -- datasets of plugins: made at the first use, and loaded by ir_datasets under their ids -----------------------------


_made: dict[str, Any] = {}
_asking: list[Any] = []
"""The module of ir_datasets, once it asks for the datasets of plugins."""


def _register() -> None:
    """Let ir_datasets, if it is imported, load the datasets of plugins by their ids: the pattern takes any that it does not know."""
    module = sys.modules.get("ir_datasets")
    if module not in _asking and hasattr(module, "registry"):
        _asking[:] = [module]
        module.registry.register_pattern("", _of_plugin)  # type: ignore[union-attr]


def _of_plugin(dataset_id: str, groups: tuple[str, ...]) -> Any:
    """Return the dataset of a plugin; none while irmx is not installed in ir_measures, since no pattern can be taken back."""
    if not is_installed() or dataset_id not in registry().datasets():
        raise KeyError(dataset_id)
    return _load(dataset_id)


also(_register, lambda: None)


def _load(dataset_id: str) -> Any:
    """Return the dataset that a plugin has under an id; it is made at the first use."""
    import ir_datasets
    from ir_datasets.util import MetadataComponent

    if dataset_id not in _made:
        declared = registry().datasets()[dataset_id]
        whose = f"The dataset {dataset_id!r} of the plugin {registry().source_of(declared)}"
        try:
            dataset = declared.load()
        except IrmxError:
            raise
        except Exception as error:
            raise DataError(f"{whose} could not be made: {failure(error)}") from error
        if not hasattr(dataset, "has_qrels"):
            raise PluginError(f"{whose} is {dataset!r}, which is not an ir_datasets.Dataset.")
        if not hasattr(dataset, "metadata"):
            dataset = ir_datasets.Dataset(MetadataComponent(dataset_id, dataset), dataset)
        _made[dataset_id] = dataset
    return _made[dataset_id]


def is_taken(dataset_id: str) -> bool:
    """Tell whether an id is one of ir_datasets' own, or was registered there by another package."""
    import ir_datasets

    return dataset_id in ir_datasets.registry and ir_datasets.registry[dataset_id] is not _made.get(dataset_id)


def failure(error: Exception) -> str:
    """Return the message about an error of ir_datasets: with several sources of a file, what came of each."""
    what, *more = error.args or ("",)
    if more and isinstance(more[0], list):
        tried = (f"{_place(source)} ({type(why).__name__})" for source, why in more[0])
        return f"{what}: {', '.join(tried)}."
    return f"{type(error).__name__}: {str(error).rstrip('.') or 'no further details'}."


def _place(source: Any) -> Any:
    """Return where a source of a file is: its address, or its path."""
    from ir_datasets.util import LocalDownload

    return source.path(force=False) if isinstance(source, LocalDownload) else getattr(source, "url", source)


# -- datasets by id --------------------------------------------------------------------------------------------------


ELSEWHERE = {"longeval-": "ir_datasets_longeval"}
"""Prefixes of ids that another package registers, and its module, whose function ``register`` takes the id."""


@dataclass(frozen=True)
class Dataset:
    """A dataset to register with ir_datasets; a plugin returns instances from ``irmx_datasets``.

    Attributes
    ----------
    NAME : str
        The ir_datasets id.
    load : callable
        Returns the ``ir_datasets.Dataset``; called when the id is first used. It declares classes and downloads nothing.
    """

    NAME: str
    load: Callable[[], Any]

    __repr__ = short_repr


def dataset(dataset_id: str) -> Any:
    """Return a dataset of ir_datasets by id, those of plugins included.

    Raises
    ------
    irmx.errors.DataError
        If no dataset has the id; the message suggests the closest.
    """
    import ir_datasets

    _register()
    offered = registry().datasets()
    if dataset_id in offered:
        if not is_taken(dataset_id):
            return _load(dataset_id)
        source = registry().source_of(offered[dataset_id])
        warnings.warn(
            f"{source} claims the dataset {dataset_id!r}, which ir_datasets already has: the one of ir_datasets is used.",
            PluginWarning,
            stacklevel=2,
        )
    if dataset_id not in ir_datasets.registry:
        _register_elsewhere(dataset_id)
    try:
        return ir_datasets.load(dataset_id)
    except KeyError:
        known = [*offered, *map(str, ir_datasets.registry)]
        raise DataError(
            f"{dataset_id!r} is neither a file nor a dataset id of ir_datasets.{suggest(dataset_id, known)}"
        ) from None


def _register_elsewhere(dataset_id: str) -> None:
    """Let another package register a dataset, if it is one of its datasets."""
    for start, module in ELSEWHERE.items():
        if not dataset_id.startswith(start):
            continue
        try:
            import_module(module).register(dataset_id)
        except ImportError as error:
            raise DataError(
                f"{dataset_id!r} is a dataset of the package {module.replace('_', '-')}, which cannot be imported ({error}). "
                f"To get it: python -m pip install {module.replace('_', '-')}."
            ) from None
        except Exception as error:
            raise DataError(
                f"The package {module.replace('_', '-')} could not register {dataset_id!r}: {failure(error)}"
            ) from error


def qrels_table(dataset_id: str) -> pa.Table:
    """Return the qrels of a dataset as a table with all their fields."""
    return qrels_rows(dataset_id).arrow()


def qrels_rows(dataset_id: str) -> Table:
    """Return the qrels of a dataset with all their fields, as irmx reads them."""
    found = dataset(dataset_id)
    if not found.has_qrels():
        raise DataError(f"The dataset {dataset_id!r} has no qrels. Name a subset of it that does, or a qrels file.")
    try:
        return as_table("qrels", found.qrels_iter())
    except (OSError, RuntimeError) as error:
        raise DataError(
            f"The qrels of {dataset_id!r} cannot be read: {failure(error)} Is the network reachable, or the file already "
            "downloaded?"
        ) from error


# -- qrels of datasets with columns from the fields of their documents -----------------------------------------------


def judgments(dataset_id: str, columns: Sequence[str] = ()) -> Judgments:
    """Return the qrels of a dataset with extra columns from the fields of its documents.

    Only judged documents are looked up, and each only once, because the values are kept in a cache.

    Parameters
    ----------
    dataset_id : str
        An id of ir_datasets, or of a dataset of a plugin.
    columns : sequence of str
        The extra columns; for each, a plugin declares an :class:`irmx.Field`.

    Returns
    -------
    Judgments
        With the columns; a value is missing where the document has none.

    Raises
    ------
    irmx.DataError
        If there is no such dataset, it has no qrels, or neither they nor a declared field of its documents provide a column;
        raised before anything is looked up or downloaded. Also if the documents cannot be obtained.

    Warns
    -----
    irmx.DataWarning
        Counts the documents that have no value for a column, and those whose value was derived by a rule.

    Examples
    --------
    >>> import irmx
    >>> irmx.collections.judgments("vaswani", columns=["published"])
    Traceback (most recent call last):
    ...
    irmx.errors.DataError: 'vaswani' has no 'published': ...; its documents have the fields doc_id, text, and none ...
    """
    the_dataset = dataset(dataset_id)
    present = _qrels_columns(the_dataset)
    for column in columns:
        if column not in present:
            _given_by(dataset_id, the_dataset, column)
    return _judged(dataset_id, columns)


def judgments_with(dataset_id: str, columns: Iterable[str]) -> Judgments:
    """Return the qrels of a dataset, with columns from its documents if all of the columns can be obtained.

    If one of them cannot, nothing is looked up, because the columns are needed together.
    """
    the_dataset = dataset(dataset_id)
    present = _qrels_columns(the_dataset)
    lacking = [c for c in columns if c not in present]
    fields = [declared(dataset_id, c) for c in lacking]
    can = the_dataset.has_docs() and all(f is not None and f.field in the_dataset.docs_cls()._fields for f in fields)
    return _judged(dataset_id, lacking if can else ())


class DatasetSource(Source):
    """A dataset that qrels came from."""

    def how_to_get(self, column: str) -> str:
        """Return a sentence on how the qrels get a column, empty if no field of any documents gives it."""
        if not is_declared(column):
            return ""
        try:
            field = _given_by(self.dataset_id, dataset(self.dataset_id), column)
        except DataError as error:
            return f" {error}"
        return (
            f" The field {field.field!r} of the documents of {self.dataset_id!r} gives it: "
            f"irmx.collections.judgments({self.dataset_id!r}, columns=[{column!r}])."
        )


def _qrels_columns(found: Any) -> list[str]:
    """Return the columns that the qrels of a dataset have."""
    return canonical_names("qrels", list(found.qrels_cls()._fields)) if found.has_qrels() else []


def _given_by(dataset_id: str, found: Any, column: str) -> Field:
    """Return the field of its documents that gives a column of a dataset."""
    lacks = f"{dataset_id!r} has no {column!r}: its qrels have the columns {', '.join(_qrels_columns(found)) or 'none'}"
    if not found.has_docs():
        raise DataError(f"{lacks}, and there are no documents that might give it.")
    fields = found.docs_cls()._fields
    field = declared(dataset_id, column)
    if field is None or field.field not in fields:
        why = f"none of them is declared as {column!r}" if field is None else f"not the declared one, {field.field!r}"
        raise DataError(
            f"{lacks}; its documents have the fields {', '.join(fields)}, and {why}. A plugin declares a field with the hook "
            "irmx_fields."
        )
    return field


def _judged(dataset_id: str, columns: Iterable[str]) -> Judgments:
    """Return the judgments, with columns that can be obtained."""
    try:
        table = qrels_rows(dataset_id)
        table.source = DatasetSource(dataset_id=dataset_id)
        for column in columns:
            if column not in table:
                table = table.with_column(column, _column(dataset_id, column, table))
        found = Judgments.from_table(table)
    except DataError as error:
        raise error if dataset_id in str(error) else error.at(dataset_id) from None
    if not len(found):
        raise DataError(f"The qrels {dataset_id} are empty.")
    return found


def values_in_documents(dataset_id: str, column: str, doc_ids: Sequence[str], of: str = "judged") -> dict[str, Value]:
    """Return what different documents of a dataset give for a column; ``of`` says which documents they are."""
    found = dataset(dataset_id)
    field = _given_by(dataset_id, found, column)
    return values_of(dataset_id, found, field, registry().source_of(field), doc_ids, of)


def refuse_not_given(dataset_id: str, column: str) -> None:
    """Raise if no field of the documents of a dataset gives a column."""
    _given_by(dataset_id, dataset(dataset_id), column)


def _column(dataset_id: str, column: str, table: Table) -> pa.Array:
    """Return a column over the rows of qrels."""
    import pyarrow as pa

    code, distinct_ids = encoded(table.ids("doc_id", empty=True))
    doc_ids = distinct_ids.to_pylist()
    values = values_in_documents(dataset_id, column, [d for d in doc_ids if d])
    distinct = [values[d].value if d in values else None for d in doc_ids]
    texts = [v for v in distinct if isinstance(v, str)]
    if texts and any(isinstance(v, float) for v in distinct):
        raise PluginError(f"The field of {dataset_id!r} for {column!r} gives numbers and texts, such as {texts[0]!r}.")
    of_documents = pa.array(distinct, pa.large_string() if texts else pa.float64())
    return of_documents.take(from_ints(code))


# -- documents that are looked up; what was found is kept, so that the next evaluation need not look ------------------


_SHOWN = 60
"""How many characters of a value that cannot be read are shown."""

_LAYOUT = "2"
"""Changes when older files are not to be read any more."""

_PATIENCE = 60
"""How many seconds a process waits for others that are adding to the same file."""


class Value(NamedTuple):
    """What a document gives for a column: the value, the rule that it follows from, and what stands there if it is no value."""

    value: float | str | None
    rule: str = ""
    unreadable: str = ""


class Cache:
    """The values of one field of the documents of one dataset, in a database of SQLite that several processes may use.

    A file that cannot be read is made anew, and without a folder to write to everything is looked up again, each with a warning.
    """

    def __init__(self, dataset_id: str, field: Field, source: str) -> None:
        key = "\n".join([_LAYOUT, dataset_id, field.column, field.field, field.form, source])
        name = re.sub(r"[^\w.-]+", "-", f"{dataset_id}-{field.column}")
        folder = Path(os.environ.get("IRMX_CACHE") or Path.home() / ".cache" / "irmx") / "fields"
        self.path = folder / f"{name}-{hashlib.sha256(key.encode()).hexdigest()[:16]}.sqlite"

    def _open(self) -> sqlite3.Connection:
        import sqlite3

        opened = sqlite3.connect(self.path, timeout=_PATIENCE)
        opened.execute("CREATE TABLE IF NOT EXISTS found (doc_id TEXT PRIMARY KEY, value, rule TEXT, unreadable TEXT)")
        return opened

    def read(self) -> dict[str, Value]:
        """Return the values by document."""
        import sqlite3

        if not self.path.exists():
            return {}
        try:
            with closing(self._open()) as opened:
                return {doc_id: Value(*of) for doc_id, *of in opened.execute("SELECT * FROM found")}
        except sqlite3.Error as error:
            warnings.warn(
                f"The file {self.path} of the cache cannot be read ({error}). The documents are looked up again, and it is "
                "made anew.",
                DataWarning,
                stacklevel=2,
            )
            return {}

    def add(self, values: dict[str, Value]) -> None:
        """Keep more values; what other processes keep at the same time stays."""
        import sqlite3

        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            try:
                self._insert(values)
            except sqlite3.OperationalError:
                raise
            except sqlite3.DatabaseError:  # it is damaged
                self.path.unlink()
                self._insert(values)
        except (sqlite3.Error, OSError) as error:
            warnings.warn(
                f"What was looked up cannot be kept in the cache {self.path.parent} ({error}); the next evaluation looks again. "
                "The environment variable IRMX_CACHE names another folder.",
                DataWarning,
                stacklevel=2,
            )

    def _insert(self, values: dict[str, Value]) -> None:
        with closing(self._open()) as opened, opened:
            rows = [(doc_id, *value) for doc_id, value in values.items()]
            opened.executemany("INSERT OR REPLACE INTO found VALUES (?, ?, ?, ?)", rows)


def values_of(
    dataset_id: str, dataset: Any, field: Field, source: str, doc_ids: Sequence[str], of: str = "judged"
) -> dict[str, Value]:
    """Return what documents give for a column, without those that the dataset lacks.

    Documents that it lacks, that have no value, whose value cannot be read, and those whose value follows from a rule are
    counted in a warning.
    """
    cache = Cache(dataset_id, field, source)
    kept = cache.read()
    sought = [doc_id for doc_id in doc_ids if doc_id not in kept]
    if sought:
        kept |= _looked_up(dataset_id, dataset, field, cache, sought)
    found = {doc_id: kept[doc_id] for doc_id in doc_ids if doc_id in kept}
    _report(dataset_id, field, doc_ids, found, of)
    return found


def _looked_up(dataset_id: str, dataset: Any, field: Field, cache: Cache, doc_ids: list[str]) -> dict[str, Value]:
    """Return what the documents give; what was found before a stop or an error stays in the cache."""
    found: dict[str, Value] = {}
    try:
        with progress_bar(f"Looking up documents of {dataset_id}", len(doc_ids), 0, None) as advance:
            for document in dataset.docs_store().get_many_iter(doc_ids):
                found[document.doc_id] = _value(field, getattr(document, field.field))
                advance(1)
    except PluginError:
        raise
    except Exception as error:
        import ir_datasets

        raise DataError(
            f"{len(doc_ids)} documents of {dataset_id!r} could not be looked up for their field {field.field!r}, which gives "
            f"{field.column!r}: {failure(error)} ir_datasets looked in {ir_datasets.util.home_path()} and, for what it "
            f"downloads, on the network; https://ir-datasets.com/{dataset_id.partition('/')[0]}.html says how to get the "
            "documents."
        ) from error
    finally:
        if found:
            cache.add(found)
    return found


def _value(field: Field, given: Any) -> Value:
    try:
        return Value(*field.value(given))
    except ValueError as error:
        return Value(None, "", f"{repr(given)[:_SHOWN]}: {error}")
    except Exception as error:
        raise PluginError(
            f"The field {field.field!r} of {field.NAME!r}, which gives {field.column!r}, failed on {repr(given)[:_SHOWN]} with "
            f"{type(error).__name__}: {error}"
        ) from error


def _report(dataset_id: str, field: Field, doc_ids: Sequence[str], found: dict[str, Value], of: str) -> None:
    """Warn about documents without a value, with the reasons; raise if no document has one."""
    lacking = [doc_id for doc_id in doc_ids if doc_id not in found]
    empty = [doc_id for doc_id, v in found.items() if v.value is None and not v.unreadable]
    unreadable = [doc_id for doc_id, v in found.items() if v.unreadable]
    of_field = f"field {field.field!r}"
    parts = []
    if lacking:
        parts.append(f"{len(lacking)} not among its documents, such as {lacking[0]}")
    if empty:
        parts.append(f"{len(empty)} with nothing in the {of_field}, such as {empty[0]}")
    if unreadable:
        why = found[unreadable[0]].unreadable
        parts.append(f"{len(unreadable)} whose {of_field} cannot be read, such as {unreadable[0]} with {why}")
    without, of_all = (
        len(lacking) + len(empty) + len(unreadable),
        f"Of {len(doc_ids)} {of} documents of {dataset_id!r}, ",
    )
    if without:
        text = f"{of_all}{without} have no {field.column!r}: {'; '.join(parts)}."
        if without == len(doc_ids):
            raise DataError(text)
        warnings.warn(text, DataWarning, stacklevel=2)
    for rule, count in Counter(v.rule for v in found.values() if v.rule).items():
        first = next(doc_id for doc_id, v in found.items() if v.rule == rule)
        warnings.warn(f"{of_all}{count} have as {of_field} {rule}, such as {first}.", DataWarning, stacklevel=2)


# -- what datasets have ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Listed:
    """A dataset with qrels, as its declarations describe it."""

    NAME: str
    source: str
    qrels: tuple[str, ...]
    columns: dict[str, str] = field(default_factory=dict)


def listed() -> tuple[list[Listed], dict[str, str]]:
    """Return all datasets with qrels, and the ids of those that cannot be inspected, with the reason.

    Only declarations are read: nothing is downloaded, and no file of a dataset is opened.
    """
    import ir_datasets

    _register()
    offered = {n: d for n, d in registry().datasets().items() if not is_taken(n)}
    found, failed = [], {}
    fields = registry().fields()
    for dataset_id in dict.fromkeys([*ir_datasets.registry, *offered]):
        try:
            with _quiet():
                dataset = _load(dataset_id) if dataset_id in offered else ir_datasets.registry[dataset_id]
            if not hasattr(dataset, "deprecated") and dataset.has_qrels():
                found.append(described(dataset_id, dataset, offered.get(dataset_id), fields))
        except Exception as error:
            failed[dataset_id] = f"{type(error).__name__}: {error}"
    return sorted(found, key=lambda one: one.NAME), failed


def described(dataset_id: str, dataset: Any, offer: Dataset | None, fields: list[Field]) -> Listed:
    """Return what the declarations of one dataset say.

    Of the fields that the classes of ir_datasets itself have, only ``subtopic_id`` is a column of the vocabulary:
    ``iteration`` is the second column of a TREC file, 0 nearly everywhere, and ``length`` is not in words.
    """
    kind = _of(dataset.qrels_cls)
    names = ["subtopic_id"] if kind.__module__.partition(".")[0] == "ir_datasets" else list(kind._fields)
    own = canonical_names("qrels", [name for name in names if name in kind._fields])
    columns = {name: "qrels" for name in own if name not in REQUIRED["qrels"]}
    of_documents = _of(dataset.docs_cls)._fields if dataset.has_docs() else ()
    for one in sorted((f for f in fields if f.covers(dataset_id)), key=lambda f: -len(f.NAME)):
        if one.field in of_documents:
            columns.setdefault(one.column, one.field)
    source = "ir_datasets" if offer is None else registry().source_of(offer)
    return Listed(dataset_id, source, tuple(kind._fields), columns)


def _of(declaration: Callable[[], Any]) -> Any:
    """Return what a method of a dataset returns, without the tidying of old files that ir_datasets puts before it."""
    return inspect.unwrap(declaration)()


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep ir_datasets from warning about every id that has been renamed."""
    name = "IR_DATASETS_SKIP_DEPRECATED_WARNING"
    before = os.environ.get(name)
    os.environ[name] = "true"
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before
