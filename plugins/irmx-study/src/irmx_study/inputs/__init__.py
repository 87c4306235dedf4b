"""What studies take: choices, results per topic, views, labels."""
