"""irmx: user-model-based evaluation measures, as plugins, beside those of ir_measures.

Importing it makes the measures of all installed plugins known to ir_measures; :func:`uninstall` undoes
that. Registered measures and symbols are attributes of this module by name: ``irmx.MP``, ``irmx.GL_AD_ID``.
"""

from __future__ import annotations

from importlib import metadata as _metadata
from typing import TYPE_CHECKING, Any

from irmx.citation import Citation
from irmx.cli.command import Command
from irmx.collections import Dataset
from irmx.columns import Column
from irmx.errors import DataError, IrmxError, PluginError, PluginWarning, UnknownNameError, UsageError
from irmx.evaluate import calc, calc_aggregate, evaluator, iter_calc, join
from irmx.explain import Explanation, explain
from irmx.expressions import parse_measure, parse_measures
from irmx.formats.base import Format
from irmx.hookspecs import hookimpl
from irmx.judgments import Judgments
from irmx.judgments import as_judgments as read_qrels
from irmx.measures import COMMON_PARAMS, Measure
from irmx.params import Param
from irmx.plugins import registry
from irmx.rankings import Documents, Ranking, Rankings
from irmx.reports.base import Report
from irmx.runs import Run
from irmx.runs import as_run as read_run
from irmx.symbols import Symbol
from irmx.upstream import install, uninstall

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "COMMON_PARAMS",
    "Citation",
    "Column",
    "Command",
    "DataError",
    "Dataset",
    "Documents",
    "Explanation",
    "Format",
    "IrmxError",
    "Judgments",
    "Measure",
    "Param",
    "PluginError",
    "PluginWarning",
    "Ranking",
    "Rankings",
    "Report",
    "Run",
    "Symbol",
    "UnknownNameError",
    "UsageError",
    "calc",
    "calc_aggregate",
    "evaluator",
    "explain",
    "hookimpl",
    "install",
    "iter_calc",
    "join",
    "parse_measure",
    "parse_measures",
    "read_qrels",
    "read_run",
    "registry",
    "uninstall",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return _metadata.version("irmx")
    if not name.startswith("_"):
        found = registry()
        for table in (found.measures(), found.symbols()):
            if name in table:
                return table[name]
    raise AttributeError(f"module 'irmx' has no attribute {name!r}")


def __dir__() -> Iterable[str]:
    return sorted({*__all__, *registry().measures(), *registry().symbols()})


install()
