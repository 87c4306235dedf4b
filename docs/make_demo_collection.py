"""Writes the collection of ``irmx demo`` from a fixed seed and from text that was written for it.

Run from the top of the checkout: ``python docs/make_demo_collection.py``. A test holds its output to the files in the
package.

The town of Merrowick, its people and its events of 2023 are invented. ``demo_collection/topics.json`` holds 30 topics with
their subtopics, and a few sentences for each subtopic; ``demo_collection/town.json`` holds what fills them in, and the
sentences of everyday life. A document is made of sentences, so what it is relevant to is known: to a subtopic with two
of its sentences in the document with grade 2, with one of them with grade 1. The runs are rankings by ``bm25s``.
"""

from __future__ import annotations

import csv
import io
import json
import random
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import bm25s
import numpy as np

HERE = Path(__file__).resolve().parent
PACKAGE = HERE.parent / "src" / "irmx" / "demo"

DOCUMENTS, ROUNDUPS, REPRINTS = 300, 14, 12
FIRST, LAST = datetime(2023, 1, 1, tzinfo=timezone.utc), datetime(2024, 1, 31, tzinfo=timezone.utc)
PHASE, SPREAD = 9.0, 10.0
"""Days from one subtopic of a topic to the next, and the mean of what a document comes later."""
KEYWORDS = 0.6
"""The share of documents that end with keywords."""
DEPTH, POOL, HALF_LIFE = 60, 20, 90.0
"""Documents of a ranking, those of each that are judged, and the days after which `recent` halves a score."""


@dataclass
class Document:
    """A document, and the grades it has by construction, by topic and subtopic (both from 0)."""

    title: str
    text: str
    date: datetime
    vertical: str
    grades: dict[tuple[int, int], int] = field(default_factory=dict)
    doc_id: str = ""


def length(sentences: list[str]) -> int:
    """Return the number of words of sentences."""
    return sum(len(s.split()) for s in sentences)


class Town:
    """Writes documents about the topics."""

    def __init__(self, topics: list[dict[str, Any]], town: dict[str, Any], seed: int) -> None:
        self.topics, self.town, self.rng = topics, town, random.Random(seed)

    # -- words -------------------------------------------------------------------------------------------

    def filled(self, pattern: str) -> str:
        """Return a sentence with its places, people, days and numbers."""
        draw = {
            "place": lambda: self.rng.choice(self.town["places"]),
            "person": lambda: self.rng.choice(self.town["people"]),
            "day": lambda: self.rng.choice(self.town["days"]),
            "n": lambda: str(self.rng.randrange(3, 30)),
            "big": lambda: str(self.rng.randrange(11, 90) * 10),
        }
        sentence = re.sub(r"\{(\w+)\}", lambda slot: draw[slot[1]](), pattern)
        return sentence[:1].upper() + sentence[1:]

    def text(self, vertical: str, patterns: list[str], about: Iterable[int] = ()) -> str:
        """Return sentences behind the lead of a vertical, with asides where they are short or by chance."""
        lead = self.rng.choice(self.town["leads"][vertical])
        asides = self.rng.sample(self.town["asides"], 3)
        sentences = [self.filled(p) for p in [lead, *patterns] if p]
        while asides and (length(sentences) < 20 or (length(sentences) < 45 and self.rng.random() < 0.25)):
            sentences.append(self.filled(asides.pop()))
        if length(sentences) < 50 and self.rng.random() < KEYWORDS:
            sentences.append(f"Filed under {', '.join(self.keywords(about))}.")
        return " ".join(sentences)

    def keywords(self, about: Iterable[int]) -> list[str]:
        """Return words of queries: one of each topic that a document is about, and some of any topics."""
        own = [self.rng.choice(self.topics[t]["query"].split()) for t in about]
        other = [self.rng.choice(t["query"].split()) for t in self.rng.sample(self.topics, 3)]
        return sorted({*own, *other})

    # -- documents ---------------------------------------------------------------------------------------

    def vertical(self, topic: int) -> str:
        """Return a vertical; the more the topic is oriented towards it, the oftener."""
        orientation = {"web": 1.0, **self.topics[topic]["orientation"]}
        return self.rng.choices(list(orientation), list(orientation.values()))[0]

    def date(self, topic: int, subtopic: int) -> datetime:
        """Return a date some days after the subtopic came up."""
        start = datetime.fromisoformat(self.topics[topic]["start"] + "T06:00:00+00:00")
        days = int(PHASE * subtopic + self.rng.expovariate(1 / SPREAD))
        return start + timedelta(days=days, minutes=self.rng.randrange(900))

    def about(self, topic: int, subtopic: int) -> Document:
        """Return a document about a subtopic, which may touch another, or another topic of the same weeks."""
        vertical, date = self.vertical(topic), self.date(topic, subtopic)
        mine = self.topics[topic]["subtopics"][subtopic]
        patterns = self.rng.sample(mine["sentences"], 2 if self.rng.random() < 0.7 else 1)
        grades = {(topic, subtopic): len(patterns)}
        others = [(topic, s) for s in self.covered(topic) if s != subtopic]
        if self.rng.random() < 0.2:
            others = self.news_of(date, but=topic) or others
        if self.rng.random() < 0.5:
            other = self.rng.choice(others)
            patterns.append(self.sentence(other))
            grades[other] = 1
        title = self.filled(self.rng.choice(mine["titles"]))
        return Document(title, self.text(vertical, patterns, {t: 0 for t, _ in grades}), date, vertical, grades)

    def roundup(self) -> Document:
        """Return a document with a sentence each on three topics of the same weeks."""
        date = FIRST + timedelta(days=self.rng.randrange(60, 350), minutes=self.rng.randrange(360, 1200))
        chosen = dict(self.rng.sample(self.news_of(date), 3))
        parts = list(chosen.items())
        text = self.text("news", [self.sentence(p) for p in parts], chosen)
        return Document(self.rng.choice(self.town["roundups"]), text, date, "news", dict.fromkeys(parts, 1))

    def reprint(self, of: Document) -> Document:
        """Return a near-duplicate of a document, some days later: its words behind another lead."""
        date = of.date + timedelta(days=self.rng.randrange(1, 4))
        return Document(of.title, f"Printed again by request. {of.text}", date, "web", dict(of.grades))

    def everyday(self, what: dict[str, Any]) -> Document:
        """Return a document that is about no topic, though it has words of some."""
        date = FIRST + timedelta(days=self.rng.randrange(360), minutes=self.rng.randrange(360, 1200))
        vertical = self.rng.choice(["web", "web", "blog", "news"])
        return Document(what["title"], self.text(vertical, what["sentences"]), date, vertical)

    def covered(self, topic: int) -> list[int]:
        """Return the subtopics that documents are written about."""
        return [i for i, s in enumerate(self.topics[topic]["subtopics"]) if s["sentences"]]

    def sentence(self, at: tuple[int, int]) -> str:
        """Return a sentence of a subtopic."""
        return str(self.rng.choice(self.topics[at[0]]["subtopics"][at[1]]["sentences"]))

    def news_of(self, date: datetime, but: int = -1) -> list[tuple[int, int]]:
        """Return the subtopics of topics that began in the ten weeks before a date."""
        start = [datetime.fromisoformat(t["start"] + "T00:00:00+00:00") for t in self.topics]
        recent = [i for i, s in enumerate(start) if i != but and timedelta(0) <= date - s < timedelta(weeks=10)]
        return [(i, s) for i in recent for s in self.covered(i)]

    def documents(self) -> list[Document]:
        """Return all documents by date, with their ids."""
        subtopics = [(t, s) for t in range(len(self.topics)) for s in self.covered(t)]
        rest = DOCUMENTS - len(subtopics) - ROUNDUPS - REPRINTS - len(self.town["everyday"])
        out = [self.about(*at) for at in [*subtopics, *self.rng.choices(subtopics, k=rest)]]
        out += [self.reprint(d) for d in self.rng.sample(out, REPRINTS)]
        out += [self.roundup() for _ in range(ROUNDUPS)]
        out += [self.everyday(what) for what in self.town["everyday"]]
        out.sort(key=lambda d: (d.date, d.title, d.text))
        for number, document in enumerate(out, start=1):
            document.doc_id = f"d{number:03d}"
        return out


# -- rankings ----------------------------------------------------------------------------------------------


def scores(texts: list[str], queries: list[str]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the BM25 score of every text for every query."""
    index = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
    index.index(bm25s.tokenize(texts, stopwords="en", show_progress=False), show_progress=False)
    tokens = bm25s.tokenize(queries, stopwords="en", return_ids=False, show_progress=False)
    return np.array([index.get_scores(words) for words in tokens], dtype=float)


def rankings(documents: list[Document], queries: list[str]) -> dict[str, list[list[tuple[str, float]]]]:
    """Return for every system and topic the documents with their scores, best first."""
    bm25 = scores([f"{d.title} {d.text}" for d in documents], queries)
    age = np.array([(LAST - d.date) / timedelta(days=1) for d in documents])
    systems = {
        "bm25": bm25,
        "titles": scores([d.title for d in documents], queries),
        "recent": bm25 * 0.5 ** (age / HALF_LIFE),
    }
    ids = [d.doc_id for d in documents]

    def best(row: np.ndarray[Any, np.dtype[np.float64]]) -> list[tuple[str, float]]:
        found = [(doc, round(score, 3)) for doc, score in zip(ids, row.tolist(), strict=True) if round(score, 3) > 0]
        return sorted(found, key=lambda pair: (pair[1], pair[0]), reverse=True)[:DEPTH]

    return {name: [best(row) for row in score] for name, score in systems.items()}


# -- files -------------------------------------------------------------------------------------------------


def judgments(topics: list[dict[str, Any]], documents: list[Document], pools: list[set[str]]) -> list[dict[str, Any]]:
    """Return a row per judged document and subtopic, then those of subtopics and verticals without documents."""
    rows = []
    for t, (topic, pool) in enumerate(zip(topics, pools, strict=True)):
        orientation = {"web": 0.5, **topic["orientation"]}
        judged = [d for d in documents if d.doc_id in pool or any(about == t for about, _ in d.grades)]
        for d in judged:
            shared = {"query_id": t + 1, "doc_id": d.doc_id, "timestamp": int(d.date.timestamp())}
            shared |= {"vertical": d.vertical, "orientation": orientation[d.vertical]}
            for s in range(len(topic["subtopics"])):
                rows.append({**shared, "relevance": d.grades.get((t, s), 0), "iteration": s + 1})
        unheard = [(s, "web") for s, sub in enumerate(topic["subtopics"], start=1) if not sub["sentences"]]
        unseen = [(1, v) for v in orientation if v not in {d.vertical for d in judged}]
        for s, v in unheard + unseen:
            declared = {"query_id": t + 1, "doc_id": "", "relevance": 0, "iteration": s}
            rows.append({**declared, "vertical": v, "orientation": orientation[v]})
    return rows


def qrels(rows: list[dict[str, Any]]) -> str:
    """Return the largest grade of every document as a file of qrels."""
    grade: dict[tuple[int, str], int] = {}
    for row in rows:
        if row["doc_id"]:
            key = (row["query_id"], row["doc_id"])
            grade[key] = max(grade.get(key, 0), row["relevance"])
    return "".join(f"{topic} 0 {doc} {value}\n" for (topic, doc), value in grade.items())


def files(seed: int = 2026) -> dict[str, str]:
    """Return the text of every file by name."""
    topics = json.loads((HERE / "demo_collection" / "topics.json").read_text(encoding="utf-8"))
    town = json.loads((HERE / "demo_collection" / "town.json").read_text(encoding="utf-8"))
    documents = Town(topics, town, seed).documents()
    runs = rankings(documents, [t["query"] for t in topics])
    pools = [{doc for r in runs.values() for doc, _ in r[t][:POOL]} for t in range(len(topics))]
    rows = judgments(topics, documents, pools)
    out = {
        "documents.jsonl": lines(
            {"doc_id": d.doc_id, "title": d.title, "text": d.text, "date": d.date.isoformat(), "vertical": d.vertical}
            for d in documents
        ),
        "topics.jsonl": lines(
            {
                "query_id": str(number),
                "query": t["query"],
                "description": t["description"],
                "subtopics": {str(s): sub["words"] for s, sub in enumerate(t["subtopics"], start=1)},
                "orientation": {"web": 0.5, **t["orientation"]},
            }
            for number, t in enumerate(topics, start=1)
        ),
        "demo.qrels": qrels(rows),
        "judgments.csv": table(rows),
        "document_columns.csv": document_columns(documents),
    }
    for name, ranked in runs.items():
        out[f"{name}.run"] = "".join(
            f"{t} Q0 {doc} {rank} {score:.3f} {name}\n"
            for t, found in enumerate(ranked, start=1)
            for rank, (doc, score) in enumerate(found, start=1)
        )
    return out


def lines(records: Any) -> str:
    """Return records as JSON lines."""
    return "".join(json.dumps(record) + "\n" for record in records)


def document_columns(documents: list[Document]) -> str:
    """Return what measures may read of every document; the header says the units."""
    rows = (f"{d.doc_id},{int(d.date.timestamp())},{d.vertical},{len(d.text.split())}\n" for d in documents)
    return "doc_id,timestamp (s since 1970),vertical,length (words)\n" + "".join(rows)


def table(rows: list[dict[str, Any]]) -> str:
    """Return rows as a table with a header."""
    out = io.StringIO()
    names = ("query_id", "doc_id", "relevance", "iteration", "timestamp", "vertical", "orientation")
    writer = csv.DictWriter(out, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


if __name__ == "__main__":
    for name, text in files().items():
        (PACKAGE / name).write_text(text, encoding="utf-8")
        print(f"{name}: {len(text.splitlines())} lines, {len(text):,} bytes")
