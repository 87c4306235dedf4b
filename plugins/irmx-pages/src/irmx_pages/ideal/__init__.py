"""Ideal pages, used to normalise utility."""
