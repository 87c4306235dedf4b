"""Measures of whole sessions: users who go on from document to document, and from query to query."""

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
    "ESNCG",
    "ESNDCG",
    "NSDCG",
    "QUERY_NUMBER",
    "SDCG",
    "SDCG_Q",
    "SESSION",
    "SESSION_RUNS",
    "SRBP",
    "ExpectedSessionNCG",
    "ExpectedSessionNDCG",
    "NormalisedSessionDCG",
    "SessionAggregate",
    "SessionDCG",
    "SessionDCGPerQuery",
    "SessionRBP",
    "SessionRuns",
    "Sessions",
]
