"""The labels of judges: qrels by name, their repeats, the grades mapped to another scale, and all of them side by side."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from irmx import DataError, DataWarning, UsageError, read_qrels
from irmx.toolkit import plural, suggest
from irmx_study.inputs.choices import is_number, is_path
from irmx_study.inputs.views import repeated

if TYPE_CHECKING:
    import pandas as pd


MOST_GRADES = 1000
"""More different grades are no scale; counts of pairs of them would take gigabytes."""

_PACKED = (".gz", ".bz2", ".xz", ".zst")


@dataclass(frozen=True, eq=False)
class Judge:
    """The labels of a judge.

    Attributes
    ----------
    name : str
        The name.
    judgments : any
        What to score runs with: the grades of the first pass.
    passes : DataFrame
        One row per judged document, by query_id and doc_id, and one column per pass; NaN if a pass lacks the document.
    rel : float
        From which grade on a document is relevant.
    unjudged : int
        How many rows have a negative grade, which stands for not judged.
    """

    name: str
    judgments: Any
    passes: pd.DataFrame
    rel: float
    unjudged: int

    @property
    def grades(self) -> list[float]:
        """The grades of the first pass, each once, in ascending order."""
        return sorted(self.passes[0].dropna().unique().tolist())


def judge_name(path: str) -> str:
    """Return the name of a judge whose qrels are a file: that of the file, without endings.

    >>> judge_name("qrels/gpt4.umbrela.qrels.xz"), judge_name("trec:human.txt")
    ('gpt4.umbrela', 'human')
    """
    name = os.path.basename(path).rpartition(":")[2]
    stem, ending = os.path.splitext(name)
    return os.path.splitext(stem)[0] if ending in _PACKED else stem


def refuse_unnamed(what: str, names: Iterable[str]) -> None:
    """Raise if a name is empty, which is what views have that are of no judge or collection but the main one."""
    if any(not name.strip() for name in names):
        raise UsageError(f"A {what} has an empty name. Give every {what} a name.")


def read_judges(
    qrels: Any, rel: float | Mapping[str, float] = 1, grades: Mapping[str, Any] | None = None
) -> list[Judge]:
    """Return the judges of qrels by name, or of files."""
    if not isinstance(qrels, Mapping):
        paths = [qrels] if is_path(qrels) else list(qrels)
        wrong = next((one for one in paths if not is_path(one)), None)
        if wrong is not None:
            raise UsageError(
                f"Judges are a mapping of names to qrels, or files. Got {type(wrong).__name__} among them."
            )
        names = [judge_name(os.fspath(path)) for path in paths]
        if (twice := repeated(names)) is not None:
            raise UsageError(f"Two judges have the name {twice!r}. Give names, as in NAME=FILE.")
        qrels = dict(zip(names, paths, strict=True))
    by_name = {str(name): source for name, source in qrels.items()}
    refuse_unnamed("judge", by_name)
    of_grades = [
        isinstance(of, Mapping) and of and not any(isinstance(g, Mapping) for g in of.values()) for of in qrels.values()
    ]
    if not by_name or all(of_grades):
        raise UsageError(
            f"Judges are a mapping of names to qrels. Got {'the qrels of one judge' if by_name else 'none'}."
        )
    grades = grades or {}
    if grades and not any(isinstance(of, Mapping) for of in grades.values()):
        grades = dict.fromkeys(by_name, grades)
    rel = rel if isinstance(rel, Mapping) else dict.fromkeys(by_name, rel)
    for what, named in (("rel", rel), ("grades", grades)):
        for name in named:
            if name not in by_name:
                raise UsageError(
                    f"{what} names the judge {name!r}, which is none.{suggest(name, by_name)} The judges: {', '.join(by_name)}."
                )
    rels = {name: _number(rel.get(name, 1), "rel") for name in by_name}
    mapped = {
        name: {
            old if isinstance(old, str) else _number(old, "grades"): _number(new, "grades") for old, new in of.items()
        }
        for name, of in grades.items()
    }
    return [_read(name, source, rels[name], mapped.get(name)) for name, source in by_name.items()]


def _number(value: Any, name: str) -> float:
    """Return a grade, which is a number and not negative, because a negative grade is unjudged."""
    if not is_number(value) or not 0 <= value < np.inf:
        raise UsageError(f"{name} takes grades, numbers of at least 0. Got {value!r} instead.")
    return float(value)


def _read(name: str, source: Any, rel: float, mapped: Mapping[Any, float] | None) -> Judge:
    import pandas as pd

    with warnings.catch_warnings():
        # several passes over the same documents, which no other reader of qrels allows
        warnings.filterwarnings("ignore", ".*contradict each other", DataWarning)
        try:
            judgments = read_qrels(source, grades=mapped)
        except DataError as error:
            raise error if error.place else error.at(f"The judge {name}") from None
    topic, row, doc = judgments.rows_in_order()
    grade, labels = judgments.row_grade[row], judgments.labels("iteration")
    frame = pd.DataFrame({"topic": topic, "doc": doc, "grade": grade, "label": 0 if labels is None else labels[0][row]})
    frame = frame[frame["doc"] >= 0]
    if (frame.groupby("doc", sort=False)["label"].nunique() > 1).any():
        raise DataError(
            f"The qrels of {name} judge documents by subtopic, or in several iterations. Judges are compared by one grade per "
            "document and pass: give qrels without subtopics."
        )
    frame["pass"] = frame.groupby("doc", sort=False).cumcount()
    is_judged = frame["grade"] >= 0
    if not is_judged.any():
        raise DataError(f"The qrels of {name} judge no document.")
    if (number := frame["grade"][is_judged].nunique()) > MOST_GRADES:
        raise DataError(
            f"The judge {name} gives {number:,} different grades. Agreement is of grades on a scale of at most {MOST_GRADES:,}: round them."
        )
    topics, docs = np.array([*map(str, judgments.topics)], dtype=object), np.array(judgments.docs, dtype=object)
    frame["query_id"], frame["doc_id"] = topics[frame["topic"]], docs[frame["doc"]]
    if frame["pass"].any():
        first = frame[frame["pass"] == 0].groupby("query_id", sort=False)
        judgments = read_qrels({topic: dict(zip(of["doc_id"], of["grade"], strict=True)) for topic, of in first})
    passes = frame[is_judged].set_index(["query_id", "doc_id", "pass"])["grade"].unstack(sort=False)
    passes = passes.reindex(columns=range(int(frame["pass"].max()) + 1))
    return Judge(name, judgments, passes, rel, int((~is_judged).sum()))


def side_by_side(judges: Iterable[Judge]) -> pd.DataFrame:
    """Return the grades of the first pass: one row per document that somebody judged, one column per judge."""
    import pandas as pd

    return pd.concat([judge.passes[0].rename(judge.name) for judge in judges], axis=1, sort=False)


def notes_on_labels(judges: list[Judge]) -> list[str]:
    """Return what a reader must know about the labels of judges."""
    notes = []
    for judge in judges:
        if judge.unjudged:
            notes.append(f"{judge.name}: {plural(judge.unjudged, 'row')} with a negative grade, which is not judged")
        if len(judge.passes.columns) > 1:
            number = len(judge.passes.columns)
            notes.append(f"{judge.name} judged {number} times; beside others its first pass counts (--table repeats)")
    fractional = [judge.name for judge in judges if any(grade % 1 for grade in judge.grades)]
    if fractional:
        notes.append(
            f"no kappa, AC1 or AC2 with {', '.join(fractional)}, whose grades are fractional; kappa of relevant or not, and alpha, are there"
        )
    whole = [judge for judge in judges if judge.name not in fractional]
    scales: dict[str, list[str]] = {}
    for judge in whole:
        scales.setdefault(" ".join(f"{grade:g}" for grade in judge.grades), []).append(judge.name)
    if len(scales) > 1:
        used = "; ".join(f"{grades} ({', '.join(names)})" for grades, names in scales.items())
        notes.append(
            f"judges use other grades: {used}. If their scales differ, map them (--grades), or read kappa_binary"
        )
    return notes
