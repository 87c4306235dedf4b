"""Files of other platforms as runs and qrels: traces of agents and assistants, rankings and judgments."""

from .rankings import MsMarco, Mteb, OpenSearch, Quepid, QuepidCase, RankEval
from .traces import Traces

__all__ = ["MsMarco", "Mteb", "OpenSearch", "Quepid", "QuepidCase", "RankEval", "Traces"]
