"""How far users go down a list, read from their clicks: a continuation function by rank."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from irmx import DataError
from irmx.toolkit import read_click_log
from irmx_cwl.cwl_measure import LAST

if TYPE_CHECKING:
    import pandas as pd


def continuation_of_clicks(log: pd.DataFrame | str | os.PathLike[str]) -> pd.DataFrame:
    """Return the probability to go on from each rank to the next one, by a click log.

    Users are taken to look at all documents from the top down to the deepest one that they click, and at none below. A session
    without a click tells nothing of how far its user went; it is not in a click log.

    Parameters
    ----------
    log : DataFrame, str or Path
        A table with the columns ``session``, ``rank`` and ``time``, or a log in the format of Yandex's Relevance Prediction Challenge, as
        :func:`irmx.toolkit.read_click_log` reads it.

    Returns
    -------
    DataFrame
        One row per rank down to the deepest click: ``rank``; ``sessions``, how many reached it; ``went_on``, how many of them went
        on; ``continuation``, their share; and ``low`` and ``high``, its 95% interval by Wilson's score method. The user
        ``by_rank(file=...)`` of ``CWL`` reads it.

    Raises
    ------
    irmx.DataError
        If the log has no clicks, or a rank above 100,000, or is not valid.

    References
    ----------
    Moffat, A., Thomas, P., Scholer, F.: Users versus Models: What Observation Tells Us About Effectiveness Metrics. CIKM 2013.

    Examples
    --------
    >>> import pandas as pd
    >>> log = pd.DataFrame({"session": ["a", "a", "b", "c"], "rank": [3, 1, 1, 2], "time": [0.0, 9.0, 0.0, 0.0]})
    >>> continuation_of_clicks(log).round(3)
       rank  sessions  went_on  continuation    low   high
    0     1         3        2         0.667  0.208  0.939
    1     2         2        1         0.500  0.095  0.905
    2     3         1        0         0.000  0.000  0.793
    """
    import pandas as pd
    from scipy.stats import norm

    deepest = read_click_log(log).groupby("session")["rank"].max().to_numpy()
    if not len(deepest):
        raise DataError("The click log has no clicks.")
    if deepest.max() > LAST:
        raise DataError(
            f"The click log has a click at rank {deepest.max():,}; {LAST:,} is the last rank that a user of CWL can come to."
        )
    ending = np.bincount(deepest)
    reached = np.cumsum(ending[::-1])[::-1][1:]
    went_on = reached - ending[1:]
    share = went_on / reached
    # Wilson's interval; scipy has it for one share at a time
    z2 = norm.ppf(0.975) ** 2
    middle = (went_on + z2 / 2) / (reached + z2)
    half = np.sqrt(z2 * (reached * share * (1 - share) + z2 / 4)) / (reached + z2)
    return pd.DataFrame(
        {
            "rank": np.arange(1, len(reached) + 1),
            "sessions": reached,
            "went_on": went_on,
            "continuation": share,
            "low": np.where(went_on > 0, middle - half, 0),
            "high": np.where(went_on < reached, middle + half, 1),
        }
    )
