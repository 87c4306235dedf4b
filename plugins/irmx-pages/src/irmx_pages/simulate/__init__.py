"""Simulated pages of graded quality."""
