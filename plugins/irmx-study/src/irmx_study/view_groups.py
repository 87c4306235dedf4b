"""The views of scores by measure: the settings of each, and the parameters in which they differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import ir_measures
import numpy as np

from irmx import Grid, Measure, Scores
from irmx.ragged import Floats
from irmx.toolkit import seconds


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
    weights = np.array(
        [scores.marks["weight"][v] for v in views] if "weight" in scores.marks else [""] * len(views), dtype=object
    )
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
        cells = [_plain(value) for value in of_views.tolist()]
        axis = sorted(dict.fromkeys(cells), key=_key) if ordered else list(dict.fromkeys(cells))
        parameter = Parameter(str(column), tuple(cells), tuple(axis), bool(ordered))
        if not any(_is_multiple(parameter, before) for before in found):
            found.append(parameter)
    if not found:  # measures that differ in nothing that a table shows
        names = tuple(str(scores.names[v]) for v in views)
        found = [Parameter("view", names, names, False)]
    return tuple(found)


def _plain(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


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
