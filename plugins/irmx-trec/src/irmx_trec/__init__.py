"""AP, nDCG and other standard measures, over irmx's join of a run with the judgments; and why another tool's number differs.

The measures are those of ir_measures.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
