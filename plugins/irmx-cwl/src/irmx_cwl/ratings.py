"""Measures against what people said: correlation with ratings, and the parameters with which it is largest."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

import irmx
from irmx import DataError, DataWarning, Param, UsageError, read_table
from irmx.ragged import Array, Floats
from irmx.toolkit import list_some, parse_measures, plural, read_click_log
from irmx_cwl.cwl_measure import LAST

if TYPE_CHECKING:
    import ir_measures
    import pandas as pd


# -- measures against what people said -------------------------------------------------------------------------------


MOST = 5_000
"""The largest number of rated sessions: rank correlations need a matrix of all pairs."""


@dataclass(frozen=True)
class RatingFit:
    """What :func:`fit_to_ratings` found.

    Attributes
    ----------
    measures : DataFrame
        One row per measure, in the order given: ``measure``, with the best parameters; ``settings``, how many were tried; ``sessions``,
        how many have a rating; ``correlation``, and its 95% interval ``low`` and ``high``; and ``cross_validated``, the mean correlation on
        sessions from which the parameters were not chosen.
    parameters : DataFrame
        One row per measure and parameter of several values: ``measure``, with the best parameters; ``parameter``, such as ``p`` or
        ``user.T``; ``value``, the best one; ``low`` and ``high``, the 95% interval of a number over samples of sessions; and ``share``, in
        what part of these samples the value is the best.
    """

    measures: pd.DataFrame
    parameters: pd.DataFrame


def fit_to_ratings(
    measures: str | ir_measures.Measure | Iterable[str | ir_measures.Measure],
    qrels: Any,
    run: Any,
    ratings: Any,
    rating: str = "rating",
    *,
    less_is_better: bool = False,
    correlation: str = "kendall",
    folds: int = 5,
    repeats: int = 10,
    resamples: int = 1000,
    seed: int = 0,
) -> RatingFit:
    """Correlate measures with ratings, and choose the parameters with the best correlation.

    Parameters
    ----------
    measures : str, Measure, or iterable of them
        Each is one measure, or an expression with several values of parameters, such as ``sRBP(p=0.1:0.9:9,b=0:1:5)``, of which the
        best setting is chosen. Different measures in one text are fitted separately.
    qrels, run : any
        What :func:`irmx.read_qrels` and :func:`irmx.read_run` take.
    ratings : DataFrame, str or Path
        A table with the column ``query_id``, a session or topic, and a column of ratings.
    rating : str
        The column of ratings, numbers.
    less_is_better : bool
        Whether a low rating is a good one, such as one of difficulty. A measure whose small values are good should correlate
        negatively, and a setting is the better the more it does.
    correlation : {"kendall", "spearman", "pearson"}
        Kendall's tau-b, Spearman's rho or Pearson's r.
    folds, repeats : int
        The parts into which sessions are divided at random, and how often that is done. The parameters are chosen on all parts but one,
        and the correlation is that on this part; parts on which it is undefined do not count.
    resamples : int
        The number of bootstrap samples of sessions, at least 100.
    seed : int
        The seed of parts and samples.

    Returns
    -------
    RatingFit
        Tables of the measures and of their parameters.

    Raises
    ------
    irmx.DataError
        If a rating is no number, a session has two, fewer than ``2 * folds`` judged sessions have one, the run lacks more than half of
        them, or a measure has no value or is constant on them, or the ratings are.
    irmx.UsageError
        If an argument is not valid.

    Warns
    -----
    irmx.DataWarning
        About rated sessions that are not in the qrels, which are left out, and about several settings that correlate best; the first of
        them is reported, and ``share`` and ``cross_validated`` count it before the others.

    Examples
    --------
    >>> import pandas as pd
    >>> qrels = {f"s{i}": {"a": 1} for i in range(12)}
    >>> rows = [(f"s{i}", 1, "x" if i % 3 else "a", 2.0) for i in range(12)] + [(f"s{i}", 2, "a", 1.0) for i in range(12)]
    >>> run = pd.DataFrame(rows, columns=["query_id", "query_number", "doc_id", "score"])
    >>> ratings = pd.DataFrame({"query_id": list(qrels), "rating": [5, 2, 3, 4, 2, 1, 5, 3, 1, 4, 3, 2]})
    >>> found = fit_to_ratings(["sRBP", "Session(measure='RR',over=mean|last)"], qrels, run, ratings, folds=2)
    >>> found.measures[["measure", "settings", "correlation", "cross_validated"]].round(2)
                     measure  settings  correlation  cross_validated
    0                   sRBP         1         0.75             0.77
    1  Session(measure='RR')         2         0.75             0.77
    """
    import pandas as pd

    if correlation not in CORRELATIONS:
        raise UsageError(f"correlation must be one of {', '.join(CORRELATIONS)}. Got {correlation!r} instead.")
    for name, number, least in (
        ("folds", folds, 2),
        ("repeats", repeats, 1),
        ("resamples", resamples, 100),
        ("seed", seed, 0),
    ):
        if number < least:
            raise UsageError(f"{name} must be at least {least}. Got {number} instead.")
    asked = [measures] if isinstance(measures, (str, irmx.Measure)) or not isinstance(measures, Iterable) else measures
    families = [settings for one in asked for settings in _families(one)]
    if not families:
        raise UsageError("There is no measure to correlate with the ratings.")
    rated = _ratings(ratings, rating)
    judgments, read = irmx.read_qrels(qrels), irmx.read_run(run)
    run_name = os.fspath(run) if isinstance(run, (str, os.PathLike)) else "run"
    sessions = [topic for topic in map(str, judgments.topics) if topic in rated]
    if not sessions:
        judged = list_some(map(str, judgments.topics))
        raise DataError(
            f"No rated session is in the qrels. The ratings have {list_some(rated)}; the qrels have {judged}."
        )
    if strange := [topic for topic in rated if topic not in set(sessions)]:
        warnings.warn(
            f"{plural(len(strange), 'rated session')} not in the qrels left out: {list_some(strange)}",
            DataWarning,
            stacklevel=2,
        )
    if not 2 * folds <= len(sessions) <= MOST:
        raise DataError(
            f"{plural(len(sessions), 'session')} with judgments have a rating; a fit with {folds} folds needs {2 * folds:,} to {MOST:,}."
        )
    said = np.array([rated[topic] for topic in sessions])
    if np.ptp(said) == 0:
        raise DataError(f"All {plural(len(sessions), 'session')} have the rating {said[0]:g}.")
    samples = _Samples.drawn(len(sessions), folds, repeats, resamples, seed)
    of_measures: list[dict[str, Any]] = []
    of_parameters: list[dict[str, Any]] = []
    for family in families:
        scores = irmx.scores(family, judgments, {run_name: read})
        row = {str(topic): number for number, topic in enumerate(scores.topics)}
        rows = [row[topic] for topic in sessions]
        if 2 * (lacking := int((scores.states[rows, 0, 0] == irmx.State.DEFAULT).sum())) > len(sessions):
            raise DataError(
                f"{run_name} has no results for {lacking:,} of {plural(len(sessions), 'rated session')}: did it run? Leave these sessions out "
                "of the ratings."
            )
        values = scores.values[rows, 0].T
        for m, s in np.argwhere(~np.isfinite(values))[:1].tolist():
            raise DataError(
                f"{scores.measures[m]} has the value {values[m, s]:g} for session {sessions[s]}, and no correlation. Leave the session out of "
                "the ratings, or choose another measure."
            )
        direction = [-1.0 if getattr(m, "LESS_IS_BETTER", False) != less_is_better else 1.0 for m in scores.measures]
        fit = _Fit.of(CORRELATIONS[correlation], values, said, np.array(direction), samples)
        name = str(scores.measures[fit.best])
        if len(fit.equal) > 1:
            equal = list_some(str(scores.measures[m]) for m in fit.equal)
            warnings.warn(
                f"{plural(len(fit.equal), 'setting')} have the same, best correlation, of which the first is reported: {equal}",
                DataWarning,
                stacklevel=2,
            )
        if not len(fit.held_out):
            raise DataError(
                f"{name} has the same value for all {plural(len(sessions), 'rated session')}, or for all in each of {folds} parts."
            )
        low, high = np.nanquantile(fit.resampled, [0.025, 0.975])
        of_measures.append(
            {
                "measure": name,
                "settings": len(scores.measures),
                "sessions": len(sessions),
                "correlation": fit.correlation,
                "low": low,
                "high": high,
                "cross_validated": float(fit.held_out.mean()),
            }
        )
        of_parameters += [{"measure": name, **found} for found in _parameters(scores.views, fit)]
    return RatingFit(pd.DataFrame(of_measures), pd.DataFrame(of_parameters))


def _families(measures: Any) -> Iterable[list[ir_measures.Measure]]:
    """Yield what to choose from, together: settings of the same measure in a text; a measure that is an object stands alone."""
    if not isinstance(measures, str):
        yield [irmx.parse_measure(measures)]
        return
    for _, settings in groupby(parse_measures(measures), key=lambda measure: measure.NAME):
        yield list(settings)


def _ratings(source: Any, column: str) -> dict[str, float]:
    """Return the rating of each session."""
    table = read_table(source, {"query_id": str, column: Param(float, "the rating", required=True)}, "ratings")
    rows: dict[str, int] = {}
    for row, topic in enumerate(table["query_id"].tolist()):
        if rows.setdefault(topic, row) != row:
            table.refuse([rows[topic], row], f"{topic!r} has two ratings. Give one, such as their mean.")
    return dict(zip(table["query_id"].tolist(), table[column].tolist(), strict=True))


def _parameters(settings: pd.DataFrame, fit: _Fit) -> Iterable[dict[str, Any]]:
    """Yield, for each parameter of several values, the best one and how far it varies over samples."""
    for name in settings:
        values = settings[name]
        if "." not in str(name) or values.nunique(dropna=False) < 2:
            continue
        best = values.iloc[fit.best]
        of_samples = values.iloc[fit.chosen]
        numbers = values.dtype.kind == "f" and values.notna().all()
        low, high = np.quantile(of_samples, [0.025, 0.975]) if numbers else (np.nan, np.nan)
        share = float((of_samples == best).mean())
        yield {"parameter": str(name).partition(".")[2], "value": best, "low": low, "high": high, "share": share}


@dataclass(frozen=True)
class _Samples:
    """How often each session is in each sample, shape (samples, sessions)."""

    train: Floats
    test: Floats
    resampled: Floats

    @classmethod
    def drawn(cls, sessions: int, folds: int, repeats: int, resamples: int, seed: int) -> _Samples:
        """Return random parts, and bootstrap samples."""
        random = np.random.default_rng(seed)
        part = np.stack([random.permutation(sessions) % folds for _ in range(repeats)])
        test = (part[:, None, :] == np.arange(folds)[:, None]).reshape(-1, sessions).astype(float)
        return cls(
            1 - test, test, random.multinomial(sessions, np.full(sessions, 1 / sessions), resamples).astype(float)
        )


@dataclass(frozen=True)
class _Fit:
    """The best of some settings, and what it is on other samples."""

    best: int
    equal: list[int]
    correlation: float
    resampled: Floats
    chosen: Array
    held_out: Floats

    @classmethod
    def of(cls, correlate: Correlation, values: Floats, said: Floats, direction: Floats, samples: _Samples) -> _Fit:
        """Choose among settings, whose values have the shape (settings, sessions)."""
        every = np.vstack([np.ones((1, len(said))), samples.train, samples.test, samples.resampled])
        found = correlate(_scaled(values).round(12), _scaled(said[None])[0], every)
        whole, train, test, resampled = np.split(found, np.cumsum([1, len(samples.train), len(samples.test)]), axis=1)

        def agreement(correlations: Floats) -> Floats:
            """Return what is best if it is largest; what differs by rounding errors is equal."""
            return np.asarray(np.nan_to_num(direction[:, None] * correlations.round(12), nan=-np.inf))

        def best_in(correlations: Floats) -> Array:
            return np.asarray(np.argmax(agreement(correlations), axis=0))

        best = int(best_in(whole)[0])
        of_all = agreement(whole)[:, 0]
        held_out = test[best_in(train), np.arange(test.shape[1])]
        return cls(
            best,
            np.flatnonzero(of_all == of_all[best]).tolist(),
            float(whole[best, 0]),
            resampled[best],
            best_in(resampled),
            held_out[~np.isnan(held_out)],
        )


def _scaled(values: Floats) -> Floats:
    """Return values in which the largest of each row has the size 1, so that squares neither overflow nor vanish."""
    size = np.abs(values).max(axis=1, keepdims=True)
    return np.asarray(values / np.where(size > 0, size, 1))


Correlation = Callable[[Floats, Floats, Floats], Floats]


def kendall(values: Floats, said: Floats, weight: Floats) -> Floats:
    """Return Kendall's tau-b of each row of values with the ratings, in samples in which sessions are repeated.

    The shapes are (settings, sessions), (sessions,) and (samples, sessions); NaN where all values or all ratings of a sample tie.
    """

    def pairs(signs: Floats) -> Floats:
        return np.asarray(np.einsum("rs,rs->r", weight @ signs, weight))

    signs = _signs(said)
    untied = pairs(np.abs(signs))
    of_settings = [(pairs(own * signs), pairs(np.abs(own)) * untied) for own in map(_signs, values)]
    return _ratios(of_settings)


def spearman(values: Floats, said: Floats, weight: Floats) -> Floats:
    """Return Spearman's rho as :func:`kendall` returns tau: by sums of signs, which are twice the ranks from the middle."""

    def product(a: Floats, b: Floats) -> Floats:
        return np.asarray(np.einsum("rs,rs,rs->r", weight, a, b))

    ranks = weight @ _signs(said)
    spread = product(ranks, ranks)
    of_settings = []
    for row in values:
        own = weight @ _signs(row)
        of_settings.append((product(own, ranks), product(own, own) * spread))
    return _ratios(of_settings)


def pearson(values: Floats, said: Floats, weight: Floats) -> Floats:
    """Return Pearson's r as :func:`kendall` returns tau."""
    share = weight / weight.sum(axis=1, keepdims=True)

    def centred(row: Floats) -> Floats:
        different = row - row[0]  # exactly 0 where all are equal
        return np.where(weight > 0, different - (share @ different)[:, None], 0)

    ratings = centred(said)
    of_settings = []
    for row in values:
        own = centred(row)
        products = [np.einsum("rs,rs,rs->r", share, a, b) for a, b in ((own, ratings), (own, own), (ratings, ratings))]
        of_settings.append((products[0], products[1] * products[2]))
    return _ratios(of_settings)


def _signs(row: Floats) -> Floats:
    """Return the sign of every difference, shape (sessions, sessions)."""
    return np.asarray(np.sign(row[:, None] - row))


def _ratios(of_settings: list[tuple[Floats, Floats]]) -> Floats:
    """Return products divided by the roots of the products of spreads; NaN where a spread is 0."""
    above, below = (np.stack(parts) for parts in zip(*of_settings, strict=True))
    return np.asarray(np.divide(above, np.sqrt(below), out=np.full(above.shape, np.nan), where=below > 0))


CORRELATIONS: dict[str, Correlation] = {"kendall": kendall, "spearman": spearman, "pearson": pearson}
"""The correlations by name."""


# -- how far users go down a list, read from their clicks: a continuation function by rank ---------------------------


def continuation_of_clicks(log: pd.DataFrame | str | os.PathLike[str]) -> pd.DataFrame:
    """Return the probability to go on from each rank to the next one, by a click log.

    Users are taken to look at all documents from the top down to the deepest one that they click, and at none below. A session
    without a click tells nothing of how far its user went; it is not in a click log.

    Parameters
    ----------
    log : DataFrame, str or Path
        A table with the columns ``session``, ``rank`` and ``time``, or a log in the format of Yandex's Relevance Prediction Challenge, as
        :func:`irmx.toolkit.read_click_log` reads it.

    Returns
    -------
    DataFrame
        One row per rank down to the deepest click: ``rank``; ``sessions``, how many reached it; ``went_on``, how many of them went
        on; ``continuation``, their share; and ``low`` and ``high``, its 95% interval by Wilson's score method. The user
        ``by_rank(file=...)`` of ``CWL`` reads it.

    Raises
    ------
    irmx.DataError
        If the log has no clicks, or a rank above 100,000, or is not valid.

    References
    ----------
    Moffat, A., Thomas, P., Scholer, F.: Users versus Models: What Observation Tells Us About Effectiveness Metrics. CIKM 2013.

    Examples
    --------
    >>> import pandas as pd
    >>> log = pd.DataFrame({"session": ["a", "a", "b", "c"], "rank": [3, 1, 1, 2], "time": [0.0, 9.0, 0.0, 0.0]})
    >>> continuation_of_clicks(log).round(3)
       rank  sessions  went_on  continuation    low   high
    0     1         3        2         0.667  0.208  0.939
    1     2         2        1         0.500  0.095  0.905
    2     3         1        0         0.000  0.000  0.793
    """
    import pandas as pd
    from scipy.stats import norm

    deepest = read_click_log(log).groupby("session")["rank"].max().to_numpy()
    if not len(deepest):
        raise DataError("The click log has no clicks.")
    if deepest.max() > LAST:
        raise DataError(
            f"The click log has a click at rank {deepest.max():,}; {LAST:,} is the last rank that a user of CWL can come to."
        )
    ending = np.bincount(deepest)
    reached = np.cumsum(ending[::-1])[::-1][1:]
    went_on = reached - ending[1:]
    share = went_on / reached
    # Wilson's interval; scipy has it for one share at a time
    z2 = norm.ppf(0.975) ** 2
    middle = (went_on + z2 / 2) / (reached + z2)
    half = np.sqrt(z2 * (reached * share * (1 - share) + z2 / 4)) / (reached + z2)
    return pd.DataFrame(
        {
            "rank": np.arange(1, len(reached) + 1),
            "sessions": reached,
            "went_on": went_on,
            "continuation": share,
            "low": np.where(went_on > 0, middle - half, 0),
            "high": np.where(went_on < reached, middle + half, 1),
        }
    )
