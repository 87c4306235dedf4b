"""Official numbers of answers beside what a person gains who reads them from the first word, on answers made up for irmx.

Writes the page ``answers.md`` beside this file: six topics with nuggets, and five systems that differ in one habit each.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import NamedTuple

import pandas as pd
from markdown_pages import markdown, write_section

import irmx

PAGE = Path(__file__).with_name("answers.md")
TOPICS, NUGGETS, VITAL, PATIENCE = 6, 6, 2, 250
"""Of each topic the first nuggets are vital; a reader has left after so many words."""
MEASURES = {
    "V strict": "NuggetRecall(strict=True)",
    "A": "NuggetRecall(of='all')",
    "W": "NuggetRecall(of='weighted')",
    "support precision": "SupportPrecision",
    "support recall": "SupportRecall",
    "I-rec": "I_rec",
    "S": f"SMeasure(L={PATIENCE})",
    "S#": f"SSharp(L={PATIENCE})",
}


class Sentence(NamedTuple):
    """A sentence of an answer: its words, the nuggets that it has, and how far what it cites supports it; None without a citation."""

    words: int
    nuggets: tuple[int, ...]
    support: float | None


def answers_of(draw: random.Random) -> dict[str, list[Sentence]]:
    """Return the answers of five systems to a topic."""

    def saying(*nuggets: int, support: float | None = 1.0) -> Sentence:
        return Sentence(draw.randint(14, 22), nuggets, support)

    def filler() -> Sentence:
        return Sentence(draw.randint(18, 30), (), None)

    vital, others = list(range(VITAL)), list(range(VITAL, NUGGETS))
    complete = [saying(n) for n in (*vital, *others)]
    return {
        "short and right": [saying(n) for n in vital],
        "long and complete": [one for said in complete for one in (said, filler())],
        "right at the end": [*(filler() for _ in range(6)), *(saying(n) for n in (*vital, others[0]))],
        "unsupported": [saying(n, support=draw.choice([0.0, 0.0, 0.5])) for n in (*vital, *others[:2])],
        "repeating": [saying(n) for _ in range(3) for n in vital],
    }


def tables() -> tuple[pd.DataFrame, dict[str, pd.DataFrame], pd.DataFrame, dict[str, pd.DataFrame]]:
    """Return judged sentences and answers as sentences, nuggets and answers as nuggets."""
    draw = random.Random(66)
    judged, nuggets = [], []
    sentences: dict[str, list[tuple[object, ...]]] = {}
    assigned: dict[str, list[tuple[object, ...]]] = {}
    for topic in map(str, range(TOPICS)):
        importance = {n: 1.0 if n < VITAL else 0.5 for n in range(NUGGETS)}
        words = {n: draw.randint(5, 10) for n in range(NUGGETS)}
        nuggets += [(topic, f"nugget {n}", 1, importance[n]) for n in range(NUGGETS)]
        for system, answer in answers_of(draw).items():
            for place, sentence in enumerate(answer):
                name = f"{system}:{topic}:{place}"
                sentences.setdefault(system, []).append(
                    (topic, name, -place, sentence.words, int(sentence.support is not None))
                )
                judged += [
                    (topic, name, 1, f"nugget {n}", importance[n], words[n], sentence.support) for n in sentence.nuggets
                ]
            has = dict.fromkeys(n for sentence in answer for n in sentence.nuggets)
            assigned.setdefault(system, []).extend((topic, f"nugget {n}", -n, 1.0) for n in has)
    columns = ["query_id", "doc_id", "relevance", "iteration", "nugget_importance", "nugget_length", "support"]
    return (
        pd.DataFrame(judged, columns=columns),
        {
            s: pd.DataFrame(rows, columns=["query_id", "doc_id", "score", "length", "citations"])
            for s, rows in sentences.items()
        },
        pd.DataFrame(nuggets, columns=["query_id", "doc_id", "relevance", "nugget_importance"]),
        {s: pd.DataFrame(rows, columns=["query_id", "doc_id", "score", "assignment"]) for s, rows in assigned.items()},
    )


TEXT = """\
By the share of vital nuggets all five systems are alike. The person who reads sees what the judges do not: that the point comes first,
comes after six sentences of nothing, or comes three times.

{table}

The answers were made up for irmx: {topics} topics with {nuggets} nuggets, {vital} of them vital. "Short and right" says the vital nuggets; "long and complete" says
all, with a sentence of nothing after each; "right at the end" begins with six of these; "unsupported" cites what does not support it;
"repeating" says the vital nuggets three times. V, A and W are [nugget recall](../guide/answers.md), S and S# are of a reader who has left after {patience}
words.

Made by `python docs/results/answers_readers.py`.
"""


def main() -> None:
    """Write the page."""
    judged, sentences, nuggets, assigned = tables()
    of_nuggets = [text for text in MEASURES.values() if text.startswith("NuggetRecall")]
    others = [text for text in MEASURES.values() if text not in of_nuggets]
    by_judges = irmx.scores(of_nuggets, nuggets, assigned).means()
    by_readers = irmx.scores(others, judged, sentences).means()
    both = pd.concat([by_judges, by_readers], axis=1)
    rows = [[system, *(f"{value:.3f}" for value in both.loc[system])] for system in sentences]
    text = TEXT.format(
        table=markdown(["system", *MEASURES], rows), topics=TOPICS, nuggets=NUGGETS, vital=VITAL, patience=PATIENCE
    )
    write_section(PAGE, "Official numbers beside those of a reader", text)


if __name__ == "__main__":
    main()
