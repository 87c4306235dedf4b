"""What is wrong with a run of an inbox: documents of other days, unknown questions, and what the guidelines do not allow."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from irmx import DataWarning
from irmx.ragged import Ints, segment_of
from irmx.toolkit import content_of, list_some, plural, suggest, visible
from irmx_stream.inbox.inbox_levels import as_texts, days_with_equal_ranks, proposed_by
from irmx_stream.inbox.inbox_runs import MOST_DOCUMENTS, Faults, InboxRun, parsed, place
from irmx_stream.inbox.inbox_tables import Inbox, column, days_of, read_columns, topics_file

if TYPE_CHECKING:
    import pyarrow as pa


def checked(path: str | os.PathLike[str], topics: Any = None, days: Any = None) -> tuple[list[dict[str, Any]], Faults]:
    """Return what a run holds, as rows, and what is wrong with it by the guidelines, by topics and by the days of documents."""
    run, faults = parsed(str(path), content_of(Path(path), "run"))
    if not run.tag:
        faults.append(f"{place(run.name, 1)}: the first line must have the runtag.")
    for shown in np.flatnonzero(run.counts > MOST_DOCUMENTS).tolist():
        faults.append(f"{run.place(shown)}: {run.counts[shown]} documents, where {MOST_DOCUMENTS} are allowed.")
    if not run.days:
        faults.append(f"{run.name}: there is no line for any topic.")
    known = set[tuple[str, str]]()
    if topics is not None:
        known = known_questions(topics)
        faults += _by_topics(run, known)
    if days is not None:
        documents, day_of_document, names = days_of(days)
        faults += other_days(run, documents, day_of_document, names, are_all=True)
        faults += _by_days(run, names)
    return _rows(run, known), faults


def known_questions(topics: Any) -> set[tuple[str, str]]:
    """Return the topic and the id of each question of a file of topics, or of a table."""
    questions = topics_file(topics) if isinstance(topics, (str, os.PathLike)) else None
    if questions is not None:
        return {(topic, question) for topic, of_topic in questions.items() for question in of_topic}
    table = read_columns(topics, "table of topics", ("topic", "question"))
    names = [[of.texts[i] for i in of.code.tolist()] for of in (column(table, "topic"), column(table, "question"))]
    return set(zip(*names, strict=True))


def _by_topics(run: InboxRun, known: set[tuple[str, str]]) -> Faults:
    """Return a fault for each topic and each question that is unknown, and for each topic that the run lacks."""
    topics = dict.fromkeys(topic for topic, _ in sorted(known))
    named = {topic for topic, _ in run.days}
    lacking = [
        f"{run.name}: there is no line for the topic {visible(topic)}." for topic in topics if topic not in named
    ]
    return Faults([*unknown_topics(run, set(topics)), *unknown_questions(run, known), *lacking])


def _by_days(run: InboxRun, days: Sequence[str]) -> Faults:
    """Return a fault for each day without documents, and for each topic that lacks a day, which does not say that it is silent then."""
    other = sorted({day for _, day in run.days} - set(days))
    faults = Faults(f"{run.name}: there are no documents of the day {visible(day)}." for day in other)
    for topic in sorted({topic for topic, _ in run.days}):
        if lacking := [day for day in days if (topic, day) not in run.days]:
            faults.append(
                f"{run.name}, topic {visible(topic)}: {plural(len(lacking), 'day')} of {len(days)} are not named, such as "
                f"{min(lacking)}. Name each, with an empty list where nothing is news."
            )
    return faults


def unknown_topics(run: InboxRun, known: set[str]) -> Faults:
    """Return a fault for each topic that is unknown, where it first stands if it has questions."""
    unknown = {topic for topic, _ in run.days} - known
    first = {topic: run.place(shown) for shown, topic in reversed(list(enumerate(run.topic))) if topic in unknown}
    return Faults(
        f"{first.get(topic) or f'{run.name}, topic {visible(topic)}'}: there is no such topic."
        for topic in sorted(unknown)
    )


def _rows(run: InboxRun, known: set[tuple[str, str]]) -> list[dict[str, Any]]:
    days = sorted({day for _, day in run.days})
    fires = {(topic, day) for topic, day, count in zip(run.topic, run.day, run.counts.tolist(), strict=True) if count}
    counts = {
        "run": run.tag,
        "topics": len({topic for topic, _ in run.days}),
        "first day": days[0] if days else "",
        "last day": days[-1] if days else "",
        "days of topics": len(run.days),
        "days of topics without documents": len(run.days - fires),
        "days of topics with equal ranks of questions": days_with_equal_ranks(run, np.ones(len(run), dtype=bool)),
        "questions shown": len(run),
        "questions proposed": len(
            {q for q, is_proposed in zip(run.question, proposed_by(run, known), strict=True) if is_proposed}
        ),
        "documents": len(run.doc_id),
    }
    return [{"what": what, "value": value} for what, value in counts.items()]


def refuse_other_days_and_questions(inbox: Inbox, run: InboxRun) -> None:
    """Raise for a document on another day than its own, and, where a universe names all questions, for an unknown one.

    Without a universe raise if no question that the run shows is in the judgments, and warn of those that are not.
    """
    faults = other_days(run, inbox.documents, inbox.day_of_document, inbox.days)
    if inbox.is_closed:
        known = np.unique(inbox.units[:, :2], axis=0).tolist()
        faults += unknown_topics(run, set(inbox.topics))
        faults += unknown_questions(run, {(inbox.topics[t], inbox.questions[q]) for t, q in known})
    else:
        counts = (run.counts > 0) & ~proposed_by(run, inbox.known)
        shown = {(run.topic[i], run.question[i]) for i in np.flatnonzero(counts).tolist()}
        if other := sorted(shown - inbox.known):
            said = f"{len(other)} of {plural(len(shown), 'question')} that it shows are not in the judgments"
            said = f"{run.name}: {said}, such as {visible('/'.join(other[0]))}."
            if len(other) == len(shown):
                faults.append(f"{said} Those have {list_some(map('/'.join, sorted(inbox.known)))}.")
            else:
                warnings.warn(said, DataWarning, stacklevel=3)
    faults.raise_first(run.name)


def unknown_questions(run: InboxRun, known: set[tuple[str, str]]) -> Faults:
    """Return a fault for each question of known topics that is neither known nor proposed, where it first stands."""
    topics = {topic for topic, _ in known}
    found = dict[tuple[str, str], int]()
    for shown, (pair, is_proposed) in enumerate(
        zip(zip(run.topic, run.question, strict=True), proposed_by(run, known).tolist(), strict=True)
    ):
        if not is_proposed and pair[0] in topics and pair not in known:
            found.setdefault(pair, shown)
    return Faults(
        f"{run.place(shown)}: the topic has no such question, and the id of one that the run proposes begins with its tag, {run.tag!r}, with which no known one may begin."
        f"{suggest(question, [name for of, name in known if of == topic])}"
        for (topic, question), shown in found.items()
    )


def other_days(
    run: InboxRun, documents: pa.Array, day_of_document: Ints, days: Sequence[str], are_all: bool = False
) -> Faults:
    """Return a fault for each document that is shown on another day than its own; and if the documents are all, for an unknown one."""
    import pyarrow.compute as pc

    at = pc.fill_null(pc.index_in(as_texts(run.doc_id), value_set=documents), -1).to_numpy()
    of_document, shown = np.append(day_of_document, -1)[at], segment_of(run.offsets)
    number = {text: i for i, text in enumerate(days)}
    on = np.fromiter((number.get(text, -1) for text in run.day), np.int64, len(run))[shown]
    wrong = ((of_document >= 0) & (of_document != on)) | ((at < 0) & are_all)
    return Faults(
        f"{run.place(int(shown[row]))}: the document {visible(run.doc_id[row])} is of "
        f"{f'another day, {days[of_document[row]]}' if at[row] >= 0 else 'no day'}."
        for row in np.flatnonzero(wrong).tolist()
    )
