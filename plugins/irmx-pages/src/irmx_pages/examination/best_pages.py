"""The page of a given length with the largest sum of Exam(B) (G(B) - rate E(B)), for every examination model."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from irmx import UsageError
from irmx.ragged import Floats
from irmx_pages.examination.attention import attention
from irmx_pages.ideal.candidates import WEB_BLOCK, Candidates, Pick

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
