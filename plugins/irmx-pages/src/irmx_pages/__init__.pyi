"""Utility of aggregated search pages."""

from .agreement import agreement
from .baselines import AS_alpha_nDCG, AS_D_nDCG, AS_Dsharp_nDCG, AS_IA_nDCG
from .building import pages_of
from .candidates import Candidates, Pick
from .effort_fitting import EffortFit, fit_effort
from .examination import ATT, DCG, ERR, RBP, ByPosition, Examination, att, dcg, err, rbp
from .examination_fitting import ExaminationFit, examination_log_likelihoods, fit_examination
from .examination_log import ExaminationLog, read_examinations
from .fitting import PreferenceFit, fit_preferences
from .gains import gain, orientation_gain
from .jsonl import write_pages
from .measures import AS, AS_ATT, AS_DCG, AS_ERR, AS_RBP
from .page import Block, Page
from .page_runs import page_runs, score_pages
from .pages import Pages, utility
from .preferences import Preferences, fleiss_kappa, read_preferences
from .preferences_simulated import simulate_preferences
from .reading import read_pages
from .simulation import SimulatedPages, simulate_pages
from .simulation_quality import page_pairs
from .traps import without_traps
from .verticals import vF, vPrecision, vRecall

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
