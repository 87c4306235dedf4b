"""The judged verticals of every topic: their orientations and items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from irmx import Column, DataError, Rankings, SampleValues
from irmx.ragged import Bools, Floats, Ints, position_among, segment_of, segment_sum
from irmx_pages.page import DEFAULT, WEB, WEB_ORIENTATION, EffortTable, OnPages, Pages, efforts, media_of, visual

# -- the judged verticals of every topic: their orientations and items -----------------------------------------------


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
    grades : float array, shape (relevant documents,)
        The grades of the relevant documents, vertical by vertical, the best first.
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
    grades: Floats
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


@dataclass(frozen=True)
class Grading:
    """How the relevance of a relevant item follows from its grade; that of every other item is 0.

    Attributes
    ----------
    rel : float
        The smallest grade that counts as relevant.
    max_grade : float or None
        The largest grade of the scale; with None, relevance is binary.
    gain : {"exponential", "linear"}
        (2^grade - 1) / 2^max_grade, as in ERR, or grade / max_grade.
    """

    rel: float
    max_grade: float | None = None
    gain: str = "exponential"

    def relevance(self, grade: Floats) -> Floats:
        """Return the relevance of items of the given grades, NaN or minus infinity for those that are not judged.

        >>> Grading(1, max_grade=3).relevance(np.array([0, 1, 2, 3, np.nan]))
        array([0.   , 0.125, 0.375, 0.875, 0.   ])
        """
        relevant = grade >= self.rel
        if self.max_grade is None:
            return relevant.astype(np.float64)
        grade = np.where(relevant, np.maximum(grade, 0), 0)
        return np.asarray(
            (np.exp2(grade) - 1) / 2**self.max_grade if self.gain == "exponential" else grade / self.max_grade
        )


def grading_of(rankings: Rankings, max_grade: float | None, gain: str) -> Grading:
    """Return the grading of the qrels; raises if a grade is above ``max_grade``."""
    if max_grade is not None and rankings.largest_grade > max_grade:
        raise DataError(
            f"The qrels have the grade {rankings.largest_grade:g}, above max_grade={max_grade:g}. Give the largest grade of the scale."
        )
    return Grading(rankings.rel, max_grade, gain)


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
    of_pair, grades = of_row[judged[first]], grade[pair // size]
    best_first = np.lexsort((-grades, of_pair))
    media = _media(rankings, names, of_row, name)
    return JudgedVerticals(
        rankings.topics, topic, name, names, orientation,
        np.bincount(of_pair[relevant], minlength=len(key)), np.bincount(of_pair[~relevant], minlength=len(key)),
        grades[best_first][relevant[best_first]], *media, pair,
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
LENGTH = Column(
    "run",
    "length",
    "length of the item as shown, such as its snippet",
    "words",
    how="add it to the run, or leave standard_length out, so that all items of a media type take the same effort",
    sample=SampleValues(range(8, 61), ("query_id", "doc_id")),
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


# -- from the rows of a run to pages: grouping items into blocks -----------------------------------------------------


@dataclass(frozen=True)
class LaidOut(OnPages):
    """The blocks of the pages of a run, before efforts are known.

    Attributes
    ----------
    offsets : int array, shape (pages + 1,)
        The blocks of page p, which belongs to topic p, are ``offsets[p]:offsets[p + 1]``.
    first : int array, shape (blocks + 1,)
        The first item of every block, among all items of the run in reading order.
    label : int array, shape (blocks,)
        The number of each block's vertical in the judgments; -1 for general web without judgments.
    vertical : array of object, shape (blocks,)
        The name of each block's vertical.
    orientation, relevant : float array, shape (blocks,)
        orient(V|W,q), and the number of relevant items.
    media : int array, shape (items,)
        The number of each item's media type.
    media_names : list of str
        The media types by number.
    """

    first: Ints
    label: Ints
    vertical: Ints
    orientation: Floats
    relevant: Floats
    media: Ints
    media_names: list[str]


def pages_of(
    rankings: Rankings,
    effort: Mapping[str, float] = DEFAULT,
    cutoff: int | None = None,
    split_blocks: bool = False,
    *,
    max_grade: float | None = None,
    gain: str = "exponential",
    standard_length: Mapping[str, float] | None = None,
) -> Pages:
    """Return the pages of a run, one per topic.

    Every general web result is a block, and so are the consecutive items of a vertical; the run column ``block`` overrides
    that.

    Parameters
    ----------
    rankings : irmx.Rankings
        A run with the column ``vertical`` and, optionally, ``media`` and ``block``, joined with qrels that have ``vertical`` and
        ``orientation``; items in reading order.
    effort : mapping of str to float
        The effort of an item by media type.
    cutoff : int, optional
        Number of blocks at the top of the page to keep.
    split_blocks : bool
        Whether items of one vertical in two places of a page are two blocks rather than an error.
    max_grade : float, optional
        The largest grade of the scale; by default, relevance is binary.
    gain : {"exponential", "linear"}
        With ``max_grade``, the relevance of a relevant item: (2^grade - 1) / 2^max_grade, or grade / max_grade.
    standard_length : mapping of str to float, optional
        The length of an item that takes the effort of its media type. The effort of an item of these types is that times its run
        column ``length`` over the standard length.

    Raises
    ------
    irmx.DataError
        For an item without a vertical, a vertical that the judgments lack or that appears in two places, a block of two
        verticals, a media type without an effort, an item of a type in ``standard_length`` without a positive length, a grade
        above ``max_grade``, or any error in the judgments.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> run = pd.DataFrame({"query_id": "q", "doc_id": ["w1", "i1", "i2"], "score": [3.0, 2.0, 1.0],
    ...     "vertical": ["web", "image", "image"]})
    >>> qrels = pd.DataFrame({"query_id": "q", "doc_id": ["w1", "i1"], "relevance": 1, "vertical": ["web", "image"],
    ...     "orientation": [None, 0.75]})
    >>> pages = pages_of(irmx.rankings(qrels, run))
    >>> pages.vertical, pages.items, pages.effort, pages.relevant
    (array(['web', 'image'], dtype=object), array([1, 2]), array([3., 2.]), array([1., 1.]))
    """
    table, grading = EffortTable(effort), grading_of(rankings, max_grade, gain)
    standard = None if standard_length is None else EffortTable(standard_length)

    def made() -> Pages:
        laid_out = layout_of(rankings, split_blocks)

        def whose(media: int) -> str:
            return f" of {_item(rankings, int(np.argmax(laid_out.media == media)))}"

        of_items = efforts(laid_out.media_names, table, whose)[laid_out.media]
        if standard is not None:
            of_items = of_items * _relative_length(rankings, laid_out, standard)
        blocks, of_item = len(laid_out.label), segment_of(laid_out.first)
        attracts = segment_sum(visual(laid_out.media_names)[laid_out.media], of_item, blocks) > 0
        relevance = segment_sum(grading.relevance(rankings.ranked.grade), of_item, blocks)
        as_laid_out = (laid_out.offsets, laid_out.vertical, laid_out.orientation, relevance)
        pages = Pages(*as_laid_out, np.diff(laid_out.first), segment_sum(of_items, of_item, blocks), attracts)
        return pages if cutoff is None else pages.where(pages.position <= cutoff)

    return rankings.memo(("pages", table, cutoff, split_blocks, grading, standard), made)


def _relative_length(rankings: Rankings, laid_out: LaidOut, standard: Mapping[str, float]) -> Floats:
    """Return the length of every item over the standard length of its media type, 1 for types without one."""
    usual = np.array([standard.get(name, np.nan) for name in laid_out.media_names])[laid_out.media]
    varies = ~np.isnan(usual)
    length = rankings.ranked.column(LENGTH, missing_ok=True)
    for item in np.flatnonzero(varies & ~(length > 0))[:1].tolist():
        found = "missing" if np.isnan(length[item]) else f"{length[item]:g}"
        says = f"the run column 'length' is {found} for {_item(rankings, item)}, whose media type is in standard_length. It must be above 0."
        raise DataError(says).at(rankings.ranked.place([item]))
    return np.where(varies, length / usual, 1.0)


def layout_of(rankings: Rankings, split_blocks: bool) -> LaidOut:
    """Return the blocks of the pages of a run, computed once."""
    return rankings.memo(("blocks", split_blocks), lambda: _laid_out(rankings, split_blocks))


def _laid_out(rankings: Rankings, split_blocks: bool) -> LaidOut:
    documents = rankings.ranked
    judged = judged_verticals(rankings)
    number, names = _verticals(rankings)
    of_web = np.array([name == WEB for name in names], dtype=bool)
    start, explicit = _starts(rankings, number, names, of_web[number])
    first = np.append(np.flatnonzero(start), len(start))
    at = first[:-1]
    topic, vertical = documents.topic[at], number[at]
    offsets = np.searchsorted(topic, np.arange(len(rankings) + 1))
    if not explicit and not split_blocks:
        _refuse_repeated(rankings, topic, vertical, names, at)
    known = {name: i for i, name in enumerate(judged.names)}
    label = np.array([known.get(name, -1) for name in names], dtype=np.int64)
    web, place = of_web[vertical], judged.place(topic, label[vertical])
    _refuse_unknown(rankings, place < 0, web, at, names, number)
    _refuse_moved(rankings, number, names, label, judged)
    orientation = np.where(web, WEB_ORIENTATION, np.append(judged.orientation, np.nan)[place])
    relevant = np.add.reduceat(documents.grade >= rankings.rel, at, dtype=np.float64) if len(at) else np.zeros(0)
    media, media_names = _media_of_items(rankings, number, names)
    of_block = (label[vertical], np.array(names, dtype=object)[vertical], orientation, relevant)
    return LaidOut(offsets, first, *of_block, media, media_names)


def _verticals(rankings: Rankings) -> tuple[Ints, list[str]]:
    """Return the number of the vertical of every item, and the verticals."""
    number, names = rankings.ranked.labels(VERTICAL, missing_ok=True)
    for item in np.flatnonzero(number < 0)[:1].tolist():
        raise DataError(
            f"the run column 'vertical' has no value for {_item(rankings, item)}. Every item has a vertical; general web is "
            f"{WEB!r}."
        )
    return number, [str(name) for name in names]


def _starts(rankings: Rankings, number: Ints, names: list[str], web: Bools) -> tuple[Ints, bool]:
    """Return whether a block starts at each item, and whether the column ``block`` decides this."""
    documents = rankings.ranked
    new_topic = _changes(documents.topic)
    if not documents.has(BLOCK):
        return new_topic | web | _changes(number), False
    block, labels = documents.labels(BLOCK, missing_ok=True)
    for item in np.flatnonzero(block < 0)[:1].tolist():
        raise DataError(
            f"the run column 'block' has no value for {_item(rankings, item)}. Give every item its block, or leave the column out."
        )
    start = new_topic | _changes(block)
    for item in np.flatnonzero(~start & _changes(number))[:1].tolist():
        raise DataError(
            f"the block {labels[block[item]]!r} has items of two verticals, {names[number[item - 1]]!r} and "
            f"{names[number[item]]!r}, at {_item(rankings, item)}. A block has one vertical."
        )
    at = np.flatnonzero(start)
    again = _second(documents.topic[at] * np.int64(max(len(labels), 1)) + block[at])
    for item in at[again][:1].tolist():
        raise DataError(
            f"the block {labels[block[item]]!r} continues at {_item(rankings, item)}, after another block. The items of a block "
            "must be consecutive."
        )
    return start, True


def _media_of_items(rankings: Rankings, number: Ints, names: list[str]) -> tuple[Ints, list[str]]:
    """Return the number of the media type of every item, and the media types."""
    by_name = [media_of(name) for name in names]
    of_item, given = rankings.ranked.labels(MEDIA, missing_ok=True)
    of_vertical = np.arange(len(given), len(given) + len(names))
    out = np.where(of_item >= 0, of_item, of_vertical[number])
    used, out = np.unique(out, return_inverse=True)
    every = [*map(str, given), *by_name]
    return out, [every[i] for i in used.tolist()]


def _changes(values: Ints) -> Ints:
    """Tell which values differ from the previous one."""
    out = np.ones(len(values), dtype=bool)
    out[1:] = values[1:] != values[:-1]
    return out


def _second(key: Ints) -> Ints:
    """Tell which values have occurred before."""
    out = np.ones(len(key), dtype=bool)
    out[np.unique(key, return_index=True)[1]] = False
    return out


def _refuse_repeated(rankings: Rankings, topic: Ints, vertical: Ints, names: list[str], at: Ints) -> None:
    """Raise if a vertical, other than the web, has two blocks on a page."""
    web = np.array([name == WEB for name in names], dtype=bool)[vertical]
    key = np.where(web, -1 - np.arange(len(topic)), topic * np.int64(max(len(names), 1)) + vertical)
    for block in np.flatnonzero(_second(key))[:1].tolist():
        earlier = int(np.flatnonzero(key == key[block])[0])
        raise DataError(
            f"the vertical {names[vertical[block]]!r} has a second block at {_item(rankings, int(at[block]))}; the first is at "
            f"{_item(rankings, int(at[earlier]))}. A page has one block per vertical. Put its items together, allow two blocks "
            "with split_blocks=True, or name the blocks in a run column 'block'."
        )


def _refuse_unknown(rankings: Rankings, lacking: Bools, web: Bools, at: Ints, names: list[str], number: Ints) -> None:
    """Raise if the judgments do not have a block's vertical."""
    for block in np.flatnonzero(lacking & ~web)[:1].tolist():
        item = int(at[block])
        raise DataError(
            f"the judgments do not have the vertical {names[number[item]]!r} of {_item(rankings, item)} for this topic, so its "
            "orientation is unknown. Add a qrels row with the vertical and its orientation; its doc_id may be empty. General "
            f"web is {WEB!r}."
        )


def _refuse_moved(rankings: Rankings, number: Ints, names: list[str], label: Ints, judged: JudgedVerticals) -> None:
    """Raise if a judged item is in a vertical other than the one it was judged in."""
    doc = rankings.ranked.doc
    known = np.flatnonzero(doc >= 0)
    moved = known[~judged.holds(doc[known], label[number[known]])]
    for item in moved[:1].tolist():
        there = [
            judged.names[p % len(judged.names)] for p in judged.pair.tolist() if p // len(judged.names) == doc[item]
        ]
        place = rankings.qrels_rows.place(np.flatnonzero(rankings.qrels_rows.doc == doc[item]).tolist())
        raise DataError(
            f"the vertical of {_item(rankings, item)} is {names[number[item]]!r} in the run, but {' and '.join(map(repr, there))} "
            f"in the qrels{f' ({place})' if place else ''}. Give it the same in both."
        )


def _item(rankings: Rankings, item: int) -> str:
    """Return the name of an item of a page in messages."""
    ranked = rankings.ranked
    return f"query {rankings.topics[ranked.topic[item]]}, item {ranked.doc_ids[item]!r} at rank {ranked.rank[item]}"


@dataclass(frozen=True)
class ShownBlocks:
    """The blocks of pages as verticals of the judgments.

    Attributes
    ----------
    page, position, label : int array, shape (blocks,)
        The page of each block, its position there from 1, and the number of its vertical in the judgments, -1 for none.
    relevant : float array, shape (blocks,)
        The number of relevant items.
    """

    page: Ints
    position: Ints
    label: Ints
    relevant: Floats


def shown_blocks(rankings: Rankings, cutoff: int | None, split_blocks: bool) -> ShownBlocks:
    """Return the blocks of the pages of a run, up to a cutoff in blocks."""
    laid_out = layout_of(rankings, split_blocks)
    keep = laid_out.top(cutoff)
    return ShownBlocks(laid_out.page[keep], laid_out.position[keep], laid_out.label[keep], laid_out.relevant[keep])
