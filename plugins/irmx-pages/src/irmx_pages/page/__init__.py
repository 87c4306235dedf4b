"""Pages: reading and writing them, as runs, as arrays of blocks, and what their items are worth."""
