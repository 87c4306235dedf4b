"""Views of scores: groups of settings, the systems that are kept, the shares of users, and the names of systems."""

from __future__ import annotations

import io
import math
import os
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, Any

import ir_measures
import numpy as np

from irmx import DataError, Grid, Measure, Scores, UsageError, parse_measure
from irmx.ragged import Floats
from irmx.toolkit import content_of, is_file, list_some, named_runs, path_of, plural, seconds, suggest
from irmx_study.statistics.ranks import comparable_means

if TYPE_CHECKING:
    import pandas as pd


# -- the views of scores by measure ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Parameter:
    """A parameter along which views differ, or something else that they are marked with."""

    column: str
    cells: tuple[Any, ...]
    axis: tuple[Any, ...]
    is_ordered: bool

    @property
    def name(self) -> str:
        """The name without the measure."""
        return self.column.partition(".")[2] or self.column

    @cached_property
    def positions(self) -> Floats | None:
        """The values as numbers, durations in seconds; None if they have no order."""
        if not self.is_ordered:
            return None
        return np.array(list(map(_key, self.cells)))


@dataclass(frozen=True)
class Group:
    """The views of one measure."""

    name: str
    views: tuple[int, ...]
    parameters: tuple[Parameter, ...]
    shares: Floats
    is_weighted: bool


class Groups:
    """The views of scores by measure."""

    def __init__(self, scores: Scores) -> None:
        by_name: dict[str, list[int]] = {}
        for v, measure in enumerate(scores.measures):
            by_name.setdefault(str(getattr(measure, "NAME", measure)), []).append(v)
        self.all = [group_of(scores, views) for views in by_name.values()]
        count = len(scores.measures)
        self.several = [group for group in self.all if len(group.views) > 1 and not is_side_by_side(group, count)]
        self.shares = np.ones(len(scores.measures))
        for group in self.all:
            self.shares[list(group.views)] = group.shares


_DEPTHS = {"cutoff", "rel", "recall"}
"""Parameters of which people print several values of a measure, as trec_eval does."""


def is_side_by_side(group: Group, views: int) -> bool:
    """Whether the views of a group, among so many in all, are measures side by side, not users, as P@5 and P@10 beside AP."""
    names = {parameter.name for parameter in group.parameters}
    few = len(group.views) <= 3 and names == {"cutoff"}
    return not group.is_weighted and names <= _DEPTHS and (few or len(group.views) < views)


def group_of(scores: Scores, views: Sequence[int]) -> Group:
    """Return the views of one measure as a group."""
    of_views = scores.marks.get("weight", ("",) * len(scores.measures))
    weights = np.array([of_views[v] for v in views], dtype=object)
    is_weighted = all(isinstance(weight, (int, float)) for weight in weights)
    shares = weights.astype(float) / weights.astype(float).sum() if is_weighted else np.full(len(views), 1 / len(views))
    measure = scores.measures[views[0]]
    if len(views) == 1:
        return Group(str(measure), tuple(views), (), shares, is_weighted)
    return Group(_name(measure, scores, views), tuple(views), parameters_of(scores, views), shares, is_weighted)


def parameters_of(scores: Scores, views: Sequence[int]) -> tuple[Parameter, ...]:
    """Return in what views differ: parameters of their measure, and marks."""
    table = scores.views.reset_index(drop=True).iloc[list(views)]
    found: list[Parameter] = []
    for column in (c for c in table if c not in ("measure", "weight", "less_is_better")):
        of_views = table[column]
        if of_views.nunique(dropna=False) < 2:
            continue
        ordered = hasattr(of_views.dtype, "categories") or of_views.dtype.kind in "if"
        values = of_views.tolist()
        cells = [int(value) if isinstance(value, float) and value.is_integer() else value for value in values]
        axis = sorted(dict.fromkeys(cells), key=_key) if ordered else list(dict.fromkeys(cells))
        parameter = Parameter(str(column), tuple(cells), tuple(axis), bool(ordered))
        if not any(_is_multiple(parameter, before) for before in found):
            found.append(parameter)
    if not found:  # measures that differ in nothing that a table shows
        names = tuple(str(scores.names[v]) for v in views)
        found = [Parameter("view", names, names, False)]
    return tuple(found)


def _key(value: Any) -> float:
    return seconds(value) if isinstance(value, str) else float(value)


def _is_multiple(parameter: Parameter, of: Parameter) -> bool:
    multiples, numbers = parameter.positions, of.positions
    if multiples is None or numbers is None or np.isnan(multiples).any() or np.isnan(numbers).any():
        return False
    largest = int(np.argmax(np.abs(numbers)))
    if not numbers[largest]:
        return False
    return bool(np.allclose(multiples, multiples[largest] / numbers[largest] * numbers, rtol=1e-9, atol=0))


def _name(measure: ir_measures.Measure, scores: Scores, views: Sequence[int]) -> str:
    """Return the text of a measure without the parameters that vary, as a name of all its settings."""
    if not isinstance(measure, Measure):
        same = len({str(scores.measures[v]) for v in views}) == 1
        return str(measure) if same else str(measure).partition("(")[0].partition("@")[0]
    start = f"{measure.NAME}."
    names: dict[str, bool] = {}
    for parameter in scores.views.columns:
        if str(parameter).startswith(start) and scores.views[parameter].iloc[list(views)].nunique(dropna=False) > 1:
            name, dot, _ = str(parameter).removeprefix(start).partition(".")
            names[name] = bool(dot)
    texts = {
        name: value.NAME if name in names else Grid.text_of(value)
        for name, value in measure.params.items()
        if names.get(name, True)
    }
    at = texts.pop(measure.AT_PARAM, None)
    inner = ",".join(f"{name}={text}" for name, text in texts.items())
    return str(measure.NAME) + (f"({inner})" if inner else "") + ("" if at is None else f"@{at}")


# -- the systems that studies of measures leave out ------------------------------------------------------------------


def choose_systems(
    scores: Scores,
    only: Iterable[str] | None = None,
    every_topic: bool = False,
    best: float | None = None,
    by: str | ir_measures.Measure | None = None,
) -> Scores:
    """Return the scores of the systems that a study of measures is about.

    The conditions are applied in the order of the parameters, so that ``best`` is a share of the systems that meet the others.

    Parameters
    ----------
    scores : Scores
        The scores.
    only : iterable of str, optional
        The names of the systems to keep, such as the automatic runs; by default all.
    every_topic : bool
        Whether to leave out systems that retrieve nothing for one of the topics.
    best : float, optional
        The percentage of systems to keep, in (0, 100], those with the largest means. The number is rounded half up, and systems
        whose mean is that of the last one are kept as well.
    by : str or Measure, optional
        The measure that ``best`` is about; by default the first.

    Raises
    ------
    irmx.errors.UsageError
        For an unknown system or measure, or a percentage outside (0, 100].
    irmx.errors.DataError
        If no system is left.

    Examples
    --------
    >>> import irmx, irmx_study
    >>> from irmx.demo import SYSTEMS, qrels_path, run_path
    >>> scores = irmx.scores("AP", qrels_path(), {system: run_path(system) for system in SYSTEMS})
    >>> irmx_study.choose_systems(scores, every_topic=True).systems
    ('bm25', 'titles', 'recent')
    >>> irmx_study.choose_systems(scores, only=["titles", "recent"], best=50).systems
    ('recent',)
    """
    if only is not None:
        scores = scores.select(systems=listed(scores.systems, only))
    if every_topic:
        lacks = scores.missing.any(axis=2).sum(axis=0) > 0
        if lacks.all():
            raise DataError(
                f"All of {plural(len(scores.systems), 'run')} retrieve nothing for at least one of "
                f"{plural(len(scores.topics), 'topic')}, so that none is left."
            )
        scores = scores.select(systems=compress(scores.systems, ~lacks))
    return scores if best is None else _best(scores, best, by)


def listed(systems: Collection[str], only: Iterable[str]) -> list[str]:
    """Return which systems a list names, in their own order.

    >>> listed(["bm25", "titles", "recent"], {"recent", "bm25"})
    ['bm25', 'recent']
    """
    kept = set(only)
    if unknown := sorted(kept - set(systems)):
        more = f" and {plural(len(unknown) - 1, 'other name')}" if len(unknown) > 1 else ""
        raise UsageError(
            f"{getattr(only, 'path', 'The list of runs to keep')} has {unknown[0]!r}{more}, which {'are no runs' if more else 'is no run'} here."
            f"{suggest(unknown[0], systems)} The runs: {list_some(systems, 20)}."
        )
    return [system for system in systems if system in kept]


def _best(scores: Scores, best: float, by: str | ir_measures.Measure | None) -> Scores:
    check_best(best)
    of_measure = scores.select(measures=[scores.measures[0] if by is None else by])
    means = comparable_means(of_measure)[:, 0]
    count = max(1, math.floor(best / 100 * len(means) + 0.5))
    least = sorted(means, reverse=True)[count - 1]
    return scores.select(systems=compress(scores.systems, means >= least))


def check_best(best: float | None) -> None:
    """Raise unless the percentage of runs to keep, if there is one, is in (0, 100]."""
    if best is not None and not 0 < best <= 100:
        raise UsageError(f"The best runs to keep are a percentage in the range (0, 100]. Got {best!r} instead.")


class NamesInFile(list[str]):
    """The names that a file lists; messages about them name the file."""

    path: str = ""


def listed_names(path: str | os.PathLike[str]) -> NamesInFile:
    """Return the names in a file with one per line; blank lines and what follows a # at the start of a line are left out."""
    try:
        lines = [line.strip() for line in content_of(path, "run list").decode().splitlines()]
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is no list of runs: it is not UTF-8.") from error
    names = [line for line in lines if line and not line.startswith("#")]
    if not names:
        raise DataError(f"{path} names no run. It must have the name of one run per line.")
    found = NamesInFile(names)
    found.path = str(path)
    return found


# -- populations: users as settings of a measure, with their shares --------------------------------------------------


WEIGHT = "weight"
"""The column of a population with the share of users."""


def population(
    measure: str | ir_measures.Measure, users: pd.DataFrame | str | os.PathLike[str]
) -> dict[ir_measures.Measure, float]:
    """Return a population of users: settings of a measure, with the share of users of each.

    Parameters
    ----------
    measure : str or Measure
        The measure, with the parameters that are the same for all users; its required parameters may be in the table.
    users : DataFrame or path
        One row per group of users, with one column per parameter of the measure, and optionally ``weight``, the share of users,
        in any unit. A file is comma-separated, or tab-separated if its name ends in ``.tsv``.

    Returns
    -------
    dict of Measure to float
        The settings, to score as measures; the shares add up to 1. Rows of the same setting are one.

    Raises
    ------
    irmx.errors.UsageError
        If a column is not a parameter of the measure, or a value is illegal.
    irmx.errors.DataError
        If the file cannot be read, or a weight is not a number of at least 0.

    Examples
    --------
    >>> import pandas as pd, irmx_study
    >>> users = pd.DataFrame({"law": ["first", "uniform"], "cutoff": [5, 100], "weight": [300, 100]})
    >>> irmx_study.population("NCP", users)
    {NCP(law=first)@5: 0.75, NCP(law=uniform)@100: 0.25}
    """
    table, what = _table(users)
    columns = [str(name) for name in table.columns if name != WEIGHT]
    if not columns or not len(table):
        raise DataError(
            f"{what} has no {'users' if columns else 'column of a parameter'}. A population has one row per user."
        )
    weights = _weights(table, what)
    shares: dict[ir_measures.Measure, float] = {}
    for number, (row, weight) in enumerate(zip(table[columns].to_dict("records"), weights, strict=True), 1):
        if empty := [name for name, value in row.items() if value == "" or value != value]:
            raise DataError(f"{what}, user {number}: no value of {empty[0]!r}.")
        try:
            setting = _setting(measure, row)
        except UsageError as error:
            raise type(error)(f"{what}, user {number}: {error}") from None
        shares[setting] = shares.get(setting, 0.0) + float(weight)
    total = sum(shares.values())
    return {setting: share / total for setting, share in shares.items()}


def _table(users: Any) -> tuple[pd.DataFrame, str]:
    import pandas as pd

    if isinstance(users, pd.DataFrame):
        return users, "The population"
    path = os.fspath(users)
    content = content_of(path, "population")
    try:
        table = pd.read_csv(
            io.BytesIO(content), sep="\t" if path.endswith(".tsv") else ",", dtype=str, keep_default_na=False
        )
    except ValueError as error:
        raise DataError(f"{path} cannot be read as a population, a table with a header: {error}") from None
    return table.rename(columns=str.strip), path


def _weights(table: pd.DataFrame, what: str) -> Floats:
    import pandas as pd

    if WEIGHT not in table.columns:
        return np.ones(len(table))
    weights: Floats = pd.to_numeric(table[WEIGHT], errors="coerce").to_numpy(dtype=float)
    for user in np.flatnonzero(~np.isfinite(weights) | (weights < 0))[:1].tolist():
        value = table[WEIGHT].iloc[user]
        raise DataError(f"{what}, user {user + 1}: the weight must be a number of at least 0. Got {value!r} instead.")
    if not weights.sum():
        raise DataError(f"{what}: the weights are all 0.")
    return weights


def _setting(measure: str | ir_measures.Measure, values: Mapping[str, Any]) -> ir_measures.Measure:
    """Return a measure with the parameters of a user; texts are those of a grid, without quotes."""
    one_each = {name: [value.strip() if isinstance(value, str) else value] for name, value in values.items()}
    plain = _of_ir_measures(measure)
    if plain is None:
        [setting] = Grid(measure, one_each).measures()
        return setting
    for name in values:
        if name not in plain.SUPPORTED_PARAMS:
            near = suggest(name, plain.SUPPORTED_PARAMS)
            raise UsageError(f"{plain} has no parameter {name!r}.{near} It has: {', '.join(plain.SUPPORTED_PARAMS)}.")
    texts = {k: repr(value) if isinstance(value, str) else Grid.text_of(value) for k, value in plain.params.items()}
    texts |= {name: str(value) for name, [value] in one_each.items()}
    ordered = [f"{name}={texts[name]}" for name in plain.SUPPORTED_PARAMS if name in texts]
    return parse_measure(f"{plain.NAME}({','.join(ordered)})")


def _of_ir_measures(measure: str | ir_measures.Measure) -> ir_measures.Measure | None:
    """Return a measure of ir_measures, None if the measure is one of a plugin."""
    if isinstance(measure, str):
        known = ir_measures.measures.registry.get(measure.partition("(")[0].partition("@")[0].strip())
        if known is None or isinstance(known, Measure):
            return None
        measure = known if measure.strip() == known.NAME else parse_measure(measure)
    return None if isinstance(measure, Measure) else measure


# -- what systems are called -----------------------------------------------------------------------------------------


def named_path(text: str) -> tuple[str, str]:
    """Return the name, empty for none, and the path of ``PATH`` or ``NAME=PATH``; a file whose name has such a sign is a path.

    >>> named_path("mine=runs/mine.*.run"), named_path("runs/b=0.4.run")
    (('mine', 'runs/mine.*.run'), ('', 'runs/b=0.4.run'))
    """
    name, equals, path = text.partition("=")
    if not equals or is_file(text) or ("/" in name and not is_file(path)):
        return "", text
    if not name or not path:
        raise UsageError(f"A file is written FILE or NAME=FILE. Got {text!r} instead.")
    return name, path


def by_run(labels: Sequence[str] | None) -> dict[str, str]:
    """Return labels by what they name.

    >>> by_run(["bm25.run=BM25", "b=0.4.run=b of 0.4"])
    {'bm25.run': 'BM25', 'b=0.4.run': 'b of 0.4'}
    """
    names: dict[str, str] = {}
    for label in labels or ():
        system, equals, name = label.rpartition("=")
        if not equals or not system or not name:
            raise UsageError(f"A label is written RUN=NAME, such as bm25.run=BM25. Got {label!r} instead.")
        if system in names:
            raise UsageError(f"The run {system} has two labels, {names[system]!r} and {name!r}. Give it one.")
        names[system] = name
    return names


def measures_labelled(labels: Sequence[str] | None) -> tuple[dict[str, str], list[str]]:
    """Return the labels of measures, by their names, and the others.

    >>> measures_labelled(["MP(model=GL_AD_ID)=MP", "bm25.run=BM25"])
    ({'MP(model=GL_AD_ID)': 'MP'}, ['bm25.run=BM25'])
    """
    measures, others = {}, []
    for name, label in by_run(labels).items():
        try:
            measures[str(parse_measure(name))] = label
        except UsageError:
            others.append(f"{name}={label}")
    return measures, others


def of_files(files: Mapping[str, Any], labels: Mapping[str, str]) -> dict[str, str]:
    """Return labels by the names of files, for which they may give the path.

    >>> of_files({"a.run": "runs/a.run"}, {"./runs/a.run": "A", "b": "B"})
    {'a.run': 'A', 'b': 'B'}
    """
    names = {_path(file): name for name, file in files.items() if isinstance(file, str)}
    return {key if key in files else names.get(_path(key), key): label for key, label in labels.items()}


def _path(file: str) -> str:
    return os.path.abspath(path_of(file))


def repeated(names: Iterable[str]) -> str | None:
    """Return the first of names that are given more than once, None if all differ.

    >>> repeated(["c", "a", "b", "b", "a"]), repeated(["a", "b"])
    ('a', None)
    """
    return next((name for name, count in Counter(names).items() if count > 1), None)


def labelled_names(systems: Iterable[str], labels: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names of systems, or their labels; a label that names no system is refused."""
    known = tuple(systems)
    for system in labels:
        if system not in known:
            raise UsageError(f"No run has the name {system!r}.{suggest(system, known)} The runs: {', '.join(known)}.")
    names = tuple(labels.get(system, system) for system in known)
    if (twice := repeated(names)) is not None:
        raise UsageError(f"Two runs have the name {twice!r}. Choose another label.")
    return names


def labelled_runs(paths: Sequence[str], labels: Sequence[str] | None) -> dict[str, Any]:
    """Return runs by their names, or their labels."""
    runs = named_runs(paths)
    return dict(zip(labelled_names(runs, of_files(runs, by_run(labels))), runs.values(), strict=True))


def labels_of(runs: Iterable[str] | None, labels: Sequence[str] | None) -> list[str] | None:
    """Return the labels of runs that an option names, which may name a run or its label; None for no runs."""
    by_system = by_run(labels)
    return [by_system.get(run, run) for run in runs or ()] or None
