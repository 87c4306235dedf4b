"""Correlations of two rankings of the same systems, on arrays."""
