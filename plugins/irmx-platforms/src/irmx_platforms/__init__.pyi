"""Files of other platforms: traces of agents and assistants, rankings and judgments, results by item."""

from .application_results import Promptfoo
from .inspect_logs import Inspect
from .rankings import MsMarco, Mteb, OpenSearch, Quepid, QuepidCase, RankEval
from .traces import Traces

__all__ = ["Inspect", "MsMarco", "Mteb", "OpenSearch", "Promptfoo", "Quepid", "QuepidCase", "RankEval", "Traces"]
