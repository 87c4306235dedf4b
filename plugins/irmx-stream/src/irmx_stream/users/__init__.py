"""Users: when they look in and for how long, simulated or recorded."""
