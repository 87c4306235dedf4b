"""What irmx-temporal registers."""

from irmx import Command, Measure, hookimpl
from irmx_temporal.lifted import IntentAware, TimeAware
from irmx_temporal.measures import IA_AP, IA_ERR, IA_P, TIA_AP, TIA_ERR, TIA_P, IA_nDCG, TIA_nDCG
from irmx_temporal.recall import D_nDCG, Dsharp_nDCG, I_rec, T_StRecall, TIA_StRecall


@hookimpl
def irmx_measures() -> list[Measure]:
    return [
        *(TIA_nDCG, TIA_ERR, TIA_P, TIA_AP, T_StRecall, TIA_StRecall),
        *(IA_nDCG, IA_ERR, IA_P, IA_AP, I_rec, D_nDCG, Dsharp_nDCG),
        *(IntentAware(), TimeAware()),
    ]


@hookimpl
def irmx_commands() -> list[Command]:
    return [Command("windows", "irmx_temporal.commands:windows")]
