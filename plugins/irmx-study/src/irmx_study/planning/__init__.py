"""How many topics an experiment needs, and which differences it can find."""
