"""Output formats of ``irmx eval``, one file each."""
