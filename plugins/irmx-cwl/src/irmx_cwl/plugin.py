"""The hooks of irmx-cwl."""

from irmx import Format, Measure, hookimpl
from irmx_cwl.expected_session import ESNCG, ESNDCG
from irmx_cwl.query_by_query import SESSION
from irmx_cwl.session_measures import NSDCG, SDCG, SDCG_Q, SRBP
from irmx_cwl.session_runs import SESSION_RUNS


@hookimpl
def irmx_measures() -> list[Measure]:
    return [SDCG, NSDCG, SDCG_Q, ESNDCG, ESNCG, SRBP, SESSION]


@hookimpl
def irmx_formats() -> list[Format]:
    return [SESSION_RUNS]
