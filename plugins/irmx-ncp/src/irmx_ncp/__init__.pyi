"""Normalised Cumulative Precision: average precision as an expectation over stopping points."""

from .normalised_precision import NCP, NormalisedCumulativePrecision
from .stopping_laws import BY_DOCUMENT, FIRST, GEOMETRIC, MIXTURE, SHARE, TABLE, UNIFORM, ZIPF, ByDocument, Law

__all__ = [
    "BY_DOCUMENT",
    "FIRST",
    "GEOMETRIC",
    "MIXTURE",
    "NCP",
    "SHARE",
    "TABLE",
    "UNIFORM",
    "ZIPF",
    "ByDocument",
    "Law",
    "NormalisedCumulativePrecision",
]
