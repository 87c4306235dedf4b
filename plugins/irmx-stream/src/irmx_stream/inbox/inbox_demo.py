"""A small inbox, written from a fixed seed: 12 topics, 30 questions, 14 days, and three systems that answer differently often."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from irmx import UsageError

SEED = 20210801
FIRST, DAYS, TOPICS, QUESTIONS, DOCUMENTS = date(2021, 8, 1), 14, 12, 30, 24
"""The first day, and the numbers of days, topics, questions, and documents of a day."""
NEWS, MORE = 0.18, 0.5
"""The probability that a question has news on a day, and that it has one more document."""
GAINS, WEIGHTS = (1, 5, 10), (5, 3, 2)


@dataclass(frozen=True)
class System:
    """A made-up system: how often it sees news, how often it shows a question without, and how many documents without a gain."""

    sees: float
    errs: float
    others: tuple[int, int]


SYSTEMS = {
    "quiet": System(sees=0.55, errs=0.02, others=(0, 0)),
    "complete": System(sees=0.9, errs=0.15, others=(0, 3)),
    "noisy": System(sees=0.95, errs=0.75, others=(3, 9)),
}


def write_inbox(folder: Path) -> list[str]:
    """Write a small inbox that was made up for irmx to a new folder, as ``irmx inbox demo`` does.

    Parameters
    ----------
    folder : Path
        A folder that does not exist yet, or is empty.

    Returns
    -------
    list of str
        The names of the files: topics, universe, judgments, days of documents, and the runs of a quiet, a complete and a noisy system.

    Raises
    ------
    irmx.UsageError
        If there is such a folder, or file, already.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from irmx_stream import write_inbox
    >>> write_inbox(Path(tempfile.mkdtemp()) / "inbox")[:3]
    ['topics.jsonl', 'universe.tsv', 'judgments.tsv']
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} exists, and is not an empty folder. Name another.")
    files = _files()
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return list(files)


def _files() -> dict[str, str]:
    """Return the content of each file."""
    draw = random.Random(SEED)
    days = [(FIRST + timedelta(days=i)).isoformat() for i in range(DAYS)]
    documents = {day: [f"{day[5:]}-{i:02}" for i in range(1, DOCUMENTS + 1)] for day in days}
    length = {doc_id: draw.randrange(80, 600) for of_day in documents.values() for doc_id in of_day}
    topics = [f"T{i:02}" for i in range(1, TOPICS + 1)]
    questions = [(topics[i % TOPICS], f"{topics[i % TOPICS]}-Q{i // TOPICS + 1}") for i in range(QUESTIONS)]
    units = [(topic, question, day) for topic, question in sorted(questions) for day in days]
    right = {unit: _news(draw, documents[unit[2]]) for unit in units}
    judged = [
        (*unit, doc_id, str(gain), str(length[doc_id]))
        for unit, found in right.items()
        for doc_id, gain in found.items()
    ]
    files = {
        "topics.jsonl": _lines(
            {
                "tid": topic,
                "label": f"Topic {topic}",
                "questions": [{"qid": q} for t, q in sorted(questions) if t == topic],
            }
            for topic in topics
        ),
        "universe.tsv": _table([("topic", "question", "day"), *units]),
        "judgments.tsv": _table([("topic", "question", "day", "document", "gain", "length"), *judged]),
        "days.tsv": _table([("document", "day"), *((one, day) for day in days for one in documents[day])]),
    }
    for name, system in SYSTEMS.items():
        files[f"runs/{name}.jsonl"] = _run(name, system, topics, units, right, documents, length)
    return files


def _news(draw: random.Random, documents: list[str]) -> dict[str, int]:
    """Return the documents of a question on a day, and their gains: none on most days, and else also one without a gain."""
    if draw.random() >= NEWS:
        return {}
    count = 1
    while draw.random() < MORE and count < 5:
        count += 1
    chosen = draw.sample(documents, count + 1)
    return {doc_id: draw.choices(GAINS, WEIGHTS)[0] for doc_id in chosen[:count]} | {chosen[-1]: 0}


def _run(
    name: str,
    system: System,
    topics: list[str],
    units: list[tuple[str, str, str]],
    right: dict[tuple[str, str, str], dict[str, int]],
    documents: dict[str, list[str]],
    length: dict[str, int],
) -> str:
    """Return the run of a system."""
    draw = random.Random(f"{SEED} {name}")
    shown: dict[str, dict[str, list[tuple[float, str, dict[str, float]]]]] = {topic: {} for topic in topics}
    for topic, question, day in units:
        relevant = {doc_id: gain for doc_id, gain in right[topic, question, day].items() if gain}
        of_day = shown[topic].setdefault(day, [])
        if draw.random() >= (system.sees if relevant else system.errs):
            continue
        scores = {doc_id: draw.gauss(1 + gain / 5, 1) for doc_id, gain in relevant.items()}
        others = max(draw.randint(*system.others), 0 if relevant else 1)
        scores |= {doc_id: draw.gauss(0, 1) for doc_id in draw.sample(documents[day], others) if doc_id not in scores}
        of_day.append((max(scores.values()), question, scores))
    lines: list[dict[str, object]] = [{"runtag": name}]
    for topic, by_day in shown.items():
        results = {day: _of_day(of_day, length) for day, of_day in by_day.items()}
        lines.append({"topic": topic, "results": results})
    return _lines(lines)


def _of_day(of_day: list[tuple[float, str, dict[str, float]]], length: dict[str, int]) -> list[dict[str, object]]:
    """Return the questions of a day as the track's files have them, the surest first."""
    return [
        {
            "qid": question,
            "question-rank": rank,
            "doc-ranking": [
                {"doc_id": doc_id, "score": round(score, 4), "length": length[doc_id]}
                for doc_id, score in scores.items()
            ],
        }
        for rank, (_, question, scores) in enumerate(sorted(of_day, reverse=True, key=lambda one: one[:2]))
    ]


def _lines(records: object) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)  # type: ignore[attr-defined]


def _table(rows: list[tuple[str, ...]]) -> str:
    return "".join("\t".join(row) + "\n" for row in rows)
