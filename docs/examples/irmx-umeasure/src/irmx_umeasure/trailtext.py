"""The trailtext of a ranked list, all the text that a user reads on the way down, and the positions of gains in it."""

from __future__ import annotations

import numpy as np

from irmx.ragged import Floats, Ints


def positions(rank: Ints, length: Floats, offsets: Ints, snippet: float, share: float) -> Floats:
    """Return the end of the part read of each clicked document, in characters from the start of the trailtext.

    The user reads the snippet of every document and, after that of a relevant one, the first ``share`` of its text.

    Parameters
    ----------
    rank : int array, shape (documents,)
        The ranks of the relevant documents, ascending within a topic.
    length : float array, shape (documents,)
        The lengths of their texts, in characters.
    offsets : int array, shape (topics + 1,)
        The documents of topic t are ``offsets[t]:offsets[t + 1]``.
    snippet : float
        The length of a snippet, in characters.
    share : float
        The share of a relevant document that is read, in [0, 1].

    Examples
    --------
    Two topics; the first has relevant documents of 1000 and 3000 characters at ranks 1 and 3:

    >>> positions(np.array([1, 3, 2]), np.array([1000.0, 3000.0, 500.0]), np.array([0, 2, 3]), 200, 0.2)
    array([ 400., 1400.,  500.])
    """
    read = share * length
    until = np.concatenate([[0.0], np.cumsum(read)])
    before_topic = np.repeat(until[offsets[:-1]], np.diff(offsets))
    return np.asarray(snippet * rank + until[1:] - before_topic)
