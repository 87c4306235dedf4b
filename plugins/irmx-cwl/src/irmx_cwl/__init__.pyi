"""Users who go on from document to document, by C/W/L, and from query to query, in sessions."""

from .clicked_depths import continuation_of_clicks
from .continuation import (
    AP,
    BPM,
    DCG,
    ERR,
    IFT,
    INSQ,
    INST,
    RBP,
    RR,
    ByRank,
    FadingByText,
    FadingByTime,
    Precision,
    User,
)
from .cwl_measure import COST, CWL, ContinuingUser
from .effort_by_grade import EFFORT, Effort
from .expected_session import ESNCG, ESNDCG, ExpectedSessionNCG, ExpectedSessionNDCG
from .query_by_query import SESSION, SessionAggregate
from .ratings import RatingFit, fit_to_ratings
from .session_cost import SESSION_COST, SessionCost
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
from .time_biased_gain import LENGTH, TBG, TimeBiasedGain, U, UMeasure

__all__ = [
    "AP",
    "BPM",
    "COST",
    "CWL",
    "DCG",
    "EFFORT",
    "ERR",
    "ESNCG",
    "ESNDCG",
    "IFT",
    "INSQ",
    "INST",
    "LENGTH",
    "NSDCG",
    "QUERY_NUMBER",
    "RBP",
    "RR",
    "SDCG",
    "SDCG_Q",
    "SESSION",
    "SESSION_COST",
    "SESSION_RUNS",
    "SRBP",
    "TBG",
    "ByRank",
    "ContinuingUser",
    "Effort",
    "ExpectedSessionNCG",
    "ExpectedSessionNDCG",
    "FadingByText",
    "FadingByTime",
    "NormalisedSessionDCG",
    "Precision",
    "RatingFit",
    "SessionAggregate",
    "SessionCost",
    "SessionDCG",
    "SessionDCGPerQuery",
    "SessionRBP",
    "SessionRuns",
    "Sessions",
    "TimeBiasedGain",
    "U",
    "UMeasure",
    "User",
    "continuation_of_clicks",
    "fit_to_ratings",
]
