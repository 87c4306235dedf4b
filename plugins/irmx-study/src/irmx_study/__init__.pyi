from .assumptions.unjudged import unjudged as unjudged
from .assumptions.unjudged_result import Unjudged as Unjudged
from .comparison.compare import compare as compare
from .comparison.comparison import Comparison as Comparison
from .per_topic.per_topic_files import read_per_topic as read_per_topic
from .planning.experiment_plans import Plan as Plan
from .planning.experiment_plans import power as power
from .sweeping.sweep_summaries import best_settings as best_settings
from .sweeping.sweep_summaries import rank_correlation_with as rank_correlation_with
from .sweeping.sweeps import sweep as sweep
from .topic_differences.topic_orders import topics as topics

__all__ = [
    "Comparison",
    "Plan",
    "Unjudged",
    "best_settings",
    "compare",
    "power",
    "rank_correlation_with",
    "read_per_topic",
    "sweep",
    "topics",
    "unjudged",
]
