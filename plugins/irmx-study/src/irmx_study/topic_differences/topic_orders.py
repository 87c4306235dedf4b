"""The topics of scores in order: by the difference of two systems, by difficulty, by disagreement of systems."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from irmx import Scores, UsageError
from irmx.ragged import Ints
from irmx.toolkit import suggest

if TYPE_CHECKING:
    import pandas as pd

ORDERS = ("difference", "easiest", "hardest", "disputed")
"""What topics can be ordered by."""


def topics(
    scores: Scores | pd.DataFrame,
    a: str | None = None,
    b: str | None = None,
    *,
    by: str = "difference",
    sort: str | None = None,
    top: int | None = None,
) -> pd.DataFrame:
    """Return the topics in order, with the values of all measures side by side.

    Parameters
    ----------
    scores : Scores or DataFrame
        What :func:`irmx.scores` or :func:`irmx_study.read_per_topic` returns, or a table that
        :meth:`irmx.Scores.from_frame` accepts.
    a, b : str, optional
        The two systems whose difference, a - b, is shown; by default the second and the first. Only for
        ``by="difference"``.
    by : {"difference", "easiest", "hardest", "disputed"}
        The order: by the difference of the two systems from the largest to the smallest; by the mean over all systems, from
        the largest or from the smallest; by the standard deviation over all systems, from the largest.
    sort : str, optional
        The measure that decides the order; by default the first.
    top : int, optional
        How many topics to return; by difference, so many from each end. By default all.

    Returns
    -------
    DataFrame
        One row per topic: ``query_id``, and by difference, for every measure its value for a, for b, and their
        ``difference``; otherwise the number of ``systems`` that retrieved something, and for every measure the ``mean`` over
        all systems, their standard deviation ``sd``, the ``smallest`` and the ``largest`` value. A system without results for a
        topic counts with the measure's default. Topics without a value of the measure that decides come last.

    Raises
    ------
    irmx.errors.UsageError
        For an unknown system, measure or order, for fewer than two systems where two are needed, or if a is b.

    Examples
    --------
    >>> import irmx
    >>> from irmx.demo import SYSTEMS, qrels_path, run_path
    >>> scores = irmx.scores("AP RR", qrels_path(), {system: run_path(system) for system in SYSTEMS})
    >>> table = topics(scores, "titles", "bm25", sort="RR", top=1)
    >>> table[["query_id", "RR titles", "RR bm25", "RR difference", "AP difference"]].round(2)
      query_id  RR titles  RR bm25  RR difference  AP difference
    0       13        1.0     0.25           0.75           0.11
    1       20        0.2     1.00          -0.80          -0.34
    """
    if not isinstance(scores, Scores):
        scores = Scores.from_frame(scores)
    if by not in ORDERS:
        raise UsageError(f"Topics cannot be ordered by {by!r}.{suggest(by, ORDERS)} Known: {', '.join(ORDERS)}.")
    if top is not None and top < 1:
        raise UsageError(f"The number of topics to return must be 1 or more. Got {top} instead.")
    if by != "difference" and (a is not None or b is not None):
        raise UsageError(f"Topics by {by} are of all systems. Leave the two systems out, or order by difference.")
    sort = str(scores.select(measures=sort).measures[0])
    if by == "difference":
        table, key = _of_two(scores, *two_systems(scores, a, b)), f"{sort} difference"
    else:
        table, key = _of_all(scores, by), f"{sort} {'sd' if by == 'disputed' else 'mean'}"
    table = table.sort_values(key, ascending=by == "hardest", kind="stable", na_position="last", ignore_index=True)
    return table if top is None else table.iloc[_ends(len(table), top, by == "difference")].reset_index(drop=True)


def two_systems(scores: Scores, a: str | None, b: str | None) -> tuple[str, str]:
    """Return the names of two systems, by default of the second and the first.

    Raises
    ------
    irmx.errors.UsageError
        For an unknown system, or if there are not two.
    """
    names = scores.systems
    if len(names) < 2:
        raise UsageError(f"Two systems are needed for differences. There is {names[0] if names else 'none'}.")
    scores.select(systems=[name for name in (a, b) if name is not None])  # refuses an unknown one
    b = next(name for name in names if name != a) if b is None else b
    a = next(name for name in names if name != b) if a is None else a
    if a == b:
        raise UsageError(f"{a} cannot be compared with itself. Name two systems.")
    return a, b


def _of_two(scores: Scores, a: str, b: str) -> pd.DataFrame:
    import pandas as pd

    columns: dict[str, Any] = {"query_id": list(scores.topics)}
    first, second = scores.systems.index(a), scores.systems.index(b)
    for m, measure in enumerate(map(str, scores.measures)):
        values = scores.values[:, :, m]
        columns[f"{measure} {a}"], columns[f"{measure} {b}"] = values[:, first], values[:, second]
        columns[f"{measure} difference"] = values[:, first] - values[:, second]
    return pd.DataFrame(columns)


def _of_all(scores: Scores, by: str) -> pd.DataFrame:
    import pandas as pd

    if by == "disputed" and len(scores.systems) < 2:
        raise UsageError(f"Disputed topics need two systems or more. There is only {', '.join(scores.systems)}.")
    columns: dict[str, Any] = {"query_id": list(scores.topics), "systems": scores.retrieved.sum(axis=1)}
    for m, measure in enumerate(map(str, scores.measures)):
        values = scores.values[:, :, m]
        columns[f"{measure} mean"] = values.mean(axis=1)
        if len(scores.systems) > 1:
            columns[f"{measure} sd"] = values.std(axis=1, ddof=1)
        columns[f"{measure} smallest"], columns[f"{measure} largest"] = values.min(axis=1), values.max(axis=1)
    return pd.DataFrame(columns)


def _ends(count: int, top: int, both: bool) -> Ints:
    """Return the places of the first topics, and if wanted of as many last ones."""
    places = np.arange(count)
    return places[(places < top) | (both & (places >= count - top))]
