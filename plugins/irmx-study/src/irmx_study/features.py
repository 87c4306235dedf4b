"""The features of a collection: its topics and judgments, and how far the runs go and are judged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from irmx import Join, Judgments, Rankings, Run, UsageError, read_qrels
from irmx.ragged import Bools, Ints
from irmx.toolkit import named_runs, of_each_run, plural
from irmx_study.result import Result

_Feature = tuple[str, int | None, int | None, float | None, int | None]


def collection(qrels: Any, runs: Any = None, *, rel: float = 1) -> Result:
    """Describe a collection as papers do in a table of the collections they use.

    Parameters
    ----------
    qrels : any
        Anything that :func:`irmx.read_qrels` accepts.
    runs : any, optional
        As for :func:`irmx.scores`; read one after the other.
    rel : float
        The smallest relevant grade.

    Returns
    -------
    Result
        Its table has a row per ``feature``: topics, those without a relevant document, documents judged, relevant ones and those of
        each grade, runs, the documents that they retrieve, and ``judged to rank``, the rank down to which all documents of a run
        are judged. ``number`` is how many there are; ``smallest``, ``mean`` and ``largest`` are those of a topic; of retrieved
        documents, of a run and topic; and of ``judged to rank``, of a run.

    Raises
    ------
    irmx.errors.UsageError
        If ``rel`` is not a finite number.
    irmx.errors.DataError
        If the qrels or a run cannot be read.

    Examples
    --------
    >>> import irmx_study
    >>> qrels = {"p": {"a": 1, "b": 0}, "q": {"c": 2, "d": 1, "e": 0}}
    >>> runs = {"one": {"p": {"a": 2.0, "x": 1.0}, "q": {"d": 3.0, "c": 2.0, "y": 1.0}}}
    >>> irmx_study.collection(qrels, runs).frame().set_index("feature").loc["retrieved"].to_dict()
    {'number': 5, 'smallest': 2, 'mean': 2.5, 'largest': 3}
    """
    if not np.isfinite(rel):
        raise UsageError(f"The smallest relevant grade is a number. Got {rel!r} instead.")
    judgments = read_qrels(qrels)
    rows, size = list(_of_judgments(judgments, rel)), plural(len(judgments.topics), "topic")
    if runs is not None:
        by_name = named_runs(runs)
        rows += _of_runs(judgments, by_name)
        size += f", {plural(len(by_name), 'run')}"

    def table() -> pd.DataFrame:
        return pd.DataFrame(rows, columns=["feature", "number", "smallest", "mean", "largest"], dtype=object)

    return Result(
        f"Features of a collection of {size}",
        {"features": table},
        stated=lambda: {"relevant": f"grade {rel:g} or more"},
    )


def _of_judgments(judgments: Judgments, rel: float) -> Iterator[_Feature]:
    def per_topic(of_kind: Bools) -> Ints:
        return np.diff(np.append(0, np.cumsum(of_kind))[judgments.offsets])

    grade = judgments.grade
    relevant = per_topic(grade >= rel)
    yield "topics", len(relevant), None, None, None
    yield "topics without relevant", int(np.count_nonzero(relevant == 0)), None, None, None
    yield _feature("judged", per_topic(grade >= 0))
    yield _feature("relevant", relevant)
    for value in np.unique(grade[grade >= 0]).tolist():
        yield _feature(f"of grade {value:g}", per_topic(grade == value))


def _of_runs(judgments: Judgments, runs: Mapping[str, Any]) -> Iterator[_Feature]:
    def read(run: Run) -> tuple[Ints, int]:
        """Return how many documents the run retrieves for every topic, and the rank down to which all are judged."""
        join = Join(run, judgments)
        ranked, counts = Rankings(join).ranked, np.zeros(len(judgments.topics), dtype=np.int64)
        counts[join.in_judgments] = ranked.count
        unjudged = ranked.rank[~(ranked.grade >= 0)]
        return counts, int(unjudged.min() - 1 if len(unjudged) else ranked.rank.max())

    found = [of_run for _, of_run in of_each_run(runs, judgments, read)]
    counts = np.stack([of_run for of_run, _ in found])
    yield "runs", len(found), *_feature("", (counts > 0).sum(axis=0))[2:]
    yield _feature("retrieved", counts[counts > 0])
    yield "judged to rank", None, *_feature("", np.array([depth for _, depth in found]))[2:]


def _feature(name: str, counts: Ints) -> _Feature:
    return name, int(counts.sum()), int(counts.min()), float(counts.mean()), int(counts.max())
