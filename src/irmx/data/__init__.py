"""Inputs: tables from any source, and the runs and judgments that are made of them."""
