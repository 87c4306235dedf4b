"""The hooks of irmx-ncg."""

from irmx import Measure, hookimpl
from irmx_ncg.measure import NCG


@hookimpl
def irmx_measures() -> list[Measure]:
    return [NCG]
