"""Preferences of people between two pages of a topic: reading them, their majorities, how far assessors agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from irmx import DataError, UsageError
from irmx_pages.text_rows import Rows, read_rows

if TYPE_CHECKING:
    import pandas as pd

Floats = np.ndarray[Any, np.dtype[Any]]
Ints = np.ndarray[Any, np.dtype[Any]]

CHOICES = {"a": 1, "b": -1, "tie": 0}
"""What an assessor may choose, and the number that stands for it."""


@dataclass(frozen=True)
class Preferences:
    """Votes of assessors on pairs of pages.

    Attributes
    ----------
    query_id, page_a, page_b : list of str, (pairs,)
        The topic and the pages of every pair; a pair that was shown both ways round is one pair, as it was first.
    bin_pair : list of str, (pairs,), or None
        The group of every pair, such as ``H-L`` for a page of high and one of low quality.
    assessors : list of str
        Their names.
    pair, assessor, choice : int array, (votes,)
        The pair and the assessor of every vote, and what was chosen: 1 for page a, -1 for page b, 0 for a tie.
    places : list of str, (pairs,)
        Where each pair first stands in its source, for messages.
    """

    query_id: list[str]
    page_a: list[str]
    page_b: list[str]
    bin_pair: list[str] | None
    assessors: list[str]
    pair: Ints
    assessor: Ints
    choice: Ints
    places: list[str]

    def __len__(self) -> int:
        return len(self.query_id)

    @property
    def counts(self) -> Ints:
        """How many votes every pair has for page a, for page b and for neither: shape (pairs, 3)."""
        kinds = [(self.choice == value).astype(float) for value in CHOICES.values()]
        return np.stack([np.bincount(self.pair, kind, len(self)) for kind in kinds], axis=1).astype(np.int64)

    def majority(self, level: float = 0.75) -> Ints:
        """Return what at least a share of the assessors of each pair prefers.

        Parameters
        ----------
        level : float
            In (0.5, 1]: .75 for three of four, 1 for all. A vote for a tie counts among the assessors of the pair.

        Returns
        -------
        int array, shape (pairs,)
            1 for page a, -1 for page b, 0 where neither has so many votes.

        Examples
        --------
        >>> import pandas as pd
        >>> votes = pd.DataFrame({"query_id": "q", "page_a": "p", "page_b": "r", "assessor": [1, 2, 3, 4],
        ...                       "choice": ["a", "a", "tie", "a"]})
        >>> preferences = read_preferences(votes)
        >>> preferences.majority(0.75), preferences.majority(1)
        (array([1]), array([0]))
        """
        if not 0.5 < level <= 1:
            raise UsageError(f"The level of a majority must be a number in the range (0.5, 1]. Got {level!r} instead.")
        share = self.counts / self.counts.sum(axis=1, keepdims=True)
        enough = share + 1e-12 >= level
        return np.asarray(enough[:, 0].astype(np.int64) - enough[:, 1])

    def frame(self) -> pd.DataFrame:
        """Return the votes as the table that :func:`read_preferences` reads, a row a vote."""
        import pandas as pd

        names = {value: name for name, value in CHOICES.items()}
        pairs = self.pair.tolist()
        columns: dict[str, list[str]] = {
            "query_id": [self.query_id[i] for i in pairs],
            "page_a": [self.page_a[i] for i in pairs],
            "page_b": [self.page_b[i] for i in pairs],
            "assessor": [self.assessors[i] for i in self.assessor.tolist()],
            "choice": [names[value] for value in self.choice.tolist()],
        }
        if self.bin_pair is not None:
            columns["bin_pair"] = [self.bin_pair[i] for i in pairs]
        return pd.DataFrame(columns)


def read_preferences(source: Any) -> Preferences:
    """Return preferences, checked.

    Parameters
    ----------
    source : Preferences, DataFrame, str or Path
        A table, also as a .csv, .tsv, .jsonl or .parquet file, with a row a vote and the columns ``query_id``, ``page_a``,
        ``page_b``, ``assessor``, ``choice`` (``a``, ``b`` or ``tie``) and, if there, ``bin_pair``.

    Raises
    ------
    irmx.DataError
        Where it cannot be read, a choice is none of these, a page is compared with itself, an assessor votes twice on a
        pair, or a pair has two groups; says the file and the line.

    Examples
    --------
    >>> import pandas as pd
    >>> votes = [("q", "p", "r", "ann", "a"), ("q", "r", "p", "bob", "a"), ("q", "p", "s", "ann", "tie")]
    >>> columns = ["query_id", "page_a", "page_b", "assessor", "choice"]
    >>> preferences = read_preferences(pd.DataFrame(votes, columns=columns))
    >>> len(preferences), preferences.counts.tolist()
    (2, [[1, 1, 0], [0, 0, 1]])
    """
    if isinstance(source, Preferences):
        return source
    rows = read_rows(source, "preferences", ("query_id", "page_a", "page_b", "assessor", "choice"))
    query, a, b, who = (rows.columns[name] for name in ("query_id", "page_a", "page_b", "assessor"))
    groups = rows.columns.get("bin_pair")
    pairs: dict[tuple[str, str, str], int] = {}
    assessors: dict[str, int] = {}
    voted: dict[tuple[int, int], int] = {}
    group_of: list[str] = []
    places: list[str] = []
    votes: list[tuple[int, int, int]] = []
    for row, (q, one, other) in enumerate(zip(query, a, b, strict=True)):
        if one == other:
            raise DataError(f"{rows.place(row)}: page {one!r} of topic {q!r} is compared with itself.")
        choice = _choice(rows, row)
        if (q, other, one) in pairs:
            one, other, choice = other, one, -choice
        pair = pairs.setdefault((q, one, other), len(pairs))
        group = "" if groups is None else groups[row]
        if pair == len(group_of):
            group_of.append(group)
            places.append(rows.place(row))
        elif group_of[pair] != group:
            raise DataError(
                f"{rows.place(row)}: the pages {one!r} and {other!r} of topic {q!r} have the bin_pair {group!r} here and "
                f"{group_of[pair]!r} before."
            )
        assessor = assessors.setdefault(who[row], len(assessors))
        before = voted.setdefault((pair, assessor), row)
        if before != row:
            raise DataError(
                f"{rows.place(row)}: the assessor {who[row]!r} has chosen between {one!r} and {other!r} of topic {q!r} "
                f"already. First: {rows.place(before)}."
            )
        votes.append((pair, assessor, choice))
    pair, assessor, choice = np.array(votes, dtype=np.int64).T
    topics, pages_a, pages_b = (list(values) for values in zip(*pairs, strict=True))
    return Preferences(
        topics,
        pages_a,
        pages_b,
        None if groups is None else group_of,
        list(assessors),
        pair,
        assessor,
        choice,
        places,
    )


def _choice(rows: Rows, row: int) -> int:
    given = rows.columns["choice"][row]
    if given.lower() not in CHOICES:
        raise DataError(f"{rows.place(row)}: the choice {given!r} is none of a (for page_a), b (for page_b) and tie.")
    return CHOICES[given.lower()]


def fleiss_kappa(counts: Any) -> float:
    r"""Return Fleiss' kappa: how much more than by chance assessors agree.

    .. math:: \kappa = \frac{\bar P - \bar P_e}{1 - \bar P_e}, \quad
              P_i = \frac{\sum_j n_{ij}(n_{ij} - 1)}{n_i (n_i - 1)}, \quad
              \bar P_e = \sum_j \Bigl(\frac{\sum_i n_{ij}}{\sum_i n_i}\Bigr)^2

    Parameters
    ----------
    counts : int array, shape (subjects, categories)
        n_ij, how many assessors put subject i into category j, such as :attr:`Preferences.counts`. Subjects with fewer
        than two assessors are left out; others may have different numbers of assessors, which is more than the paper has.

    Returns
    -------
    float
        At most 1; 0 where they agree as by chance. NaN where it is not defined: no subject has two assessors, or all chose
        one category everywhere.

    References
    ----------
    .. [1] J. L. Fleiss. Measuring nominal scale agreement among many raters. Psychological Bulletin 76 (5), 1971.

    Examples
    --------
    Two subjects and three assessors: P = (1, 1/3), mean 2/3; chance (5/6)^2 + (1/6)^2 = 26/36.

    >>> round(fleiss_kappa([[3, 0], [2, 1]]), 6)
    -0.2
    """
    found = np.asarray(counts, dtype=float)
    size = found.sum(axis=1)
    found, size = found[size >= 2], size[size >= 2]
    if not len(found):
        return float("nan")
    agreement = ((found * (found - 1)).sum(axis=1) / (size * (size - 1))).mean()
    chance = ((found.sum(axis=0) / size.sum()) ** 2).sum()
    return float((agreement - chance) / (1 - chance)) if chance < 1 else float("nan")
