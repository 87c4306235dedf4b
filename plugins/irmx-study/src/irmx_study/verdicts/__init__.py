"""Whether a conclusion holds."""
