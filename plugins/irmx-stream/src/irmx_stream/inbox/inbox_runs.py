"""Runs of an inbox, in JSON Lines: the questions that a system shows on each day of a topic, and the documents of each."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np

from irmx import DataError
from irmx.ragged import Floats, Ints, offsets_of, short_repr
from irmx.toolkit import content_of, list_some, parse_json, plural, value_repr, visible

Json = Mapping[str, Any]

MOST_DOCUMENTS = 100
"""How many documents a question may have on a day, by the guidelines."""

_NAMES = frozenset(
    {"runtag", "topic", "day", "results", "qid", "question_rank", "doc_ranking", "doc_id", "score", "length"}
)
_LIKE = {name.replace("_", ""): name for name in _NAMES}
"""The names that are read, and what they are without underscores, by which others are taken for misspelt."""

_LARGEST = 1e300
"""The largest rank, score or length that is a number and not a mistake."""


@dataclass(frozen=True)
class InboxRun:
    """What a system showed: questions of topics on days, each with a ranking of documents.

    Attributes
    ----------
    name : str
        The name of the file, for messages.
    tag : str
        The tag of the run, with which the ids of the questions begin that it proposes; empty if the file has none.
    topic, question, day : list of str
        Of each question that is shown on a day; days are written ``2021-08-01``.
    rank : float array, shape (questions shown,)
        The rank of each on its day.
    line : list of int
        The line of the file that each is from.
    offsets : int array, shape (questions shown + 1,)
        Where the documents of each start and end; a question may have none.
    doc_id : list of str
        The documents of all.
    score : float array, shape (documents,)
        Their scores, which fall where the file gives only an order.
    length : float array, shape (documents,)
        Their lengths in words; NaN where the file has none.
    days : set of tuple of str
        The pairs of topic and day that the file names, also those on which nothing is shown.
    """

    name: str
    tag: str
    topic: list[str]
    question: list[str]
    day: list[str]
    rank: Floats
    line: list[int]
    offsets: Ints
    doc_id: list[str]
    score: Floats
    length: Floats
    days: set[tuple[str, str]]

    __repr__ = short_repr

    def __len__(self) -> int:
        return len(self.topic)

    @property
    def counts(self) -> Ints:
        """The number of documents of each question shown."""
        return np.diff(self.offsets)

    def place(self, shown: int) -> str:
        """Return where a question stands, as the start of a message."""
        return place(self.name, self.line[shown], self.topic[shown], self.day[shown], self.question[shown])


def place(name: str, line: int, topic: str = "", day: str = "", question: str = "") -> str:
    """Return a line of a file, and what it is about, as the start of a message."""
    about = {"topic": topic, "day": day, "question": question}
    return ", ".join([f"{name}, line {line}", *(f"{what} {visible(text)}" for what, text in about.items() if text)])


class Faults(list[str]):
    """What is wrong with a file, in the order of its lines."""

    def raise_first(self, name: str) -> None:
        """Raise if there is a fault; tell the first, and how many there are."""
        if self:
            more = f" {plural(len(self), 'fault')} in all: irmx inbox check {name}" if len(self) > 1 else ""
            raise DataError(f"{self[0]}{more}")


def read_inbox_run(path: str | os.PathLike[str]) -> InboxRun:
    r"""Return a run of an inbox.

    Parameters
    ----------
    path : str or Path
        JSON Lines, plain or compressed: first an object with the ``runtag``, then one per topic, with ``topic`` and ``results``, the
        questions of each day; or one per question and day. Names may have hyphens or underscores.

    Returns
    -------
    InboxRun
        The questions shown, and their documents.

    Raises
    ------
    irmx.DataError
        For an empty file, one without a day of a topic, what is not of that form, a name that is misspelt or stands twice, a question twice on a day, a document twice for a question, or a rank or score that is no
        finite number; names the line, the topic and the day.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = folder.name + "/run.jsonl"
    >>> with open(path, "w") as file:
    ...     _ = file.write('{"runtag": "mine"}\n{"topic": "T1", "results": {"2021-08-01": [], "2021-08-02": [{"qid": "Q1", '
    ...                    '"question-rank": 0, "doc-ranking": [{"doc_id": "a", "score": 2.5}]}]}}\n')
    >>> run = read_inbox_run(path)
    >>> run.tag, run.question, run.day, run.doc_id, sorted(run.days)
    ('mine', ['Q1'], ['2021-08-02'], ['a'], [('T1', '2021-08-01'), ('T1', '2021-08-02')])
    >>> folder.cleanup()
    """
    return whole_run(str(path), content_of(Path(path), "run"))


def whole_run(name: str, content: bytes) -> InboxRun:
    """Return the run in the content of a file; raise for the first fault in it, and if it names no day."""
    run, faults = parsed(name, content)
    faults.raise_first(run.name)
    if not run.days:
        raise DataError(
            "The run names no day of any topic, as after a crash. A system that is silent on purpose names each day with an empty list.",
            place=run.name,
        )
    return run


def parsed(name: str, content: bytes) -> tuple[InboxRun, Faults]:
    """Return the run in the content of a file, and what is wrong with it."""
    reader = _Reader(name)
    for number, line in enumerate(content.split(b"\n"), start=1):
        if line.strip():
            reader.add(number, line)
    if not (reader.tag or reader.shown or reader.faults):
        reader.faults.append(
            f"The run {name} is empty: did the search fail? One that is silent on purpose names each day with an empty list."
        )
    return reader.run(), reader.faults


def is_day(text: Any) -> bool:
    """Tell whether a value is a day such as 2021-08-01."""
    with contextlib.suppress(TypeError, ValueError):
        return bool(date.fromisoformat(text).isoformat() == text)
    return False


class _Reader:
    """The questions of the lines so far, and what is wrong with them."""

    def __init__(self, name: str) -> None:
        self.name, self.tag, self.faults = name, "", Faults()
        self.topic: list[str] = []
        self.question: list[str] = []
        self.day: list[str] = []
        self.rank: list[float] = []
        self.line: list[int] = []
        self.counts: list[int] = []
        self.doc_id: list[str] = []
        self.score: list[float] = []
        self.length: dict[int, float] = {}
        self.shown: dict[tuple[str, str], set[str]] = {}

    def run(self) -> InboxRun:
        length = np.full(len(self.doc_id), np.nan)
        length[list(self.length)] = list(self.length.values())
        return InboxRun(
            self.name,
            self.tag,
            self.topic,
            self.question,
            self.day,
            np.array(self.rank, dtype=np.float64),
            self.line,
            offsets_of(self.counts),
            self.doc_id,
            np.array(self.score, dtype=np.float64),
            length,
            set(self.shown),
        )

    def fault(self, text: str, line: int, topic: str = "", day: str = "", question: str = "") -> None:
        self.faults.append(f"{place(self.name, line, topic, day, question)}: {text}")

    def named(self, record: Json, *where: Any) -> Json:
        """Return an object whose names have underscores where they had hyphens; one that is misspelt, or the same as another, is a fault."""
        if record.keys() <= _NAMES:
            return record
        out = dict[str, Any]()
        for written, value in record.items():
            name = written.replace("-", "_")
            name = "runtag" if name == "run_tag" else name
            meant = _LIKE.get(name.replace("_", "").casefold(), name)
            if name in out:
                self.fault(f"{name!r} stands here twice, spelt in two ways. Leave one of them out.", *where)
            elif name != meant:
                self.fault(f"{written!r} is not read. Write {meant}.", *where)
            else:
                out[name] = value
        return out

    def add(self, line: int, content: bytes) -> None:
        """Add a line."""
        try:
            record = parse_json(content.decode())
        except (ValueError, RecursionError) as error:
            self.fault(f"this is no JSON: {error}.", line)
            return
        if not isinstance(record, dict):
            self.fault(f"this is {value_repr(record)}, where an object is expected.", line)
            return
        record = self.named(record, line)
        tag = record.get("runtag")
        if tag is not None and self.tag not in ("", str(tag)):
            self.fault(
                f"this has the runtag {value_repr(tag)}, and a line before {self.tag!r}. A file holds one run.", line
            )
            return
        self.tag = self.tag if tag is None else str(tag)
        if "topic" in record:
            self._add_topic(line, record)
        elif tag is None and set(record) != {"errors"}:
            self.fault(f"this has neither a topic nor a runtag, but {list_some(list(record), 10) or 'nothing'}.", line)

    def _add_topic(self, line: int, record: Json) -> None:
        topic, results = str(record["topic"]), record.get("results")
        if not isinstance(record["topic"], (str, int)) or topic == "":
            self.fault(f"the topic must be a text. Got {value_repr(record['topic'])} instead.", line)
        elif results is None:  # one line per question and day
            self._add_day(line, topic, record.get("day"), [record])
        elif isinstance(results, dict):
            for day, of_day in results.items():
                questions = of_day.get("results") if isinstance(of_day, dict) else of_day
                self._add_day(line, topic, day, questions)
        else:
            self.fault(f"the results must be an object of days. Got {value_repr(results)} instead.", line, topic)

    def _add_day(self, line: int, topic: str, day: Any, questions: Any) -> None:
        if not is_day(day):
            self.fault(f"the day must be written as 2021-08-01. Got {value_repr(day)} instead.", line, topic)
        elif not isinstance(questions, list) or not all(isinstance(one, dict) for one in questions):
            self.fault("the questions must be a list of objects.", line, topic, day)
        else:
            shown = self.shown.setdefault((topic, day), set())
            for question in questions:
                self._add_question(line, topic, day, self.named(question, line, topic, day), shown)

    def _add_question(self, line: int, topic: str, day: str, record: Json, shown: set[str]) -> None:
        name, rank, documents = record.get("qid"), record.get("question_rank"), record.get("doc_ranking")
        question = str(name)
        where = line, topic, day, question
        if not isinstance(name, (str, int)) or name == "":
            self.fault(f"a question must have a qid. Got {value_repr(name)} instead.", line, topic, day)
        elif question in shown:
            self.fault("the question stands here a second time on this day. Leave one of them out.", *where)
        elif not (_is_number(rank) and rank >= 0):
            self.fault(f"the question_rank must be a number from 0 on. Got {value_repr(rank)} instead.", *where)
        elif not isinstance(documents, list):
            self.fault(f"the doc_ranking must be a list. Got {value_repr(documents)} instead.", *where)
        elif self._add_documents(documents, where):
            shown.add(question)
            self.topic.append(topic)
            self.question.append(question)
            self.day.append(day)
            self.rank.append(float(rank))
            self.line.append(line)
            self.counts.append(len(documents))

    def _add_documents(self, documents: list[Any], where: tuple[int, str, str, str]) -> bool:
        """Add the documents of a question; tell whether they are sound."""
        ids, lengths = documents, dict[int, Any]()
        scores: list[Any] = list(range(len(documents), 0, -1))
        if any(isinstance(document, dict) for document in documents):
            named = [self.named(one, *where) if isinstance(one, dict) else {"doc_id": one} for one in documents]
            ids = [one.get("doc_id") for one in named]
            if any("score" in one for one in named):
                scores = [one.get("score") for one in named]
            lengths = {i: one["length"] for i, one in enumerate(named) if one.get("length") is not None}
            if wrong := [v for v in lengths.values() if not _is_number(v) or v < 0]:
                self.fault(f"a length must be a number of words. Got {value_repr(wrong[0])} instead.", *where)
                return False
        if wrong := [one for one in ids if not isinstance(one, str) or not one]:
            self.fault(f"a doc_id must be a text. Got {value_repr(wrong[0])} instead.", *where)
        elif len(set(ids)) < len(ids):
            twice = next(one for i, one in enumerate(ids) if one in ids[:i])
            self.fault(f"the document {visible(twice)} stands here twice. Leave one of them out.", *where)
        elif wrong := [score for score in scores if not _is_number(score)]:
            self.fault(f"a score must be a finite number. Got {value_repr(wrong[0])} instead.", *where)
        else:
            self.length |= {len(self.doc_id) + i: float(length) for i, length in lengths.items()}
            self.doc_id += ids
            self.score += scores
            return True
        return False


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and -_LARGEST <= value <= _LARGEST
