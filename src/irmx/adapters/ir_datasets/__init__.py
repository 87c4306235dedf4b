"""ir_datasets: qrels, documents and datasets; :mod:`irmx.collections` has the public names."""
