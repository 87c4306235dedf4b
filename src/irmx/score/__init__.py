"""Values: measures computed over runs, and what a value is made of."""
