"""The hooks of irmx-need."""

from irmx import Symbol, hookimpl
from irmx_need.user import NEED


@hookimpl
def irmx_symbols() -> list[Symbol]:
    return [NEED]
