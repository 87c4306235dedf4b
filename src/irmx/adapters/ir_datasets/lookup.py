"""Lookup of documents for the values of a field; what was found is kept, so that the next evaluation need not look."""

from __future__ import annotations

import hashlib
import os
import re
import sqlite3
import warnings
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from irmx.adapters.ir_datasets.fields import Field
from irmx.adapters.ir_datasets.plugin_datasets import failure
from irmx.errors import DataError, DataWarning, PluginError
from irmx.parallel import progress_bar

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
        opened = sqlite3.connect(self.path, timeout=_PATIENCE)
        opened.execute("CREATE TABLE IF NOT EXISTS found (doc_id TEXT PRIMARY KEY, value, rule TEXT, unreadable TEXT)")
        return opened

    def read(self) -> dict[str, Value]:
        """Return the values by document."""
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
