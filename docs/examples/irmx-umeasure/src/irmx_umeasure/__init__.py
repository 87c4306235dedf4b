"""U-measure: gains discounted by the amount of text that a user has read."""

from irmx_umeasure.measure import LENGTH, U, UMeasure

__all__ = ["LENGTH", "U", "UMeasure"]
