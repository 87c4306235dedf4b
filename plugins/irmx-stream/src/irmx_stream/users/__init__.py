"""Users: when they visit a stream and for how long, simulated or recorded."""
