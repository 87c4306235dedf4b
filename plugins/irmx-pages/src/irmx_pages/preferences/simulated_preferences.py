"""Simulated preferences: users who choose between pages by a measure, with noise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from irmx import UsageError, read_qrels
from irmx.toolkit import Evaluator
from irmx_pages.page.page_reading import read_pages
from irmx_pages.page.page_runs import page_values
from irmx_pages.preferences.agreement import pair_numbers
from irmx_pages.preferences.preference_votes import ANSWERS, Preferences, read_preferences
from irmx_pages.whole_numbers import check_whole

if TYPE_CHECKING:
    import pandas as pd


def simulate_preferences(
    pages: Any,
    pairs: pd.DataFrame,
    qrels: Any,
    users: Mapping[str, Any],
    scale: float = 20.0,
    seed: int = 0,
    bad_below: float | None = None,
) -> Preferences:
    """Return simulated preferences of users who choose by measures: P(A > B) = 1 / (1 + exp(-scale (m(A) - m(B)))).

    Useful for finding out what can be learned from preferences, and how many are needed.

    Parameters
    ----------
    pages : any
        Whatever :func:`read_pages` takes.
    pairs : DataFrame
        ``query_id``, ``page_a``, ``page_b`` and, optionally, ``bin_pair`` and ``trap``, such as the result of :func:`page_pairs`.
    qrels : any
        Whatever :func:`irmx.read_qrels` takes.
    users : mapping of str to Measure or str
        The measure m by which each assessor chooses, by the assessor's name.
    scale : float
        Above 0; larger values mean less noise.
    seed : int
        Seed of the choices.
    bad_below : float, optional
        A user for whom both pages have values below this answers that both are bad; with None, no user does.

    Returns
    -------
    Preferences
        One vote of every user on every pair.

    Raises
    ------
    irmx.UsageError
        If the scale is not above 0, the seed is negative, or there are no users.

    Examples
    --------
    >>> import pandas as pd
    >>> from irmx_pages import Block, Page
    >>> pages = [Page("q", name, (Block("web", "", (name,)),)) for name in ("w1", "w2")]
    >>> pairs = pd.DataFrame({"query_id": ["q"], "page_a": ["w2"], "page_b": ["w1"]})
    >>> simulate_preferences(pages, pairs, {"q": {"w1": 1}}, {"ann": "P@1", "bob": "RR"}).choice
    array([-1, -1])
    """
    import pandas as pd

    check_whole(0, seed=seed)
    if not scale > 0:
        raise UsageError(f"The scale must be a number above 0. Got {scale!r} instead.")
    if not users:
        raise UsageError("There are no users: 'users' maps names to measures, such as {'ann': 'AS_RBP(alpha=5)'}.")
    pages, judgments = read_pages(pages), read_qrels(qrels)
    votes = read_preferences(pd.concat([pairs.assign(assessor=name, choice="a") for name in users], ignore_index=True))
    a, b = pair_numbers(pages, votes)
    evaluator = Evaluator(list(users.values()), judgments)
    values = page_values(pages, evaluator)
    column = {str(m): i for i, m in enumerate(evaluator.measures)}
    of_user = [column[str(Evaluator(users[name], judgments).measures[0])] for name in votes.assessors]
    assessed = np.array(of_user)[votes.assessor]
    value_a, value_b = values[a[votes.pair], assessed], values[b[votes.pair], assessed]
    preferred = 1 / (1 + np.exp(-np.clip(scale * (value_a - value_b), -700, 700)))
    drawn = np.random.default_rng(seed).random(len(votes.pair)) < preferred
    answer = np.where(drawn, ANSWERS.index("a"), ANSWERS.index("b"))
    if bad_below is not None:
        answer[np.maximum(value_a, value_b) < bad_below] = ANSWERS.index("bad")
    return replace(votes, answer=answer)
