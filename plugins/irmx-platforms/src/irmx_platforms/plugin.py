"""The hooks of irmx-platforms."""

from irmx import Format, hookimpl
from irmx_platforms.application_results import DeepEval, Promptfoo, Ragas
from irmx_platforms.harness_results import EveryEvalEver, Helm, LmEval
from irmx_platforms.inspect_logs import Inspect
from irmx_platforms.rankings import MsMarco, Mteb, OpenSearch, Quepid, QuepidCase, RankEval
from irmx_platforms.traces import Traces


@hookimpl
def irmx_formats() -> list[Format]:
    rankings = [Mteb(), RankEval(), OpenSearch(), Quepid(), QuepidCase(), MsMarco()]
    results = [Inspect(), LmEval(), Helm(), EveryEvalEver(), Promptfoo(), DeepEval(), Ragas()]
    return [Traces(), *rankings, *results]
