from .assuming import unjudged as unjudged
from .calibrating import prediction_powered as prediction_powered
from .choices import Choices as Choices
from .chosen_systems import choose_systems as choose_systems
from .comparing import Comparison as Comparison
from .comparing import compare as compare
from .correlating import Agreement as Agreement
from .correlating import correlate as correlate
from .cutting import samples as samples
from .cutting import without as without
from .discriminating import discriminate as discriminate
from .features import collection as collection
from .judging import Judges as Judges
from .judging import judges as judges
from .missing_judgments import leave_out as leave_out
from .missing_judgments import pool as pool
from .overlap import RankBiasedOverlap as RankBiasedOverlap
from .overlap import rbo as rbo
from .overlap import tied_groups as tied_groups
from .per_topic import read_per_topic as read_per_topic
from .planning import power as power
from .rankings import comparable_means as comparable_means
from .rankings import kendall_tau as kendall_tau
from .rankings import tau_ap as tau_ap
from .reporting.page import Report as Report
from .reporting.page import report as report
from .result import Result as Result
from .sweeping import sweep as sweep
from .topic_orders import topics as topics
from .user_shares import population as population
from .verdicts import Verdict as Verdict
from .verdicts import verdict as verdict

__all__ = [
    "Agreement",
    "Choices",
    "Comparison",
    "Judges",
    "RankBiasedOverlap",
    "Report",
    "Result",
    "Verdict",
    "choose_systems",
    "comparable_means",
    "compare",
    "correlate",
    "discriminate",
    "judges",
    "kendall_tau",
    "leave_out",
    "pool",
    "population",
    "power",
    "prediction_powered",
    "rbo",
    "read_per_topic",
    "report",
    "samples",
    "sweep",
    "tau_ap",
    "tied_groups",
    "topics",
    "unjudged",
    "verdict",
    "without",
]
