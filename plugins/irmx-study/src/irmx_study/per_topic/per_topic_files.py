"""Per-topic results of several files, put together as scores."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Sequence

import ir_measures
import numpy as np
import pandas as pd

from irmx import DataError, DataWarning, Scores, UsageError
from irmx.ragged import Array, Ints
from irmx.toolkit import (
    MissingTopicsWarning,
    NamedMeasure,
    counted,
    file_digest,
    matching_files,
    named_runs,
    some,
    versions_of,
)
from irmx_study.per_topic.looked_up_measures import MeasureNames
from irmx_study.per_topic.topic_results import TopicResults, read_topic_results


def read_per_topic(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    measure: str | None = None,
    names: Sequence[str] | None = None,
) -> Scores:
    r"""Read per-topic results of other tools as scores.

    The format of each file is detected by its content. It may be compressed.

    * The output of ``trec_eval -q``, ``ir_measures -q`` or ``irmx eval -q``: a file per system, named after the file;
      ``irmx eval -q`` also for several runs, and as csv or JSON Lines.
    * A csv or tsv with a header and one row per value: ``query_id`` (or ``qid``, ``topic``), ``measure``, ``value``, and
      for several systems ``system`` (or ``run``, ``name``), as :meth:`irmx.Scores.frame` and
      ``pt.Experiment(..., perquery=True)`` have.
    * A csv or tsv with a header and one row per topic: ``query_id`` (or ``qid``, ``topic``) and one column per system, if
      ``measure`` says what they hold; otherwise one column per measure of one system. A single file may lack the query
      ids; its rows are then numbered from 1.
    * A parquet file of any of these tables, or that :meth:`irmx.Scores.to_parquet` wrote.

    Lines with the query id ``all``, which are means, are ignored.

    Parameters
    ----------
    paths : path, or iterable of paths
        The files; globs are expanded.
    measure : str, optional
        The measure of tables with one column per system.
    names : sequence of str, optional
        The names of the systems, one per file of one system; by default the names of the files.

    Returns
    -------
    Scores
        The measures that all systems have. A measure that irmx does not know keeps its name. A topic that a system lacks
        has the measure's default, which is 0 for an unknown measure.

    Raises
    ------
    irmx.errors.DataError
        If a format is unknown, a value is missing or not a finite number, or a topic has two values; if two files have the same
        system, or systems have no topic or no measure in common. The message names file and line.
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
    files = _files(paths)
    if names is not None and len(names) != len(files):
        raise UsageError(
            f"{counted(len(files), 'file')} and {counted(len(names), 'name')} are given; each file needs one name."
        )
    of_files = dict(zip(named_runs(files) if names is None else names, files, strict=False))
    if len(of_files) < len(files):
        raise UsageError("Two systems have the same name. Names must differ.")
    known = MeasureNames()
    results = {name: read_topic_results(path, measure, known, len(files) == 1) for name, path in of_files.items()}
    _refuse_unused(results, measure, names)
    scores = [each.scores for each in results.values()]
    if len(scores) == 1 and scores[0] is not None:
        return scores[0]
    return _together(results, known)


def _files(paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> list[str]:
    """Return the files, each of which may be given once."""
    several = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    files = [file for path in several for file in matching_files(os.fspath(path))]
    if not files:
        raise UsageError("There is no file of per-topic results to read.")
    by_path: dict[str, str] = {}
    for file in files:
        path = os.path.realpath(file)
        if path in by_path:
            raise UsageError(f"The same file is given twice: {by_path[path]} and {file}. Give every file once.")
        by_path[path] = file
    return files


def _refuse_unused(results: dict[str, TopicResults], measure: str | None, names: Sequence[str] | None) -> None:
    """Raise if the measure or the names that are given mean nothing for the files."""
    if measure is not None and not any(each.measure_used for each in results.values()):
        each = next(iter(results.values()))
        raise UsageError(
            f"{measure!r} is given as the measure, but {each.path}, {each.form}, names its measures itself. Leave it out."
        )
    for each in results.values():
        if names is not None and each.systems is not None:
            raise UsageError(f"{each.path}, {each.form}, names its systems itself. Leave the names out.")


def _together(results: dict[str, TopicResults], known: MeasureNames) -> Scores:
    """Return the results of all files, by the names of their systems if the files do not name them, as scores."""
    frames = [_frame(name, each, known) for name, each in results.items()]
    _refuse_shared_systems(frames, [each.path for each in results.values()])
    rows = pd.concat(frames, ignore_index=True)
    (t, topics), (s, systems), (m, measures) = (pd.factorize(rows[c]) for c in ("topic", "system", "measure"))
    present = np.zeros((len(topics), len(systems), len(measures)), dtype=bool)
    present[t, s, m] = True
    retrieved = np.zeros(present.shape[:2], dtype=bool)
    np.logical_or.at(retrieved, (t, s), rows["retrieved"].to_numpy())
    _refuse_no_common_topic(np.any(present, axis=2), list(topics), list(systems))
    common = _common_measures(np.any(present, axis=0), list(systems), list(measures))
    kept = present[:, :, common].any(axis=(1, 2))
    of_common = [known[name] for name in measures[common]]
    values = np.empty(present.shape)
    values[:] = [float(known[name].DEFAULT) for name in measures]
    values[t, s, m] = rows["value"].to_numpy()
    _warn_of_missing(present[kept][:, :, common], list(topics[kept]), list(systems), of_common)
    made_by = {
        "versions": versions_of(of_common),
        "files": {each.path: file_digest(each.path) for each in results.values()},
    }
    return Scores(
        values[kept][:, :, common], tuple(topics[kept]), tuple(systems), tuple(of_common), retrieved[kept], {}, made_by
    )


def _frame(name: str, results: TopicResults, known: MeasureNames) -> pd.DataFrame:
    """Return the checked rows of a file: topic, system, measure as it prints, value, and whether anything was retrieved."""
    of_name = {text: str(known[text]) for text in dict.fromkeys(results.measures)}
    columns = {
        "topic": results.topics,
        "system": [name] * len(results.topics) if results.systems is None else results.systems,
        "measure": [of_name[text] for text in results.measures],
        "value": results.values,
        "retrieved": True,
    }
    frame = pd.DataFrame(columns).astype(dict.fromkeys(("topic", "system", "measure"), object))
    if results.scores is not None:
        frame["retrieved"] = np.repeat(results.scores.retrieved.ravel(), len(results.scores.measures))
        return frame
    if frame.empty:
        raise DataError(
            f"{results.path} has no topic, or only means over topics; tools print the values of topics with the option -q. The "
            f"file was read as {results.form}."
        )
    for row in np.flatnonzero(~np.isfinite(results.values))[:1].tolist():
        found = "missing or NaN" if np.isnan(results.values[row]) else "infinite"
        raise results.refuse(
            [row],
            f"the value of {results.measures[row]} for topic {results.topics[row]} is {found}. Every topic needs a finite "
            "number; leave out the line of a topic that has none.",
        )
    for row in np.flatnonzero(frame.duplicated(["topic", "system", "measure"]))[:1].tolist():
        topic, system, measure = frame.loc[row, ["topic", "system", "measure"]]
        same = (frame["topic"] == topic) & (frame["system"] == system) & (frame["measure"] == measure)
        raise results.refuse(
            [int(np.flatnonzero(same)[0]), row],
            f"topic {topic} has two values of {measure} for the system {system}. Leave one out.",
        )
    return frame


def _refuse_shared_systems(frames: Sequence[pd.DataFrame], paths: Sequence[str]) -> None:
    path_of: dict[str, str] = {}
    for frame, path in zip(frames, paths, strict=True):
        for system in frame["system"].unique():
            if system in path_of:
                raise DataError(
                    f"The system {system} is in {path_of[system]} and in {path}. Rename one of the two, or put its results "
                    "into one file."
                )
            path_of[system] = path


def _refuse_no_common_topic(present: Array, topics: Sequence[str], systems: Sequence[str]) -> None:
    """Raise if the topics of a system are those of no other; ``present`` has the shape (topics, systems)."""
    for s in np.flatnonzero(~(present & (present.sum(axis=1, keepdims=True) > 1)).any(axis=0)).tolist():
        if len(systems) > 1:
            own = some(topics[t] for t in np.flatnonzero(present[:, s]).tolist())
            others = some(topics[t] for t in np.flatnonzero(~present[:, s]).tolist())
            raise DataError(
                f"{systems[s]} has no topic in common with the other systems: it has {own}; they have {others}. Query ids "
                "must be written in the same way in all files."
            )


def _common_measures(present: Array, systems: Sequence[str], measures: Sequence[str]) -> Ints:
    """Return the places of the measures that all systems have; ``present`` has the shape (systems, measures)."""
    common = np.flatnonzero(present.all(axis=0))
    lacking = {
        measures[m]: systems[int(np.flatnonzero(~present[:, m])[0])]
        for m in np.flatnonzero(~present.all(axis=0)).tolist()
    }
    without = some(f"{measure} (not in {system})" for measure, system in lacking.items())
    if not len(common):
        raise DataError(f"No measure is in the results of all {len(systems)} systems: they have {without}.")
    if lacking:
        left_out = counted(len(lacking), "measure")
        warnings.warn(
            f"{left_out} that not all systems have {'is' if len(lacking) == 1 else 'are'} left out: {without}",
            DataWarning,
            stacklevel=4,
        )
    return common


def _warn_of_missing(
    present: Array, topics: Sequence[str], systems: Sequence[str], measures: Sequence[ir_measures.Measure]
) -> None:
    unknown = [str(measure) for measure in measures if isinstance(measure, NamedMeasure)]
    zero = f", which is 0 for {some(unknown)}" if unknown else ""
    for s, system in enumerate(systems):
        missing = [topics[t] for t in np.flatnonzero(~present[:, s].all(axis=1)).tolist()]
        if missing:
            warnings.warn(
                f"{system}: no results for {len(missing)} of {len(topics)} topics ({some(missing)}); they count with the "
                f"measures' defaults{zero}",
                DataWarning if zero else MissingTopicsWarning,
                stacklevel=4,
            )
