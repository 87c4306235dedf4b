"""Results in long form: one row per run, topic and setting, with one column per swept parameter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from irmx import Grid, Measure, TopicScores
from irmx.ragged import Array

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

SETTING = "setting"
"""The column of parts with the number of the setting, from 0; -1 for references."""

KEYS = ("run", "query_id", "measure")
"""The columns before those of the parameters; after them comes ``value``, and then the fields."""


class LongForm:
    """Builds the rows of the results of a sweep.

    A field that has the name of a parameter, or of another column, gets an underscore after it; so does a parameter that
    has the name of a column.

    A parameter whose values are all numbers, or all true or false, has a numeric or boolean column; any other has strings.

    Parameters
    ----------
    grid : Grid
        The grid.
    settings : sequence of Measure
        Its settings.
    runs, topics : sequence of str
        The names of the runs, and the query ids of the qrels.
    """

    def __init__(self, grid: Grid, settings: Sequence[Measure], runs: Sequence[str], topics: Sequence[str]) -> None:
        self.grid, self.runs, self.topics = grid, list(runs), list(topics)
        self._values = {
            name + "_" * (name in (*KEYS, "value")): _column([s[name] for s in settings]) for name in grid.values
        }

    def of_settings(self, settings: Sequence[int], scores: Sequence[Sequence[TopicScores]]) -> pa.Table:
        """Return the rows of some settings, by their numbers, with scores of every run (outer) and setting (inner)."""
        columns = {name: column.take(np.array(settings)) for name, column in self._values.items()}
        by_setting = [[of_run[i] for of_run in scores] for i in range(len(settings))]
        return self._rows(np.array(settings), [str(self.grid.measure)] * len(settings), columns, by_setting)

    def of_references(self, names: Sequence[str], scores: Sequence[Sequence[TopicScores]]) -> pa.Table:
        """Return the rows of reference measures: their scores of every run (inner), by measure (outer)."""
        import pyarrow as pa

        columns = {name: pa.nulls(len(names), column.type) for name, column in self._values.items()}
        return self._rows(np.full(len(names), -1), names, columns, scores)

    def _rows(
        self,
        settings: Array,
        measures: Sequence[str],
        params: Mapping[str, Any],
        scores: Sequence[Sequence[TopicScores]],
    ) -> pa.Table:
        """Return the rows of blocks: one per run and topic, in this order, for each setting or measure."""
        import pyarrow as pa

        runs, topics = len(self.runs), len(self.topics)
        block = np.repeat(np.arange(len(settings)), runs * topics)
        columns: dict[str, Any] = {
            SETTING: pa.array(settings[block]),
            "run": pa.array(self.runs, pa.string()).take(np.tile(np.repeat(np.arange(runs), topics), len(settings))),
            "query_id": pa.array(self.topics, pa.string()).take(np.tile(np.arange(topics), len(settings) * runs)),
            "measure": pa.array(list(measures), pa.string()).take(block),
            **{name: column.take(block) for name, column in params.items()},
            "value": _joined([s.values for row in scores for s in row]),
        }
        names = sorted({name for row in scores for s in row for name in s.fields})
        lacking = np.full(topics, np.nan)
        for name in names:
            columns[name + "_" * (name in columns)] = _joined(
                [s.fields.get(name, lacking) for row in scores for s in row]
            )
        return pa.table(columns)


def _joined(values: Sequence[Array]) -> Any:
    import pyarrow as pa

    joined = np.concatenate([np.empty(0), *values])
    return pa.array(joined, mask=np.isnan(joined))


def _column(values: list[Any]) -> Any:
    """Return values as an array of numbers, of truth values, or of strings."""
    import pyarrow as pa

    kinds = {type(v) for v in values}
    for some, dtype in (({bool}, pa.bool_()), ({int}, pa.int64()), ({int, float}, pa.float64())):
        if kinds <= some:
            return pa.array(values, dtype)
    return pa.array([Grid.text_of(v) for v in values], pa.string())


def merged(parts: Sequence[pa.Table]) -> pa.Table:
    """Return the rows of parts by setting, references first; the fields in the order of their names."""
    import pyarrow as pa

    table = pa.concat_tables(parts, promote_options="default")
    names = table.column_names
    last = max(part.column_names.index("value") for part in parts) + 1
    table = table.select([*names[:last], *sorted(names[last:])])
    order = np.argsort(np.asarray(table.column(SETTING)), kind="stable")
    return table.take(order).drop_columns([SETTING]).combine_chunks()


def frame_of(table: pa.Table) -> pd.DataFrame:
    """Return a table as a data frame; integer and boolean columns keep their type if values are missing."""
    import pandas as pd
    import pyarrow as pa

    found: pd.DataFrame = table.to_pandas(types_mapper={pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}.get)
    return found
