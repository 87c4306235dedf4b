"""The results of a sweep as scores."""

from __future__ import annotations

from typing import Any

import ir_measures
import numpy as np

from irmx import DataError, Grid, Scores, parse_measure
from irmx_study.sweeping.longform import KEYS
from irmx_study.sweeping.results import read_results


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

    Examples
    --------
    >>> import irmx_study
    >>> qrels = {"q": {"a": 1, "b": 1}}
    >>> runs = {"one": {"q": {"x": 3.0, "a": 2.0, "b": 1.0}}, "two": {"q": {"a": 1.0}}}
    >>> results = irmx_study.sweep("NCP", {"law": ["uniform", "first"]}, qrels, runs, jobs=1)
    >>> irmx_study.scores_of_sweep(results)
    <Scores of 1 topic, 2 systems, 2 measures: NCP(law=uniform), NCP(law=first)>
    """
    import pandas as pd

    frame = read_results(results)
    columns = list(frame.columns)
    names = columns[columns.index("measure") + 1 : columns.index("value")]
    settings = frame.groupby(["measure", *names], sort=False, dropna=False)
    first = frame.loc[~frame.duplicated(["measure", *names]), ["measure", *names]]
    measures = tuple(_measure(row, names) for row in first.to_dict("records"))
    topic, topics = pd.factorize(frame["query_id"].astype(str))
    run, runs = pd.factorize(frame["run"].astype(str))
    shape = (len(topics), len(runs), len(measures))
    places = np.ravel_multi_index((topic, run, settings.ngroup().to_numpy()), shape)
    count = np.bincount(places, minlength=int(np.prod(shape)))
    if (count != 1).any():
        t, s, m = np.unravel_index(int(np.argmax(count != 1)), shape)
        found = f"{measures[m]} of {runs[s]} for topic {topics[t]}"
        is_twice = count.reshape(shape)[t, s, m] > 1
        raise DataError(f"The results have {found} twice." if is_twice else f"The results have no value of {found}.")
    values = np.empty(shape)
    values.flat[places] = frame["value"].to_numpy(dtype=float, na_value=np.nan)
    return Scores(values, tuple(topics), tuple(runs), measures, np.ones(shape[:2], dtype=bool))


def _measure(row: dict[str, Any], names: list[str]) -> ir_measures.Measure:
    """Return the measure of a setting, or of a reference, which has no values of parameters."""
    import pandas as pd

    given = {name: row[name] for name in names if not pd.isna(row[name])}
    if not given:
        return parse_measure(row["measure"])
    values = {_parameter(name): [_plain(value)] for name, value in given.items()}
    [measure] = Grid(row["measure"], values).measures()
    return measure


def _parameter(column: str) -> str:
    """Return the parameter of a column; one with the name of another column has an underscore after it."""
    return column[:-1] if column[:-1] in (*KEYS, "value") and column.endswith("_") else column


def _plain(value: Any) -> Any:
    """Return a cell as the value of a parameter; a .csv file with references has whole numbers as floats."""
    plain = value.item() if hasattr(value, "item") else value
    return int(plain) if isinstance(plain, float) and plain.is_integer() else plain
