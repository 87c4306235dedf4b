"""Users as a dimension: for which settings of a measure one system is better than another."""
