"""Normalised Cumulative Precision: average precision as an expectation over stopping points."""

from irmx_ncp.laws import FIRST, GEOMETRIC, TABLE, UNIFORM, ZIPF, Law
from irmx_ncp.measure import NCP, NormalisedCumulativePrecision

__all__ = ["FIRST", "GEOMETRIC", "NCP", "TABLE", "UNIFORM", "ZIPF", "Law", "NormalisedCumulativePrecision"]
