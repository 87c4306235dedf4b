"""Settings of a measure: their scores, how each ranks the systems, and how far that is what a reference does."""
