"""AP, nDCG and other standard measures, over irmx's join of a run with the judgments.

There are no public names: the measures are those of ir_measures.
"""

__all__: list[str] = []
