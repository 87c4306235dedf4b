"""The hooks of irmx-platforms."""

from irmx import Format, hookimpl
from irmx_platforms.application_results import Promptfoo
from irmx_platforms.inspect_logs import Inspect
from irmx_platforms.rankings import MsMarco, Mteb, OpenSearch, Quepid, QuepidCase, RankEval
from irmx_platforms.traces import Traces


@hookimpl
def irmx_formats() -> list[Format]:
    rankings = [Mteb(), RankEval(), OpenSearch(), Quepid(), QuepidCase(), MsMarco()]
    return [Traces(), *rankings, Inspect(), Promptfoo()]
