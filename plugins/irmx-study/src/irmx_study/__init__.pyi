from .assumptions.unjudged import unjudged as unjudged
from .assumptions.unjudged_result import Unjudged as Unjudged
from .comparison.compare import compare as compare
from .comparison.comparison import Comparison as Comparison
from .correlation.agreement_of_measures import Agreement as Agreement
from .correlation.correlate import correlate as correlate
from .discrimination.discriminate import discriminate as discriminate
from .discrimination.discrimination_result import Discrimination as Discrimination
from .filters.chosen_systems import choose_systems as choose_systems
from .html_report.report import Report as Report
from .html_report.report import report as report
from .per_topic.per_topic_files import read_per_topic as read_per_topic
from .planning.experiment_plans import Plan as Plan
from .planning.experiment_plans import power as power
from .pooling.left_out_groups import leave_out as leave_out
from .pooling.left_out_result import LeftOutGroups as LeftOutGroups
from .pooling.smaller_pools import pool as pool
from .pooling.smaller_pools_result import SmallerPools as SmallerPools
from .rank_correlation.comparable_means import comparable_means as comparable_means
from .rank_correlation.kendall import kendall_tau as kendall_tau
from .rank_correlation.rank_biased_overlap import RankBiasedOverlap as RankBiasedOverlap
from .rank_correlation.rank_biased_overlap import rbo as rbo
from .rank_correlation.tau_ap import tau_ap as tau_ap
from .rank_correlation.tied_items import tied_groups as tied_groups
from .settings.agreement_result import SettingsAgreement as SettingsAgreement
from .settings.best_settings import best_settings as best_settings
from .settings.conclusions import Conclusion as Conclusion
from .settings.conclusions import conclusion as conclusion
from .settings.settings_agreement import rank_correlation_with as rank_correlation_with
from .settings.settings_agreement import settings_agreement as settings_agreement
from .settings.sweep_scores import scores_of_sweep as scores_of_sweep
from .settings.user_populations import population as population
from .sweeping.sweeps import sweep as sweep
from .topic_differences.topic_orders import topics as topics
from .users.sensitivity import sensitivity as sensitivity
from .users.sensitivity_result import Sensitivity as Sensitivity

__all__ = [
    "Agreement",
    "Comparison",
    "Conclusion",
    "Discrimination",
    "LeftOutGroups",
    "Plan",
    "RankBiasedOverlap",
    "Report",
    "Sensitivity",
    "SettingsAgreement",
    "SmallerPools",
    "Unjudged",
    "best_settings",
    "choose_systems",
    "comparable_means",
    "compare",
    "conclusion",
    "correlate",
    "discriminate",
    "kendall_tau",
    "leave_out",
    "pool",
    "population",
    "power",
    "rank_correlation_with",
    "rbo",
    "read_per_topic",
    "report",
    "scores_of_sweep",
    "sensitivity",
    "settings_agreement",
    "sweep",
    "tau_ap",
    "tied_groups",
    "topics",
    "unjudged",
]
