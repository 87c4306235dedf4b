"""Preferences of people between pages, and how often measures agree with them."""
