"""Normalised Cumulative Precision: average precision as an expectation over stopping points."""

from irmx_ncp.normalised_precision import NCP, NormalisedCumulativePrecision
from irmx_ncp.stopping_by_document import BY_DOCUMENT, ByDocument
from irmx_ncp.stopping_laws import FIRST, GEOMETRIC, TABLE, UNIFORM, ZIPF, Law

__all__ = [
    "BY_DOCUMENT",
    "FIRST",
    "GEOMETRIC",
    "NCP",
    "TABLE",
    "UNIFORM",
    "ZIPF",
    "ByDocument",
    "Law",
    "NormalisedCumulativePrecision",
]
