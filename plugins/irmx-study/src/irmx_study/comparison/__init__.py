"""Comparisons of systems: which is better, by how much, how sure."""
