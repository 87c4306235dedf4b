"""Users who go on from document to document, by C/W/L, and from query to query, in sessions."""

from .continuation import AP, BPM, DCG, ERR, IFT, INSQ, INST, RBP, RR, Precision, User
from .cwl_measure import COST, CWL, ContinuingUser
from .expected_session import ESNCG, ESNDCG, ExpectedSessionNCG, ExpectedSessionNDCG
from .query_by_query import SESSION, SessionAggregate
from .session_measures import (
    NSDCG,
    SDCG,
    SDCG_Q,
    SRBP,
    NormalisedSessionDCG,
    SessionDCG,
    SessionDCGPerQuery,
    SessionRBP,
)
from .session_runs import SESSION_RUNS, SessionRuns
from .sessions import QUERY_NUMBER, Sessions

__all__ = [
    "AP",
    "BPM",
    "COST",
    "CWL",
    "DCG",
    "ERR",
    "ESNCG",
    "ESNDCG",
    "IFT",
    "INSQ",
    "INST",
    "NSDCG",
    "QUERY_NUMBER",
    "RBP",
    "RR",
    "SDCG",
    "SDCG_Q",
    "SESSION",
    "SESSION_RUNS",
    "SRBP",
    "ContinuingUser",
    "ExpectedSessionNCG",
    "ExpectedSessionNDCG",
    "NormalisedSessionDCG",
    "Precision",
    "SessionAggregate",
    "SessionDCG",
    "SessionDCGPerQuery",
    "SessionRBP",
    "SessionRuns",
    "Sessions",
    "User",
]
