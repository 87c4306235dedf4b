"""The texts of documents and topics: from a collection of ir_datasets, from a file, or from a mapping."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from irmx import DataError, Param, read_table
from irmx.collections import dataset


class DocumentTexts(Mapping[str, str]):
    """The texts of the documents of a collection of ir_datasets, looked up one by one."""

    def __init__(self, dataset: Any) -> None:
        self._dataset = dataset
        self._text = lru_cache(maxsize=4096)(self._looked_up)

    def __getitem__(self, doc_id: str) -> str:
        text = self._text(doc_id)
        if text is None:
            raise KeyError(doc_id)
        return text

    def _looked_up(self, doc_id: str) -> str | None:
        try:
            return text_of(self._dataset.docs_store().get(doc_id))
        except KeyError:
            return None

    def __iter__(self) -> Iterator[str]:
        return (doc.doc_id for doc in self._dataset.docs_iter())

    def __len__(self) -> int:
        return int(self._dataset.docs_count())


def text_of(item: Any) -> str:
    """Return the text of a document or topic of ir_datasets.

    >>> from ir_datasets.formats import GenericDoc
    >>> text_of(GenericDoc("d1", "some text"))
    'some text'
    """
    if hasattr(item, "default_text"):
        return str(item.default_text())
    fields = [getattr(item, name, "") for name in ("title", "text", "body")]
    return " ".join(str(field) for field in fields if field)


def collection_named(qrels: Any) -> Any | None:
    """Return the collection of ir_datasets that qrels are an id of; None if they are something else."""
    if not isinstance(qrels, str) or (not qrels.startswith("irds:") and os.path.exists(qrels)):
        return None
    try:
        return dataset(qrels.removeprefix("irds:"))
    except DataError:
        return None


def texts_of_collection(collection: Any) -> DocumentTexts | None:
    """Return the texts of the documents of a collection; None if its documents are not on this machine.

    Collections can be large: nothing is downloaded for a report.
    """
    if collection is None or not collection.has_docs():
        return None
    try:
        path = collection.docs_handler().docs_path(force=False)
        return DocumentTexts(collection) if os.path.exists(path) else None
    except (AttributeError, NotImplementedError, OSError, TypeError, ValueError):
        return None  # where the documents lie cannot be told


def queries_of_collection(collection: Any) -> dict[str, str]:
    """Return the texts of the topics of a collection; empty if it has none, or they cannot be read."""
    if collection is None or not collection.has_queries():
        return {}
    try:
        return {str(query.query_id): text_of(query) for query in collection.queries_iter()}
    except (OSError, RuntimeError):
        return {}


def read_document_texts(path: Path | None) -> dict[str, str] | None:
    """Read the texts of documents from a table with the columns doc_id, and title or text."""
    return _read_texts(path, "doc_id", ("title", "text"), "table of texts")


def read_query_texts(path: Path | None) -> dict[str, str] | None:
    """Read the texts of topics from a table with the column query_id, and query, title or text."""
    return _read_texts(path, "query_id", ("query", "title", "text"), "table of queries")


def _read_texts(path: Path | None, of: str, parts: Sequence[str], what: str) -> dict[str, str] | None:
    """Return texts by id, the parts of each joined by spaces; None where there is no file."""
    if path is None:
        return None
    columns = {of: Param(str, "what the text is of", required=True)}
    table = read_table(str(path), columns | {name: Param(str, "a text", nullable=True) for name in parts}, what)
    names = [name for name in parts if name in table]
    if not names:
        raise DataError(f"{table.name} has no texts. It needs the columns {of}, and {' or '.join(parts)}.")
    texts = (" ".join(filter(None, found)) for found in zip(*(table[name].tolist() for name in names), strict=True))
    return dict(zip(table[of].tolist(), texts, strict=True))
