"""Cells, the pairs of a subtopic and a time window: from qrels rows, with their weights."""
