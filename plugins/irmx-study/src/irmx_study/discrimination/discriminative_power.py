"""Discriminative power: of how many pairs of systems the difference is significant, and from which difference on all are."""

from __future__ import annotations

import numpy as np

from irmx.ragged import Bools, Floats
from irmx_study.rank_correlation.comparable_means import rounded


def difference_needed(differences: Floats, significant: Bools) -> float:
    """Return the smallest difference of means from which on every pair of systems is significant.

    Parameters
    ----------
    differences : float array, shape (pairs,)
        The differences of means; their signs do not matter, and those that are equal in 12 digits are equal.
    significant : bool array, shape (pairs,)
        Whether they are significant.

    Returns
    -------
    float
        One of the sizes of the differences; NaN if no significant difference is larger than all that are not.

    Notes
    -----
    Sakai [1]_ asks the same of each pair's own bootstrap distribution: which difference would just be significant? He takes the largest
    over all pairs, so that one pair with an exceptional variance decides. This function looks at the differences that
    were observed, so that it is defined for every test and correction; no test has to know its critical differences.

    References
    ----------
    .. [1] T. Sakai. Evaluating evaluation metrics based on the bootstrap. SIGIR 2006.

    Examples
    --------
    >>> difference_needed(np.array([0.02, -0.05, 0.06, 0.09]), np.array([False, True, False, True]))
    0.09
    """
    sizes = rounded(np.abs(differences))
    enough = significant & (sizes > sizes[~significant].max(initial=-np.inf))
    return float(np.abs(differences)[enough].min()) if enough.any() else float("nan")
