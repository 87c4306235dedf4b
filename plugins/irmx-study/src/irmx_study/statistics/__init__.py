"""Tests, corrections and statistics, of arrays."""
