"""Checks of input: any kind, unchanged; what is missing; the columns that are read; the functions of ir_measures."""

from __future__ import annotations

import math
import pickle
import random
import tempfile
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pandas as pd

from irmx.data.reading import read_qrels, read_run
from irmx.declare.columns import Column
from irmx.declare.measures import Measure, bounds
from irmx.declare.params import common_value
from irmx.errors import DataError
from irmx.ragged import Array
from irmx.rank.join import Join
from irmx.rank.rankings import Rankings
from irmx.score.backends import rankings_for
from irmx.score.evaluator import calc, calc_aggregate, evaluator
from irmx.testing.generate import Data, Values, failure, for_all, raised, require_same, same, silent, values
from irmx.testing.sample import Row, Sample, namedtuples
from irmx.testing.strategies import declared_columns


def check_input_kinds(measure: Measure, data: Data) -> None:
    """Every kind of input gives the same value.

    Data frames of pandas and, where it is installed, polars, Arrow tables, namedtuples from a list and from a generator,
    .csv, .tsv, .jsonl and .parquet files; dicts and TREC files, where the data has no columns that these cannot hold.
    """
    sample = data.some(measure)
    expected = values(measure, sample)
    with tempfile.TemporaryDirectory() as folder:
        for kind, qrels, run in _kinds(sample, Path(folder)):
            found = values(measure, sample, qrels(), run())
            require_same(measure, "Every kind of input must give the same value.", expected, found, kind, sample)


Make = Callable[[], Any]


def _kinds(sample: Sample, folder: Path) -> Iterator[tuple[str, Make, Make]]:
    """Yield the name of a kind of input, and what makes the qrels and the run of that kind."""
    yield "from pandas", sample.qrels_frame, sample.run_frame
    yield (
        "from lists of namedtuples",
        lambda: list(namedtuples(sample.qrels)),
        lambda: list(namedtuples(sample.run)),
    )
    yield "from generators", lambda: namedtuples(sample.qrels), lambda: namedtuples(sample.run)
    try:
        import polars as pl
    except ModuleNotFoundError:
        pass
    else:
        yield "from polars", lambda: pl.from_arrow(sample.qrels_table), lambda: pl.from_arrow(sample.run_table)
    for suffix in ("csv", "tsv", "jsonl", "parquet"):
        yield f"from .{suffix} files", *_files(sample, folder, suffix)
    plain = not {"iteration"} & set(sample.qrels[0]) and len(sample.qrels[0]) == 3 and len(sample.run[0]) == 3
    if plain:
        yield "from dicts", sample.qrels_dict, sample.run_dict
        if not any(row["query_id"].startswith("#") or " " in row["doc_id"] for row in (*sample.qrels, *sample.run)):
            yield "from TREC files", *_trec_files(sample, folder)


def _files(sample: Sample, folder: Path, suffix: str) -> tuple[Make, Make]:
    def write(name: str, frame: Any) -> str:
        path = folder / f"{name}.{suffix}"
        if suffix == "parquet":
            frame.to_parquet(path)
        elif suffix == "jsonl":
            frame.to_json(path, orient="records", lines=True)
        else:
            frame.to_csv(path, index=False, sep="," if suffix == "csv" else "\t")
        return str(path)

    return lambda: write("qrels", sample.qrels_frame()), lambda: write("run", sample.run_frame())


def _trec_files(sample: Sample, folder: Path) -> tuple[Make, Make]:
    def write(name: str, line: Callable[[Row], str], rows: tuple[Row, ...]) -> str:
        path = folder / f"{name}.txt"
        path.write_text("".join(line(row) + "\n" for row in rows), encoding="utf-8")
        return str(path)

    def judged(row: Row) -> str:
        return f"{row['query_id']} 0 {row['doc_id']} {row['relevance']}"

    def retrieved(row: Row) -> str:
        return f"{row['query_id']} Q0 {row['doc_id']} 1 {row['score']} made-up"

    return lambda: write("qrels", judged, sample.qrels), lambda: write("run", retrieved, sample.run)


def check_inputs_unchanged(measure: Measure, data: Data) -> None:
    """Scoring changes neither the caller's qrels and run, nor the rankings that other measures see, nor the state of random generators."""
    asked = "Scoring must not change the tables that it is given."

    def holds(sample: Sample) -> None:
        pairs: list[tuple[Any, Any]] = [(sample.qrels_frame(), sample.run_frame())]
        if len(sample.qrels[0]) == 3 and len(sample.run[0]) == 3:
            pairs.append((sample.qrels_dict(), sample.run_dict()))
        for qrels, run in pairs:
            before = deepcopy((qrels, run))
            values(measure, sample, qrels, run)
            for name, now, then in (("qrels", qrels, before[0]), ("run", run, before[1])):
                if not (now.equals(then) if hasattr(now, "equals") else now == then):
                    raise failure(measure, asked, f"The {name} are other than before:\n{now}", sample)
        _require_untouched(measure, sample)

    for_all(data.samples(measure), holds, data, share=0.2)


def _require_untouched(measure: Measure, sample: Sample) -> None:
    """Raise if scoring changes what other measures see of the same run, or the state of the random numbers of others."""
    rankings = rankings_for(measure, Join(read_run(sample.run_table), read_qrels(sample.qrels_table)))
    seen = _seen(rankings)
    before = deepcopy(seen)
    random.seed(5)
    np.random.seed(5)  # noqa: NPY002  so that a measure that seeds them anew is seen to
    state = _random_state()
    with silent():
        try:
            measure.score(rankings)
        except Exception as error:
            raise raised(measure, error, sample) from error
    for name, array in seen.items():
        if not np.array_equal(array, before[name]):
            asked = "Scoring must not change the rankings: other measures score them, too."
            raise failure(measure, asked, f"{name} was {before[name]}, and is {array}.", sample)
    if _random_state() != state:
        asked = "Scoring must use random numbers of its own, such as numpy.random.default_rng(seed)."
        raise failure(measure, asked, "The state of those of random or of numpy is another than before.", sample)


def _seen(rankings: Rankings) -> dict[str, Array]:
    """Return the arrays of rankings that measures share; ``numpy.add.at`` and the like write even what is read-only."""
    found = {"depth": rankings.depth, "recall_base": rankings.recall_base, "precision": rankings.precision}
    found |= {"judged_nonrelevant": rankings.judged_nonrelevant, "qrels_rows.grade": rankings.qrels_rows.grade}
    for name, documents in (("judged", rankings.judged), ("relevant", rankings.relevant)):
        found |= {
            f"{name}.rank": documents.rank,
            f"{name}.grade": documents.grade,
            f"{name}.offsets": documents.offsets,
        }
    return found | {
        "run_rows.score": rankings.run_rows.score,
        "the grades of the qrels": rankings._join.judgments.grade,
    }


def _random_state() -> bytes:
    return pickle.dumps((random.getstate(), np.random.get_state()))  # noqa: NPY002  whether it is left alone


def check_empty_run(measure: Measure, data: Data) -> None:
    """Topics that an empty run lacks have ``DEFAULT``, a finite number in ``RANGE``."""
    low, high = bounds(measure.RANGE)
    if not (
        isinstance(measure.DEFAULT, (int, float)) and low <= measure.DEFAULT <= high and math.isfinite(measure.DEFAULT)
    ):
        raise failure(
            measure, f"DEFAULT must be a finite number in RANGE, {low:g} to {high:g}.", f"It is {measure.DEFAULT!r}."
        )
    sample = data.some(measure)
    nothing: list[Any] = [{}, [], pd.DataFrame({"query_id": [], "doc_id": [], "score": []})]
    for run in nothing:
        found = values(measure, sample, run=run)
        _require_default(
            measure, "With an empty run every topic must have DEFAULT.", sample.topics, found, sample.with_run(())
        )


def check_empty_qrels(measure: Measure, data: Data) -> None:
    """With empty qrels there are no values, and no error."""
    sample = data.some(measure)
    asked = "With empty qrels there must be no values."
    nothing: list[Any] = [{}, [], pd.DataFrame({"query_id": [], "doc_id": [], "relevance": []})]
    for qrels in nothing:
        found = values(measure, sample, qrels=qrels)
        if found:
            raise failure(measure, asked, f"There are {found}.", sample.with_qrels(()))
        with silent():
            try:
                calc_aggregate(measure, qrels, sample.run_table)
            except Exception as error:
                asked = "With empty qrels there must be a mean all the same."
                raise raised(measure, error, sample.with_qrels(()), asked=asked) from error


def check_unknown_topics(measure: Measure, data: Data) -> None:
    """A topic that only the run has is left out; one that only the qrels have has ``DEFAULT``; the others are unaffected."""
    asked = "Topics that only the run or only the qrels have must not change the others."

    def holds(sample: Sample) -> None:
        before, one = values(measure, sample), sample.topics[0]
        judged = [{**row, "query_id": "only judged"} for row in sample.qrels if row["query_id"] == one]
        retrieved = [{**row, "query_id": "only retrieved"} for row in sample.run if row["query_id"] == one]
        more = Sample((*judged, *sample.qrels), (*retrieved, *sample.run))
        found = values(measure, more)
        require_same(measure, asked, before, found, "with the other topics", sample, more)
        if "only retrieved" in found:
            raise failure(
                measure, "A topic that the qrels lack must have no value.", f"It has {found['only retrieved']:g}.", more
            )
        _require_default(measure, "A topic that the run lacks must have DEFAULT.", ["only judged"], found, more)

    for_all(data.samples(measure), holds, data, share=0.5)


def check_no_relevant(measure: Measure, data: Data) -> None:
    """A topic without a relevant judged document has a value in ``RANGE``, and raises nothing."""
    rel = 1 if common_value(measure, "rel") is None else common_value(measure, "rel")

    def holds(sample: Sample) -> None:
        one = sample.topics[0]
        rows = [
            {**row, "relevance": min(row["relevance"], rel - 1)} if row["query_id"] == one else row
            for row in sample.qrels
        ]
        _require_value(measure, "A topic without a relevant judged document", sample.with_qrels(rows))

    for_all(data.samples(measure), holds, data, share=0.5)


def check_nothing_found(measure: Measure, data: Data) -> None:
    """A topic of which no judged document is retrieved has a value in ``RANGE``, and raises nothing."""

    def holds(sample: Sample) -> None:
        one = sample.topics[0]
        rows = [
            {**row, "doc_id": f"unjudged {i}"} if row["query_id"] == one else row for i, row in enumerate(sample.run)
        ]
        _require_value(measure, "A topic of which no judged document is retrieved", sample.with_run(rows))

    for_all(data.samples(measure), holds, data, share=0.5)


def check_repeated_documents(measure: Measure, data: Data) -> None:
    """A run in which a document occurs twice has a value in ``RANGE``, if ``DOCS_MAY_REPEAT`` allows such runs."""
    if not measure.DOCS_MAY_REPEAT:
        return

    def holds(sample: Sample) -> None:
        first = next(row for row in sample.run if row["query_id"] == sample.topics[0])
        _require_value(measure, "A topic with a document that repeats", sample.with_run((*sample.run, first)))

    for_all(data.samples(measure), holds, data, share=0.3)


def _require_value(measure: Measure, what: str, sample: Sample) -> None:
    """Raise if the first topic has no value in the range of the measure, or one that is neither that nor allowed."""
    low, high = bounds(measure.RANGE)
    value = values(measure, sample)[sample.topics[0]]
    if common_value(measure, "no_relevant") != "nan" and not low - 1e-9 <= value <= high + 1e-9:
        raise failure(measure, f"{what} must have a value in RANGE, {low:g} to {high:g}.", f"It has {value:g}.", sample)


def _require_default(measure: Measure, asked: str, topics: list[str], found: Values, sample: Sample) -> None:
    for topic in topics:
        if found.get(topic) != measure.DEFAULT and common_value(measure, "no_relevant") != "nan":
            there = f"{found[topic]:g}" if topic in found else "no value"
            raise failure(measure, asked, f"DEFAULT is {measure.DEFAULT:g}; query {topic} has {there}.", sample)


def check_missing_columns(measure: Measure, data: Data) -> None:
    """Without a declared column the error names the measure, the table and the column; without an optional one there is none."""
    sample = data.some(measure)
    for column in declared_columns(measure):
        if not column.optional:
            less = sample.without(column.table, [column.name])
            # a row without a document, whose only label this was, would be refused first
            _require_refusal(measure, column, less.with_qrels(row for row in less.qrels if row["doc_id"]))


def _require_refusal(measure: Measure, column: Column, sample: Sample) -> None:
    asked = f"Without the column {column.name!r} of the {column.table} it must raise DataError with its name, the table and the column."
    try:
        with silent():
            found = evaluator([measure], sample.qrels_table).values(sample.run_table)[measure]
    except DataError as error:
        said = str(error)
        if not all(name in said for name in (str(measure), column.table, repr(column.name))):
            raise failure(measure, asked, f"The text is: {said}", sample) from None
    except Exception as error:
        raise failure(measure, asked, f"It raised {type(error).__name__}: {error}", sample) from error
    else:
        raise failure(measure, asked, f"It gave {found}; declare the column optional, if that is right.", sample)


def check_optional_columns(measure: Measure, data: Data) -> None:
    """Every optional column may be absent, and all of them together."""
    optional = [c for c in declared_columns(measure) if c.optional]
    if not optional:
        return

    def holds(sample: Sample) -> None:
        for columns in [*([c] for c in optional), optional]:
            less = sample
            for column in columns:
                less = less.without(column.table, [column.name])
            values(measure, less)

    for_all(data.samples(measure), holds, data, share=0.3)


def check_ir_measures(measure: Measure, data: Data) -> None:
    """``ir_measures.iter_calc``, ``calc``, ``calc_aggregate``, an evaluator and the measure's own methods agree with ``irmx.calc``.

    The values of topics are Python floats.
    """
    asked = "Every function must give the same values."

    def holds(sample: Sample) -> None:
        expected = values(measure, sample)
        qrels, run = sample.qrels_frame(), sample.run_frame()
        with silent():
            try:
                by_topic = {
                    "by ir_measures.iter_calc": ir_measures.iter_calc([measure], qrels, run),
                    "by ir_measures.calc": ir_measures.calc([measure], qrels, run).per_query,
                    "by an evaluator": ir_measures.evaluator([measure], qrels).iter_calc(run),
                    "by its iter_calc": measure.iter_calc(qrels, run),
                }
                found = {name: _by_topic(measure, metrics) for name, metrics in by_topic.items()}
                mean = _mean(calc([measure], qrels, run).aggregated, measure)
                means = {
                    "by ir_measures.calc_aggregate": _mean(ir_measures.calc_aggregate([measure], qrels, run), measure),
                    "by ir_measures.calc": _mean(ir_measures.calc([measure], qrels, run).aggregated, measure),
                    "by an evaluator": _mean(ir_measures.evaluator([measure], qrels).calc_aggregate(run), measure),
                    "by its calc_aggregate": measure.calc_aggregate(qrels, run),
                }
            except Exception as error:
                raise raised(measure, error, sample) from error
        for name, of_topics in found.items():
            require_same(measure, asked, expected, of_topics, name, sample)
        for name, value in means.items():
            if not same(mean, value):
                raise failure(measure, asked, f"The mean is {mean:.12g}; {name}, {value:.12g}.", sample)

    for_all(data.samples(measure), holds, data, share=0.3)


def _by_topic(measure: Measure, metrics: Iterable[ir_measures.Metric]) -> Values:
    out = {}
    for metric in metrics:
        if type(metric.value) is not float:
            raise failure(measure, "Values must be Python floats.", f"Query {metric.query_id} has {metric.value!r}.")
        out[str(metric.query_id)] = metric.value
    return out


def _mean(aggregated: Any, measure: Measure) -> float:
    found: float = aggregated[measure]
    return found
