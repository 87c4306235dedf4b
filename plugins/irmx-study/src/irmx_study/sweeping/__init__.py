"""Runs scored in every setting of a grid; a stopped sweep resumes where it was."""
