"""The values of a page measure for many pages in many settings, computed block by block for all pages at once."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import irmx
from irmx import Grid, Judgments, Param, UsageError, number
from irmx.ragged import Floats, offsets_of
from irmx_pages.aggregated_search import AggregatedSearch
from irmx_pages.page import Page
from irmx_pages.page_arrays import Pages, utility
from irmx_pages.pages_as_runs import batches, refuse_unjudged_topics, run_table


def stacked(parts: Sequence[Pages]) -> Pages:
    """Return the concatenation of pages.

    >>> one = Pages(np.array([0, 1]), np.array(["web"], dtype=object), *(np.ones(1) for _ in range(5)))
    >>> stacked([one, one]).offsets
    array([0, 1, 2])
    """
    offsets = offsets_of(np.concatenate([p.blocks for p in parts]))
    names = ("vertical", "orientation", "relevant", "items", "effort", "visual")
    return Pages(offsets, *(np.concatenate([getattr(p, name) for p in parts]) for name in names))


def fittable(measure: Any) -> dict[str, Param]:
    """Return the parameters of a measure that can be fitted to preferences: alpha, and the numbers of its model.

    >>> from irmx_pages import AS, AS_ERR, AS_RBP, att
    >>> [list(fittable(measure)) for measure in (AS_RBP, AS_ERR, AS(examination=att))]
    [['alpha', 'beta'], ['alpha'], ['alpha', 'beta', 'phi']]
    """
    of_model = {n: p for n, p in measure.examination.SUPPORTED_PARAMS.items() if p.dtype in (float, number)}
    return {"alpha": measure.SUPPORTED_PARAMS["alpha"], **of_model}


def has_value(measure: Any, name: str) -> bool:
    """Tell whether a parameter, of a measure or of its model, has an explicit value."""
    return name in measure.params or ("examination" in measure.params and name in measure.examination.params)


def with_values(measure: Any, values: Mapping[str, float]) -> Any:
    """Return a measure with new values of parameters, its own or its model's.

    >>> from irmx_pages import AS, AS_RBP, att
    >>> with_values(AS_RBP, {"alpha": 5.0}), with_values(AS(examination=att), {"alpha": 5.0, "beta": 0.3})
    (AS_RBP(alpha=5), AS(examination=att(beta=0.3),alpha=5))
    """
    own = {n: v for n, v in values.items() if n in measure.SUPPORTED_PARAMS}
    of_model = {n: v for n, v in values.items() if n not in own}
    if of_model:
        own["examination"] = measure.examination(**of_model)
    return measure(**own)


class PageScorer:
    """The pages of several runs, laid out once, to be scored in many settings of a measure.

    Parameters
    ----------
    measure : Measure
        A measure of the utility of pages, such as ``AS_RBP``.
    pages : sequence of Page
        The pages.
    judgments : Judgments
        Judgments of their topics.

    Attributes
    ----------
    topic : int array, shape (pages,)
        The topic of every page.
    """

    def __init__(self, measure: Any, pages: Sequence[Page], judgments: Judgments) -> None:
        refuse_unjudged_topics(pages, judgments)
        self.measure = measure
        self._batches = batches(pages)
        common = {name: measure[name] for name in ("rel", "ties")}
        self._rankings = [
            irmx.rankings(judgments, run_table([pages[i] for i in batch]), **common) for batch in self._batches
        ]
        number_of = {str(t): i for i, t in enumerate(self._rankings[0].topics)}  # every topic has a page in it
        self.topic = np.array([number_of[p.query_id] for p in pages])
        places = []
        for batch, rankings in zip(self._batches, self._rankings, strict=True):
            of_topic = {pages[i].query_id: i for i in batch}
            places += [of_topic[str(t)] for t in rankings.topics]
        self._place = np.argsort(np.array(places))
        self.pages = stacked([measure.pages(r) for r in self._rankings])
        self._gain: dict[tuple[float, str], Floats] = {}

    @property
    def normalises(self) -> bool:
        """Whether the measure divides by an ideal page."""
        return self.measure["normalise"] is not None

    @cached_property
    def recall(self) -> Floats:
        """The vRecall of every page."""
        return np.concatenate([self.measure.recall(r) for r in self._rankings])[self._place]

    def values(self, setting: Any) -> Floats:
        """Return nUtil of every page, or Util for a measure that does not normalise; without vRecall."""
        if not self.normalises:
            return self.utility(setting)
        if self.measure["ideal"] == "exact":
            ideal = np.concatenate([setting.ideal(r) for r in self._rankings])[self._place]
        else:
            ideal = setting.ideal(self._rankings[0])[self.topic]
        return np.asarray(self.utility(setting) / ideal)

    def utility(self, setting: Any) -> Floats:
        """Return Util of every page, which orders the pages of a topic as nUtil does unless the ideal page is ``exact``."""
        key = (setting["alpha"], setting["g"])
        if key not in self._gain:
            self._gain = {key: setting.gain(self.pages)}  # in a grid, settings of one alpha mostly follow each other
        gain = self._gain[key]
        return utility(self.pages, gain, setting.probabilities(self.pages, gain))[self._place]


def refuse_other_measures(measure: Any) -> None:
    """Raise if a measure is not a page utility."""
    if not isinstance(measure, AggregatedSearch):
        raise UsageError(
            f"{measure} cannot be fitted. The measures that can be are the page utilities AS_DCG, AS_RBP, AS_ERR, AS_ATT, and AS "
            "with any examination model."
        )
    if measure["personal"]:
        raise UsageError(
            f"{measure} already has a value of 'personal', which is fitted for every assessor. Leave it out."
        )


@dataclass(frozen=True)
class ParameterGrid:
    """Values of some parameters of a measure, and every combination of them.

    Attributes
    ----------
    values : dict of str to float array
        The values of every parameter, ascending.
    """

    values: dict[str, Floats]

    @property
    def settings(self) -> list[dict[str, float]]:
        """Every combination; the last parameter changes fastest."""
        found = itertools.product(*(v.tolist() for v in self.values.values()))
        return [dict(zip(self.values, combination, strict=True)) for combination in found]

    @property
    def ranges(self) -> list[tuple[float, float]]:
        """The smallest and the largest value of every parameter."""
        return [(float(v[0]), float(v[-1])) for v in self.values.values()]


def middle(sizes: Sequence[int], best: Sequence[int]) -> int:
    """Return the one of several equally good points of a grid that is nearest to their middle.

    >>> middle([4], [1, 2, 3])
    2
    """
    places = np.stack(np.unravel_index(np.asarray(best), sizes), axis=1)
    distance = (((places - places.mean(axis=0)) / np.maximum(np.array(sizes) - 1, 1)) ** 2).sum(axis=1)
    return int(best[int(np.argmin(distance))])


def parameter_grid(measure: Any, grid: Mapping[str, Any] | Sequence[str]) -> ParameterGrid:
    """Return the grid of a measure, checked.

    Parameters
    ----------
    measure : Measure
        The measure, without explicit values for the parameters of the grid.
    grid : mapping of str to str or sequence of float, or sequence of str
        As for :class:`irmx.Grid`: ``"1.5:100"`` for 51 values at equal distances, ``"1.5:100:20"`` for 20, ``"2,5,10"`` for
        these, or the values.

    Raises
    ------
    irmx.UsageError
        If a parameter cannot be fitted, is given twice, or has a value that is not allowed.

    Examples
    --------
    >>> from irmx_pages import AS_RBP
    >>> found = parameter_grid(AS_RBP, {"alpha": "2:10:5", "beta": "0.5,.8"})
    >>> found.values["alpha"].tolist(), len(found.settings), found.settings[1]
    ([2.0, 4.0, 6.0, 8.0, 10.0], 10, {'alpha': 2.0, 'beta': 0.8})
    """
    params = fittable(measure)
    given = Grid.parse(grid)
    for name in given:
        if name == "personal":
            raise UsageError(
                f"The weight 'personal' of {measure} is fitted separately for every assessor; leave it out of the grid."
            )
        if name not in params:
            raise UsageError(
                f"The parameter {name!r} of {measure} cannot be fitted. The parameters that can be: {', '.join(params)}."
            )
        if has_value(measure, name):
            raise UsageError(
                f"{measure} already has a value of {name!r}; leave it out of the measure or out of the grid."
            )
    values = Grid(params, given, owner=str(measure.NAME)).values
    return ParameterGrid({name: _numbers(name, some) for name, some in values.items()})


def _numbers(name: str, values: Sequence[Any]) -> Floats:
    """Return values as an ascending array; raise for values that the search cannot use."""
    other = [value for value in values if not isinstance(value, (int, float))]
    if other:
        raise UsageError(f"The grid value {other[0]} of {name!r} is not a number; each parameter is fitted separately.")
    if len(values) < 2:
        raise UsageError(f"The grid has only one value of {name!r}, {values[0]:g}; there is nothing to fit.")
    return np.unique(np.array(values, dtype=float))
