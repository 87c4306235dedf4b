"""Lengths and positions in words, from texts if the files have them, else from the lengths in the files.

Words are counted in two ways: separated by white space, or by blanks, as in the track's script.
"""

from __future__ import annotations

import re

import numpy as np

from irmx.ragged import Floats
from irmx_stream.tst.tst_tables import TstTable

CHARACTERS_PER_WORD = 6.0
"""Characters per word, for lengths in one unit only: five letters and a blank; a choice of irmx."""


def lengths_in_words(table: TstTable, text: str, length: tuple[str, ...], in_words: bool) -> Floats:
    """Return the words of every row.

    Parameters
    ----------
    table : TstTable
        The nuggets or the updates.
    text : str
        The column of texts; if it exists, words are separated by white space.
    length : tuple of str
        The columns of lengths; the first that exists is used if there is no ``n_words``.
    in_words : bool
        Whether those lengths are in words; characters otherwise.

    Returns
    -------
    float array, shape (rows,)
        NaN where the table has no length.
    """
    if text in table:
        return np.array([len(t.split()) for t in table[text]], dtype=np.float64)
    if "n_words" in table:
        return table.numbers("n_words", low=0)
    for name in length:
        if name in table:
            values = table.numbers(name, low=0)
            return values if in_words else np.ceil(values / CHARACTERS_PER_WORD)
    return np.full(len(table), np.nan)


def words_of_the_track(table: TstTable, text: str, words: Floats) -> Floats:
    """Return the words of every row as the track's script counts them: blanks plus one; without texts, the given ones."""
    return np.array([t.count(" ") + 1 for t in table[text]], dtype=np.float64) if text in table else words


def words_held_of_the_track(
    start: float, end: float, text: str | None, words: float, characters: float
) -> tuple[float, float]:
    """Return the first word of a span of characters, and the word after its last, as counted by the track's script.

    They go from the number of blanks before the last blank at or before the start to that of blanks before the next blank
    at or after the end. Without a blank before the start they begin at 0, and without one after the end all blanks
    count. So a match at the very beginning of a text is one word short.

    Parameters
    ----------
    start, end, text, words, characters
        As for :func:`words_held`. Without a text, blanks are assumed to be evenly spaced.

    Examples
    --------
    >>> words_held_of_the_track(4, 9, "one two three four", 4, 18), words_held_of_the_track(0, 7, "one two three four", 4, 18)
    ((0.0, 2.0), (0.0, 1.0))
    >>> words_held_of_the_track(4, 9, None, 4, 18)
    (0.0, 1.0)
    """
    if text is not None:
        before, after = text.rfind(" ", 0, int(start) + 1), text.find(" ", int(end))
        last = text.count(" ") if after < 0 else text.count(" ", 0, after)
        return float(text.count(" ", 0, max(before, 0))), float(last)
    if not words > 0 or not characters > 0:
        return 0.0, max(words - 1, 0.0)
    per_character = words / (characters + 1)
    first = max(np.rint(start * per_character) - 1, 0.0)
    last = min(max(np.rint((end + 1) * per_character) - 1, first), words - 1)
    return float(min(first, last)), float(last)


def words_held(start: float, end: float, text: str | None, words: float, characters: float) -> tuple[float, float]:
    """Return the first word of an update that a span of characters touches, and the word after the last.

    Parameters
    ----------
    start, end : float
        The span, in characters, end exclusive.
    text : str, optional
        The update.
    words, characters : float
        Its length; used if there is no text, assuming that positions are proportional.

    Examples
    --------
    >>> words_held(4, 9, "one two three four", 4, 18)
    (1.0, 3.0)
    >>> words_held(4, 9, None, 4, 18)
    (0.0, 2.0)
    """
    if text is not None:
        spans = [m.span() for m in re.finditer(r"\S+", text)]
        before = sum(b <= start for _, b in spans)
        return float(before), float(max(before, sum(a < end for a, _ in spans)))
    if not words > 0 or not characters > 0:
        return 0.0, max(words, 0.0)
    per_character = words / characters
    first = min(float(np.floor(start * per_character)), words)
    return first, max(first, min(float(np.ceil(end * per_character)), words))
