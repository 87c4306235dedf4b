"""Examination models: how likely users are to look at each block of a page."""
