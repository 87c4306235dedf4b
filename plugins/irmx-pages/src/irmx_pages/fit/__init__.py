"""Estimating parameters of measures, examination models and efforts from observed behaviour."""
