"""Qrels rows that contradict each other: of one document and one subtopic, with different grades."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence

import numpy as np

from irmx.data.tables import Columns
from irmx.declare.columns import REQUIRED, vocabulary
from irmx.errors import DataError, DataWarning
from irmx.ragged import Floats, Ints


def warn_of_contradiction(
    columns: Columns, order: Ints, starts: Ints, grade: Floats, place: Callable[[Sequence[int]], str]
) -> None:
    """Warn of rows that contradict each other, naming the first two.

    Rows of one document that a column of labels tells apart, such as the iteration, are of different subtopics or
    other parts, and rows that say the same do no harm.

    Parameters
    ----------
    columns : Columns
        The columns of the qrels.
    order : int array, shape (rows,)
        The rows by topic and document; those of one document in ascending order.
    starts : int array, shape (documents,)
        Where in ``order`` the rows of each document start.
    grade : float array
        The grade of every row.
    place : callable
        Returns the file and the lines of some rows; nothing where there is no file.
    """
    lengths = np.diff(starts, append=len(order))
    by_document = grade[order]
    several = np.minimum.reduceat(by_document, starts) < np.maximum.reduceat(by_document, starts)
    if several.any():
        here = np.repeat(several, lengths)
        found = _contradiction(
            columns, order[here], np.repeat(np.arange(len(starts)), lengths)[here], by_document[here]
        )
        if found is not None:
            rows = f"The qrels, rows {' and '.join(map(str, found.rows))} (counted from 0)"
            warnings.warn(str(found.at(place(found.rows) or rows)), DataWarning, stacklevel=2)


def _contradiction(columns: Columns, rows: Ints, document: Ints, grade: Floats) -> DataError | None:
    """Return what to say of rows of documents with several grades; None where labels tell these apart."""
    group = np.unique(document, return_inverse=True)[1]
    for name in (c.name for c in vocabulary() if c.table == "qrels" and c.dtype == "str"):
        if name in columns and name not in REQUIRED["qrels"]:
            number, _ = columns.labels(name)
            group = np.unique(group * (number.max() + 2) + number[rows], return_inverse=True)[1]
    first_of_group = np.unique(group, return_index=True)[1]
    odd = np.flatnonzero(grade != grade[first_of_group[group]])
    if not len(odd):
        return None
    second = odd[np.argmin(rows[odd])]
    first = first_of_group[group[second]]
    query, doc = (columns.texts(name)[int(rows[second])].as_py() for name in ("query_id", "doc_id"))
    more = len(np.unique(document[odd])) - 1
    return DataError(
        f"the grades {grade[first]:g} and {grade[second]:g} of document {doc!r} for query {query!r} contradict each other"
        f"{f', and so do those of {more} more' if more else ''}; the largest grade of a document counts.",
        (int(rows[first]), int(rows[second])),
    )
