"""Input of the simulation of pages: the judged items of every vertical, and rankings of items and of verticals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import irmx
from irmx import DataError, Judgments, Run, UsageError, read_run
from irmx_pages.ideal.ideal_blocks import most_oriented
from irmx_pages.page.judged_verticals import JUDGED_VERTICAL, judged_verticals
from irmx_pages.page.page_arrays import WEB, WEB_ORIENTATION

PERFECT, BAD = "perfect", "bad"


@dataclass(frozen=True)
class Judged:
    """The qrels of one topic.

    Attributes
    ----------
    orientation : dict of str to float
        orient(V|W,q) of every vertical, including general web.
    items : dict of str to list of str
        The judged items of every vertical, best grade first.
    media : dict of str to str
        The media type of the items of every vertical in the qrels.
    relevant : set of str
        The relevant items.
    """

    orientation: dict[str, float] = field(default_factory=dict)
    items: dict[str, list[str]] = field(default_factory=dict)
    media: dict[str, str] = field(default_factory=dict)
    relevant: set[str] = field(default_factory=set)

    @property
    def verticals(self) -> list[str]:
        """The verticals, without general web."""
        return [vertical for vertical in self.orientation if vertical != WEB]

    def wanted(self, threshold: float) -> list[str]:
        """Return the verticals above a threshold, the most oriented first."""
        verticals = self.verticals
        orientation = np.array([self.orientation[vertical] for vertical in verticals])
        return [verticals[i] for i in most_oriented(np.zeros(len(verticals), dtype=np.int64), orientation, threshold)]


def judged_topics(judgments: Judgments, rel: float) -> dict[str, Judged]:
    """Return the qrels of every topic; raises for errors in them, see :func:`judged_verticals`."""
    rankings = irmx.rankings(judgments, {topic: {"-": 0.0} for topic in judgments.index}, rel=rel)
    found, rows = judged_verticals(rankings), rankings.qrels_rows
    out = {str(topic): Judged(orientation={WEB: WEB_ORIENTATION}) for topic in rankings.topics}
    names = list(out)
    for topic, label, value, media in zip(
        found.topic.tolist(), found.label.tolist(), found.orientation.tolist(), found.media.tolist(), strict=True
    ):
        out[names[topic]].orientation[found.names[label]] = value
        out[names[topic]].media[found.names[label]] = found.media_names[media]
    number, verticals = rows.labels(JUDGED_VERTICAL)
    for row in np.lexsort((np.arange(len(rows.doc)), -rows.grade, rows.topic)).tolist():
        if rows.doc[row] < 0:
            continue
        topic, item = out[names[rows.topic[row]]], judgments.docs[int(rows.doc[row])]
        topic.items.setdefault(str(verticals[number[row]]), []).append(item)
        if rows.grade[row] >= rel:
            topic.relevant.add(item)
    return out


@dataclass(frozen=True)
class Ranked:
    """The items of a ranking for one topic, by vertical, best first; and their media types by vertical."""

    items: dict[str, list[str]]
    media: dict[str, str]


def ranked_items(name: str, run: Any) -> dict[str, Ranked]:
    """Return a ranking of items by topic and vertical.

    Raises
    ------
    irmx.DataError
        If an item has no vertical.
    """
    found = read_run(run)
    vertical, media = found.column("vertical"), found.column("media")
    if vertical is None:
        raise DataError(
            f"The ranking {name!r} lacks the column 'vertical', the vertical that each item comes from. It has: {', '.join(found.columns)}."
        )
    out: dict[str, Ranked] = {}
    for query_id, rows in _best_first(found):
        topic = out[query_id] = Ranked({}, {})
        for row, doc in rows:
            where = vertical[row]
            if where is None or where != where or where == "":
                raise DataError(f"The ranking {name!r} has no vertical for the item {doc!r} of topic {query_id!r}.")
            topic.items.setdefault(str(where), []).append(doc)
            if media is not None and media[row]:
                topic.media.setdefault(str(where), str(media[row]))
    return out


def ranked_verticals(name: str, run: Any) -> dict[str, list[str]]:
    """Return a ranking of verticals by topic, best first."""
    out = {query_id: [doc for _, doc in rows] for query_id, rows in _best_first(read_run(run))}
    for query_id, verticals in out.items():
        if WEB in verticals:
            raise DataError(
                f"The ranking of verticals {name!r} has {WEB!r} for topic {query_id!r}; the web is always on the page. Remove it."
            )
    return out


def _best_first(run: Run) -> Iterator[tuple[str, list[tuple[int, str]]]]:
    """Yield the rows and documents of every topic, by score and, for equal scores, by document, both descending."""
    for number, query_id in enumerate(run.topics):
        rows = enumerate(run.docs(number), start=int(run.offsets[number]))
        yield query_id, sorted(rows, key=lambda row: (run.score[row[0]], row[1]), reverse=True)


def refuse_names(given: Mapping[str, Any], what: str) -> None:
    """Raise if a ranking has a reserved name, or there are no rankings."""
    for name in given:
        if name in (PERFECT, BAD) or not name:
            raise UsageError(
                f"A ranking of {what} cannot be called {name!r}; {PERFECT} and {BAD} are reserved for the rankings that irmx makes."
            )
