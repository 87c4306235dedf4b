"""Many runs scored with many measures, by one judge or several: the function ``irmx.scores``, and what made its scores."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from importlib.metadata import version
from typing import Any

import ir_measures
import numpy as np

from irmx.data.formats import path_of
from irmx.data.parquet import MEMORY
from irmx.data.text_formats import run_metadata
from irmx.declare.columns import Symbol
from irmx.declare.from_function import FunctionMeasure
from irmx.declare.measures import Measure
from irmx.parallel import progress_bar
from irmx.ragged import Floats
from irmx.registry import registry
from irmx.score.evaluator import Evaluator, Measures
from irmx.score.scored_runs import named_runs, scored_runs
from irmx.score.scores import Scores


def scores(
    measures: Measures,
    qrels: Any,
    runs: Any,
    provider: str | None = None,
    memory: str | float = MEMORY,
    jobs: int | None = None,
    progress: bool | None = None,
) -> Scores:
    """Score several runs with several measures, and return the values of all topics as one object.

    Parameters
    ----------
    measures : str, Measure or iterable of them
        The measures to compute, such as ``"MP(model=GL_AD_ID) AP"``.
    qrels : any
        Anything that :func:`irmx.read_qrels` accepts; or several by name, such as ``{"human": "nist.qrels", "llm": "gpt.qrels"}``,
        which gives a view per measure and judge.
    runs : mapping of str to run, or sequence of paths and globs
        Runs by name, each anything that :func:`irmx.read_run` accepts; runs from files have the names of the files.
    provider : str, optional
        The only provider of ir_measures to use; see :class:`irmx.toolkit.Evaluator`.
    memory : str or number
        The memory that runs may take, in bytes or such as ``"500MB"``; a larger file is read in chunks of topics.
    jobs : int, optional
        How many runs, or chunks of them, to score at the same time, each in a process of its own or wherever
        ``joblib.parallel_config`` says; by default 1, or on a cluster as many as its workers can.
    progress : bool, optional
        Whether to show a progress bar; by default, if there are several runs and standard error is a terminal.

    Returns
    -------
    Scores
        The topics are those of the qrels; of several, a topic is in the views of those that have it. A topic that a run lacks has the measure's default, and
        its state; a :class:`irmx.DataWarning` counts such topics.

    Raises
    ------
    irmx.errors.UsageError
        If a measure is unknown, or two runs have the same name.
    irmx.errors.DataError
        If the inputs cannot be read, or a run has no topic of the qrels.

    Examples
    --------
    >>> import irmx
    >>> from irmx.demo import SYSTEMS, qrels_path, run_path
    >>> scores = irmx.scores("AP NCP(law=first)", qrels_path(), {system: run_path(system) for system in SYSTEMS})
    >>> scores
    <Scores of 30 topics, 3 systems, 2 measures: AP, NCP(law=first)>
    >>> scores.means().round(4).loc["bm25"].to_dict()
    {'AP': 0.4986, 'NCP(law=first)': 0.8761}
    """
    by_name = named_runs(runs)
    if (judges := _several_qrels(qrels)) is not None:
        parts = [
            scores(measures, of_judge, by_name, provider, memory, jobs, progress).marked(judgments=judge)
            for judge, of_judge in judges.items()
        ]
        digests = {judge: part.made_by["qrels"] for judge, part in zip(judges, parts, strict=True)}
        together = Scores.concat(parts)
        return replace(together, made_by={**together.made_by, "qrels": digests})
    evaluator = Evaluator(measures, qrels, provider)
    topics = evaluator.judgments.index
    shape = (len(topics), len(by_name), len(evaluator.measures))
    values, retrieved = np.empty(shape), np.zeros(shape[:2], dtype=bool)
    fields: dict[str, Floats] = {}
    shown = False if progress is None and len(by_name) < 2 else progress
    with progress_bar("Scoring runs", len(by_name), shown=shown) as advance:
        for s, run in enumerate(scored_runs(evaluator, by_name, memory, jobs)):
            retrieved[[topics[t] for t in run.topics if t in topics], s] = True
            for m, of_measure in enumerate(run.scores.values()):
                values[:, s, m] = of_measure.values
                for name, array in of_measure.fields.items():
                    fields.setdefault(name, np.full(shape, np.nan))[:, s, m] = array
            advance(1)
    made_by: dict[str, Any] = {
        "versions": versions_of(evaluator.measures),
        "computed_by": evaluator.computed_by(),
        "qrels_name": os.fspath(qrels) if isinstance(qrels, (str, os.PathLike)) else "",
        "qrels": file_digest(qrels),
        "runs": {name: file_digest(run) for name, run in by_name.items()},
    }
    paths = {name: path_of(run) for name, run in by_name.items() if isinstance(run, (str, os.PathLike))}
    metadata = {name: run_metadata(path) for name, path in paths.items() if os.path.isfile(path)}
    if any(metadata.values()):
        made_by["metadata"] = {name: about for name, about in metadata.items() if about}
    axes = tuple(topics), tuple(by_name), tuple(evaluator.measures)
    return Scores.of_runs(values, retrieved, *axes, fields=fields, made_by=made_by)


def _several_qrels(qrels: Any) -> dict[str, Any] | None:
    """Return qrels by the name of the judge; None for one qrels, which may be a dict of topics."""
    if not isinstance(qrels, Mapping) or not qrels:
        return None
    of_dicts = [value for value in qrels.values() if isinstance(value, Mapping)]
    grades = [grade for value in of_dicts for grade in value.values()]
    if len(of_dicts) == len(qrels) and not (grades and all(isinstance(grade, Mapping) for grade in grades)):
        return None
    return {str(name): value for name, value in qrels.items()}


def versions_of(measures: Iterable[ir_measures.Measure]) -> dict[str, str]:
    """Return the versions of irmx, of ir_measures, and of the plugins of the measures and their named objects.

    Parameters
    ----------
    measures : iterable of Measure
        The measures.

    Returns
    -------
    dict of str to str
        By distribution; for a measure made from a function, a digest of the function.

    Examples
    --------
    >>> import irmx
    >>> list(irmx.toolkit.versions_of([irmx.NCP(law="uniform")]))
    ['irmx', 'ir_measures', 'irmx-ncp']
    """
    measures = list(measures)
    names = {str(m.NAME) for m in measures}
    names |= {v.NAME for m in measures if isinstance(m, Measure) for v in m.params.values() if isinstance(v, Symbol)}
    versions = {"irmx": version("irmx"), "ir_measures": version("ir_measures")}
    for plugin in registry().plugins.values():
        if names & {*plugin.offers.get("measures", ()), *plugin.offers.get("symbols", ())}:
            versions[plugin.distribution] = plugin.version
    for m in measures:
        if isinstance(m, FunctionMeasure):
            versions[f"function of {m.NAME}"] = hashlib.sha256(m.source.encode()).hexdigest()[:12]
    return versions


def file_digest(source: Any) -> str:
    """Return a digest of the bytes of a file; empty if the source is not a file.

    >>> file_digest({"q": {"a": 1}})
    ''
    """
    if not isinstance(source, (str, os.PathLike)) or not os.path.isfile(source):
        return ""
    digest = hashlib.sha256()
    with open(source, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
