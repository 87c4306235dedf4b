"""Markov Precision: precision seen by a user who moves over the ranking as a Markov chain."""

from .click_logs import backward_share, holding_times, learn_chain, read_click_log, transition_counts
from .continuous_time import ByLength, ByRank, ContinuousMarkovPrecision, DwellColumn, HoldingTimes, MPcont
from .finite_chains import stationary, watched
from .markov_models import (
    CONSTANT,
    GL_AD_ID,
    GL_AD_LID,
    GL_OR_ID,
    GL_OR_LID,
    LO_AD_ID,
    LO_AD_LID,
    LO_OR_ID,
    LO_OR_LID,
    MarkovModel,
    transition_matrix,
)
from .markov_precision import MP, MarkovPrecision, add_best_retrieved
from .own_matrix import ByRelevance, TransitionMatrix

__all__ = [
    "CONSTANT",
    "GL_AD_ID",
    "GL_AD_LID",
    "GL_OR_ID",
    "GL_OR_LID",
    "LO_AD_ID",
    "LO_AD_LID",
    "LO_OR_ID",
    "LO_OR_LID",
    "MP",
    "ByLength",
    "ByRank",
    "ByRelevance",
    "ContinuousMarkovPrecision",
    "DwellColumn",
    "HoldingTimes",
    "MPcont",
    "MarkovModel",
    "MarkovPrecision",
    "TransitionMatrix",
    "add_best_retrieved",
    "backward_share",
    "holding_times",
    "learn_chain",
    "read_click_log",
    "stationary",
    "transition_counts",
    "transition_matrix",
    "watched",
]
