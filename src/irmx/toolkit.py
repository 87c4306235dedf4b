"""What irmx's own larger plugins share beyond measures, for any plugin: text, tables, printing, pictures, scoring of many runs.

=============================== =========================================================================================
text in messages                :func:`plural`, :func:`list_some`, :func:`suggest`, :func:`visible`, :func:`value_repr`, ...
files                           :func:`new_file`, :func:`content_of`, :func:`read_click_log`, :func:`matching_files`, ...
columns and values              :func:`seconds`, :func:`duration`, :func:`number`, :func:`check_dates`, :func:`parse_value`, ...
printing                        :func:`print_rows`, :class:`PrintedRows`, :func:`in_markdown`, :func:`html_result`, ...
pictures                        :func:`axes_for`, :func:`picture_style`, :func:`distinct_line`, :func:`write_picture`, ...
commands                        :class:`Option`, :class:`Argument`, ``FormatOption``, :func:`runs_and_measures`, ...
scoring of many runs            :class:`Evaluator`, :func:`named_runs`, :func:`of_each_run`, :func:`prepare_run`, ...
work in parallel                :func:`results_of`, :func:`dask`, :func:`check_jobs`, :func:`progress_bar`, ...
=============================== =========================================================================================

The names are listed in ``toolkit.pyi``, and each is imported when it is first used. They change as those of :mod:`irmx` do: one
release before a name goes, it warns.
"""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path
from typing import Any

_STUB = ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
_HOME = {alias.name: node.module for node in _STUB.body if isinstance(node, ast.ImportFrom) for alias in node.names}
"""The module of irmx that each name is from; lazy_loader would make names of ``irmx`` itself of them."""

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'irmx.toolkit' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"irmx.{_HOME[name]}"), name)
    return value


def __dir__() -> list[str]:
    return __all__
