"""Pages: reading and writing, conversion to runs and to arrays of blocks, gains and efforts."""
