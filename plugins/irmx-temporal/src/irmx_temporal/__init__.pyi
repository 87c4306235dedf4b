"""Time-aware and intent-aware diversity."""

from .diversity import D_nDCG, Dsharp_nDCG, I_rec, T_StRecall, TIA_StRecall
from .intent_aware import IA_AP, IA_ERR, IA_P, TIA_AP, TIA_ERR, TIA_P, IA_nDCG, TIA_nDCG
from .lifted import IntentAware, TimeAware
from .windows import bursts, cut

__all__ = [
    "IA_AP",
    "IA_ERR",
    "IA_P",
    "TIA_AP",
    "TIA_ERR",
    "TIA_P",
    "D_nDCG",
    "Dsharp_nDCG",
    "IA_nDCG",
    "I_rec",
    "IntentAware",
    "TIA_StRecall",
    "TIA_nDCG",
    "T_StRecall",
    "TimeAware",
    "bursts",
    "cut",
]
