"""What a measure sees: the one join of a run with judgments, and the rankings that come of it."""
