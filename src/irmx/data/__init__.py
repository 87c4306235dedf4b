"""What comes in: qrels and runs of any kind, read into tables and arrays."""
