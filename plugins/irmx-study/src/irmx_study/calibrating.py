"""What people would say of all topics, from their labels on some topics and a machine's on all: prediction-powered inference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from irmx import DataError, UsageError
from irmx.ragged import Floats
from irmx.toolkit import plural
from irmx_study.choices import short_names
from irmx_study.pairs import baselines_of, signs_of, topics_of_view
from irmx_study.planning import topics_for_t
from irmx_study.result import Titled, interval

if TYPE_CHECKING:
    from irmx_study.judged_systems import JudgedSystems

FEWEST = 3
"""A deviation around a fitted line needs so many topics with human labels."""

_POWER = 0.8
"""The probability with which a difference would be found on the topics that it needs."""


class Calibrated(NamedTuple):
    """Means under the human judge, of shape (columns,): of the human labels alone, and with those of a machine."""

    human: Floats
    human_low: Floats
    human_high: Floats
    weight: Floats
    mean: Floats
    low: Floats
    high: Floats
    topics_gained: Floats


def prediction_powered(human: Floats, machine: Floats, further: Floats, level: float = 0.05) -> Calibrated:
    r"""Return means under a human judge from human values on some topics and machine values on more.

    .. math:: \hat\theta = \lambda \bar f_N + \overline{(Y - \lambda f)}_n, \quad
        \lambda = \frac{\mathrm{cov}_n(Y, f)}{(1 + n/N) \, \mathrm{var}(f)}, \quad
        \mathrm{var}(\hat\theta) = \frac{\lambda^2 \mathrm{var}_N(f)}{N} + \frac{\mathrm{var}_n(Y - \lambda f)}{n}

    Parameters
    ----------
    human, machine : float array, shape (topics, columns)
        The values Y and f of the n topics with human labels, a random sample of all topics: of a system, or differences.
    further : float array, shape (further topics, columns)
        The machine's values f of the N other topics.
    level : float
        The intervals cover 1 - level; they have quantiles of t with n - 2 degrees of freedom, n - 1 for the human labels alone.

    Returns
    -------
    Calibrated
        With one value per column; ``weight`` is lambda, and ``topics_gained`` how many more topics with human labels would give
        an interval with the same variance, which can be negative.

    Raises
    ------
    irmx.errors.DataError
        If there are fewer than three topics with human labels, or two others.

    References
    ----------
    .. [1] A. N. Angelopoulos, J. C. Duchi, T. Zrnic. PPI++: efficient prediction-powered inference. arXiv:2311.01453, 2023.

    Examples
    --------
    >>> import numpy as np
    >>> human = np.array([[0.2], [0.4], [0.9], [0.6], [0.5]])
    >>> found = prediction_powered(human, human + [[0.1], [0.2], [0.1], [0.1], [0.2]], np.linspace(0.2, 1, 20)[:, None])
    >>> [round(float(one[0]), 3) for one in (found.human, found.weight, found.mean, found.topics_gained)]
    [0.52, 0.844, 0.469, 16.288]
    """
    from scipy.special import stdtrit

    n, more = len(human), len(further)
    if n < FEWEST or more < 2:
        raise DataError(
            f"Calibration needs {FEWEST} topics that both the human judge and the machine judged, and 2 that the machine judged "
            f"alone. There are {n} and {more}."
        )
    spread = np.concatenate([machine, further]).var(axis=0, ddof=1)
    covariance = ((human - human.mean(axis=0)) * (machine - machine.mean(axis=0))).sum(axis=0) / (n - 1)
    weight = np.divide(covariance, (1 + n / more) * spread, out=np.zeros(len(spread)), where=spread > 0)
    rest = human - weight * machine
    mean = weight * further.mean(axis=0) + rest.mean(axis=0)
    variance = weight**2 * further.var(axis=0, ddof=1) / more + rest.var(axis=0, ddof=1) / n
    of_human, alone = human.mean(axis=0), human.var(axis=0, ddof=1) / n
    half, half_alone = -stdtrit(n - 2, level / 2) * np.sqrt(variance), -stdtrit(n - 1, level / 2) * np.sqrt(alone)
    gained = n * np.divide(alone, variance, out=np.ones(len(variance)), where=variance > 0) - n
    return Calibrated(
        of_human, of_human - half_alone, of_human + half_alone, weight, mean, mean - half, mean + half, gained
    )


def calibrated(of: JudgedSystems, human: str, baseline: str | None) -> pd.DataFrame:
    """Return the means of the systems under the human judge, and their differences to a baseline, by measure and machine."""
    scores, tables = of.scores, []
    named = None if baseline is None else baselines_of(baseline, scores.systems)[0]
    for measure in of.measures:
        by_people = of.place(measure, of.names.index(human))
        for judge in of.names:
            if judge == human:
                continue
            by_machine = of.place(measure, of.names.index(judge))
            labelled, judged = topics_of_view(scores, by_people), topics_of_view(scores, by_machine)
            y, f = scores.values[:, :, by_people], scores.values[:, :, by_machine]
            both, alone = labelled & judged, judged & ~labelled
            if alone.sum() < 2 or both.sum() < FEWEST:
                raise DataError(
                    f"Calibration needs {FEWEST} topics that {human} and {judge} judged, and 2 that {judge} judged alone. There are "
                    f"{both.sum()} and {alone.sum()}."
                )
            first = (
                scores.systems[int(np.argmax(signs_of(scores)[by_people] * y[both].mean(axis=0)))]
                if named is None
                else named
            )
            at = scores.systems.index(first)
            others = [s for s in range(len(scores.systems)) if s != at]
            human_values, machine_values, further = (
                np.concatenate([one, (one - one[:, at, None])[:, others]], axis=1)
                for one in (y[both], f[both], f[alone])
            )
            found = prediction_powered(human_values, machine_values, further, of.choices.level)
            sd = human_values.std(axis=0, ddof=1)
            needed = [
                topics_for_t(abs(difference), deviation, of.choices.level, _POWER) if difference and deviation else None
                for difference, deviation in zip(found.mean, sd, strict=True)
            ]
            about: dict[str, Any] = {
                "measure": measure, "human": human, "machine": judge,
                "system": [*scores.systems, *(scores.systems[s] for s in others)],
                "baseline": [""] * len(scores.systems) + [first] * len(others), "topics": int(both.sum()),
                "further": int(alone.sum()),
            }  # fmt: skip
            numbers = {"mean_human" if name == "human" else name: of_name for name, of_name in found._asdict().items()}
            of_differences = [None] * len(scores.systems) + needed[len(scores.systems) :]
            tables.append(pd.DataFrame({**about, **numbers, "needed": pd.array(of_differences, dtype="Int64")}))
    return pd.concat(tables, ignore_index=True)


def check_human(human: str, names: tuple[str, ...]) -> None:
    """Refuse a judge to calibrate by that is none."""
    if human not in names:
        raise UsageError(f"There is no judge {human!r} to calibrate by. The judges: {', '.join(names)}.")


def calibrated_for_reading(frame: pd.DataFrame, places: int, level: float, most: int = 20) -> list[Titled]:
    """Return the means and the differences for reading, the best systems first."""
    tables: list[Titled] = []
    coverage = f"{100 * (1 - level):g}%"
    for (measure, human, machine), of in frame.groupby(["measure", "human", "machine"], sort=False):
        names = short_names(list(dict.fromkeys(of["system"])))
        for is_difference in (False, True):
            every = of[(of["baseline"] != "") == is_difference]
            rows = every.sort_values("mean", ascending=False, kind="stable")[:most]
            cells = []
            for row in rows.to_dict("records"):
                shown = {
                    "system": names[row["system"]],
                    "people": row["mean_human"],
                    coverage: interval(row["human_low"], row["human_high"], places),
                    "calibrated": row["mean"],
                    f"{coverage} ": interval(row["low"], row["high"], places),
                    "gained": f"{row['topics_gained']:.1f}",
                }
                if is_difference:
                    shown["needed"] = "" if pd.isna(row["needed"]) else f"{row['needed']:,}"
                cells.append(shown)
            what = f"differences to {names[rows['baseline'].iloc[0]]}" if is_difference else "means"
            topics = f"{plural(int(rows['topics'].iloc[0]), 'topic')} of {human}, {rows['further'].iloc[0]:,} more of {machine}"
            first = f"; {most} of {len(every)} (-o csv has all)" if len(every) > most else ""
            tables.append((f"{measure}, {what}: {topics}{first}", cells))
    return tables
