"""Normalised Cumulative Precision: average precision as an expectation over stopping points."""

from .normalised_precision import NCP, NormalisedCumulativePrecision
from .stopping_by_document import BY_DOCUMENT, ByDocument
from .stopping_laws import FIRST, GEOMETRIC, TABLE, UNIFORM, ZIPF, Law

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
