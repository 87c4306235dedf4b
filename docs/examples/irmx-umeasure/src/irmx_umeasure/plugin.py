"""What irmx-umeasure registers."""

from irmx import Measure, hookimpl
from irmx_umeasure.measure import U

requires_irmx = ">=0.1"


@hookimpl
def irmx_measures() -> list[Measure]:
    return [U]
