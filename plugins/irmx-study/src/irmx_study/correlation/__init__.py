"""The agreement of measures: how far they rank the same systems alike."""
