"""The measures of pages."""
