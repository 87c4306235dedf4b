"""Markov Precision: precision seen by a user who moves over the ranking as a Markov chain."""

from .chains import stationary, watched
from .clicks import backward_share, holding_times, learn_chain, read_click_log, transition_counts
from .continuous import ContinuousMarkovPrecision, MPcont
from .directed import transition_matrix
from .holding import ByRank, DwellColumn, HoldingTimes
from .matrix import TransitionMatrix
from .measure import MP, MarkovPrecision
from .models import (
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
)
from .reading import ByLength
from .relative import add_best_retrieved

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
