"""Examination models: how likely users look at each block of a page."""
