"""The hooks of irmx-cwl."""

from irmx import Format, Measure, Symbol, hookimpl
from irmx_cwl.continuation import USERS
from irmx_cwl.cwl_measure import CWL
from irmx_cwl.effort_by_grade import EFFORT
from irmx_cwl.expected_session import ESNCG, ESNDCG
from irmx_cwl.query_by_query import SESSION
from irmx_cwl.session_measures import NSDCG, SDCG, SDCG_Q, SRBP
from irmx_cwl.session_runs import SESSION_RUNS
from irmx_cwl.time_biased_gain import TBG, U


@hookimpl
def irmx_measures() -> list[Measure]:
    return [CWL, TBG, U, EFFORT, SDCG, NSDCG, SDCG_Q, ESNDCG, ESNCG, SRBP, SESSION]


@hookimpl
def irmx_symbols() -> list[Symbol]:
    return USERS


@hookimpl
def irmx_formats() -> list[Format]:
    return [SESSION_RUNS]
