"""Time-aware and intent-aware diversity."""

from .measures.average_precision import IA_AP, TIA_AP
from .measures.d_measures import D_nDCG, Dsharp_nDCG
from .measures.err import IA_ERR, TIA_ERR
from .measures.lifted import IntentAware, TimeAware
from .measures.ndcg import IA_nDCG, TIA_nDCG
from .measures.precision import IA_P, TIA_P
from .measures.subtopic_recall import I_rec, T_StRecall, TIA_StRecall
from .windows.bursts import bursts
from .windows.calendar_windows import cut

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
