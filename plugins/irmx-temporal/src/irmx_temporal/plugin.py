"""The hooks of irmx-temporal."""

from irmx import Command, Field, Measure, hookimpl
from irmx_temporal.dates_of_collections import FIELDS
from irmx_temporal.measures.average_precision import IA_AP, TIA_AP
from irmx_temporal.measures.d_measures import D_nDCG, Dsharp_nDCG
from irmx_temporal.measures.err import IA_ERR, TIA_ERR
from irmx_temporal.measures.lifted import IntentAware, TimeAware
from irmx_temporal.measures.ndcg import IA_nDCG, TIA_nDCG
from irmx_temporal.measures.precision import IA_P, TIA_P
from irmx_temporal.measures.subtopic_recall import I_rec, T_StRecall, TIA_StRecall


@hookimpl
def irmx_measures() -> list[Measure]:
    return [
        *(TIA_nDCG, TIA_ERR, TIA_P, TIA_AP, T_StRecall, TIA_StRecall),
        *(IA_nDCG, IA_ERR, IA_P, IA_AP, I_rec, D_nDCG, Dsharp_nDCG),
        *(IntentAware(), TimeAware()),
    ]


@hookimpl
def irmx_fields() -> list[Field]:
    return FIELDS


@hookimpl
def irmx_commands() -> list[Command]:
    example = "irmx temporal windows dated.csv --window 1mo"
    about = "Show the time windows of every topic."
    return [
        Command("windows", "irmx_temporal.commands:windows", "temporal", about, EXAMPLES=(example,), SECTION="score")
    ]
