"""The judged verticals of every topic: their orientations and items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from irmx import Column, DataError, Rankings, SampleValues
from irmx.ragged import Bools, Floats, Ints, position_among
from irmx_pages.page_arrays import WEB, WEB_ORIENTATION, media_of


@dataclass(frozen=True)
class JudgedVerticals:
    """The verticals of all topics, general web among them, by topic and name.

    Attributes
    ----------
    topics : tuple
        The query ids.
    topic, label : int array, shape (verticals,)
        The topic of each vertical, ascending, and the number of its name, ascending within a topic.
    names : list of str
        The names by number, in alphabetical order.
    orientation : float array, shape (verticals,)
        orient(V|W,q); 0.5 for the web.
    relevant, nonrelevant : int array, shape (verticals,)
        The numbers of documents judged relevant and not relevant.
    media : int array, shape (verticals,)
        The number of the media type of the items of each.
    media_names : list of str
        The media types by number.
    pair : int array, shape (pairs,)
        document * len(names) + vertical for every pair of these in the judgments; ascending.
    """

    topics: tuple[Any, ...]
    topic: Ints
    label: Ints
    names: list[str]
    orientation: Floats
    relevant: Ints
    nonrelevant: Ints
    media: Ints
    media_names: list[str]
    pair: Ints

    @cached_property
    def web(self) -> Bools:
        """Whether each vertical is the general web."""
        return np.asarray(np.array([name == WEB for name in self.names], dtype=bool)[self.label])

    @cached_property
    def key(self) -> Ints:
        """Topic * len(names) + label, ascending."""
        return np.asarray(self.topic * np.int64(len(self.names)) + self.label)

    def place(self, topic: Ints, label: Ints) -> Ints:
        """Return the indices of verticals of topics, -1 for one that the judgments lack."""
        return position_among(self.key, np.where(label >= 0, topic * np.int64(len(self.names)) + label, -1))

    def holds(self, doc: Ints, label: Ints) -> Bools:
        """Tell whether the judgments have documents in verticals."""
        return np.asarray(position_among(self.pair, doc * np.int64(len(self.names)) + label) >= 0)


def judged_verticals(rankings: Rankings) -> JudgedVerticals:
    """Return the verticals of the topics of rankings, computed once per qrels.

    Raises
    ------
    irmx.DataError
        For a row without a vertical; a vertical without an orientation, or with two of them for one topic; an orientation
        outside [0, 1], or one of the web other than 0.5; two media types for one topic and vertical.
    """
    return rankings.qrels_memo(("verticals", rankings.rel), lambda: _judged_verticals(rankings))


def _judged_verticals(rankings: Rankings) -> JudgedVerticals:
    rows = rankings.qrels_rows
    label, names = _labels(rankings)
    size = np.int64(max(len(names), 1))
    key, of_row = np.unique(rows.topic * size + label, return_inverse=True)
    topic, name = key // size, key % size
    orientation = _orientation(rankings, names, of_row, name)
    grade = np.full(int(rows.doc.max(initial=-1)) + 1, -np.inf)
    judged = np.flatnonzero(~rows.declares)
    np.maximum.at(grade, rows.doc[judged], rows.grade[judged])
    pair, first = np.unique(rows.doc[judged] * size + label[judged], return_index=True)
    relevant = grade[pair // size] >= rankings.rel
    of_pair = of_row[judged[first]]
    media = _media(rankings, names, of_row, name)
    return JudgedVerticals(
        rankings.topics, topic, name, names, orientation,
        np.bincount(of_pair[relevant], minlength=len(key)), np.bincount(of_pair[~relevant], minlength=len(key)),
        *media, pair,
    )  # fmt: skip


def _labels(rankings: Rankings) -> tuple[Ints, list[str]]:
    """Return the number of the vertical of every row, and the verticals in alphabetical order."""
    rows = rankings.qrels_rows
    number, given = rows.labels(JUDGED_VERTICAL, missing_ok=True)
    for row in np.flatnonzero(number < 0)[:1].tolist():
        says = f"the qrels column 'vertical' has no value for {_row(rankings, row)}. Every item has a vertical; general web is {WEB!r}."
        raise DataError(says).at(rows.place([row]))
    names, place = np.unique(np.array([str(name) for name in given], dtype=object), return_inverse=True)
    return place[number], names.tolist()


def _orientation(rankings: Rankings, names: list[str], of_row: Ints, name: Ints) -> Floats:
    """Return the orientation of every vertical of every topic."""
    given = rankings.qrels_rows.column(ORIENTATION, missing_ok=True)
    there = np.flatnonzero(~np.isnan(given))
    for row in there[~((given[there] >= 0) & (given[there] <= 1))][:1].tolist():
        of = f"{_row(rankings, row)}, vertical {names[name[of_row[row]]]!r}"
        says = f"the qrels column 'orientation' must be in [0, 1]. Found {given[row]:g} for {of}."
        raise DataError(says).at(rankings.qrels_rows.place([row]))
    rows = _RowsOfVerticals(rankings, "orientation", names, of_row, name, given)
    low, high = rows.extremes(there)
    web = np.array([n == WEB for n in names], dtype=bool)[name]
    without = web & (low > high)
    low[without] = high[without] = WEB_ORIENTATION
    rows.refuse(low > high, "has no value for {0}; at least one of these rows needs it. To get it, "
                f"{ORIENTATION.how}. General web is {WEB!r}.")  # fmt: skip
    rows.refuse(low < high, "must have one value for {0}. Found {1:g} and {2:g}.", low, high)
    says = f"is {{1:g}} for {{0}}. The orientation of the web is {WEB_ORIENTATION}; leave it out."
    rows.refuse(web & (low != WEB_ORIENTATION), says, low)
    return low


def _media(rankings: Rankings, names: list[str], of_row: Ints, name: Ints) -> tuple[Ints, list[str]]:
    """Return the number of the media type of every vertical of every topic, and the media types."""
    by_name = [media_of(n) for n in names]
    if not rankings.qrels_rows.has(JUDGED_MEDIA):
        return name, by_name
    number, given = rankings.qrels_rows.labels(JUDGED_MEDIA, missing_ok=True)
    rows = _RowsOfVerticals(rankings, "media", names, of_row, name, number, given)
    low, high = rows.extremes(np.flatnonzero(number >= 0))
    says = "must have one value for {0}. Found {1!r} and {2!r}. Split them into two verticals."
    rows.refuse(low < high, says, low, high)
    return np.where(high >= 0, high, len(given) + name).astype(np.int64), [*map(str, given), *by_name]


@dataclass(frozen=True)
class _RowsOfVerticals:
    """A column of the qrels with one value for every vertical of a topic."""

    rankings: Rankings
    column: str
    names: list[str]
    of_row: Ints  # the vertical of a topic that every row is about
    name: Ints  # its number among the names
    given: Floats | Ints
    labels: Sequence[Any] = ()  # what the numbers given stand for

    def extremes(self, there: Ints) -> tuple[Floats, Floats]:
        """Return the smallest and the largest value of every vertical, of the rows with a value; infinite without any."""
        low, high = np.full(len(self.name), np.inf), np.full(len(self.name), -np.inf)
        np.minimum.at(low, self.of_row[there], self.given[there])
        np.maximum.at(high, self.of_row[there], self.given[there])
        return low, high

    def refuse(self, wrong: Bools, says: str, *of_verticals: Floats) -> None:
        """Raise for the first wrong vertical of a topic, located at the first rows with its values."""
        for at in np.flatnonzero(wrong)[:1].tolist():
            mine, values = np.flatnonzero(self.of_row == at), [float(column[at]) for column in of_verticals]
            first = [int(mine[self.given[mine] == value][0]) for value in values] or [int(mine[0])]
            topic = self.rankings.topics[self.rankings.qrels_rows.topic[mine[0]]]
            named = f"query {topic} and the vertical {self.names[self.name[at]]!r}"
            found = says.format(named, *([self.labels[int(v)] for v in values] if len(self.labels) else values))
            place = self.rankings.qrels_rows.place(sorted(first))
            raise DataError(f"the qrels column {self.column!r} {found}").at(place)


def _row(rankings: Rankings, row: int) -> str:
    """Return the name of a row of the qrels in messages."""
    rows = rankings.qrels_rows
    topic = int(rows.topic[row])
    return f"query {rankings.topics[topic]}, row {row - int(rows.offsets[topic]) + 1} of the topic"


_VERTICALS = ("web", "news", "images")
_MEDIA = ("text", "image", "video")

VERTICAL = Column(
    "run",
    "vertical",
    "vertical that the item comes from; general web is 'web'",
    dtype="str",
    how="add it to the run, with the vertical of every item",
    sample=SampleValues(_VERTICALS, alone=("web",)),
)
MEDIA = Column(
    "run",
    "media",
    "media type of the item; by default derived from the name of its vertical",
    dtype="str",
    optional=True,
    sample=SampleValues(_MEDIA),
)
BLOCK = Column(
    "run", "block", "label of the block that contains the item, unique within a topic", dtype="str", optional=True
)
JUDGED_VERTICAL = Column(
    "qrels",
    "vertical",
    "vertical of the judged document; general web is 'web'",
    dtype="str",
    how="add it to the qrels, with the vertical of every judged document; a row with an empty doc_id declares a vertical "
    "without judged documents",
    sample=SampleValues(_VERTICALS, per=("query_id", "doc_id")),
)
ORIENTATION = Column(
    "qrels",
    "orientation",
    "orient(V|W,q), the probability that users prefer the vertical to the web for the topic, in [0, 1]",
    how="add the orientation of every vertical of every topic; the web needs none, its orientation is 0.5",
    sample=SampleValues((0.0, 0.25, 0.5, 1.0), per=("query_id", "vertical")),
)
JUDGED_MEDIA = Column(
    "qrels",
    "media",
    "media type of the items of the vertical; by default derived from its name",
    dtype="str",
    optional=True,
    sample=SampleValues(_MEDIA, per=("query_id", "vertical")),
)
