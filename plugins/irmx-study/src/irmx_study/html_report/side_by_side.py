"""The section with the rankings of two systems for a topic, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from irmx import Judgments, Scores
from irmx.ragged import Floats
from irmx.toolkit import visible
from irmx_study.html_report.ranked_documents import ranked_documents, smallest_relevant_grade
from irmx_study.html_report.reported import Reported
from irmx_study.html_report.section import Section
from irmx_study.html_report.shown_systems import short, shown_systems

MOST_DOCUMENTS = 30_000
"""So many documents at the top of rankings are embedded, of fewer systems or topics if there are more; about 2 MB."""


def rankings(reported: Reported, systems: int = 8, top: int = 10) -> Section | None:
    """Return the rankings of the pair that is shown first, on the topics where they differ most; None without runs.

    Parameters
    ----------
    reported : Reported
        What the report is about.
    systems : int
        Of how many systems the rankings are embedded: of the pair, then of those with the best means.
    top : int
        How many documents of each ranking are shown.
    """
    scores, judgments = reported.comparison.scores, reported.judgments
    most = max(2, min(systems, MOST_DOCUMENTS // (top * max(len(scores.topics), 1))))
    names = [name for name in shown_systems(reported, most) if name in reported.runs]
    if judgments is None or not set(reported.pair) <= set(names):
        return None
    chosen = scores.select(systems=names)
    difference = chosen.values[:, 0, 0] - chosen.values[:, 1, 0]
    places = _most_different(difference, MOST_DOCUMENTS // (top * len(names)))
    data: dict[str, Any] = {
        "systems": [visible(name) for name in names],
        "measures": [visible(str(measure)) for measure in chosen.measures],
        "relevant": [smallest_relevant_grade(measure) for measure in chosen.measures],
        "top": top,
        "topics": _topics(reported, judgments, chosen, places, top),
    }
    shown = [
        {"what": what, **_pair(data, data["topics"][places.index(t)])}
        for what, t in (("largest gain", _largest(difference)), ("largest loss", _largest(-difference)))
        if t is not None
    ]
    content = {
        "shown": shown,
        "measure": data["measures"][0],
        "top": top,
        "systems": len(names),
        "of_systems": len(scores.systems),
        "topics": len(places),
        "of_topics": len(scores.topics),
    }
    return Section("rankings", "Rankings side by side", content, data)


def _topics(
    reported: Reported, judgments: Judgments, chosen: Scores, places: Sequence[int], top: int
) -> list[dict[str, Any]]:
    """Return what the script reads of some topics, given by their places among those of the scores."""
    names = [str(chosen.topics[t]) for t in places]
    documents = ranked_documents(reported, judgments, chosen.systems, names, top)
    return [
        {
            "place": t,
            "topic": visible(name),
            "query": visible(reported.queries.get(name, "")),
            "values": [[short(value) for value in of_systems] for of_systems in chosen.values[t].T],
            **of_topic,
        }
        for t, name, of_topic in zip(places, names, documents, strict=True)
    ]


def _most_different(differences: Floats, most: int) -> list[int]:
    """Return the places of at most so many topics, in order: of more, half with the largest gains, half with the largest losses."""
    if len(differences) <= most:
        return list(range(len(differences)))
    order = np.argsort(-differences, kind="stable")[: np.count_nonzero(np.isfinite(differences))]  # NaN is last
    return sorted({*order[: most // 2].tolist(), *order[-(most // 2) :].tolist()})


def _largest(differences: Floats) -> int | None:
    """Return where the largest positive difference is; None if there is none."""
    positive = np.where(differences > 0, differences, 0)  # NaN is not
    return int(positive.argmax()) if positive.any() else None


def _pair(data: Mapping[str, Any], of_topic: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the template shows of a topic for the first two systems and the first measure."""
    sides = [_side(data, of_topic, system, 1 - system) for system in (0, 1)]
    return {"topic": of_topic["topic"], "query": of_topic["query"], "sides": sides}


def _side(data: Mapping[str, Any], of_topic: Mapping[str, Any], system: int, other: int) -> dict[str, Any]:
    """Return what the template shows of one ranking."""
    parts, ranks = of_topic["parts"][0][system], of_topic["ranks"][system]
    own = parts if parts is not None and "columns" in parts else None
    by_rank = None if own else parts
    return {
        "system": data["systems"][system],
        "value": of_topic["values"][0][system],
        "rows": [] if ranks is None else _documents(data, of_topic, ranks, by_rank, of_topic["ranks"][other]),
        "rest": by_rank and by_rank["rest"],
        "own": own,
    }


def _documents(
    data: Mapping[str, Any],
    of_topic: Mapping[str, Any],
    ranks: Sequence[int],
    parts: Mapping[str, Any] | None,
    elsewhere: Sequence[int] | None,
) -> list[dict[str, Any]]:
    first = sorted((rank, i) for i, rank in enumerate(ranks) if 0 < rank <= data["top"])
    return [
        {
            "rank": rank,
            "doc": of_topic["docs"][i][0],
            "text": of_topic["texts"][i] if of_topic["texts"] else "",
            **_judged(of_topic["docs"][i][1], data["relevant"][0]),
            "contribution": None if parts is None else parts["of"][rank - 1],
            "other": elsewhere[i] if elsewhere is not None else 0,
        }
        for rank, i in first
    ]


def _judged(grade: float | None, relevant: float) -> dict[str, str]:
    """Return the sign and the words for a grade."""
    if grade is None:
        return {"judged": "unjudged", "sign": "?", "words": "unjudged"}
    if grade >= relevant:
        return {"judged": "relevant", "sign": "●", "words": f"relevant ({grade:g})"}
    return {"judged": "other", "sign": "○", "words": f"not relevant ({grade:g})"}
