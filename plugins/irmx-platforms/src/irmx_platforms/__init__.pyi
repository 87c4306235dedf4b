"""Files of other platforms as runs: traces of agents and assistants."""

from .traces import Traces

__all__ = ["Traces"]
