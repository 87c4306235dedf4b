"""Modeled Stream Utility."""
