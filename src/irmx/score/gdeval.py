"""Checks of the input of gdeval, the script of the TREC Web track that computes some measures of ir_measures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import ir_measures
import numpy as np

from irmx.data.judgments import Judgments
from irmx.errors import DataError

NAME = "gdeval"
LARGEST_GRADE = 4
_NUMBER = re.compile(r"[0-9]{1,19}")  # which perl compares as 64-bit integers, and more digits as floats
_WORD = re.compile(r"\S+", re.ASCII)


def refuse_qrels(measures: list[ir_measures.Measure], judgments: Judgments) -> None:
    """Raise if qrels contain something that gdeval does not read, or misreads.

    It reads only the part after the hyphen of a topic such as ``301-2``, and does not distinguish ``7`` and ``07``.
    """
    where = f"the qrels {judgments.origin.source}".rstrip()
    seen: dict[int, str] = {}
    for topic in judgments.index:
        if not _NUMBER.fullmatch(topic):
            raise _error(
                measures,
                f"topics that are whole numbers, in at most 19 digits. Found the topic {topic!r} in {where}",
                "Number the topics, in the qrels and in the run",
            )
        if (same := seen.setdefault(int(topic), topic)) != topic:
            raise _error(
                measures,
                f"topics that differ as numbers. Found the topics {same!r} and {topic!r} in {where}",
                "Number the topics, in the qrels and in the run",
            )
    odd = np.flatnonzero((judgments.grade % 1 != 0) | (judgments.grade > LARGEST_GRADE))
    if len(odd):
        topic = judgments.topics[int(np.searchsorted(judgments.offsets, odd[0], side="right")) - 1]
        raise _error(
            measures,
            f"grades that are whole numbers up to {LARGEST_GRADE}. Found the grade {judgments.grade[odd[0]]:g} "
            f"of document {judgments.docs[int(odd[0])]!r} for query {str(topic)!r} in {where}",
            f"Write the grades as 0 to {LARGEST_GRADE}",
        )
    _refuse_ids(measures, judgments.docs, where)


def refuse_run(measures: list[ir_measures.Measure], run: Mapping[str, Iterable[str]]) -> None:
    """Raise if a run has documents whose ids gdeval would read as several columns."""
    for docs in run.values():
        _refuse_ids(measures, docs, "the run")


def _refuse_ids(measures: list[ir_measures.Measure], docs: Iterable[str], where: str) -> None:
    for doc in docs:
        if not _WORD.fullmatch(doc):
            raise _error(
                measures,
                f"ids of documents without white space. Found the document {doc!r} in {where}",
                "Replace the white space in the ids, in the qrels and in the run",
            )


def _error(measures: list[ir_measures.Measure], reads_and_found: str, remedy: str) -> DataError:
    one = len(measures) == 1
    names = ", ".join(map(str, measures))
    return DataError(
        f"{names} {'is' if one else 'are'} computed by {NAME}, which reads only {reads_and_found}. "
        f"{remedy}, or leave {'this measure' if one else 'these measures'} out."
    )
