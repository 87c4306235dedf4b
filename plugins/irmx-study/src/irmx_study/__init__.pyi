from .comparing import best_settings as best_settings
from .comparing import rank_correlation_with as rank_correlation_with
from .sweeps import sweep as sweep

__all__ = ["best_settings", "rank_correlation_with", "sweep"]
