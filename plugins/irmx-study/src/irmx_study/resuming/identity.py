"""The identity of some work, by which a later call resumes that and no other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import ir_measures

from irmx import Judgments, Measure, read_run
from irmx.toolkit import file_digest, versions_of

Identity = dict[str, Any]
"""Strings, lists and dicts, which can be written as JSON."""

_SHOWN = 160
_OF_MEASURES = ("measure", "grid", "reference", "measures")


def identity_of_data(
    measures: Sequence[ir_measures.Measure], judgments: Judgments, runs: Mapping[str, Any]
) -> Identity:
    """Return what identifies the data that measures read: digests of qrels and runs, and the versions of plugins."""
    of_run, of_qrels = _columns_read(measures)
    return {
        "qrels": qrels_digest(judgments, of_qrels),
        "runs": [[name, run_digest(run, of_run)] for name, run in runs.items()],
        "versions": versions_of(measures),
    }


def _columns_read(measures: Iterable[ir_measures.Measure]) -> tuple[list[str], list[str]]:
    """Return the names of the extra run columns and of the extra qrels columns that measures read."""
    own = [m for m in measures if isinstance(m, Measure)]
    of_run = {c.name for m in own for c in m.run_columns()}
    of_qrels = {c.name for m in own for c in m.qrel_columns()}
    return sorted(of_run), sorted({"iteration", "relevance"} | of_qrels)


def run_digest(source: Any, columns: Sequence[str]) -> dict[str, str]:
    """Return a digest of the bytes of a file; of anything else, one of the ids and scores, and one per extra column."""
    if of_file := file_digest(source):
        return {_BASE: of_file}
    run = read_run(source)
    docs = [run.docs(topic) for topic in range(len(run.topics))]
    return _digests([run.topics, run.offsets, run.score, docs], {name: run.column(name) for name in columns})


def qrels_digest(judgments: Judgments, columns: Sequence[str]) -> dict[str, str]:
    """Return a digest of the topics, documents and grades of judgments, and one per extra column."""
    arrays = [list(map(str, judgments.topics)), judgments.offsets, list(judgments.docs), judgments.grade]
    return _digests(arrays, {name: judgments.column(name) for name in columns})


_BASE = ""
"""The key of the digest of the columns that every run, or every qrels, has."""


def _digests(base: Sequence[Any], columns: Mapping[str, Any]) -> dict[str, str]:
    import joblib

    return {_BASE: str(joblib.hash(base)), **{name: str(joblib.hash(values)) for name, values in columns.items()}}


def differences(existing: Identity, requested: Identity) -> str:
    """Return a description of the differences between two identities; empty if they are the same.

    Other measures may read other columns and belong to other plugins, which is not reported as a further difference: if the
    measures differ, only the columns and versions that both have are compared.

    >>> differences({"measure": "NCP", "grid": [["rel", ["1"]]]}, {"measure": "NCP", "grid": [["rel", ["1", "2"]]]})
    'grid: existing rel=1, requested rel=1,2'
    """
    texts = []
    of_other_measures = any(existing.get(key) != requested.get(key) for key in _OF_MEASURES)
    for key in dict.fromkeys([*requested, *existing]):
        old, new = existing.get(key), requested.get(key)
        if of_other_measures:
            old, new = _shared(old, new)
        if old == new:
            continue
        if key == "runs" and _names(old) == _names(new):
            changed = [name for (name, a), (_, b) in zip(old or [], new or [], strict=True) if a != b]
            texts.append(f"runs: the content of {_cut(', '.join(changed))} has changed")
        elif key == "qrels":
            texts.append("qrels: their content has changed")
        else:
            texts.append(f"{key}: existing {_cut(_shown(key, old))}, requested {_cut(_shown(key, new))}")
    return "; ".join(texts)


def _shared(old: Any, new: Any) -> tuple[Any, Any]:
    """Return two values without the keys that only one of them has."""
    if isinstance(old, dict) and isinstance(new, dict):
        return {k: v for k, v in old.items() if k in new}, {k: v for k, v in new.items() if k in old}
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        pairs = [_shared(a, b) for a, b in zip(old, new, strict=True)]
        return [a for a, _ in pairs], [b for _, b in pairs]
    return old, new


def _names(runs: Any) -> list[str]:
    return [name for name, _ in runs or []]


def _shown(key: str, value: Any) -> str:
    if key == "grid":
        return " ".join(f"{name}={','.join(values)}" for name, values in value or []) or "none"
    if key == "runs":
        return ", ".join(_names(value)) or "none"
    if key == "versions":
        return ", ".join(f"{name} {number}" for name, number in (value or {}).items()) or "none"
    return (", ".join(map(str, value)) if isinstance(value, list) else str(value)) or "none"


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
