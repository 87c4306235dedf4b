"""Files of other platforms: traces of agents and assistants, rankings and judgments, results by item."""

from .application_results import DeepEval, Nuggetizer, Promptfoo, Ragas
from .every_eval_ever import to_every_eval_ever
from .harness_results import EveryEvalEver, Helm, LmEval
from .inspect_logs import Inspect
from .rankings import MsMarco, Mteb, OpenSearch, Quepid, QuepidCase, RankEval, RanxLz4, SentenceTransformers, Ubi
from .traces import Traces

__all__ = [
    "DeepEval", "EveryEvalEver", "Helm", "Inspect", "LmEval", "MsMarco", "Mteb", "Nuggetizer", "OpenSearch", "Promptfoo", "Quepid", "QuepidCase", "Ragas",
    "RankEval", "RanxLz4", "SentenceTransformers", "Traces", "Ubi", "to_every_eval_ever",
]  # fmt: skip
