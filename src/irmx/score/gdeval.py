"""Checks of the input of gdeval, the script of the TREC Web track that computes some measures of ir_measures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import ir_measures

from irmx.data.judgments import Judgments
from irmx.score.domain import named, refusal

NAME = "gdeval"
_NUMBER = re.compile(r"[0-9]{1,19}")  # which perl compares as 64-bit integers, and more digits as floats
_WORD = re.compile(r"\S+", re.ASCII)


def refuse_qrels(measures: Sequence[ir_measures.Measure], judgments: Judgments) -> None:
    """Raise if qrels contain something that gdeval does not read, or misreads; of grades, :mod:`irmx.score.domain` knows.

    It reads only the part after the hyphen of a topic such as ``301-2``, and does not distinguish ``7`` and ``07``.
    """
    where, remedy = named(judgments), "Number the topics, in the qrels and in the run"
    seen: dict[int, str] = {}
    for topic in judgments.index:
        if not _NUMBER.fullmatch(topic):
            found = f"topics that are whole numbers, in at most 19 digits. Found the topic {topic!r} in {where}"
            raise refusal(measures, NAME, found, remedy)
        if (same := seen.setdefault(int(topic), topic)) != topic:
            found = f"topics that differ as numbers. Found the topics {same!r} and {topic!r} in {where}"
            raise refusal(measures, NAME, found, remedy)
    _refuse_ids(measures, judgments.docs, where)


def refuse_run(measures: Sequence[ir_measures.Measure], run: Mapping[str, Iterable[str]]) -> None:
    """Raise if a run has documents whose ids gdeval would read as several columns."""
    for docs in run.values():
        _refuse_ids(measures, docs, "the run")


def _refuse_ids(measures: Sequence[ir_measures.Measure], docs: Iterable[str], where: str) -> None:
    for doc in docs:
        if not _WORD.fullmatch(doc):
            raise refusal(
                measures,
                NAME,
                f"ids of documents without white space. Found the document {doc!r} in {where}",
                "Replace the white space in the ids, in the qrels and in the run",
            )
