"""Streams of updates and the nuggets in them, from tables and from qrels and runs."""
