"""Logs of which blocks of a page users were seen to examine."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from irmx import DataError, Param, read_table
from irmx.ragged import Bools, Floats, Ints, offsets_of
from irmx_pages.page.page_arrays import WEB, WEB_ORIENTATION, Pages

if TYPE_CHECKING:
    import pandas as pd

_COLUMNS: dict[str, Param | type] = {
    "session": Param(str, "the visit of a user to a page", required=True),
    "position": Param(int, "that of the block on the page", low=1, required=True),
    "examined": Param(bool, "whether the user was seen to examine the block", required=True),
    "visual": Param(bool, "whether the block holds an image or a video", default=False),
    "gain": Param(float, "that of the block", low=0, high=1, default=0.0),
    "user": Param(str, "who visits the page"),
}


@dataclass(frozen=True)
class ExaminationLog:
    """Visits of users to pages; what :func:`read_examinations` gives.

    Attributes
    ----------
    sessions : list of str
        The label of every visit.
    pages : Pages
        The page of every visit; its blocks are of the general web, with one item.
    gain : float array, shape (blocks,)
        The gain of every block, 0 where the log does not tell.
    examined : bool array, shape (blocks,)
        Whether the user was seen to examine the block.
    cluster : int array, shape (sessions,)
        The number of the user; without users in the log, of the session.
    has : frozenset of str
        Which of the columns ``gain`` and ``visual`` the log has.
    """

    sessions: list[str]
    pages: Pages
    gain: Floats
    examined: Bools
    cluster: Ints
    has: frozenset[str]

    def __len__(self) -> int:
        return len(self.sessions)

    @cached_property
    def distinct(self) -> tuple[ExaminationLog, Ints]:
        """A log with every page that differs from the others once, and which of them each session's is."""
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
        """The share of the sessions with a block at position 1, 2, ... in which it was seen to be examined."""
        at = self.pages.position - 1
        return np.asarray(np.bincount(at, self.examined) / np.bincount(at))


def read_examinations(source: ExaminationLog | pd.DataFrame | str | os.PathLike[str]) -> ExaminationLog:
    """Return a log of examinations, checked.

    Parameters
    ----------
    source : ExaminationLog, DataFrame, str or Path
        A table, also as a .csv, .tsv, .jsonl or .parquet file, with a row a block that a session's page showed, and the
        columns

        * ``session``: the visit of a user to a page,
        * ``position``: of the block on the page, from 1,
        * ``examined``: 1 if the user was seen to examine it, such as by a click or by the cursor resting on it, else 0,
        * ``visual`` (optional): 1 if it holds an image or a video, else 0,
        * ``gain`` (optional): of the block, in [0, 1], for a user who stops where a block satisfies,
        * ``user`` (optional): who; sessions of one user are resampled together.

    Raises
    ------
    irmx.DataError
        Where it cannot be read, a column or a value is missing, a value is not one of these, the positions of a
        session are not 1, 2, ..., or a session is of two users; says the line of the file, or the row.

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
    session, names = rows.labels("session")
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
        rows.refuse(row, f"the session {names[session[row]]!r} is of another user before.")
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
    """Return how likely an examination model says every block of a log is examined.

    Raises
    ------
    irmx.DataError
        Where the model looks at something that the log does not tell; names the column. Where it gives what is no
        probability.
    """
    found = np.asarray(model.probabilities(log.pages, log.gain), dtype=np.float64)
    if not ((found >= 0) & (found <= 1 + 1e-12)).all():
        raise DataError(
            f"The examination model {model!r} gives {found[~((found >= 0) & (found <= 1))][0]:g}, no probability."
        )
    every = np.ones(len(found))
    others = {"gain": (log.pages, every / 2), "visual": (replace(log.pages, visual=every > 0), log.gain)}
    meaning = {"gain": "the gain of each block", "visual": "which blocks hold an image or a video"}
    for column, other in others.items():
        if column not in log.has and not np.allclose(found, model.probabilities(*other), rtol=0, atol=1e-12):
            raise DataError(
                f"The examination model {model.NAME!r} looks at {meaning[column]}, which the log does not tell. "
                f"Add the column {column!r}, or fit another model."
            )
    return np.minimum(found, 1.0)
