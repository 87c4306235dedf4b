"""Utility of aggregated search pages."""

from .aggregated_search import AS, AS_ATT, AS_DCG, AS_ERR, AS_RBP, vF, vPrecision, vRecall
from .effort_fit import EffortFit, fit_effort
from .exact_ideal import Candidates, Pick
from .examination_fit import (
    ExaminationFit,
    ExaminationLog,
    examination_log_likelihoods,
    examination_of_clicks,
    fit_examination,
    read_examinations,
)
from .examination_models import (
    ATT,
    DCG,
    ERR,
    RBP,
    ByPosition,
    Examination,
    PositionTable,
    att,
    by_position,
    dcg,
    err,
    rbp,
)
from .judged_verticals import pages_of
from .page import Block, Page, Pages, gain, orientation_gain, utility
from .page_diversity import AS_alpha_nDCG, AS_D_nDCG, AS_Dsharp_nDCG, AS_IA_nDCG
from .page_files import read_pages, write_pages
from .pages_as_runs import page_runs, score_pages
from .preference_fit import PreferenceFit, fit_preferences
from .preference_votes import Preferences, agreement, agreement_scores, fleiss_kappa, read_preferences, without_traps
from .simulation import SimulatedPages, page_pairs, simulate_pages, simulate_preferences

__all__ = [
    "AS",
    "AS_ATT",
    "AS_DCG",
    "AS_ERR",
    "AS_RBP",
    "ATT",
    "DCG",
    "ERR",
    "RBP",
    "AS_D_nDCG",
    "AS_Dsharp_nDCG",
    "AS_IA_nDCG",
    "AS_alpha_nDCG",
    "Block",
    "ByPosition",
    "Candidates",
    "EffortFit",
    "Examination",
    "ExaminationFit",
    "ExaminationLog",
    "Page",
    "Pages",
    "Pick",
    "PositionTable",
    "PreferenceFit",
    "Preferences",
    "SimulatedPages",
    "agreement",
    "agreement_scores",
    "att",
    "by_position",
    "dcg",
    "err",
    "examination_log_likelihoods",
    "examination_of_clicks",
    "fit_effort",
    "fit_examination",
    "fit_preferences",
    "fleiss_kappa",
    "gain",
    "orientation_gain",
    "page_pairs",
    "page_runs",
    "pages_of",
    "rbp",
    "read_examinations",
    "read_pages",
    "read_preferences",
    "score_pages",
    "simulate_pages",
    "simulate_preferences",
    "utility",
    "vF",
    "vPrecision",
    "vRecall",
    "without_traps",
    "write_pages",
]
