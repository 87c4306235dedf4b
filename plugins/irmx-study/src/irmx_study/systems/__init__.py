"""Studies of systems: comparisons, plans, topics, unjudged documents."""
