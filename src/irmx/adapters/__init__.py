"""The tools that irmx works with: ir_measures, ir_datasets, PyTerrier."""
