"""What irmx-markov registers."""

from irmx import Measure, Symbol, hookimpl
from irmx_markov.measure import MP
from irmx_markov.models import NAMED


@hookimpl
def irmx_measures() -> list[Measure]:
    return [MP]


@hookimpl
def irmx_symbols() -> list[Symbol]:
    return [*NAMED]
