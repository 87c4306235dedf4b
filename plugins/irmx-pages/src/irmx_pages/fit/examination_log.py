"""Logs of which blocks of a page users were observed to examine."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from irmx import DataError, Param, read_table
from irmx.ragged import Bools, Floats, Ints, offsets_of, short_repr
from irmx_pages.page.page_arrays import WEB, WEB_ORIENTATION, Pages

if TYPE_CHECKING:
    import pandas as pd

_COLUMNS: dict[str, Param | type] = {
    "session": Param(str, "one visit of a user to a page", required=True),
    "position": Param(int, "position of the block on the page", low=1, required=True),
    "examined": Param(bool, "whether the user was observed to examine the block", required=True),
    "visual": Param(bool, "whether the block contains an image or a video", default=False),
    "gain": Param(float, "gain of the block", low=0, high=1, default=0.0),
    "user": Param(str, "who visited the page"),
}


@dataclass(frozen=True)
class ExaminationLog:
    """Visits of users to pages, as returned by :func:`read_examinations`.

    Attributes
    ----------
    sessions : list of str
        The label of every visit.
    pages : Pages
        The page of every visit; its blocks are general web results with one item.
    gain : float array, shape (blocks,)
        The gain of every block, 0 if the log has no gains.
    examined : bool array, shape (blocks,)
        Whether the user was observed to examine the block.
    cluster : int array, shape (sessions,)
        The number of the user or, without users in the log, of the session.
    has : frozenset of str
        Which of the columns ``gain`` and ``visual`` the log has.
    """

    sessions: list[str]
    pages: Pages
    gain: Floats
    examined: Bools
    cluster: Ints
    has: frozenset[str]

    __repr__ = short_repr

    def __len__(self) -> int:
        return len(self.sessions)

    @cached_property
    def distinct(self) -> tuple[ExaminationLog, Ints]:
        """A log with every distinct page once, and the index of each session's page in it."""
        kinds: dict[bytes, int] = {}
        look = np.column_stack([self.gain, self.pages.visual])
        of_session = [
            kinds.setdefault(look[start:end].tobytes(), len(kinds)) for start, end in pairwise(self.pages.offsets)
        ]
        _, first = np.unique(of_session, return_index=True)
        keep = np.isin(self.pages.page, first)
        blocks = self.pages.where(keep)
        offsets = offsets_of(self.pages.blocks[first])
        names = [self.sessions[i] for i in first]
        log = ExaminationLog(
            names,
            replace(blocks, offsets=offsets),
            self.gain[keep],
            self.examined[keep],
            self.cluster[first],
            self.has,
        )
        return log, np.array(of_session)

    @property
    def observed(self) -> Floats:
        """The share of the sessions with a block at position 1, 2, ... in which it was observed to be examined."""
        at = self.pages.position - 1
        return np.asarray(np.bincount(at, self.examined) / np.bincount(at))


def read_examinations(source: ExaminationLog | pd.DataFrame | str | os.PathLike[str]) -> ExaminationLog:
    """Return a log of examinations, checked.

    Parameters
    ----------
    source : ExaminationLog, DataFrame, str or Path
        A table, or a .csv, .tsv, .jsonl or .parquet file, with one row per block shown in a session, and the columns

        * ``session``: one visit of a user to a page,
        * ``position``: position of the block on the page, from 1,
        * ``examined``: 1 if the user was observed to examine it, such as by a click or a resting cursor, else 0,
        * ``visual`` (optional): 1 if it contains an image or a video, else 0,
        * ``gain`` (optional): gain of the block, in [0, 1], for a user who stops at a satisfying block,
        * ``user`` (optional): the user; sessions of one user are resampled together.

    Raises
    ------
    irmx.DataError
        If it cannot be read, a column or a value is missing, a value is not allowed, the positions of a
        session are not 1, 2, ..., or a session has two users; names the line of the file, or the row.

    Examples
    --------
    >>> import pandas as pd
    >>> log = read_examinations(pd.DataFrame({"session": ["a", "a", "b", "b"], "position": [1, 2, 1, 2],
    ...                                       "examined": [1, 1, 1, 0]}))
    >>> len(log), log.observed
    (2, array([1. , 0.5]))
    """
    if isinstance(source, ExaminationLog):
        return source
    rows = read_table(source, _COLUMNS, "examinations")
    session, labels = rows.labels("session")
    names = list(labels)
    position, examined, visual, gain = (rows[name] for name in ("position", "examined", "visual", "gain"))
    user = rows.labels("user")[0] if "user" in rows else session
    cluster = np.full(len(names), -1)
    cluster[session[::-1]] = user[::-1]
    order = np.lexsort((position, session))
    size = np.bincount(session)
    offsets = offsets_of(size)
    due = np.arange(len(rows)) - np.repeat(offsets[:-1], size) + 1
    for row in order[position[order] != due][:1].tolist():
        rows.refuse(
            row,
            f"the positions of the session {names[session[row]]!r} must be 1, 2, ... {size[session[row]]}, each once. "
            f"Found {position[row]}.",
        )
    for row in np.flatnonzero(cluster[session] != user)[:1].tolist():
        rows.refuse(row, f"the session {names[session[row]]!r} belongs to another user in an earlier row.")
    ones = np.ones(len(rows))
    pages = Pages(
        offsets,
        np.full(len(rows), WEB, dtype=object),
        ones * WEB_ORIENTATION,
        0 * ones,
        ones.astype(np.int64),
        ones,
        visual[order],
    )
    has = frozenset(name for name in ("visual", "gain") if name in rows)
    return ExaminationLog(names, pages, gain[order], examined[order], cluster, has)


def probabilities(log: ExaminationLog, model: Any) -> Floats:
    """Return the probability that every block of a log is examined, according to an examination model.

    Raises
    ------
    irmx.DataError
        If the model needs a column that the log does not have (named in the message), or returns something that is not
        a probability.
    """
    found = np.asarray(model.probabilities(log.pages, log.gain), dtype=np.float64)
    if not ((found >= 0) & (found <= 1 + 1e-12)).all():
        raise DataError(
            f"The examination model {model!r} gives {found[~((found >= 0) & (found <= 1))][0]:g}, which is not a probability."
        )
    every = np.ones(len(found))
    others = {"gain": (log.pages, every / 2), "visual": (replace(log.pages, visual=every > 0), log.gain)}
    meaning = {"gain": "the gain of each block", "visual": "which blocks contain an image or a video"}
    for column, other in others.items():
        if column not in log.has and not np.allclose(found, model.probabilities(*other), rtol=0, atol=1e-12):
            raise DataError(
                f"The examination model {model.NAME!r} needs to know {meaning[column]}, which the log does not record. "
                f"Add the column {column!r}, or fit another model."
            )
    return np.minimum(found, 1.0)
