"""The hooks of irmx-answers."""

from irmx import Measure, hookimpl
from irmx_answers.judged_answers import NUGGET_RECALL, SUPPORT_PRECISION, SUPPORT_RECALL
from irmx_answers.readers import S_MEASURE, S_SHARP, UDCG


@hookimpl
def irmx_measures() -> list[Measure]:
    return [NUGGET_RECALL, SUPPORT_PRECISION, SUPPORT_RECALL, UDCG, S_MEASURE, S_SHARP]
