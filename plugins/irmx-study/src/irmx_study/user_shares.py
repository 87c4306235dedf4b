"""Populations: users as settings of a measure, with their shares."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import ir_measures
import numpy as np

from irmx import DataError, Grid, Measure, UsageError, parse_measure
from irmx.ragged import Floats
from irmx.toolkit import content_of, suggest

if TYPE_CHECKING:
    import pandas as pd


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
        empty = next((name for name, value in row.items() if value == "" or value != value), None)
        if empty is not None:
            raise DataError(f"{what}, user {number}: no value of {empty!r}.")
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
    wrong = np.flatnonzero(~np.isfinite(weights) | (weights < 0))
    if len(wrong):
        value = table[WEIGHT].iloc[int(wrong[0])]
        raise DataError(
            f"{what}, user {wrong[0] + 1}: the weight must be a number of at least 0. Got {value!r} instead."
        )
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
    fixed = {
        name: Grid.text_of(value) if not isinstance(value, str) else repr(value) for name, value in plain.params.items()
    }
    texts = {**fixed, **{name: str(value) for name, [value] in one_each.items()}}
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
