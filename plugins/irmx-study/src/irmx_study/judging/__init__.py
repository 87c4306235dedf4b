"""Studies of judges."""
