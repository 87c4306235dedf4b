"""Finished parts of long work, kept in a folder beside its results, from which a later call resumes."""
