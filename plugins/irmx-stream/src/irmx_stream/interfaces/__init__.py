"""Reading interfaces: which updates users read in which session."""
