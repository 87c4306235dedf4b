"""The judgments and the runs of an inbox as those of ranked lists, on two levels, and as those of a stream of updates."""

from __future__ import annotations

from collections.abc import Collection, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irmx import Judgments, Table
from irmx.ragged import Bools, Floats, Ints, position_among, position_in_run, segment_of, short_repr
from irmx_stream.inbox.inbox_runs import InboxRun
from irmx_stream.inbox.inbox_tables import Inbox

if TYPE_CHECKING:
    import pyarrow as pa

LEVELS = ("documents", "questions", "updates")
"""What is ranked: the documents of a question on a day, the questions of a topic on a day, or all updates of a topic."""
MISSING = ("silent", "tied")
"""What a question is on a day on which a run lacks it: not returned, or returned after all others, tied."""
PROPOSED = ("keep", "drop")
"""Whether questions count that a run proposes."""
NUGGETS = ("document", "question")
"""What a reader of a stream can gain once: each relevant document, or each question with news on a day."""

_DAY = 86400.0


# -- judgments -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Level:
    """What is ranked in each unit of a level, and how much it is worth.

    ``names`` are the names of the units, such as ``T1/Q3/2021-08-01``, and ``topic`` the topic of each. ``unit`` is the unit of each
    judged row, ``judged`` its id and ``gain`` its gain.
    """

    names: pa.Array
    topic: Ints
    unit: Ints
    judged: pa.Array
    gain: Floats

    __repr__ = short_repr

    @property
    def table(self) -> Table:
        """The table of the judgments, which names every unit as a topic, also one in which nothing is judged."""
        cells = {"query_id": _dictionary(self.unit, self.names), "doc_id": self.judged, "relevance": _floats(self.gain)}
        return Table("qrels", cells, len(self.unit), topics=self.names.to_pylist())

    @cached_property
    def judgments(self) -> Judgments:
        """The judgments."""
        return Judgments.from_table(self.table)


def documents_of(inbox: Inbox) -> Level:
    """Return the documents of each question on each day."""
    return Level(_names(inbox, *inbox.units.T), inbox.units[:, 0], inbox.unit, inbox.doc_id, inbox.gain)


def questions_of(inbox: Inbox) -> Level:
    """Return the questions of each topic on each day; the gain of a question is the largest of its documents on that day."""
    first, day_of_unit = days_of_topics(inbox)
    topic, _, day = inbox.units[first].T
    judged, row = np.unique(inbox.unit, return_inverse=True)
    gain = np.full(len(judged), -np.inf)
    np.maximum.at(gain, row, inbox.gain)
    ids = as_texts(inbox.questions).take(_ints(inbox.units[judged, 1]))
    return Level(_names(inbox, topic, day=day), topic, day_of_unit[judged], ids, gain)


def days_of_topics(inbox: Inbox) -> tuple[Ints, Ints]:
    """Return the first unit of each topic on each day, and the number of topic and day of each unit."""
    topic, _, day = inbox.units.T
    _, first, number = np.unique(topic * len(inbox.days) + day, return_index=True, return_inverse=True)
    return first, number


def stream_of(inbox: Inbox, nugget: str = "document") -> pa.Table:
    """Return the judgments of a stream of updates, each a document of a question, with nuggets and the times of their days."""
    import pyarrow as pa
    import pyarrow.compute as pc

    silent = np.setdiff1d(inbox.units[:, 0], inbox.units[inbox.unit, 0])  # topics of which nothing is judged
    topic, question, day = (np.append(numbers, np.zeros_like(silent)) for numbers in inbox.units[inbox.unit].T)
    topic[len(inbox.unit) :] = silent
    questions, documents = (
        as_texts(inbox.questions).take(_ints(question)),
        pa.concat_arrays([inbox.doc_id, as_texts(["(nothing judged)"] * len(silent))]),
    )
    named = documents if nugget == "document" else _joined(questions, as_texts(inbox.days).take(_ints(day)))
    is_judged = pa.array(np.arange(len(topic)) < len(inbox.unit))
    seconds, length = _seconds(inbox.days), np.append(inbox.length, np.full(len(silent), np.nan))
    return pa.table(
        {
            "query_id": _dictionary(topic, as_texts(inbox.topics)),
            "doc_id": _joined(questions, documents),
            "iteration": pc.if_else(is_judged, named, pa.scalar("", pa.large_string())),
            "relevance": _floats(np.append(inbox.gain, np.zeros(len(silent)))),
            "timestamp": _floats(seconds[day]),
            "query_start": _floats(np.full(len(topic), seconds[0])),
            "query_end": _floats(np.full(len(topic), seconds[-1] + _DAY)),
            **({} if np.isnan(length).all() else {"length": _floats(length)}),
        }
    )


# -- runs ------------------------------------------------------------------------------------------------------------


def documents_shown(run: InboxRun, is_kept: Bools) -> pa.Table:
    """Return the documents of each question that is kept on each day as a run, whose topics are named as those of the judgments."""
    import pyarrow as pa

    kept, rows = np.flatnonzero(is_kept & (run.counts > 0)), np.repeat(is_kept, run.counts)
    units = _joined(*(as_texts(texts).take(_ints(kept)) for texts in (run.topic, run.question, run.day)))
    return pa.table(
        {
            "query_id": _dictionary(np.repeat(np.arange(len(kept)), run.counts[kept]), units),
            "doc_id": as_texts(run.doc_id).filter(pa.array(rows)),
            "score": _floats(run.score[rows]),
        }
    )


def questions_shown(run: InboxRun, is_kept: Bools, lacking_in: Inbox | None = None) -> pa.Table:
    """Return the questions of each topic on each day that are kept and have documents as a run.

    Given an inbox, those without documents are returned as well, and those that the run lacks, after all others and with the same rank.
    """
    import pyarrow as pa

    kept = np.flatnonzero(is_kept & ((run.counts > 0) | (lacking_in is not None)))
    units = _joined(*(as_texts(texts).take(_ints(kept)) for texts in (run.topic, run.day)))
    questions, rank = as_texts(run.question).take(_ints(kept)), run.rank[kept]
    if lacking_in is not None:
        topic, question, day = np.delete(lacking_in.units, numbered_in(lacking_in, run).of_units, axis=0).T
        units = pa.concat_arrays([units, _names(lacking_in, topic, day=day)])
        questions = pa.concat_arrays([questions, as_texts(lacking_in.questions).take(_ints(question))])
        rank = np.append(rank, np.full(len(topic), rank.max(initial=0) + 1))
    return pa.table({"query_id": units, "doc_id": questions, "score": _floats(-rank)})


def updates_shown(run: InboxRun, is_kept: Bools) -> pa.Table:
    """Return the run of a stream: documents of questions that are kept, at the times of their days, in the order of the inbox of each day."""
    import pyarrow as pa

    of = segment_of(run.offsets)
    (topic, topics), (day, days) = _coded(run.topic), _coded(run.day)
    questions, documents = as_texts(run.question), as_texts(run.doc_id)
    largest_first = (-_ranks(documents), -run.score, -_ranks(questions)[of], run.rank[of])
    order = np.lexsort((*largest_first, np.array(days, dtype="datetime64[D]")[day[of]], topic[of]))
    order = order[is_kept[of[order]]]
    of = of[order]
    return pa.table(
        {
            "query_id": _dictionary(topic[of], as_texts(topics)),
            "doc_id": _joined(questions.take(_ints(of)), documents.take(_ints(order))),
            "score": _floats(-1.0 - position_in_run(topic[of] * len(days) + day[of])),
            "timestamp": _floats(_seconds(days)[day[of]]),
            **({} if np.isnan(run.length).all() else {"length": _floats(run.length[order])}),
        }
    )


def text_of_days(days: Collection[tuple[str, str]], rows: int) -> pa.Array:
    """Return topics with days as one text, a line each, which the first of some rows has: in all, it would fill the memory."""
    topics, of_topics = zip(*sorted(days), strict=True) if days else ((), ())
    every = "\n".join(_joined(as_texts(topics), as_texts(of_topics)).to_pylist())
    return _dictionary((np.arange(rows) == 0).astype(np.int64), as_texts(["", every]))


class Numbered(NamedTuple):
    """The units in which a run shows questions, and the numbers of their topics and days; -1 where nothing was to be decided."""

    unit: Ints
    of_day: Ints

    @property
    def of_units(self) -> Ints:
        """The units in which it shows something."""
        return np.unique(self.unit[self.unit >= 0])


def numbered_in(inbox: Inbox, run: InboxRun) -> Numbered:
    """Return the numbers of the units of an inbox in which a run shows questions."""
    topic, question, day = (
        np.fromiter((numbers.get(text, -1) for text in texts), np.int64, len(texts))
        for numbers, texts in zip(inbox.numbers, (run.topic, run.question, run.day), strict=True)
    )
    first, _ = days_of_topics(inbox)
    of_topic, _, of_day = inbox.units[first].T
    on = np.where((topic < 0) | (day < 0), -1, topic * len(inbox.days) + day)
    return Numbered(
        position_among(inbox.keys, inbox.key(topic, question, day)),
        position_among(of_topic * len(inbox.days) + of_day, on),
    )


def kept_in(run: InboxRun, proposed: str, known: Set[tuple[str, str]] = frozenset()) -> Bools:
    """Return which of the questions that a run shows count."""
    return ~proposed_by(run, known) if proposed == "drop" else np.ones(len(run), dtype=bool)


def proposed_by(run: InboxRun, known: Set[tuple[str, str]] = frozenset()) -> Bools:
    """Return which of the questions that a run shows it proposes: their ids begin with its tag, with which no known one begins."""
    tells = run.tag != "" and not any(question.startswith(run.tag) for _, question in known)
    return np.array([tells and question.startswith(run.tag) for question in run.question], dtype=bool)


def days_with_equal_ranks(run: InboxRun, is_kept: Bools) -> int:
    """Return on how many days of topics some of the questions that are kept and have documents have equal ranks."""
    kept = np.flatnonzero(is_kept & (run.counts > 0))
    (topic, _), (day, days) = _coded(run.topic), _coded(run.day)
    on = (topic * len(days) + day)[kept]
    order = np.lexsort((run.rank[kept], on))
    on, rank = on[order], run.rank[kept][order]
    return len(np.unique(on[1:][(on[1:] == on[:-1]) & (rank[1:] == rank[:-1])]))


# -- columns ---------------------------------------------------------------------------------------------------------


def _names(inbox: Inbox, topic: Ints, question: Ints | None = None, day: Ints | None = None) -> pa.Array:
    """Return the names of units."""
    parts = [(inbox.topics, topic), (inbox.questions, question), (inbox.days, day)]
    return _joined(*(as_texts(names).take(_ints(numbers)) for names, numbers in parts if numbers is not None))


def _joined(*parts: pa.Array) -> pa.Array:
    """Return texts joined by slashes; those within all parts but the last are escaped, so that no two names are the same by chance."""
    import pyarrow as pa
    import pyarrow.compute as pc

    escaped = [pc.replace_substring(pc.replace_substring(part, "%", "%25"), "/", "%2F") for part in parts[:-1]]
    return pc.binary_join_element_wise(*escaped, parts[-1], pa.scalar("/", pa.large_string()))


def _dictionary(codes: Ints, texts: pa.Array) -> pa.Array:
    import pyarrow as pa

    return pa.DictionaryArray.from_arrays(_ints(codes), texts)


def as_texts(texts: Sequence[str]) -> pa.Array:
    import pyarrow as pa

    return pa.array(texts, pa.large_string())


def _ints(numbers: Ints) -> pa.Array:
    import pyarrow as pa

    return pa.array(np.ascontiguousarray(numbers, dtype=np.int64))


def _floats(numbers: Any) -> pa.Array:
    import pyarrow as pa

    return pa.array(np.ascontiguousarray(numbers, dtype=np.float64))


def _coded(texts: list[str]) -> tuple[Ints, list[str]]:
    """Return the number of each text, and the texts by number."""
    distinct = list(dict.fromkeys(texts))
    number = {text: i for i, text in enumerate(distinct)}
    return np.fromiter(map(number.__getitem__, texts), np.int64, len(texts)), distinct


def _ranks(texts: pa.Array) -> Ints:
    import pyarrow.compute as pc

    return np.asarray(pc.rank(texts, tiebreaker="dense").to_numpy().astype(np.int64))


def _seconds(days: Sequence[str]) -> Floats:
    """Return when days begin, in seconds since 1970."""
    return np.array(days, dtype="datetime64[s]").astype(np.float64)
