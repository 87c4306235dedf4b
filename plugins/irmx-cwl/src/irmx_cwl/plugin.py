"""The hooks of irmx-cwl."""

from irmx import Measure, hookimpl
from irmx_cwl.expected_session import ESNCG, ESNDCG
from irmx_cwl.query_by_query import SESSION
from irmx_cwl.session_measures import NSDCG, SDCG, SDCG_Q, SRBP


@hookimpl
def irmx_measures() -> list[Measure]:
    return [SDCG, NSDCG, SDCG_Q, ESNDCG, ESNCG, SRBP, SESSION]
