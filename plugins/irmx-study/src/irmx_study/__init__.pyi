from .sweeping.sweep_summaries import best_settings as best_settings
from .sweeping.sweep_summaries import rank_correlation_with as rank_correlation_with
from .sweeping.sweeps import sweep as sweep

__all__ = ["best_settings", "rank_correlation_with", "sweep"]
