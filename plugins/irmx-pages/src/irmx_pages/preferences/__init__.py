"""Preferences of assessors between pages, and how often measures agree with them."""
