"""The values of a page measure for many pages in many settings, computed block by block for all pages at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

import irmx
from irmx import Judgments, Param, UsageError, number
from irmx.ragged import Floats, offsets_of
from irmx_pages.examination.examination_models import ByPosition
from irmx_pages.page.page import Page
from irmx_pages.page.page_arrays import Pages, utility
from irmx_pages.page.page_runs import batches, refuse_unjudged_topics, run_table


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
        util = utility(self.pages, setting.gain(self.pages), setting.probabilities(self.pages))[self._place]
        return np.asarray(util / self._ideal(setting)) if self.normalises else np.asarray(util)

    def _ideal(self, setting: Any) -> Floats:
        if self.measure["ideal"] != "exact":
            of_topic: Floats = setting.ideal(self._rankings[0])
            return np.asarray(of_topic[self.topic])
        return np.concatenate([setting.ideal(r) for r in self._rankings])[self._place]

    def over_grid(self, settings: Sequence[Mapping[str, float]]) -> Iterator[tuple[list[int], Floats]]:
        """Yield values of all pages in many settings: the indices of some settings, and an array (pages, these settings).

        Within a topic they order pages as :meth:`values` does, but they are not divided by an ideal page that is the same
        for all pages of a topic.
        """
        by_gain: dict[float, list[int]] = {}
        for place, setting in enumerate(settings):
            by_gain.setdefault(setting.get("alpha", float("nan")), []).append(place)
        if self.normalises and self.measure["ideal"] == "exact":
            for place, setting in enumerate(settings):
                yield [place], self.values(with_values(self.measure, setting))[:, None]
        elif isinstance(self.measure.examination, ByPosition):
            yield from self._by_position(settings, by_gain)
        else:
            for places in by_gain.values():
                yield places, np.stack([self._utility(settings[i]) for i in places], axis=1)

    def _utility(self, setting: Mapping[str, float]) -> Floats:
        found = with_values(self.measure, setting)
        return utility(self.pages, found.gain(self.pages), found.probabilities(self.pages))[self._place]

    def _by_position(
        self, settings: Sequence[Mapping[str, float]], by_gain: Mapping[float, list[int]]
    ) -> Iterator[tuple[list[int], Floats]]:
        """Yield utilities where the probability of a block depends on its position alone: one matrix product per alpha."""
        pages, positions = self.pages, int(self.pages.blocks.max())

        def table(values: Floats) -> Floats:
            out = np.zeros((len(pages), positions))
            out[pages.page, pages.position - 1] = values
            return out

        effort = table(pages.effort)
        for places in by_gain.values():
            measures = [with_values(self.measure, settings[i]) for i in places]
            weight = np.stack([m.examination.at(np.arange(1, positions + 1)) for m in measures], axis=1)
            gained = table(measures[0].gain(pages)) @ weight
            yield places, (gained / (effort @ weight))[self._place]


def refuse_other_measures(measure: Any) -> None:
    """Raise if a measure is not a page utility."""
    from irmx_pages.measures.aggregated_search import AggregatedSearch

    if not isinstance(measure, AggregatedSearch):
        raise UsageError(
            f"{measure} cannot be fitted. The measures that can be are the page utilities AS_DCG, AS_RBP, AS_ERR, AS_ATT, and AS "
            "with any examination model."
        )
    if measure["personal"]:
        raise UsageError(
            f"{measure} already has a value of 'personal', which is fitted for every assessor. Leave it out."
        )
