"""The diversity measures."""
