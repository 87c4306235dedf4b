"""Examination models: how likely each block of a page is examined."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from irmx import Formula, Param, Symbol, UsageError, read_table
from irmx.ragged import Floats, Ints
from irmx_pages.page import attention

if TYPE_CHECKING:
    from irmx_pages.exact_ideal import Candidates, Pick
    from irmx_pages.page import Pages


_EXAMINED = {r"\mathrm{Exam}(B_i)": "the probability that the user examines the block at position $i$"}


KIND = "examination model"
"""The kind of symbol that the ``examination`` parameter of ``AS`` takes; any plugin may register more."""


class Examination(Symbol):
    """Model of how likely each block is to be examined.

    A plugin adds one by registering an :class:`irmx.Symbol` with ``KIND = "examination model"`` and the method
    :meth:`probabilities`; it need not derive from this class. For ``ideal="exact"`` it needs a method ``best_page`` too, see
    :func:`irmx_pages.exact_ideal.best_page`; one that derives from :class:`ByPosition` has it.

    References
    ----------
    Zhou, Cummins, Lalmas, Jose: Evaluating Aggregated Search Pages. SIGIR 2012.

    Examples
    --------
    >>> import irmx, numpy as np
    >>> class TopThree(irmx.Symbol):
    ...     NAME, KIND, SHORT_DESC = "top_three", "examination model", "the first three blocks, and nothing else"
    ...     def probabilities(self, pages, gain):
    ...         return np.where(pages.position <= 3, 1.0, 0.0)
    >>> from irmx_pages import AS
    >>> AS(examination=TopThree())
    AS(examination=top_three)
    """

    KIND = KIND

    def probabilities(self, pages: Pages, gain: Floats) -> Floats:
        """Return Exam(B) of every block, in [0, 1].

        Parameters
        ----------
        pages : Pages
            The pages.
        gain : float array, shape (blocks,)
            G(B) of every block.
        """
        raise NotImplementedError


class ByPosition(Examination):
    """Examination model that depends only on the position of a block."""

    def at(self, position: Ints) -> Floats:
        """Return the probability at positions, counted from 1."""
        raise NotImplementedError

    def probabilities(self, pages: Pages, gain: Floats) -> Floats:
        return self.at(np.arange(1, pages.position.max(initial=0) + 1))[pages.position - 1]

    def best_page(self, candidates: Candidates, rate: float, length: int) -> list[Pick]:
        from irmx_pages.exact_ideal import by_position

        return by_position(candidates, rate, length, self.at(np.arange(1, length + 1)))


class DCG(ByPosition):
    """The probability falls with the logarithm of the position.

    Examples
    --------
    >>> DCG().at(np.array([1, 2, 3]))
    array([1.        , 0.63092975, 0.5       ])
    """

    NAME = "dcg"
    SHORT_DESC = "falls with the logarithm of the position, like the discount of DCG"
    FORMULA = Formula(
        r"\mathrm{Exam}(B_i) = \frac{1}{\log_2(i+1)}",
        {**_EXAMINED, "i": "the position of the block, from 1"},
        source="Zhou, Cummins, Lalmas and Jose (2012)",
    )

    def at(self, position: Ints) -> Floats:
        return np.asarray(1 / np.log2(position + 1))


class RBP(ByPosition):
    """The user continues to the next block with the same probability at every block.

    Examples
    --------
    >>> RBP(beta=0.5).at(np.array([1, 2, 3]))
    array([1.  , 0.5 , 0.25])
    """

    NAME = "rbp"
    SHORT_DESC = "continues to the next block with probability beta"
    FORMULA = Formula(
        r"\mathrm{Exam}(B_i) = \beta^{i-1}",
        {
            **_EXAMINED,
            r"\beta": "the probability of continuing to the next block",
            "i": "the position of the block, from 1",
        },
        source="Zhou, Cummins, Lalmas and Jose (2012)",
    )
    SUPPORTED_PARAMS = {"beta": Param(float, "probability of continuing to the next block", default=0.8, low=0, high=1)}

    def at(self, position: Ints) -> Floats:
        return np.asarray(self["beta"] ** (position - 1.0))


class ERR(Examination):
    """The user stops at a block that satisfies, with a probability equal to its mean gain per item."""

    NAME = "err"
    SHORT_DESC = "stops at a block with a probability equal to its mean gain per item"
    FORMULA = Formula(
        r"\mathrm{Exam}(B_i) = c_i \prod_{j<i} \Bigl(1 - \frac{G(B_j)}{n_j}\Bigr)",
        {
            **_EXAMINED,
            "c_i": "an additional discount: 1, or $1/i$ with discount='rank'",
            "j": "the position of a block above",
            "G(B_j)": "the gain of that block",
            "n_j": "the number of its items",
        },
        source="Zhou, Cummins, Lalmas and Jose (2012), for the product; it does not say what the discount is",
    )
    SUPPORTED_PARAMS = {
        "discount": Param(
            str, "c_i, an additional discount: 1 ('one'), or 1/i ('rank')", default="one", choices=("one", "rank")
        )
    }

    def probabilities(self, pages: Pages, gain: Floats) -> Floats:
        going_on = products_before(1 - gain / pages.items, pages.offsets)
        return going_on * self._discount(pages.position)

    def _discount(self, position: Ints) -> Floats:
        """Return c_i."""
        return np.ones(len(position)) if self["discount"] == "one" else 1 / position

    def best_page(self, candidates: Candidates, rate: float, length: int) -> list[Pick]:
        from irmx_pages.exact_ideal import by_satisfaction

        return by_satisfaction(candidates, rate, length, self._discount(np.arange(1, length + 1)))


class ATT(Examination):
    """Images and videos attract attention, to themselves and to the blocks near them.

    That phi falls with the position by default is a choice of irmx; the paper says "we assume that phi is a global variable that
    is constant for all positions", which a number as ``phi`` follows. It gives no value of phi or beta.

    Examples
    --------
    >>> from irmx_pages import Pages
    >>> page = Pages(np.array([0, 3]), np.array(["web", "web", "image"], dtype=object), np.array([0.5, 0.5, 0.75]),
    ...     np.ones(3), np.ones(3, dtype=int), np.array([3.0, 3.0, 1.0]), np.array([False, False, True]))
    >>> ATT(phi=0.2).probabilities(page, np.ones(3))
    array([0.4, 0.6, 1. ])
    """

    NAME = "att"
    SHORT_DESC = "like dcg, but more likely in and near blocks with images or videos"
    FORMULA = Formula(
        r"\mathrm{Exam}(B_i) = \varphi_i + (1 - \varphi_i)\,\beta^{d_i}",
        {
            **_EXAMINED,
            r"\varphi_i": (
                r"the probability for a block that attracts no attention: $1/\log_2(i+1)$, or the parameter phi at "
                "all positions"
            ),
            r"\beta": "the factor per block of distance",
            "d_i": (
                "the number of blocks to the nearest one with an image or a video, 0 for that block; without one the "
                "second term is 0"
            ),
        },
        source="the words of Zhou, Cummins, Lalmas and Jose (2012), which gives no values",
    )
    SUPPORTED_PARAMS = {
        "beta": Param(float, "how far attention reaches: the factor per block of distance", default=0.5, low=0, high=1),
        "phi": Param(
            float,
            "examination probability of a block that attracts no attention, the same at all positions; None: "
            "1/log2(position + 1)",
            default=None,
            above=0,
            high=1,
        ),
    }

    def probabilities(self, pages: Pages, gain: Floats) -> Floats:
        return attention(pages.position, pages.visual, pages.offsets, self["beta"], self["phi"])

    def best_page(self, candidates: Candidates, rate: float, length: int) -> list[Pick]:
        from irmx_pages.exact_ideal import by_attention

        return by_attention(candidates, rate, length, self["beta"], self["phi"])


class PositionTable(ByPosition):
    """Examination model with a probability for every position, such as those learned from a click log.

    Blocks below the last position are never examined. A factor common to all probabilities does not change a measure, as it
    stands in the gain and in the effort of a page.

    Parameters
    ----------
    probabilities : list of float
        In [0, 1], of positions 1, 2, ...
    file : str
        Alternatively, a table file with the columns ``position`` (1, 2, ...) and ``examination``, as ``irmx pages clicks`` writes it.

    Raises
    ------
    irmx.UsageError
        If both are given, or neither when it is used.
    irmx.DataError
        If the file cannot be read, or a value is not allowed; names the line.

    Examples
    --------
    >>> PositionTable(probabilities=[1, 0.6, 0.5]).at(np.array([1, 2, 3, 4]))
    array([1. , 0.6, 0.5, 0. ])
    """

    NAME = "by_position"
    SHORT_DESC = "examines each position with its own probability: a list, or a file made from clicks"
    EXAMPLES = ("by_position(probabilities=[1,0.6,0.5])",)
    FORMULA = Formula(
        r"\mathrm{Exam}(B_i) = p_i \text{ for } i \le n, \text{ otherwise } 0",
        {
            **_EXAMINED,
            "p_i": "the probability given for the position",
            "i": "the position of the block, from 1",
            "n": "the number of probabilities",
        },
        source="the position models of Zhou, Cummins, Lalmas and Jose (2012), with values of one's own",
    )
    SUPPORTED_PARAMS = {
        "probabilities": Param(list, "probabilities of examining positions 1, 2, ...", default=None, low=0, high=1),
        "file": Param(str, "path of a table with the columns position and examination", default=None),
    }

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        if self["probabilities"] is not None and self["file"] is not None:
            raise UsageError("The examination model 'by_position' takes either 'probabilities' or 'file', not both.")
        self._probabilities = self["probabilities"] if self["file"] is None else _read_by_position(self["file"])

    def at(self, position: Ints) -> Floats:
        if not self._probabilities:
            raise UsageError(
                "The examination model 'by_position' needs probabilities: by_position(probabilities=[1,0.6,0.5]) or "
                "by_position(file='examination.tsv')."
            )
        p = np.append(np.asarray(self._probabilities, dtype=np.float64), 0.0)
        return np.asarray(p[np.minimum(position, len(p)) - 1])


def _read_by_position(path: str) -> list[float]:
    """Return the probabilities of positions 1, 2, ... in a table file."""
    columns = {
        "position": Param(int, "the position", low=1, required=True),
        "examination": Param(
            float, "the probability of examining it, as irmx pages clicks writes it", low=0, high=1, required=True
        ),
    }
    table = read_table(path, columns, "table of examination probabilities")
    for row, position in enumerate(table["position"].tolist()):
        if position != row + 1:
            table.refuse(
                [row],
                f"the position must be {row + 1}, as positions are 1, 2, ... in this order. Got {position} instead.",
            )
    return [float(p) for p in table["examination"]]


dcg = DCG()
rbp = RBP()
err = ERR()
att = ATT()
by_position = PositionTable()

NAMED = (dcg, rbp, err, att, by_position)
"""The four models of the paper, and one of given probabilities."""


def products_before(factor: Floats, offsets: Ints) -> Floats:
    """Return, for every value, the product of those before it in its segment; 1 for the first.

    >>> products_before(np.array([0.5, 0.5, 0.5, 0.1, 0.2]), np.array([0, 3, 5]))
    array([1.  , 0.5 , 0.25, 1.  , 0.1 ])
    """
    out = np.ones(len(factor))
    at, last = offsets[:-1], offsets[1:] - 1
    while True:
        goes_on = at < last
        at, last = at[goes_on], last[goes_on]
        if not len(at):
            return out
        out[at + 1] = out[at] * factor[at]
        at = at + 1
