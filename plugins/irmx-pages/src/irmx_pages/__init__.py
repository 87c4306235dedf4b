"""Utility of aggregated search pages."""

from irmx_pages.agreement import agreement
from irmx_pages.baselines import AS_alpha_nDCG, AS_D_nDCG, AS_Dsharp_nDCG, AS_IA_nDCG
from irmx_pages.building import pages_of
from irmx_pages.candidates import Candidates, Pick
from irmx_pages.effort_fitting import EffortFit, fit_effort
from irmx_pages.examination import ATT, DCG, ERR, RBP, ByPosition, Examination, att, dcg, err, rbp
from irmx_pages.examination_fitting import ExaminationFit, examination_log_likelihoods, fit_examination
from irmx_pages.examination_log import ExaminationLog, read_examinations
from irmx_pages.fitting import PreferenceFit, fit_preferences
from irmx_pages.gains import gain, orientation_gain
from irmx_pages.jsonl import write_pages
from irmx_pages.measures import AS, AS_ATT, AS_DCG, AS_ERR, AS_RBP
from irmx_pages.page import Block, Page
from irmx_pages.page_runs import page_runs, score_pages
from irmx_pages.pages import Pages, utility
from irmx_pages.preferences import Preferences, fleiss_kappa, read_preferences
from irmx_pages.preferences_simulated import simulate_preferences
from irmx_pages.reading import read_pages
from irmx_pages.simulation import SimulatedPages, simulate_pages
from irmx_pages.simulation_quality import page_pairs
from irmx_pages.traps import without_traps
from irmx_pages.verticals import vF, vPrecision, vRecall

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
