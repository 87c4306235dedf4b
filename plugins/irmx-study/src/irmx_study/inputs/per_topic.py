"""Per-topic results of other tools, read as scores."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import ir_measures
import numpy as np
import pandas as pd

from irmx import DataError, DataWarning, Measure, Param, Scores, Table, UsageError, read_table, registry
from irmx.toolkit import (
    MARKS,
    NamedMeasure,
    as_number,
    content_of,
    file_digest,
    list_some,
    matching_files,
    measure_named,
    named_runs,
    path_of,
    plural,
    scores_in_format,
    suggest,
    versions_of,
)
from irmx_study.inputs.views import labelled_names, named_path, of_files, repeated

WHAT = "per-topic results"
_TOPIC = (
    "query_id", "qid", "topic", "topic_id", "query_number", "topic_number", "question_id", "task_id", "instance_id", "sample_id",
    "example_id", "item_id", "query", "question", "id", "item", "index",
)  # fmt: skip
"""The names of columns of ids, without regard to case and signs between words; of several, the first of these is used."""
_TOPIC_OR_SYSTEM = ("id", "item", "index")
"""Those of them that may also be names of systems."""
_SYSTEM = ("system", "run", "run_id", "name")
_ROUNDING = 1e-6
"""By how much a value may lie outside the range of its measure, as other tools round."""
_SUMMARY = "all"
"""The query id under which tools print the mean over topics."""
_TEXTS = ("runid", "relstring")
"""What trec_eval prints that is not a number."""
_OTHER_IDS = "qid, topic, id, ..."
_INDEX = "__index_level_0__"
"""The column in which pandas writes the numbers of rows to parquet; in csv its name is empty."""
_COLUMNS = ["query_id", "system", "measure", "value", "state"]
_TREC = "the output of trec_eval -q"
_RANKING = "lines of topic, Q0, run, 0, value and measure"
_LAYOUTS = {
    _TREC: ("measure", "query_id", "value"),
    "the output of ir_measures -q or irmx eval -q": ("query_id", "measure", "value"),
    "lines of run, measure, topic and value": ("system", "measure", "query_id", "value"),
    "the output of irmx eval -q of several runs": ("system", "query_id", "measure", "value"),
    _RANKING: ("query_id", "Q0", "system", "0", "value", "measure"),
}
"""The columns of lines without a header; of two of the same length, the measure stands first in the first."""
_PLATFORM = "results of another platform"
KINDS = (
    f"per-topic results are {_TREC} or of ir_measures -q or irmx eval -q; a csv or tsv with a header and a column query_id "
    f"(or {_OTHER_IDS}), and either the columns measure and value, and system (or run, name) for several systems, or one column "
    "per system; JSON Lines with these names; a parquet file of irmx.Scores; or a file in the format of a plugin, as irmx-platforms has them"
)


Known = Callable[[str], ir_measures.Measure]
"""Returns the measure of irmx, ir_measures or trec_eval with a name, otherwise one that has only the name."""


@dataclass(frozen=True)
class TopicResults:
    """The results in a file.

    ``rows`` has the columns query_id, measure and value, and system and state if the file has them; the index is their place in
    the file.
    """

    path: str
    form: str
    rows: pd.DataFrame
    place: Callable[[Sequence[int]], str]
    measure_used: bool = False
    scores: Scores | None = None

    def refuse(self, rows: Sequence[int], text: str) -> DataError:
        """Return an error about rows, which says as what the file was read."""
        places = dict.fromkeys(self.rows.index[list(rows)].tolist())
        return DataError(f"{self.place(list(places))}: {text} The file was read as {self.form}.")


def read_topic_results(path: str, measure: str | None, known: Known, alone: bool) -> TopicResults:
    """Read the results in a file, whose format is detected by its content or named before it."""
    content = _content_of_folder(path) if os.path.isdir(path) else content_of(path_of(path), WHAT)
    is_parquet = content[:4] == b"PAR1"
    if is_parquet and b"irmx_scores" in _metadata_of_parquet(path, content):
        scores = Scores.read_parquet(path)
        rows = scores.frame().filter(_COLUMNS)
        return TopicResults(path, "a file of irmx.Scores", rows, lambda _: path, scores=scores)
    if (table := scores_in_format(path, content)) is not None:
        columns = {name: table[name] for name in ("query_id", "system", "measure", "value") if name in table}
        return TopicResults(path, _PLATFORM, pd.DataFrame(columns), table.place)
    if not content.strip():
        raise DataError(f"{path} is empty: {KINDS}.")
    first = content.lstrip().split(b"\n", 1)[0].decode("utf-8", "replace").strip()
    if is_parquet or first.startswith("{"):
        return _of_table(path, content, measure, known, alone)
    fields = first.split("\t") if "\t" in first else first.split()
    is_number = [as_number(field) is not None for field in fields]
    are_values = len(fields) in (3, 4) and (is_number[-1] or fields[0].strip() in _TEXTS)
    if are_values or (len(fields) == 6 and is_number[3] and is_number[4]):
        return _of_lines(path, content, known)
    if len(fields) == 2 and is_number[1]:
        raise DataError(
            f"{path}, line 1: {first!r} looks like a mean. Print the values of all topics, with the option -q."
        )
    if "\t" not in first and "," not in first:
        _text_of(path, content)
        raise DataError(f"{path}, line 1: {first[:100]!r} is not understood; {KINDS}.")
    return _of_table(path, content, measure, known, alone)


def _content_of_folder(folder: str) -> bytes:
    """Return the parts in a folder of Parquet, as Spark, Ray and Dask write it, as one file."""
    import pyarrow as pa
    from pyarrow import dataset, parquet

    try:
        rows = dataset.dataset(folder, format="parquet", partitioning="hive").to_table()
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"{folder} cannot be read as a folder of Parquet files of {WHAT}: {error}") from None
    if not rows.num_columns:
        raise DataError(f"{folder} is a folder without Parquet files; {KINDS}, or a folder of Parquet files.")
    out = pa.BufferOutputStream()
    parquet.write_table(rows.replace_schema_metadata(None), out)
    return bytes(out.getvalue())


# -- lines without a header --------------------------------------------------------------------------------


def _of_lines(path: str, content: bytes, known: Known) -> TopicResults:
    """Read lines of a measure, a topic and a value, in the order of trec_eval or of ir_measures, or with the run before."""
    lines = {number: line for number, line in enumerate(_text_of(path, content).split("\n"), start=1) if line.strip()}
    separator = "\t" if "\t" in next(iter(lines.values())) else None
    cells = [list(map(str.strip, line.split(separator))) for line in lines.values()]
    for number, fields in zip(lines, cells, strict=True):
        if len(fields) != len(cells[0]):
            raise DataError(f"{path}, line {number}: {len(fields)} fields where the first line has {len(cells[0])}.")
    rows = pd.DataFrame(cells, index=list(lines), dtype=object)
    form = _form(path, rows, known)
    rows.columns = pd.Index(_LAYOUTS[form])
    if form == _RANKING and set(rows["0"]) != {"0"}:
        raise DataError(f"{path} is a run, not {WHAT}: irmx eval scores it, and compares runs.")
    rows = rows[(rows["query_id"] != _SUMMARY) & ~rows["measure"].isin(_TEXTS)]

    def place(lines: Sequence[int]) -> str:
        return f"{path}, line{'s' * (len(lines) > 1)} {' and '.join(map(str, lines))}"

    values = list(map(as_number, rows["value"]))
    results = TopicResults(path, form, rows.filter(["query_id", "system", "measure"]).assign(value=values), place)
    if None in values:
        bad = values.index(None)
        topic, measure, text = rows[["query_id", "measure", "value"]].iloc[bad]
        raise results.refuse([bad], f"the value of {measure} for topic {topic} must be a number. Got {text!r} instead.")
    if not rows["query_id"].all():
        raise results.refuse([list(rows["query_id"]).index("")], "the topic is empty.")
    return results


def _form(path: str, rows: pd.DataFrame, known: Known) -> str:
    """Return the format of lines: of two of the same length, by which of the last columns before the value has measures."""
    forms = [form for form, columns in _LAYOUTS.items() if len(columns) == len(rows.columns)]
    if len(forms) == 1:
        return forms[0]
    trec, ir_measures_or_irmx = forms
    first, second = (rows[len(rows.columns) - place] for place in (3, 2))
    if (second == _SUMMARY).any() or first.isin(_TEXTS).any():
        return trec
    if (first == _SUMMARY).any():
        return ir_measures_or_irmx
    measures = [
        any(not isinstance(known(name), NamedMeasure) for name in column.unique()[:50]) for column in (first, second)
    ]
    if measures[0] == measures[1]:
        run = "run<tab>" * (len(rows.columns) == 4)
        forms_of_platforms = " or ".join(f"autojudge(form={form}):{path}" for form in ("ir_measures", "tot"))
        named = f" Or name the order, with irmx-platforms: {forms_of_platforms}." if run else ""
        raise DataError(
            f"{path}, line 1: which of {first.iloc[0]!r} and {second.iloc[0]!r} is the topic, and which is the measure? irmx knows "
            f"{'both' if measures[0] else 'neither'} as measures. Put the line {run}query_id<tab>measure<tab>value, or "
            f"{run}measure<tab>query_id<tab>value, at the start, and tabs between the fields.{named}"
        )
    return trec if measures[0] else ir_measures_or_irmx


def _text_of(path: str, content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"{path}, line {line}: the byte {content[error.start]:#04x} is not UTF-8. Save the file as UTF-8."
        ) from None


# -- tables ------------------------------------------------------------------------------------------------


def _metadata_of_parquet(path: str, content: bytes) -> dict[bytes, bytes]:
    """Return what is written beside the columns."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return pq.read_schema(pa.BufferReader(content)).metadata or {}
    except (pa.ArrowInvalid, OSError, ValueError) as error:
        raise DataError(f"{path} cannot be read as a parquet file of {WHAT}: {error}") from None


def _of_table(path: str, content: bytes, measure: str | None, known: Known, alone: bool) -> TopicResults:
    """Read a table with column names."""
    table = read_table(path, {}, WHAT, content=content)
    order = [*map(_plain, _TOPIC)]
    ids = sorted((name for name in table.names if _plain(name) in order), key=lambda name: order.index(_plain(name)))
    if {"measure", "value"} <= set(table.names):
        return _of_tidy(path, table, ids)
    return _of_wide(path, table, ids, measure, known, alone)


def _with_parameters(measure: str, values: dict[str, str]) -> str:
    """Return the text of a measure with further parameters.

    >>> _with_parameters("NCP@10", {"law": "first", "rel": "2.0"})
    'NCP(law=first,rel=2)@10'
    """
    parts = re.fullmatch(r"([^(@]*)(?:\((.*)\))?(@.*)?", measure)
    given = [f"{name}={value.removesuffix('.0')}" for name, value in values.items() if value]
    if parts is None or not given:
        return measure
    return f"{parts[1]}({','.join([*filter(None, [parts[2]]), *given])}){parts[3] or ''}"


def _of_tidy(path: str, table: Table, ids: Sequence[str]) -> TopicResults:
    """Read one row per topic, system and view."""
    header, form = table.names, "a table with one row per topic, system and measure"
    if not ids:
        raise DataError(
            f"{path} lacks the column query_id (or {_OTHER_IDS}). It has: {list_some(header)}. It was read as {form}."
        )
    table = table.renamed(["query_id" if name == ids[0] else name for name in header])
    # columns of parameters are between these two, as sweeps of irmx 0.2 wrote them
    between = header[header.index("measure") + 1 : header.index("value")]
    parameters = [name for name in between if name not in (*MARKS, *_SYSTEM, *ids) and "." not in name]
    declared = {name: Param(str, "", required=True) for name in ("query_id", "measure")}
    declared["value"] = Param(float, "the value", required=True, nullable=True)
    declared |= {name: Param(str, "the system") for name in _SYSTEM}
    declared |= {name: Param(str, "what a view depends on", nullable=True) for name in (*MARKS, *parameters, "state")}
    _check(table, declared, form)
    cells = pd.DataFrame({name: table[name] for name in declared if name in table}, dtype=object)
    cells = cells[cells["query_id"] != _SUMMARY].copy()
    if parameters:
        cells["measure"] = list(map(_with_parameters, cells["measure"], cells[parameters].to_dict("records")))
    if (system := next((name for name in _SYSTEM if name in cells), None)) is not None:
        cells["system"] = cells[system]
    else:
        form = "a table with one row per topic and measure of one system"
    rows, scores = cells.filter(_COLUMNS).astype({"value": float}), None
    marks = {name: _numbers_or_texts(cells[name]) for name in MARKS if name in cells}
    if marks and system is not None:
        scores = Scores.from_frame(rows.assign(**marks))
    return TopicResults(path, form, rows, table.place, scores=scores)


def _numbers_or_texts(texts: Iterable[str]) -> list[Any]:
    """Return a mark as numbers, where all are; one that is empty stays so."""
    numbers = [as_number(text) if text else "" for text in texts]
    return list(texts) if None in numbers else numbers


def _of_wide(
    path: str, table: Table, known_ids: Sequence[str], measure: str | None, known: Known, alone: bool
) -> TopicResults:
    """Read one row per topic: the columns are systems, or, without a measure, the measures of one system."""
    header = table.names
    topic = known_ids[0] if known_ids else None
    columns = [name for name in header if name not in ("", _INDEX, *known_ids)]
    if not columns:
        raise DataError(f"{path} has no column of values, only {list_some(header)}; {KINDS}.")
    if topic is None and not alone:
        raise DataError(
            f"{path} has no column query_id (or {_OTHER_IDS}), without which the topics of several files cannot be matched. "
            f"It has: {list_some(columns)}."
        )
    of_systems = measure is not None and columns != [measure]
    if measure is None and len(columns) > 1 and any(isinstance(known(name), NamedMeasure) for name in columns):
        if (no_numbers := next((name for name in columns if table.values(name).dtype == object), None)) is not None:
            raise DataError(f"{path}: the column {no_numbers!r} has other values than numbers; {KINDS}.")
        raise UsageError(
            f"{path} has the columns {list_some(columns)}, which are not all measures of irmx. If they are systems, say what "
            "measure the table holds: --measure NAME, or measure='NAME' in Python."
        )
    form = f"a table of one row per topic, with one column per {'system' if of_systems else 'measure'}"
    declared = {name: Param(float, "", required=True, nullable=True) for name in columns}
    unsure = [name for name in known_ids if _plain(name) in _TOPIC_OR_SYSTEM]
    of_ids = {name: Param(str, "", required=True) for name in [*([topic] if topic else []), *unsure]}
    _check(table, of_ids | declared, form)
    _refuse_two_readings(path, table, unsure, columns if of_systems and topic is None else ())
    ids = table[topic] if topic else np.arange(1, len(table) + 1).astype(str)
    kept = np.flatnonzero(ids != _SUMMARY)
    if topic is None:
        message = f"{path} has no column query_id (or {_OTHER_IDS}); its rows are taken as topics, numbered from 1"
        warnings.warn(message, DataWarning, stacklevel=5)
    names = np.repeat(np.array(columns, dtype=object), len(kept))
    rows = pd.DataFrame(
        {
            "query_id": np.tile(ids[kept].astype(object), len(columns)),
            "measure": str(measure) if of_systems else names,
            **({"system": names} if of_systems else {}),
            "value": np.concatenate([table[name][kept] for name in columns]),
        },
        index=np.tile(kept, len(columns)),
    )
    return TopicResults(path, form, rows, table.place, measure_used=measure is not None)


def _plain(name: str) -> str:
    """Return the name of a column without case and signs between words.

    >>> _plain("Query-ID"), _plain("query_id")
    ('queryid', 'queryid')
    """
    return re.sub(r"[\W_]", "", name).lower()


def _refuse_two_readings(path: str, table: Table, unsure: Sequence[str], columns: Sequence[str]) -> None:
    """Raise for a column of ids that may be a system, or a column of different whole numbers, beside fractions, that may be ids."""
    readings = {}
    for name in unsure:
        if texts := [text for text in table[name].tolist() if not (as_number(text) or 0.0).is_integer()]:
            readings[name] = f"the name of a column of ids, and values such as {texts[0]}"
    whole = [name for name in columns if (np.floor(table[name]) == table[name]).all()]
    for name in whole if len(whole) < len(columns) else ():
        values = table[name]
        if len(np.unique(values)) == len(values) > 1 < values.max():
            readings[name] = f"different whole numbers, such as {values[0]:g}, beside columns of fractions"
    for name, found in readings.items():
        raise UsageError(
            f"{path}: the column {name!r} has {found}. If it holds the ids of topics, name it query_id; if it is a system, name it "
            "otherwise, and add a column query_id with the ids of the topics."
        )


def _check(table: Table, columns: dict[str, Param], form: str) -> None:
    try:
        table.declare(columns)
    except DataError as error:
        raise DataError(f"{error} The file was read as {form}.", error.rows) from None


def read_per_topic(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    measure: str | None = None,
    names: Sequence[str] | Mapping[str, str] | None = None,
) -> Scores:
    r"""Read per-topic results of other tools as scores.

    The format of each file is detected by its content. It may be compressed.

    * The output of ``trec_eval -q``, ``ir_measures -q`` or ``irmx eval -q``: a file per system, named after the file;
      ``irmx eval -q`` also for several runs, and as csv or JSON Lines.
    * A csv, tsv or JSON Lines with one row per value: ``query_id`` (or ``qid``, ``topic``), ``measure``, ``value``, and
      for several systems ``system`` (or ``run``, ``name``), as :meth:`irmx.Scores.frame` and
      ``pt.Experiment(..., perquery=True)`` have.
    * One with one row per topic: ``query_id`` (or ``qid``, ``topic``, ``id``, ...) and one column per
      system, if ``measure`` says what they hold; otherwise one column per measure of one system. A single file may lack the
      query ids; its rows are then numbered from 1.
    * A file in a format of a plugin, such as logs of Inspect or results of promptfoo, which irmx-platforms reads; ``NAME:path``
      names the format.
    * A parquet file of any of these tables, or that :meth:`irmx.Scores.to_parquet` wrote; or a folder of parts of such a table,
      as Spark, Ray and Dask write it.

    Lines with the query id ``all``, which are means, are ignored.

    Parameters
    ----------
    paths : path, or iterable of paths
        The files; globs are expanded. ``NAME=path`` names the system of a file.
    measure : str, optional
        The measure of tables with one column per system.
    names : sequence of str, or dict of str to str, optional
        The names of the systems: one per file of one system; or by the name or path of the file, or the name that the system has in
        its file. By default those that the files have, otherwise the names of the files.

    Returns
    -------
    Scores
        The measures that all systems have. A measure that irmx does not know keeps its name. A topic that a system lacks
        has the measure's default, which is 0 for an unknown measure.

    Raises
    ------
    irmx.errors.DataError
        If a format is unknown, a value is missing, not a finite number or outside the range of its measure, or a topic has two
        values; if two files have the same system, or systems have no topic or no measure in common. The message names file and line.
    irmx.errors.UsageError
        If the measure is missing, or is given where the files name their measures; if a file is given twice; if there
        are not as many names as files.

    Warns
    -----
    irmx.errors.DataWarning
        About topics that a system lacks, measures that not all systems have, and rows without query ids.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for system, values in {"bm25": (0.5, 0.25), "titles": (0.75, 0.5)}.items():
    ...         lines = [f"map\t{topic}\t{value}\n" for topic, value in zip(("401", "402"), values)]
    ...         _ = pathlib.Path(folder, system).write_text("".join(lines) + f"map\tall\t{sum(values) / 2}\n")
    ...     scores = read_per_topic(folder + "/*")
    >>> scores
    <Scores of 2 topics, 2 systems, 1 measure: AP>
    >>> scores["AP"].tolist()
    [[0.5, 0.75], [0.25, 0.5]]
    """
    files, given, labels = _named_files(paths, names)
    known = cache(measure_named)
    results = {name: read_topic_results(path, measure, known, len(files) == 1) for name, path in files.items()}
    _refuse_unused(results, measure, given, labels)
    for of_file in results.values():
        _refuse_outside(of_file, known)
    if len(results) == 1 and (alone := next(iter(results.values())).scores) is not None:
        return replace(alone, systems=labelled_names(alone.systems, labels))
    for each in results.values():
        if each.scores is not None and each.scores.marks:
            raise UsageError(f"{each.path} has views that differ in {', '.join(each.scores.marks)}. Give it alone.")
    together = _together(results, given, known)
    return replace(together, systems=labelled_names(together.systems, labels))


def _named_files(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], names: Sequence[str] | Mapping[str, str] | None
) -> tuple[dict[str, str], Container[str], dict[str, str]]:
    """Return the files by the names of their systems, which of these names are given, and those for systems within files.

    A file may be given once; a name may stand before it.
    """
    files, by_path = dict[str, str](), dict[str, str]()
    for one in [paths] if isinstance(paths, (str, os.PathLike)) else paths:
        name, pattern = named_path(os.fspath(one))
        for file in matching_files(pattern):
            path = os.path.realpath(file)
            if path in by_path:
                raise UsageError(f"The same file is given twice: {by_path[path]} and {file}. Give every file once.")
            by_path[path], files[file] = file, name
    if not files:
        raise UsageError("There is no file of per-topic results to read.")
    own = named_runs(list(files))
    labels = of_files(own, names) if isinstance(names, Mapping) else {}
    given = [files[path] or labels.pop(name, "") for name, path in own.items()]
    if names is not None and not isinstance(names, Mapping):
        given = list(names)
        if len(given) != len(files):
            raise UsageError(
                f"{plural(len(files), 'file')} and {plural(len(given), 'name')} are given; each file needs one name."
            )
    renamed = [name or file for name, file in zip(given, own, strict=True)]
    if (twice := repeated(renamed)) is not None:
        both = [file for file, name in zip(own, renamed, strict=True) if name == twice]
        raise UsageError(f"Two systems have the name {twice!r}, those of {both[0]} and {both[1]}. Names must differ.")
    return dict(zip(renamed, own.values(), strict=True)), {*given}, labels


def _refuse_unused(
    results: dict[str, TopicResults], measure: str | None, renamed: Container[str], labels: Collection[str]
) -> None:
    """Raise if the measure or the names that are given mean nothing for the files."""
    if measure is not None and not any(each.measure_used for each in results.values()):
        each = next(iter(results.values()))
        raise UsageError(
            f"{measure!r} is given as the measure, but {each.path}, {each.form}, names its measures itself. Leave it out."
        )
    systems = set[str]()
    for name, each in results.items():
        own = {*each.rows.get("system", ())}
        if name in renamed and "system" in each.rows and (each.scores is not None or len(own) > 1):
            raise UsageError(f"{each.path}, {each.form}, names its systems itself. Leave the names out.")
        systems |= own or {name}
    if unknown := [label for label in labels if label not in systems]:
        known = [*(path_of(each.path).name for each in results.values()), *sorted(systems)]
        raise UsageError(f"There is no file or system {unknown[0]!r} to name.{suggest(unknown[0], known)}")


def _refuse_outside(results: TopicResults, known: Known) -> None:
    """Raise for a value outside the range of its measure, where irmx knows it: an id, a percentage, another measure."""
    place, names = pd.factorize(results.rows["measure"])
    low, high = np.array([range_of(known(name)) for name in names]).reshape(-1, 2)[place].T
    values = results.rows["value"].to_numpy()
    values = np.where(np.isinf(values), np.nan, values)  # infinite ones are refused for any measure
    for at in np.flatnonzero((values < low - _ROUNDING) | (values > high + _ROUNDING))[:1].tolist():
        row = results.rows.iloc[at]
        of_system = f" of {row['system']}" if "system" in row else ""
        raise results.refuse(
            [at],
            f"the value of {row['measure']}{of_system} for topic {row['query_id']} is {values[at]:g}, and values of "
            f"this measure are from {low[at]:g} to {high[at]:g}. Is it another measure, a percentage, or a column "
            "of ids, which is named query_id?",
        )


def range_of(measure: Any) -> tuple[float, float]:
    """Return the ends of the range of a measure; infinite for one that irmx does not compute."""
    declared = measure if isinstance(measure, Measure) else registry().scorers().get(measure.NAME)
    low, high = (None, None) if declared is None else declared.RANGE
    return -np.inf if low is None else low, np.inf if high is None else high


def _together(results: dict[str, TopicResults], given: Container[str], known: Known) -> Scores:
    """Return the results of all files, by the names of their systems if these are given, or if the files lack them, as scores."""
    frames = [_frame(name, name in given and each.scores is None, each, known) for name, each in results.items()]
    rows = pd.concat(frames, ignore_index=True)
    owners = rows[["system", "path"]].drop_duplicates()
    for system, path in owners[owners["system"].duplicated()][:1].itertuples(index=False):
        first = owners.loc[owners["system"] == system, "path"].iloc[0]
        raise DataError(
            f"The system {system} is in {first} and in {path}. Name one of the two, NAME={path}, or "
            f"--label {path}=NAME; or put the results of one system into one file."
        )
    of_topic = rows.groupby("query_id")["system"].transform("nunique")
    for system, most in of_topic.groupby(rows["system"], sort=False).max().items():
        if most == 1 < len(owners):
            own, others = (rows["query_id"][(rows["system"] == system) == is_own].unique() for is_own in (True, False))
            raise DataError(
                f"{system} has no topic in common with the other systems: it has {list_some(own)}; they have {list_some(others)}. "
                "Query ids must be written in the same way in all files."
            )
    rows = rows[rows["measure"].isin(_common_measures(rows))].drop(columns="path")
    scores = Scores.from_frame(rows if rows["state"].notna().any() else rows.drop(columns="state"))
    made_by = {
        "versions": versions_of(scores.measures),
        "files": {each.path: file_digest(path_of(each.path)) for each in results.values()},
    }
    measures = [measure for each in results.values() if each.scores for measure in each.scores.measures]
    less = {str(measure) for measure in measures if getattr(measure, "LESS_IS_BETTER", False)}
    known_less = [str(m) for m in scores.measures if isinstance(m, NamedMeasure) and str(m) in less]
    return replace(scores, made_by=made_by).less_is_better(*known_less)


def _frame(name: str, is_given: bool, results: TopicResults, known: Known) -> pd.DataFrame:
    """Return the checked rows of a file, with measures as they print; the name is that of its system, if given or if it has none."""
    if results.rows.empty:
        raise DataError(
            f"{results.path} has no topic, or only means over topics; tools print the values of topics with the option -q. The "
            f"file was read as {results.form}."
        )
    frame = results.rows.reset_index(drop=True).assign(path=results.path)
    for row in np.flatnonzero(np.isinf(frame["value"]))[:1].tolist():
        topic, measure = frame.loc[row, ["query_id", "measure"]]
        raise results.refuse([row], f"the value of {measure} for topic {topic} is infinite. A finite number is needed.")
    frame["measure"] = frame["measure"].map({text: str(known(text)) for text in frame["measure"].unique()})
    if is_given or "system" not in frame:
        frame["system"] = name
    if "state" not in frame:
        frame["state"] = None
    keys = ["query_id", "system", "measure"]
    for row in np.flatnonzero(frame.duplicated(keys))[:1].tolist():
        topic, system, measure = frame.loc[row, keys]
        same = (frame[keys] == frame.loc[row, keys]).all(axis=1)
        raise results.refuse(
            [int(np.flatnonzero(same)[0]), row],
            f"topic {topic} has two values of {measure} for the system {system}. Leave one out.",
        )
    return frame


def _common_measures(rows: pd.DataFrame) -> list[str]:
    """Return the measures that all systems have."""
    systems = {measure: set(of) for measure, of in rows.groupby("measure", sort=False)["system"]}
    every = rows["system"].unique()
    lacking = {measure: [one for one in every if one not in of] for measure, of in systems.items()}
    lacking = {measure: of for measure, of in lacking.items() if of}
    without = list_some(f"{measure} (not in {of[0]})" for measure, of in lacking.items())
    if len(lacking) == len(systems):
        raise DataError(f"No measure is in the results of all {len(every)} systems: they have {without}.")
    if lacking:
        left_out = plural(len(lacking), "measure")
        warnings.warn(
            f"{left_out} that not all systems have {'is' if len(lacking) == 1 else 'are'} left out: {without}",
            DataWarning,
            stacklevel=4,
        )
    return [measure for measure in systems if measure not in lacking]
