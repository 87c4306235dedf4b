"""Many runs scored with many measures, by one judge or several: the function ``irmx.scores``, and what made its scores."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import ir_measures
import numpy as np

from irmx.data.chunks import MEMORY
from irmx.data.formats import path_of
from irmx.data.judgments import AllTopicsError, Judgments
from irmx.data.reading import read_qrels, read_run
from irmx.data.text_formats import run_metadata
from irmx.declare.columns import Symbol, canonical_names
from irmx.declare.from_function import FunctionMeasure
from irmx.declare.measures import Measure
from irmx.errors import DataError, IrmxError, UsageError, located
from irmx.parallel import progress_bar
from irmx.ragged import Floats, Ints
from irmx.rank.join import Join
from irmx.registry import registry
from irmx.score.backends import PluginBackend, check_qrels, scorer_of
from irmx.score.evaluator import Evaluator, Measures
from irmx.score.scored_runs import named_runs, reading_ahead, scored_runs
from irmx.score.scores import Scores
from irmx.text import plural

if TYPE_CHECKING:
    import pyarrow as pa


# -- many runs scored with many measures -----------------------------------------------------------------------------


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
        How many threads score the chunks of a large run at the same time, and how many processes score many runs, if these take
        long; or how many workers where ``joblib.parallel_config`` says. By default 1, or on a cluster as many as there are.
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
    by_name = named_runs(runs, several=True)
    if (judges := _several_qrels(qrels)) is not None:
        parts = [
            scores(measures, of_judge, by_name, provider, memory, jobs, progress).marked(judgments=judge)
            for judge, of_judge in judges.items()
        ]
        digests = {judge: part.made_by["qrels"] for judge, part in zip(judges, parts, strict=True)}
        together = Scores.concat(parts)
        return replace(together, made_by={**together.made_by, "qrels": digests})
    with reading_ahead(by_name, memory, jobs) as ahead:
        evaluator = Evaluator(measures, qrels, provider)
        topics = evaluator.judgments.index
        shape = (len(topics), len(by_name), len(evaluator.measures))
        values, retrieved = np.empty(shape), np.zeros(shape[:2], dtype=bool)
        fields: dict[str, Floats] = {}
        shown = False if progress is None and len(by_name) < 2 else progress
        with progress_bar("Scoring runs", len(by_name), shown=shown) as advance:
            for s, run in enumerate(scored_runs(evaluator, ahead, memory, jobs)):
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
        By distribution; for a measure made from a function, a digest of the function and of what it uses of its module.

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


# -- scores of batches of rows, for engines that hand batches of whole topics to a function --------------------------


def batch_scorer(measures: Measures, qrels: Any = None) -> BatchScorer:
    """Return a function that scores Arrow batches of a run, for engines that send it to other processes.

    It suits Spark's ``mapInArrow``, Ray's ``map_batches``, Dask and DuckDB. Measures and qrels are checked here; each process prepares
    itself once, whatever the number of its tasks. Without qrels, it takes a batch of qrels beside each batch of a run, as from
    ``cogroup`` of Spark.

    Parameters
    ----------
    measures : str, Measure or iterable of them
        The measures to compute.
    qrels : any, optional
        Anything that :func:`irmx.read_qrels` accepts.

    Returns
    -------
    BatchScorer
        The function, which can be pickled; see :class:`BatchScorer` for what it takes and returns.

    Raises
    ------
    irmx.errors.UsageError
        For an unknown measure.
    irmx.errors.DataError
        If the qrels cannot be read, or lack a column that a measure reads. Without qrels, for a measure for which those of all
        topics matter, such as a gain divided by the largest grade of any topic; if it reads further columns, with the first batch.

    Examples
    --------
    >>> import irmx, pyarrow as pa
    >>> score = irmx.batch_scorer("AP P@1", {"q": {"a": 1}, "s": {"a": 1}})
    >>> columns = {"query_id": ["q", "q", "r"], "doc_id": ["x", "a", "a"], "score": [2.0, 1.0, 1.0], "topic_rows": [2, 2, 1]}
    >>> score(pa.RecordBatch.from_pydict(columns)).to_pylist()
    [{'query_id': 'q', 'measure': 'AP', 'value': 0.5}, {'query_id': 'q', 'measure': 'P@1', 'value': 0.0}]
    >>> score = irmx.batch_scorer("AP")
    >>> score(pa.table(columns), pa.table({"query_id": ["q"], "doc_id": ["a"], "relevance": [1]})).to_pylist()
    [{'query_id': 'q', 'measure': 'AP', 'value': 0.5}]
    """
    if qrels is None:
        return BatchScorer(_for_some_topics(measures))
    evaluator = Evaluator(measures, qrels)
    for measure in evaluator.measures:
        if isinstance(scorer := scorer_of(measure), Measure):
            check_qrels(scorer, evaluator.judgments)
    return BatchScorer(evaluator)


class BatchScorer:
    """Scores the topics in batches of a run, and of qrels if it was made without; :func:`irmx.batch_scorer` makes it.

    A batch is a :class:`pyarrow.RecordBatch` or :class:`pyarrow.Table` of rows of a run with the columns query_id, doc_id and score, and
    others that the measures read, in any order of topics. It holds whole topics: group the rows by run and topic first. With a column
    ``run``, the rows are those of several runs. With a column ``topic_rows``, the number of rows that the topic has in the whole run, a
    topic that is split between batches is refused. A batch of qrels is one of all judgments of its topics.

    It returns a :class:`pyarrow.RecordBatch` with one row per topic and measure, with the columns query_id, measure and value, and before
    them ``run`` if the batch has it. Topics of the qrels that are not in the batch have no rows, nor have topics that are not in the qrels.
    A :class:`irmx.DataError` is raised if a topic has rows in several places of the batch, or fewer or more than ``topic_rows``, or if
    the rows cannot be read.
    """

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator

    def __repr__(self) -> str:
        return f"<BatchScorer: {self._evaluator!r}>"

    def __call__(self, batch: Any, qrels: Any = None) -> pa.RecordBatch:
        """Return the scores of the topics in a batch."""
        if (qrels is not None) != self._evaluator.judgments.of_some_topics:
            raise UsageError(
                "The scorer takes a batch of the run, and one of the qrels if it was made without: irmx.batch_scorer(measures)(batch, qrels)."
            )
        judgments = self._evaluator.judgments
        if qrels is not None:
            judgments = read_qrels(qrels)
            judgments.of_some_topics = True
        return _scores_of(self._evaluator, judgments, batch)


def _for_some_topics(measures: Measures) -> Evaluator:
    """Return an evaluator whose judgments, of one topic, are there to find the measures that need those of all topics."""
    judgments = read_qrels({"q": {"a": 1}})
    judgments.of_some_topics = True
    evaluator = Evaluator(measures, judgments)
    for measure in evaluator.measures:
        if (scorer := scorer_of(measure)) is not None:
            try:
                PluginBackend(measure, scorer).score(Join(read_run({"q": {"a": 1.0}}), judgments))
            except AllTopicsError:
                raise
            except IrmxError:  # such as a column that is missing: this is about the topic here
                pass
    return evaluator


def _scores_of(evaluator: Evaluator, judgments: Judgments, batch: Any) -> pa.RecordBatch:
    import pyarrow as pa

    table = batch if isinstance(batch, pa.Table) else pa.table(batch)
    table = table.rename_columns(canonical_names("run", table.column_names))
    names, of_run = (
        _numbered(table, "run") if "run" in table.column_names else ([""], np.zeros(len(table), dtype=np.int64))
    )
    if "query_id" in table.column_names:
        _refuse_parts(table, of_run)
    rows = table.drop_columns([name for name in ("run", "topic_rows") if name in table.column_names])
    out: dict[str, list[Any]] = {"run": [], "query_id": [], "measure": [], "value": []}
    order, ends = np.argsort(of_run, kind="stable"), np.searchsorted(np.sort(of_run), np.arange(len(names) + 1))
    for number, name in enumerate(names):
        one = rows if len(names) == 1 else rows.take(order[ends[number] : ends[number + 1]])
        with located(f"run {name}" if name else ""):
            join = Join(read_run(one), judgments)
            scores = evaluator.of_join(join)
        of_topics = [(m, of_measure.values[join.in_judgments].tolist()) for m, of_measure in scores.items()]
        for i, topic in enumerate(join.topics):
            for measure, values in of_topics:
                if isinstance(measure, Measure) or not math.isnan(values[i]):  # which a provider has no value for
                    for column, cell in zip(out.values(), (name, str(topic), str(measure), values[i]), strict=True):
                        column.append(cell)
    kinds = [pa.string(), pa.string(), pa.string(), pa.float64()]
    arrays = {name: pa.array(values, kind) for (name, values), kind in zip(out.items(), kinds, strict=True)}
    return pa.RecordBatch.from_pydict(
        arrays if "run" in table.column_names else {k: arrays[k] for k in list(arrays)[1:]}
    )


def _numbered(table: pa.Table, name: str) -> tuple[list[str], Ints]:
    """Return the distinct values of a column, and for each row the number of its own."""
    import pyarrow.compute as pc

    column = table.column(name).combine_chunks()
    if column.null_count:
        raise DataError(f"The column {name!r} of the batch has no value in row {pc.index(column.is_null(), True)}.")
    codes = column.dictionary_encode() if not hasattr(column, "dictionary") else column
    return [str(value) for value in codes.dictionary.to_pylist()], codes.indices.to_numpy(zero_copy_only=False).astype(
        int
    )


def _refuse_parts(table: pa.Table, of_run: Ints) -> None:
    """Raise for a topic whose rows do not stand together, or that lacks some."""
    if not len(table):
        return
    topics, topic = _numbered(table, "query_id")
    key = of_run * len(topics) + topic
    starts = np.flatnonzero(np.append(True, key[1:] != key[:-1]))
    returning = np.delete(starts, np.unique(key[starts], return_index=True)[1])
    if len(returning):
        row = int(returning[0])
        raise DataError(
            f"The rows of query {topics[topic[row]]!r} do not stand together: row {row} (counted from 0) of the batch is one "
            "after those of another query. Sort the batch by run and query.",
            (row,),
        )
    if "topic_rows" in table.column_names:
        wanted = np.asarray(table.column("topic_rows").to_numpy(), dtype=np.float64)
        found = np.repeat(np.diff(np.append(starts, len(key))), np.diff(np.append(starts, len(key))))
        if len(odd := np.flatnonzero(wanted != found)):
            row = int(odd[0])
            raise DataError(
                f"Query {topics[topic[row]]!r} has {plural(int(found[row]), 'row')} in the batch, where topic_rows says {wanted[row]:g}: it is split "
                "between batches. Group the rows by run and query first.",
                (row,),
            )
