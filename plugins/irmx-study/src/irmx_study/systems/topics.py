"""The topics of scores in order: by the difference of two systems, by difficulty, by disagreement of systems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from irmx import Scores, UsageError
from irmx.toolkit import list_some, plural, suggest
from irmx_study.inputs.choices import as_scores
from irmx_study.showing.result import Result, topics_lacking, versions_fact

ORDERS = ("difference", "easiest", "hardest", "disputed")
"""What topics can be ordered by."""


def topics(
    source: Any,
    qrels: Any = None,
    runs: Any = None,
    *,
    a: str | None = None,
    b: str | None = None,
    by: str = "difference",
    sort: str | None = None,
    top: int | None = None,
) -> Result:
    """Put the topics in order, with the values of all views side by side.

    Parameters
    ----------
    source, qrels, runs
        As for :func:`irmx_study.compare`.
    a, b : str, optional
        The two systems whose difference, a - b, is shown; by default the second and the first. Only for
        ``by="difference"``; of more than two systems, one has to be named.
    by : {"difference", "easiest", "hardest", "disputed"}
        The order: by the difference of the two systems from the largest to the smallest; by the mean over all systems, the
        easiest or the hardest first; by the standard deviation over all systems, from the largest.
    sort : str, optional
        The view that decides the order; by default the first.
    top : int, optional
        How many topics to return; by difference, so many from each end. By default all.

    Returns
    -------
    Result
        Its table has one row per topic: ``query_id``, and by difference, for every view its value for a, for b, and their
        ``difference``; otherwise the number of ``systems`` that retrieved something, and for every view the ``mean`` over
        all systems, their standard deviation ``sd``, the ``smallest`` and the ``largest`` value. A system without results for a
        topic counts with the measure's default. Topics without a value of the view that decides come last.

    Raises
    ------
    irmx.errors.UsageError
        For an unknown system, measure or order, for fewer than two systems where two are needed, or if a is b.

    Examples
    --------
    >>> import irmx
    >>> from irmx.demo import SYSTEMS, qrels_path, run_path
    >>> scores = irmx.scores("AP RR", qrels_path(), {system: run_path(system) for system in SYSTEMS})
    >>> table = topics(scores, a="titles", b="bm25", sort="RR", top=1).frame()
    >>> table[["query_id", "RR titles", "RR bm25", "RR difference", "AP difference"]].round(2)
      query_id  RR titles  RR bm25  RR difference  AP difference
    0       13        1.0     0.25           0.75           0.11
    1       20        0.2     1.00          -0.80          -0.34
    """
    scores = as_scores("topics", source, qrels, runs).with_missing()
    if by not in ORDERS:
        raise UsageError(f"Topics cannot be ordered by {by!r}.{suggest(by, ORDERS)} Known: {', '.join(ORDERS)}.")
    if top is not None and top < 1:
        raise UsageError(f"The number of topics to return must be 1 or more. Got {top} instead.")
    if by != "difference" and (a is not None or b is not None):
        raise UsageError(f"Topics by {by} are of all systems. Leave the two systems out, or order by difference.")
    view = scores.names[0] if sort is None else scores.select(views=sort).names[0]
    less = bool(getattr(scores.select(views=[view]).measures[0], "LESS_IS_BETTER", False))
    if by == "difference":
        if len(scores.systems) > 2 and a is None and b is None:
            raise UsageError(
                f"Topics by difference are of two systems. There are {len(scores.systems)}: {list_some(scores.systems)}. Name two (a and b, or "
                "--system and --baseline), or order by easiest, hardest or disputed."
            )
        pair: Sequence[str] = two_systems(scores, a, b)
        key, title = f"{view} difference", f"{pair[0]} - {pair[1]}, by {view}"
    else:
        if by == "disputed" and len(scores.systems) < 2:
            raise UsageError(f"Disputed topics need two systems or more. There is only {', '.join(scores.systems)}.")
        pair, key, title = (), f"{view} {'sd' if by == 'disputed' else 'mean'}", f"{by} first, by {view}"
    ascending = (by == "hardest") != (less and by in ("easiest", "hardest"))
    table = _side_by_side(scores, pair).sort_values(
        key, ascending=ascending, kind="stable", na_position="last", ignore_index=True
    )
    if top is not None:
        places = np.arange(len(table))
        ends = (places < top) | ((by == "difference") & (places >= len(table) - top))
        table = table[ends].reset_index(drop=True)
    return Result(
        f"Topics, {title}: {plural(len(table), 'topic')} of {len(scores.topics)}", {"topics": lambda: table}, scores,
        make_facts=lambda: {"order": title, "versions": versions_fact(scores)}, make_notes=lambda: list(topics_lacking(scores)),
    )  # fmt: skip


def two_systems(scores: Scores, a: str | None, b: str | None) -> tuple[str, str]:
    """Return the names of two systems, by default of the second and the first; an unknown one is refused."""
    names = scores.systems
    if len(names) < 2:
        raise UsageError(f"Two systems are needed for differences. There is {names[0] if names else 'none'}.")
    scores.select(systems=[name for name in (a, b) if name is not None])  # refuses an unknown one
    b = next(name for name in names if name != a) if b is None else b
    a = next(name for name in names if name != b) if a is None else a
    if a == b:
        raise UsageError(f"{a} cannot be compared with itself. Name two systems.")
    return a, b


def _side_by_side(scores: Scores, pair: Sequence[str]) -> pd.DataFrame:
    """Return one row per topic with the values of all views: of two systems with their difference, or what all systems have."""
    columns: dict[str, Any] = {"query_id": list(scores.topics)}
    if not pair:
        columns["systems"] = (~scores.missing.any(axis=2)).sum(axis=1)
    for v, view in enumerate(scores.names):
        values = scores.values[:, :, v]
        if pair:
            first, second = (values[:, scores.systems.index(system)] for system in pair)
            of_view = {pair[0]: first, pair[1]: second, "difference": first - second}
        else:
            of_view = {"mean": values.mean(axis=1)}
            if len(scores.systems) > 1:
                of_view["sd"] = values.std(axis=1, ddof=1)
            of_view |= {"smallest": values.min(axis=1), "largest": values.max(axis=1)}
        columns |= {f"{view} {name}": of for name, of in of_view.items()}
    return pd.DataFrame(columns)
