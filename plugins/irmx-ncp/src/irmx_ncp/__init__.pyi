"""Normalised Cumulative Precision: average precision as an expectation over stopping points."""

from .by_document import BY_DOCUMENT, ByDocument
from .laws import FIRST, GEOMETRIC, TABLE, UNIFORM, ZIPF, Law
from .measure import NCP, NormalisedCumulativePrecision

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
