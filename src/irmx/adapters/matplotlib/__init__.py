"""matplotlib: one style for the pictures of irmx and of its plugins."""
