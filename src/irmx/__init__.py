"""irmx: user-model-based evaluation measures, as plugins, beside those of ir_measures.

Importing it makes the measures of all installed plugins known to ir_measures; :func:`uninstall` undoes that.
Registered measures and symbols are attributes of this module by name: ``irmx.MP``, ``irmx.GL_AD_ID``. Everything is
imported when it is first used, so that ``import irmx`` stays quick.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from irmx.hookspecs import hookimpl
from irmx.upstream import install, uninstall

if TYPE_CHECKING:
    from irmx.best_first import RankedDocuments
    from irmx.citation import Citation
    from irmx.cli.command import Command
    from irmx.cli.files import matching_file, matching_files
    from irmx.collections import Dataset, Field
    from irmx.columns import Column
    from irmx.dates import check_dates
    from irmx.decorated import measure
    from irmx.durations import duration, duration_text, seconds
    from irmx.errors import (
        DataError,
        DataWarning,
        IrmxError,
        PluginError,
        PluginWarning,
        UnknownNameError,
        UsageError,
        counted,
    )
    from irmx.evaluate import Evaluator, calc, calc_aggregate, evaluator, iter_calc, join
    from irmx.explaining import Explanation, explain
    from irmx.expressions import parse_measure, parse_measures
    from irmx.formats.base import Format
    from irmx.formats.content import content_of
    from irmx.judgments import Judgments, read_qrels
    from irmx.measures import COMMON_PARAMS, Measure
    from irmx.meta.comparing import best_settings, rank_correlation_with
    from irmx.meta.progress import progress_bar
    from irmx.meta.sweeps import sweep
    from irmx.params import Param, number
    from irmx.plugins import registry
    from irmx.ranking import Ranking
    from irmx.rankings import Documents, Rankings
    from irmx.reports.base import Report
    from irmx.reports.table import fitted_widths
    from irmx.rows import QrelsRows, RunRows
    from irmx.runs import Run, read_run
    from irmx.scores import DetailedMetric, DetailedResults, Scores
    from irmx.symbols import Symbol

_WHERE = {
    "best_first": ("RankedDocuments",),
    "citation": ("Citation",),
    "cli.command": ("Command",),
    "cli.files": ("matching_file", "matching_files"),
    "collections": ("Dataset", "Field"),
    "columns": ("Column",),
    "dates": ("check_dates",),
    "decorated": ("measure",),
    "durations": ("duration", "duration_text", "seconds"),
    "errors": (
        "DataError",
        "DataWarning",
        "IrmxError",
        "PluginError",
        "PluginWarning",
        "UnknownNameError",
        "UsageError",
        "counted",
    ),
    "evaluate": ("Evaluator", "calc", "calc_aggregate", "evaluator", "iter_calc", "join"),
    "explaining": ("Explanation", "explain"),
    "expressions": ("parse_measure", "parse_measures"),
    "formats.base": ("Format",),
    "formats.content": ("content_of",),
    "judgments": ("Judgments", "read_qrels"),
    "measures": ("COMMON_PARAMS", "Measure"),
    "meta.comparing": ("best_settings", "rank_correlation_with"),
    "meta.progress": ("progress_bar",),
    "meta.sweeps": ("sweep",),
    "params": ("Param", "number"),
    "plugins": ("registry",),
    "ranking": ("Ranking",),
    "rankings": ("Documents", "Rankings"),
    "reports.base": ("Report",),
    "reports.table": ("fitted_widths",),
    "rows": ("QrelsRows", "RunRows"),
    "runs": ("Run", "read_run"),
    "scores": ("DetailedMetric", "DetailedResults", "Scores"),
    "symbols": ("Symbol",),
}
_MODULE_OF = {name: f"irmx.{module}" for module, names in _WHERE.items() for name in names}

__all__ = [
    "COMMON_PARAMS",
    "Citation",
    "Column",
    "Command",
    "DataError",
    "DataWarning",
    "Dataset",
    "DetailedMetric",
    "DetailedResults",
    "Documents",
    "Evaluator",
    "Explanation",
    "Field",
    "Format",
    "IrmxError",
    "Judgments",
    "Measure",
    "Param",
    "PluginError",
    "PluginWarning",
    "QrelsRows",
    "RankedDocuments",
    "Ranking",
    "Rankings",
    "Report",
    "Run",
    "RunRows",
    "Scores",
    "Symbol",
    "UnknownNameError",
    "UsageError",
    "best_settings",
    "calc",
    "calc_aggregate",
    "check_dates",
    "content_of",
    "counted",
    "duration",
    "duration_text",
    "evaluator",
    "explain",
    "fitted_widths",
    "hookimpl",
    "install",
    "iter_calc",
    "join",
    "matching_file",
    "matching_files",
    "measure",
    "number",
    "parse_measure",
    "parse_measures",
    "progress_bar",
    "rank_correlation_with",
    "read_qrels",
    "read_run",
    "registry",
    "seconds",
    "sweep",
    "uninstall",
]


def __getattr__(name: str) -> Any:
    if name in _MODULE_OF:
        value = getattr(import_module(_MODULE_OF[name]), name)
        globals()[name] = value
        return value
    if name == "__version__":
        from importlib.metadata import version

        return version("irmx")
    if name in ("collections", "pt"):
        return import_module(f"irmx.{name}")
    if not name.startswith("_") and find_spec(f"irmx.{name}") is None:
        from irmx.plugins import registry

        for table in (registry().measures(aliases=True), registry().symbols()):
            if name in table:
                return table[name]
    raise AttributeError(f"module 'irmx' has no attribute {name!r}")


def __dir__() -> list[str]:
    from irmx.plugins import registry

    return sorted({*__all__, *registry().measures(), *registry().symbols()})


install()
