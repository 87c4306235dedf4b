"""What was found, in a sentence or two: which of two systems is better, by how much, how sure, and by which measures."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from irmx_study.compared_systems import ComparedSystems
from irmx_study.result import joined, p_text

MOST_VIEWS = 4
"""The views that agree or disagree are named if there are no more; of more, they are counted."""


def pair_shown_first(comparison: ComparedSystems) -> tuple[str, str]:
    """Return the best other system and the baseline that was named, or the best two."""
    order = [comparison.scores.systems[s] for s in comparison._order(0)]
    if comparison.baseline and not (comparison.is_default and len(order) > 2):
        baseline = comparison.baseline[0]
        return next(system for system in order if system != baseline), baseline
    return order[0], order[1]


def headline_of(comparison: ComparedSystems) -> str:
    """Return what was found of the two systems that are shown first, and of more systems what was found of all."""
    sentences = [_of_pair(comparison, *pair_shown_first(comparison))]
    if len(comparison.scores.systems) > 2:
        sentences.append(_of_all(comparison))
    return " ".join(sentences)


def _of_pair(comparison: ComparedSystems, a: str, b: str) -> str:
    """Return which of two systems is significantly better by the first view, the size of the difference, and what other views say."""
    order = [comparison.scores.systems[s] for s in comparison._order(0)]
    a, b = sorted((a, b), key=order.index)
    row, sign = _row(comparison, a, b)
    better = sign * comparison.better[:, row]
    columns = {name: values[:, row] for name, values in comparison.compared.columns.items()}
    p, size = columns["p_corrected"], _size(columns["difference"][0], columns["low"][0], columns["high"][0], sign)
    by = f"by {comparison.scores.names[0]}: {size}, {_p(p[0])}"
    a, b = comparison.names[a], comparison.names[b]
    if better[0]:
        found = f"{a} beats {b} {by}"
        others = [("the same by", 1, None), ("not by", 0, p), ("the other way round by", -1, p)]
    else:
        found = f"No difference between {a} and {b} is significant {by}"
        others = [("nor by", 0, p), (f"but {a} is better by", 1, p), (f"but {b} is better by", -1, p)]
    told = [_views(comparison, words, better == outcome, shown) for words, outcome, shown in others]
    return f"{'; '.join([found, *filter(None, told)])}."


def _of_all(comparison: ComparedSystems) -> str:
    """Return how many systems beat the baseline that was named, or how many the best one beats, and which are the best by other views."""
    scores, names, compared = comparison.scores, comparison.names, comparison.compared
    tops = [scores.systems[comparison._order(v)[0]] for v in range(len(scores.names))]
    is_named = bool(comparison.baseline) and not comparison.is_default
    centre = comparison.baseline[0] if is_named else tops[0]
    place, better = scores.systems.index(centre), comparison.better[0]
    outcomes = np.concatenate([better[compared.first == place], -better[compared.second == place]])
    wins, losses = int((outcomes > 0).sum()), int((outcomes < 0).sum())
    beats = f"{names[centre]} beats {_of_others(wins, len(outcomes))}"
    if is_named:
        beats += f" and is beaten by {losses or 'none'}"
    others = [
        _views(comparison, f"{names[top]} has the best mean by", np.array(tops) == top)
        for top in dict.fromkeys(tops)
        if top != tops[0]
    ]
    return f"By {scores.names[0]}, {'; '.join([beats, *filter(None, others)])}."


def _of_others(number: int, total: int) -> str:
    if number == total:
        return "both others" if total == 2 else f"all {total} others"
    return f"{number or 'none'} of the {total} others"


def _row(comparison: ComparedSystems, a: str, b: str) -> tuple[int, int]:
    """Return the place of a pair among the comparisons, and -1 if it was compared the other way round, otherwise 1."""
    compared, (i, j) = comparison.compared, map(comparison.scores.systems.index, (a, b))
    as_asked = (compared.first == i) & (compared.second == j)
    turned = (compared.first == j) & (compared.second == i)
    return int(np.flatnonzero(as_asked | turned)[0]), 1 if as_asked.any() else -1


def _views(comparison: ComparedSystems, words: str, chosen: Any, p: Sequence[float] | None = None) -> str:
    """Return words and the other views that were chosen, with p-values if given; of many their number; empty for none."""
    names = comparison.scores.names
    places = [v for v in range(1, len(names)) if chosen[v]]
    if not places:
        return ""
    if len(places) > MOST_VIEWS:
        return f"{words} {len(places)} other views"
    return f"{words} {joined([names[v] if p is None else f'{names[v]} ({_p(p[v])})' for v in places])}"


def _size(difference: float, low: float, high: float, sign: int) -> str:
    """Return a difference with its interval, turned if the sign is -1.

    >>> _size(-0.124, -0.178, -0.069, -1)
    '+.124 [.069, .178]'
    """
    if sign < 0:
        difference, low, high = -difference, -high, -low
    difference, low, high = (round(bound, 3) + 0.0 for bound in (difference, low, high))  # never -0.000
    return _without_zeros(f"{difference:+.3f} [{low:.3f}, {high:.3f}]")


def _p(p: float) -> str:
    """Return a p-value as in the tables.

    >>> _p(0.00001), _p(0.2113)
    ('p < .0001', 'p = .2113')
    """
    text = p_text(p)
    return _without_zeros(f"p < {text[1:]}" if text.startswith("<") else f"p = {text}")


def _without_zeros(text: str) -> str:
    """Return a text in which no number smaller than 1 begins with a zero."""
    return re.sub(r"(?<![\d.])0(?=\.\d)", "", text)
