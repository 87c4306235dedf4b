"""The per-topic results in one file, whichever tool printed them."""

from __future__ import annotations

import csv
import io
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

import numpy as np

from irmx import DataError, DataWarning, Param, Scores, Table, UsageError, read_table
from irmx.ragged import Floats
from irmx.toolkit import content_of, some
from irmx_study.per_topic.looked_up_measures import MeasureNames

WHAT = "per-topic results"
_TOPIC = ("query_id", "qid", "topic")
_SYSTEM = ("system", "run", "name")
_SUMMARY = "all"
"""The query id under which tools print the mean over topics."""
_TEXTS = ("runid", "relstring")
"""What trec_eval prints that is not a number."""
_INDEX = "__index_level_0__"
"""The column in which pandas writes the numbers of rows to parquet; in csv its name is empty."""
_TREC = "the output of trec_eval -q"
_IR_MEASURES = "the output of ir_measures -q or irmx eval -q"
_IRMX = "the output of irmx eval -q of several runs"
KINDS = (
    f"per-topic results are {_TREC} or of ir_measures -q or irmx eval -q; a csv or tsv with a header and a column query_id "
    "(or qid, topic), and either the columns measure and value, and system (or run, name) for several systems, or one column "
    "per system; JSON Lines with these names; or a parquet file of irmx.Scores"
)


@dataclass(frozen=True)
class TopicResults:
    """One value per row.

    Attributes
    ----------
    path : str
        The file.
    form : str
        As what the file was read, for messages.
    topics, measures : sequence of str
        The query id and the name of the measure of every row.
    systems : sequence of str or None
        The system of every row; None if the file is of one system, which it does not name.
    values : float array
        The values.
    place : function
        Returns the file and the lines of some rows.
    measure_used : bool
        Whether the measure came from the caller.
    scores : Scores or None
        The scores, if they are those of a parquet file of irmx.
    """

    path: str
    form: str
    topics: Sequence[str]
    systems: Sequence[str] | None
    measures: Sequence[str]
    values: Floats
    place: Callable[[Sequence[int]], str]
    measure_used: bool = False
    scores: Scores | None = None

    def refuse(self, rows: Sequence[int], text: str) -> DataError:
        """Return an error about rows, which says as what the file was read."""
        return DataError(f"{self.place(rows)}: {text} The file was read as {self.form}.")


def read_topic_results(path: str, measure: str | None, names: MeasureNames, alone: bool) -> TopicResults:
    """Read the results in a file, whose format is detected by its content.

    Parameters
    ----------
    path : str
        The file; plain or compressed.
    measure : str, optional
        What a table with one column per system holds.
    names : MeasureNames
        The known measures.
    alone : bool
        Whether it is the only file, so that rows need no query id to be paired.

    Raises
    ------
    irmx.DataError
        If the format is unknown, or a line is wrong; the message names the line.
    """
    content = content_of(path, WHAT)
    if content[:4] == b"PAR1":
        return _of_parquet(path, content, measure, names, alone)
    if not content.strip():
        raise DataError(f"{path} is empty: {KINDS}.")
    first = content.lstrip().split(b"\n", 1)[0].decode("utf-8", "replace").strip()
    if first.startswith("{"):
        return _of_table(path, content, None, measure, names, alone)
    fields = first.split("\t") if "\t" in first else first.split()
    if len(fields) in (3, 4) and (_is_number(fields[-1]) or fields[0].strip() in _TEXTS):
        return _of_lines(path, content, names)
    if len(fields) == 2 and _is_number(fields[1]):
        raise DataError(
            f"{path}, line 1: {first!r} looks like a mean. Print the values of all topics, with the option -q."
        )
    if "\t" not in first and "," not in first:
        raise DataError(f"{path}, line 1: {first[:100]!r} is not understood; {KINDS}.")
    return _of_table(path, content, _header(path, content, "\t" if "\t" in first else ","), measure, names, alone)


def _header(path: str, content: bytes, delimiter: str) -> list[str]:
    """Return the names of the columns of a csv or tsv file; quoted ones may contain line breaks."""
    text = io.StringIO(_text_of(path, content).lstrip(), newline="")
    try:
        return [field.strip() for field in next(csv.reader(text, delimiter=delimiter))]
    except csv.Error as error:
        raise DataError(f"{path}: the header cannot be read ({error}); {KINDS}.") from None


def _is_number(text: str) -> bool:
    try:
        _number(text)
    except ValueError:
        return False
    return True


def _number(text: str) -> float:
    """Return the number that a text is; Python also reads 1_5 as one, which is a misprint here."""
    if "_" in text:
        raise ValueError(text)
    return float(text)


# -- lines without a header --------------------------------------------------------------------------------


def _of_lines(path: str, content: bytes, names: MeasureNames) -> TopicResults:
    """Read lines of a measure, a topic and a value, in the order of trec_eval or of ir_measures, or with the run before."""
    lines = _text_of(path, content).split("\n")
    numbers = [number for number, line in enumerate(lines, start=1) if line.strip()]
    filled = [lines[number - 1] for number in numbers]
    if "\t" not in filled[0]:
        filled = ["\t".join(line.split()) for line in filled]
    width = filled[0].count("\t") + 1
    for number, line in zip(numbers, filled, strict=True):
        if line.count("\t") != width - 1:
            fields = line.count("\t") + 1
            raise DataError(f"{path}, line {number}: {fields} fields where the first line has {width}.")
    cells = "\t".join(filled).split("\t")
    columns = [list(map(str.strip, cells[c::width])) for c in range(width)]
    form, (t, m) = (_IRMX, (1, 2)) if width == 4 else _order(path, columns[0], columns[1], names)
    kept = [
        i
        for i, (topic, measure) in enumerate(zip(columns[t], columns[m], strict=True))
        if topic != _SUMMARY and measure not in _TEXTS
    ]
    topics, measures, texts = ([columns[c][i] for i in kept] for c in (t, m, -1))

    def place(places: Sequence[int]) -> str:
        return f"{path}, line{'s' * (len(places) > 1)} {' and '.join(str(numbers[kept[p]]) for p in places)}"

    try:
        values = np.array([_number(text) for text in texts])
    except ValueError:
        bad = next(i for i, text in enumerate(texts) if not _is_number(text))
        raise DataError(
            f"{place([bad])}: the value of {measures[bad]} for topic {topics[bad]} must be a number. Got {texts[bad]!r} "
            f"instead. The file was read as {form}."
        ) from None
    if "" in topics:
        raise DataError(f"{place([topics.index('')])}: the topic is empty. The file was read as {form}.")
    systems = [columns[0][i] for i in kept] if width == 4 else None
    return TopicResults(path, form, topics, systems, measures, values, place)


def _order(path: str, first: Sequence[str], second: Sequence[str], names: MeasureNames) -> tuple[str, tuple[int, int]]:
    """Return the format of lines of three fields, and the columns of the topic and the measure."""
    trec, ir = (_TREC, (1, 0)), (_IR_MEASURES, (0, 1))
    if _SUMMARY in second or not set(_TEXTS).isdisjoint(first):
        return trec
    if _SUMMARY in first:
        return ir
    measures = [any(name in names for name in islice(dict.fromkeys(column), 50)) for column in (first, second)]
    if measures[0] == measures[1]:
        raise DataError(
            f"{path}, line 1: which of {first[0]!r} and {second[0]!r} is the topic, and which is the measure? irmx knows "
            f"{'both' if measures[0] else 'neither'} as measures. Put the line query_id<tab>measure<tab>value, or "
            "measure<tab>query_id<tab>value, at the start."
        )
    return trec if measures[0] else ir


def _text_of(path: str, content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"{path}, line {line}: the byte {content[error.start]:#04x} is not UTF-8. Save the file as UTF-8."
        ) from None


# -- tables ------------------------------------------------------------------------------------------------


def _of_parquet(path: str, content: bytes, measure: str | None, names: MeasureNames, alone: bool) -> TopicResults:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        schema = pq.read_schema(pa.BufferReader(content))
    except (pa.ArrowInvalid, OSError) as error:
        raise DataError(f"{path} cannot be read as a parquet file of {WHAT}: {error}") from None
    if b"irmx_scores" not in (schema.metadata or {}):
        return _of_table(path, content, list(schema.names), measure, names, alone)
    scores = Scores.read_parquet(path)
    frame = scores.frame()
    columns = [frame[c].tolist() for c in ("query_id", "system", "measure")]
    values = frame["value"].to_numpy(dtype=float)
    return TopicResults(
        path, "a file of irmx.Scores", columns[0], columns[1], columns[2], values, lambda rows: path, scores=scores
    )


def _of_table(
    path: str, content: bytes, header: list[str] | None, measure: str | None, names: MeasureNames, alone: bool
) -> TopicResults:
    """Read a table with column names, which for JSON Lines are those of the tidy form."""
    if header is None or {"measure", "value"} <= set(header):
        return _of_tidy(path, content)
    return _of_wide(path, content, header, measure, names, alone)


def _of_tidy(path: str, content: bytes) -> TopicResults:
    """Read one row per topic, system and measure."""
    declared = {"query_id": str, "measure": str, "value": Param(float, "the value", required=True, nullable=True)}
    systems = {name: Param(str, "the system") for name in _SYSTEM}
    form = "a table with one row per topic, system and measure"
    table = _checked(path, content, {**declared, **systems}, form)
    system = next((name for name in _SYSTEM if name in table), None)
    rows = np.flatnonzero(table["query_id"] != _SUMMARY)
    topics, measures = (table[name][rows].tolist() for name in ("query_id", "measure"))
    return TopicResults(
        path,
        form if system else "a table with one row per topic and measure of one system",
        topics,
        table[system][rows].tolist() if system else None,
        measures,
        table["value"][rows],
        lambda of: table.place([int(rows[i]) for i in of]),
    )


def _of_wide(
    path: str, content: bytes, header: list[str], measure: str | None, names: MeasureNames, alone: bool
) -> TopicResults:
    """Read one row per topic: the columns are systems, or, without a measure, the measures of one system."""
    topic = next((name for name in _TOPIC if name in header), None)
    columns = [name for name in header if name not in ("", _INDEX, *_TOPIC)]
    if not columns:
        raise DataError(f"{path} has no column of values, only {some(header)}; {KINDS}.")
    if topic is None and not alone:
        raise DataError(
            f"{path} has no column query_id (or qid, topic), without which the topics of several files cannot be matched. "
            f"It has: {some(columns)}."
        )
    of_systems = measure is not None and columns != [measure]
    if measure is None and len(columns) > 1 and not all(name in names for name in columns):
        raise UsageError(
            f"{path} has the columns {some(columns)}, which are not all measures of irmx. If they are systems, say what "
            "measure the table holds: --measure NAME, or measure='NAME' in Python."
        )
    form = f"a table of one row per topic, with one column per {'system' if of_systems else 'measure'}"
    declared = {name: Param(float, "", required=True, nullable=True) for name in columns}
    table = _checked(path, content, ({"query_id": str} if topic else {}) | declared, form)
    count = len(table)
    ids = table["query_id"].tolist() if topic else [str(number) for number in range(1, count + 1)]
    rows = [i for i, query_id in enumerate(ids) if query_id != _SUMMARY]
    if topic is None:
        message = f"{path} has no column query_id (or qid, topic); its rows are taken as topics, numbered from 1"
        warnings.warn(message, DataWarning, stacklevel=5)
    repeated = list(chain.from_iterable([name] * len(rows) for name in columns))
    return TopicResults(
        path,
        form,
        [ids[i] for i in rows] * len(columns),
        repeated if of_systems else None,
        [str(measure)] * len(repeated) if of_systems else repeated,
        np.concatenate([table[name][rows] for name in columns]),
        lambda of: table.place(list(dict.fromkeys(rows[i % len(rows)] for i in of))),
        measure_used=measure is not None,
    )


def _checked(path: str, content: bytes, columns: dict[str, Any], form: str) -> Table:
    try:
        return read_table(path, columns, WHAT, content=content)
    except DataError as error:
        raise DataError(f"{error} The file was read as {form}.", error.rows) from None
