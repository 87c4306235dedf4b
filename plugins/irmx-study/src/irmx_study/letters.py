"""Letters of systems that cannot be told apart."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_letters

import numpy as np

from irmx.ragged import Bools


def letters_of(differ: Bools, order: Sequence[int]) -> list[str]:
    """Return letters for systems, such that two systems share one if and only if they cannot be told apart.

    A letter stands for a group of systems, no two of which differ. Few letters are readable, so groups are formed greedily, as
    covers of the edges of a graph by cliques: each is made of pairs that share no letter yet, and groups that others make
    superfluous are left out. The smallest possible number is hard to find (Gramm et al., 2007), and the method of insertion and
    absorption (Piepho, 2004), which lists all largest groups, gives a system of TREC-8 up to 800 letters.

    Examples
    --------
    >>> differ = np.zeros((3, 3), dtype=bool)
    >>> differ[0, 2] = differ[2, 0] = True
    >>> letters_of(differ, [0, 1, 2])
    ['a', 'ab', 'b']
    """
    alike = ~differ[np.ix_(order, order)]
    np.fill_diagonal(alike, True)
    groups = _without_superfluous(_groups(alike), len(alike))
    groups.sort()
    letters = [""] * len(order)
    for number, group in enumerate(groups):
        for place in group:
            letters[order[place]] += _letter(number)
    return letters


def _groups(alike: Bools) -> list[list[int]]:
    """Return groups in which no two places differ; every two places that do not differ share one. Places ascend in each."""
    unshared, groups = alike.copy(), []
    for place in range(len(alike)):
        while unshared[place].any():
            group, candidates, gain = [place], alike[place].copy(), unshared[place].astype(np.intp)
            candidates[place] = False
            while candidates.any():
                joining = int(
                    np.where(candidates, gain, -1).argmax()
                )  # the one with most new pairs; of these, the best
                group.append(joining)
                candidates &= alike[joining]
                candidates[joining] = False
                gain += unshared[joining]
            unshared[np.ix_(group, group)] = False
            groups.append(sorted(group))
    return groups


def _without_superfluous(groups: list[list[int]], systems: int) -> list[list[int]]:
    """Return the groups that contain a pair that no other does, the last ones left out first."""
    shared = np.zeros((systems, systems), dtype=np.intp)
    for group in groups:
        shared[np.ix_(group, group)] += 1
    kept = []
    for group in reversed(groups):
        pairs = np.ix_(group, group)
        if (shared[pairs] > 1).all():
            shared[pairs] -= 1
        else:
            kept.append(group)
    return kept


def _letter(number: int) -> str:
    """Return a to z, A to Z, a1 to z1 and so on."""
    turn, place = divmod(number, len(ascii_letters))
    return ascii_letters[place] + (str(turn) if turn else "")


def ranks_alike(differ: Bools, order: Sequence[int]) -> list[str]:
    """Return the best and the worst rank of the systems that each cannot be told apart from, itself among them; some between may differ.

    >>> differ = np.zeros((3, 3), dtype=bool)
    >>> differ[0, 2] = differ[2, 0] = True
    >>> ranks_alike(differ, [0, 1, 2])
    ['1-2', '1-3', '2-3']
    """
    alike = ~differ[np.ix_(order, order)]
    np.fill_diagonal(alike, True)
    texts = [""] * len(order)
    for place, row in enumerate(alike):
        ranks = np.flatnonzero(row) + 1
        texts[order[place]] = f"{ranks[0]}-{ranks[-1]}" if len(ranks) > 1 else str(ranks[0])
    return texts
