"""Letters of systems that cannot be told apart."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_letters

from irmx.ragged import Bools


def letters_of(differ: Bools, order: Sequence[int]) -> list[str]:
    """Return letters for systems, such that two systems share one if and only if they cannot be told apart.

    This is the compact letter display of Piepho (2004), by insertion and absorption.

    Parameters
    ----------
    differ : bool array, shape (systems, systems)
        Whether two systems differ significantly; symmetric.
    order : sequence of int
        The systems from the best to the worst; the letter ``a`` goes to the best.

    Returns
    -------
    list of str
        The letters of every system.

    Examples
    --------
    >>> differ = np.zeros((3, 3), dtype=bool)
    >>> differ[0, 2] = differ[2, 0] = True
    >>> letters_of(differ, [0, 1, 2])
    ['a', 'ab', 'b']
    """
    groups = [frozenset(order)]
    for place, a in enumerate(order):
        for b in order[place + 1 :]:
            if differ[a, b]:
                split = [group for group in groups if a in group and b in group]
                groups = [group for group in groups if group not in split]
                for part in (group - {system} for group in split for system in (a, b)):
                    if not any(part <= group for group in groups):
                        groups = [*(group for group in groups if not group <= part), part]
    rank = {system: place for place, system in enumerate(order)}
    groups.sort(key=lambda group: sorted(rank[system] for system in group))
    return [
        "".join(_letter(number) for number, group in enumerate(groups) if system in group)
        for system in range(len(differ))
    ]


def _letter(number: int) -> str:
    """Return a to z, A to Z, a1 to z1 and so on."""
    turn, place = divmod(number, len(ascii_letters))
    return ascii_letters[place] + (str(turn) if turn else "")
