"""Answers and their readers: the share of nuggets, support by citations, people and language models who read, battles."""

from .battles import Battles, Ratings, agreement, bradley_terry, rate, read_battles
from .judged_answers import NuggetRecall, SupportPrecision, SupportRecall
from .readers import UDCG, SMeasure, SSharp

__all__ = [
    "UDCG",
    "Battles",
    "NuggetRecall",
    "Ratings",
    "SMeasure",
    "SSharp",
    "SupportPrecision",
    "SupportRecall",
    "agreement",
    "bradley_terry",
    "rate",
    "read_battles",
]
