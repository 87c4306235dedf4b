"""The TREC Temporal Summarization track, 2013 to 2015: its files as runs and qrels."""
