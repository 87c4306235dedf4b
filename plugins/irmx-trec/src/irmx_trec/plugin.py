"""The hooks of irmx-trec."""

from irmx import Measure, hookimpl
from irmx_trec.precision_at_relevant import AveragePrecision


@hookimpl
def irmx_scorers() -> list[Measure]:
    return [AveragePrecision()]
