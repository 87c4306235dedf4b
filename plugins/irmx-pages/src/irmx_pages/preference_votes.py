"""Preferences of assessors between two pages of a topic: reading, majorities, and agreement between assessors."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from irmx import DataError, DataWarning, Param, Table, UsageError, read_table
from irmx.ragged import Bools, Ints, short_repr
from irmx.toolkit import list_some, plural

if TYPE_CHECKING:
    import pandas as pd


ANSWERS = ("a", "b", "tie", "bad")
"""The possible answers: page a, page b, a tie because both are equally good, or bad because both are bad."""

_COLUMNS: dict[str, Param | type] = {
    **dict.fromkeys(("query_id", "page_a", "page_b", "assessor", "choice"), str),
    "bin_pair": Param(str, "the group of the pair", nullable=True),
    "trap": Param(str, "the correct answer of a pair that is included to detect careless assessors", nullable=True),
}

_PREFERS = np.array([1, -1, 0, 0])
_TURNED = (1, 0, 2, 3)
"""The answers for the pair shown the other way round."""


@dataclass(frozen=True)
class Preferences:
    """Votes of assessors on pairs of pages.

    Attributes
    ----------
    query_id, page_a, page_b : list of str, (pairs,)
        The topic and the pages of every pair; a pair shown both ways round is one pair, in its first order.
    bin_pair : list of str, (pairs,), or None
        The group of every pair, such as ``H-L`` for a page of high and one of low quality.
    trap : list of str, (pairs,), or None
        The correct answer of a pair that is included to detect careless assessors, empty for other pairs.
    assessors : list of str
        Their names.
    pair, assessor, answer : int array, (votes,)
        The pair and the assessor of every vote, and the index of the answer in ``("a", "b", "tie", "bad")``.
    places : list of str, (pairs,)
        Where each pair first appears in its source, for messages.
    """

    query_id: list[str]
    page_a: list[str]
    page_b: list[str]
    bin_pair: list[str] | None
    trap: list[str] | None
    assessors: list[str]
    pair: Ints
    assessor: Ints
    answer: Ints
    places: list[str]

    __repr__ = short_repr

    def __len__(self) -> int:
        return len(self.query_id)

    @property
    def choice(self) -> Ints:
        """The page that every vote is for: 1 for page a, -1 for page b, 0 for neither; shape (votes,)."""
        return np.asarray(_PREFERS[self.answer])

    @property
    def both_bad(self) -> Bools:
        """Whether every vote is that both pages are bad; shape (votes,)."""
        return np.asarray(self.answer == ANSWERS.index("bad"))

    @property
    def counts(self) -> Ints:
        """Number of votes of every pair for page a, for page b, for a tie and for both being bad: shape (pairs, 4)."""
        size = len(ANSWERS)
        return np.bincount(self.pair * size + self.answer, minlength=len(self) * size).reshape(-1, size)

    def where(self, votes: Bools) -> Preferences:
        """Return a non-empty subset of the votes, with only its pairs and assessors."""
        pairs, pair = np.unique(self.pair[votes], return_inverse=True)
        people, assessor = np.unique(self.assessor[votes], return_inverse=True)
        of_pairs = {
            name: [values[i] for i in pairs.tolist()]
            for name in ("query_id", "page_a", "page_b", "bin_pair", "trap", "places")
            if (values := getattr(self, name)) is not None
        }
        assessors = [self.assessors[i] for i in people.tolist()]
        return replace(self, **of_pairs, assessors=assessors, pair=pair, assessor=assessor, answer=self.answer[votes])

    def majority(self, level: float = 0.75) -> Ints:
        """Return the page that at least a given share of the assessors of each pair prefers.

        Parameters
        ----------
        level : float
            In (0.5, 1]: .75 for three of four, 1 for all. A vote for neither page, because of a tie or because both are bad,
            counts among the assessors of the pair.

        Returns
        -------
        int array, shape (pairs,)
            1 for page a, -1 for page b, 0 where neither has enough votes.

        Examples
        --------
        >>> import pandas as pd
        >>> votes = pd.DataFrame({"query_id": "q", "page_a": "p", "page_b": "r", "assessor": [1, 2, 3, 4],
        ...                       "choice": ["a", "a", "tie", "a"]})
        >>> preferences = read_preferences(votes)
        >>> preferences.majority(0.75), preferences.majority(1)
        (array([1]), array([0]))
        """
        return np.asarray(self._enough(level) @ _PREFERS)

    def majority_both_bad(self, level: float = 0.75) -> Bools:
        """Return whether at least a given share of the assessors of each pair finds both pages bad; shape (pairs,)."""
        return np.asarray(self._enough(level)[:, ANSWERS.index("bad")])

    def _enough(self, level: float) -> Bools:
        """Return which answer, at most one, at least a given share of the assessors of each pair gives: shape (pairs, 4)."""
        if not 0.5 < level <= 1:
            raise UsageError(f"The level of a majority must be a number in the range (0.5, 1]. Got {level!r} instead.")
        share = self.counts / self.counts.sum(axis=1, keepdims=True)
        return np.asarray(share + 1e-12 >= level)

    def frame(self) -> pd.DataFrame:
        """Return the votes as a table that :func:`read_preferences` reads, one row per vote."""
        import pandas as pd

        of_pairs = pd.DataFrame({name: getattr(self, name) for name in ("query_id", "page_a", "page_b")})
        table = of_pairs.iloc[self.pair].reset_index(drop=True)
        table["assessor"] = [self.assessors[i] for i in self.assessor.tolist()]
        table["choice"] = [ANSWERS[i] for i in self.answer.tolist()]
        for name, values in (("bin_pair", self.bin_pair), ("trap", self.trap)):
            if values is not None:
                table[name] = [values[i] for i in self.pair.tolist()]
        return table


def read_preferences(source: Any) -> Preferences:
    """Return preferences, checked.

    Parameters
    ----------
    source : Preferences, DataFrame, str or Path
        A table, also as a .csv, .tsv, .jsonl or .parquet file, with one row per vote and the columns ``query_id``, ``page_a``,
        ``page_b``, ``assessor``, ``choice`` (``a``, ``b``, ``tie`` or ``bad``) and, optionally, ``bin_pair`` and ``trap``.

    Raises
    ------
    irmx.DataError
        If it cannot be read, an answer is not one of these, a page is compared with itself, an assessor votes twice on a
        pair, or a pair has two groups or two correct answers; names the file and the line.

    Examples
    --------
    >>> import pandas as pd
    >>> votes = [("q", "p", "r", "ann", "a"), ("q", "r", "p", "bob", "a"), ("q", "p", "s", "ann", "tie")]
    >>> columns = ["query_id", "page_a", "page_b", "assessor", "choice"]
    >>> preferences = read_preferences(pd.DataFrame(votes, columns=columns))
    >>> len(preferences), preferences.counts.tolist()
    (2, [[1, 1, 0, 0], [0, 0, 1, 0]])
    """
    if isinstance(source, Preferences):
        return source
    rows = read_table(source, _COLUMNS, "preferences")
    query, a, b, who = (rows[name] for name in ("query_id", "page_a", "page_b", "assessor"))
    labelled = {name: rows[name] for name in ("bin_pair", "trap") if name in rows}
    labels: dict[str, list[str]] = {name: [] for name in labelled}
    pairs: dict[tuple[str, str, str], int] = {}
    assessors: dict[str, int] = {}
    voted: dict[tuple[int, int], int] = {}
    places: list[str] = []
    votes: list[tuple[int, int, int]] = []
    for row, (q, one, other) in enumerate(zip(query, a, b, strict=True)):
        if one == other:
            rows.refuse(row, f"page {one!r} of topic {q!r} is compared with itself.")
        turned = (q, other, one) in pairs
        if turned:
            one, other = other, one
        pair = pairs.setdefault((q, one, other), len(pairs))
        if pair == len(places):
            places.append(rows.place(row))
        for name, values in labelled.items():
            label = values[row]
            if name == "trap" and label:
                label = ANSWERS[_answer(rows, row, "trap", turned)]
            if pair == len(labels[name]):
                labels[name].append(label)
            elif labels[name][pair] != label:
                here, before = (repr(text) if text else "none" for text in (label, labels[name][pair]))
                rows.refuse(
                    row,
                    f"the pages {one!r} and {other!r} of topic {q!r} have the {name} {here} here and {before} in an earlier row. It must be the "
                    "same for all assessors.",
                )
        assessor = assessors.setdefault(who[row], len(assessors))
        earlier = voted.setdefault((pair, assessor), row)
        if earlier != row:
            rows.refuse(
                [earlier, row], f"the assessor {who[row]!r} votes twice on {one!r} and {other!r} of topic {q!r}."
            )
        votes.append((pair, assessor, _answer(rows, row, "choice", turned)))
    pair, assessor, answer = np.array(votes, dtype=np.int64).T
    topics, pages_a, pages_b = (list(values) for values in zip(*pairs, strict=True))
    of_pairs = (topics, pages_a, pages_b, labels.get("bin_pair"), labels.get("trap"))
    return Preferences(*of_pairs, list(assessors), pair, assessor, answer, places)


def _answer(rows: Table, row: int, column: str, turned: bool) -> int:
    """Return the index in ``ANSWERS`` of the answers in a column, for each pair in its first order."""
    text = rows[column][row]
    if text.lower() not in ANSWERS:
        rows.refuse(row, f"the {column} {text!r} must be a (page_a), b (page_b), tie, or bad (both are bad).")
    answer = ANSWERS.index(text.lower())
    return _TURNED[answer] if turned else answer


def fleiss_kappa(counts: Any) -> float:
    r"""Return Fleiss' kappa, the agreement of assessors beyond chance.

    .. math:: \kappa = \frac{\bar P - \bar P_e}{1 - \bar P_e}, \quad
              P_i = \frac{\sum_j n_{ij}(n_{ij} - 1)}{n_i (n_i - 1)}, \quad
              \bar P_e = \sum_j \Bigl(\frac{\sum_i n_{ij}}{\sum_i n_i}\Bigr)^2

    Parameters
    ----------
    counts : int array, shape (subjects, categories)
        n_ij, the number of assessors who put subject i into category j, such as :attr:`Preferences.counts`. Subjects with
        fewer than two assessors are left out; the others may have different numbers of assessors, unlike in the paper.

    Returns
    -------
    float
        At most 1; 0 for chance agreement. NaN where it is not defined: no subject has two assessors, or all votes are for
        one category.

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


FAILED_TRAPS = 2
"""In the paper, assessors who fail more traps than this are left out."""


def without_traps(preferences: Preferences, failed_traps: int | None = FAILED_TRAPS) -> Preferences:
    """Return preferences without trap pairs, and without the assessors who failed too many of them.

    Parameters
    ----------
    preferences : Preferences
        The votes; some pairs may be traps, see :func:`read_preferences`.
    failed_traps : int or None
        The maximum number of traps that an assessor may fail, at least 0. The paper removes assessors who failed more than
        two. With None, no assessors are removed.

    Returns
    -------
    Preferences
        Unchanged if no pair is a trap.

    Raises
    ------
    irmx.DataError
        If no votes are left.
    irmx.UsageError
        If ``failed_traps`` is not an int of at least 0.

    Warns
    -----
    irmx.DataWarning
        Names the assessors who are removed, and counts their votes.

    References
    ----------
    Zhou, Cummins, Lalmas, Jose: Evaluating Aggregated Search Pages. SIGIR 2012, section 5.

    Examples
    --------
    >>> import pandas as pd
    >>> from irmx_pages import read_preferences
    >>> votes = [("q", "good", "bad", "ann", "a", "a"), ("q", "p", "r", "ann", "b", "")]
    >>> columns = ["query_id", "page_a", "page_b", "assessor", "choice", "trap"]
    >>> kept = without_traps(read_preferences(pd.DataFrame(votes, columns=columns)))
    >>> kept.page_a, kept.assessors, kept.choice
    (['p'], ['ann'], array([-1]))
    """
    Param(int, "most failed traps", low=0, nullable=True).check(failed_traps, "failed_traps", "without_traps")
    if preferences.trap is None or not any(preferences.trap):
        return preferences
    right = np.array([ANSWERS.index(answer) if answer else -1 for answer in preferences.trap])[preferences.pair]
    trap = right >= 0
    people = len(preferences.assessors)
    failed = np.bincount(preferences.assessor[trap & (preferences.answer != right)], minlength=people)
    careless = failed > (np.inf if failed_traps is None else failed_traps)
    kept = ~trap & ~careless[preferences.assessor]
    if not kept.any():
        all_failed = f"every assessor failed more than {failed_traps} of them"
        why = all_failed if careless.all() else "no votes on other pairs are left"
        raise DataError(
            f"{preferences.places[0]}: the preferences have trap pairs, and {why}, so there are no preferences."
        )
    if careless.any():
        names = [f"{preferences.assessors[i]} ({failed[i]})" for i in np.flatnonzero(careless).tolist()]
        lost = int((~trap & careless[preferences.assessor]).sum())
        warnings.warn(
            f"{len(names)} of {people} assessors failed more than {failed_traps} trap pairs; their {plural(lost, 'vote')} on "
            f"other pairs {'are' if lost != 1 else 'is'} left out: {list_some(names, 5)}",
            DataWarning,
            stacklevel=3,
        )
    return preferences.where(kept)
