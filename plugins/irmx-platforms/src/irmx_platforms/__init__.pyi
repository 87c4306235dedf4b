"""Files of other platforms: traces of agents and assistants, rankings and judgments, results by item."""

from .answers import Answers, Nuggetizer, Support, Udcg
from .every_eval_ever import to_every_eval_ever
from .rankings import MsMarco, Mteb, OpenSearch, Quepid, QuepidCase, RankEval, RanxLz4, SentenceTransformers, Ubi
from .results import AutoJudge, DeepEval, EveryEvalEver, Helm, Inspect, LmEval, Promptfoo, Ragas
from .traces import Traces

__all__ = [
    "Answers", "AutoJudge", "DeepEval", "EveryEvalEver", "Helm", "Inspect", "LmEval", "MsMarco", "Mteb", "Nuggetizer", "OpenSearch", "Promptfoo", "Quepid",
    "QuepidCase", "Ragas", "RankEval", "RanxLz4", "SentenceTransformers", "Support", "Traces", "Ubi", "Udcg", "to_every_eval_ever",
]  # fmt: skip
