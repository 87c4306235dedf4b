"""The page of the largest utility for one topic: its candidate blocks, and the best page under every examination model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations
from math import comb
from typing import Any, NamedTuple

import numpy as np

from irmx import Rankings, UsageError
from irmx.ragged import Bools, Floats, Ints, short_repr
from irmx_pages.ideal_pages import Limits, effort_of_verticals
from irmx_pages.judged_verticals import JudgedVerticals, judged_verticals
from irmx_pages.page import WEB, WEB_ORIENTATION, Pages, attention, efforts, media_of, orientation_gain, utility, visual

WEB_BLOCK = -1
"""The number of the web; verticals are numbered from 0."""


class Pick(NamedTuple):
    """One block of a page.

    Attributes
    ----------
    vertical : int
        Its number among the candidates, -1 for the web.
    relevant : int
        The number of relevant items, the only items of the block; a block with 0 has one non-relevant item.

    Examples
    --------
    >>> Pick(WEB_BLOCK, 1)
    Pick(vertical=-1, relevant=1)
    """

    vertical: int
    relevant: int


@dataclass(frozen=True)
class Candidates:
    """The blocks that a page of one topic may show: any web results, and one block of every vertical.

    A block has only relevant items, or one non-relevant item. More non-relevant items would lower the utility in every model
    of the package. Non-relevant web results never run out.

    Attributes
    ----------
    names : list of str
        The verticals.
    orientation, gain, effort : float array, shape (verticals,)
        The orientation of each, the gain of one relevant item and the effort of an item.
    relevant : int array, shape (verticals,)
        The maximum number of relevant items in its block.
    visual : bool array, shape (verticals,)
        Whether it attracts attention.
    web_gain, web_effort, web_relevant, web_visual
        The same for the web; ``web_relevant`` is the number of relevant results.
    most : int
        The maximum number of vertical blocks on a page.

    Examples
    --------
    >>> candidates = Candidates(["image"], np.array([0.75]), np.array([0.75]), np.array([1.0]), np.array([2]),
    ...     np.array([True]), web_gain=0.5, web_effort=3.0, web_relevant=1, web_visual=False, most=1)
    >>> candidates.picks(rate=0.25), candidates.value(Pick(0, 2), rate=0.25)
    ([Pick(vertical=0, relevant=2)], 1.0)
    >>> candidates.page([Pick(0, 2), Pick(WEB_BLOCK, 1)]).effort
    array([2., 3.])
    """

    names: list[str]
    orientation: Floats
    gain: Floats
    effort: Floats
    relevant: Ints
    visual: Bools
    web_gain: float
    web_effort: float
    web_relevant: int
    web_visual: bool
    most: int

    __repr__ = short_repr

    def picks(self, rate: float) -> list[Pick]:
        """Return the best block of every vertical at a given rate, the gain that a unit of effort costs."""
        many = np.where(self.gain > rate * self.effort, self.relevant, np.minimum(self.relevant, 1))
        return [Pick(i, k) for i, k in enumerate(many.tolist())]

    def gain_of(self, pick: Pick) -> float:
        """Return G(B)."""
        return pick.relevant * (self.web_gain if pick.vertical == WEB_BLOCK else float(self.gain[pick.vertical]))

    def value(self, pick: Pick, rate: float) -> float:
        """Return G(B) - rate E(B)."""
        effort = self.web_effort if pick.vertical == WEB_BLOCK else float(self.effort[pick.vertical])
        return self.gain_of(pick) - rate * max(pick.relevant, 1) * effort

    def satisfaction(self, pick: Pick) -> float:
        """Return G(B) over the number of items."""
        return self.gain_of(pick) / max(pick.relevant, 1)

    def best_first(self, verticals: list[Pick], length: int, rate: float) -> list[Pick]:
        """Return the blocks with the largest values, best first: of some verticals, and of the web."""
        web = [Pick(WEB_BLOCK, 1)] * min(self.web_relevant, length)
        every = [*verticals, *web, *[Pick(WEB_BLOCK, 0)] * length]
        return sorted(every, key=lambda pick: -self.value(pick, rate))[:length]

    def page(self, picks: list[Pick]) -> Pages:
        """Return a page with the blocks from top to bottom."""
        at = np.array([p.vertical for p in picks], dtype=np.int64)
        items = np.array([max(p.relevant, 1) for p in picks], dtype=np.int64)
        each = np.append(self.effort, self.web_effort)[at]
        return Pages(
            np.array([0, len(picks)]),
            np.array([*self.names, WEB], dtype=object)[at],
            np.append(self.orientation, WEB_ORIENTATION)[at],
            np.array([p.relevant for p in picks], dtype=np.float64),
            items,
            items * each,
            np.append(self.visual, self.web_visual)[at],
        )

    @cached_property
    def undominated(self) -> list[int]:
        """The verticals that a page of the largest utility may need.

        A vertical is not needed if as many others as a page can show have no less gain, no fewer relevant items and no more
        effort: one of these then always has a block that is at least as good.
        """
        better = (
            (self.gain[:, None] >= self.gain)
            & (self.relevant[:, None] >= self.relevant)
            & (self.effort[:, None] <= self.effort)
        )
        order = np.arange(len(self.names))
        ahead = better & ~(better.T & (order[:, None] >= order))
        found: list[int] = np.flatnonzero(ahead.sum(axis=0) < self.most).tolist()
        return found


def candidates_of(
    judged: JudgedVerticals, topic: int, limits: Limits, table: Mapping[str, float], alpha: float, g: str
) -> Candidates:
    """Return the candidates of a topic; the web is always included, even if the judgments have none of it."""
    here = np.flatnonzero(judged.topic == topic)
    web, verticals = here[judged.web[here]], here[~judged.web[here]]
    effort, attracts = effort_of_verticals(judged, verticals, table)
    media = [judged.media_names[i] for i in judged.media[web].tolist()] or [media_of(WEB)]
    return Candidates(
        [judged.names[i] for i in judged.label[verticals].tolist()],
        judged.orientation[verticals],
        orientation_gain(judged.orientation[verticals], alpha, g),
        effort,
        np.minimum(judged.relevant[verticals], limits.items),
        attracts,
        float(orientation_gain(WEB_ORIENTATION, alpha, g)),
        float(efforts(media, table, lambda _: " of general web, which an exact ideal page may show")[0]),
        int(judged.relevant[web].sum()),
        bool(visual(media)[0]),
        limits.verticals,
    )


def best_page(candidates: Candidates, examination: Any, length: int) -> tuple[float, Pages]:
    """Return the largest utility of a page with a given number of blocks, and a page that has it.

    With a free number of blocks, the best page would always be the single block with the largest gain per effort, because
    the utility is a weighted mean of the blocks' ratios.

    Parameters
    ----------
    candidates : Candidates
        The blocks that a page of the topic may show.
    examination : Symbol
        An examination model with the method ``best_page(candidates, rate, length)``: it returns the :class:`Pick` of every block,
        from top to bottom, of a page with the largest sum over blocks of Exam(B) (G(B) - rate E(B)).
    length : int
        The number of blocks, at least 1.

    Raises
    ------
    irmx.UsageError
        If the model has no such method.

    References
    ----------
    Dinkelbach: On Nonlinear Fractional Programming. Management Science 13(7), 1967.

    Examples
    --------
    >>> from irmx_pages import dcg
    >>> candidates = Candidates(["image"], np.array([0.75]), np.array([0.75]), np.array([1.0]), np.array([2]),
    ...     np.array([True]), web_gain=0.5, web_effort=3.0, web_relevant=1, web_visual=False, most=1)
    >>> value, page = best_page(candidates, dcg, 2)
    >>> round(value, 6), page.vertical
    (0.466366, array(['image', 'web'], dtype=object))
    """
    search = getattr(examination, "best_page", None)
    if search is None:
        raise UsageError(
            f"The examination model {examination} cannot find the best page, because it has no method best_page. Use ideal='paper' or 'greedy'."
        )
    rate, best = 0.0, [Pick(WEB_BLOCK, 0)] * length
    while True:
        picks = search(candidates, rate, length)
        page, gain = candidates.page(picks), np.array([candidates.gain_of(pick) for pick in picks])
        found = float(utility(page, gain, examination.probabilities(page, gain))[0])
        if not found > rate:
            return rate, candidates.page(best)
        rate, best = found, picks


def exact_utility(
    rankings: Rankings, blocks: Ints, limits: Limits, table: Mapping[str, float], examination: Any, alpha: float, g: str
) -> Floats:
    """Return, for each topic, the largest utility of a page with as many blocks as the run's page."""
    judged = judged_verticals(rankings)
    kept: dict[tuple[int, int], float] = rankings.qrels_memo(
        ("exact ideals", rankings.rel, limits, table, examination, alpha, g), dict
    )
    for key in enumerate(blocks.tolist()):
        if key not in kept:
            candidates = candidates_of(judged, key[0], limits, table, alpha, g)
            kept[key] = best_page(candidates, examination, key[1])[0]
    return np.array([kept[key] for key in enumerate(blocks.tolist())])


LARGEST = 20_000_000
"""Maximum number of array elements that a search may hold at once."""


def by_position(candidates: Candidates, rate: float, length: int, weight: Floats) -> list[Pick]:
    """Return the best page for a model in which the probability of a block depends on its position alone.

    Only the best verticals and the best web results are on the page, the largest values where the weights are largest.
    """
    verticals = sorted(candidates.picks(rate), key=lambda pick: -candidates.value(pick, rate))
    chosen = candidates.best_first(verticals[: candidates.most], length, rate)
    return _placed(chosen, np.argsort(-weight, kind="stable"), length)


def by_attention(candidates: Candidates, rate: float, length: int, beta: float, phi: float | None = None) -> list[Pick]:
    """Return the best page for a model in which probabilities depend on positions and on where the visual blocks are.

    The positions of the visual blocks fix all probabilities. Within each kind, visual and other blocks, the largest values
    then go where the probabilities are largest. All sets of positions are tried for the kind that excludes the web, which has
    no more blocks than a page may have verticals.
    """
    picks = sorted(candidates.picks(rate), key=lambda pick: -candidates.value(pick, rate))
    as_web = [p for p in picks if bool(candidates.visual[p.vertical]) == candidates.web_visual]
    other = [p for p in picks if bool(candidates.visual[p.vertical]) != candidates.web_visual]
    best: tuple[float, list[Pick]] = (-np.inf, [])
    for count in range(min(candidates.most, len(other), length) + 1):
        places, weight = _attention(length, count, candidates.web_visual, beta, phi)
        rare = other[:count]
        common = candidates.best_first(as_web[: candidates.most - count], length - count, rate)
        value = np.array([candidates.value(p, rate) for p in [*rare, *common]])
        total = weight @ value
        at = int(np.argmax(total))
        if total[at] > best[0]:
            best = float(total[at]), _placed([*rare, *common], places[at], length)
    return best[1]


@lru_cache(maxsize=256)
def _attention(length: int, count: int, web_visual: bool, beta: float, phi: float | None) -> tuple[Any, Floats]:
    """Return, for all sets of positions of the blocks unlike the web, their positions, those of the others, and the weights.

    The positions of each kind are in the order of decreasing weights.
    """
    if comb(length, count) * length > LARGEST:
        raise UsageError(
            f"The exact ideal of a page of {length} blocks with {count} visual ones leaves too many places to try. Use a cutoff, "
            "such as @20, a smaller ideal_verticals, or another ideal."
        )
    unlike = np.zeros((comb(length, count), length), dtype=bool)
    for row, chosen in enumerate(combinations(range(length), count)):
        unlike[row, list(chosen)] = True
    offsets, position = np.arange(0, unlike.size + 1, length), np.tile(np.arange(1, length + 1), len(unlike))
    weight = attention(position, (unlike != web_visual).ravel(), offsets, beta, phi).reshape(unlike.shape)
    places = np.lexsort((-weight, ~unlike), axis=1)
    return places, np.take_along_axis(weight, places, axis=1)


def by_satisfaction(candidates: Candidates, rate: float, length: int, discount: Floats) -> list[Pick]:
    """Return the best page for a user who stops at a block with a probability equal to its mean gain per item.

    Works from the last position up; for every set of verticals and number of relevant web results already shown, it finds the
    best next block: F_i = max over blocks of c_i (G - rate E) + (1 - G/|B|) F_(i+1). Equal web results are interchangeable.
    """
    picks = candidates.picks(rate)
    verticals = [picks[v] for v in candidates.undominated]
    web = min(candidates.web_relevant, length)
    most = min(candidates.most, len(verticals), length)
    if sum(comb(len(verticals), n) for n in range(most + 1)) * (web + 1) * length * (len(verticals) + 2) > LARGEST:
        raise UsageError(
            f"The exact ideal of a page of {length} blocks from {len(verticals)} verticals has too many pages to compare. Use a "
            "cutoff, such as @20, a smaller ideal_verticals, or another ideal."
        )
    sets = [s for n in range(most + 1) for s in combinations(range(len(verticals)), n)]
    number = {s: i for i, s in enumerate(sets)}
    after = np.array(
        [[number.get(tuple(sorted({*s, v})), -1) if v not in s else -1 for v in range(len(verticals))] for s in sets],
        dtype=np.int64,
    ).reshape(len(sets), len(verticals))
    blocks = [Pick(WEB_BLOCK, 0), Pick(WEB_BLOCK, 1), *verticals]
    value = [candidates.value(pick, rate) for pick in blocks]
    stays = [1 - candidates.satisfaction(pick) for pick in blocks]
    best = np.zeros((len(sets), web + 1))
    choices = []
    for c in discount[::-1].tolist():
        options = np.full((len(blocks), *best.shape), -np.inf)
        options[0] = c * value[0] + stays[0] * best
        options[1, :, :-1] = c * value[1] + stays[1] * best[:, 1:]
        for v in range(len(verticals)):
            free = after[:, v] >= 0
            options[2 + v, free] = c * value[2 + v] + stays[2 + v] * best[after[free, v]]
        choice = np.argmax(options, axis=0)
        best = np.take_along_axis(options, choice[None], axis=0)[0]
        choices.append(choice)
    shown, seen, page = 0, 0, []
    for choice in reversed(choices):
        block = int(choice[shown, seen])
        page.append(blocks[block])
        seen += block == 1
        shown = int(after[shown, block - 2]) if block > 1 else shown
    return page


def _placed(picks: list[Pick], places: Any, length: int) -> list[Pick]:
    """Return picks in the order of their positions."""
    page = [Pick(WEB_BLOCK, 0)] * length
    for pick, place in zip(picks, places.tolist(), strict=True):
        page[place] = pick
    return page
