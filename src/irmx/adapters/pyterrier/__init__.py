"""PyTerrier: its measures and columns for pipelines; :mod:`irmx.pt` has the public names."""
