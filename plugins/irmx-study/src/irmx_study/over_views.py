"""What a comparison says over several views of a measure: for how many users a system is better, where that changes, ranks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import ir_measures
import numpy as np

from irmx import Grid, Measure, Scores
from irmx.ragged import Array, Floats, Ints
from irmx.toolkit import seconds

if TYPE_CHECKING:
    import pandas as pd

    from irmx_study.comparing import Comparison

_PLACES = 12
"""Differences of means are rounded to so many decimal places before their signs are compared."""


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
        return np.array([seconds(value) if isinstance(value, str) else float(value) for value in self.cells])


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
        self.several = [group for group in self.all if len(group.views) > 1 and not is_of_few_cutoffs(group)]
        self.shares = np.ones(len(scores.measures))
        for group in self.all:
            self.shares[list(group.views)] = group.shares


def is_of_few_cutoffs(group: Group) -> bool:
    """Whether the views are up to three cutoffs, as P@5 and P@10: measures side by side, not users."""
    return len(group.views) <= 3 and not group.is_weighted and {p.name for p in group.parameters} == {"cutoff"}


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


def signs(differences: Any) -> Floats:
    """Return the signs of differences of means, 0 for those that come from the rounding of sums."""
    return np.asarray(np.sign(np.round(np.asarray(differences, dtype=float), _PLACES)))


def counts_over(comparison: Comparison) -> pd.DataFrame:
    """Return, for every measure with several views and pair, in how many of them a is better, worse or undecided."""
    import pandas as pd

    rows = []
    systems, compared = comparison.scores.systems, comparison.compared
    for group in comparison.groups.several:
        of_group = comparison.better[list(group.views)]
        for i, (a, b) in enumerate(zip(compared.first.tolist(), compared.second.tolist(), strict=True)):
            won = {"better": of_group[:, i] > 0, "worse": of_group[:, i] < 0, "undecided": of_group[:, i] == 0}
            counts: dict[str, Any] = {name: int(some.sum()) for name, some in won.items()}
            shares = {f"share_{name}": float(group.shares[some].sum()) for name, some in won.items()}
            rows.append(
                {"measure": group.name, "views": len(group.views), "a": systems[a], "b": systems[b], **counts, **shares}
            )
    return pd.DataFrame(rows)


def sentences_over(comparison: Comparison) -> Iterator[str]:
    """Yield, for every measure with several views and pair, in how many which system is better; of a population, the shares."""
    weighted = {group.name: group.is_weighted for group in comparison.groups.several}
    settings = {group.name: _kind(group) for group in comparison.groups.several}
    for row in counts_over(comparison).itertuples():
        a, b = (comparison.names[name] for name in (row.a, row.b))
        if weighted[str(row.measure)]:
            better, worse, undecided = map(_percent, (row.share_better, row.share_worse, row.share_undecided))
            better += " of the users"
        else:
            better, worse, undecided = (
                f"{row.better} of {row.views} {settings[str(row.measure)]}",
                row.worse,
                row.undecided,
            )
        yield f"By {row.measure}, {a} is better for {better}, {b} for {worse}; undecided for {undecided}"


def _kind(group: Group) -> str:
    """Return what the views of a group are called: users, if they differ in parameters of the measure."""
    return "users" if all("." in parameter.column for parameter in group.parameters) else "views"


def _percent(share: Any) -> str:
    return f"{100 * share:.1f}%"


def borders(comparison: Comparison) -> pd.DataFrame:
    """Return where the sign of the difference, or the significantly better system, changes between neighbouring views."""
    import pandas as pd

    found: list[dict[str, Any]] = []
    columns = ["measure", "a", "b", "parameter", "lower", "upper"]
    others_of: list[str] = []
    rows, pairs = comparison.frame("views"), len(comparison.compared.first)
    for group in comparison.groups.several:
        names = [parameter.column for parameter in group.parameters]
        if len(names) > 1:
            others_of += [name for name in names if name not in others_of]
        for parameter in (one for one in group.parameters if one.positions is not None):
            others = [one for one in group.parameters if one is not parameter]
            lines: dict[tuple[Any, ...], list[int]] = {}
            for place in range(len(group.views)):
                lines.setdefault(tuple(one.cells[place] for one in others), []).append(place)
            for pair in range(pairs):
                for fixed, line in lines.items():
                    assert parameter.positions is not None
                    ordered = [line[i] for i in np.argsort(parameter.positions[line], kind="stable")]
                    for low, high in pairwise(ordered):
                        lower, upper = (rows.iloc[group.views[p] * pairs + pair] for p in (low, high))
                        sign = bool(signs(lower["difference"]) != signs(upper["difference"]))
                        significance = bool(lower["better"] != upper["better"])
                        if sign or significance:
                            found.append(
                                {
                                    "measure": group.name, "a": lower["a"], "b": lower["b"], "parameter": parameter.name,
                                    "lower": parameter.cells[low], "upper": parameter.cells[high],
                                    **dict(zip([one.column for one in others], fixed, strict=True)),
                                    "sign": sign, "significance": significance,
                                    **{f"{key}_lower": lower[key] for key in ("difference", "better")},
                                    **{f"{key}_upper": upper[key] for key in ("difference", "better")},
                                }
                            )  # fmt: skip
    ends = [f"{key}_{end}" for end in ("lower", "upper") for key in ("difference", "better")]
    return pd.DataFrame(found, columns=[*columns, *others_of, "sign", "significance", *ends])


def rank_bands(comparison: Comparison) -> pd.DataFrame:
    """Return the best, median and worst rank of every system over the views of every measure with several."""
    import pandas as pd

    from irmx_study.rankings import comparable_means

    scores, rows = comparison.scores, []
    for group in comparison.groups.several:
        views = list(group.views)
        of_group = scores.select(views=[scores.names[v] for v in views])
        values = comparable_means(of_group)
        less = [bool(getattr(measure, "LESS_IS_BETTER", False)) for measure in of_group.measures]
        values = np.where(less, -values, values)
        ranks = ranks_of(values)
        for s, system in enumerate(scores.systems):
            best, worst = ranks[s].min(), ranks[s].max()
            highest = int(np.argmax(np.where(ranks[s] == best, values[s], -np.inf)))
            lowest = int(np.argmin(np.where(ranks[s] == worst, values[s], np.inf)))
            rows.append(
                {
                    "measure": group.name,
                    "system": system,
                    "best": int(best),
                    "median": weighted_median(ranks[s], group.shares),
                    "worst": int(worst),
                    "first": float(group.shares[ranks[s] == 1].sum()),
                    "best_view": scores.names[views[highest]],
                    "worst_view": scores.names[views[lowest]],
                }
            )
    return pd.DataFrame(rows)


def ranks_of(means: Floats) -> Ints:
    """Return ranks of shape (systems, views): the largest mean has rank 1, equal means share the smallest of their ranks.

    >>> ranks_of(np.array([[3.0], [1.0], [3.0], [2.0]])).ravel().tolist()
    [1, 4, 1, 3]
    """
    from scipy.stats import rankdata

    ranks: Ints = rankdata(-means, method="min", axis=0).astype(int)
    return ranks


def weighted_median(values: Array, shares: Floats) -> float:
    """Return the median of values with shares that add up to 1: the mean of the two middle ones if half lies on either side.

    >>> weighted_median(np.array([3, 1, 2, 9]), np.full(4, 0.25)), weighted_median(np.array([3, 1]), np.array([0.9, 0.1]))
    (2.5, 3.0)
    """
    order = np.argsort(values, kind="stable")
    order = order[shares[order] > 0]
    below = np.cumsum(shares[order])
    first = int(np.searchsorted(below, 0.5 - 1e-9))
    second = first + (abs(below[first] - 0.5) < 1e-9)
    return float(values[order[[first, second]]].mean())
