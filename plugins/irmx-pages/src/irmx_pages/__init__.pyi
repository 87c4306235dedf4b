"""Utility of aggregated search pages."""

from .examination.examination_models import ATT, DCG, ERR, RBP, ByPosition, Examination, att, dcg, err, rbp
from .fit.effort_fit import EffortFit, fit_effort
from .fit.examination_fit import (
    ExaminationFit,
    ExaminationLog,
    examination_log_likelihoods,
    fit_examination,
    read_examinations,
)
from .fit.preference_fit import PreferenceFit, fit_preferences
from .ideal.candidates import Candidates, Pick
from .measures.aggregated_search import AS, AS_ATT, AS_DCG, AS_ERR, AS_RBP
from .measures.page_diversity import AS_alpha_nDCG, AS_D_nDCG, AS_Dsharp_nDCG, AS_IA_nDCG
from .measures.vertical_selection import vF, vPrecision, vRecall
from .page.page import Block, Page
from .page.page_arrays import Pages, gain, orientation_gain, utility
from .page.page_reading import read_pages, write_pages
from .page.page_runs import page_runs, score_pages
from .page.pages_of_rankings import pages_of
from .preferences.agreement import agreement, agreement_scores
from .preferences.preference_votes import Preferences, fleiss_kappa, read_preferences, without_traps
from .preferences.simulated_preferences import simulate_preferences
from .simulate.simulated_pages import SimulatedPages, page_pairs, simulate_pages

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
    "PreferenceFit",
    "Preferences",
    "SimulatedPages",
    "agreement",
    "agreement_scores",
    "att",
    "dcg",
    "err",
    "examination_log_likelihoods",
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
