"""Scores of batches of rows, for engines that hand batches of whole topics to a function."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import ir_measures
import numpy as np

from irmx.data.judgments import Judgments
from irmx.data.reading import read_run
from irmx.declare.columns import canonical_names
from irmx.declare.measures import Measure
from irmx.errors import DataError, counted, placed
from irmx.ragged import Ints
from irmx.rank.join import Join
from irmx.score.evaluator import Evaluator, Measures, as_measures

if TYPE_CHECKING:
    import pyarrow as pa


def score_batch(measures: Measures, qrels: Any, batch: Any) -> pa.RecordBatch:
    """Return the scores of the topics in a batch of a run, as a function without state that other engines call.

    ``functools.partial(irmx.score_batch, measures, qrels)`` can be sent to other processes, and suits Spark's ``mapInArrow``, Ray's
    ``map_batches``, Dask and DuckDB. The batch holds whole topics: group the rows by run and topic first.

    Parameters
    ----------
    measures : str, Measure or iterable of them
        The measures to compute.
    qrels : any
        Best what :func:`irmx.read_qrels` returns, with which a process prepares itself only once; or anything that it accepts.
    batch : pyarrow.RecordBatch or pyarrow.Table
        Rows of a run with the columns query_id, doc_id and score, and others that the measures read, in any order of topics.
        With a column ``run``, the rows are those of several runs. With a column ``topic_rows``, the number of rows that the
        topic has in the whole run, a topic that is split between batches is told.

    Returns
    -------
    pyarrow.RecordBatch
        One row per topic and measure, with the columns query_id, measure and value, and before them ``run`` if the batch has it.
        Topics of the qrels that are not in the batch have no rows, nor have topics that are not in the qrels.

    Raises
    ------
    irmx.errors.DataError
        If a topic has rows in several places of the batch, or fewer or more than ``topic_rows``, or the rows cannot be read.

    Examples
    --------
    >>> import irmx, pyarrow as pa
    >>> columns = {"query_id": ["q", "q", "r"], "doc_id": ["x", "a", "a"], "score": [2.0, 1.0, 1.0], "topic_rows": [2, 2, 1]}
    >>> irmx.score_batch("AP P@1", {"q": {"a": 1}, "s": {"a": 1}}, pa.RecordBatch.from_pydict(columns)).to_pylist()
    [{'query_id': 'q', 'measure': 'AP', 'value': 0.5}, {'query_id': 'q', 'measure': 'P@1', 'value': 0.0}]
    """
    import pyarrow as pa

    table = batch if isinstance(batch, pa.Table) else pa.table(batch)
    table = table.rename_columns(canonical_names("run", table.column_names))
    make = _evaluator if isinstance(qrels, Judgments) else Evaluator
    evaluator = make(tuple(as_measures(measures)), qrels)
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
        with placed(f"run {name}" if name else ""):
            join = Join(read_run(one), evaluator.judgments)
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


@lru_cache(maxsize=1)
def _evaluator(measures: tuple[ir_measures.Measure, ...], judgments: Judgments) -> Evaluator:
    """Return an evaluator, made once for all batches with the same judgments."""
    return Evaluator(measures, judgments)


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
                f"Query {topics[topic[row]]!r} has {counted(int(found[row]), 'row')} in the batch, where topic_rows says {wanted[row]:g}: it is split "
                "between batches. Group the rows by run and query first.",
                (row,),
            )
