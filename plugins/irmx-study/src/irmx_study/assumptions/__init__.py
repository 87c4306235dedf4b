"""What unjudged documents could change: bounds of values, residuals, and orders of systems that could flip."""
