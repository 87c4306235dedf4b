"""Evaluation of evaluation: sweeps over the parameters of a measure, and what they say about runs."""
