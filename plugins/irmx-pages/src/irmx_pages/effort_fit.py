"""Estimating an effort table from the times that users spent on items; bootstrap samples of users."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from irmx import DataError, DataWarning, Param, UsageError, read_table
from irmx.ragged import Floats, Ints, segment_sum, short_repr
from irmx.toolkit import html_result, plural

if TYPE_CHECKING:
    import pandas as pd


_COLUMNS: dict[str, Param | type] = {
    "media": Param(str, "the media type of the item", required=True),
    "time": Param(float, "how long the user looked at the item", unit="s", low=0, required=True),
    "user": Param(str, "user who looked at the item"),
}

_FEWEST = 0.95
"""The share of bootstrap samples that must have every media type."""


@dataclass(frozen=True)
class EffortFit:
    """Result of :func:`fit_effort`.

    Attributes
    ----------
    effort : dict of str to float
        The effort of every media type, in units of the reference type's effort.
    intervals : dict of str to tuple
        The 95% interval of each; NaN, with a warning, where all times are of fewer than 10 users.
    seconds : dict of str to float
        The mean, the median or (for ``within_users``) the geometric mean of the times of every media type.
    times : dict of str to int
        Number of times used for every media type.
    not_seen, too_long : int
        Number of times left out: not above ``shortest``, above ``longest``.
    users : int
        Number of users with used times; without users in the table, the number of times.
    """

    effort: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    seconds: dict[str, float]
    times: dict[str, int]
    not_seen: int
    too_long: int
    users: int

    __repr__ = short_repr

    @property
    def rows(self) -> list[dict[str, Any]]:
        """One row per media type: ``media``, ``effort`` and its interval, ``low`` and ``high``, ``seconds`` and ``times``."""
        return [
            {"media": media, "effort": effort, "low": self.intervals[media][0], "high": self.intervals[media][1],
             "seconds": self.seconds[media], "times": self.times[media]}
            for media, effort in self.effort.items()
        ]  # fmt: skip

    @property
    def title(self) -> str:
        """How many users and times there were."""
        left_out = f"{self.not_seen:,} too short and {self.too_long:,} too long"
        return f"Efforts by {plural(self.users, 'user')}; times left out: {left_out}"

    def _repr_html_(self) -> str:
        return html_result(self.title, {"": self.rows})


def fit_effort(
    times: pd.DataFrame | str | os.PathLike[str],
    reference: str,
    *,
    statistic: str = "mean",
    shortest: float = 0.0,
    longest: float | None = None,
    resamples: int = 1000,
    seed: int = 0,
) -> EffortFit:
    r"""Return the effort of every media type from the times that users spent on items.

    The effort of a type is the time an item of it takes, divided by the time one of the reference type takes: the
    unit of effort cancels in a normalised utility. That time is

    ``mean``
        the mean of the times: consistent with the sum of a page's efforts, but sensitive to a few long times;
    ``median``
        their median;
    ``within_users``
        a comparison within each user, for logs in which different types were seen by different users. With
        :math:`\log t = a_{user} + b_{type}` fitted by least squares, the effort is
        :math:`e^{b_{type} - b_{reference}}`. Users who saw only one type carry no information.

    Parameters
    ----------
    times : DataFrame, str or Path
        A table, or a .csv, .tsv, .jsonl or .parquet file, with one row per item shown to a user: ``media``, any
        label, ``time`` in seconds, at least 0, and, if known, ``user``.
    reference : str
        The media type of effort 1.
    statistic : {"mean", "median", "within_users"}
        See above.
    shortest : float
        In seconds. Only times above it are used: a time of 0 means that the item was not looked at.
    longest : float, optional
        In seconds. Longer times are left out: the user was probably doing something else.
    resamples : int
        Number of bootstrap samples for the intervals.
    seed : int
        Seed of these samples.

    Returns
    -------
    EffortFit
        Intervals are percentiles over samples of users, with all of a user's times. Without ``user`` each time is
        assumed to come from a different user, and the intervals are too narrow if this is wrong.

    Raises
    ------
    irmx.DataError
        If a column is missing; a time is negative or not a number; the reference is not in the table, or is the only
        type; a type has no usable times, or so few users that more than 5% of the samples have none of them; no user
        saw types that ``within_users`` compares. The message names the line of the file, or the row.
    irmx.UsageError
        For an unknown ``statistic``, or unless 0 <= ``shortest`` < ``longest``.

    References
    ----------
    Zhou, Cummins, Lalmas, Jose: Evaluating Aggregated Search Pages. SIGIR 2012.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> generator = np.random.default_rng(1)
    >>> media = np.array(["image", "text", "video"] * 400)
    >>> pace = generator.lognormal(0, 0.3, 60)
    >>> user = np.repeat(np.arange(60), 20)
    >>> seconds = np.select([media == "image", media == "text"], [2.0, 5.0], 9.0) * pace[user]
    >>> log = pd.DataFrame({"user": user, "media": media, "time": seconds * generator.exponential(1, 1200)})
    >>> fit = fit_effort(log, "image", statistic="within_users")
    >>> for name, effort in fit.effort.items():
    ...     print("{}: {:.2f} [{:.2f}, {:.2f}]".format(name, effort, *fit.intervals[name]))
    image: 1.00 [1.00, 1.00]
    text: 2.18 [1.88, 2.54]
    video: 4.40 [3.75, 5.20]
    """
    statistics: dict[str, Callable[..., _Estimate]] = {
        "mean": _means,
        "median": _medians,
        "within_users": _within_users,
    }
    if statistic not in statistics:
        raise UsageError(f"'statistic' must be one of {', '.join(map(repr, statistics))}. Got {statistic!r} instead.")
    if not (0 <= shortest < np.inf) or (longest is not None and not longest > shortest):
        raise UsageError(
            f"'shortest' must be at least 0 and below 'longest', in seconds. Got shortest={shortest!r} and "
            f"longest={longest!r}."
        )
    log = read_table(times, _COLUMNS, "times")
    media, types = log.labels("media")
    seconds = log["time"]
    user = log.labels("user")[0] if "user" in log else np.arange(len(log))
    if reference not in types:
        raise DataError(f"There are no times for the reference {reference!r}. The media types are {', '.join(types)}.")
    if len(types) == 1:
        raise DataError(
            f"All times are for the reference {reference!r}; there is no other media type to compare it with."
        )
    limit = np.inf if longest is None else longest
    used = (seconds > shortest) & (seconds <= limit)
    counts = np.bincount(media[used], minlength=len(types))
    if not counts.all():
        up_to = "" if longest is None else f" and up to {longest:g}"
        raise DataError(f"There are no times for {types[int(np.argmin(counts))]!r} above {shortest:g} seconds{up_to}.")
    user = np.unique(user[used], return_inverse=True)[1]
    users = int(user.max()) + 1
    samples = multiplicities(users, resamples, seed)
    with np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore"):
        given = (seconds[used], media[used], user, types.index(reference), samples, types)
        effort, of_types = statistics[statistic](*given)
    if not ((effort[0] > 0) & np.isfinite(effort[0])).all():
        raise DataError(
            f"{log.name}: the times are too far apart for floating-point numbers: {seconds[used].min():g} to "
            f"{seconds[used].max():g} seconds. Leave times out with 'shortest' and 'longest'."
        )
    if np.isfinite(effort[1:]).all(axis=1).mean() < _FEWEST:
        rare = int(np.argmin(np.isfinite(effort).sum(axis=0)))
        raise DataError(
            f"Too few users saw {types[rare]!r} for an interval: more than {1 - _FEWEST:.0%} of the samples of users "
            "contain none of them."
        )
    warn_of_few_clusters(users, "times")
    return EffortFit(
        dict(zip(types, map(float, effort[0]), strict=True)),
        {name: interval95(row[np.isfinite(row)], users) for name, row in zip(types, effort[1:].T, strict=True)},
        dict(zip(types, map(float, of_types), strict=True)),
        dict(zip(types, map(int, counts), strict=True)),
        int((seconds <= shortest).sum()),
        int((seconds > limit).sum()),
        users,
    )


_Estimate = tuple[Floats, Floats]
"""Efforts, shape (1 + resamples, types), those of the original users first, NaN where a sample has none; and seconds, (types,)."""


def _means(
    time: Floats, media: Ints, user: Ints, reference: int, samples: Iterator[Ints], types: list[str]
) -> _Estimate:
    users, k = int(user.max()) + 1, len(types)
    sums = [segment_sum(of_row, user * k + media, users * k).reshape(users, k) for of_row in (time, np.ones(len(time)))]
    total, count = np.stack([sample @ np.hstack(sums) for sample in samples]).reshape(-1, 2, k).swapaxes(0, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = total / count
        return mean / mean[:, [reference]], mean[0]


def _medians(
    time: Floats, media: Ints, user: Ints, reference: int, samples: Iterator[Ints], types: list[str]
) -> _Estimate:
    order = np.argsort(time, kind="stable")
    of_type = [order[media[order] == number] for number in range(len(types))]
    median = np.array([[_median(time[rows], sample[user[rows]]) for rows in of_type] for sample in samples])
    return median / median[:, [reference]], median[0]


def _median(ascending: Floats, often: Ints) -> float:
    """Return the weighted median of values, with counts as weights; NaN without values."""
    passed = np.cumsum(often)
    if passed[-1] == 0:
        return float("nan")
    middle = [np.searchsorted(passed, passed[-1] / 2, side) for side in ("left", "right")]
    return float(ascending[middle].mean())


def _within_users(
    time: Floats, media: Ints, user: Ints, reference: int, samples: Iterator[Ints], types: list[str]
) -> _Estimate:
    """Least-squares fit of log t = a_user + b_type; its normal equations are sums over users, which a sample weights."""
    log_time = np.log(time)
    users, others = int(user.max()) + 1, [t for t in range(len(types)) if t != reference]
    size = np.bincount(user, minlength=users)
    is_type = (media[:, None] == np.array(others)).astype(np.float64)
    share = np.stack([segment_sum(column, user, users) for column in is_type.T], axis=1) / size[:, None]
    x = is_type - share[user]
    y = log_time - (segment_sum(log_time, user, users) / size)[user]
    k = len(others)
    products = np.zeros((users, k, k + 1))
    np.add.at(products, user, x[:, :, None] * np.column_stack([x, y])[:, None, :])
    sums = np.stack([np.tensordot(sample, products, axes=1) for sample in samples])
    solvable = np.linalg.matrix_rank(sums[:, :, :k], hermitian=True) == k
    if not solvable[0]:
        raise DataError(
            f"No comparison within users: too few of the {users} users saw several of the media types "
            f"{', '.join(types)}. Use 'mean' or 'median', which compare across users."
        )
    effort = np.full((len(sums), len(types)), np.nan)
    effort[:, reference] = 1.0
    effort[np.ix_(solvable, others)] = np.exp(np.linalg.solve(sums[solvable, :, :k], sums[solvable, :, k:])[..., 0])
    counts = np.bincount(media, minlength=len(types))
    return effort, np.exp(segment_sum(log_time, media, len(types)) / counts)


def multiplicities(clusters: int, resamples: int, seed: int) -> Iterator[Ints]:
    """Return how often each cluster occurs in the data (once) and then in each bootstrap sample, one row each.

    Raises
    ------
    irmx.UsageError
        For fewer than two samples, or a negative seed.

    Examples
    --------
    >>> [int(counts.sum()) for counts in multiplicities(clusters=5, resamples=2, seed=0)]
    [5, 5, 5]
    """
    Param(int, "number of samples", low=2).check(resamples, "resamples", "the fit")
    Param(int, "seed", low=0).check(seed, "seed", "the fit")
    generator = np.random.default_rng(seed)
    drawn = (generator.integers(0, clusters, clusters) for _ in range(resamples))
    return (np.bincount(sample, minlength=clusters) for sample in chain([np.arange(clusters)], drawn))


FEWEST_CLUSTERS = 10
"""The smallest number of users or sessions whose resampling gives an interval; of fewer, percentiles are far too narrow."""


def warn_of_few_clusters(clusters: int, what: str) -> None:
    """Warn if there are too few users or sessions to resample."""
    if clusters < FEWEST_CLUSTERS:
        of = "one user or session" if clusters == 1 else f"{clusters} users or sessions"
        warnings.warn(
            f"All {what} belong to {of}. Intervals come from resampling at least {FEWEST_CLUSTERS} of these, so there are none (NaN).",
            DataWarning,
            stacklevel=3,
        )


def interval95(values: Floats | Sequence[float], clusters: int) -> tuple[float, float]:
    """Return the 2.5% and the 97.5% quantile of the estimates of samples; NaN if there are fewer than :data:`FEWEST_CLUSTERS` clusters."""
    if clusters < FEWEST_CLUSTERS:
        return float("nan"), float("nan")
    low, high = np.quantile(values, [0.025, 0.975])
    return float(low), float(high)
