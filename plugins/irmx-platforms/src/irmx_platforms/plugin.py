"""The hooks of irmx-platforms."""

from irmx import Format, hookimpl
from irmx_platforms.rankings import MsMarco, Mteb, OpenSearch, Quepid, QuepidCase, RankEval
from irmx_platforms.traces import Traces


@hookimpl
def irmx_formats() -> list[Format]:
    return [Traces(), Mteb(), RankEval(), OpenSearch(), Quepid(), QuepidCase(), MsMarco()]
