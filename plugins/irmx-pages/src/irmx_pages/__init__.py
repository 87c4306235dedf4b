"""Utility of aggregated search pages."""

import lazy_loader

from irmx_pages.measures.aggregated_search_by_model import AS_ATT, AS_DCG, AS_ERR, AS_RBP
from irmx_pages.measures.page_alpha_ndcg import AS_alpha_nDCG
from irmx_pages.measures.page_d_measures import AS_D_nDCG, AS_Dsharp_nDCG
from irmx_pages.measures.page_ia_ndcg import AS_IA_nDCG

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
