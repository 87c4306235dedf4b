"""Time-aware and intent-aware diversity."""

import lazy_loader

from irmx_temporal.measures.average_precision import IA_AP, TIA_AP
from irmx_temporal.measures.d_measures import D_nDCG, Dsharp_nDCG
from irmx_temporal.measures.err import IA_ERR, TIA_ERR
from irmx_temporal.measures.ndcg import IA_nDCG, TIA_nDCG
from irmx_temporal.measures.precision import IA_P, TIA_P

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
