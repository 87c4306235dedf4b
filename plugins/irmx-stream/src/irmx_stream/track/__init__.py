"""The measures of the TREC Temporal Summarization track."""
