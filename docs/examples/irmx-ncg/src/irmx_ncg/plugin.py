"""What irmx-ncg registers."""

from irmx import Measure, hookimpl
from irmx_ncg.measure import NCG

requires_irmx = ">=0.1"


@hookimpl
def irmx_measures() -> list[Measure]:
    return [NCG]
