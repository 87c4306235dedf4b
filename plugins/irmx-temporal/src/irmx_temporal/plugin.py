"""The hooks of irmx-temporal."""

from irmx import Command, Field, Measure, hookimpl
from irmx_temporal.diversity import D_nDCG, Dsharp_nDCG, I_rec, T_StRecall, TIA_StRecall
from irmx_temporal.intent_aware import IA_AP, IA_ERR, IA_P, TIA_AP, TIA_ERR, TIA_P, IA_nDCG, TIA_nDCG
from irmx_temporal.lifted import IntentAware, TimeAware
from irmx_temporal.novelty import SCORERS
from irmx_temporal.windows import FIELDS


@hookimpl
def irmx_measures() -> list[Measure]:
    return [
        *(TIA_nDCG, TIA_ERR, TIA_P, TIA_AP, T_StRecall, TIA_StRecall),
        *(IA_nDCG, IA_ERR, IA_P, IA_AP, I_rec, D_nDCG, Dsharp_nDCG),
        *(IntentAware(), TimeAware()),
    ]


@hookimpl
def irmx_scorers() -> list[Measure]:
    return list(SCORERS)


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
