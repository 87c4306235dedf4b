"""Examination learned from logs: by position from clicks, and the parameter of a model from what users examined."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from irmx import DataError, Param, UsageError, read_table
from irmx.ragged import Bools, Floats, Ints, offsets_of, segment_sum, short_repr
from irmx.toolkit import html_result, plural, read_click_log
from irmx_pages.effort_fit import interval95, multiplicities, warn_of_few_clusters
from irmx_pages.examination_models import KIND
from irmx_pages.page import WEB, WEB_ORIENTATION, Pages

if TYPE_CHECKING:
    import pandas as pd


_STEPS = 200
"""Number of intervals into which the range of the parameter is divided for the search."""
_ABOVE_0, _BELOW_1 = 1e-12, 1 - 1e-12
"""The detections between which the likelihood has its maximum, where that is below 1."""
_FLAT = 1e-9
"""If the likelihood changes by less, relatively, the parameter is not identified."""


@dataclass(frozen=True)
class ExaminationFit:
    """Result of :func:`fit_examination`.

    Attributes
    ----------
    model : examination model
        The most likely model.
    value : float or None
        The value of its parameter; None if none was fitted.
    interval : tuple of float, or None
        The 95% interval of the value.
    detection : float
        Probability that an examination is observed.
    detection_interval : tuple of float, or None
        Its 95% interval; None if the detection was given.
    log_likelihood : float
        The sum over all blocks; minus infinity where the model has a probability of 0 for a block that was examined.
    observed, expected : float array, shape (positions,)
        The share of sessions in which each position was observed to be examined, and the share that the model expects.
    sessions, clusters : int
        Number of sessions, and of users if the log names them.
    """

    model: Any
    value: float | None
    interval: tuple[float, float] | None
    detection: float
    detection_interval: tuple[float, float] | None
    log_likelihood: float
    observed: Floats
    expected: Floats
    sessions: int
    clusters: int

    __repr__ = short_repr

    @property
    def tables(self) -> dict[str, list[dict[str, Any]]]:
        """The estimates with their intervals, and the shares by position, as rows.

        ``estimates`` has ``estimate`` (``value`` or ``detection``), ``value``, ``low`` and ``high``; ``positions`` has ``position``,
        ``observed`` and ``expected``.
        """
        found = {"value": (self.value, self.interval), "detection": (self.detection, self.detection_interval)}
        estimates = [
            {"estimate": name, "value": value, **dict(zip(("low", "high"), interval or (None, None), strict=True))}
            for name, (value, interval) in found.items()
            if value is not None
        ]
        shares = zip(self.observed.tolist(), self.expected.tolist(), strict=True)
        positions = [{"position": k, "observed": share, "expected": by} for k, (share, by) in enumerate(shares, 1)]
        return {"estimates": estimates, "positions": positions}

    @property
    def title(self) -> str:
        """The model, and how many sessions there were."""
        return f"Examination of pages as by {self.model}: {plural(self.sessions, 'session')}"

    def _repr_html_(self) -> str:
        estimates, positions = self.tables.values()
        return html_result(self.title, {"estimates": estimates, "share of sessions that examine a position": positions})

    @property
    def squared_error(self) -> float:
        """The mean over positions of the squared difference between the expected and the observed share."""
        return float(((self.expected - self.observed) ** 2).mean())


def fit_examination(
    log: ExaminationLog | pd.DataFrame | str | os.PathLike[str],
    model: Any,
    parameter: str | None = None,
    *,
    bounds: tuple[float, float] = (0.0, 1.0),
    detection: float | None = None,
    resamples: int = 1000,
    seed: int = 0,
) -> ExaminationFit:
    r"""Return the examination model under which a log of what users examined is most likely.

    A block that is examined with probability Exam(B) is observed to be examined with probability c Exam(B): a log of
    clicks or cursor positions misses part of what users look at, and c, the detection, is the share that it captures.
    c is the same at all positions. The parameter of the model and c maximise

    .. math:: \sum_B y_B \log (c \, Exam(B)) + (1 - y_B) \log (1 - c \, Exam(B)),

    y_B = 1 for a block that was observed to be examined. This treats the blocks of a session as independent, which does
    not bias the estimates of probabilities, but would make intervals too narrow; so these resample whole sessions.

    Parameters
    ----------
    log : DataFrame, str, Path or ExaminationLog
        Any source for :func:`read_examinations`, or its result.
    model : examination model, or its name
        Such as ``irmx.rbp`` or ``"rbp"``.
    parameter : str, optional
        The name of the parameter to fit, such as ``"beta"``. Without it only the detection is fitted.
    bounds : (float, float)
        The range of the parameter; 201 values are tried, and refined by a parabola between them.
    detection : float, optional
        c in (0, 1], if known.
    resamples : int
        Number of bootstrap samples for the intervals.
    seed : int
        Seed of these samples.

    Returns
    -------
    ExaminationFit
        Intervals are percentiles over samples of sessions or, if the log has the column ``user``, of users with all their
        sessions. An estimate at an end of its range, such as a beta of 0, stays there in most samples, so its interval is
        too narrow. With fewer than 10 sessions or users the intervals are NaN, with a warning.

    Raises
    ------
    irmx.DataError
        If the log cannot be used (see :func:`read_examinations`), nothing in it is examined, the model needs a column that
        the log does not have, or every value of the parameter is equally likely, so that it is not identified.
    irmx.UsageError
        For an unknown model, a parameter that it does not have, bounds in the wrong order, or a detection outside (0, 1].

    Notes
    -----
    Time and memory grow with the number of blocks on distinct pages; for a model that uses positions alone, all pages
    count as one.

    References
    ----------
    Zhou, Cummins, Lalmas, Jose: Evaluating Aggregated Search Pages. SIGIR 2012.

    Examples
    --------
    >>> import irmx, numpy as np, pandas as pd
    >>> session, position = np.divmod(np.arange(20000), 10)
    >>> seen = np.random.default_rng(4).random(20000) < 0.6 * 0.7**position
    >>> log = pd.DataFrame({"session": session, "position": position + 1, "examined": seen})
    >>> fit = fit_examination(log, irmx.rbp, "beta")
    >>> print("beta {:.2f} [{:.2f}, {:.2f}]".format(fit.value, *fit.interval))
    beta 0.70 [0.69, 0.71]
    >>> print("detection {:.2f} [{:.2f}, {:.2f}]".format(fit.detection, *fit.detection_interval))
    detection 0.59 [0.58, 0.61]
    """
    data = read_examinations(log)
    model = _checked(model, parameter, bounds, detection)
    if not data.examined.any():
        raise DataError("No block in the log was observed to be examined, so no model can be fitted to it.")
    grid = np.linspace(*bounds, _STEPS + 1) if parameter else np.zeros(1)
    pages, gain, of_session = data.distinct
    expected = np.stack([probabilities(data, _with(model, parameter, value), pages, gain) for value in grid])
    clusters = int(data.cluster.max()) + 1
    samples = multiplicities(clusters, resamples, seed)
    cells, shown, seen = _counts(data, pages, of_session, expected, samples)
    c, likelihood = np.stack([_likeliest(p, shown, seen, detection) for p in cells], axis=1)
    best = np.full(1 + resamples, grid[0])
    if parameter:
        if np.isfinite(likelihood[:, 0]).all() and np.ptp(likelihood[:, 0]) <= _FLAT * abs(likelihood[0, 0]):
            raise DataError(
                f"The log does not identify {parameter!r} of the examination model {model.NAME!r}: every value from "
                f"{bounds[0]:g} to {bounds[1]:g} is equally likely{_reason(data)}."
            )
        best = _peaks(grid, likelihood)
        model = _with(model, parameter, best[0])
    detections = np.array([np.interp(value, grid, column) for value, column in zip(best, c.T, strict=True)])
    found, at = float(detections[0]) * probabilities(data, model), data.pages.position - 1
    warn_of_few_clusters(clusters, "blocks")
    return ExaminationFit(
        model,
        float(best[0]) if parameter else None,
        interval95(best[1:], clusters) if parameter else None,
        float(detections[0]),
        None if detection is not None else interval95(detections[1:], clusters),
        float(examination_log_likelihoods(data, model, float(detections[0])).sum()),
        data.observed,
        np.asarray(np.bincount(at, found) / np.bincount(at)),
        len(data),
        clusters,
    )


def examination_log_likelihoods(
    log: ExaminationLog | pd.DataFrame | str | os.PathLike[str], model: Any, detection: float = 1.0
) -> Floats:
    """Return the log-likelihood of every session under an examination model, such as one fitted to other sessions.

    Parameters
    ----------
    log : DataFrame, str, Path or ExaminationLog
        Any source for :func:`read_examinations`, or its result.
    model : examination model, or its name
        See :func:`fit_examination`.
    detection : float
        c in (0, 1].

    Returns
    -------
    float array, shape (sessions,)
        In the order of the log's sessions; minus infinity where the model gives the observation probability 0.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> log = pd.DataFrame({"session": ["a", "a", "b", "b"], "position": [1, 2, 1, 2], "examined": [1, 1, 1, 0]})
    >>> examination_log_likelihoods(log, irmx.rbp(beta=0.5), detection=0.8).round(4)
    array([-1.1394, -0.734 ])
    """
    data = read_examinations(log)
    expected = detection * probabilities(data, _checked(model, None, (0, 1), detection))
    with np.errstate(divide="ignore"):
        of_block = np.where(data.examined, np.log(expected), np.log1p(-expected))
    return np.asarray(segment_sum(of_block, data.pages.page, len(data)))


def _checked(model: Any, parameter: str | None, bounds: tuple[float, float], detection: float | None) -> Any:
    """Return an examination model, looking it up by name if necessary."""
    found = Param(str, "the user", kind=KIND).check(model, "model", "an examination fit")
    if parameter is not None and parameter not in found.SUPPORTED_PARAMS:
        known = ", ".join(found.SUPPORTED_PARAMS) or "none"
        raise UsageError(f"The examination model {found.NAME!r} has no parameter {parameter!r}. It has: {known}.")
    if not bounds[0] < bounds[1]:
        raise UsageError(f"The bounds of a parameter must be its smallest and largest value. Got {bounds!r}.")
    if detection is not None and not 0 < detection <= 1:
        raise UsageError(f"The detection must be a number in the range (0, 1]. Got {detection!r}.")
    return found


def _with(model: Any, parameter: str | None, value: float) -> Any:
    return model(**{parameter: float(value)}) if parameter else model


def _counts(
    log: ExaminationLog, pages: Pages, of_session: Ints, expected: Floats, samples: Iterator[Ints]
) -> tuple[Floats, Floats, Floats]:
    """Return probabilities and counts by sample, for groups of blocks that no value of the parameter distinguishes.

    The probabilities have shape (values, cells); the counts of how often a cell was shown and examined, (samples, cells).
    """
    from scipy.sparse import coo_array

    _, first, cell_of = np.unique(expected.round(12), axis=1, return_index=True, return_inverse=True)
    block = pages.offsets[of_session][log.pages.page] + log.pages.position - 1
    seen = log.examined.astype(np.int64)
    where = (
        np.concatenate([2 * cell_of.ravel()[block], 2 * cell_of.ravel()[block] + 1]),
        np.tile(log.cluster[log.pages.page], 2),
    )
    table = coo_array((np.concatenate([np.ones_like(seen), seen]), where), (2 * len(first), int(log.cluster.max()) + 1))
    rows = table.tocsr()
    counts = np.stack([np.asarray(rows @ sample, dtype=np.float64) for sample in samples])
    return expected[:, first], counts[:, ::2], counts[:, 1::2]


def _likeliest(p: Floats, shown: Floats, seen: Floats, detection: float | None) -> tuple[Floats, Floats]:
    """Return the detection c that maximises the likelihood of every sample, and that likelihood."""
    from scipy.special import xlog1py, xlogy

    possible = p > 0
    y, n, p = seen[:, possible], shown[:, possible], p[possible]
    c = np.full(len(n), detection) if detection is not None else _detections(p, n - y, y.sum(axis=1))
    cp = c[:, None] * p
    likelihood = (xlogy(y, cp) + xlog1py(n - y, -cp)).sum(axis=1)
    return c, np.where(seen[:, ~possible].any(axis=1), -np.inf, likelihood)


def _detections(p: Floats, missed: Floats, seen: Floats) -> Floats:
    """Return the c in (0, 1] of every sample at which sum y = sum (n - y) c p/(1 - c p), or 1 where none is.

    That is where the derivative of sum y log(c p) + (n - y) log(1 - c p) is 0; it falls with c. Times c (1 - c), it has no pole.
    """
    from scipy.optimize.elementwise import find_root

    def excess(c: Floats, sample: Ints) -> Floats:
        return np.asarray((1 - c) * (seen[sample] - c * (missed[sample] * (p / (1 - c[..., None] * p))).sum(axis=-1)))

    found = np.ones(len(seen))
    inside = np.flatnonzero((missed * (p / np.maximum(1 - p, 1e-12))).sum(axis=1) > seen)
    ends = (np.full(len(inside), _ABOVE_0), np.full(len(inside), _BELOW_1))
    found[inside] = find_root(excess, ends, args=(inside,)).x
    return found


def _peaks(grid: Floats, likelihood: Floats) -> Floats:
    """Return where every column is largest: the vertex of the parabola through its largest value and the neighbours."""
    at = likelihood.argmax(axis=0)
    inside = np.clip(at, 1, len(grid) - 2)
    left, top, right = (likelihood[inside + step, np.arange(len(at))] for step in (-1, 0, 1))
    with np.errstate(invalid="ignore", divide="ignore"):
        shift = (left - right) / (2 * (left - 2 * top + right))
    sound = (at == inside) & np.isfinite(shift)
    return np.asarray(grid[at] + (grid[1] - grid[0]) * np.where(sound, shift, 0.0))


def _reason(log: ExaminationLog) -> str:
    if "visual" in log.has and not log.pages.visual.any():
        return ", because none of its blocks contains an image or a video"
    return ""


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
    def distinct(self) -> tuple[Pages, Floats, Ints]:
        """Every distinct page once, the gains of its blocks, and the index of each session's page."""
        kinds: dict[bytes, int] = {}
        look, ends = np.column_stack([self.gain, self.pages.visual]), pairwise(self.pages.offsets)
        of_session = np.array([kinds.setdefault(look[start:end].tobytes(), len(kinds)) for start, end in ends])
        first = np.unique(of_session, return_index=True)[1]
        keep = np.isin(self.pages.page, first)
        pages = replace(self.pages.where(keep), offsets=offsets_of(self.pages.blocks[first]))
        return pages, self.gain[keep], of_session

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
    of_web = (np.full(len(rows), WEB, dtype=object), ones * WEB_ORIENTATION, 0 * ones, ones.astype(np.int64), ones)
    pages = Pages(offsets, *of_web, visual[order])
    has = frozenset(name for name in ("visual", "gain") if name in rows)
    return ExaminationLog(names, pages, gain[order], examined[order], cluster, has)


def probabilities(log: ExaminationLog, model: Any, pages: Pages | None = None, gain: Floats | None = None) -> Floats:
    """Return the probability that every block of a log, or of other pages, is examined, according to an examination model.

    Raises
    ------
    irmx.DataError
        If the model needs a column that the log does not have (named in the message), or returns something that is not
        a probability.
    """
    pages, gain = log.pages if pages is None else pages, log.gain if gain is None else gain
    found = np.asarray(model.probabilities(pages, gain), dtype=np.float64)
    wrong = found[~((found >= 0) & (found <= 1 + 1e-12))]
    if len(wrong):
        raise DataError(f"The examination model {model!r} gives {wrong[0]:g}, which is not a probability.")
    every = np.ones(len(found))
    for column, meaning, other in (
        ("gain", "the gain of each block", (pages, every / 2)),
        ("visual", "which blocks contain an image or a video", (replace(pages, visual=every > 0), gain)),
    ):
        if column not in log.has and not np.allclose(found, model.probabilities(*other), rtol=0, atol=1e-12):
            raise DataError(
                f"The examination model {model.NAME!r} needs to know {meaning}, which the log does not record. "
                f"Add the column {column!r}, or fit another model."
            )
    return np.minimum(found, 1.0)


_DEEPEST = 100_000
"""The last position that a click log may have."""


def examination_of_clicks(log: pd.DataFrame | str | os.PathLike[str]) -> pd.DataFrame:
    """Return the probability that each position of a page is examined, by a click log.

    Users are taken to examine all blocks from the top down to the lowest one that they click, and none below. A session without
    a click tells nothing of how far its user went; it is not in a click log.

    Parameters
    ----------
    log : DataFrame, str or Path
        A table with the columns ``session``, ``rank`` (the position of the clicked block) and ``time``, or a log in the format of
        Yandex's Relevance Prediction Challenge, as :func:`irmx.toolkit.read_click_log` reads it.

    Returns
    -------
    DataFrame
        One row per position down to the lowest click: ``position``; ``sessions``, how many clicked there or below;
        ``examination``, their share; and ``low`` and ``high``, its 95% interval by Wilson's score method. The examination model
        ``by_position(file=...)`` reads it.

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
    >>> examination_of_clicks(log).round(3)
       position  sessions  examination    low   high
    0         1         3        1.000  0.439  1.000
    1         2         2        0.667  0.208  0.939
    2         3         1        0.333  0.061  0.792
    """
    import pandas as pd
    from scipy.stats import norm

    lowest = read_click_log(log).groupby("session")["rank"].max().to_numpy()
    if not len(lowest):
        raise DataError("The click log has no clicks.")
    if lowest.max() > _DEEPEST:
        raise DataError(
            f"The click log has a click at rank {lowest.max():,}. A page has at most {_DEEPEST:,} blocks here; leave the click out."
        )
    sessions = np.cumsum(np.bincount(lowest)[::-1])[::-1][1:]
    share = sessions / len(lowest)
    # Wilson's interval; scipy has it for one share at a time
    z2 = norm.ppf(0.975) ** 2 / len(lowest)
    middle, half = share + z2 / 2, np.sqrt(z2 * (share * (1 - share) + z2 / 4))
    return pd.DataFrame(
        {
            "position": np.arange(1, len(share) + 1),
            "sessions": sessions,
            "examination": share,
            "low": (middle - half) / (1 + z2),
            "high": np.where(share < 1, (middle + half) / (1 + z2), 1.0),
        }
    )
