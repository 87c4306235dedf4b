"""Normalised Cumulative Precision: average precision as an expectation over stopping points."""

from irmx_ncp.by_document import BY_DOCUMENT, ByDocument
from irmx_ncp.laws import FIRST, GEOMETRIC, TABLE, UNIFORM, ZIPF, Law
from irmx_ncp.measure import NCP, NormalisedCumulativePrecision

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
