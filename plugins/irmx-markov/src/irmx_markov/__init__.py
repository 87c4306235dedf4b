"""Markov Precision: precision seen by a user who moves over the ranking as a Markov chain."""

from irmx_markov.chains import stationary, watched
from irmx_markov.measure import MP, MarkovPrecision
from irmx_markov.models import (
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
    "MarkovModel",
    "MarkovPrecision",
    "stationary",
    "watched",
]
