"""The hooks of irmx-ncp."""

from irmx import Measure, Symbol, hookimpl
from irmx_ncp.normalised_precision import NCP
from irmx_ncp.stopping_laws import BY_DOCUMENT, FIRST, GEOMETRIC, MIXTURE, SHARE, TABLE, UNIFORM, ZIPF


@hookimpl
def irmx_measures() -> list[Measure]:
    return [NCP]


@hookimpl
def irmx_symbols() -> list[Symbol]:
    return [UNIFORM, FIRST, GEOMETRIC, ZIPF, TABLE, SHARE, BY_DOCUMENT, MIXTURE]
