"""Fitting the parameter of an examination model to a log of what users examined."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from irmx import DataError, Param, UsageError
from irmx.ragged import Floats, Ints, segment_sum, short_repr
from irmx.toolkit import counted, html_result
from irmx_pages.examination.examination_models import KIND
from irmx_pages.fit.examination_log import ExaminationLog, probabilities, read_examinations
from irmx_pages.fit.observations import interval95, multiplicities, warn_of_one_cluster

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

    def _repr_html_(self) -> str:
        title = f"Examination of pages as by {self.model}: {counted(self.sessions, 'session')}"
        found = {"value": (self.value, self.interval), "detection": (self.detection, self.detection_interval)}
        estimates = [
            {"estimate": name, "value": value, **dict(zip(("low", "high"), interval or (), strict=False))}
            for name, (value, interval) in found.items()
            if value is not None
        ]
        shares = zip(self.observed.tolist(), self.expected.tolist(), strict=True)
        positions = [{"position": k, "observed": share, "expected": by} for k, (share, by) in enumerate(shares, 1)]
        return html_result(title, {"estimates": estimates, "share of sessions that examine a position": positions})

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
        too narrow. With a single session or user the intervals are NaN, with a warning.

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
    pages, of_session = data.distinct
    expected = np.stack([probabilities(pages, _with(model, parameter, value)) for value in grid])
    clusters = int(data.cluster.max()) + 1
    samples = multiplicities(clusters, resamples, seed)
    warn_of_one_cluster(clusters, "blocks")
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
    log: ExaminationLog, pages: ExaminationLog, of_session: Ints, expected: Floats, samples: Iterator[Ints]
) -> tuple[Floats, Floats, Floats]:
    """Return probabilities and counts by sample, for groups of blocks that no value of the parameter distinguishes.

    The probabilities have shape (values, cells); the counts of how often a cell was shown and examined, (samples, cells).
    """
    from scipy.sparse import coo_array

    _, first, cell_of = np.unique(expected.round(12), axis=1, return_index=True, return_inverse=True)
    block = pages.pages.offsets[of_session][log.pages.page] + log.pages.position - 1
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
