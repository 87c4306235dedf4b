"""The sections that a script draws: differences on every topic, and the rankings of two systems side by side."""

from __future__ import annotations

import math
import warnings
from collections.abc import Container, Mapping, Sequence
from typing import Any

import ir_measures
import numpy as np

import irmx
from irmx import DataError, DataWarning, Measure, UsageError, explanations, read_run
from irmx.ragged import Floats
from irmx.toolkit import Explanation, visible
from irmx_study.reporting.parts import Reported, Section

MOST_VALUES = 150_000
"""So many values are embedded; of a larger study, the systems with the best means."""

MOST_BARS = 200
"""Of more topics, half as many with the largest gains and half as many with the largest losses are drawn."""

MOST_DOCUMENTS = 30_000
"""So many documents at the top of rankings are embedded, of fewer systems or topics if there are more; about 2 MB."""

CHARACTERS = 300
"""So much of the text of a document is shown."""

_ROUNDING = 1e-9
"""As in a comparison: a difference that is the threshold but for rounding is a tie."""

Json = dict[str, Any]
_Ranking = tuple[tuple[str, ...], list[tuple[str, float]]]
"""A ranking, and its first documents with their grades."""


def shown_systems(reported: Reported, most: int) -> tuple[str, ...]:
    """Return at most so many systems: the pair that the report shows first, then the others, the best first."""
    order = [reported.comparison.scores.systems[s] for s in reported.comparison._order(0)]
    others = [system for system in order if system not in reported.pair]
    return (*reported.pair, *others[: max(most - 2, 0)])


def short(value: Any) -> Any:
    """Return a number with six significant digits, whole numbers unchanged, and None for one that is not finite.

    >>> short(2 / 3), short(3.0), short(1405591200.0), short(float("nan"))
    (0.666667, 3, 1405591200, None)
    """
    number = float(value)
    if not math.isfinite(number):
        return None
    return int(number) if number.is_integer() else float(f"{number:.6g}")


def topics(reported: Reported) -> Section:
    """Return the values with which the script draws the differences of two systems on every topic."""
    scores = reported.comparison.scores
    most = MOST_VALUES // max(len(scores.topics) * len(scores.names), 1)
    systems = shown_systems(reported, max(2, most))
    chosen = scores.select(systems=systems)
    values = [[[short(v) for v in system] for system in chosen.values[:, :, v].T] for v in range(len(chosen.names))]
    queries = [visible(reported.queries.get(str(topic), "")) for topic in chosen.topics]
    data = {
        "systems": [visible(reported.comparison.names[system]) for system in systems],
        "measures": [visible(view) for view in chosen.names],
        "most": MOST_BARS,
        "topics": [visible(str(topic)) for topic in chosen.topics],
        "queries": queries,
        "values": values,
        "tie": reported.comparison.choices.tie_threshold * (1 + _ROUNDING),
    }
    content = {"systems": len(systems), "of_systems": len(scores.systems), "queried": any(queries)}
    return Section("topics", "Topics", content, data)


def rankings(reported: Reported, systems: int = 8, top: int = 10) -> Section | None:
    """Return the first documents of the rankings of some systems, on the topics where the first two differ most; None without runs."""
    scores, judgments = reported.comparison.scores, reported.judgments
    most = max(2, min(systems, MOST_DOCUMENTS // (top * max(len(scores.topics), 1))))
    names = [name for name in shown_systems(reported, most) if name in reported.runs]
    if judgments is None or not set(reported.pair) <= set(names):
        return None
    chosen = scores.select(systems=names)
    difference = chosen.values[:, 0, 0] - chosen.values[:, 1, 0]
    places = _most_different(difference, MOST_DOCUMENTS // (top * len(names)))
    topics = [str(chosen.topics[t]) for t in places]
    documents = _ranked_documents(reported, names, topics, top)
    data: Json = {
        "systems": [visible(reported.comparison.names[name]) for name in names],
        "measures": [visible(view) for view in chosen.names],
        "relevant": [_smallest_relevant_grade(measure) for measure in chosen.measures],
        "top": top,
        "topics": [
            {
                "place": t,
                "topic": visible(name),
                "query": visible(reported.queries.get(name, "")),
                "values": [[short(value) for value in of_systems] for of_systems in chosen.values[t].T],
                **of_topic,
            }
            for t, name, of_topic in zip(places, topics, documents, strict=True)
        ],
    }
    content = {
        "top": top, "systems": len(names), "of_systems": len(scores.systems), "topics": len(places),
        "of_topics": len(scores.topics),
    }  # fmt: skip
    return Section("rankings", "Rankings side by side", content, data)


def _most_different(differences: Floats, most: int) -> list[int]:
    """Return the places of at most so many topics, in order: of more, half with the largest gains, half with the largest losses."""
    if len(differences) <= most:
        return list(range(len(differences)))
    order = np.argsort(-differences, kind="stable")[: np.count_nonzero(np.isfinite(differences))]  # NaN is last
    return sorted({*order[: most // 2].tolist(), *order[-(most // 2) :].tolist()})


def _ranked_documents(reported: Reported, systems: Sequence[str], topics: Sequence[str], top: int) -> list[Json]:
    """Return the first documents of some systems on some topics, as the script reads them.

    Per topic: the documents in the first ``top`` of any system, ``docs``, with their ids and grades, and ``texts`` as far as known;
    the ``ranks`` of these documents per system, 0 if it did not retrieve them, None if it has no ranking; and the ``parts`` that make
    up each score, per view and system. Runs are read one after the other, since all of them may be larger than the memory.
    """
    asked = set(topics)
    nothing: _Ranking = ((), [])
    ranked, parts = [], []
    measures = reported.comparison.scores.measures
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # they were issued when the runs were scored
        for system in systems:
            run = read_run(reported.runs[system])
            ranked.append(_ranked(reported, run, top, asked))
            parts.append([_parts(measure, reported, run, top, ranked[-1], asked) for measure in measures])
    found = []
    for topic in topics:
        rankings: list[_Ranking] = [of_system.get(topic, nothing) for of_system in ranked]
        grades = {doc: grade for _, first in rankings for doc, grade in first}
        found.append({
            "docs": [[visible(doc), short(grade)] for doc, grade in grades.items()],
            "texts": [_text(reported, doc) for doc in grades] if reported.texts is not None else [],
            "ranks": [_ranks(ranking, grades) for ranking, _ in rankings],
            "parts": [[of_system.get(topic) for of_system in of_view] for of_view in zip(*parts, strict=True)],
        })  # fmt: skip
    return found


def _ranked(reported: Reported, run: Any, top: int, asked: Container[str]) -> dict[str, _Ranking]:
    """Return the rankings of a run by topic; none for a stream in which documents repeat, or a run that shares no topic."""
    try:
        rankings = irmx.rankings(reported.judgments, run)
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


def _ranks(ranking: Sequence[str], documents: Mapping[str, float]) -> list[int] | None:
    """Return the ranks of documents, 0 for one that is not in the ranking; None if there is no ranking."""
    if not ranking:
        return None
    rank = {doc: i for i, doc in enumerate(ranking, 1) if doc in documents}
    return [rank.get(doc, 0) for doc in documents]


def _parts(
    measure: ir_measures.Measure,
    reported: Reported,
    run: Any,
    top: int,
    ranked: Mapping[str, _Ranking],
    asked: Container[str],
) -> dict[str, Json]:
    """Return by topic what makes up the scores of a run; empty for a measure that does not break them down."""
    try:
        return {
            e.query_id: _of_documents(e, ranked[e.query_id][0][:top]) if _by_rank(e) else _own_table(e, top)
            for e in explanations(measure, reported.judgments, run)
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
            short(cell) if isinstance(cell, (int, float)) and not isinstance(cell, bool) else visible(str(cell))
            for cell in row
        ]
        for row in zip(*(columns[name][:top] for name in names), strict=True)
    ]
    rest = columns["contribution"][top:]
    return {"columns": [visible(name) for name in names], "rows": rows, "rest": [len(rest), short(sum(rest))]}


def _text(reported: Reported, doc: str) -> str:
    """Return the beginning of the text of a document; empty if it is not known."""
    text = " ".join(str((reported.texts or {}).get(doc) or "").split())
    return visible(text if len(text) <= CHARACTERS else f"{text[:CHARACTERS].rstrip()} …")


def _smallest_relevant_grade(measure: ir_measures.Measure) -> float:
    """Return the grade from which a document counts as relevant for a measure: its ``rel``, 1 by default."""
    own = isinstance(measure, Measure) and "rel" in measure.SUPPORTED_PARAMS
    rel = measure["rel"] if own else measure.params.get("rel")
    return 1.0 if rel is None else float(rel)
