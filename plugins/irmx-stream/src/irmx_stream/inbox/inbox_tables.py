"""What an inbox is judged by: judgments, the questions that were to be decided on each day, and the days of documents."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from irmx import DataError, Param, Table, read_table
from irmx.ragged import Floats, Ints, short_repr
from irmx.toolkit import content_of, parse_json, suggest
from irmx_stream.inbox.inbox_runs import is_day

if TYPE_CHECKING:
    import pyarrow as pa

ALIASES = {
    "topic": ("topic", "tid", "topic_id", "query_id"),
    "question": ("question", "qid", "question_id"),
    "day": ("day", "date"),
    "document": ("document", "doc_id", "docid", "docno", "doc"),
    "gain": ("gain", "relevance", "grade", "rel", "label"),
}
"""The names that columns may have in tables of inboxes."""


# -- tables with topics, questions and days --------------------------------------------------------------------------


@dataclass(frozen=True)
class Column:
    """A column of texts: the number of each row's text, and the texts."""

    code: Ints
    texts: tuple[str, ...]

    __repr__ = short_repr

    def numbered(self, others: Mapping[str, int]) -> Ints:
        """Return the number of each row's text among others, -1 where it is none of them."""
        return np.array([others.get(text, -1) for text in self.texts], dtype=np.int64)[self.code]


def read_columns(source: Any, what: str, names: Sequence[str], further: Mapping[str, Param] = {}) -> Table:
    """Return a table whose columns have the first names of :data:`ALIASES`, and with some declared numbers."""
    table = read_table(source, {}, what)
    names_of = {alias: name for name in ("topic", "question", "day", "document", "gain") for alias in ALIASES[name]}
    found: list[str] = []
    for name in table.names:
        known = names_of.get(name.lower(), name)
        found.append(name if known in found or (known != name and known in table.names) else known)
    table = table.renamed(found)
    for name in names:
        if name not in table:
            raise DataError(
                f"{table.name} lacks the column {name!r}. It has: {', '.join(table.names[:20])}.{suggest(name, table.names)} "
                f"Other names for it are {', '.join(ALIASES[name][1:])}."
            )
    table.declare({name: param for name, param in further.items() if name in table})
    return table


def column(table: Table, name: str) -> Column:
    """Return a column of ids, none of which may be missing."""
    import pyarrow as pa

    code, labels = table.labels(name)
    texts = tuple(map(str, labels))
    if name == "day":
        cells: Any = table.cells(name)
        if hasattr(cells, "type") and pa.types.is_temporal(cells.type):  # of Arrow and pandas
            texts = tuple(datetime.fromtimestamp(label, timezone.utc).date().isoformat() for label in labels)
        for wrong in [i for i, text in enumerate(texts) if not is_day(text)][:1]:
            table.refuse(int(np.argmax(code == wrong)), f"the day {texts[wrong]!r} must be written as 2021-08-01.")
    if len(missing := np.flatnonzero(code < 0)):
        table.refuse(int(missing[0]), f"the {name} is missing.")
    return Column(code, texts)


def topics_file(path: str | os.PathLike[str]) -> dict[str, list[str]] | None:
    """Return the questions of each topic in the track's file of topics; None if a file is another."""
    content, found = content_of(Path(path), "universe or topics"), dict[str, list[str]]()
    for line in filter(None, map(bytes.strip, content.split(b"\n"))):
        if not line.startswith(b"{") or b'"questions"' not in line:
            return None
        try:
            topic = parse_json(line.decode())
            [name] = {str(topic[key]) for key in ALIASES["topic"] if key in topic}
            questions = [str(one["qid"]) for one in topic["questions"]]
        except (ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
            raise DataError(
                f"{path} is no file of topics: each line must have a tid, and questions, each with a qid ({error})."
            ) from None
        if name in found:
            raise DataError(f"{path} has the topic {name!r} in two lines. Put its questions into one.")
        found[name] = questions
    return found or None


# -- what was to be decided, and what is right -----------------------------------------------------------------------


@dataclass(frozen=True)
class Inbox:
    """The units of an inbox, each a question of a topic on a day, and the documents that are judged for them.

    Attributes
    ----------
    topics : tuple of str
        The names of the topics, by number.
    questions : tuple of str
        The ids of the questions, by number.
    days : tuple of str
        The days, by number; they ascend.
    units : int array, shape (units, 3)
        The topic, the question and the day of each unit, in ascending order.
    unit : int array, shape (judged documents,)
        The unit of each judged document.
    doc_id : Arrow array of str
        The judged documents.
    gain, length : float array
        Their gains; and their lengths in words, NaN where the judgments have none.
    documents : Arrow array of str
        The documents whose day is known.
    day_of_document : int array
        The day of each, -1 for one that the judgments or the run do not name.
    is_closed : bool
        Whether a universe names all questions of its topics.
    known : frozenset of tuple of str
        The topic and the id of each question of the universe, or without one of the judgments; a run proposes others.
    added : int
        The number of judged units that the universe lacks.
    """

    topics: tuple[str, ...]
    questions: tuple[str, ...]
    days: tuple[str, ...]
    units: Ints
    unit: Ints
    doc_id: pa.Array
    gain: Floats
    length: Floats
    documents: pa.Array
    day_of_document: Ints
    is_closed: bool
    known: frozenset[tuple[str, str]]
    added: int

    __repr__ = short_repr

    def __len__(self) -> int:
        return len(self.units)

    def key(self, topic: Ints, question: Ints, day: Ints) -> Ints:
        """Return one number for each topic, question and day; -1 if one of them is -1."""
        number = (topic * len(self.questions) + question) * len(self.days) + day
        return np.where((topic < 0) | (question < 0) | (day < 0), -1, number)

    @cached_property
    def keys(self) -> Ints:
        """The numbers of the units, ascending."""
        return self.key(*self.units.T)

    @cached_property
    def numbers(self) -> tuple[dict[str, int], dict[str, int], dict[str, int]]:
        """The number of each topic, question and day."""
        topics, questions, days = (
            {text: i for i, text in enumerate(texts)} for texts in (self.topics, self.questions, self.days)
        )
        return topics, questions, days

    @cached_property
    def days_of_topics(self) -> frozenset[tuple[str, str]]:
        """Each topic with each day on which one of its questions was to be decided."""
        return frozenset((self.topics[topic], self.days[day]) for topic, _, day in self.units.tolist())


def read_inbox(judgments: Any, universe: Any = None, days: Any = None) -> Inbox:
    """Return the units of an inbox, and what is judged for them.

    Parameters
    ----------
    judgments : str, Path, DataFrame or other table
        The columns ``topic``, ``question``, ``day``, ``document`` and ``gain``, or as they are called elsewhere, such as ``qid``,
        ``date``, ``doc_id`` and ``relevance``; and, if known, ``length`` (words).
    universe : table, optional
        What was to be decided: the columns ``topic``, ``question`` and ``day``; or the track's file of topics, whose questions were
        to be decided on all days from the first to the last that are named. By default, units that the judgments name.
    days : table, optional
        The days of further documents: the columns ``document`` and ``day``.

    Returns
    -------
    Inbox
        Units of the universe and of the judgments.

    Raises
    ------
    irmx.DataError
        For a table that lacks a column or a value, a day that is none, and a document of two days.

    Examples
    --------
    >>> judged = {"topic": ["T", "T"], "question": ["Q1", "Q2"], "day": ["2021-08-01"] * 2, "document": ["a", "b"], "gain": [10, 0]}
    >>> inbox = read_inbox(judged, {"topic": ["T"] * 2, "question": ["Q1"] * 2, "day": ["2021-08-01", "2021-08-02"]})
    >>> len(inbox), inbox.days
    (3, ('2021-08-01', '2021-08-02'))
    """
    judged = read_columns(judgments, "judgments", tuple(ALIASES), {"gain": _GAIN, "length": _LENGTH})
    of_judged = [column(judged, name) for name in ("topic", "question", "day")]
    doc_id = judged.ids("document")
    dated = [(judged, doc_id, of_judged[2])]
    if days is not None:
        table = read_columns(days, "table of days", ("document", "day"))
        dated.append((table, table.ids("document"), column(table, "day")))
    named_days = sorted({day for _, _, of_day in dated for day in of_day.texts})
    rows = [of_judged]
    if universe is not None:
        rows.insert(0, _of_universe(universe, named_days))
    topics, questions = (tuple(dict.fromkeys(text for of in rows for text in of[i].texts)) for i in range(2))
    every_day = tuple(sorted({*named_days, *(day for of in rows for day in of[2].texts)}))
    numbers = [{text: i for i, text in enumerate(texts)} for texts in (topics, questions, every_day)]
    coded = [np.stack([of[i].numbered(numbers[i]) for i in range(3)], axis=1) for of in rows]
    shape = tuple(map(len, numbers))
    keys = [np.ravel_multi_index(tuple(of.T), shape) if len(of) else np.empty(0, dtype=np.int64) for of in coded]
    units = np.unique(np.concatenate(keys))
    documents, day_of_document = _days_of(dated, numbers[2])
    return Inbox(
        topics,
        questions,
        every_day,
        np.stack(np.unravel_index(units, shape), axis=1),
        np.searchsorted(units, keys[-1]),
        doc_id,
        judged["gain"],
        judged["length"] if "length" in judged.columns else np.full(len(judged), np.nan),
        documents,
        day_of_document,
        universe is not None,
        frozenset((topics[t], questions[q]) for t, q in np.unique(coded[0][:, :2], axis=0).tolist()),
        len(np.setdiff1d(keys[1], keys[0])) if universe is not None else 0,
    )


_GAIN = Param(float, "the gain of the document", required=True)
_LENGTH = Param(float, "the length of the document in words", low=0, nullable=True)


def _of_universe(universe: Any, named_days: Sequence[str]) -> list[Column]:
    """Return the topic, the question and the day of each row of a universe, or of the questions of topics on all days."""
    questions = topics_file(universe) if isinstance(universe, (str, os.PathLike)) else None
    if questions is None:
        table = read_columns(universe, "universe", ("topic", "question", "day"))
        return [column(table, name) for name in ("topic", "question", "day")]
    first, last = (date.fromisoformat(day) for day in (named_days[0], named_days[-1]))
    days = tuple((first + timedelta(days=i)).isoformat() for i in range((last - first).days + 1))
    topics = tuple(questions)
    of_question = np.repeat(np.arange(len(topics)), [len(of_topic) for of_topic in questions.values()])
    names = [name for of_topic in questions.values() for name in of_topic]
    texts = tuple(dict.fromkeys(names))
    number = {text: i for i, text in enumerate(texts)}
    codes = np.array([number[name] for name in names], dtype=np.int64)
    every = np.tile(np.arange(len(days)), len(codes))
    return [
        Column(np.repeat(of_question, len(days)), topics),
        Column(np.repeat(codes, len(days)), texts),
        Column(every, days),
    ]


def days_of(days: Any) -> tuple[pa.Array, Ints, tuple[str, ...]]:
    """Return the documents of a table of days, the day of each, and the days."""
    table = read_columns(days, "table of days", ("document", "day"))
    of_day = column(table, "day")
    documents, day = _days_of(
        [(table, table.ids("document"), of_day)], {text: i for i, text in enumerate(of_day.texts)}
    )
    return documents, day, of_day.texts


def _days_of(dated: Sequence[tuple[Table, pa.Array, Column]], number: Mapping[str, int]) -> tuple[pa.Array, Ints]:
    """Return the documents of tables, and the day of each; raise for a document of two days."""
    import pyarrow as pa

    every = pa.concat_arrays([ids for _, ids, _ in dated]).dictionary_encode()
    code = every.indices.to_numpy(zero_copy_only=False)
    day = np.concatenate([of_day.numbered(number) for _, _, of_day in dated])
    of_document = np.full(len(every.dictionary), -1, dtype=np.int64)
    of_document[code[::-1]] = day[::-1]  # that of its first row
    for row in np.flatnonzero(of_document[code] != day)[:1].tolist():
        starts = np.cumsum([0, *(len(ids) for _, ids, _ in dated)])
        at = int(np.searchsorted(starts, row, side="right")) - 1
        texts = list(number)
        dated[at][0].refuse(
            row - int(starts[at]),
            f"the document {every[row].as_py()} is of the day {texts[of_document[code[row]]]} elsewhere, and here of {texts[day[row]]}. "
            "A document belongs to one day.",
        )
    return every.dictionary, of_document
