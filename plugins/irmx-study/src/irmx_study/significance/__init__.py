"""Tests of the differences between systems, and corrections for several comparisons, as named objects."""
