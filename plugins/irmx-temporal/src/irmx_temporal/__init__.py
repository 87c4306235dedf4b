"""Time-aware and intent-aware diversity."""

from irmx_temporal.measures.average_precision import IA_AP, TIA_AP
from irmx_temporal.measures.d_measures import D_nDCG, Dsharp_nDCG
from irmx_temporal.measures.err import IA_ERR, TIA_ERR
from irmx_temporal.measures.lifted import IntentAware, TimeAware
from irmx_temporal.measures.ndcg import IA_nDCG, TIA_nDCG
from irmx_temporal.measures.precision import IA_P, TIA_P
from irmx_temporal.measures.subtopic_recall import I_rec, T_StRecall, TIA_StRecall
from irmx_temporal.windows.bursts import bursts
from irmx_temporal.windows.calendar_windows import cut

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
