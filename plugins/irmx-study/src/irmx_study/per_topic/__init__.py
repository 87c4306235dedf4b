"""Per-topic results of other tools as scores."""
