"""The results of a sweep as scores."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import ir_measures
import numpy as np

from irmx import DataError, Grid, Measure, Scores
from irmx.ragged import Ints
from irmx.toolkit import NamedMeasure, UnknownNameError, measure_named
from irmx_study.sweeping.longform import KEYS
from irmx_study.sweeping.results import read_results

if TYPE_CHECKING:
    import pandas as pd


def scores_of_sweep(results: Any) -> Scores:
    """Return the results of a sweep as scores: each setting is a measure, and so is each reference.

    Parameters
    ----------
    results : DataFrame, str or Path
        What :func:`irmx_study.sweep` returns, or the file that it writes.

    Returns
    -------
    Scores
        The scores. Results do not record which topics a run lacks; all are ``retrieved``.

    Raises
    ------
    irmx.errors.DataError
        If the results cannot be read, or have a value twice or not at all.
    irmx.errors.UnknownNameError
        If no plugin has the measure of the settings.

    Examples
    --------
    >>> import irmx_study
    >>> qrels = {"q": {"a": 1, "b": 1}}
    >>> runs = {"one": {"q": {"x": 3.0, "a": 2.0, "b": 1.0}}, "two": {"q": {"a": 1.0}}}
    >>> results = irmx_study.sweep("NCP", {"law": ["uniform", "first"]}, qrels, runs, jobs=1)
    >>> irmx_study.scores_of_sweep(results)
    <Scores of 1 topic, 2 systems, 2 measures: NCP(law=uniform), NCP(law=first)>
    """
    return scores_and_parameters(results, known=True)[0]


def scores_and_parameters(results: Any, known: bool = False) -> tuple[Scores, pd.DataFrame]:
    """Return the results of a sweep as scores, and the parameters of each measure as they stand in the results.

    Parameters
    ----------
    results : DataFrame, str or Path
        The results.
    known : bool
        Whether a measure that no plugin has is an error; otherwise only the names of its settings are known.

    Returns
    -------
    tuple of Scores and DataFrame
        The scores; and one row per measure, one column per parameter of the sweep, empty for references.
    """
    import pandas as pd

    frame = read_results(results)
    names = parameter_columns(frame)
    number = frame.groupby(["measure", *names], sort=False, dropna=False).ngroup().to_numpy()
    first = frame.loc[~frame.duplicated(["measure", *names]), ["measure", *names]].reset_index(drop=True)
    topic, topics = pd.factorize(frame["query_id"].astype(str))
    run, runs = pd.factorize(frame["run"].astype(str))
    shape = (len(topics), len(runs), len(first))
    places = np.ravel_multi_index((topic, run, number), shape)
    _refuse_incomplete(
        places,
        shape,
        lambda t, s, m: f"{_measures(first.iloc[[m]], names, known)[0]} of {runs[s]} for topic {topics[t]}",
        _name_of(results),
    )
    measures = tuple(_measures(first, names, known))
    values = np.empty(shape)
    values.flat[places] = frame["value"].to_numpy(dtype=float, na_value=np.nan)
    scores = Scores(values, tuple(topics), tuple(runs), measures, np.ones(shape[:2], dtype=bool))
    return scores, first[names]


def _refuse_incomplete(places: Ints, shape: tuple[int, ...], named: Callable[..., str], what: str) -> None:
    """Raise unless every place of an array occurs once; the array itself could be much larger than the results."""
    filled, count = np.unique(places, return_counts=True)
    for place in filled[count > 1][:1].tolist():
        raise DataError(f"{what} have {named(*np.unravel_index(place, shape))} twice.")
    if len(filled) < math.prod(shape):
        gaps = np.flatnonzero(filled != np.arange(len(filled)))
        place = int(gaps[0]) if len(gaps) else len(filled)
        raise DataError(f"{what} have no value of {named(*np.unravel_index(place, shape))}.")


def _name_of(results: Any) -> str:
    return f"The results in {os.fspath(results)}" if isinstance(results, (str, os.PathLike)) else "The results"


def _measures(rows: pd.DataFrame, names: Sequence[str], known: bool) -> list[ir_measures.Measure]:
    """Return the measure of every row: of a setting, or of a reference, which has no values of parameters."""
    import pandas as pd

    made: list[ir_measures.Measure] = []
    bases: dict[str, Measure | None] = {}
    values: dict[tuple[str, str, Any], Any] = {}
    for row in rows.to_dict("records"):
        text = str(row["measure"])
        texts = {name: _plain(row[name]) for name in names if not pd.isna(row[name])}
        if not texts:
            made.append(measure_named(text))
            continue
        if text not in bases:
            bases[text] = _base(text, texts, known)
        base = bases[text]
        if base is None:
            made.append(NamedMeasure(f"{text}({','.join(f'{name}={value}' for name, value in texts.items())})"))
            continue
        for name, value in texts.items():
            if (text, name, value) not in values:  # each value is parsed once, not once per setting
                [values[text, name, value]] = Grid(base, {parameter_of(name): [value]}).values.values()
        setting = base(**{parameter_of(name): values[text, name, value][0] for name, value in texts.items()})
        setting.validate_params()
        made.append(setting)
    return made


def _base(text: str, values: Mapping[str, Any], known: bool) -> Measure | None:
    """Return the measure without the parameters of the grid, None if no plugin has it."""
    try:
        return Grid(text, {parameter_of(name): [value] for name, value in values.items()}).measure
    except UnknownNameError:
        if known:
            raise
        return None


def parameter_columns(frame: pd.DataFrame) -> list[str]:
    """Return the columns of the parameters of a sweep, which stand between the columns measure and value."""
    columns = list(frame.columns)
    return columns[columns.index("measure") + 1 : columns.index("value")]


def parameter_of(column: str) -> str:
    """Return the parameter of a column; one with the name of another column has an underscore after it.

    >>> parameter_of("measure_"), parameter_of("law")
    ('measure', 'law')
    """
    return column[:-1] if column[:-1] in (*KEYS, "value") and column.endswith("_") else column


def _plain(value: Any) -> Any:
    """Return a cell as the value of a parameter; a .csv file with references has whole numbers as floats."""
    plain = value.item() if hasattr(value, "item") else value
    return int(plain) if isinstance(plain, float) and plain.is_integer() else plain
