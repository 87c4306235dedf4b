"""irmx as a provider of ir_measures."""
