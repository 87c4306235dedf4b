"""Learning the parameters of page measures from preferences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from irmx import DataError, Grid, Param, Scores, UsageError, parse_measure, read_qrels
from irmx.ragged import Bools, Floats, Ints, short_repr
from irmx.toolkit import html_result, progress_bar
from irmx_pages.choice_likelihood import (
    Likelihood,
    LikelihoodFit,
    PageScorer,
    ParameterGrid,
    is_range,
    middle,
    parameter_grid,
    personal_interval,
    refuse_other_measures,
    votes_of,
    with_values,
)
from irmx_pages.page_files import read_pages
from irmx_pages.preference_votes import (
    ALL,
    FAILED_TRAPS,
    AgreedPairs,
    Preferences,
    agreeing,
    counted_votes,
    pair_numbers,
    preferred_page,
    shares_of_topics,
)

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class PreferenceFit:
    """Result of :func:`fit_preferences`.

    Attributes
    ----------
    by_agreement : Measure
        The measure with the values of the grid that agree most often with the majority, over all topics.
    by_likelihood : Measure
        The measure with the most likely values; ``personal`` is the mean l over assessors.
    parameters : DataFrame
        One row per parameter: ``parameter``; ``by_agreement``, with the smallest and the largest of the folds, ``fold_low`` and
        ``fold_high``; ``by_likelihood``, with its 95% profile interval, ``low`` to ``high``; and ``note``, which says if the
        interval ends at the end of the range, so that the preferences do not identify the parameter.
    held_out : DataFrame
        One row each for the measure as given, fitted by agreement and fitted by likelihood: ``fitted``, ``measure`` (with the values from
        all topics); ``pairs`` with a majority, ``ties``, ``agreement``, and its ``difference`` from the measure as given. Each pair
        is evaluated with values learned without its topic.
    scores : irmx.Scores
        The held-out agreement on each topic of these three, which are the systems, for :func:`irmx.compare` and others.
    assessors : DataFrame
        One row per assessor: ``assessor``, ``votes`` for one of the pages, ``both_bad``, votes that both are bad; ``l`` with its 95% profile interval, ``low`` to ``high``,
        at the most likely values of the parameters; the held-out agreement with the assessor's votes of the mean l of all
        (``shared``) and of the assessor's own (``own``), and their ``difference``.
        Empty if l is not fitted.
    active : DataFrame
        One row for each of the most active assessors: ``assessor``, ``votes`` for one of the pages; ``l``, the value of
        ``personal_grid`` that agrees with most of them at ``by_agreement``, NaN if all values agree equally, with the smallest
        and the largest of the folds, ``fold_low`` and ``fold_high``; the held-out agreement with the assessor's votes with l = 0
        (``without``) and with the assessor's l (``own``), and their ``difference``.
        Empty if l is not fitted.
    """

    by_agreement: Any
    by_likelihood: Any
    parameters: pd.DataFrame
    held_out: pd.DataFrame
    scores: Scores
    assessors: pd.DataFrame
    active: pd.DataFrame

    __repr__ = short_repr

    def _repr_html_(self) -> str:
        title = (
            f"Parameters learned from preferences: {self.by_agreement} by agreement, {self.by_likelihood} by likelihood"
        )
        return html_result(title, {"parameters": self.parameters, "held-out pairs": self.held_out})


def fit_preferences(
    pages: Any,
    preferences: Any,
    qrels: Any,
    measure: Any,
    grid: Mapping[str, Any] | Sequence[str],
    *,
    folds: int = 5,
    level: float = 0.75,
    personal: bool = True,
    active: int = 20,
    personal_grid: Any = "0:1",
    failed_traps: int | None = FAILED_TRAPS,
    only: str | None = None,
    seed: int = 0,
    progress: bool | None = None,
) -> PreferenceFit:
    r"""Learn the parameters of a page measure from preferences, with cross-validation over topics.

    By agreement, as in the paper: the setting of the grid that agrees most often with the majority, with l = 0; of several
    that agree equally often, the one nearest to their middle. Then, with these values, for each of the most active
    assessors, the l in ``personal_grid`` that agrees most often with the assessor's own votes.

    By likelihood, within the ranges of the grid: the values that maximise the likelihood of all votes if assessor k chooses with

    .. math:: P_k(A > B) = \sigma(s_k (IUtil_A - IUtil_B)), \quad IUtil = (1 - l_k) nUtil + l_k vRecall,

    where s and l are the assessor's own. A tie counts as half a vote for either page. A vote that both pages are bad counts
    among the assessors of the pair for the majority, and in ``assessors``; it does not compare the pages,
    so it does not enter the likelihood. The intervals assume that votes are independent
    given the model. Agreement ignores how much two pages differ, and is a step function of the parameters; likelihood does
    neither, but needs a model of choice.

    Parameters
    ----------
    pages : any
        Whatever :func:`read_pages` takes.
    preferences : any
        Whatever :func:`read_preferences` takes.
    qrels : any
        Whatever :func:`irmx.read_qrels` takes, with the columns that measures of pages read.
    measure : str or Measure
        ``AS_DCG``, ``AS_RBP``, ``AS_ERR``, ``AS_ATT``, or ``AS`` with any examination model.
    grid : mapping of str to str or sequence of float, or sequence of str
        As for :class:`irmx.Grid`: ``alpha``, and the numbers that the examination model takes, such as ``beta``: ``"1.5:100"`` for 51 values at equal
        distances, ``"1.5:100:20"`` for 20, ``"2,5,10"`` for these.
    folds : int
        Number of folds into which topics are divided, from 2 to the number of topics, of which there must be two.
    level : float
        The share of assessors that makes a majority, in (0.5, 1].
    personal : bool
        Whether l is fitted for every assessor. Otherwise, and for a measure with ``normalise=None``, l is 0.
    active : int
        Number of assessors, those with the most votes for a page, for whom l is chosen by agreement, at least 0; 20 in the paper.
    personal_grid : str or sequence of float
        The values of l to choose from, within [0, 1], written as in ``grid``.
    failed_traps : int or None
        Assessors who failed more trap pairs than this are left out: see :func:`agreement`.
    only : {"visual"}, optional
        Only the pairs in which a page has images or videos, from which the paper learns the parameters of attention.
    seed : int
        Seed of the folds.
    progress : bool, optional
        Whether to show a progress bar; by default if standard error is a terminal.

    Returns
    -------
    PreferenceFit
        Agreement is always measured on held-out topics.

    Raises
    ------
    irmx.UsageError
        If the measure or a parameter cannot be fitted, ``folds`` is out of range, or the seed is negative.
    irmx.DataError
        If a preference refers to a missing page, or the topics of a fold have no majority on any pair.

    Notes
    -----
    An ideal page that is the same for all pages of a topic does not change which page of the topic a measure prefers, but it
    does change by how much, and the quantity that l weighs. So it does not affect agreement, but does affect likelihood. With
    ``ideal='exact'`` it depends on the number of blocks, and is recomputed in every setting, which is slow.

    References
    ----------
    Zhou, Cummins, Lalmas, Jose: Evaluating Aggregated Search Pages. SIGIR 2012, section 6.

    Examples
    --------
    Four invented topics, and two users who go on to the next block with probability 0.9:

    >>> from irmx_pages import page_pairs, simulate_pages, simulate_preferences
    >>> from irmx_pages.example import example
    >>> made = example(4)
    >>> simulated = simulate_pages(made.qrels, made.items, made.verticals)
    >>> users = {"ann": "AS_RBP(beta=0.9)", "bob": "AS_RBP(beta=0.9)"}
    >>> preferences = simulate_preferences(simulated.pages, page_pairs(simulated), made.qrels, users)
    >>> fit = fit_preferences(simulated.pages, preferences, made.qrels, "AS_RBP", {"beta": "0.5:1"}, folds=2, personal=False)
    >>> fit.parameters.round(2)[["parameter", "by_agreement", "by_likelihood", "low", "high"]]
      parameter  by_agreement  by_likelihood   low  high
    0      beta          0.88            0.9  0.88  0.91
    >>> fit.held_out.round(2)[["fitted", "pairs", "agreement", "difference"]]
              fitted  pairs  agreement  difference
    0       as given    170       0.94         NaN
    1   by agreement    170       0.97        0.03
    2  by likelihood    170       0.97        0.04
    """
    import pandas as pd

    for name, value in (("seed", seed), ("active", active)):
        Param(int, "", low=0).check(value, name, "the fit")
    found = parse_measure(measure) if isinstance(measure, str) else measure
    refuse_other_measures(found)
    settings = parameter_grid(found, grid)
    of_l = np.unique(Grid({"l": _L}, {"l": personal_grid}, owner="the fit").values["l"])
    pages = read_pages(pages)
    votes = counted_votes(pages, preferences, failed_traps, only)
    a, b = pair_numbers(pages, votes)
    used, places = np.unique(np.concatenate([a, b]), return_inverse=True)
    a, b = places[: len(a)], places[len(a) :]
    scorer = PageScorer(found, [pages[i] for i in used.tolist()], read_qrels(qrels))
    of_fold = _folds(votes, folds, seed)
    with progress_bar(f"Fitting {found}", 3 + 2 * len(settings.values) + folds, 0, progress) as advance:
        folded = Folded(scorer, settings, votes, (a, b), level, personal and scorer.normalises, of_fold)
        chosen = [folded.by_agreement(np.ones(folds, dtype=bool)), *(folded.by_agreement(k) for k in folded.training)]
        advance(1)
        best = folded.likelihood.fit()
        advance(1)
        intervals = folded.likelihood.intervals(best, advance)
        fitted = []
        for training in folded.training:
            fitted.append(folded.by_likelihood(training))
            advance(1)
        by_agreement, by_likelihood = settings.settings[chosen[0]], _rounded(best, folded.personal)
        measures = [found, with_values(found, by_agreement), with_values(found, by_likelihood)]
        held_out = folded.held_out(chosen[1:], fitted)
        fit = PreferenceFit(
            measures[1],
            measures[2],
            pd.DataFrame(_parameter_rows(settings, chosen, best, intervals), columns=list(OF_PARAMETERS)),
            _held_out_table(held_out, measures),
            shares_of_topics([held_out]),
            pd.DataFrame(folded.of_assessors(best, fitted), columns=list(OF_ASSESSORS)),
            pd.DataFrame(folded.of_active(of_l, active, chosen), columns=list(OF_ACTIVE)),
        )
        advance(1)
    return fit


def _folds(votes: Preferences, folds: int, seed: int) -> Ints:
    """Return the fold of every pair; all pairs of a topic are in one fold."""
    topic = np.unique(votes.query_id, return_inverse=True)[1]
    topics = int(topic.max()) + 1
    if topics < 2:
        raise UsageError(
            f"A fit to preferences needs at least two topics, as folds are topics left out. All preferences are on {votes.query_id[0]!r}."
        )
    Param(int, "", low=2, high=topics).check(folds, "folds", f"a fit to preferences on {topics} topics")
    of_topic: Ints = np.random.default_rng(seed).permutation(topics) % folds
    return of_topic[topic]


def _rounded(fit: LikelihoodFit, personal: bool) -> dict[str, float]:
    """Return the maximum-likelihood values, to 6 digits, and the mean l."""
    values = {**fit.values, **({"personal": fit.personal} if personal else {})}
    return {name: float(f"{value:.6g}") for name, value in values.items()}


def _held_out_table(held_out: AgreedPairs, measures: list[Any]) -> pd.DataFrame:
    """Return the mean agreement of the measure as given and of what was learned."""
    import pandas as pd

    agreed = held_out.agreed
    table = {
        "fitted": held_out.measures,
        "measure": [str(measure) for measure in measures],
        "pairs": len(agreed),
        "ties": (agreed == 0.5).sum(axis=0),
        "agreement": agreed.mean(axis=0),
        "difference": [np.nan, *(agreed[:, 1:] - agreed[:, :1]).mean(axis=0)],
    }
    return pd.DataFrame(table)


def _parameter_rows(
    grid: ParameterGrid, chosen: list[int], best: LikelihoodFit, intervals: Mapping[str, tuple[float, float]]
) -> list[tuple[Any, ...]]:
    rows = []
    for name, ends in zip(grid.values, grid.ranges, strict=True):
        by_agreement, *of_folds = (grid.settings[i][name] for i in chosen)
        of_fold, found = (min(of_folds), max(of_folds)), intervals[name]
        rows.append((name, by_agreement, *of_fold, best.values[name], *found, is_range(found, ends)))
    return rows


OF_PARAMETERS = ("parameter", "by_agreement", "fold_low", "fold_high", "by_likelihood", "low", "high", "note")
OF_ASSESSORS = ("assessor", "votes", "both_bad", "l", "low", "high", "shared", "own", "difference")
OF_ACTIVE = ("assessor", "votes", "l", "fold_low", "fold_high", "without", "own", "difference")
"""The columns of the tables of assessors, and of the most active ones."""

_L = Param(float, "weight of vertical recall", low=0, high=1)


class Folded:
    """Preferences in folds: values learned without a fold, and how they agree with the fold."""

    def __init__(
        self,
        scorer: PageScorer,
        grid: ParameterGrid,
        preferences: Preferences,
        pair: tuple[Ints, Ints],
        level: float,
        personal: bool,
        fold: Ints,
    ) -> None:
        self.scorer, self.grid, self.preferences, self.fold = scorer, grid, preferences, fold
        self.level, self.personal, (self.a, self.b) = level, personal, pair
        self.majority, self.votes = preferences.majority(level), votes_of(preferences)
        folds = int(fold.max()) + 1
        decided = np.bincount(fold[self.majority != 0], minlength=folds)
        if decided.sum() == decided.max() or not decided.all():
            raise DataError(
                f"In {int((decided == 0).sum())} of {folds} folds no pair has a majority of {level:g} of its assessors; use "
                "fewer folds, or a lower level."
            )
        self.training = [np.arange(folds) != k for k in range(folds)]
        self.likelihood = Likelihood(scorer, grid, self.a, self.b, self.votes, personal)
        self._agreed = self._agreed_in_grid(folds)

    def _agreed_in_grid(self, folds: int) -> Floats:
        """Return the number of pairs of every fold on which every setting agrees with the majority: shape (settings, folds)."""
        here = np.flatnonzero(self.majority)
        exact = self.scorer.normalises and self.scorer.measure["ideal"] == "exact"
        out = []
        for setting in self.grid.settings:
            measure = with_values(self.scorer.measure, setting)
            value = self.scorer.values(measure) if exact else self.scorer.utility(measure)
            agreed = agreeing(preferred_page(value[self.a[here]], value[self.b[here]]), self.majority[here])
            out.append(np.bincount(self.fold[here], agreed, folds))
        return np.stack(out)

    def by_agreement(self, training: Bools) -> int:
        """Return the index of the setting that agrees most often on some folds."""
        total = self._agreed[:, training].sum(axis=1)
        return middle([len(v) for v in self.grid.values.values()], _best(total))

    def by_likelihood(self, training: Bools) -> LikelihoodFit:
        """Return the maximum-likelihood estimates on some folds."""
        votes = self.votes.of(training[self.fold])
        return Likelihood(self.scorer, self.grid, self.a, self.b, votes, self.personal).fit()

    def _preferred(self, values: Mapping[str, float], personal: Any = 0.0) -> Ints:
        """Return which page of every pair has the larger IUtil; with several weights of vRecall, in a column for each."""
        value = self.likelihood.page_values(dict(values))
        if self.personal:
            value = np.multiply.outer(value, 1 - personal) + np.multiply.outer(self.scorer.recall, personal)
        return preferred_page(value[self.a], value[self.b])

    def _over_folds(self, of_fold: list[Ints]) -> Ints:
        """Return for every pair the value from its own fold."""
        return np.asarray(np.stack(of_fold)[self.fold, np.arange(len(self.fold))])

    def held_out(self, chosen: list[int], fitted: list[LikelihoodFit]) -> AgreedPairs:
        """Return how the measure as given, and what was learned without the fold of a pair, agree with the majority."""
        of_setting = {i: self._preferred(self.grid.settings[i]) for i in set(chosen)}
        preferred = {
            "as given": self._preferred({}),
            "by agreement": self._over_folds([of_setting[i] for i in chosen]),
            "by likelihood": self._over_folds([self._preferred(f.values, f.personal) for f in fitted]),
        }
        decided = np.flatnonzero(self.majority)
        agreed = agreeing(np.stack(list(preferred.values()), axis=1)[decided], self.majority[decided, None])
        return AgreedPairs(self.level, ALL, list(preferred), agreed, np.array(self.preferences.query_id)[decided])

    def of_assessors(self, best: LikelihoodFit, fitted: list[LikelihoodFit]) -> list[tuple[Any, ...]]:
        """Return the l of every assessor, and how it agrees with the assessor's votes on held-out topics."""
        recall = self.likelihood.recall
        if recall is None:
            return []
        utility = self.likelihood.utility(best.values)
        shared = self._over_folds([self._preferred(f.values, f.personal) for f in fitted])
        rows = []
        for k, name in enumerate(self.preferences.assessors):
            mine = (self.votes.assessor == k) & (self.votes.won != 0.5)
            pair, choice = self.votes.pair[mine], np.sign(self.votes.won[mine] - 0.5)
            personal = [float(np.nan_to_num(f.weights.personal[k], nan=f.personal)) for f in fitted]
            own = self._over_folds([self._preferred(f.values, x) for f, x in zip(fitted, personal, strict=True)])
            bad = int(self.preferences.both_bad[self.preferences.assessor == k].sum())
            interval = personal_interval(self.votes, k, utility, recall)
            agreed = _means(agreeing(shared[pair], choice), agreeing(own[pair], choice))
            rows.append((name, len(pair), bad, float(best.weights.personal[k]), *interval, *agreed))
        return rows

    def of_active(self, grid: Floats, active: int, chosen: list[int]) -> list[tuple[Any, ...]]:
        """Return the l of the assessors with the most votes for a page, learned by agreement after the other parameters.

        Parameters
        ----------
        grid : float array
            The values of l to try, ascending.
        active : int
            Number of assessors.
        chosen : list of int
            The settings of the other parameters, learned by agreement: from all folds, then without each of them.
        """
        if not self.personal:
            return []
        decided = self.votes.won != 0.5
        who, pair, choice = (x[decided] for x in (self.votes.assessor, self.votes.pair, np.sign(self.votes.won - 0.5)))
        weights = np.append(0.0, grid)  # the first column is without l
        preferred = {i: self._preferred(self.grid.settings[i], weights)[pair] for i in set(chosen)}
        agreed = {i: agreeing(of_setting, choice[:, None]) for i, of_setting in preferred.items()}
        fold, counts = self.fold[pair], np.bincount(who, minlength=self.votes.assessors)
        rows = []
        for k in np.argsort(-counts, kind="stable")[:active].tolist():
            mine = np.flatnonzero(who == k)
            of_fold = fold[mine]
            learned = [best_l(grid, agreed[i][mine[of_fold != f], 1:]) for f, i in enumerate(chosen[1:])]
            without, own = np.empty(len(mine)), np.empty(len(mine))
            for f, (i, value) in enumerate(zip(chosen[1:], learned, strict=True)):
                rows_of = mine[of_fold == f]
                column = 0 if np.isnan(value) else 1 + int(np.searchsorted(grid, value))
                without[of_fold == f], own[of_fold == f] = agreed[i][rows_of, 0], agreed[i][rows_of, column]
            known = [value for value in learned if not np.isnan(value)] or [np.nan]
            best = best_l(grid, agreed[chosen[0]][mine, 1:])
            name = self.preferences.assessors[k]
            rows.append((name, len(mine), best, min(known), max(known), *_means(without, own)))
        return rows


def best_l(grid: Floats, agreed: Floats) -> float:
    """Return the l that agrees with most votes; of several the one nearest to their middle, NaN if all agree equally.

    >>> best_l(np.linspace(0, 1, 5), np.array([[2, 3, 3, 3, 1.5]])), best_l(np.linspace(0, 1, 3), np.ones((1, 3)))
    (0.5, nan)
    """
    total = agreed.sum(axis=0)
    if np.ptp(total) < _STEP:
        return float("nan")
    return float(grid[middle([len(grid)], _best(total))])


_STEP = 0.25
"""Agreement is counted in halves; totals that differ by less are equal."""


def _best(total: Floats) -> list[int]:
    """Return the indices of the largest totals."""
    found: list[int] = np.flatnonzero(total > total.max() - _STEP).tolist()
    return found


def _means(before: Floats, after: Floats) -> list[float]:
    """Return two means and that of the difference."""
    return [float(x.mean()) if len(x) else np.nan for x in (before, after, after - before)]
