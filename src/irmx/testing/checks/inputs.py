"""Checks of what a measure declares, and of what it takes and refuses."""

from __future__ import annotations

import copy
import inspect
import math
import pickle
import random
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pandas as pd

from irmx.data.reading import read_qrels, read_run
from irmx.declare.columns import Column
from irmx.declare.described import Citation, Formula
from irmx.declare.expressions import parse_measure
from irmx.declare.measures import Measure, bounds, problems_of_class
from irmx.declare.params import COMMON_PARAMS, Param, common_value, duration, is_common, number, seconds
from irmx.errors import DataError, UnknownNameError, UsageError
from irmx.ragged import Array
from irmx.rank.join import Join
from irmx.rank.rankings import Rankings
from irmx.registry import registry
from irmx.score.backends import rankings_for
from irmx.score.evaluator import calc, calc_aggregate, evaluator
from irmx.testing.generate import (
    HAS_VALUE,
    CheckError,
    Data,
    Values,
    failure,
    for_all,
    must_work,
    require_same,
    same,
    text_of_refusal,
    values,
)
from irmx.testing.strategies import Row, Sample, declared_columns, namedtuples

# -- checks of input -------------------------------------------------------------------------------------------------


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
    with must_work(measure, HAS_VALUE, sample):
        measure.score(rankings)
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
    """Topics that an empty run lacks have ``DEFAULT``, a finite number in ``RANGE``, or what ``of_missing`` returns."""
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
            measure,
            "With an empty run every topic must have DEFAULT, or what of_missing returns.",
            sample.topics,
            found,
            sample.with_run(()),
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
        with must_work(measure, "With empty qrels there must be a mean all the same.", sample.with_qrels(())):
            calc_aggregate(measure, qrels, sample.run_table)


def check_unknown_topics(measure: Measure, data: Data) -> None:
    """A topic that only the run has is left out; one that only the qrels have has ``DEFAULT``, or what ``of_missing`` returns; the others are unaffected."""
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
        _require_default(
            measure,
            "A topic that the run lacks must have DEFAULT, or what of_missing returns.",
            ["only judged"],
            found,
            more,
        )

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
    judgments = read_qrels(sample.qrels_table)
    of_topic = np.broadcast_to(measure.of_missing(judgments), len(judgments.topics))
    for topic in topics:
        expected = float(of_topic[judgments.index[topic]])
        if found.get(topic) != expected and common_value(measure, "no_relevant") != "nan":
            there = f"{found[topic]:g}" if topic in found else "no value"
            raise failure(measure, asked, f"That is {expected:g}; query {topic} has {there}.", sample)


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
    asked += " Declare it optional, if a value is right."
    said = text_of_refusal(
        measure,
        asked,
        DataError,
        lambda: evaluator([measure], sample.qrels_table).values(sample.run_table)[measure],
        sample,
    )
    if not all(name in said for name in (str(measure), column.table, repr(column.name))):
        raise failure(measure, asked, f"The text is: {said}", sample)


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
        with must_work(measure, HAS_VALUE, sample):
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


# -- checks of what a measure declares -------------------------------------------------------------------------------


def check_metadata(measure: Measure, data: Data) -> None:
    """It has a name, a full name, a one-sentence description, a docstring and a range; parameters, columns and the symbols of its formula are described."""
    problems = [*_of_class(measure), *_of_formula(measure), *_of_parameters(measure), *_of_columns(measure)]
    if problems:
        raise failure(
            measure, "What the help and the documentation are made from must be complete.", " ".join(problems)
        )


def _of_class(measure: Measure) -> Iterator[str]:
    kind = type(measure)
    for attribute in ("NAME", "PRETTY_NAME", "SHORT_DESC"):
        text = getattr(measure, attribute, None)
        if not isinstance(text, str) or not text.strip():
            yield f"{attribute} is {text!r}; it must be a text."
    if not str(measure.NAME).isidentifier():
        yield f"NAME is {measure.NAME!r}; it must be an identifier, or it has no expression."
    if not (inspect.cleandoc(kind.__doc__ or "").strip()):
        yield f"The class {kind.__name__} has no docstring."
    yield from (f"It {problem}" for problem in problems_of_class(measure))


def _of_formula(measure: Measure) -> Iterator[str]:
    formula: Any = measure.FORMULA
    if formula is None:
        return
    if not isinstance(formula, Formula):
        yield f"FORMULA is {formula!r}; it must be an irmx.Formula."
        return
    try:
        formula.to_html()
    except UsageError as error:
        yield str(error)
    yield from (f"FORMULA: {problem}" for problem in formula.problems())


def _of_parameters(measure: Measure) -> Iterator[str]:
    declared: dict[str, Any] = measure.SUPPORTED_PARAMS
    for name, param in declared.items():
        if not isinstance(param, Param):
            yield f"The parameter {name!r} is {type(param).__name__}; it must be an irmx.Param."
        elif not param.desc:
            yield f"The parameter {name!r} has no description."
        elif is_common(name, param) and param.desc != COMMON_PARAMS[name].desc:
            yield f"The parameter {name!r} is common, but not that of irmx.COMMON_PARAMS."


def _of_columns(measure: Measure) -> Iterator[str]:
    declared: tuple[tuple[str, str, tuple[Any, ...]], ...] = (
        ("RUN_COLUMNS", "run", (*measure.RUN_COLUMNS, *measure.run_columns())),
        ("QREL_COLUMNS", "qrels", (*measure.QREL_COLUMNS, *measure.qrel_columns())),
    )
    for attribute, table, columns in declared:
        for column in columns:
            if not isinstance(column, Column):
                yield f"{attribute} holds {column!r}; it must hold irmx.Column objects."
            elif column.table != table:
                yield f"{attribute} holds {column.name!r}, a column of the {column.table}."
            elif not column.desc:
                yield f"The column {column.name!r} has no description."
            elif not column.optional and not column.how:
                yield f"The column {column.name!r} does not say how to get it."


def check_citation(measure: Measure, data: Data) -> None:
    """It says what to cite, and ``irmx cite`` prints it: at least one ``irmx.Citation`` with author, title and year."""
    asked = "citations() must give irmx.Citation objects with author, title and year, at least one."
    found: tuple[Any, ...] = tuple(measure.citations())
    if not found:
        raise failure(measure, asked, "There are none.")
    for citation in found:
        if not isinstance(citation, Citation) or not {"author", "title", "year"} <= set(citation.fields):
            raise failure(measure, asked, f"There is {citation!r}.")


def check_examples(measure: Measure, data: Data) -> None:
    """``EXAMPLES`` are expressions of this measure with all required parameters, written as it prints them."""
    asked = "EXAMPLES must be expressions of it, at least one."
    if not measure.EXAMPLES:
        raise failure(measure, asked, "There are none.")
    for text in measure.EXAMPLES:
        with must_work(measure, f"{asked} {text!r} is one."):
            example = parse_measure(text)
            example.validate_params()
        if not isinstance(example, ir_measures.Measure) or example.NAME != measure.NAME or str(example) != text:
            raise failure(measure, asked, f"{text!r} is {example}.")


def check_parameters(measure: Measure, data: Data) -> None:
    """Invalid values of parameters are refused with the standard message.

    "The 'k' parameter of X must be ... Got ... instead." Of another type, outside the range, not among the choices, unknown
    names of named objects.
    """
    for name, param in measure.SUPPORTED_PARAMS.items():
        for value in illegal(param):
            standard = rf"The '{name}' parameter of {re.escape(str(measure.NAME))}\b.* Got .+"
            _refused(
                measure,
                {name: value},
                standard,
                f"The {name!r} parameter of {measure.NAME} must be ... Got ... instead.",
            )


class _Odd:
    """What no parameter takes."""

    def __repr__(self) -> str:
        return "<an object of no type that a parameter has>"


def illegal(param: Param) -> Iterator[Any]:
    """Yield values that a parameter must refuse.

    Examples
    --------
    >>> from irmx import Param
    >>> list(illegal(Param(int, "cutoff", low=1)))[1:]
    [None, True, 'no number', 1.5, 0]
    """
    yield _Odd()
    if type(param) is not Param:
        return
    if not param.nullable:
        yield None
    if param.kind:
        yield "no such name"
        return
    if param.allowed is not None:
        yield "no such choice"
        return
    if param.dtype in (int, float, number, duration):
        yield True
        yield "no number"
    if param.dtype is int:
        yield 1.5
    if param.dtype in (float, number):
        yield math.nan
        yield math.inf
    lowest = None if param.low is None else param.low - 1
    for value in (lowest, param.above, param.below, None if param.high is None else param.high + 1):
        if value is not None:
            yield [value] if param.dtype is list else {1: value} if param.dtype is dict else value
    if param.dtype is bool:
        yield 2
    if param.dtype is list:
        yield 3
        yield ["no number"]
    if param.dtype is dict:
        yield [1]
        yield {0.5: 1}
        yield {1: "no number"}


def legal(param: Param) -> Iterator[Any]:
    """Yield values that a parameter should take: every choice and every named object, some numbers and lists.

    Examples
    --------
    >>> from irmx import Param
    >>> list(legal(Param(float, "probability", low=0, high=1)))
    [0.25, 0.1, 0.3333333333333333, 1e-07]
    """
    if param.kind:
        yield from registry().symbols(param.kind).values()
    elif param.allowed is not None:
        yield from param.allowed
    elif type(param) is Param:
        lowest = -math.inf if param.low is None else param.low
        for value in _VALUES.get(param.dtype, ()):
            size = seconds(value) if param.dtype is duration else value
            size = min(value if param.dtype is list else value.values()) if param.dtype in (list, dict) else size
            highest = math.inf if param.high is None else param.high
            inside = (param.above is None or size > param.above) and (param.below is None or size < param.below)
            if lowest <= size <= highest and inside:
                yield value


_VALUES: dict[Any, tuple[Any, ...]] = {
    bool: (False, True),
    int: (1, 7, 1000000),
    float: (0.25, 0.1, 1 / 3, 1e-7, 2.5),
    number: (2, 0.1, 1000000, 1 / 3),
    duration: ("30s", 5400, 0.1),
    list: ([0.25, 1 / 3], [1, 2]),
    dict: ({1: 0.25}, {1: 7, 2: 0}),
}


def settings(measure: Measure) -> Iterator[Measure]:
    """Yield a measure as it is, and with another value of one parameter at a time, where it takes that."""
    yield measure
    for name, param in measure.SUPPORTED_PARAMS.items():
        for value in legal(param):
            try:
                made = measure(**{name: value})
                made.validate_params()
            except UsageError:
                continue
            yield made


def check_unknown_parameter(measure: Measure, data: Data) -> None:
    """A parameter that it does not have is refused: "X has no parameter 'k'. It has: ..."."""
    standard = rf"{re.escape(str(measure.NAME))} has no parameter 'no_such_parameter'"
    _refused(measure, {"no_such_parameter": 1}, standard, f"{measure.NAME} has no parameter ...", UnknownNameError)


def _refused(
    measure: Measure, params: dict[str, Any], pattern: str, standard: str, kind: type[UsageError] = UsageError
) -> None:
    """Raise if parameters are taken, or refused with another error or text."""
    said = ", ".join(f"{name}={value!r}" for name, value in params.items())
    asked = f"With {said} it must raise {kind.__name__}: {standard!r}."
    if not re.search(pattern, text := text_of_refusal(measure, asked, kind, lambda: measure(**params)), re.DOTALL):
        raise failure(measure, asked, f"The text is: {text}")


def check_required_parameters(measure: Measure, data: Data) -> None:
    """Without a required parameter it can be constructed, and scoring says what is missing."""
    for name, param in measure.SUPPORTED_PARAMS.items():
        if param.required:
            without = type(measure)(**{k: v for k, v in measure.params.items() if k != name})
            asked = f"Without {name} validate_params must raise UsageError: '{measure.NAME} needs the parameter {name!r} ...'."
            text = text_of_refusal(measure, asked, UsageError, without.validate_params)
            if f"needs the parameter {name!r}" not in text:
                raise failure(measure, asked, f"The text is: {text}")


def check_default_parameters(measure: Measure, data: Data) -> None:
    """Setting a parameter to its default changes nothing: the measure is equal, and so is its text."""
    for name, param in measure.SUPPORTED_PARAMS.items():
        if name in measure.params or not param.has_default:
            continue
        asked = f"{name}={param.default!r}, its default, must change nothing."
        with must_work(measure, asked):
            given = measure(**{name: param.default})
        if given != measure or hash(given) != hash(measure) or given[name] != measure[name]:
            raise CheckError(f"{measure}: {asked} It gave {given!r}, where {name} is {given[name]!r}.")


def check_expression(measure: Measure, data: Data) -> None:
    """The text of a measure, in other settings too, parses back to an equal measure, by the ``parse_measure`` of irmx and of ir_measures."""
    for one in settings(measure):
        _require_parsed(one)


def _require_parsed(measure: Measure) -> None:
    asked = f"Its text {str(measure)!r}, of the parameters {measure.params}, must parse back to an equal measure."
    for parse in (parse_measure, ir_measures.parse_measure):
        with must_work(measure, asked):
            found = parse(str(measure))
        if type(found) is not type(measure) or repr(found) != repr(measure) or not _same_parameters(found, measure):
            raise failure(
                measure, asked, f"It is {found!r} of {type(found).__name__}, with the parameters {found.params}."
            )


def check_equality(measure: Measure, data: Data) -> None:
    """Measures are equal, with equal hashes, exactly if their parameters are."""
    again = type(measure)(**measure.params)
    if again != measure or hash(again) != hash(measure):
        raise failure(
            measure, "Made with the same parameters it must be equal, and have the same hash.", f"It is {again!r}."
        )
    others: list[Any] = [str(measure), None, *(m for m in settings(measure) if not _same_parameters(m, measure))]
    for other in others:
        if measure == other:
            found = f"It equals {other!r} of the parameters {getattr(other, 'params', None)}."
            raise failure(measure, "It must differ from other objects and settings.", found)


def _same_parameters(one: Measure, other: Measure) -> bool:
    """Tell whether two measures of one class have the same parameters, given or by default."""
    return all(one[name] == other[name] for name in other.SUPPORTED_PARAMS)


def check_copies(measure: Measure, data: Data) -> None:
    """A copy, a deep copy and a pickle of every protocol are equal, in other settings too, and give the same values."""
    sample = data.some(measure)
    expected = values(measure, sample)
    ways: dict[str, Any] = {"copy.copy": copy.copy, "copy.deepcopy": copy.deepcopy}
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        ways[f"pickle of protocol {protocol}"] = partial(_through_pickle, protocol=protocol)
    for name, way in ways.items():
        with must_work(measure, f"{name} must work."):
            found = way(measure)
        _require_equal(measure, name, found)
        asked = f"{name} must give a measure with the same values."
        require_same(measure, asked, expected, values(found, sample), name, sample)
    for one in settings(measure):
        _require_equal(one, "A pickle", _through_pickle(one))


def _through_pickle(measure: Measure, protocol: int | None = None) -> Measure:
    """Return what a pickle of a measure gives back; it was made here, in this process, and never comes from a file or a user."""
    found: Measure = pickle.loads(pickle.dumps(measure, protocol))  # noqa: S301
    return found


def _require_equal(measure: Measure, name: str, found: Measure) -> None:
    if found != measure or hash(found) != hash(measure) or not _same_parameters(found, measure):
        asked = f"{name} must give an equal measure."
        raise failure(measure, asked, f"It gave {found!r} for one of the parameters {measure.params}.")


def check_joblib(measure: Measure, data: Data) -> None:
    """It scores in another process, as in a sweep: joblib with loky."""
    from joblib import Parallel, delayed

    sample = data.some(measure)
    plain = Sample(sample.qrels, sample.run)
    with must_work(measure, "It must score in another process, where its class must be importable."):
        [(found, there)] = Parallel(n_jobs=2, backend="loky")([delayed(_elsewhere)(measure, plain)])
    if there != repr(measure):
        raise failure(measure, "It must be an equal measure in another process.", f"It is {there} there.")
    asked = "Another process must give the same values."
    require_same(measure, asked, values(measure, sample), found, "in another process", sample)


def _elsewhere(measure: Measure, sample: Sample) -> tuple[Values, str]:
    """Return the values that another process computes, and what the measure is there."""
    return values(measure, sample), repr(measure)
