"""Preferences of assessors between two pages of a topic: reading, majorities, and agreement between assessors."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from irmx import DataError, DataWarning, Param, Scores, State, Table, UsageError, read_qrels, read_table
from irmx.ragged import Bools, Floats, Ints, short_repr
from irmx.toolkit import Evaluator, NamedMeasure, list_some, plural
from irmx_pages.page import VISUAL, Page, media_of
from irmx_pages.page_files import read_pages
from irmx_pages.pages_as_runs import page_values

if TYPE_CHECKING:
    import pandas as pd


# -- preferences of assessors between two pages of a topic -----------------------------------------------------------


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
    query, a, b = (rows[name] for name in ("query_id", "page_a", "page_b"))
    who = [name.strip() for name in rows["assessor"]]
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
        if not who[row]:
            rows.refuse(row, "the assessor is missing.")
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


# -- how often measures agree with the preferences of assessors ------------------------------------------------------


ALL = "all"
"""The group of all pairs."""

LEVELS = (0.75, 1.0)
"""The majority levels of the paper: three of four, and all."""


def agreement(
    pages: Any,
    preferences: Any,
    qrels: Any,
    measures: Any,
    levels: Sequence[float] = LEVELS,
    baseline: Any = None,
    failed_traps: int | None = FAILED_TRAPS,
    only: str | None = None,
) -> pd.DataFrame:
    """Return how often measures agree with the majority of assessors.

    A measure prefers the page with the larger value. Where the two values are equal (to 9 digits) it prefers neither, which
    counts one half, the expected value of tossing a coin. Pairs without a majority for one of the pages are left out and counted.

    Parameters
    ----------
    pages : any
        Whatever :func:`read_pages` takes.
    preferences : any
        Whatever :func:`read_preferences` takes; all of its pages, except those of trap pairs, must be among ``pages``.
    qrels : any
        Whatever :func:`irmx.read_qrels` takes.
    measures : str, Measure or iterable of them
        Measures of pages, such as ``AS_RBP``, or any others, such as ``nDCG@10``.
    levels : sequence of float
        The shares of assessors that make a majority, each in (0.5, 1].
    baseline : str or Measure, optional
        The measure that the others are tested against; by default each is tested against chance.
    failed_traps : int or None
        Assessors who failed more trap pairs than this are left out, with a warning; with None, no assessors are. The trap
        pairs themselves are never counted; see :func:`without_traps`.
    only : {"visual"}, optional
        Only the pairs in which a page has a block of images or videos, which attract attention.

    Returns
    -------
    DataFrame
        One row per level, group of pairs (``all``, and each ``bin_pair`` of the preferences) and measure:

        * ``level``, ``bin_pair``, ``measure``;
        * ``pairs`` with a majority for a page, and ``ties``, those on which the measure prefers neither;
        * ``both_bad``, the other pairs of the group for which a majority finds both pages bad, and ``no_majority``, those without
          a majority for anything; with ``pairs`` these are all;
        * ``agreement`` in [0, 1], the mean over these pairs;
        * ``p_value`` of the two-tailed sign test over pairs of pages, as in the paper (footnote 9): against chance, of the pairs on
          which the measure agrees or disagrees; against a baseline, of those on which one of the two does better. It treats
          pairs of one topic as independent. NaN for the baseline;
        * ``kappa``, Fleiss' kappa of all votes on pairs of the group, whatever the level (NaN where it is not defined).

        Groups without any majority are left out.

    Raises
    ------
    irmx.DataError
        If a preference refers to a missing page, no pair has a majority at any level, or a measure has no value for a page.
    irmx.UsageError
        If a level is out of range, or a measure is unknown.

    Warns
    -----
    irmx.DataWarning
        If no pair has a majority at one of several levels, which is then omitted, or assessors are left out.

    See Also
    --------
    agreement_scores : The shares of topics, for tests over topics.

    References
    ----------
    Zhou, Cummins, Lalmas, Jose: Evaluating Aggregated Search Pages. SIGIR 2012, section 5.

    Examples
    --------
    >>> import pandas as pd
    >>> from irmx_pages import Block, Page
    >>> pages = [Page("q", name, tuple(Block("web", "", (i,)) for i in items)) for name, items in
    ...          [("one", ("w1", "w2")), ("two", ("w2", "w1")), ("three", ("w2", "w3"))]]
    >>> votes = [("q", "one", "two", "ann", "a"), ("q", "three", "one", "ann", "b"), ("q", "two", "three", "ann", "a")]
    >>> votes = pd.DataFrame(votes, columns=["query_id", "page_a", "page_b", "assessor", "choice"])
    >>> found = agreement(pages, votes, {"q": {"w1": 1}}, "P@1 RR", levels=[1])
    >>> found[["level", "bin_pair", "measure", "pairs", "ties", "agreement", "p_value"]]
       level bin_pair measure  pairs  ties  agreement  p_value
    0    1.0      all     P@1      3     1   0.833333     0.50
    1    1.0      all      RR      3     0   1.000000     0.25
    """
    evaluator = Evaluator(measures, read_qrels(qrels))
    against = baseline_of(evaluator, baseline)
    return agreement_table(agreed_pairs(pages, preferences, evaluator, levels, failed_traps, only), against)


def agreement_scores(
    pages: Any,
    preferences: Any,
    qrels: Any,
    measures: Any,
    levels: Sequence[float] = LEVELS,
    failed_traps: int | None = FAILED_TRAPS,
    only: str | None = None,
) -> Scores:
    """Return the share of each topic's pairs on which measures agree with the majority, for :func:`irmx.compare` and others.

    The measures are the systems of these scores. A view is a level of the majority and a group of pairs: ``agreement@0.75`` of
    all pairs, and ``agreement@0.75 slice=H-L`` of those with the ``bin_pair`` H-L. A topic without such a pair is not in the view.

    Parameters
    ----------
    pages, preferences, qrels, measures, levels, failed_traps, only
        See :func:`agreement`.

    Examples
    --------
    >>> import irmx
    >>> from irmx_pages import simulate_pages
    >>> from irmx_pages.example import example, example_preferences
    >>> made = example(4)
    >>> pages = simulate_pages(made.qrels, made.items, made.verticals).pages
    >>> scores = agreement_scores(pages, example_preferences(made), made.qrels, "AS_RBP AS_ATT P@10", levels=[0.75])
    >>> scores.names[:2], scores.systems
    (('agreement@0.75', 'agreement@0.75 slice=H-H'), ('AS_RBP', 'AS_ATT', 'P@10'))
    >>> tests = irmx.compare(scores, all_pairs=True).frame()
    >>> tests.loc[tests["slice"] == "", ["a", "b", "difference", "p", "p_corrected"]].round(3)
            a       b  difference      p  p_corrected
    0  AS_ATT  AS_RBP      -0.175  0.011        0.022
    1    P@10  AS_RBP      -0.113  0.001        0.002
    2    P@10  AS_ATT       0.062  0.099        0.099
    """
    evaluator = Evaluator(measures, read_qrels(qrels))
    return shares_of_topics(agreed_pairs(pages, preferences, evaluator, levels, failed_traps, only))


@dataclass(frozen=True)
class AgreedPairs:
    """How measures agree with the majority of assessors on a group of pairs.

    Attributes
    ----------
    level : float
        The share of assessors that makes a majority.
    bin_pair : str
        The group: ``all``, or a ``bin_pair`` of the preferences.
    measures : list of str
        The names of the measures.
    agreed : float array, shape (pairs, measures)
        1 where a measure prefers the same page as the majority, 0 where the other, 0.5 where neither.
    query_id : array of str, shape (pairs,)
        The topic of every pair.
    both_bad : int
        The number of other pairs of the group for which a majority finds both pages bad.
    no_majority : int
        The number of pairs of the group without a majority.
    kappa : float
        Fleiss' kappa of all votes on pairs of the group.
    """

    level: float
    bin_pair: str
    measures: list[str]
    agreed: Floats
    query_id: np.ndarray[Any, Any]
    both_bad: int = 0
    no_majority: int = 0
    kappa: float = float("nan")


def counted_votes(
    pages: Sequence[Page], preferences: Any, failed_traps: int | None, only: str | None = None
) -> Preferences:
    """Return the votes that count: not those of careless assessors; of visual pairs only, those with images or videos on a page."""
    votes = without_traps(read_preferences(preferences), failed_traps)
    if only is None:
        return votes
    if only != "visual":
        raise UsageError(f"only must be 'visual', or None for all pairs. Got {only!r} instead.")
    visual = {
        (page.query_id, page.page_id)
        for page in pages
        if any((block.media or media_of(block.vertical)) in VISUAL for block in page.blocks)
    }
    sides = (zip(votes.query_id, names, strict=True) for names in (votes.page_a, votes.page_b))
    keep = np.any([[key in visual for key in keys] for keys in sides], axis=0)
    if not keep.any():
        raise DataError(f"None of {len(votes)} pairs has a page with a block of images or videos.")
    return votes.where(keep[votes.pair])


def agreed_pairs(
    pages: Any,
    preferences: Any,
    evaluator: Evaluator,
    levels: Sequence[float],
    failed_traps: int | None,
    only: str | None = None,
) -> list[AgreedPairs]:
    """Return how measures agree with the majority, by level and group of pairs; groups without any majority are left out."""
    if not evaluator.measures:
        raise UsageError("No measures given.")
    pages = read_pages(pages)
    votes = counted_votes(pages, preferences, failed_traps, only)
    a, b = pair_numbers(pages, votes)
    used = np.unique(np.concatenate([a, b]))
    values = np.full((len(pages), len(evaluator.measures)), np.nan)
    values[used] = page_values([pages[i] for i in used.tolist()], evaluator)
    _refuse_missing(values, used, pages, evaluator)
    preferred, names = preferred_page(values[a], values[b]), [str(m) for m in evaluator.measures]
    labels = np.array(votes.bin_pair or [ALL] * len(votes), dtype=object)
    groups = [ALL, *(g for g in dict.fromkeys(labels.tolist()) if g not in (ALL, ""))]
    found = []
    for level, majority in _majorities(votes, levels).items():
        both_bad = votes.majority_both_bad(level)
        for group in groups:
            of_group = np.ones(len(votes), dtype=bool) if group == ALL else labels == group
            here = np.flatnonzero(of_group & (majority != 0))
            if len(here):
                agreed, query_id = agreeing(preferred[here], majority[here, None]), np.array(votes.query_id)[here]
                bad, kappa = int(both_bad[of_group].sum()), fleiss_kappa(votes.counts[of_group])
                none = int(of_group.sum()) - len(here) - bad
                found.append(AgreedPairs(float(level), group, names, agreed, query_id, bad, none, kappa))
    return found


def agreement_table(groups: Sequence[AgreedPairs], baseline: str | None) -> pd.DataFrame:
    """Return the rows of :func:`agreement`."""
    import pandas as pd

    tables = []
    for group in groups:
        others = 0.5 if baseline is None else group.agreed[:, [group.measures.index(baseline)]]
        tests = zip(group.measures, (group.agreed - others).T, strict=True)
        table = {
            "level": group.level,
            "bin_pair": group.bin_pair,
            "measure": group.measures,
            "pairs": len(group.agreed),
            "ties": (group.agreed == 0.5).sum(axis=0),
            "both_bad": group.both_bad,
            "no_majority": group.no_majority,
            "agreement": group.agreed.mean(axis=0),
            "p_value": [np.nan if name == baseline else _sign_test(differences) for name, differences in tests],
            "kappa": group.kappa,
        }
        tables.append(pd.DataFrame(table))
    return pd.concat(tables, ignore_index=True)


def _sign_test(differences: Floats) -> float:
    """Return the p-value of the two-tailed sign test; 1 if all differences are 0."""
    from scipy.stats import binomtest

    better, worse = int((differences > 0).sum()), int((differences < 0).sum())
    return float(binomtest(better, better + worse).pvalue) if better + worse else 1.0


def shares_of_topics(groups: Sequence[AgreedPairs]) -> Scores:
    """Return the mean agreement of every topic: topics x measures x groups."""
    topics = np.unique(np.concatenate([group.query_id for group in groups]))
    member = [(topics[:, None] == group.query_id).astype(float) for group in groups]
    pairs = np.stack([of.sum(axis=1) for of in member], axis=1)
    agreed = np.stack([of @ group.agreed for of, group in zip(member, groups, strict=True)], axis=2)
    shares = np.divide(agreed, pairs[:, None], out=np.full(agreed.shape, np.nan), where=pairs[:, None] > 0)
    return Scores(
        shares,
        tuple(topics.tolist()),
        tuple(groups[0].measures),
        tuple(NamedMeasure(f"agreement@{group.level:g}") for group in groups),
        np.where(np.isnan(shares), np.int8(State.OUTSIDE), np.int8(State.SCORED)),
        marks={"slice": tuple("" if group.bin_pair == ALL else group.bin_pair for group in groups)},
    )


def pair_numbers(pages: Sequence[Page], preferences: Preferences) -> tuple[Ints, Ints]:
    """Return the numbers of page a and of page b of every pair; raise if a page is missing."""
    number = {(p.query_id, p.page_id): i for i, p in enumerate(pages)}
    found = np.full((2, len(preferences)), -1)
    for side, names in enumerate((preferences.page_a, preferences.page_b)):
        found[side] = [number.get(key, -1) for key in zip(preferences.query_id, names, strict=True)]
    unknown = np.flatnonzero((found < 0).any(axis=0))
    if len(unknown):
        pair = int(unknown[0])
        page_id = (preferences.page_a if found[0, pair] < 0 else preferences.page_b)[pair]
        query_id = preferences.query_id[pair]
        there = [p.page_id for p in pages if p.query_id == query_id]
        known = f"It has: {list_some(there, 5)}" if there else "It has no page"
        raise DataError(
            f"{preferences.places[pair]}: the pages have no page {page_id!r} for topic {query_id!r}. {known}. "
            f"{len(unknown)} of {len(preferences)} pairs name a page that is missing."
        )
    return found[0], found[1]


def preferred_page(a: Floats, b: Floats) -> Ints:
    """Return 1 where the first value is larger, -1 where the second is, 0 where they are equal to 9 digits.

    >>> preferred_page(np.array([0.3, 0.1, 0.1 + 0.2]), np.array([0.1, 0.2, 0.3]))
    array([ 1, -1,  0])
    """
    sign: Ints = np.sign(a - b).astype(np.int64)
    return np.where(np.isclose(a, b, rtol=1e-9, atol=1e-12), 0, sign)


def agreeing(preferred: Ints, majority: Ints) -> Floats:
    """Return 1 where a measure prefers the same page as the majority, 0 where the other, 0.5 where neither.

    >>> agreeing(np.array([1, -1, 0]), np.array([1, 1, 1]))
    array([1. , 0. , 0.5])
    """
    return np.asarray((1 + preferred * majority) / 2)


def baseline_of(evaluator: Evaluator, baseline: Any) -> str | None:
    """Return the name of the measure that others are tested against."""
    if baseline is None:
        return None
    names, wanted = [str(m) for m in evaluator.measures], str(Evaluator(baseline, evaluator.judgments).measures[0])
    if wanted not in names:
        raise UsageError(f"The baseline {wanted} is not among the measures {', '.join(names)}.")
    return wanted


def _refuse_missing(values: Floats, used: Ints, pages: Sequence[Page], evaluator: Evaluator) -> None:
    wrong = np.argwhere(~np.isfinite(values[used]))
    if len(wrong):
        row, column = wrong[0].tolist()
        raise DataError(
            f"{evaluator.measures[column]} has no value for page {pages[used[row]].page_id!r} of topic "
            f"{pages[used[row]].query_id!r}, so it has no preference. Remove no_relevant='nan' from the measure, or the topic from the pages."
        )


def _majorities(votes: Preferences, levels: Sequence[float]) -> dict[float, Ints]:
    """Return the preferences of the majority at every level that has any."""
    found = {level: votes.majority(level) for level in levels}
    without = [f"{level:g}" for level, majority in found.items() if not majority.any()]
    if len(without) == len(found):
        raise DataError(
            f"No pair has a majority of {' or '.join(without) or 'any level'} of its assessors, so there is nothing to "
            "agree with."
        )
    if without:
        warnings.warn(
            f"no pair has a majority of {' or '.join(without)} of its assessors; the level is omitted",
            DataWarning,
            stacklevel=4,
        )
    return {level: majority for level, majority in found.items() if majority.any()}
