"""Measures of ir_measures, computed for parts of rankings."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import ir_measures
import numpy as np

from irmx import DataError, Rankings, evaluator
from irmx.ragged import Floats
from irmx_temporal.diversity_columns import SUBTOPIC
from irmx_temporal.natural_labels import labels


def needs_subtopics(measure: ir_measures.Measure) -> bool:
    """Tell whether a measure of ir_measures is a diversity measure, computed by ndeval."""
    return measure.NAME in {m.NAME for m in ir_measures.providers.registry["pyndeval"].SUPPORTED_MEASURES}


def of_relevance(measure: ir_measures.Measure, parts: Rankings) -> Floats:
    """Return the value of a relevance measure for every part, from documents named by their ranks."""
    rows, qrels, run = parts.qrels_rows, {}, {}
    _refuse_fractions(measure, rows.grade)
    whole: dict[int, dict[str, float]] = {}
    for i, a, b, depth in _parts(measure, parts):
        judged = zip(rows.rank[a:b].tolist(), rows.doc[a:b].tolist(), rows.grade[a:b].tolist(), strict=True)
        grades: dict[str, int] = {}
        for rank, doc, grade in judged:
            name = f"rank{rank}" if rank else f"document{doc}"
            grades[name] = max(int(grade), grades.get(name, int(grade)))
        qrels[i] = grades
        run[i] = whole.setdefault(depth, {f"rank{rank}": float(-rank) for rank in range(1, depth + 1)})
    return _computed(measure, qrels, run, len(parts))


def of_diversity(measure: ir_measures.Measure, parts: Rankings) -> Floats:
    """Return the value of a diversity measure for every part, over the subtopics of its rows.

    Judged documents keep the order of their ids, by which ndeval breaks ties in its ideal rankings.
    """
    rows = parts.qrels_rows
    _refuse_fractions(measure, rows.grade)
    subtopic, ids = labels(rows, SUBTOPIC)[0], rows.doc_ids
    grades: dict[tuple[str, str, str], int] = {}
    run: dict[str, dict[str, float]] = {}
    for i, a, b, depth in _parts(measure, parts):
        at = {rank: f"id {doc}" for rank, doc in zip(rows.rank[a:b].tolist(), ids[a:b], strict=True) if rank}
        run[i] = {at.get(rank, f"rank {rank}"): float(-rank) for rank in range(1, depth + 1)}
        for doc, of, grade in zip(ids[a:b], subtopic[a:b].tolist(), rows.grade[a:b].tolist(), strict=True):
            key = i, f"id {doc}", str(of)
            grades[key] = max(int(grade), grades.get(key, int(grade)))
    qrels = [ir_measures.Qrel(i, doc, grade, of) for (i, doc, of), grade in grades.items()]
    with contextlib.redirect_stderr(io.StringIO()):  # it doubts qrels where every part happens to have one subtopic
        return _computed(measure, qrels, run, len(parts))


def _refuse_fractions(measure: ir_measures.Measure, grade: Floats) -> None:
    for odd in grade[grade % 1 != 0][:1].tolist():
        raise DataError(f"{measure}, a measure of ir_measures, takes integer grades only. Found {odd:g}.")


def _parts(measure: ir_measures.Measure, parts: Rankings) -> Iterator[tuple[str, int, int, int]]:
    """Yield the name of every part, its first row and the one after its last, and the ranks that are scored."""
    cutoff = None if measure.params.get("judged_only") else measure.params.get("cutoff")
    depth = np.minimum(parts.depth, sys.maxsize if cutoff is None else cutoff)
    for i, (a, b) in enumerate(pairwise(parts.qrels_rows.offsets.tolist())):
        yield str(i), a, b, int(depth[i])


def _computed(measure: ir_measures.Measure, qrels: Any, run: Any, count: int) -> Floats:
    """Return the value of every part, computed by irmx, which guards against input that the ir_measures tools misread."""
    found = np.zeros(count)
    if qrels:
        try:
            [by_part] = evaluator(measure, qrels).values(run).values()
        except DataError as error:
            raise DataError(f"{error} Its queries are parts of rankings, counted from 0.") from None
        found[[int(part) for part in by_part]] = list(by_part.values())
    return found
