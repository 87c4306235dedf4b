"""Cross-validation over folds of topics: values learned without a fold, and how they agree with the fold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from irmx import DataError
from irmx.ragged import Bools, Floats, Ints
from irmx_pages.fit.choice_likelihood import Likelihood, LikelihoodFit, personal_interval
from irmx_pages.fit.choice_model import Votes, votes_of
from irmx_pages.fit.parameter_grid import ParameterGrid
from irmx_pages.fit.scores_of_settings import PageScorer
from irmx_pages.preferences.agreement import ALL, AgreedPairs, agreeing, preferred_page
from irmx_pages.preferences.preference_votes import Preferences

OF_ASSESSORS = (
    *("assessor", "votes", "both_bad", "l", "low", "high"),
    *("shared", "own", "difference"),
)
"""The columns of the table of assessors."""

AS_GIVEN, BY_AGREEMENT, BY_LIKELIHOOD = "as given", "by agreement", "by likelihood"


class Folded:
    """Preferences in folds: values learned without a fold, and how they agree with the fold."""

    def __init__(
        self,
        scorer: PageScorer,
        grid: ParameterGrid,
        preferences: Preferences,
        a: Ints,
        b: Ints,
        level: float,
        personal: bool,
        fold: Ints,
    ) -> None:
        self.scorer, self.grid, self.preferences, self.a, self.b, self.fold = scorer, grid, preferences, a, b, fold
        self.level, self.personal = level, personal
        self.majority = preferences.majority(level)
        folds = int(fold.max()) + 1
        decided = np.bincount(fold[self.majority != 0], minlength=folds)
        if decided.sum() == decided.max() or not decided.all():
            raise DataError(
                f"In {int((decided == 0).sum())} of {folds} folds no pair has a majority of {level:g} of its assessors; use "
                "fewer folds, or a lower level."
            )
        self.training = [np.arange(folds) != k for k in range(folds)]
        self.votes = votes_of(preferences)
        self.likelihood = self._likelihood(self.votes)
        self._agreed = self._agreed_in_grid(folds)

    def _likelihood(self, votes: Votes) -> Likelihood:
        return Likelihood(self.scorer, self.grid, self.a, self.b, votes, self.personal)

    def _agreed_in_grid(self, folds: int) -> Floats:
        """Return the number of pairs of every fold on which every setting agrees with the majority: shape (settings, folds)."""
        decided = np.flatnonzero(self.majority)
        a, b, majority = self.a[decided], self.b[decided], self.majority[decided]
        member = (self.fold[decided][:, None] == np.arange(folds)).astype(float)
        settings = self.grid.settings
        out = np.empty((len(settings), folds))
        for places, values in self.scorer.over_grid(settings):
            preferred = preferred_page(values[a], values[b])
            out[places] = agreeing(preferred, majority[:, None]).T @ member
        return out

    def by_agreement(self, training: Bools) -> int:
        """Return the index of the setting that agrees most often on some folds."""
        total = self._agreed[:, training].sum(axis=1)
        return self.grid.middle(np.flatnonzero(total > total.max() - 0.25).tolist())

    def by_likelihood(self, training: Bools) -> LikelihoodFit:
        """Return the maximum-likelihood estimates on some folds."""
        return self._likelihood(self.votes.of(training[self.fold])).fit()

    # -- held-out agreement ------------------------------------------------------------------------------

    def _preferred(self, values: Mapping[str, float], personal: float) -> Ints:
        """Return which page of every pair has the larger IUtil."""
        value = self.likelihood.page_values(dict(values))
        if self.personal:
            value = (1 - personal) * value + personal * self.scorer.recall
        return preferred_page(value[self.a], value[self.b])

    def _over_folds(self, of_fold: list[Ints]) -> Ints:
        """Return for every pair the value from its own fold."""
        return np.asarray(np.stack(of_fold)[self.fold, np.arange(len(self.fold))])

    def held_out(self, chosen: list[int], fitted: list[LikelihoodFit]) -> AgreedPairs:
        """Return how the measure as given, and what was learned without the fold of a pair, agree with the majority."""
        of_setting = {i: self._preferred(self.grid.settings[i], 0) for i in set(chosen)}
        preferred = {
            AS_GIVEN: self._preferred({}, 0),
            BY_AGREEMENT: self._over_folds([of_setting[i] for i in chosen]),
            BY_LIKELIHOOD: self._over_folds([self._preferred(f.values, f.personal) for f in fitted]),
        }
        decided = np.flatnonzero(self.majority)
        agreed = agreeing(np.stack(list(preferred.values()), axis=1)[decided], self.majority[decided, None])
        return AgreedPairs(self.level, ALL, list(preferred), agreed, np.array(self.preferences.query_id)[decided])

    def of_assessors(self, best: LikelihoodFit, fitted: list[LikelihoodFit]) -> list[dict[str, Any]]:
        """Return the l of every assessor, and how it agrees with the assessor's votes on held-out topics."""
        if not self.personal:
            return []
        utility, recall = self.likelihood.utility(best.values), self.likelihood.recall
        assert recall is not None
        shared = self._over_folds([self._preferred(f.values, f.personal) for f in fitted])
        rows = []
        for k, name in enumerate(self.preferences.assessors):
            mine = (self.votes.assessor == k) & (self.votes.won != 0.5)
            pair, choice = self.votes.pair[mine], np.sign(self.votes.won[mine] - 0.5)
            personal = [float(np.nan_to_num(f.weights.personal[k], nan=f.personal)) for f in fitted]
            own = self._over_folds([self._preferred(f.values, x) for f, x in zip(fitted, personal, strict=True)])
            with_shared, with_own = agreeing(shared[pair], choice), agreeing(own[pair], choice)
            agreed = (with_shared, with_own, with_own - with_shared)
            found = (
                name,
                len(pair),
                int(self.preferences.both_bad[self.preferences.assessor == k].sum()),
                float(best.weights.personal[k]),
                *personal_interval(self.votes, k, utility, recall),
                *(float(x.mean()) if len(pair) else np.nan for x in agreed),
            )
            rows.append(dict(zip(OF_ASSESSORS, found, strict=True)))
        return rows
