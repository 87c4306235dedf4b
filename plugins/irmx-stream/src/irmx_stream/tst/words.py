"""Lengths and places in words, from texts where they are there, else from the lengths that the files give."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from irmx_stream.tst.tables import TstTable

CHARACTERS_PER_WORD = 6.0
"""Where a length is in one unit only: a word of five letters and a blank; a choice of irmx."""

Floats = np.ndarray[Any, np.dtype[np.float64]]


def lengths_in_words(table: TstTable, text: str, length: tuple[str, ...], in_words: bool) -> Floats:
    """Return the words of every row.

    Parameters
    ----------
    table : TstTable
        The nuggets or the updates.
    text : str
        The column of texts; where it is there, words are what white space sets apart.
    length : tuple of str
        The columns of lengths, of which the first that is there counts if there is no ``n_words``.
    in_words : bool
        Whether those lengths are in words; characters otherwise.

    Returns
    -------
    float array, shape (rows,)
        NaN where the table tells nothing.
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


def words_held(start: float, end: float, text: str | None, words: float, characters: float) -> tuple[float, float]:
    """Return the first word of an update that a span of characters touches, and the word after the last.

    Parameters
    ----------
    start, end : float
        The span, in characters, end exclusive.
    text : str, optional
        The update.
    words, characters : float
        Its length; used where there is no text: then places are in proportion.

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
