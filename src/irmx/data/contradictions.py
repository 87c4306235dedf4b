"""Contradictory qrels rows: rows of the same document and subtopic with different grades."""

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
    """Warn about rows that contradict each other, naming the first two.

    Rows of one document that differ in a column of labels, such as the iteration, belong to different subtopics or
    other parts and do not contradict each other; rows with the same grade do no harm.

    Parameters
    ----------
    columns : Columns
        The columns of the qrels.
    order : int array, shape (rows,)
        The rows sorted by topic and document; those of one document are in ascending order.
    starts : int array, shape (documents,)
        Where in ``order`` the rows of each document start.
    grade : float array
        The grade of every row.
    place : callable
        Returns the file and the lines of some rows; empty if there is no file.
    """
    lengths = np.diff(starts, append=len(order))
    by_document = grade[order]
    several = np.minimum.reduceat(by_document, starts) < np.maximum.reduceat(by_document, starts)
    if several.any():
        candidates = np.repeat(several, lengths)
        contradiction = _contradiction(
            columns,
            order[candidates],
            np.repeat(np.arange(len(starts)), lengths)[candidates],
            by_document[candidates],
        )
        if contradiction is not None:
            rows = f"The qrels, rows {' and '.join(map(str, contradiction.rows))} (counted from 0)"
            warnings.warn(str(contradiction.at(place(contradiction.rows) or rows)), DataWarning, stacklevel=2)


def _contradiction(columns: Columns, rows: Ints, document: Ints, grade: Floats) -> DataError | None:
    """Return the message about documents with several grades; None if labels distinguish their rows."""
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
