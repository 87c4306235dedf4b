"""Normalised cumulated gain: nDCG without the discount."""

from irmx_ncg.measure import NCG, NormalisedCumulatedGain

__all__ = ["NCG", "NormalisedCumulatedGain"]
