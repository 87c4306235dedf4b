"""The measures of diversity."""
