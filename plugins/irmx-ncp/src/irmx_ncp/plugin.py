"""What irmx-ncp registers."""

from irmx import Measure, Symbol, hookimpl
from irmx_ncp.by_document import BY_DOCUMENT
from irmx_ncp.laws import FIRST, GEOMETRIC, TABLE, UNIFORM, ZIPF
from irmx_ncp.measure import NCP


@hookimpl
def irmx_measures() -> list[Measure]:
    return [NCP]


@hookimpl
def irmx_symbols() -> list[Symbol]:
    return [UNIFORM, FIRST, GEOMETRIC, ZIPF, TABLE, BY_DOCUMENT]
