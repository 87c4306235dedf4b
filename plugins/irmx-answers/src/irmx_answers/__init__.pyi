"""Answers and their readers: the share of nuggets, support by citations, people and language models who read, battles."""

from .judged_answers import NuggetRecall, SupportPrecision, SupportRecall
from .readers import UDCG, SMeasure, SSharp

__all__ = [
    "UDCG",
    "NuggetRecall",
    "SMeasure",
    "SSharp",
    "SupportPrecision",
    "SupportRecall",
]
