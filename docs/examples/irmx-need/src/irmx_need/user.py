"""The user ``need``: a continuation function for ``CWL`` of irmx-cwl."""

from __future__ import annotations

import numpy as np

from irmx import Formula, Param, Symbol
from irmx.ragged import Floats, Ints


class Need(Symbol):
    """A user who needs n documents with a gain, and goes on until they are found.

    With n = 1 it is the user ``rr``.

    Examples
    --------
    >>> import irmx
    >>> qrels, run = {"q": {"a": 1, "b": 1}}, {"q": {"x": 4.0, "a": 3.0, "y": 2.0, "b": 1.0}}
    >>> irmx.calc_aggregate("CWL(user=need(n=2)) CWL(user=need(n=2),value=ED)", qrels, run)
    {CWL(user=need): 0.5, CWL(user=need,value='ED'): 4.0}
    """

    NAME, KIND, ATTRIBUTE = "need", "continuation function", False
    SHORT_DESC = "goes on until n documents with a gain are found"
    FORMULA = Formula(
        r"C(i) = \begin{cases} 1 & \text{if } r_i < n \\ 0 & \text{otherwise} \end{cases}",
        {
            "C(i)": "the probability that a user who is at rank $i$ goes on to the next one",
            "i": "a rank, from 1",
            "r_i": "how many documents up to rank $i$ have a gain",
            "n": "how many the user needs",
        },
        source="this package",
    )
    SUPPORTED_PARAMS = {"n": Param(int, "how many documents with a gain the user needs", default=2, low=1)}

    def continuation(self, rank: Ints, gain: Floats, cost: Floats) -> Floats:
        """Return the probability to go on from each rank, of the shape of ``gain``: (topics, ranks)."""
        return np.asarray(np.cumsum(gain > 0, axis=1) < self["n"], dtype=float)


NEED = Need()
