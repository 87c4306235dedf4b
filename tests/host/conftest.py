"""What several files of tests of the host share."""

from typing import Annotated

import pytest

import irmx
from irmx import Param, Ranking


def _enough(**options):
    """Define the measure that most tests use."""

    @irmx.measure(**options)
    def Enough(ranking: Ranking, *, k: Annotated[int, Param(int, "how many", low=1)] = 1) -> float:
        """Whether at least k relevant documents
        are retrieved.

        A user is content with k.
        """
        return len(ranking.relevant_rank) >= k

    return Enough


@pytest.fixture
def enough():
    """A function that makes a measure of a function, with the options that it is given."""
    return _enough
