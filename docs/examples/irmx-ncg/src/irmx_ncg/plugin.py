"""What irmx-ncg registers."""

from irmx import Measure, hookimpl
from irmx_ncg.measure import NCG


@hookimpl
def irmx_measures() -> list[Measure]:
    return [NCG]
