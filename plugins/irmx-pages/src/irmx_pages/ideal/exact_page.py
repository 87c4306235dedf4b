"""The page with the largest utility, which is a ratio, found by Dinkelbach's iteration over differences."""

from __future__ import annotations

from typing import Any

import numpy as np

from irmx import UsageError
from irmx_pages.ideal.candidates import WEB_BLOCK, Candidates, Pick
from irmx_pages.page.page_arrays import Pages, utility


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
