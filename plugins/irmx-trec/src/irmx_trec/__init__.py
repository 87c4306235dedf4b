"""The measures that everyone uses, such as AP and nDCG, over irmx's join of a run with the judgments."""
