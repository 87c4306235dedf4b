"""What a report knows of the first documents of rankings: their judgments, ranks elsewhere, and what each adds to a score."""

from __future__ import annotations

import warnings
from collections.abc import Container, Mapping, Sequence
from typing import Any

import ir_measures
import numpy as np

import irmx
from irmx import DataError, DataWarning, Judgments, Measure, UsageError, explanations, read_run
from irmx.toolkit import Explanation, visible
from irmx_study.html_report.reported import Reported
from irmx_study.html_report.shown_systems import short

CHARACTERS = 300
"""So much of the text of a document is shown."""

Json = dict[str, Any]


def ranked_documents(
    reported: Reported, judgments: Judgments, systems: Sequence[str], topics: Sequence[str], top: int
) -> list[Json]:
    """Return the first documents of some systems on some topics, as the script of the section reads them.

    The runs are read one after the other, since all of them may be larger than the memory.

    Parameters
    ----------
    reported : Reported
        What the report is about.
    judgments : Judgments
        The judgments.
    systems, topics : sequence of str
        The systems, all among ``reported.runs``, and the topics.
    top : int
        How many documents of each ranking.

    Returns
    -------
    list of dict of str to object
        Per topic: the documents in the first ``top`` of any system, ``docs``, with their ids and grades, and ``texts`` as far
        as known; the ``ranks`` of these documents per system, 0 if it did not retrieve them, None if it has no ranking; and
        the ``parts`` that make up each score, per measure and system.
    """
    asked = set(topics)
    ranked, parts = [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # they were issued when the runs were scored
        for system in systems:
            run = read_run(reported.runs[system])
            ranked.append(_ranked(judgments, run, top, asked))
            measures = reported.comparison.scores.measures
            parts.append([_parts(measure, judgments, run, top, ranked[-1], asked) for measure in measures])
    return [
        {
            **_documents_of(reported, [of_system.get(topic, _NOTHING) for of_system in ranked]),
            "parts": [[of_system.get(topic) for of_system in of_measure] for of_measure in zip(*parts, strict=True)],
        }
        for topic in topics
    ]


_Ranking = tuple[tuple[str, ...], list[tuple[str, float]]]
"""A ranking, and its first documents with their grades."""

_NOTHING: _Ranking = ((), [])


def _documents_of(reported: Reported, rankings: Sequence[_Ranking]) -> Json:
    """Return the documents at the top of several rankings of a topic, and their ranks in each."""
    found = {doc: grade for _, first in rankings for doc, grade in first}
    return {
        "docs": [[visible(doc), short(grade)] for doc, grade in found.items()],
        "texts": [_text(reported, doc) for doc in found] if reported.texts is not None else [],
        "ranks": [_ranks(ranking, found) for ranking, _ in rankings],
    }


def _ranked(judgments: Judgments, run: Any, top: int, asked: Container[str]) -> dict[str, _Ranking]:
    """Return the rankings of a run by topic; none for a stream in which documents repeat, or a run that shares no topic."""
    try:
        rankings = irmx.rankings(judgments, run)
        rows = rankings.ranked
        ids, ends = rows.doc_ids, rows.offsets.tolist()
    except DataError:
        return {}
    grades = np.where(rows.grade < 0, np.nan, rows.grade)
    ranked = {}
    for t, topic in enumerate(rankings.topics):
        ranking = ids[ends[t] : ends[t + 1]]
        if len(set(ranking)) < len(ranking):
            return {}
        if str(topic) in asked:
            of_first = grades[ends[t] : ends[t + 1]][:top].tolist()
            ranked[str(topic)] = (ranking, list(zip(ranking[:top], of_first, strict=True)))
    return ranked


def _ranks(ranking: Sequence[str], documents: dict[str, float]) -> list[int] | None:
    """Return the ranks of documents, 0 for one that is not in the ranking; None if there is no ranking."""
    if not ranking:
        return None
    rank = {doc: i for i, doc in enumerate(ranking, 1) if doc in documents}
    return [rank.get(doc, 0) for doc in documents]


def _parts(
    measure: ir_measures.Measure,
    judgments: Judgments,
    run: Any,
    top: int,
    ranked: Mapping[str, _Ranking],
    asked: Container[str],
) -> dict[str, Json]:
    """Return by topic what makes up the scores of a run; empty for a measure that does not break them down."""
    try:
        return {
            e.query_id: _of_documents(e, ranked[e.query_id][0][:top]) if _by_rank(e) else _own_table(e, top)
            for e in explanations(measure, judgments, run)
            if e.query_id in asked
        }
    except (UsageError, DataError):
        return {}


def _by_rank(explanation: Explanation) -> bool:
    """Tell whether the score consists of documents at ranks, of which the host gives these columns first."""
    return list(explanation.columns)[:3] == ["rank", "doc_id", "grade"]


def _of_documents(explanation: Explanation, first: Sequence[str]) -> Json:
    """Return the contributions of the first documents, and the number and sum of those of others."""
    columns = explanation.columns
    added = dict(zip(columns["doc_id"], columns["contribution"], strict=True))
    of_first = [short(added.pop(doc, 0)) for doc in first]
    rest = [value for value in added.values() if value]
    return {"of": of_first, "rest": [len(rest), short(sum(rest))]}


def _own_table(explanation: Explanation, top: int) -> Json:
    """Return the first rows of the table of a measure whose score does not consist of documents at ranks."""
    columns = explanation.columns
    names = [*(name for name in columns if name != "contribution"), "contribution"]
    rows = [
        [
            visible(cell) if isinstance(cell, str) else short(cell) if _is_number(cell) else visible(str(cell))
            for cell in row
        ]
        for row in zip(*(columns[name][:top] for name in names), strict=True)
    ]
    rest = columns["contribution"][top:]
    return {"columns": [visible(name) for name in names], "rows": rows, "rest": [len(rest), short(sum(rest))]}


def _is_number(cell: Any) -> bool:
    return isinstance(cell, (int, float)) and not isinstance(cell, bool)


def _text(reported: Reported, doc: str) -> str:
    """Return the beginning of the text of a document; empty if it is not known."""
    text = " ".join(str((reported.texts or {}).get(doc) or "").split())
    return visible(text if len(text) <= CHARACTERS else f"{text[:CHARACTERS].rstrip()} …")


def smallest_relevant_grade(measure: ir_measures.Measure) -> float:
    """Return the grade from which a document counts as relevant for a measure: its ``rel``, 1 by default."""
    own = isinstance(measure, Measure) and "rel" in measure.SUPPORTED_PARAMS
    rel = measure["rel"] if own else measure.params.get("rel")
    return 1.0 if rel is None else float(rel)
