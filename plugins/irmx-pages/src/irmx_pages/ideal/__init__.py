"""Ideal pages, by which utility is normalised."""
