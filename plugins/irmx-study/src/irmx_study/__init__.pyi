from .inputs.choices import Choices as Choices
from .inputs.per_topic import read_per_topic as read_per_topic
from .inputs.views import choose_systems as choose_systems
from .inputs.views import population as population
from .judging.judges import Judges as Judges
from .judging.judges import judges as judges
from .judging.systems import prediction_powered as prediction_powered
from .measures.correlate import Agreement as Agreement
from .measures.correlate import correlate as correlate
from .measures.discriminate import discriminate as discriminate
from .measures.pools import leave_out as leave_out
from .measures.pools import pool as pool
from .measures.samples import samples as samples
from .measures.samples import without as without
from .measures.sweep import sweep as sweep
from .reporting.report import Report as Report
from .reporting.report import report as report
from .showing.result import Result as Result
from .statistics.ranks import RankBiasedOverlap as RankBiasedOverlap
from .statistics.ranks import comparable_means as comparable_means
from .statistics.ranks import kendall_tau as kendall_tau
from .statistics.ranks import rbo as rbo
from .statistics.ranks import tau_ap as tau_ap
from .statistics.ranks import tied_groups as tied_groups
from .systems.compare import Comparison as Comparison
from .systems.compare import compare as compare
from .systems.compare import topics as topics
from .systems.persistence import persist as persist
from .systems.persistence import rerun as rerun
from .systems.planning import power as power
from .systems.unjudged import collection as collection
from .systems.unjudged import unjudged as unjudged
from .verdicts.verdict import Verdict as Verdict
from .verdicts.verdict import assert_no_worse as assert_no_worse
from .verdicts.verdict import verdict as verdict

__all__ = [
    "Agreement",
    "Choices",
    "Comparison",
    "Judges",
    "RankBiasedOverlap",
    "Report",
    "Result",
    "Verdict",
    "assert_no_worse",
    "choose_systems",
    "comparable_means",
    "compare",
    "correlate",
    "discriminate",
    "judges",
    "kendall_tau",
    "leave_out",
    "persist",
    "pool",
    "population",
    "power",
    "prediction_powered",
    "rbo",
    "read_per_topic",
    "report",
    "rerun",
    "samples",
    "sweep",
    "tau_ap",
    "tied_groups",
    "topics",
    "unjudged",
    "verdict",
    "without",
]
