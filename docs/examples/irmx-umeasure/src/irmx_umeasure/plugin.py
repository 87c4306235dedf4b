"""The hooks of irmx-umeasure."""

from irmx import Measure, hookimpl
from irmx_umeasure.measure import U


@hookimpl
def irmx_measures() -> list[Measure]:
    return [U]
